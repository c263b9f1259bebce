//! Facts, and what follows from them.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::clause::{Bindings, instantiate_all, match_all};
use super::program::{Component, Join, Program, Recipe, Relation, Step};
use super::terms::{Terms, Value};

/// The arguments of one fact.
type Row = Rc<[Value]>;

/// The facts of one relation, in the order in which they were found.
#[derive(Clone, Debug, Default)]
struct Facts {
    rows: Vec<Row>,
    known: FxHashSet<Row>,
}

/// The facts that fit a join, by the values of the variables known before it:
/// for each its values of the new variables.
#[derive(Clone, Debug, Default)]
struct Fitting {
    rows_seen: usize,
    by_known: FxHashMap<Box<[Value]>, Vec<Row>>,
}

/// Facts of all relations. Copies share what neither of them changes.
#[derive(Clone, Debug)]
pub(super) struct Database {
    facts: Vec<Rc<Facts>>,
    fitting: Vec<Rc<Fitting>>,
}

impl Database {
    pub fn new(program: &Program) -> Self {
        Database {
            facts: vec![Rc::default(); program.relation_count()],
            fitting: vec![Rc::default(); program.joins],
        }
    }

    /// Whether the fact is new.
    pub fn insert(&mut self, relation: Relation, row: Row) -> bool {
        if self.facts[relation].known.contains(&row) {
            return false;
        }
        let facts = Rc::make_mut(&mut self.facts[relation]);
        facts.rows.push(row.clone());
        facts.known.insert(row)
    }

    pub fn rows(&self, relation: Relation) -> impl Iterator<Item = &[Value]> {
        self.facts[relation].rows.iter().map(|row| &**row)
    }

    fn holds(&self, relation: Relation, row: &[Value]) -> bool {
        self.facts[relation].known.contains(row)
    }

    fn size(&self, component: &Component) -> usize {
        component.relations.iter().map(|relation| self.facts[*relation].rows.len()).sum()
    }

    /// Adds everything that follows by the clauses of the component.
    ///
    /// Inside of a component that negates itself this is the well-founded
    /// model, by alternation: what is surely true makes an upper bound of what
    /// can be true, and that a better lower bound, until nothing is gained.
    /// Where atoms are stratified once variables are replaced, it is total.
    pub fn complete(&mut self, component: &Component, terms: &mut Terms) {
        if !component.negating {
            return self.close(component, None, terms);
        }
        let start = self.clone();
        let mut surely = start.clone();
        loop {
            let mut possibly = start.clone();
            possibly.close(component, Some(&surely), terms);
            let mut better = start.clone();
            better.close(component, Some(&possibly), terms);
            let gained = better.size(component) > surely.size(component);
            surely = better;
            if !gained {
                break;
            }
        }
        *self = surely;
    }

    /// The least fixpoint. Negated relations of the component are looked up in
    /// `opinion` where there is one.
    fn close(&mut self, component: &Component, opinion: Option<&Database>, terms: &mut Terms) {
        loop {
            let mut gained = false;
            for recipe in &component.recipes {
                self.find_fitting(recipe, terms);
                for row in self.consequences(recipe, component, opinion, terms) {
                    gained |= self.insert(recipe.head, row);
                }
            }
            if !(gained && component.recursive) {
                return;
            }
        }
    }

    fn find_fitting(&mut self, recipe: &Recipe, terms: &Terms) {
        for step in &recipe.steps {
            if let Step::Join(join) = step {
                let facts = &self.facts[join.relation];
                if self.fitting[join.number].rows_seen < facts.rows.len() {
                    Rc::make_mut(&mut self.fitting[join.number]).extend(join, facts, terms);
                }
            }
        }
    }

    fn consequences(
        &self,
        recipe: &Recipe,
        component: &Component,
        opinion: Option<&Database>,
        terms: &mut Terms,
    ) -> Vec<Row> {
        let mut derivation = Derivation {
            database: self,
            opinion: opinion.map(|opinion| (component, opinion)),
            recipe,
            terms,
            bindings: vec![None; recipe.variables],
            found: Vec::new(),
        };
        derivation.run(&recipe.steps);
        derivation.found
    }
}

impl Fitting {
    fn extend(&mut self, join: &Join, facts: &Facts, terms: &Terms) {
        for row in &facts.rows[self.rows_seen..] {
            let mut bindings = join.no_bindings();
            if match_all(&join.patterns, row, &mut bindings, terms) {
                let known = pick(&join.known, &bindings);
                self.by_known.entry(known).or_default().push(pick(&join.fresh, &bindings).into());
            }
        }
        self.rows_seen = facts.rows.len();
    }
}

fn pick(variables: &[usize], bindings: &Bindings) -> Box<[Value]> {
    variables.iter().map(|variable| bindings[*variable].expect("bound by the plan")).collect()
}

/// The evaluation of one clause, depth first.
struct Derivation<'a> {
    database: &'a Database,
    opinion: Option<(&'a Component, &'a Database)>,
    recipe: &'a Recipe,
    terms: &'a mut Terms,
    bindings: Bindings,
    found: Vec<Row>,
}

impl<'a> Derivation<'a> {
    fn run(&mut self, steps: &'a [Step]) {
        let Some((step, rest)) = steps.split_first() else {
            let row = instantiate_all(&self.recipe.arguments, &self.bindings, self.terms);
            self.found.extend(row.map(Row::from));
            return;
        };
        match step {
            Step::Join(join) => return self.join(join, rest),
            Step::Check(relation, patterns) => {
                let row = instantiate_all(patterns, &self.bindings, self.terms);
                if row.is_none_or(|row| !self.database.holds(*relation, &row)) {
                    return;
                }
            }
            Step::Refute(relation, patterns) => {
                let row = instantiate_all(patterns, &self.bindings, self.terms);
                if row.is_none_or(|row| self.judge(*relation).holds(*relation, &row)) {
                    return;
                }
            }
            Step::Different(left, right) => {
                let left = left.instantiate(&self.bindings, self.terms);
                if left == right.instantiate(&self.bindings, self.terms) {
                    return;
                }
            }
            Step::Equal(left, right) => return self.equate(left, right, rest),
        }
        self.run(rest);
    }

    /// Who decides whether a negated fact holds.
    fn judge(&self, relation: Relation) -> &'a Database {
        match self.opinion {
            Some((component, opinion)) if component.relations.contains(&relation) => opinion,
            _ => self.database,
        }
    }

    fn join(&mut self, join: &'a Join, rest: &'a [Step]) {
        let database = self.database;
        let known = pick(&join.known, &self.bindings);
        for row in database.fitting[join.number].by_known.get(&known).into_iter().flatten() {
            for (variable, value) in join.fresh.iter().zip(row.iter()) {
                self.bindings[*variable] = Some(*value);
            }
            self.run(rest);
        }
        join.fresh.iter().for_each(|variable| self.bindings[*variable] = None);
    }

    fn equate(
        &mut self,
        left: &super::clause::Pattern,
        right: &super::clause::Pattern,
        rest: &'a [Step],
    ) {
        let before = self.bindings.clone();
        let left_value = left.instantiate(&self.bindings, self.terms);
        let right_value = right.instantiate(&self.bindings, self.terms);
        let equal = match (left_value, right_value) {
            (Some(value), _) => right.matches(value, &mut self.bindings, self.terms),
            (None, Some(value)) => left.matches(value, &mut self.bindings, self.terms),
            (None, None) => false,
        };
        if equal {
            self.run(rest);
        }
        self.bindings = before;
    }
}
