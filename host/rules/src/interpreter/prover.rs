//! Proves what holds in a state, from the goal down: a call is a relation with the
//! arguments that are known, and what was found for a call is kept as long as the state
//! is the same.
//!
//! Calls may need themselves. The first of a cycle, its leader, is then tried again until
//! a round brings nothing new; what it needed is complete when it is.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Halt;
use super::facts::{Facts, Fluents, Row};
use super::order::order;
use super::program::{Clause, Condition, Program, Relation};
use super::terms::{Bindings, Pattern, Terms, Value};

/// A relation and those of its arguments that are known.
type Call = (Relation, Box<[Option<Value>]>);

/// What was found for a call.
#[derive(Debug, Default)]
struct Table {
    rows: Rc<Vec<Row>>,
    known: FxHashSet<Row>,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Not tried in any round.
    #[default]
    New,
    /// Somebody tries it just now, at this depth.
    Open(usize),
    /// It was tried in this round, and needs what is open at this depth.
    Partial {
        round: u64,
        low: usize,
    },
    Complete,
}

/// Calls inside of calls at most; each takes some kilobytes of the stack.
const MOST_DEPTH: usize = 12_000;
/// Rows of all tables at most.
const MOST_ROWS: usize = 3_000_000;
/// Terms at most that may be seen in the life of an interpreter.
const MOST_TERMS: usize = 20_000_000;
/// Terms that nest deeper belong to games that never come to an end.
const MOST_NESTING: u32 = 60;
/// Steps between two looks at the clock.
const STEPS: u64 = 1 << 10;

pub(super) struct Prover {
    program: Arc<Program>,
    pub terms: Terms,
    facts: FxHashMap<Relation, Rc<Facts>>,
    orders: FxHashMap<(Relation, usize, u64), Rc<[usize]>>,
    /// Relations with a meaning of their own.
    state: Relation,
    does: Relation,
    fluents: Fluents,
    moves: Facts,
    tables: Vec<Table>,
    numbers: FxHashMap<Call, usize>,
    /// Tables of relations that depend on no state, which are kept.
    constants: FxHashMap<Call, Rc<Vec<Row>>>,
    rows: usize,
    depth: usize,
    round: u64,
    /// The least depth of what is open that was needed.
    low: usize,
    changes: u64,
    steps: u64,
    pub until: Option<Instant>,
}

impl Prover {
    pub fn new(program: Arc<Program>, terms: Terms, state: Relation, does: Relation) -> Self {
        let facts = |entry: &super::program::Entry| {
            let mut facts = Facts::default();
            entry.facts.iter().for_each(|row| facts.insert(row.as_ref().into()));
            Rc::new(facts)
        };
        let facts = program.entries.iter().map(facts).enumerate().collect();
        Self {
            program,
            terms,
            facts,
            orders: FxHashMap::default(),
            state,
            does,
            fluents: Fluents::default(),
            moves: Facts::default(),
            tables: Vec::new(),
            numbers: FxHashMap::default(),
            constants: FxHashMap::default(),
            rows: 0,
            depth: 0,
            round: 0,
            low: usize::MAX,
            changes: 0,
            steps: 0,
            until: None,
        }
    }

    /// From now on this is the state, and nobody does anything.
    pub fn set_state(&mut self, fluents: &[Value]) {
        self.forget();
        self.fluents = Fluents::new(fluents, &self.terms);
        self.moves = Facts::default();
    }

    /// From now on this is what roles do.
    pub fn set_moves(&mut self, moves: impl Iterator<Item = [Value; 2]>) {
        self.forget();
        self.moves = Facts::default();
        moves.for_each(|row| self.moves.insert(row.as_slice().into()));
    }

    fn forget(&mut self) {
        self.tables.clear();
        self.numbers.clear();
        (self.rows, self.depth, self.low) = (0, 0, usize::MAX);
    }

    /// All rows of a relation that agree with what is known.
    pub fn ask(
        &mut self,
        relation: Relation,
        known: Box<[Option<Value>]>,
    ) -> Result<Rc<Vec<Row>>, Halt> {
        self.steps = 0;
        self.depth = 0;
        let asked = self.call(relation, known);
        if asked.is_err() {
            self.forget();
        }
        asked
    }

    fn step(&mut self) -> Result<(), Halt> {
        self.steps += 1;
        if !self.steps.is_multiple_of(STEPS) {
            return Ok(());
        }
        if self.rows > MOST_ROWS || self.terms.len() > MOST_TERMS {
            return Err(Halt::Large);
        }
        match self.until {
            Some(until) if Instant::now() >= until => Err(Halt::Late),
            _ => Ok(()),
        }
    }

    /// What is known for a call now; all of it, unless the call needs itself.
    fn call(
        &mut self,
        relation: Relation,
        known: Box<[Option<Value>]>,
    ) -> Result<Rc<Vec<Row>>, Halt> {
        self.step()?;
        if relation == self.does {
            return Ok(self.moves.candidates(&known));
        }
        let entry = &self.program.entries[relation];
        let (is_dynamic, is_derived) = (entry.is_dynamic, !entry.clauses.is_empty());
        if !is_derived {
            return Ok(self.facts[&relation].candidates(&known));
        }
        let call = (relation, known);
        if !is_dynamic && let Some(rows) = self.constants.get(&call) {
            return Ok(Rc::clone(rows));
        }
        let number = match self.numbers.get(&call) {
            Some(&number) => number,
            None => {
                self.tables.push(Table::default());
                self.numbers.insert(call.clone(), self.tables.len() - 1);
                self.tables.len() - 1
            }
        };
        match self.tables[number].stage {
            Stage::Complete => {}
            Stage::Open(depth) => self.low = self.low.min(depth),
            Stage::Partial { round, low } if round == self.round => self.low = self.low.min(low),
            Stage::New | Stage::Partial { .. } => self.complete(&call, number)?,
        }
        let table = &self.tables[number];
        if !is_dynamic && table.stage == Stage::Complete {
            self.constants.insert(call, Rc::clone(&table.rows));
        }
        Ok(Rc::clone(&table.rows))
    }

    /// Tries all clauses of a call, over and over if it leads a cycle.
    fn complete(&mut self, call: &Call, number: usize) -> Result<(), Halt> {
        if self.depth >= MOST_DEPTH {
            return Err(Halt::Deep);
        }
        let depth = self.depth;
        let outer = std::mem::replace(&mut self.low, usize::MAX);
        self.depth += 1;
        self.tables[number].stage = Stage::Open(depth);
        let low = loop {
            let before = self.changes;
            self.low = usize::MAX;
            self.clauses(call, number)?;
            if self.low != depth || self.changes == before {
                break self.low;
            }
            self.round += 1;
        };
        self.depth = depth;
        if low < depth {
            self.tables[number].stage = Stage::Partial { round: self.round, low };
            self.lower(depth, low);
        } else {
            self.tables[number].stage = Stage::Complete;
            self.settle(depth, low == depth);
        }
        self.low = outer.min(if low < depth { low } else { usize::MAX });
        Ok(())
    }

    /// What needed a call that is not complete needs what that needs.
    fn lower(&mut self, depth: usize, to: usize) {
        for table in &mut self.tables {
            if let Stage::Partial { low, .. } = &mut table.stage
                && *low >= depth
            {
                *low = to;
            }
        }
    }

    /// What needed only the leader of a cycle is complete with it.
    fn settle(&mut self, depth: usize, is_leader: bool) {
        if !is_leader {
            return;
        }
        for table in &mut self.tables {
            if matches!(table.stage, Stage::Partial { low, .. } if low >= depth) {
                table.stage = Stage::Complete;
            }
        }
    }

    fn clauses(&mut self, call: &Call, number: usize) -> Result<(), Halt> {
        let (relation, known) = call;
        for row in self.facts[relation].candidates(known).iter() {
            if agrees(row, known) {
                self.found(number, Rc::clone(row));
            }
        }
        let program = Arc::clone(&self.program);
        let is_check = known.iter().all(Option::is_some);
        for (index, clause) in program.entries[*relation].clauses.iter().enumerate() {
            if is_check && !self.tables[number].rows.is_empty() {
                break;
            }
            let mut bindings = vec![None; clause.variables];
            let mut trail = Vec::new();
            let fits = clause.head.iter().zip(known).all(|(pattern, value)| {
                value.is_none_or(|value| {
                    self.terms.matches(pattern, value, &mut bindings, &mut trail)
                })
            });
            if fits {
                let order = self.order(*relation, index, clause, known);
                let goal = Goal { clause, order: &order, number, is_check };
                self.conditions(&goal, 0, &mut bindings)?;
            }
        }
        Ok(())
    }

    fn order(
        &mut self,
        relation: Relation,
        index: usize,
        clause: &Clause,
        known: &[Option<Value>],
    ) -> Rc<[usize]> {
        let bits = known.iter().enumerate().filter(|(_, value)| value.is_some());
        let mask = bits.fold(0, |mask, (place, _)| mask | 1_u64 << place.min(63));
        if let Some(order) = self.orders.get(&(relation, index, mask)) {
            return Rc::clone(order);
        }
        let found: Rc<[usize]> = order(&self.program, (self.state, self.does), clause, mask).into();
        self.orders.insert((relation, index, mask), Rc::clone(&found));
        found
    }

    fn found(&mut self, number: usize, row: Row) {
        let table = &mut self.tables[number];
        if table.known.insert(Rc::clone(&row)) {
            Rc::make_mut(&mut table.rows).push(row);
            self.changes += 1;
            self.rows += 1;
        }
    }

    fn conditions(
        &mut self,
        goal: &Goal<'_>,
        at: usize,
        bindings: &mut Bindings,
    ) -> Result<(), Halt> {
        let Some(&next) = goal.order.get(at) else { return self.conclude(goal, bindings) };
        match &goal.clause.conditions[next] {
            Condition::Holds(relation, patterns) => {
                self.holds(goal, at, (*relation, patterns), bindings)
            }
            Condition::Fails(relation, patterns) => {
                match self.is_true(*relation, patterns, bindings)? {
                    true => Ok(()),
                    false => self.conditions(goal, at + 1, bindings),
                }
            }
            Condition::Different(one, other) => {
                let values = [one, other].map(|each| self.terms.instance(each, bindings));
                match values[0] == values[1] {
                    true => Ok(()),
                    false => self.conditions(goal, at + 1, bindings),
                }
            }
            Condition::Equal(one, other) => {
                let (pattern, value) = match self.terms.instance(one, bindings) {
                    Some(value) => (other, Some(value)),
                    None => (one, self.terms.instance(other, bindings)),
                };
                let mut trail = Vec::new();
                let fits =
                    value.is_some_and(|it| self.terms.matches(pattern, it, bindings, &mut trail));
                let result = if fits { self.conditions(goal, at + 1, bindings) } else { Ok(()) };
                trail.into_iter().for_each(|number| bindings[number] = None);
                result
            }
        }
    }

    fn conclude(&mut self, goal: &Goal<'_>, bindings: &Bindings) -> Result<(), Halt> {
        let head = goal.clause.head.iter();
        let row: Option<Row> = head.map(|each| self.terms.instance(each, bindings)).collect();
        // A clause that leaves variables of its head open says nothing.
        let Some(row) = row else { return Ok(()) };
        if row.iter().any(|value| self.terms.depth(*value) > MOST_NESTING) {
            return Err(Halt::Large);
        }
        self.found(goal.number, row);
        Ok(())
    }

    /// Tries each row that a condition may mean.
    fn holds(
        &mut self,
        goal: &Goal<'_>,
        at: usize,
        (relation, patterns): (Relation, &[Pattern]),
        bindings: &mut Bindings,
    ) -> Result<(), Halt> {
        let rows = match (relation == self.state, patterns) {
            (true, [Pattern::Compound(function, inner)]) => {
                let known = self.known(inner, bindings);
                let key = (*function, inner.len());
                self.step()?;
                let known = known.into_iter().chain([None]).collect::<Vec<_>>();
                let facts = self.fluents.by_function.get(&key);
                let rows = facts.map(|facts| facts.candidates(&known)).unwrap_or_default();
                return self.each(goal, at, (inner, &rows), bindings);
            }
            (true, [pattern]) => self.fluent_rows(pattern, bindings)?,
            _ => {
                let known = self.known(patterns, bindings);
                self.call(relation, known)?
            }
        };
        self.each(goal, at, (patterns, &rows), bindings)
    }

    /// Goes on with each row that the patterns match; rows may be longer than those.
    fn each(
        &mut self,
        goal: &Goal<'_>,
        at: usize,
        (patterns, rows): (&[Pattern], &[Row]),
        bindings: &mut Bindings,
    ) -> Result<(), Halt> {
        let mut trail = Vec::new();
        for row in rows {
            let mut pairs = patterns.iter().zip(row.iter());
            let fits =
                pairs.all(|(each, value)| self.terms.matches(each, *value, bindings, &mut trail));
            let result = if fits { self.conditions(goal, at + 1, bindings) } else { Ok(()) };
            trail.drain(..).for_each(|number| bindings[number] = None);
            result?;
            if goal.is_check && !self.tables[goal.number].rows.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Fluents that a variable or a ground term stands for.
    fn fluent_rows(
        &mut self,
        pattern: &Pattern,
        bindings: &Bindings,
    ) -> Result<Rc<Vec<Row>>, Halt> {
        self.step()?;
        let rows = match self.terms.instance(pattern, bindings) {
            Some(value) if self.fluents.all.contains(&value) => vec![[value].into()],
            Some(_) => Vec::new(),
            None => self.fluents.all.iter().map(|value| [*value].into()).collect(),
        };
        Ok(Rc::new(rows))
    }

    fn known(&mut self, patterns: &[Pattern], bindings: &Bindings) -> Box<[Option<Value>]> {
        patterns.iter().map(|pattern| self.terms.instance(pattern, bindings)).collect()
    }

    fn is_true(
        &mut self,
        relation: Relation,
        patterns: &[Pattern],
        bindings: &Bindings,
    ) -> Result<bool, Halt> {
        let known = self.known(patterns, bindings);
        if relation == self.state {
            let fluent = known.first().copied().flatten();
            return Ok(fluent.is_some_and(|value| self.fluents.all.contains(&value)));
        }
        let rows = self.call(relation, known.clone())?;
        Ok(rows.iter().any(|row| agrees(row, &known)))
    }
}

/// A clause that is proved for a call.
struct Goal<'a> {
    clause: &'a Clause,
    order: &'a [usize],
    /// The table of the call.
    number: usize,
    /// Whether one row is enough.
    is_check: bool,
}

fn agrees(row: &[Value], known: &[Option<Value>]) -> bool {
    row.iter().zip(known).all(|(value, known)| known.is_none_or(|known| known == *value))
}
