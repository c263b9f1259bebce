//! What people call the roles, moves and fluents of an image.

use std::collections::{HashMap, HashSet};

use ruche_compiler::symbols::{Source, SymbolTable};
use ruche_shared::Image;
use ruche_shared::position::{get, position_words, set};

/// Why names cannot belong to an image.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum NamesError {
    /// A name too many or too few.
    #[error(
        "the image has {needed} {what}, but there are names for {found}: compile the game again"
    )]
    Count {
        /// Roles or moves.
        what: &'static str,
        /// How many the image has.
        needed: usize,
        /// How many names there are.
        found: usize,
    },
    /// A fluent lies outside the state.
    #[error("the fluent {text} lies outside the state of the image: compile the game again")]
    Fluent {
        /// The fluent.
        text: String,
    },
}

/// The names of one game.
#[derive(Clone, Debug)]
pub struct Names {
    roles: Vec<String>,
    /// The moves of each role.
    moves: Vec<Vec<String>>,
    /// The numbers of the moves among those of their role.
    numbers: Vec<HashMap<String, usize>>,
    /// Sorted by name.
    fluents: Vec<(String, Source)>,
    /// Slots of the state.
    slots: usize,
}

impl Names {
    /// The names of an image.
    ///
    /// # Errors
    /// If they belong to another image.
    pub fn new(image: &Image<'_>, table: SymbolTable) -> Result<Self, NamesError> {
        let SymbolTable { roles, moves, mut fluents } = table;
        check_count("roles", image.roles(), roles.len())?;
        check_count("moves", image.moves(), moves.len())?;
        if let Some((text, _)) = fluents.iter().find(|(_, source)| is_outside(image, *source)) {
            return Err(NamesError::Fluent { text: text.clone() });
        }
        fluents.sort_by(|(left, _), (right, _)| left.cmp(right));
        let moves: Vec<Vec<String>> =
            (0..image.roles()).map(|role| moves[image.move_range(role)].to_vec()).collect();
        let numbered = |texts: &Vec<String>| texts.iter().cloned().zip(0..).collect();
        let numbers = moves.iter().map(numbered).collect();
        Ok(Self { roles, moves, numbers, fluents, slots: image.fluents() })
    }

    /// Numbers in the place of names, for an image that comes without.
    pub(crate) fn numbers(image: &Image<'_>) -> SymbolTable {
        let numbered =
            |what: &str, count| (0..count).map(|number| format!("{what}{number}")).collect();
        let moves = |role| -> Vec<String> { numbered("move", image.move_range(role).len()) };
        let fluents: Vec<String> = numbered("fluent", image.fluents());
        SymbolTable {
            roles: numbered("role", image.roles()),
            moves: (0..image.roles()).flat_map(moves).collect(),
            fluents: fluents.into_iter().zip((0..).map(Source::Fluent)).collect(),
        }
    }

    /// The roles, in the order of the game.
    #[must_use]
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// The moves of a role, in the order of the image.
    ///
    /// # Panics
    /// If there is no such role.
    #[must_use]
    pub fn moves(&self, role: usize) -> &[String] {
        &self.moves[role]
    }

    /// The number of a move among those of its role.
    #[must_use]
    pub fn find_move(&self, role: usize, text: &str) -> Option<usize> {
        self.numbers.get(role)?.get(text).copied()
    }

    /// All fluents that may ever hold, sorted.
    pub fn fluents(&self) -> impl ExactSizeIterator<Item = &str> {
        self.fluents.iter().map(|(text, _)| text.as_str())
    }

    /// The fluents that hold in a position, sorted.
    #[must_use]
    pub fn true_in(&self, position: &[u32]) -> Vec<&str> {
        let fluents = self.fluents.iter().filter(|(_, source)| is_true(*source, position));
        fluents.map(|(text, _)| text.as_str()).collect()
    }

    /// Whether a fluent holds in a position; one that the game does not know never does.
    #[must_use]
    pub fn holds(&self, fluent: &str, position: &[u32]) -> bool {
        let place = self.fluents.binary_search_by(|(text, _)| text.as_str().cmp(fluent));
        place.is_ok_and(|place| is_true(self.fluents[place].1, position))
    }

    /// The position in which just these fluents are true. Where there is none,
    /// because a text is unknown or because fluents that are always equal are
    /// not, other fluents are true in the position that comes back.
    #[must_use]
    pub fn position(&self, state: &[String]) -> Vec<u32> {
        let state: HashSet<&str> = state.iter().map(String::as_str).collect();
        let mut position = vec![0; position_words(self.slots)];
        for (text, source) in &self.fluents {
            let holds = state.contains(text.as_str());
            match *source {
                Source::Always => {}
                Source::Fluent(slot) => set(&mut position, slot as usize, holds),
                Source::Negated(slot) => set(&mut position, slot as usize, !holds),
            }
        }
        position
    }
}

fn is_true(source: Source, position: &[u32]) -> bool {
    match source {
        Source::Always => true,
        Source::Fluent(slot) => get(position, slot as usize),
        Source::Negated(slot) => !get(position, slot as usize),
    }
}

fn check_count(what: &'static str, needed: usize, found: usize) -> Result<(), NamesError> {
    if needed == found { Ok(()) } else { Err(NamesError::Count { what, needed, found }) }
}

fn is_outside(image: &Image<'_>, source: Source) -> bool {
    match source {
        Source::Always => false,
        Source::Fluent(slot) | Source::Negated(slot) => slot as usize >= image.fluents(),
    }
}
