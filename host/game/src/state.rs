//! A position of a game, and where it leads.

use std::fmt;

use ruche_eval::{Evaluator, OneLane, Word};

use crate::error::{MovesError, StateError};
use crate::game::Game;
use crate::moves;

/// A state: what holds, what may be done, whether the game is over.
///
/// It is computed once, by the same evaluator that plays on a cluster. Moves are known by
/// their numbers among those of their role; [`Names`](crate::Names) has their texts.
#[derive(Clone)]
pub struct State {
    game: Game,
    position: Box<[u32]>,
    is_terminal: bool,
    /// For each role the numbers of its legal moves.
    legal: Vec<Vec<u32>>,
    /// For each role the goals that it has, if the game is over; one in a sound game.
    goals: Vec<Vec<u16>>,
}

impl State {
    /// The state of a position, which has the length of the game's positions.
    pub(crate) fn new(game: &Game, position: Box<[u32]>) -> Self {
        let mut slots = vec![OneLane::ZERO; game.image().slots()];
        let mut evaluator = evaluator(game, &mut slots, &position);
        evaluator.legal();
        let is_terminal = evaluator.terminal().lane(0);
        let legal = (0..game.roles()).map(|role| legal_of(&evaluator, role)).collect();
        let mut goals = vec![Vec::new(); game.roles()];
        if is_terminal {
            evaluator.goal();
            for (role, goals) in goals.iter_mut().enumerate() {
                goals.extend(evaluator.goals(0, role));
            }
        }
        Self { game: game.clone(), position, is_terminal, legal, goals }
    }

    /// The game.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The fluents, packed as clusters and trees take them.
    #[must_use]
    pub fn position(&self) -> &[u32] {
        &self.position
    }

    /// Whether the game is over.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// The numbers of a role's legal moves, ascending.
    ///
    /// # Panics
    /// If there is no such role.
    #[must_use]
    pub fn legal(&self, role: usize) -> &[u32] {
        &self.legal[role]
    }

    /// The texts of a role's legal moves.
    ///
    /// # Panics
    /// If there is no such role.
    pub fn legal_names(&self, role: usize) -> impl ExactSizeIterator<Item = &str> {
        let names = self.game.names().moves(role);
        self.legal[role].iter().map(|number| names[*number as usize].as_str())
    }

    /// A role that has no legal move although the game is not over: from here the game
    /// cannot go on.
    #[must_use]
    pub fn stuck_role(&self) -> Option<usize> {
        self.legal.iter().position(Vec::is_empty).filter(|_| !self.is_terminal)
    }

    /// The only role that has a choice, if not several have; the first one if none has.
    #[must_use]
    pub fn mover(&self) -> Option<usize> {
        let mut choosing = (0..self.legal.len()).filter(|role| self.legal[*role].len() > 1);
        let mover = choosing.next().unwrap_or(0);
        choosing.next().is_none().then_some(mover)
    }

    /// The goal of each role, if the game is over and each has exactly one.
    #[must_use]
    pub fn goals(&self) -> Option<Vec<u16>> {
        let only = |goals: &Vec<u16>| if let [goal] = goals[..] { Some(goal) } else { None };
        self.goals.iter().map(only).collect()
    }

    /// All goals that a role has where the game is over: one in a sound game.
    ///
    /// # Panics
    /// If there is no such role.
    #[must_use]
    pub fn goals_of(&self, role: usize) -> &[u16] {
        &self.goals[role]
    }

    /// The fluents that hold, by name, sorted.
    #[must_use]
    pub fn fluents(&self) -> Vec<&str> {
        self.game.names().true_in(&self.position)
    }

    /// Whether a fluent holds, by name.
    #[must_use]
    pub fn holds(&self, fluent: &str) -> bool {
        self.game.names().holds(fluent, &self.position)
    }

    /// The state after a joint move: the number of a legal move for each role.
    ///
    /// # Errors
    /// If the game is over, or a move is not legal.
    pub fn play(&self, joint: &[u32]) -> Result<Self, StateError> {
        self.check(joint)?;
        let game = &self.game;
        let mut slots = vec![OneLane::ZERO; game.image().slots()];
        let mut evaluator = evaluator(game, &mut slots, &self.position);
        evaluator.legal();
        for (role, number) in joint.iter().enumerate() {
            evaluator.choose(0, role, *number as usize).expect("the move was found to be legal");
        }
        evaluator.next();
        let mut next: Box<[u32]> = self.position.clone();
        evaluator.store(0, &mut next).expect("positions of a game are of one length");
        Ok(Self::new(game, next))
    }

    fn check(&self, joint: &[u32]) -> Result<(), StateError> {
        let (roles, found) = (self.legal.len(), joint.len());
        if self.is_terminal {
            return Err(StateError::Over);
        }
        if roles != found {
            return Err(StateError::Count { roles, found });
        }
        for (role, number) in joint.iter().enumerate() {
            if self.legal[role].binary_search(number).is_err() {
                let role = self.game.names().roles()[role].clone();
                return Err(StateError::Illegal { role, number: *number });
            }
        }
        Ok(())
    }

    /// The state after a joint move as people write it: a move for each role, or only
    /// that of the one role that has a choice.
    ///
    /// # Errors
    /// If it is not legal; the error says what is.
    pub fn play_named(&self, joint: &str) -> Result<Self, MovesError> {
        moves::play(self, 1, joint)
    }
}

/// An evaluator with a position in its only lane.
fn evaluator<'a>(
    game: &'a Game,
    slots: &'a mut [OneLane],
    position: &[u32],
) -> Evaluator<'a, 'a, OneLane> {
    let mut evaluator = Evaluator::new(game.image(), slots).expect("there is a word for each slot");
    evaluator.load(0, position).expect("the length was checked");
    evaluator
}

fn legal_of(evaluator: &Evaluator<'_, '_, OneLane>, role: usize) -> Vec<u32> {
    let moves = evaluator.legal_moves(role);
    (0..moves.len() as u32).filter(|number| moves[*number as usize].lane(0)).collect()
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.game.image().checksum() == other.game.image().checksum()
            && self.position == other.position
    }
}

impl Eq for State {}

impl fmt::Debug for State {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "State({:?}, {})", self.game, self.fluents().join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_checked_and_lead_on() {
        let game = Game::bundled("tictactoe").unwrap();
        let start = game.initial();
        assert_eq!(start.mover(), Some(0));
        assert_eq!((start.legal(0).len(), start.legal(1).len()), (9, 1));
        let joint = [start.legal(0)[4], start.legal(1)[0]];
        let next = start.play(&joint).unwrap();
        assert_eq!((next.legal(0).len(), next.legal(1).len()), (1, 8));
        assert!(next.holds("(cell 2 2 x)") && !next.holds("(cell 2 2 b)"));
        assert_eq!(start.play_named("(mark 2 2)").unwrap(), next);
        assert_eq!(start.play(&joint[..1]), Err(StateError::Count { roles: 2, found: 1 }));
        let illegal = next.play(&[joint[0], next.legal(1)[0]]);
        assert!(matches!(illegal, Err(StateError::Illegal { .. })), "{illegal:?}");
    }

    #[test]
    fn goals_are_there_when_the_game_is_over() {
        let game = Game::bundled("tictactoe").unwrap();
        let line = "(mark 1 1); (mark 2 1); (mark 1 2); (mark 2 2); (mark 1 3)";
        let end = game.after(line).unwrap();
        assert!(end.is_terminal());
        assert_eq!(end.goals(), Some(vec![100, 0]));
        assert_eq!(end.play(&[0, 0]), Err(StateError::Over));
        assert_eq!(game.initial().goals(), None);
        assert_eq!(end.stuck_role(), None);
    }

    #[test]
    fn positions_of_other_games_are_refused() {
        let (one, other) = (Game::bundled("hex").unwrap(), Game::bundled("nim").unwrap());
        assert!(one.state(other.initial().position()).is_err());
        assert_eq!(one.state(one.initial().position()).unwrap(), one.initial());
    }

    #[test]
    fn a_role_without_a_move_is_named() {
        let rules = b"(role a) (role b) (init s) (legal a go) (next s) (<= (legal b no) (true x))
            (<= (next x) (true x)) (<= terminal (true x)) (goal a 1) (goal b 1)";
        let game = Game::compile("stuck", rules).unwrap();
        assert_eq!(game.initial().stuck_role(), Some(1));
    }
}
