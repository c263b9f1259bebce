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
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Deeper terms count as one value.
const DEPTH: usize = 3;
/// Long chains of rules have settled enough by then.
const ROUNDS: usize = 40;
/// Values that are passed on before the rest is left to chance: fifty times what any
/// known game needs.
const MOST_WORK: usize = 5_000_000;

/// The values of one argument. Several share them until one grows.
#[derive(Clone, Default)]
struct Domain {
    constants: FxHashSet<TermId>,
    functions: BTreeMap<(Symbol, usize), Vec<Rc<Domain>>>,
    /// The size, if it was asked for since the domain has grown.
    size: Cell<Option<f64>>,
}

impl Domain {
    fn size(&self) -> f64 {
        self.size.get().unwrap_or_else(|| {
            let compounds: f64 = self.functions.values().map(|arguments| product(arguments)).sum();
            let size = (self.constants.len() as f64 + compounds).max(1.0);
            self.size.set(Some(size));
            size
        })
    }

    /// What it takes to find the size.
    fn effort(&self) -> usize {
        if self.size.get().is_some() {
            return 1;
        }
        1 + self.functions.values().flatten().map(|domain| domain.effort()).sum::<usize>()
    }

    fn function(&mut self, functor: Symbol, arity: usize) -> &mut Vec<Rc<Domain>> {
        let new = || vec![Rc::default(); arity];
        self.functions.entry((functor, arity)).or_insert_with(new)
    }
}

/// Makes domains grow, as long as it is not too much.
struct Growth {
    work: usize,
    has_grown: bool,
}

impl Growth {
    fn is_over(&self) -> bool {
        self.work > MOST_WORK
    }

    /// The domain, to be changed; those that share its values keep theirs.
    fn open<'d>(&mut self, domain: &'d mut Rc<Domain>) -> &'d mut Domain {
        if Rc::get_mut(domain).is_none() {
            self.work += domain.constants.len() + domain.functions.len();
        }
        let domain = Rc::make_mut(domain);
        domain.size.set(None);
        domain
    }

    fn insert(&mut self, domain: &mut Rc<Domain>, term: TermId, terms: &Terms, depth: usize) {
        self.work += 1;
        let Some((functor, arguments)) = terms.as_compound(term) else {
            self.has_grown |= self.open(domain).constants.insert(term);
            return;
        };
        if depth > 0 {
            let inner = self.open(domain).function(functor, arguments.len());
            let pairs = inner.iter_mut().zip(arguments);
            pairs.for_each(|(d, &a)| self.insert(d, a, terms, depth - 1));
        }
    }

    fn union(&mut self, domain: &mut Rc<Domain>, other: &Rc<Domain>, depth: usize) {
        self.work += 1 + other.constants.len() + other.functions.len();
        if Rc::ptr_eq(domain, other) || self.is_over() {
            return;
        }
        let own = self.open(domain);
        let before = own.constants.len();
        own.constants.extend(&other.constants);
        self.has_grown |= own.constants.len() > before;
        if depth == 0 {
            return;
        }
        for (&(functor, arity), theirs) in &other.functions {
            let ours = own.function(functor, arity).iter_mut();
            ours.zip(theirs).for_each(|(mine, their)| self.union(mine, their, depth - 1));
        }
    }

    fn absorb(
        &mut self,
        domain: &mut Rc<Domain>,
        pattern: &Pattern,
        values: &IndexVec<VariableId, Rc<Domain>>,
        terms: &Terms,
        depth: usize,
    ) {
        match pattern {
            Pattern::Ground(term) => self.insert(domain, *term, terms, depth),
            Pattern::Variable(variable) => self.union(domain, &values[*variable], depth),
            Pattern::Compound(..) if depth == 0 => {}
            Pattern::Compound(functor, arguments) => {
                let inner = self.open(domain).function(*functor, arguments.len());
                inner.iter_mut().zip(arguments).for_each(|(domain, argument)| {
                    self.absorb(domain, argument, values, terms, depth - 1);
                });
            }
        }
    }
}

fn product(domains: &[Rc<Domain>]) -> f64 {
    domains.iter().map(|domain| domain.size()).product()
}

/// Estimated sizes for all predicates of a program.
pub(crate) struct Estimates {
    arguments: IndexVec<PredicateId, Vec<Rc<Domain>>>,
    /// Number of atoms where it is known: predicates that only have facts, and
    /// those that are grounded.
    known: IndexVec<PredicateId, Option<f64>>,
}

impl Estimates {
    /// Propagates constants through the rules until they settle.
    pub(crate) fn of(program: &Program) -> Self {
        let arguments = program.predicates.iter().map(|p| vec![Rc::default(); p.arity]).collect();
        let mut estimates = Estimates { arguments, known: count_facts(program) };
        let mut growth = Growth { work: 0, has_grown: true };
        for _ in 0..ROUNDS {
            if std::mem::take(&mut growth.has_grown) {
                estimates.round(program, &mut growth);
            }
        }
        estimates
    }

    fn round(&mut self, program: &Program, growth: &mut Growth) {
        for rule in &program.rules {
            self.apply(rule, &program.terms, growth);
        }
        for (from, to) in [(INIT, TRUE), (NEXT, TRUE), (LEGAL, DOES)] {
            let source = self.arguments[from].clone();
            let target = &mut self.arguments[to];
            target.iter_mut().zip(&source).for_each(|(t, s)| growth.union(t, s, DEPTH));
        }
    }

    fn apply(&mut self, rule: &Rule, terms: &Terms, growth: &mut Growth) {
        if growth.is_over() {
            return;
        }
        for literal in &rule.positive {
            self.for_each_leaf(literal, &mut |_, domain| growth.work += domain.effort());
        }
        let values = self.variable_domains(rule);
        let target = &mut self.arguments[rule.head.predicate];
        let pairs = target.iter_mut().zip(&rule.head.arguments);
        pairs.for_each(|(domain, pattern)| growth.absorb(domain, pattern, &values, terms, DEPTH));
    }

    /// For each variable the smallest domain among its occurrences.
    fn variable_domains(&self, rule: &Rule) -> IndexVec<VariableId, Rc<Domain>> {
        let mut best: IndexVec<VariableId, Option<&Rc<Domain>>> =
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
        visit: &mut impl FnMut(VariableId, &'e Rc<Domain>),
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
            _ => Rc::default(),
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

fn leaves<'e>(
    pattern: &Pattern,
    domain: &'e Rc<Domain>,
    visit: &mut impl FnMut(VariableId, &'e Rc<Domain>),
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
