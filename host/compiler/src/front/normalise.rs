//! Description → [`Program`]: `or` becomes several rules, `not` moves down to
//! the atoms, names become numbers.

use crate::error::CompileError;
use crate::front::program::{
    KEYWORD_PREDICATES, Kind, Literal, Pattern, Predicate, PredicateId, Program, Rule, Test,
    VariableId,
};
use crate::front::terms::Terms;
use crate::index::{Id, IndexVec};
use crate::limits::WorkLimits;
use ruche_gdl::{self as gdl, Description, Symbol, Symbols};
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;

/// Most arguments of a relation or function.
const MOST_ARGUMENTS: usize = 1000;

/// Brings a checked description into normal form.
pub(crate) fn normalise(
    description: &Description,
    limits: &WorkLimits,
) -> Result<Program, CompileError> {
    let mut normaliser = Normaliser::new(&description.symbols);
    let mut expansion =
        Expansion { most_ways: limits.alternatives, copies_left: limits.conditions };
    let mut rules = Vec::new();
    for rule in &description.rules {
        normaliser.rule(rule, &mut expansion, &mut rules)?;
    }
    Ok(Program { predicates: normaliser.predicates, rules, terms: normaliser.terms })
}

/// One way to satisfy a body: literals that are not `or`, with their sign.
type Conjunction<'d> = Vec<(bool, &'d gdl::Literal)>;

struct Normaliser<'d> {
    symbols: &'d Symbols,
    predicates: IndexVec<PredicateId, Predicate>,
    by_name: FxHashMap<(Symbol, usize), PredicateId>,
    terms: Terms,
    variables: FxHashMap<Symbol, VariableId>,
}

impl<'d> Normaliser<'d> {
    fn new(symbols: &'d Symbols) -> Self {
        let mut normaliser = Normaliser {
            symbols,
            predicates: IndexVec::new(),
            by_name: FxHashMap::default(),
            terms: Terms::default(),
            variables: FxHashMap::default(),
        };
        for (name, arity) in KEYWORD_PREDICATES {
            normaliser.predicate(name, arity);
        }
        normaliser
    }

    fn predicate(&mut self, name: Symbol, arity: usize) -> PredicateId {
        let predicates = &mut self.predicates;
        *self.by_name.entry((name, arity)).or_insert_with(|| {
            let name = format!("{}/{arity}", self.symbols.name(name));
            predicates.push(Predicate { name, arity, kind: Kind::Named })
        })
    }

    fn rule(
        &mut self,
        rule: &'d gdl::Rule,
        expansion: &mut Expansion,
        rules: &mut Vec<Rule>,
    ) -> Result<(), CompileError> {
        let ways = expansion
            .ways(&rule.body)
            .ok_or(CompileError::TooManyAlternatives { place: rule.place })?;
        for way in ways {
            rules.push(self.conjunction(rule, &way)?);
        }
        Ok(())
    }

    fn conjunction(
        &mut self,
        rule: &gdl::Rule,
        way: &[(bool, &gdl::Literal)],
    ) -> Result<Rule, CompileError> {
        self.variables.clear();
        let mut normal = Rule {
            head: self.literal(&rule.head)?,
            positive: Vec::new(),
            negative: Vec::new(),
            tests: Vec::new(),
            variables: 0,
            place: rule.place,
        };
        for &(positive, literal) in way {
            self.condition(positive, literal, &mut normal)?;
        }
        keep_first(&mut normal.positive);
        keep_first(&mut normal.negative);
        keep_first(&mut normal.tests);
        normal.variables = self.variables.len();
        Ok(normal)
    }

    fn condition(
        &mut self,
        positive: bool,
        literal: &gdl::Literal,
        normal: &mut Rule,
    ) -> Result<(), CompileError> {
        match literal {
            gdl::Literal::Atom(atom) => {
                let list = if positive { &mut normal.positive } else { &mut normal.negative };
                list.push(self.literal(atom)?);
            }
            gdl::Literal::Distinct(left, right, place) => {
                let (left, right) = (self.pattern(left, *place)?, self.pattern(right, *place)?);
                normal.tests.push(Test { left, right, equal: !positive });
            }
            gdl::Literal::Not(..) | gdl::Literal::Or(..) => {
                unreachable!("`extend` leaves only atoms and distinct")
            }
        }
        Ok(())
    }

    fn literal(&mut self, atom: &gdl::Atom) -> Result<Literal, CompileError> {
        let predicate = self.predicate(atom.relation, atom.arguments.len());
        let arguments = self.patterns(&atom.arguments, atom.place)?;
        Ok(Literal { predicate, arguments })
    }

    fn patterns(
        &mut self,
        terms: &[gdl::Term],
        place: gdl::Place,
    ) -> Result<Vec<Pattern>, CompileError> {
        if terms.len() > MOST_ARGUMENTS {
            return Err(CompileError::TooManyArguments { place, most: MOST_ARGUMENTS });
        }
        terms.iter().map(|term| self.pattern(term, place)).collect()
    }

    fn pattern(&mut self, term: &gdl::Term, place: gdl::Place) -> Result<Pattern, CompileError> {
        Ok(match term {
            gdl::Term::Variable(name) => {
                let next = VariableId::new(self.variables.len());
                Pattern::Variable(*self.variables.entry(*name).or_insert(next))
            }
            gdl::Term::Constant(name) => Pattern::Ground(self.terms.constant(*name)),
            gdl::Term::Compound(functor, arguments) => {
                let arguments = self.patterns(arguments, place)?;
                self.compound(*functor, arguments)
            }
        })
    }

    fn compound(&mut self, functor: Symbol, arguments: Vec<Pattern>) -> Pattern {
        let ground: Option<Vec<_>> = arguments
            .iter()
            .map(|a| if let Pattern::Ground(term) = a { Some(*term) } else { None })
            .collect();
        match ground {
            Some(ground) => Pattern::Ground(self.terms.compound(functor, &ground)),
            None => Pattern::Compound(functor, arguments),
        }
    }
}

/// Drops what stands there a second time.
fn keep_first<T: Eq + Hash>(list: &mut Vec<T>) {
    let mut seen = FxHashSet::default();
    let is_first: Vec<bool> = list.iter().map(|item| seen.insert(item)).collect();
    let mut is_first = is_first.into_iter();
    list.retain(|_| is_first.next().expect("one for each"));
}

/// The `or`s of rules are multiplied out; this is how far.
struct Expansion {
    /// Ways that one rule may have.
    most_ways: usize,
    /// Conditions that may still be copied.
    copies_left: usize,
}

impl Expansion {
    /// All ways to satisfy one of `ways` and the literal with the given sign;
    /// `None` when there are too many.
    fn extend<'d>(
        &mut self,
        mut ways: Vec<Conjunction<'d>>,
        positive: bool,
        literal: &'d gdl::Literal,
    ) -> Option<Vec<Conjunction<'d>>> {
        match literal {
            gdl::Literal::Not(inner, _) => self.extend(ways, !positive, inner),
            gdl::Literal::Or(branches, _) if positive => self.branch(&ways, branches),
            gdl::Literal::Or(branches, _) => {
                branches.iter().try_fold(ways, |ways, branch| self.extend(ways, false, branch))
            }
            _ => {
                let copies = ways.len().saturating_sub(1);
                self.copies_left = self.copies_left.checked_sub(copies)?;
                ways.iter_mut().for_each(|way| way.push((positive, literal)));
                Some(ways)
            }
        }
    }

    fn branch<'d>(
        &mut self,
        ways: &[Conjunction<'d>],
        branches: &'d [gdl::Literal],
    ) -> Option<Vec<Conjunction<'d>>> {
        let conditions: usize = ways.iter().map(|way| way.len() + 1).sum();
        let mut all = Vec::new();
        for branch in branches {
            self.copies_left = self.copies_left.checked_sub(conditions)?;
            all.extend(self.extend(ways.to_vec(), true, branch)?);
            if all.len() > self.most_ways {
                return None;
            }
        }
        Some(all)
    }

    /// The ways to satisfy a body.
    fn ways<'d>(&mut self, body: &'d [gdl::Literal]) -> Option<Vec<Conjunction<'d>>> {
        body.iter().try_fold(vec![Vec::new()], |ways, literal| self.extend(ways, true, literal))
    }
}
