//! Rules in the form that the grounder works on: no `or`, no nested `not`,
//! variables numbered per rule, ground subterms interned.

use crate::front::terms::{TermId, Terms};
use ruche_gdl::{Place, Symbol};

/// Index of a predicate: a relation name with a number of arguments.
pub type PredicateId = u32;

/// The predicates that every game has, in the order of their numbers.
pub const KEYWORD_PREDICATES: [(Symbol, usize); 10] = [
    (Symbol::TRUE, 1),
    (Symbol::DOES, 2),
    (Symbol::NEXT, 1),
    (Symbol::LEGAL, 2),
    (Symbol::INIT, 1),
    (Symbol::ROLE, 1),
    (Symbol::GOAL, 2),
    (Symbol::TERMINAL, 0),
    (Symbol::BASE, 1),
    (Symbol::INPUT, 2),
];
/// `true`
pub const TRUE: PredicateId = 0;
/// `does`
pub const DOES: PredicateId = 1;
/// `next`
pub const NEXT: PredicateId = 2;
/// `legal`
pub const LEGAL: PredicateId = 3;
/// `init`
pub const INIT: PredicateId = 4;
/// `role`
pub const ROLE: PredicateId = 5;
/// `goal`
pub const GOAL: PredicateId = 6;
/// `terminal`
pub const TERMINAL: PredicateId = 7;

/// A term with variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Pattern {
    /// A variable of the rule.
    Variable(u32),
    /// A ground term.
    Ground(TermId),
    /// A function with at least one variable below it.
    Compound(Symbol, Vec<Pattern>),
}

/// A predicate applied to patterns.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Literal {
    /// The predicate.
    pub predicate: PredicateId,
    /// Its arguments.
    pub arguments: Vec<Pattern>,
}

/// A condition on two terms that needs no relation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Test {
    /// One term.
    pub left: Pattern,
    /// The other.
    pub right: Pattern,
    /// Whether they must be equal (`not distinct`) or must differ.
    pub equal: bool,
}

/// One rule.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rule {
    /// What follows.
    pub head: Literal,
    /// Atoms that must hold.
    pub positive: Vec<Literal>,
    /// Atoms that must not hold.
    pub negative: Vec<Literal>,
    /// Terms that must differ or be equal.
    pub tests: Vec<Test>,
    /// Number of variables; they are `0..variables`.
    pub variables: u32,
    /// Where the rule stands in the source.
    pub place: Place,
}

/// What a predicate is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Named in the description.
    Named,
    /// Made by the compiler to split a rule.
    Auxiliary,
    /// Made by the compiler: the values that a variable can take. It only
    /// narrows joins; in the circuit it is always true.
    Domain,
}

/// A predicate.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// For messages: `cell/3`.
    pub name: String,
    /// Number of arguments.
    pub arity: usize,
    /// What it is for.
    pub kind: Kind,
}

/// A whole game in normal form.
pub struct Program {
    /// The predicates.
    pub predicates: Vec<Predicate>,
    /// The rules.
    pub rules: Vec<Rule>,
    /// All ground terms.
    pub terms: Terms,
}

impl Pattern {
    /// Calls `visit` for each variable, with repetitions.
    pub fn for_each_variable(&self, visit: &mut dyn FnMut(u32)) {
        match self {
            Pattern::Variable(variable) => visit(*variable),
            Pattern::Ground(_) => {}
            Pattern::Compound(_, arguments) => {
                arguments.iter().for_each(|a| a.for_each_variable(visit));
            }
        }
    }
}

impl Literal {
    /// Calls `visit` for each variable, with repetitions.
    pub fn for_each_variable(&self, visit: &mut dyn FnMut(u32)) {
        self.arguments.iter().for_each(|a| a.for_each_variable(visit));
    }
}

impl Test {
    /// Calls `visit` for each variable, with repetitions.
    pub fn for_each_variable(&self, visit: &mut dyn FnMut(u32)) {
        self.left.for_each_variable(visit);
        self.right.for_each_variable(visit);
    }
}

impl Program {
    /// Adds a predicate of the compiler's own.
    pub fn add_predicate(&mut self, name: String, arity: usize, kind: Kind) -> PredicateId {
        self.predicates.push(Predicate { name, arity, kind });
        (self.predicates.len() - 1) as PredicateId
    }
}
