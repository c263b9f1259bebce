//! The ground program as GDL: facts for what never changes, clauses for the rest.
//! Conditions that always hold are left out, so that the text is again a description
//! of the game, one without variables.

use crate::Grounded;
use crate::emit::EmitError;
use crate::front::ground::Ground;
use crate::front::join::{Bindings, Flow, Join, Visitor, World};
use crate::front::plan::Rows;
use crate::front::program::{Kind, Literal, PredicateId, Rule};
use crate::front::relation::AtomId;
use crate::front::terms::TermId;
use crate::index::IndexVec;
use ruche_gdl::Symbols;
use rustc_hash::FxHashSet;
use std::io::Write;

pub(super) fn write(grounded: &mut Grounded, out: &mut dyn Write) -> Result<(), EmitError> {
    let limit = grounded.options.limits.join_steps;
    let Grounded { ground, symbols, .. } = grounded;
    writeln!(out, "; ground program")?;
    for predicate in ground.predicates.ids() {
        let is_fact =
            !ground.dynamic[predicate] && ground.predicates[predicate].kind == Kind::Named;
        let table = &ground.world.tables[predicate];
        for atom in table.atoms().filter(|_| is_fact) {
            writeln!(out, "{}", ground.atom_text(predicate, atom, symbols))?;
        }
    }
    let names = Names {
        symbols,
        relations: ground.predicates.ids().map(|predicate| ground.relation(predicate)).collect(),
        is_condition: conditions(ground),
    };
    let rules = std::mem::take(&mut ground.rules);
    for rule in rules.iter().filter(|rule| names.is_condition[rule.head.predicate]) {
        let clauses = clauses(ground, rule, &names)
            .ok_or_else(|| ground.limit_reached("join steps", limit, rule))?;
        clauses.iter().try_for_each(|clause| writeln!(out, "{clause}"))?;
    }
    ground.rules = rules;
    Ok(())
}

/// Predicates that have clauses: they can change, and are more than a domain.
fn conditions(ground: &Ground) -> IndexVec<PredicateId, bool> {
    let kinds = ground.predicates.iter().map(|predicate| predicate.kind);
    let both = kinds.zip(&ground.dynamic);
    both.map(|(kind, is_dynamic)| *is_dynamic && kind != Kind::Domain).collect()
}

/// What all rules need to be written.
struct Names<'d> {
    symbols: &'d Symbols,
    relations: IndexVec<PredicateId, String>,
    is_condition: IndexVec<PredicateId, bool>,
}

/// The instances of a rule, each once; nothing if there are too many.
fn clauses(ground: &mut Ground, rule: &Rule, names: &Names) -> Option<Vec<String>> {
    let plan = ground.plan(rule, None, &|_| Rows::All);
    if !ground.show_all() {
        return None;
    }
    let mut writer = Writer { rule, names, seen: FxHashSet::default(), clauses: Vec::new() };
    let Ground { views, world, scratch, join_steps_left, .. } = &mut *ground;
    let flow = Join::run(&plan, views, world, &mut writer, scratch, join_steps_left);
    (flow != Flow::Stop).then_some(writer.clauses)
}

struct Writer<'w> {
    rule: &'w Rule,
    names: &'w Names<'w>,
    seen: FxHashSet<String>,
    clauses: Vec<String>,
}

impl Writer<'_> {
    fn atom(&self, world: &mut World, literal: &Literal, bindings: &Bindings) -> String {
        let mut arguments: Vec<TermId> = Vec::new();
        world.arguments(literal, bindings, &mut arguments);
        let Names { relations, symbols, .. } = self.names;
        world.atom_text(&relations[literal.predicate], &arguments, symbols)
    }

    /// Whether an atom can hold at all.
    fn can_hold(&self, world: &mut World, literal: &Literal, bindings: &Bindings) -> bool {
        let mut arguments = Vec::new();
        world.arguments(literal, bindings, &mut arguments);
        world.tables[literal.predicate].find(&arguments).is_some()
    }

    fn body(&self, world: &mut World, bindings: &Bindings) -> String {
        let is_condition = |literal: &&Literal| self.names.is_condition[literal.predicate];
        let mut body = String::new();
        for literal in self.rule.positive.iter().filter(is_condition) {
            body += &format!(" {}", self.atom(world, literal, bindings));
        }
        for literal in self.rule.negative.iter().filter(is_condition) {
            if self.can_hold(world, literal, bindings) {
                body += &format!(" (not {})", self.atom(world, literal, bindings));
            }
        }
        body
    }
}

impl Visitor for Writer<'_> {
    fn wants(&mut self, _: &mut World, _: &Bindings) -> bool {
        true
    }

    fn found(&mut self, world: &mut World, bindings: &Bindings, _: &[AtomId]) -> Flow {
        let head = self.atom(world, &self.rule.head, bindings);
        let body = self.body(world, bindings);
        let clause = if body.is_empty() { head } else { format!("(<= {head}{body})") };
        if self.seen.insert(clause.clone()) {
            self.clauses.push(clause);
        }
        Flow::Continue
    }
}
