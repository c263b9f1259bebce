//! The plans of rules that are derived together, and which of them have something
//! to do: those that begin with a row that is new in this round.

use crate::front::plan::Plan;
use crate::front::program::RuleId;
use crate::front::terms::TermId;
use crate::front::views::{ViewId, Views};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Join plans with the rules that they belong to.
#[derive(Default)]
pub(super) struct Plans {
    /// For rules without growing literals.
    pub(super) once: Vec<(RuleId, Plan)>,
    /// One per growing literal of a rule (semi-naive): it reads the new rows,
    /// the growing literals before it the old ones, the others all.
    pub(super) each_round: Vec<(RuleId, Plan)>,
    readers: FxHashMap<ViewId, Readers>,
}

/// The plans that begin with a view.
#[derive(Default)]
struct Readers {
    /// With any row of it.
    any: Vec<usize>,
    /// With the rows that have these values in the columns of an index.
    by_values: BTreeMap<usize, FxHashMap<Vec<TermId>, Vec<usize>>>,
}

impl Plans {
    /// Adds a plan that begins with new rows.
    pub(super) fn add(&mut self, rule: RuleId, plan: Plan) {
        let (view, look_up) = plan.first_look_up().expect("it begins with a growing literal");
        let readers = self.readers.entry(view).or_default();
        let same = match look_up {
            None => &mut readers.any,
            Some((index, values)) => {
                readers.by_values.entry(index).or_default().entry(values).or_default()
            }
        };
        same.push(self.each_round.len());
        self.each_round.push((rule, plan));
    }

    /// Adds a plan that runs when any view that it reads has grown.
    pub(super) fn add_whole(&mut self, rule: RuleId, plan: Plan) {
        for view in plan.views() {
            let any = &mut self.readers.entry(view).or_default().any;
            if any.last() != Some(&self.each_round.len()) {
                any.push(self.each_round.len());
            }
        }
        self.each_round.push((rule, plan));
    }

    /// The plans that have something to do, in their order.
    pub(super) fn ready(&self, views: &Views) -> Vec<usize> {
        let mut ready = Vec::new();
        for &view in views.grown() {
            if let Some(readers) = self.readers.get(&view) {
                readers.ready(view, views, &mut ready);
            }
        }
        ready.sort_unstable();
        ready.dedup();
        ready
    }
}

impl Readers {
    fn ready(&self, view: ViewId, views: &Views, ready: &mut Vec<usize>) {
        ready.extend(&self.any);
        let mut values = Vec::new();
        for (&index, readers) in &self.by_values {
            for row in views[view].new_rows().iter() {
                views[view].indexed(index, row, &mut values);
                ready.extend(readers.get(&values).into_iter().flatten());
            }
        }
    }
}
