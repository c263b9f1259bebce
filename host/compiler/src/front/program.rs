//! Rules in the form that the grounder works on: no `or`, no nested `not`,
//! variables numbered per rule, ground subterms interned.

use crate::front::terms::{TermId, Terms};
use crate::graph::Graph;
use crate::index::{IndexVec, define_index};
use ruche_gdl::{Place, Symbol};

define_index! {
    /// A predicate: a relation name with a number of arguments.
    pub(crate) struct PredicateId;
    /// A variable of a rule.
    pub(crate) struct VariableId;
    /// A rule of a program.
    pub(crate) struct RuleId;
}

/// The predicates that every game has, in the order of their numbers.
pub(crate) const KEYWORD_PREDICATES: [(Symbol, usize); 10] = [
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
pub(crate) const TRUE: PredicateId = PredicateId(0);
/// `does`
pub(crate) const DOES: PredicateId = PredicateId(1);
/// `next`
pub(crate) const NEXT: PredicateId = PredicateId(2);
/// `legal`
pub(crate) const LEGAL: PredicateId = PredicateId(3);
/// `init`
pub(crate) const INIT: PredicateId = PredicateId(4);
/// `role`
pub(crate) const ROLE: PredicateId = PredicateId(5);
/// `goal`
pub(crate) const GOAL: PredicateId = PredicateId(6);
/// `terminal`
pub(crate) const TERMINAL: PredicateId = PredicateId(7);

/// A term with variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Pattern {
    /// A variable of the rule.
    Variable(VariableId),
    /// A ground term.
    Ground(TermId),
    /// A function with at least one variable below it.
    Compound(Symbol, Vec<Pattern>),
}

/// A predicate applied to patterns.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Literal {
    /// The predicate.
    pub(crate) predicate: PredicateId,
    /// Its arguments.
    pub(crate) arguments: Vec<Pattern>,
}

/// A condition on two terms that needs no relation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Test {
    /// One term.
    pub(crate) left: Pattern,
    /// The other.
    pub(crate) right: Pattern,
    /// Whether they must be equal (`not distinct`) or must differ.
    pub(crate) equal: bool,
}

/// One rule.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Rule {
    /// What follows.
    pub(crate) head: Literal,
    /// Atoms that must hold.
    pub(crate) positive: Vec<Literal>,
    /// Atoms that must not hold.
    pub(crate) negative: Vec<Literal>,
    /// Terms that must differ or be equal.
    pub(crate) tests: Vec<Test>,
    /// Number of variables; they are `0..variables`.
    pub(crate) variables: usize,
    /// Where the rule stands in the source.
    pub(crate) place: Place,
}

/// What a predicate is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kind {
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
pub(crate) struct Predicate {
    /// For messages: `cell/3`.
    pub(crate) name: String,
    /// Number of arguments.
    pub(crate) arity: usize,
    /// What it is for.
    pub(crate) kind: Kind,
}

/// A whole game in normal form.
pub(crate) struct Program {
    /// The predicates.
    pub(crate) predicates: IndexVec<PredicateId, Predicate>,
    /// The rules.
    pub(crate) rules: Vec<Rule>,
    /// All ground terms.
    pub(crate) terms: Terms,
}

impl Pattern {
    /// Calls `visit` for each variable, with repetitions.
    pub(crate) fn for_each_variable(&self, visit: &mut dyn FnMut(VariableId)) {
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
    pub(crate) fn for_each_variable(&self, visit: &mut dyn FnMut(VariableId)) {
        self.arguments.iter().for_each(|a| a.for_each_variable(visit));
    }
}

impl Test {
    /// Calls `visit` for each variable, with repetitions.
    pub(crate) fn for_each_variable(&self, visit: &mut dyn FnMut(VariableId)) {
        self.left.for_each_variable(visit);
        self.right.for_each_variable(visit);
    }
}

/// The rules of each predicate.
pub(crate) fn rules_by_head(
    predicates: usize,
    rules: &IndexVec<RuleId, Rule>,
) -> Graph<PredicateId, RuleId> {
    let edges: Vec<_> =
        rules.enumerate().map(|(number, rule)| (rule.head.predicate, number)).collect();
    Graph::from_edges(predicates, &edges)
}

impl Program {
    /// Adds a predicate of the compiler's own.
    pub(crate) fn add_predicate(&mut self, name: String, arity: usize, kind: Kind) -> PredicateId {
        self.predicates.push(Predicate { name, arity, kind })
    }
}
