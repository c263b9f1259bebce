//! Random small games: well-formed, safe and stratified by construction, and
//! full of what descriptions can contain. They shrink rule by rule and
//! condition by condition.
//!
//! All numbers in a [`RandomGame`] are taken modulo what there is to choose
//! from, and what is not allowed in its place is left out. So every value is a
//! game, whatever shrinking does to it.

mod render;
mod strategy;

pub use strategy::random_game;

use std::fmt;

/// A relation, function or move is named by its kind and number.
type Number = usize;

/// A whole game. It prints as its text, so that a failure shows what to compile.
#[derive(Clone)]
pub struct RandomGame {
    /// How many roles there are.
    pub roles: usize,
    /// How many constants there are.
    pub constants: usize,
    /// The numbers of arguments of the fluents.
    pub fluents: Vec<usize>,
    /// The numbers of arguments of the moves.
    pub moves: Vec<usize>,
    /// The facts.
    pub facts: Vec<Relation>,
    /// The numbers of arguments of the relations that depend on the state.
    pub views: Vec<usize>,
    /// The numbers of arguments of the relations that depend on the moves.
    pub effects: Vec<usize>,
    /// The initial state: fluents with arguments.
    pub initial: Vec<(Number, [Number; 2])>,
    /// The rules.
    pub rules: Vec<Rule>,
    /// Whether `base` and `input` are declared.
    pub declared: bool,
}

impl fmt::Debug for RandomGame {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text())
    }
}

/// A relation that is given by facts.
#[derive(Clone, Debug)]
pub struct Relation {
    /// The number of arguments.
    pub arity: usize,
    /// The facts.
    pub rows: Vec<[Number; 2]>,
}

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What follows.
    pub head: Head,
    /// From all of these.
    pub body: Vec<Condition>,
    /// Whether what binds leftover variables stands first or last.
    pub bind_first: bool,
}

/// Variable or constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A variable.
    Variable(Number),
    /// A constant.
    Constant(Number),
}

/// As many arguments as the relation has are used.
pub type Arguments = [Argument; 2];

/// The head of a rule.
#[derive(Clone, Debug)]
pub enum Head {
    /// A move of a role becomes legal.
    Legal(Number, Number, Arguments),
    /// A fluent holds next.
    Next(Number, Arguments),
    /// Every fluent that holds still holds next.
    NextAll,
    /// A relation on the state.
    View(Number, Arguments),
    /// A relation on state and moves.
    Effect(Number, Arguments),
    /// A goal value of a role.
    Goal(Number, Number),
    /// The game is over.
    Terminal,
}

/// A condition in a body.
#[derive(Clone, Debug)]
pub enum Condition {
    /// A fluent holds.
    Fluent(Number, Arguments),
    /// Some fluent holds.
    AnyFluent,
    /// A fact.
    Fact(Number, Arguments),
    /// A relation on the state.
    View(Number, Arguments),
    /// A relation on state and moves; only where moves are known.
    Effect(Number, Arguments),
    /// A role makes a move; only where moves are known.
    Does(Number, Number, Arguments),
    /// Some role makes the move.
    DoesAnyone(Number, Arguments),
    /// The role makes a move that is legal, whichever it is.
    DoesAnything(Number),
    /// A move is legal; not in the rules of `legal` and what it depends on.
    Legal(Number, Number, Arguments),
    /// The game is over; only in goals.
    Terminal,
    /// Two terms differ.
    Distinct(Argument, Argument),
    /// The condition does not hold.
    Not(Box<Condition>),
    /// One of the conditions holds.
    Or(Vec<Condition>),
}
