//! The execution of join plans: nested index look-ups over views. Without recursion:
//! a rule can have as many conditions as the source has words.

use crate::front::plan::{Plan, Rows, Scan, Step};
use crate::front::program::{Literal, Pattern, PredicateId, Test, VariableId};
use crate::front::relation::{AtomId, AtomTable};
use crate::front::terms::{TermId, Terms};
use crate::front::view::{RowId, View};
use crate::front::views::Views;
use crate::index::{Id, IndexVec};
use ruche_gdl::Symbols;

/// The term of each variable of a rule.
pub(crate) type Bindings = IndexVec<VariableId, TermId>;

/// Terms and atoms: what joins read besides views and what they add to.
pub(crate) struct World {
    /// All ground terms.
    pub(crate) terms: Terms,
    /// The atoms of each predicate.
    pub(crate) tables: IndexVec<PredicateId, AtomTable>,
}

impl World {
    /// The ground term of a pattern, made if it is new.
    pub(crate) fn build(&mut self, pattern: &Pattern, bindings: &Bindings) -> TermId {
        match pattern {
            Pattern::Variable(variable) => bindings[*variable],
            Pattern::Ground(term) => *term,
            Pattern::Compound(functor, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(|a| self.build(a, bindings)).collect();
                self.terms.compound(*functor, &arguments)
            }
        }
    }

    /// The ground arguments of a literal.
    pub(crate) fn arguments(
        &mut self,
        literal: &Literal,
        bindings: &Bindings,
        into: &mut Vec<TermId>,
    ) {
        into.clear();
        for pattern in &literal.arguments {
            let term = self.build(pattern, bindings);
            into.push(term);
        }
    }

    /// An atom as GDL text.
    pub(crate) fn atom_text(
        &self,
        relation: &str,
        arguments: &[TermId],
        symbols: &Symbols,
    ) -> String {
        if arguments.is_empty() {
            return relation.to_owned();
        }
        let terms = arguments.iter().map(|&term| self.terms.text(term, symbols));
        format!("({relation} {})", terms.collect::<Vec<_>>().join(" "))
    }

    fn passes(&mut self, test: &Test, bindings: &Bindings) -> bool {
        let same = self.build(&test.left, bindings) == self.build(&test.right, bindings);
        same == test.equal
    }
}

/// What to do after a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flow {
    /// Go on with the next one.
    Continue,
    /// Another match with the same head brings nothing new.
    HeadDone,
    /// A limit is reached.
    Stop,
}

/// Receives the matches of a join.
pub(crate) trait Visitor {
    /// Called once all variables of the head are bound: false skips the rest.
    fn wants(&mut self, world: &mut World, bindings: &Bindings) -> bool;
    /// Called for every match; `atoms` has the atom of each positive literal.
    fn found(&mut self, world: &mut World, bindings: &Bindings, atoms: &[AtomId]) -> Flow;
}

/// What joins write into, kept from one to the next.
#[derive(Default)]
pub(crate) struct Scratch {
    bindings: Bindings,
    atoms: Vec<AtomId>,
    /// The values of an index look-up.
    key: Vec<TermId>,
    /// The scans that are under way, outermost first.
    path: Vec<Cursor>,
}

/// Where a scan is.
struct Cursor {
    /// The step of the scan.
    step: usize,
    /// The row that comes next; an index leads from the newest row back.
    next: Option<RowId>,
    first: RowId,
    end: RowId,
}

/// The execution of a plan.
pub(crate) struct Join<'j, V> {
    plan: &'j Plan,
    views: &'j Views,
    world: &'j mut World,
    visitor: &'j mut V,
    scratch: &'j mut Scratch,
    /// Rows and conditions that may still be looked at.
    steps_left: &'j mut u64,
}

impl<'j, V: Visitor> Join<'j, V> {
    /// Runs the plan; `Flow::Stop` if `steps_left` was used up or the visitor
    /// said so.
    pub(crate) fn run(
        plan: &'j Plan,
        views: &'j Views,
        world: &'j mut World,
        visitor: &'j mut V,
        scratch: &'j mut Scratch,
        steps_left: &'j mut u64,
    ) -> Flow {
        scratch.path.clear();
        scratch.bindings.grow(TermId::new(0), plan.variables);
        if scratch.atoms.len() < plan.literals {
            scratch.atoms.resize(plan.literals, AtomId::new(0));
        }
        Join { plan, views, world, visitor, scratch, steps_left }.walk()
    }

    /// Goes down as long as conditions hold, and back to the last scan that has a
    /// further row when they do not.
    fn walk(&mut self) -> Flow {
        let mut step = 0;
        loop {
            match self.descend(step) {
                Flow::Continue => {}
                Flow::HeadDone => self.leave_head(),
                Flow::Stop => return Flow::Stop,
            }
            match self.next_row() {
                Ok(Some(next)) => step = next,
                Ok(None) => return Flow::Continue,
                Err(OutOfSteps) => return Flow::Stop,
            }
        }
    }

    /// Takes steps up to the next scan, or the match.
    fn descend(&mut self, mut step: usize) -> Flow {
        let plan = self.plan;
        loop {
            let bindings = &self.scratch.bindings;
            if step == plan.head_bound && !self.visitor.wants(self.world, bindings) {
                return Flow::Continue;
            }
            let holds = match plan.steps.get(step) {
                None => {
                    if self.spend(plan.undecided).is_err() {
                        return Flow::Stop;
                    }
                    let Scratch { bindings, atoms, .. } = &*self.scratch;
                    return self.visitor.found(self.world, bindings, &atoms[..plan.literals]);
                }
                Some(Step::Scan(scan)) => {
                    self.open(scan, step);
                    return Flow::Continue;
                }
                Some(Step::Test(test)) => self.world.passes(test, bindings),
                Some(Step::Absent(literal)) => !self.holds(literal),
            };
            if self.spend(1).is_err() {
                return Flow::Stop;
            }
            if !holds {
                return Flow::Continue;
            }
            step += 1;
        }
    }

    /// Leaves the scans that began when the head was bound: another match with the
    /// same head brings nothing new.
    fn leave_head(&mut self) {
        let bound = self.plan.head_bound;
        while self.scratch.path.pop_if(|cursor| cursor.step >= bound).is_some() {}
    }

    fn holds(&mut self, literal: &Literal) -> bool {
        let mut arguments = std::mem::take(&mut self.scratch.key);
        self.world.arguments(literal, &self.scratch.bindings, &mut arguments);
        let found = self.world.tables[literal.predicate].find(&arguments);
        self.scratch.key = arguments;
        found.is_some()
    }

    /// Begins a scan.
    fn open(&mut self, scan: &Scan, step: usize) {
        let view = &self.views[scan.view];
        let (first, end) = match scan.rows {
            Rows::All => (RowId::new(0), view.new_end),
            Rows::Old => (RowId::new(0), view.old_end),
            Rows::New => (view.old_end, view.new_end),
        };
        let next = match &scan.index {
            None => Some(first),
            Some((index, key)) => {
                let Scratch { bindings, key: values, .. } = &mut *self.scratch;
                values.clear();
                values.extend(key.iter().map(|leaf| leaf.value(bindings)));
                view.newest(*index, values)
            }
        };
        self.scratch.path.push(Cursor { step, next, first, end });
    }

    /// Takes the next row of the innermost scan that has one; the step to go on
    /// with, if there is any.
    fn next_row(&mut self) -> Result<Option<usize>, OutOfSteps> {
        let (plan, views) = (self.plan, self.views);
        while let Some(cursor) = self.scratch.path.last_mut() {
            let step = cursor.step;
            let Step::Scan(scan) = &plan.steps[step] else { unreachable!("cursors are of scans") };
            let view = &views[scan.view];
            let Some(row) = cursor.advance(scan, view) else {
                self.scratch.path.pop();
                continue;
            };
            self.spend(1)?;
            if self.scratch.path.last().is_some_and(|cursor| row < cursor.end)
                && self.take(scan, view, row)
            {
                return Ok(Some(step + 1));
            }
        }
        Ok(None)
    }

    /// Binds the variables of a row; false if it does not fit.
    #[inline]
    fn take(&mut self, scan: &Scan, view: &View, row: RowId) -> bool {
        let cells = view.row(row);
        let Scratch { bindings, atoms, .. } = &mut *self.scratch;
        for &(column, variable) in &scan.binds {
            bindings[variable] = cells[usize::from(column)];
        }
        atoms[scan.literal] = view.atom(row);
        scan.repeats.iter().all(|&(c, v)| cells[usize::from(c)] == bindings[v])
    }

    #[inline]
    fn spend(&mut self, steps: usize) -> Result<(), OutOfSteps> {
        let left = self.steps_left.checked_sub(steps as u64);
        *self.steps_left = left.unwrap_or(0);
        left.map(|_| ()).ok_or(OutOfSteps)
    }
}

/// The limit of join steps is reached.
struct OutOfSteps;

impl Cursor {
    /// The row that is next, which may be too new.
    #[inline]
    fn advance(&mut self, scan: &Scan, view: &View) -> Option<RowId> {
        let row = self.next?;
        match &scan.index {
            None if row >= self.end => return None,
            None => self.next = Some(row.plus(1)),
            Some(_) if row < self.first => return None,
            Some((index, _)) => self.next = view.previous(*index, row),
        }
        Some(row)
    }
}
