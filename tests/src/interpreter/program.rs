//! A description as clauses, grouped into components that are evaluated one
//! after the other.

use std::collections::BTreeSet;

use ruche_gdl::{Description, Symbol};
use rustc_hash::FxHashMap;

use super::Error;
use super::clause::{Bindings, Clause, Condition, Pattern, Signature, clauses_of};
use super::terms::Terms;

/// The number of a relation.
pub(super) type Relation = usize;

/// One step of evaluating a clause.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// For each row that fits; binds new variables.
    Join(Join),
    /// The row is there; all variables are known.
    Check(Relation, Vec<Pattern>),
    /// The row is not there; all variables are known.
    Refute(Relation, Vec<Pattern>),
    /// Both are the same; one side may bind variables.
    Equal(Pattern, Pattern),
    /// They differ; all variables are known.
    Different(Pattern, Pattern),
}

/// Rows of a relation, found by the values of the variables that are known.
#[derive(Clone, Debug)]
pub(super) struct Join {
    pub relation: Relation,
    pub patterns: Vec<Pattern>,
    pub known: Vec<usize>,
    pub fresh: Vec<usize>,
    /// Number of the join in the whole program.
    pub number: usize,
    /// How many variables the clause has.
    pub variables: usize,
}

impl Join {
    /// Bindings with nothing bound.
    pub fn no_bindings(&self) -> Bindings {
        vec![None; self.variables]
    }
}

/// A clause whose conditions are steps.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub head: Relation,
    pub arguments: Vec<Pattern>,
    pub steps: Vec<Step>,
    pub variables: usize,
}

/// Relations that depend on each other, and their clauses.
#[derive(Clone, Debug, Default)]
pub(super) struct Component {
    pub relations: BTreeSet<Relation>,
    pub recipes: Vec<Recipe>,
    /// Whether a clause uses a relation of the component.
    pub recursive: bool,
    /// Whether a clause negates a relation of the component.
    pub negating: bool,
}

/// A whole description.
#[derive(Clone, Debug, Default)]
pub(super) struct Program {
    relations: FxHashMap<Signature, Relation>,
    /// Each after all that it depends on.
    pub components: Vec<Component>,
    pub joins: usize,
}

impl Program {
    pub fn new(description: &Description, terms: &mut Terms) -> Result<Self, Error> {
        let mut program = Program::default();
        let mut recipes = Vec::new();
        for rule in &description.rules {
            for clause in clauses_of(rule, terms)? {
                recipes.push(program.recipe(clause));
            }
        }
        program.components = components(program.relations.len(), recipes);
        Ok(program)
    }

    /// How many relations there are.
    pub fn relation_count(&self) -> usize {
        self.relations.len()
    }

    /// The relation of this name, if the description mentions it.
    pub fn relation(&self, name: Symbol, arity: usize) -> Option<Relation> {
        self.relations.get(&(name, arity)).copied()
    }

    /// The components that the relations depend on, themselves included, in
    /// the order of evaluation.
    pub fn needed_for(&self, targets: &[Option<Relation>]) -> Vec<usize> {
        let mut wanted: BTreeSet<Relation> = targets.iter().flatten().copied().collect();
        let mut needed = Vec::new();
        for (number, component) in self.components.iter().enumerate().rev() {
            if !component.relations.is_disjoint(&wanted) {
                wanted
                    .extend(component.recipes.iter().flat_map(|recipe| recipe.uses().map(|u| u.0)));
                needed.push(number);
            }
        }
        needed.reverse();
        needed
    }

    /// For each relation whether it depends on one of the given ones.
    pub fn depending_on(&self, sources: &[Option<Relation>]) -> Vec<bool> {
        let mut depending = vec![false; self.relations.len()];
        sources.iter().flatten().for_each(|source| depending[*source] = true);
        for component in &self.components {
            let mut uses = component.recipes.iter().flat_map(Recipe::uses);
            if uses.any(|(used, _)| depending[used]) {
                component.relations.iter().for_each(|relation| depending[*relation] = true);
            }
        }
        depending
    }

    fn number(&mut self, signature: Signature) -> Relation {
        let fresh = self.relations.len();
        *self.relations.entry(signature).or_insert(fresh)
    }

    fn recipe(&mut self, clause: Clause) -> Recipe {
        let mut bound = BTreeSet::new();
        let mut steps = Vec::new();
        for condition in clause.conditions {
            let mut variables = BTreeSet::new();
            condition.collect_variables(&mut variables);
            steps.push(self.step(condition, &variables, &bound, clause.variables));
            bound.extend(variables);
        }
        let head = self.number(clause.head);
        Recipe { head, arguments: clause.arguments, steps, variables: clause.variables }
    }

    fn step(
        &mut self,
        condition: Condition,
        uses: &BTreeSet<usize>,
        bound: &BTreeSet<usize>,
        variables: usize,
    ) -> Step {
        match condition {
            Condition::Holds(signature, patterns) if uses.is_subset(bound) => {
                Step::Check(self.number(signature), patterns)
            }
            Condition::Holds(signature, patterns) => {
                let relation = self.number(signature);
                let known = uses.intersection(bound).copied().collect();
                let fresh = uses.difference(bound).copied().collect();
                self.joins += 1;
                let number = self.joins - 1;
                Step::Join(Join { relation, patterns, known, fresh, number, variables })
            }
            Condition::Fails(signature, patterns) => Step::Refute(self.number(signature), patterns),
            Condition::Equal(left, right) => Step::Equal(left, right),
            Condition::Different(left, right) => Step::Different(left, right),
        }
    }
}

impl Recipe {
    /// The relations in the conditions, and whether they are negated.
    fn uses(&self) -> impl Iterator<Item = (Relation, bool)> {
        self.steps.iter().filter_map(|step| match step {
            Step::Join(join) => Some((join.relation, false)),
            Step::Check(relation, _) => Some((*relation, false)),
            Step::Refute(relation, _) => Some((*relation, true)),
            Step::Equal(..) | Step::Different(..) => None,
        })
    }
}

/// The strongly connected components of the relations, what is used first.
fn components(relations: usize, recipes: Vec<Recipe>) -> Vec<Component> {
    let reaches = reachability(relations, &recipes);
    let together = |a: Relation, b: Relation| reaches[a].contains(&b) && reaches[b].contains(&a);
    let mut order: Vec<Relation> = (0..relations).collect();
    // Who uses another reaches all that the other reaches, and itself besides.
    order.sort_by_key(|relation| reaches[*relation].len());
    let mut components: Vec<Component> = Vec::new();
    let mut home = vec![0; relations];
    for relation in order {
        let found = components.iter().position(|component| {
            component.relations.first().is_some_and(|first| together(*first, relation))
        });
        home[relation] = found.unwrap_or(components.len());
        if found.is_none() {
            components.push(Component::default());
        }
        components[home[relation]].relations.insert(relation);
    }
    for recipe in recipes {
        components[home[recipe.head]].add(recipe);
    }
    components
}

impl Component {
    fn add(&mut self, recipe: Recipe) {
        let inside: Vec<bool> = recipe
            .uses()
            .filter(|(relation, _)| self.relations.contains(relation))
            .map(|(_, negated)| negated)
            .collect();
        self.recursive |= !inside.is_empty();
        self.negating |= inside.contains(&true);
        self.recipes.push(recipe);
    }
}

/// For each relation itself and all that it depends on.
fn reachability(relations: usize, recipes: &[Recipe]) -> Vec<BTreeSet<Relation>> {
    let mut direct = vec![BTreeSet::new(); relations];
    for recipe in recipes {
        direct[recipe.head].extend(recipe.uses().map(|(relation, _)| relation));
    }
    (0..relations).map(|start| reachable_from(start, &direct)).collect()
}

fn reachable_from(start: Relation, direct: &[BTreeSet<Relation>]) -> BTreeSet<Relation> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![start];
    while let Some(relation) = waiting.pop() {
        if reached.insert(relation) {
            waiting.extend(&direct[relation]);
        }
    }
    reached
}
