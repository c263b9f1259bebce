//! Rules as they are proved: conjunctions of conditions, by relation.

use ruche_gdl::{Atom, Description, Literal, Place, Rule, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::InterpreterError;
use super::terms::{Node, Pattern, Terms, Value};

/// The number of a relation: a name with a number of arguments.
pub(super) type Relation = usize;

/// A condition of a clause.
#[derive(Clone, Debug)]
pub(super) enum Condition {
    Holds(Relation, Box<[Pattern]>),
    Fails(Relation, Box<[Pattern]>),
    Equal(Pattern, Pattern),
    Different(Pattern, Pattern),
}

/// The head follows from all conditions together.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub head: Box<[Pattern]>,
    pub conditions: Vec<Condition>,
    pub variables: usize,
}

/// What is known of a relation.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    pub facts: Vec<Box<[Value]>>,
    pub clauses: Vec<Clause>,
    /// Whether it depends on the state or on what is done.
    pub is_dynamic: bool,
}

/// All relations.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    numbers: FxHashMap<(Symbol, usize), Relation>,
    pub entries: Vec<Entry>,
}

/// A rule with many `or`s stands for the product of their branches.
const MOST_CLAUSES: usize = 4096;

impl Program {
    pub fn new(description: &Description, terms: &mut Terms) -> Result<Self, InterpreterError> {
        let mut program = Self::default();
        for rule in &description.rules {
            program.add(rule, terms)?;
        }
        program.find_dynamic();
        Ok(program)
    }

    /// The number of a relation; it gets one if it has none.
    pub fn relation(&mut self, name: Symbol, arity: usize) -> Relation {
        let next = self.entries.len();
        let number = *self.numbers.entry((name, arity)).or_insert(next);
        if number == next {
            self.entries.push(Entry::default());
        }
        number
    }

    fn add(&mut self, rule: &Rule, terms: &mut Terms) -> Result<(), InterpreterError> {
        let relation = self.relation(rule.head.relation, rule.head.arguments.len());
        let mut reader = Reader { program: self, terms, names: Vec::new() };
        let head = reader.patterns(&rule.head.arguments);
        let bodies = reader.all(&rule.body, false, rule.place)?;
        let variables = reader.names.len();
        for conditions in bodies {
            let ground: Option<Box<[Value]>> = head.iter().map(ground).collect();
            match ground {
                Some(row) if conditions.is_empty() => self.entries[relation].facts.push(row),
                _ => {
                    let clause = Clause { head: head.clone(), conditions, variables };
                    self.entries[relation].clauses.push(clause);
                }
            }
        }
        Ok(())
    }

    /// Marks what depends on `true` or `does`, over and over until nothing is new.
    fn find_dynamic(&mut self) {
        let state = [self.relation(Symbol::TRUE, 1), self.relation(Symbol::DOES, 2)];
        let mut dynamic: FxHashSet<Relation> = state.into_iter().collect();
        loop {
            let before = dynamic.len();
            for (relation, entry) in self.entries.iter().enumerate() {
                let depends = |condition: &Condition| match condition {
                    Condition::Holds(on, _) | Condition::Fails(on, _) => dynamic.contains(on),
                    Condition::Equal(..) | Condition::Different(..) => false,
                };
                if entry.clauses.iter().any(|clause| clause.conditions.iter().any(depends)) {
                    dynamic.insert(relation);
                }
            }
            if dynamic.len() == before {
                break;
            }
        }
        dynamic.into_iter().for_each(|relation| self.entries[relation].is_dynamic = true);
    }
}

fn ground(pattern: &Pattern) -> Option<Value> {
    match pattern {
        Pattern::Ground(value) => Some(*value),
        _ => None,
    }
}

/// Reads one rule.
struct Reader<'a> {
    program: &'a mut Program,
    terms: &'a mut Terms,
    names: Vec<Symbol>,
}

type Bodies = Vec<Vec<Condition>>;

impl Reader<'_> {
    fn patterns(&mut self, terms: &[Term]) -> Box<[Pattern]> {
        terms.iter().map(|term| self.pattern(term)).collect()
    }

    fn pattern(&mut self, term: &Term) -> Pattern {
        match term {
            Term::Variable(name) => Pattern::Variable(self.number(*name)),
            Term::Constant(symbol) => Pattern::Ground(self.terms.intern(Node::Constant(*symbol))),
            Term::Compound(function, inner) => {
                let inner = self.patterns(inner);
                let values: Option<Box<[Value]>> = inner.iter().map(ground).collect();
                match values {
                    Some(values) => {
                        Pattern::Ground(self.terms.intern(Node::Compound(*function, values)))
                    }
                    None => Pattern::Compound(*function, inner),
                }
            }
        }
    }

    fn number(&mut self, name: Symbol) -> usize {
        self.names.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        })
    }

    fn atom(&mut self, atom: &Atom) -> (Relation, Box<[Pattern]>) {
        let relation = self.program.relation(atom.relation, atom.arguments.len());
        (relation, self.patterns(&atom.arguments))
    }

    /// The ways in which a literal holds, or does not.
    fn any(&mut self, literal: &Literal, negated: bool) -> Result<Bodies, InterpreterError> {
        let single = match literal {
            Literal::Atom(atom) => {
                let (relation, patterns) = self.atom(atom);
                match negated {
                    true => Condition::Fails(relation, patterns),
                    false => Condition::Holds(relation, patterns),
                }
            }
            Literal::Distinct(left, right, _) => {
                let (left, right) = (self.pattern(left), self.pattern(right));
                match negated {
                    true => Condition::Equal(left, right),
                    false => Condition::Different(left, right),
                }
            }
            Literal::Not(inner, _) => return self.any(inner, !negated),
            Literal::Or(branches, place) if negated => return self.all(branches, true, *place),
            Literal::Or(branches, _) => {
                let ways = branches.iter().map(|branch| self.any(branch, false));
                return Ok(ways.collect::<Result<Vec<_>, _>>()?.concat());
            }
        };
        Ok(vec![vec![single]])
    }

    /// The ways in which all literals hold, or none does.
    fn all(
        &mut self,
        literals: &[Literal],
        negated: bool,
        place: Place,
    ) -> Result<Bodies, InterpreterError> {
        let mut product: Bodies = vec![Vec::new()];
        for literal in literals {
            let ways = self.any(literal, negated)?;
            if product.len() * ways.len() > MOST_CLAUSES {
                return Err(InterpreterError::Branches { place });
            }
            let pairs = product.iter().flat_map(|left| ways.iter().map(move |right| (left, right)));
            product = pairs.map(|(left, right)| [left.as_slice(), right].concat()).collect();
        }
        Ok(product)
    }
}
