//! Plays by the rules as they are written, without compiling them: slower by orders of
//! magnitude, but for games whose circuit would be too large, and from the first moment on.

mod facts;
mod order;
mod program;
mod prover;
mod terms;

use std::sync::Arc;
use std::time::Instant;

use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use ruche_gdl::{Description, Place, Symbol};
use thiserror::Error;

use program::{Program, Relation};
use prover::Prover;
use terms::{Terms, Value};

/// Why a description cannot be interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InterpreterError {
    /// Its `or`s multiply.
    #[error("the rule at {place} has too many branches: give some of its `or`s a name")]
    Branches {
        /// Where it stands.
        place: Place,
    },
}

/// Why something was not found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Halt {
    /// The time is over.
    #[error("the rules take longer to interpret than there is time")]
    Late,
    /// Rules lead to rules without an end in sight.
    #[error("the rules lead to each other too deeply to be interpreted")]
    Deep,
    /// More follows than can be kept.
    #[error("more follows from the rules than can be kept in memory")]
    Large,
}

/// A description that can be played.
#[derive(Clone, Debug)]
pub struct Interpreter {
    program: Arc<Program>,
    terms: Terms,
    keywords: Keywords,
}

#[derive(Clone, Copy, Debug)]
struct Keywords {
    role: Relation,
    init: Relation,
    state: Relation,
    does: Relation,
    legal: Relation,
    next: Relation,
    goal: Relation,
    terminal: Relation,
}

impl Interpreter {
    /// Takes a checked description.
    ///
    /// # Errors
    /// If a rule has far too many branches.
    pub fn new(description: &Description) -> Result<Self, InterpreterError> {
        let mut terms = Terms::new(description.symbols.clone());
        let mut program = Program::new(description, &mut terms)?;
        let mut relation = |name, arity| program.relation(name, arity);
        let keywords = Keywords {
            role: relation(Symbol::ROLE, 1),
            init: relation(Symbol::INIT, 1),
            state: relation(Symbol::TRUE, 1),
            does: relation(Symbol::DOES, 2),
            legal: relation(Symbol::LEGAL, 2),
            next: relation(Symbol::NEXT, 1),
            goal: relation(Symbol::GOAL, 2),
            terminal: relation(Symbol::TERMINAL, 0),
        };
        Ok(Self { program: Arc::new(program), terms, keywords })
    }

    /// Somebody who knows the rules, on this thread. Its stack should be [`STACK`] bytes
    /// long: rules lead to rules.
    ///
    /// # Errors
    /// If the roles cannot be found out.
    pub fn session(&self) -> Result<Session, Halt> {
        let Keywords { state, does, role, .. } = self.keywords;
        let program = Arc::clone(&self.program);
        let mut prover = Prover::new(program, self.terms.clone(), state, does);
        let rows = prover.ask(role, [None].into())?;
        let roles = rows.iter().map(|row| row[0]).collect();
        Ok(Session { prover, keywords: self.keywords, roles })
    }
}

/// The stack that a session needs; only what is used of it is taken.
pub const STACK: usize = 256 << 20;

/// A state: terms of one session.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Snapshot(Vec<Value>);

/// A move: a term of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Action(Value);

/// Somebody who knows the rules and answers one question after the other.
pub struct Session {
    prover: Prover,
    keywords: Keywords,
    roles: Vec<Value>,
}

impl Session {
    /// Until when questions are answered.
    pub fn set_deadline(&mut self, until: Option<Instant>) {
        self.prover.until = until;
    }

    /// The names of the roles, in their order.
    #[must_use]
    pub fn roles(&self) -> Vec<String> {
        self.roles.iter().map(|role| self.prover.terms.text(*role)).collect()
    }

    /// The state in which the game begins.
    ///
    /// # Errors
    /// If it takes too much.
    pub fn initial(&mut self) -> Result<Snapshot, Halt> {
        self.column(self.keywords.init)
    }

    /// The state of these fluents; those that are no terms are left out.
    pub fn read(&mut self, fluents: &[String]) -> Snapshot {
        let read = fluents.iter().filter_map(|text| self.prover.terms.read(text));
        let mut values: Vec<Value> = read.collect();
        values.sort_unstable();
        Snapshot(values)
    }

    /// The fluents of a state, sorted.
    #[must_use]
    pub fn fluents(&self, state: &Snapshot) -> Vec<String> {
        let mut texts: Vec<String> =
            state.0.iter().map(|value| self.prover.terms.text(*value)).collect();
        texts.sort();
        texts
    }

    /// The move of a text, if it is a term.
    pub fn action(&mut self, text: &str) -> Option<Action> {
        self.prover.terms.read(text).map(Action)
    }

    /// The text of a move.
    #[must_use]
    pub fn text(&self, action: Action) -> String {
        self.prover.terms.text(action.0)
    }

    /// All further questions are about this state.
    pub fn enter(&mut self, state: &Snapshot) {
        self.prover.set_state(&state.0);
    }

    /// Whether the game is over.
    ///
    /// # Errors
    /// If it takes too much.
    pub fn is_terminal(&mut self) -> Result<bool, Halt> {
        Ok(!self.prover.ask(self.keywords.terminal, [].into())?.is_empty())
    }

    /// The legal moves of a role.
    ///
    /// # Errors
    /// If it takes too much.
    pub fn legal(&mut self, role: usize) -> Result<Vec<Action>, Halt> {
        let known = [Some(self.roles[role]), None].into();
        let rows = self.prover.ask(self.keywords.legal, known)?;
        Ok(rows.iter().map(|row| Action(row[1])).collect())
    }

    /// The goals of a role.
    ///
    /// # Errors
    /// If it takes too much.
    pub fn goals(&mut self, role: usize) -> Result<Vec<u16>, Halt> {
        let known = [Some(self.roles[role]), None].into();
        let rows = self.prover.ask(self.keywords.goal, known)?;
        let goal = |value: Value| self.prover.terms.text(value).parse().ok();
        Ok(rows.iter().filter_map(|row| goal(row[1])).collect())
    }

    /// The state after a joint move. Further questions are about no state until one is
    /// entered.
    ///
    /// # Errors
    /// If it takes too much.
    pub fn next(&mut self, joint: &[Action]) -> Result<Snapshot, Halt> {
        let rows = self.roles.iter().zip(joint).map(|(role, action)| [*role, action.0]);
        self.prover.set_moves(rows);
        self.column(self.keywords.next)
    }

    /// The goals at the end of a random game from here; those of the state that it comes
    /// to in this many plies, if it does not end before.
    ///
    /// # Errors
    /// If it takes too much, or a role has no move.
    pub fn playout(
        &mut self,
        from: &Snapshot,
        plies: usize,
        random: &mut Pcg64Mcg,
    ) -> Result<Vec<Option<u16>>, Halt> {
        let mut state = from.clone();
        for _ in 0..plies {
            self.enter(&state);
            if self.is_terminal()? {
                break;
            }
            let Some(joint) = self.draw(random)? else { break };
            state = self.next(&joint)?;
        }
        self.enter(&state);
        (0..self.roles.len()).map(|role| Ok(only(&self.goals(role)?))).collect()
    }

    /// A legal move for each role, if each has one.
    ///
    /// # Errors
    /// If it takes too much.
    pub fn draw(&mut self, random: &mut Pcg64Mcg) -> Result<Option<Vec<Action>>, Halt> {
        let mut joint = Vec::with_capacity(self.roles.len());
        for role in 0..self.roles.len() {
            let legal = self.legal(role)?;
            if legal.is_empty() {
                return Ok(None);
            }
            joint.push(legal[random.random_range(0..legal.len())]);
        }
        Ok(Some(joint))
    }

    fn column(&mut self, relation: Relation) -> Result<Snapshot, Halt> {
        let rows = self.prover.ask(relation, [None].into())?;
        let mut values: Vec<Value> = rows.iter().map(|row| row[0]).collect();
        values.sort_unstable();
        values.dedup();
        Ok(Snapshot(values))
    }
}

/// The goal of a role that has exactly one.
fn only(goals: &[u16]) -> Option<u16> {
    if let [goal] = goals { Some(*goal) } else { None }
}
