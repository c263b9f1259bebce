//! An estimate, made before grounding, of the values that each argument of
//! each predicate can take. It only steers the order of joins and the way rules
//! are split: a wrong estimate costs time, never correctness.

use crate::front::program::{
    DOES, INIT, LEGAL, Literal, NEXT, Pattern, PredicateId, Program, Rule, TRUE, VariableId,
};
use crate::front::terms::{TermId, Terms};
use crate::index::IndexVec;
use ruche_gdl::Symbol;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Deeper terms count as one value.
const DEPTH: usize = 3;
/// Long chains of rules have settled enough by then.
const ROUNDS: usize = 40;

/// The values of one argument.
#[derive(Clone, Default)]
struct Domain {
    constants: FxHashSet<TermId>,
    functions: BTreeMap<(Symbol, usize), Vec<Domain>>,
}

impl Domain {
    fn size(&self) -> f64 {
        let compounds: f64 = self.functions.values().map(|arguments| product(arguments)).sum();
        (self.constants.len() as f64 + compounds).max(1.0)
    }

    fn insert(&mut self, term: TermId, terms: &Terms, depth: usize) -> bool {
        let Some((functor, arguments)) = terms.as_compound(term) else {
            return self.constants.insert(term);
        };
        if depth == 0 {
            return false;
        }
        let inner = self.function(functor, arguments.len());
        let pairs = inner.iter_mut().zip(arguments);
        pairs.fold(false, |grown, (d, &a)| d.insert(a, terms, depth - 1) | grown)
    }

    fn function(&mut self, functor: Symbol, arity: usize) -> &mut Vec<Domain> {
        self.functions.entry((functor, arity)).or_insert_with(|| vec![Domain::default(); arity])
    }

    fn union(&mut self, other: &Domain, depth: usize) -> bool {
        let before = self.constants.len();
        self.constants.extend(&other.constants);
        let mut grown = self.constants.len() > before;
        if depth == 0 {
            return grown;
        }
        for (&(functor, arity), theirs) in &other.functions {
            let ours = self.function(functor, arity);
            for (mine, their) in ours.iter_mut().zip(theirs) {
                grown |= mine.union(their, depth - 1);
            }
        }
        grown
    }
}

fn product(domains: &[Domain]) -> f64 {
    domains.iter().map(Domain::size).product()
}

/// Estimated sizes for all predicates of a program.
pub(crate) struct Estimates {
    arguments: IndexVec<PredicateId, Vec<Domain>>,
    /// Number of atoms where it is known: predicates that only have facts, and
    /// those that are grounded.
    known: IndexVec<PredicateId, Option<f64>>,
}

impl Estimates {
    /// Propagates constants through the rules until they settle.
    pub(crate) fn of(program: &Program) -> Self {
        let arguments =
            program.predicates.iter().map(|p| vec![Domain::default(); p.arity]).collect();
        let mut estimates = Estimates { arguments, known: count_facts(program) };
        for _ in 0..ROUNDS {
            if !estimates.round(program) {
                break;
            }
        }
        estimates
    }

    fn round(&mut self, program: &Program) -> bool {
        let mut grown = false;
        for rule in &program.rules {
            grown |= self.apply(rule, &program.terms);
        }
        for (from, to) in [(INIT, TRUE), (NEXT, TRUE), (LEGAL, DOES)] {
            let source = self.arguments[from].clone();
            let target = &mut self.arguments[to];
            for (t, s) in target.iter_mut().zip(&source) {
                grown |= t.union(s, DEPTH);
            }
        }
        grown
    }

    fn apply(&mut self, rule: &Rule, terms: &Terms) -> bool {
        let values = self.variable_domains(rule);
        let target = &mut self.arguments[rule.head.predicate];
        let pairs = target.iter_mut().zip(&rule.head.arguments);
        pairs.fold(false, |grown, (domain, pattern)| {
            absorb(domain, pattern, &values, terms, DEPTH) | grown
        })
    }

    /// For each variable the smallest domain among its occurrences.
    fn variable_domains(&self, rule: &Rule) -> IndexVec<VariableId, Domain> {
        let mut best: IndexVec<VariableId, Option<&Domain>> =
            IndexVec::filled(None, rule.variables);
        for literal in &rule.positive {
            self.for_each_leaf(literal, &mut |variable, domain| {
                let slot = &mut best[variable];
                if slot.is_none_or(|d| domain.size() < d.size()) {
                    *slot = Some(domain);
                }
            });
        }
        best.into_iter().map(|d| d.cloned().unwrap_or_default()).collect()
    }

    fn for_each_leaf<'e>(
        &'e self,
        literal: &Literal,
        visit: &mut impl FnMut(VariableId, &'e Domain),
    ) {
        let domains = &self.arguments[literal.predicate];
        for (pattern, domain) in literal.arguments.iter().zip(domains) {
            leaves(pattern, domain, visit);
        }
    }

    /// How many instances the literal has.
    pub(crate) fn size(&self, literal: &Literal) -> f64 {
        let domains = &self.arguments[literal.predicate];
        let mut size = 1.0;
        for (pattern, domain) in literal.arguments.iter().zip(domains) {
            size *= instances(pattern, domain);
        }
        match self.known[literal.predicate] {
            Some(atoms) => size.min(atoms.max(1.0)),
            None => size,
        }
    }

    /// How many values each variable of the literal takes there.
    pub(crate) fn variable_sizes(&self, literal: &Literal) -> Vec<(VariableId, f64)> {
        let mut sizes = Vec::new();
        self.for_each_leaf(literal, &mut |variable, domain| sizes.push((variable, domain.size())));
        sizes
    }

    /// Notes the number of atoms of a predicate that is grounded.
    pub(crate) fn set_size(&mut self, predicate: PredicateId, atoms: usize) {
        self.known[predicate] = Some(atoms as f64);
    }

    /// Makes room for a predicate that a split has made: the literals of its
    /// body bound its arguments.
    pub(crate) fn add_predicate(&mut self, rule: &Rule) {
        debug_assert_eq!(rule.head.predicate, self.arguments.next());
        let values = self.variable_domains(rule);
        let pick = |pattern: &Pattern| match pattern {
            Pattern::Variable(variable) => values[*variable].clone(),
            _ => Domain::default(),
        };
        self.arguments.push(rule.head.arguments.iter().map(pick).collect());
        self.known.push(None);
    }
}

fn count_facts(program: &Program) -> IndexVec<PredicateId, Option<f64>> {
    let mut facts = IndexVec::filled(Some(0.0), program.predicates.len());
    facts[TRUE] = None;
    facts[DOES] = None;
    for rule in &program.rules {
        let count = &mut facts[rule.head.predicate];
        *count = count.filter(|_| rule.positive.is_empty()).map(|c| c + 1.0);
    }
    facts
}

fn absorb(
    domain: &mut Domain,
    pattern: &Pattern,
    values: &IndexVec<VariableId, Domain>,
    terms: &Terms,
    depth: usize,
) -> bool {
    match pattern {
        Pattern::Ground(term) => domain.insert(*term, terms, depth),
        Pattern::Variable(variable) => domain.union(&values[*variable], depth),
        Pattern::Compound(..) if depth == 0 => false,
        Pattern::Compound(functor, arguments) => {
            let inner = domain.function(*functor, arguments.len());
            inner.iter_mut().zip(arguments).fold(false, |grown, (domain, argument)| {
                absorb(domain, argument, values, terms, depth - 1) | grown
            })
        }
    }
}

fn leaves<'e>(
    pattern: &Pattern,
    domain: &'e Domain,
    visit: &mut impl FnMut(VariableId, &'e Domain),
) {
    match pattern {
        Pattern::Variable(variable) => visit(*variable, domain),
        Pattern::Ground(_) => {}
        Pattern::Compound(functor, arguments) => {
            if let Some(inner) = domain.functions.get(&(*functor, arguments.len())) {
                arguments.iter().zip(inner).for_each(|(a, d)| leaves(a, d, visit));
            }
        }
    }
}

fn instances(pattern: &Pattern, domain: &Domain) -> f64 {
    match pattern {
        Pattern::Variable(_) => domain.size(),
        Pattern::Ground(_) => 1.0,
        Pattern::Compound(functor, arguments) => {
            domain.functions.get(&(*functor, arguments.len())).map_or(1.0, |inner| {
                arguments.iter().zip(inner).map(|(a, d)| instances(a, d)).product()
            })
        }
    }
}
