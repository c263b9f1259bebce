//! Where a match stands, by the messages of its manager: some come twice, some late, some
//! never.

use std::time::Instant;

use ruche_rules::{Position, Rules, RulesError};

/// What a message about moves was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// The match goes on.
    New {
        /// Whether the manager has played something else for us than was answered.
        is_replaced: bool,
    },
    /// It was heard before.
    Again,
    /// It fits to nothing that is known.
    Odd,
}

/// The moves of a match as far as they are known.
#[derive(Debug)]
pub(crate) struct Ledger {
    position: Position,
    role: usize,
    joints: Vec<Vec<String>>,
    /// How many joint moves led to the position.
    applied: usize,
    is_asked: bool,
    answer: Option<String>,
}

/// Joint moves that are tried where one was missed.
const MOST_TRIED: usize = 20_000;

impl Ledger {
    pub fn new(position: Position, role: usize) -> Self {
        Self { position, role, joints: Vec::new(), applied: 0, is_asked: false, answer: None }
    }

    /// The number of joint moves.
    pub fn turn(&self) -> usize {
        self.joints.len()
    }

    pub fn role(&self) -> usize {
        self.role
    }

    /// Where the match stands, or stood when the rules were last quick enough to say.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Whether the position is that of the last move.
    pub fn is_current(&self) -> bool {
        self.applied == self.joints.len()
    }

    /// What is answered in this turn, from now on.
    pub fn set_answer(&mut self, text: String) -> &str {
        self.answer.get_or_insert(text)
    }

    /// What was answered in this turn.
    pub fn answer(&self) -> Option<&str> {
        self.answer.as_deref()
    }

    /// Takes in the moves of a message.
    pub fn hear(&mut self, moves: Option<&[String]>, until: Instant) -> Heard {
        let Some(moves) = moves else { return self.hear_first() };
        let is_last = self.joints.last().is_some_and(|last| is_same(last, moves));
        // Whoever has no answer yet asks again; whoever has one goes on with it.
        if is_last && self.is_asked && self.answer.is_none() {
            return Heard::Again;
        }
        let _ = self.catch_up(until);
        if !self.is_current() && moves.len() == self.position.rules().roles().len() {
            // Nobody can say whether they are legal.
            return self.advance(moves);
        }
        match self.position.play(moves, Some(until)) {
            Ok(next) => {
                let heard = self.advance(moves);
                (self.position, self.applied) = (next, self.joints.len());
                heard
            }
            Err(RulesError::Halt(_)) => self.advance(moves),
            Err(_) if is_last => Heard::Again,
            Err(_) => self.bridge(moves, until),
        }
    }

    fn hear_first(&mut self) -> Heard {
        if self.is_asked || !self.joints.is_empty() {
            return Heard::Again;
        }
        self.is_asked = true;
        Heard::New { is_replaced: false }
    }

    fn advance(&mut self, moves: &[String]) -> Heard {
        let answer = self.answer.take();
        let is_replaced = answer.is_some_and(|answer| {
            moves.get(self.role).is_some_and(|played| !played.eq_ignore_ascii_case(&answer))
        });
        self.joints.push(moves.to_vec());
        self.is_asked = true;
        Heard::New { is_replaced }
    }

    /// A message was missed: looks for a joint move after which these moves are legal.
    fn bridge(&mut self, moves: &[String], until: Instant) -> Heard {
        let missed = joint_moves(&self.position, MOST_TRIED).into_iter().find_map(|joint| {
            if Instant::now() >= until {
                return None;
            }
            let between = self.position.play(&joint, Some(until)).ok()?;
            let next = between.play(moves, Some(until)).ok()?;
            Some((joint, next))
        });
        let Some((joint, next)) = missed else { return Heard::Odd };
        self.advance(&joint);
        self.advance(moves);
        (self.position, self.applied) = (next, self.joints.len());
        Heard::New { is_replaced: true }
    }

    /// Plays moves for which there was no time before.
    pub fn catch_up(&mut self, until: Instant) -> Result<(), RulesError> {
        while self.applied < self.joints.len() {
            self.position = self.position.play(&self.joints[self.applied], Some(until))?;
            self.applied += 1;
        }
        Ok(())
    }

    /// Goes on with other rules of the same game.
    ///
    /// # Errors
    /// If they say something else: nothing changes then.
    pub fn change_rules(&mut self, rules: &Rules) -> Result<(), RulesError> {
        self.position = rules.after(&self.joints, None)?;
        self.applied = self.joints.len();
        Ok(())
    }
}

fn is_same(one: &[String], other: &[String]) -> bool {
    let mut pairs = one.iter().zip(other);
    one.len() == other.len() && pairs.all(|(one, other)| one.eq_ignore_ascii_case(other))
}

/// All joint moves of a position, or as many.
fn joint_moves(position: &Position, most: usize) -> Vec<Vec<String>> {
    let mut joints: Vec<Vec<String>> = vec![Vec::new()];
    for role in 0..position.rules().roles().len() {
        let legal = position.legal(role);
        let longer = joints.iter().flat_map(|joint| {
            legal.iter().map(|text| joint.iter().cloned().chain([(*text).to_owned()]).collect())
        });
        joints = longer.take(most).collect();
    }
    joints
}

#[cfg(test)]
mod tests {
    use super::*;
    use ruche_game::Game;
    use std::time::Duration;

    fn ledger(game: &str) -> Ledger {
        let rules = Rules::compiled(Game::bundled(game).unwrap());
        Ledger::new(rules.initial(None).unwrap(), 0)
    }

    fn hear(ledger: &mut Ledger, moves: &[&str]) -> Heard {
        let moves: Vec<String> = moves.iter().map(|text| (*text).to_owned()).collect();
        let moves = Some(moves).filter(|moves| !moves.is_empty());
        ledger.hear(moves.as_deref(), Instant::now() + Duration::from_secs(60))
    }

    const NEW: Heard = Heard::New { is_replaced: false };

    #[test]
    fn what_comes_twice_is_heard_once() {
        let mut ledger = ledger("tictactoe");
        assert_eq!([hear(&mut ledger, &[]), hear(&mut ledger, &[])], [NEW, Heard::Again]);
        ledger.set_answer("(mark 1 1)".to_owned());
        assert_eq!(hear(&mut ledger, &["(mark 1 1)", "noop"]), NEW);
        assert_eq!(hear(&mut ledger, &["(mark 1 1)", "noop"]), Heard::Again);
        ledger.set_answer("noop".to_owned());
        assert_eq!(hear(&mut ledger, &["(mark 1 1)", "noop"]), Heard::Again);
        assert_eq!(hear(&mut ledger, &[]), Heard::Again);
        assert_eq!((ledger.turn(), ledger.answer()), (1, Some("noop")));
    }

    #[test]
    fn a_move_that_was_replaced_is_noticed() {
        let mut ledger = ledger("tictactoe");
        hear(&mut ledger, &[]);
        ledger.set_answer("(mark 1 1)".to_owned());
        let heard = hear(&mut ledger, &["(MARK 2 2)", "NOOP"]);
        assert_eq!(heard, Heard::New { is_replaced: true });
        assert!(ledger.position().fluents().contains(&"(cell 2 2 x)"));
    }

    #[test]
    fn a_message_that_was_missed_is_bridged() {
        let mut ledger = ledger("tictactoe");
        hear(&mut ledger, &[]);
        ledger.set_answer("(mark 1 1)".to_owned());
        let heard = hear(&mut ledger, &["noop", "(mark 3 3)"]);
        assert_eq!((heard, ledger.turn()), (Heard::New { is_replaced: true }, 2));
        assert!(ledger.position().fluents().contains(&"(cell 3 3 o)"));
    }

    #[test]
    fn what_fits_to_nothing_changes_nothing() {
        let mut ledger = ledger("tictactoe");
        hear(&mut ledger, &[]);
        assert_eq!(hear(&mut ledger, &["(fly)", "noop"]), Heard::Odd);
        assert_eq!(hear(&mut ledger, &["noop"]), Heard::Odd);
        assert_eq!(ledger.turn(), 0);
    }
}
