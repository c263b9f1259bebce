//! Rules in the form in which they are evaluated: conjunctions, in an order in
//! which every condition finds the variables that it needs.

use std::collections::BTreeSet;

use ruche_gdl::{Atom, Literal, Place, Rule, Symbol, Term};

use super::Error;
use super::terms::{Node, Terms, Value};

/// A term with numbered variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Pattern {
    Variable(usize),
    Ground(Value),
    Compound(Symbol, Vec<Pattern>),
}

/// A relation is a name with a number of arguments.
pub(super) type Signature = (Symbol, usize);

/// One condition of a conjunction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Condition {
    Holds(Signature, Vec<Pattern>),
    Fails(Signature, Vec<Pattern>),
    Equal(Pattern, Pattern),
    Different(Pattern, Pattern),
}

/// The head follows from all conditions together, tried from left to right.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub head: Signature,
    pub arguments: Vec<Pattern>,
    pub conditions: Vec<Condition>,
    pub variables: usize,
}

/// A rule with many `or`s stands for the product of their branches.
const MAXIMUM_CONJUNCTIONS: usize = 10_000;

/// The clauses of a rule: one for each way through its `or`s.
pub(super) fn clauses_of(rule: &Rule, terms: &mut Terms) -> Result<Vec<Clause>, Error> {
    let mut numbering = Numbering { terms, names: Vec::new() };
    let arguments = numbering.patterns(&rule.head.arguments);
    let conjunctions = numbering.all(&rule.body, false, rule.place)?;
    let variables = numbering.names.len();
    let head = signature(&rule.head);
    let ordered = conjunctions.into_iter().map(|conditions| {
        let conditions = in_order(conditions, &arguments, rule.place)?;
        Ok(Clause { head, arguments: arguments.clone(), conditions, variables })
    });
    ordered.collect()
}

fn signature(atom: &Atom) -> Signature {
    (atom.relation, atom.arguments.len())
}

struct Numbering<'a> {
    terms: &'a mut Terms,
    names: Vec<Symbol>,
}

impl Numbering<'_> {
    fn pattern(&mut self, term: &Term) -> Pattern {
        match term {
            Term::Variable(name) => Pattern::Variable(self.number(*name)),
            Term::Constant(symbol) => Pattern::Ground(self.terms.intern(Node::Constant(*symbol))),
            Term::Compound(function, arguments) => {
                Pattern::Compound(*function, self.patterns(arguments))
            }
        }
    }

    fn patterns(&mut self, terms: &[Term]) -> Vec<Pattern> {
        terms.iter().map(|term| self.pattern(term)).collect()
    }

    fn number(&mut self, name: Symbol) -> usize {
        self.names.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        })
    }

    /// The disjunctive normal form of a literal, or of its negation.
    fn disjunction(
        &mut self,
        literal: &Literal,
        negated: bool,
    ) -> Result<Vec<Vec<Condition>>, Error> {
        let single = match literal {
            Literal::Atom(atom) => {
                let patterns = self.patterns(&atom.arguments);
                let make = if negated { Condition::Fails } else { Condition::Holds };
                make(signature(atom), patterns)
            }
            Literal::Distinct(left, right, _) => {
                let (left, right) = (self.pattern(left), self.pattern(right));
                let make = if negated { Condition::Equal } else { Condition::Different };
                make(left, right)
            }
            Literal::Not(inner, _) => return self.disjunction(inner, !negated),
            Literal::Or(branches, place) if negated => return self.all(branches, true, *place),
            Literal::Or(branches, _) => return self.any(branches),
        };
        Ok(vec![vec![single]])
    }

    fn any(&mut self, branches: &[Literal]) -> Result<Vec<Vec<Condition>>, Error> {
        let branches = branches.iter().map(|branch| self.disjunction(branch, false));
        Ok(branches.collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn all(
        &mut self,
        literals: &[Literal],
        negated: bool,
        place: Place,
    ) -> Result<Vec<Vec<Condition>>, Error> {
        let mut product = vec![Vec::new()];
        for literal in literals {
            let factor = self.disjunction(literal, negated)?;
            if product.len() * factor.len() > MAXIMUM_CONJUNCTIONS {
                return Err(Error::TooManyBranches(place));
            }
            let pairs =
                product.iter().flat_map(|left| factor.iter().map(move |right| (left, right)));
            product = pairs.map(|(left, right)| [left.as_slice(), right].concat()).collect();
        }
        Ok(product)
    }
}

/// Puts tests where their variables are bound and joins with the fewest unbound
/// variables first: GDL gives no meaning to the order of conditions.
fn in_order(
    mut conditions: Vec<Condition>,
    head: &[Pattern],
    place: Place,
) -> Result<Vec<Condition>, Error> {
    let mut bound = BTreeSet::new();
    let mut ordered = Vec::new();
    while !conditions.is_empty() {
        let candidates = 0..conditions.len();
        let next = candidates.filter_map(|at| Some((conditions[at].cost(&bound)?, at))).min();
        let (_, at) = next.ok_or(Error::Unsafe(place))?;
        let condition = conditions.remove(at);
        condition.collect_variables(&mut bound);
        ordered.push(condition);
    }
    if unbound(head, &bound) > 0 {
        return Err(Error::Unsafe(place));
    }
    Ok(ordered)
}

impl Condition {
    /// How late the condition should come; nothing if it cannot come yet.
    fn cost(&self, bound: &BTreeSet<usize>) -> Option<usize> {
        match self {
            Condition::Holds(_, patterns) => Some(unbound(patterns, bound)),
            Condition::Fails(_, patterns) => (unbound(patterns, bound) == 0).then_some(0),
            Condition::Different(left, right) => {
                (left.unbound(bound) + right.unbound(bound) == 0).then_some(0)
            }
            Condition::Equal(left, right) => {
                (left.unbound(bound) == 0 || right.unbound(bound) == 0).then_some(0)
            }
        }
    }

    pub fn collect_variables(&self, into: &mut BTreeSet<usize>) {
        match self {
            Condition::Holds(_, patterns) | Condition::Fails(_, patterns) => {
                patterns.iter().for_each(|pattern| pattern.collect_variables(into));
            }
            Condition::Equal(left, right) | Condition::Different(left, right) => {
                left.collect_variables(into);
                right.collect_variables(into);
            }
        }
    }
}

impl Pattern {
    fn collect_variables(&self, into: &mut BTreeSet<usize>) {
        match self {
            Pattern::Variable(number) => drop(into.insert(*number)),
            Pattern::Ground(_) => {}
            Pattern::Compound(_, arguments) => {
                arguments.iter().for_each(|argument| argument.collect_variables(into));
            }
        }
    }

    fn unbound(&self, bound: &BTreeSet<usize>) -> usize {
        let mut variables = BTreeSet::new();
        self.collect_variables(&mut variables);
        variables.difference(bound).count()
    }

    /// The term that the pattern stands for, if all its variables are bound.
    pub fn instantiate(&self, bindings: &Bindings, terms: &mut Terms) -> Option<Value> {
        match self {
            Pattern::Variable(number) => bindings[*number],
            Pattern::Ground(value) => Some(*value),
            Pattern::Compound(function, arguments) => {
                let arguments = instantiate_all(arguments, bindings, terms)?;
                Some(terms.intern(Node::Compound(*function, arguments)))
            }
        }
    }

    /// Whether the term has the form of the pattern; binds its free variables.
    /// What was bound before stays, also when the answer is no.
    pub fn matches(&self, value: Value, bindings: &mut Bindings, terms: &Terms) -> bool {
        match self {
            Pattern::Variable(number) => *bindings[*number].get_or_insert(value) == value,
            Pattern::Ground(ground) => *ground == value,
            Pattern::Compound(function, patterns) => match terms.node(value) {
                Node::Compound(name, values) => {
                    name == function && match_all(patterns, values, bindings, terms)
                }
                Node::Constant(_) => false,
            },
        }
    }
}

/// The values of a clause's variables, as far as they are known.
pub(super) type Bindings = Vec<Option<Value>>;

fn unbound(patterns: &[Pattern], bound: &BTreeSet<usize>) -> usize {
    let mut variables = BTreeSet::new();
    patterns.iter().for_each(|pattern| pattern.collect_variables(&mut variables));
    variables.difference(bound).count()
}

pub(super) fn instantiate_all(
    patterns: &[Pattern],
    bindings: &Bindings,
    terms: &mut Terms,
) -> Option<Box<[Value]>> {
    patterns.iter().map(|pattern| pattern.instantiate(bindings, terms)).collect()
}

pub(super) fn match_all(
    patterns: &[Pattern],
    values: &[Value],
    bindings: &mut Bindings,
    terms: &Terms,
) -> bool {
    patterns.len() == values.len()
        && patterns
            .iter()
            .zip(values)
            .all(|(pattern, value)| pattern.matches(*value, bindings, terms))
}
