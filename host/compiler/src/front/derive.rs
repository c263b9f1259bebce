//! What the grounder does with a match: it stores the head.

use crate::front::join::{Bindings, Flow, Visitor, World};
use crate::front::program::Literal;
use crate::front::relation::AtomId;
use crate::front::terms::TermId;
use crate::limits::WorkLimits;

/// Adds the head of each match to its table.
pub(super) struct Derive<'r> {
    head: &'r Literal,
    arguments: Vec<TermId>,
    limits: &'r WorkLimits,
    rows_left: usize,
    /// Atoms that are new.
    pub(super) derived: usize,
    /// What is too large about a term.
    pub(super) excess: Option<Excess>,
}

/// What is too large about a term.
#[derive(Clone, Copy)]
pub(super) enum Excess {
    Depth,
    Size,
}

impl<'r> Derive<'r> {
    /// For matches of a rule with this head, when so many rows are stored.
    pub(super) fn new(head: &'r Literal, limits: &'r WorkLimits, rows: usize) -> Self {
        let rows_left = limits.rows.saturating_sub(rows);
        Derive { head, arguments: Vec::new(), limits, rows_left, derived: 0, excess: None }
    }

    fn excess(&self, world: &World) -> Option<Excess> {
        let WorkLimits { term_depth, term_size, .. } = *self.limits;
        let mut terms = self.arguments.iter();
        terms.find_map(|&term| match term {
            _ if world.terms.depth(term) > term_depth => Some(Excess::Depth),
            _ if world.terms.size(term) > term_size => Some(Excess::Size),
            _ => None,
        })
    }
}

impl Visitor for Derive<'_> {
    fn wants(&mut self, world: &mut World, bindings: &Bindings) -> bool {
        world.arguments(self.head, bindings, &mut self.arguments);
        world.tables[self.head.predicate].find(&self.arguments).is_none()
    }

    fn found(&mut self, world: &mut World, bindings: &Bindings, _: &[AtomId]) -> Flow {
        world.arguments(self.head, bindings, &mut self.arguments);
        self.excess = self.excess(world);
        if self.excess.is_some() {
            return Flow::Stop;
        }
        if world.tables[self.head.predicate].insert(&self.arguments) {
            self.derived += 1;
        }
        if self.derived > self.rows_left { Flow::Stop } else { Flow::HeadDone }
    }
}
