//! The rules of a game, and where it stands.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use ruche_game::{Game, GameError, State, StateError};
use ruche_gdl::Description;
use thiserror::Error;

use crate::interpreter::{Halt, Interpreter, InterpreterError};
use crate::oracle::{Oracle, Told};

/// The rules of a game. Clones are the same rules.
#[derive(Clone, Debug)]
pub struct Rules(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Compiled(Game),
    Interpreted(Arc<Oracle>),
}

/// Why rules say nothing.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RulesError {
    /// They are no game.
    #[error(transparent)]
    Game(#[from] GameError),
    /// They cannot be interpreted.
    #[error(transparent)]
    Interpreter(#[from] InterpreterError),
    /// It would take too much.
    #[error(transparent)]
    Halt(#[from] Halt),
    /// There is no thread for the interpreter.
    #[error("the interpreter has no thread: {0}")]
    Thread(io::Error),
    /// The interpreter has failed, which must not happen.
    #[error("the interpreter does not answer: this is a bug of Ruche; please report the game")]
    Silent,
    /// A joint move is wrong.
    #[error(transparent)]
    State(#[from] StateError),
    /// A move is not legal.
    #[error("`{text}` is not legal for {role}; legal are {legal}")]
    Illegal {
        /// The name of the role.
        role: String,
        /// The move.
        text: String,
        /// What is legal.
        legal: String,
    },
    /// One of several joint moves is wrong.
    #[error("move {number}: {source}")]
    Joint {
        /// Which, from 1.
        number: usize,
        /// Why.
        source: Box<RulesError>,
    },
    /// Parentheses do not match.
    #[error("`{text}`: the parentheses do not match")]
    Parentheses {
        /// The joint move.
        text: String,
    },
    /// There are more or fewer moves than roles.
    #[error("{found} moves for {roles} roles: give one for each")]
    Count {
        /// Roles of the game.
        roles: usize,
        /// Moves that were given.
        found: usize,
    },
}

impl Rules {
    /// Those of a compiled game.
    #[must_use]
    pub fn compiled(game: Game) -> Self {
        Self(Kind::Compiled(game))
    }

    /// Those of a description, which is interpreted.
    ///
    /// # Errors
    /// If that takes too much.
    pub fn interpreted(description: &Description) -> Result<Self, RulesError> {
        Ok(Self(Kind::Interpreted(Arc::new(Oracle::new(Interpreter::new(description)?)?))))
    }

    /// Those of a text in GDL, compiled if its circuit is not too large.
    ///
    /// # Errors
    /// If they are no sound description.
    pub fn load(name: &str, source: &[u8]) -> Result<Self, RulesError> {
        match Game::compile(name, source) {
            Ok(game) => Ok(Self::compiled(game)),
            Err(GameError::Compile { .. }) => Self::interpreted(&Game::describe(name, source)?),
            Err(error) => Err(error.into()),
        }
    }

    /// The compiled game, if it is one.
    #[must_use]
    pub fn game(&self) -> Option<&Game> {
        match &self.0 {
            Kind::Compiled(game) => Some(game),
            Kind::Interpreted(_) => None,
        }
    }

    /// The interpreter, if there is no compiled game.
    #[must_use]
    pub fn interpreter(&self) -> Option<&Interpreter> {
        match &self.0 {
            Kind::Compiled(_) => None,
            Kind::Interpreted(oracle) => Some(oracle.interpreter()),
        }
    }

    /// The roles, in the order of the game.
    #[must_use]
    pub fn roles(&self) -> &[String] {
        match &self.0 {
            Kind::Compiled(game) => game.names().roles(),
            Kind::Interpreted(oracle) => oracle.roles(),
        }
    }

    /// Where the game starts.
    ///
    /// # Errors
    /// If the interpreter needs longer, or more memory than there is.
    pub fn initial(&self, until: Option<Instant>) -> Result<Position, RulesError> {
        let place = match &self.0 {
            Kind::Compiled(game) => Place::Compiled(game.initial()),
            Kind::Interpreted(oracle) => Place::Interpreted(Arc::new(oracle.initial(until)?)),
        };
        Ok(Position { rules: self.clone(), place })
    }

    /// The position after joint moves from the start on.
    ///
    /// # Errors
    /// If a move is not legal, or as [`initial`](Self::initial).
    pub fn after(
        &self,
        joints: &[Vec<String>],
        until: Option<Instant>,
    ) -> Result<Position, RulesError> {
        let start = self.initial(until)?;
        joints.iter().try_fold(start, |position, joint| position.play(joint, until))
    }
}

/// What a joint move is separated by.
const SEPARATOR: char = ';';

impl Rules {
    /// The joint moves that somebody has written, such as `(mark 1 1) noop; noop (mark 2 2)`.
    /// A single move is enough where only one role has a choice.
    ///
    /// # Errors
    /// If one is not legal; the error says which.
    pub fn joints(&self, text: &str) -> Result<Vec<Vec<String>>, RulesError> {
        let mut position = self.initial(None)?;
        let mut joints = Vec::new();
        for (number, part) in (1..).zip(text.split(SEPARATOR).filter(|it| !it.trim().is_empty())) {
            let wrong = |source| RulesError::Joint { number, source: Box::new(source) };
            let joint = position.joint(part).map_err(wrong)?;
            position = position.play(&joint, None).map_err(wrong)?;
            joints.push(joint);
        }
        Ok(joints)
    }
}

/// Where a game stands.
#[derive(Clone, Debug)]
pub struct Position {
    rules: Rules,
    place: Place,
}

#[derive(Clone, Debug)]
enum Place {
    Compiled(State),
    Interpreted(Arc<Told>),
}

impl Position {
    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The state of the compiled game, if it is one.
    #[must_use]
    pub fn state(&self) -> Option<&State> {
        match &self.place {
            Place::Compiled(state) => Some(state),
            Place::Interpreted(_) => None,
        }
    }

    /// Whether the game is over.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        match &self.place {
            Place::Compiled(state) => state.is_terminal(),
            Place::Interpreted(told) => told.is_terminal,
        }
    }

    /// The legal moves of a role.
    ///
    /// # Panics
    /// If there is no such role.
    #[must_use]
    pub fn legal(&self, role: usize) -> Vec<&str> {
        match &self.place {
            Place::Compiled(state) => state.legal_names(role).collect(),
            Place::Interpreted(told) => told.legal[role].iter().map(String::as_str).collect(),
        }
    }

    /// A role that has no legal move although the game is not over.
    #[must_use]
    pub fn stuck_role(&self) -> Option<usize> {
        let mut roles = 0..self.rules.roles().len();
        roles.find(|role| !self.is_terminal() && self.legal(*role).is_empty())
    }

    /// The goals of each role if the game is over: one each in a sound game.
    #[must_use]
    pub fn goals(&self) -> Option<Vec<Vec<u16>>> {
        let goals = || match &self.place {
            Place::Compiled(state) => {
                (0..self.rules.roles().len()).map(|role| state.goals_of(role).to_vec()).collect()
            }
            Place::Interpreted(told) => told.goals.clone(),
        };
        self.is_terminal().then(goals)
    }

    /// The fluents that hold, sorted.
    #[must_use]
    pub fn fluents(&self) -> Vec<&str> {
        match &self.place {
            Place::Compiled(state) => state.fluents(),
            Place::Interpreted(told) => told.fluents.iter().map(String::as_str).collect(),
        }
    }

    /// The legal move that somebody means: of this text, or else the only one that differs
    /// from it by capitals alone.
    #[must_use]
    pub fn meant(&self, role: usize, text: &str) -> Option<&str> {
        let legal = self.legal(role);
        if let Some(exact) = legal.iter().find(|each| **each == text) {
            return Some(exact);
        }
        let mut alike = legal.into_iter().filter(|each| each.eq_ignore_ascii_case(text));
        alike.next().filter(|_| alike.next().is_none())
    }

    /// The position after a joint move: a text for each role.
    ///
    /// # Errors
    /// If a move is not legal, or the interpreter needs too long.
    pub fn play(&self, joint: &[String], until: Option<Instant>) -> Result<Self, RulesError> {
        let joint = self.spelled(joint)?;
        let place = match (&self.place, &self.rules.0) {
            (Place::Compiled(state), Kind::Compiled(game)) => {
                let number = |(role, text): (usize, &String)| {
                    game.names().find_move(role, text).map(|number| number as u32)
                };
                let numbers: Option<Vec<u32>> = joint.iter().enumerate().map(number).collect();
                Place::Compiled(state.play(&numbers.unwrap_or_default())?)
            }
            (Place::Interpreted(told), Kind::Interpreted(oracle)) => {
                if told.is_terminal {
                    return Err(StateError::Over.into());
                }
                Place::Interpreted(Arc::new(oracle.after(told, &joint, until)?))
            }
            _ => return Err(RulesError::Silent),
        };
        Ok(Self { rules: self.rules.clone(), place })
    }

    /// The moves of a text: one for each role, or only that of the one role that has a
    /// choice.
    ///
    /// # Errors
    /// If there are too many or too few.
    pub fn joint(&self, text: &str) -> Result<Vec<String>, RulesError> {
        let parentheses = || RulesError::Parentheses { text: text.trim().to_owned() };
        let moves: Vec<String> =
            terms(text).ok_or_else(parentheses)?.into_iter().map(str::to_owned).collect();
        let roles = self.rules.roles().len();
        let choosing: Vec<usize> = (0..roles).filter(|role| self.legal(*role).len() > 1).collect();
        match (&moves[..], &choosing[..]) {
            ([single], [_] | []) if roles > 1 => {
                let mover = choosing.first().copied().unwrap_or(0);
                let forced =
                    |role| self.legal(role).first().map_or(String::new(), |it| (*it).to_owned());
                let of = |role| if role == mover { single.clone() } else { forced(role) };
                Ok((0..roles).map(of).collect())
            }
            _ if moves.len() == roles => Ok(moves),
            _ => Err(RulesError::Count { roles, found: moves.len() }),
        }
    }

    /// The moves as the game spells them.
    fn spelled(&self, joint: &[String]) -> Result<Vec<String>, RulesError> {
        let roles = self.rules.roles();
        if roles.len() != joint.len() {
            return Err(RulesError::Count { roles: roles.len(), found: joint.len() });
        }
        let spell = |(role, text): (usize, &String)| {
            let meant = self.meant(role, text).map(str::to_owned);
            let error = || {
                let legal = self.legal(role);
                let shown = legal[..legal.len().min(MOST_LISTED)].join(", ");
                let more = if legal.len() > MOST_LISTED { ", …" } else { "" };
                let (role, text) = (roles[role].clone(), text.clone());
                RulesError::Illegal { role, text, legal: shown + more }
            };
            meant.ok_or_else(error)
        };
        joint.iter().enumerate().map(spell).collect()
    }
}

/// Legal moves that an error lists at most.
const MOST_LISTED: usize = 40;

/// Terms that stand in a row, if their parentheses match.
fn terms(text: &str) -> Option<Vec<&str>> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0_usize, None);
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        match letter {
            '(' => {
                start = start.or(Some(at));
                depth += 1;
            }
            ')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    found.push(&text[start.take()?..=at]);
                }
            }
            _ if depth > 0 => {}
            letter if letter.is_whitespace() => {
                found.extend(start.take().map(|from| &text[from..at]));
            }
            _ => start = start.or(Some(at)),
        }
    }
    (depth == 0).then_some(found)
}
