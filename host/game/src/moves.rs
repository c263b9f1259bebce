//! Moves as people write them: from one state to another.

use crate::error::MovesError;
use crate::game::Game;
use crate::state::State;

/// The state after joint moves that are separated by semicolons.
pub(crate) fn after(game: &Game, moves: &str) -> Result<State, MovesError> {
    let joints = moves.split(';').map(str::trim).filter(|joint| !joint.is_empty());
    let mut state = game.initial();
    for (index, joint) in joints.enumerate() {
        state = play(&state, index + 1, joint)?;
    }
    Ok(state)
}

/// The state after one joint move, which is the one of this number, from 1.
pub(crate) fn play(state: &State, number: usize, text: &str) -> Result<State, MovesError> {
    let joint = Joint { number, text, state };
    let over = |_| MovesError::Over { number, text: text.to_owned() };
    match state.is_terminal() {
        true => Err(MovesError::Over { number, text: text.to_owned() }),
        false => state.play(&joint.chosen()?).map_err(over),
    }
}

/// One joint move as it was written.
struct Joint<'a> {
    /// From 1.
    number: usize,
    text: &'a str,
    state: &'a State,
}

impl Joint<'_> {
    /// The move of each role.
    fn chosen(&self) -> Result<Vec<u32>, MovesError> {
        let (terms, roles) = (self.terms()?, self.state.game().roles());
        if terms.len() == roles {
            return (0..roles).map(|role| self.find(role, terms[role])).collect();
        }
        match (terms.as_slice(), self.state.mover()) {
            ([term], Some(mover)) => {
                let chosen = self.find(mover, term)?;
                let only = |role: usize| self.state.legal(role).first().copied().unwrap_or(0);
                let of = |role| if role == mover { chosen } else { only(role) };
                Ok((0..roles).map(of).collect())
            }
            _ => Err(self.count()),
        }
    }

    fn terms(&self) -> Result<Vec<&str>, MovesError> {
        let (number, text) = (self.number, self.text);
        let unmatched = || MovesError::Parentheses { number, text: text.to_owned() };
        terms(text).ok_or_else(unmatched)
    }

    fn find(&self, role: usize, term: &str) -> Result<u32, MovesError> {
        let mut legal = self.state.legal(role).iter().zip(self.state.legal_names(role));
        let found = legal.find(|(_, name)| plain(name) == plain(term));
        found.map(|(number, _)| *number).ok_or_else(|| MovesError::Illegal {
            number: self.number,
            text: term.to_owned(),
            role: self.state.game().names().roles()[role].clone(),
            legal: listed(self.state.legal_names(role)),
        })
    }

    fn count(&self) -> MovesError {
        let roles = self.state.game().names().roles().join(", ");
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
