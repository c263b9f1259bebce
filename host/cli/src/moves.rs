//! Moves as a person types them: from the initial position to another one.

use ruche_eval::{Evaluator, OneLane, Word};
use ruche_shared::Image;
use ruche_shared::position::position_words;

use crate::names::Names;

/// Why moves lead nowhere.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum MovesError {
    /// The parentheses of a move do not match.
    #[error("move {number}, `{text}`: the parentheses do not match")]
    Parentheses {
        /// The number of the joint move, from 1.
        number: usize,
        /// The joint move.
        text: String,
    },
    /// The game is over before.
    #[error("move {number}, `{text}`: the game is over before it")]
    Over {
        /// The number of the joint move, from 1.
        number: usize,
        /// The joint move.
        text: String,
    },
    /// There are more or fewer moves than roles, and it is not clear whose.
    #[error(
        "move {number}, `{text}`: give a move for each of the roles {roles}, or only that of \
         the one role that has a choice"
    )]
    Count {
        /// The number of the joint move, from 1.
        number: usize,
        /// The joint move.
        text: String,
        /// All roles.
        roles: String,
    },
    /// A move is not legal.
    #[error("move {number}: `{text}` is not legal for {role}; legal are {legal}")]
    Illegal {
        /// The number of the joint move, from 1.
        number: usize,
        /// The move.
        text: String,
        /// The role.
        role: String,
        /// What is legal.
        legal: String,
    },
}

/// The position after joint moves that are separated by semicolons. A single move
/// is enough where only one role has a choice.
///
/// # Errors
/// If a move is not legal; the error says which and what is.
pub fn position_after(
    image: &Image<'_>,
    names: &Names,
    moves: &str,
) -> Result<Vec<u32>, MovesError> {
    let mut slots = vec![OneLane::ZERO; image.slots()];
    let mut position = image.initial().to_vec();
    let joints = moves.split(';').map(str::trim).filter(|joint| !joint.is_empty());
    for (index, text) in joints.enumerate() {
        let joint = Joint { number: index + 1, text, names };
        position = joint.play(image, &mut slots, &position)?;
    }
    Ok(position)
}

/// One joint move as it was typed.
struct Joint<'a> {
    /// From 1.
    number: usize,
    text: &'a str,
    names: &'a Names,
}

impl Joint<'_> {
    fn play(
        &self,
        image: &Image<'_>,
        slots: &mut [OneLane],
        position: &[u32],
    ) -> Result<Vec<u32>, MovesError> {
        // Lane, role and position are those of this image.
        let mut evaluator = Evaluator::new(image, slots).map_err(|_| self.over())?;
        evaluator.load(0, position).map_err(|_| self.over())?;
        evaluator.legal();
        if evaluator.terminal().lane(0) {
            return Err(self.over());
        }
        for (role, chosen) in self.chosen(&evaluator)?.into_iter().enumerate() {
            evaluator.choose(0, role, chosen).map_err(|_| self.over())?;
        }
        evaluator.next();
        let mut next = vec![0; position_words(image.fluents())];
        evaluator.store(0, &mut next).map_err(|_| self.over())?;
        Ok(next)
    }

    /// The move of each role.
    fn chosen(&self, evaluator: &Evaluator<'_, '_, OneLane>) -> Result<Vec<usize>, MovesError> {
        let legal: Vec<Vec<usize>> = (0..self.names.roles().len())
            .map(|role| {
                let moves = evaluator.legal_moves(role);
                (0..moves.len()).filter(|number| moves[*number].lane(0)).collect()
            })
            .collect();
        let terms = terms(self.text).ok_or_else(|| self.parentheses())?;
        if terms.len() == legal.len() {
            return (0..legal.len())
                .map(|role| self.find(role, terms[role], &legal[role]))
                .collect();
        }
        let mut choosing = (0..legal.len()).filter(|role| legal[*role].len() > 1);
        match (terms.as_slice(), choosing.next(), choosing.next()) {
            ([term], role, None) => {
                let role = role.unwrap_or(0);
                let chosen = self.find(role, term, &legal[role])?;
                let only = |other: usize| legal[other].first().copied().unwrap_or(0);
                Ok((0..legal.len())
                    .map(|other| if other == role { chosen } else { only(other) })
                    .collect())
            }
            _ => Err(self.count()),
        }
    }

    fn find(&self, role: usize, term: &str, legal: &[usize]) -> Result<usize, MovesError> {
        let names = self.names.moves(role);
        let found = legal.iter().find(|number| plain(&names[**number]) == plain(term));
        found.copied().ok_or_else(|| MovesError::Illegal {
            number: self.number,
            text: term.to_owned(),
            role: self.names.roles()[role].clone(),
            legal: listed(legal.iter().map(|number| names[*number].as_str())),
        })
    }

    fn over(&self) -> MovesError {
        MovesError::Over { number: self.number, text: self.text.to_owned() }
    }

    fn parentheses(&self) -> MovesError {
        MovesError::Parentheses { number: self.number, text: self.text.to_owned() }
    }

    fn count(&self) -> MovesError {
        let roles = self.names.roles().join(", ");
        MovesError::Count { number: self.number, text: self.text.to_owned(), roles }
    }
}

/// A few of the names, and how many more there are.
fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    const SHOWN: usize = 8;
    let more = names.len().saturating_sub(SHOWN);
    let shown: Vec<&str> = names.take(SHOWN).collect();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The same text however it is spaced and capitalised.
fn plain(text: &str) -> String {
    let spaced = text.to_lowercase().replace('(', " ( ").replace(')', " ) ");
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The terms of a text; `None` if its parentheses do not match.
fn terms(text: &str) -> Option<Vec<&str>> {
    let (mut terms, mut depth, mut start) = (Vec::new(), 0_usize, None);
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        let is_between = depth == 0 && character.is_whitespace();
        match (start, is_between) {
            (None, false) => start = Some(at),
            (Some(from), true) => {
                terms.push(&text[from..at]);
                start = None;
            }
            _ => {}
        }
    }
    terms.extend(start.map(|from| &text[from..]));
    (depth == 0).then_some(terms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_cut_at_blanks_outside_parentheses() {
        assert_eq!(terms("(mark 1 (f 2)) noop"), Some(vec!["(mark 1 (f 2))", "noop"]));
        assert_eq!(terms("  a  "), Some(vec!["a"]));
        assert_eq!(terms(""), Some(vec![]));
        assert_eq!(terms("(a"), None);
        assert_eq!(terms("a)"), None);
    }

    #[test]
    fn spaces_and_capitals_do_not_matter() {
        assert_eq!(plain("( Mark 1  2)"), plain("(mark 1 2)"));
        assert_ne!(plain("(mark 12)"), plain("(mark 1 2)"));
    }
}
