//! Join plans and their execution: nested index look-ups over views, with tests
//! as early as their variables are bound.

use crate::front::domains::Estimates;
use crate::front::join_order::{Candidate, greedy};
use crate::front::program::{Literal, Pattern, PredicateId, Rule, Test, VariableId};
use crate::front::relation::{AtomId, AtomTable, RowId, View, ViewId, Views, pattern_leaves};
use crate::front::terms::{TermId, Terms};
use crate::index::{Id, IndexVec, Span};
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

/// Which rows of a view a step reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rows {
    /// All that are visible.
    All,
    /// Those of the rounds before.
    Old,
    /// Those new in this round.
    New,
}

#[derive(Clone, Copy)]
enum Leaf {
    Variable(VariableId),
    Ground(TermId),
}

impl Leaf {
    fn of(pattern: &Pattern) -> Self {
        match pattern {
            Pattern::Variable(variable) => Leaf::Variable(*variable),
            Pattern::Ground(term) => Leaf::Ground(*term),
            Pattern::Compound(..) => unreachable!("leaves are not compounds"),
        }
    }

    #[inline]
    fn value(self, bindings: &Bindings) -> TermId {
        match self {
            Leaf::Variable(variable) => bindings[variable],
            Leaf::Ground(term) => term,
        }
    }
}

struct Scan {
    literal: usize,
    view: ViewId,
    /// Index over the bound columns and where their values come from.
    index: Option<(usize, Vec<Leaf>)>,
    binds: Vec<(u16, VariableId)>,
    /// A variable that the same literal binds in an earlier column.
    repeats: Vec<(u16, VariableId)>,
    rows: Rows,
}

impl Scan {
    /// Takes the value of a variable from a column.
    fn bind(&mut self, column: u16, variable: VariableId) {
        let is_repeated = self.binds.iter().any(|(_, other)| *other == variable);
        let list = if is_repeated { &mut self.repeats } else { &mut self.binds };
        list.push((column, variable));
    }
}

enum Step {
    Scan(Scan),
    Test(Test),
    Absent(Literal),
}

/// How to enumerate the matches of one rule.
pub(crate) struct Plan {
    steps: Vec<Step>,
    /// From this step on all variables of the head are bound.
    head_bound: usize,
    variables: usize,
    literals: usize,
}

/// What a plan reads of a rule.
pub(crate) struct Request<'r> {
    /// The rule.
    pub(crate) rule: &'r Rule,
    /// The positive literal to start with.
    pub(crate) first: Option<usize>,
    /// Rows of each positive literal.
    pub(crate) rows: &'r dyn Fn(usize) -> Rows,
    /// Negative literals that can be decided while joining.
    pub(crate) exact_negative: &'r dyn Fn(&Literal) -> bool,
}

impl Plan {
    /// Orders the conditions of a rule and prepares the indexes.
    pub(crate) fn new(request: &Request, estimates: &Estimates, views: &mut Views) -> Plan {
        let rule = request.rule;
        let candidates: Vec<_> =
            rule.positive.iter().map(|literal| Candidate::of(literal, estimates)).collect();
        let (order, _) = greedy(&candidates, request.first, rule.variables);
        let mut builder = Builder::new(request);
        builder.checks();
        for literal in order {
            builder.scan(literal, views);
            builder.checks();
        }
        builder.finish()
    }
}

struct Builder<'r> {
    request: &'r Request<'r>,
    steps: Vec<Step>,
    bound: IndexVec<VariableId, bool>,
    tests: Vec<Test>,
    negative: Vec<Literal>,
    head_bound: usize,
}

impl<'r> Builder<'r> {
    fn new(request: &'r Request<'r>) -> Self {
        let rule = request.rule;
        let exact = rule.negative.iter().filter(|literal| (request.exact_negative)(literal));
        let mut builder = Builder {
            request,
            steps: Vec::new(),
            bound: IndexVec::filled(false, rule.variables),
            tests: rule.tests.clone(),
            negative: exact.cloned().collect(),
            head_bound: usize::MAX,
        };
        builder.note_head();
        builder
    }

    fn is_bound(
        bound: &IndexVec<VariableId, bool>,
        for_each: impl FnOnce(&mut dyn FnMut(VariableId)),
    ) -> bool {
        let mut all = true;
        for_each(&mut |variable| all &= bound[variable]);
        all
    }

    fn note_head(&mut self) {
        let head = &self.request.rule.head;
        let done = Self::is_bound(&self.bound, |visit| head.for_each_variable(visit));
        if done && self.head_bound == usize::MAX {
            self.head_bound = self.steps.len();
        }
    }

    fn checks(&mut self) {
        let bound = &self.bound;
        let ready = |test: &mut Test| Self::is_bound(bound, |visit| test.for_each_variable(visit));
        self.steps.extend(self.tests.extract_if(.., ready).map(Step::Test));
        let ready =
            |literal: &mut Literal| Self::is_bound(bound, |visit| literal.for_each_variable(visit));
        self.steps.extend(self.negative.extract_if(.., ready).map(Step::Absent));
    }

    fn scan(&mut self, literal: usize, views: &mut Views) {
        let pattern = &self.request.rule.positive[literal];
        let view = views.for_literal(pattern);
        let mut leaves = Vec::new();
        pattern_leaves(&pattern.arguments, &mut leaves);
        let mut scan = Scan {
            literal,
            view,
            index: None,
            binds: Vec::new(),
            repeats: Vec::new(),
            rows: (self.request.rows)(literal),
        };
        let (mut columns, mut key) = (Vec::new(), Vec::new());
        for (leaf, column) in leaves.iter().map(Leaf::of).zip(0..) {
            match leaf {
                Leaf::Variable(variable) if !self.bound[variable] => scan.bind(column, variable),
                known => {
                    columns.push(column);
                    key.push(known);
                }
            }
        }
        if !columns.is_empty() {
            scan.index = Some((views.index(view, &columns), key));
        }
        scan.binds.iter().for_each(|(_, v)| self.bound[*v] = true);
        self.steps.push(Step::Scan(scan));
        self.note_head();
    }

    fn finish(self) -> Plan {
        Plan {
            steps: self.steps,
            head_bound: self.head_bound,
            variables: self.request.rule.variables,
            literals: self.request.rule.positive.len(),
        }
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

/// The execution of a plan.
pub(crate) struct Join<'j, V> {
    plan: &'j Plan,
    views: &'j Views,
    world: &'j mut World,
    visitor: &'j mut V,
    bindings: Bindings,
    atoms: Vec<AtomId>,
    /// The values of an index look-up.
    key: Vec<TermId>,
    /// Rows that may still be looked at.
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
        steps_left: &'j mut u64,
    ) -> Flow {
        let bindings = IndexVec::filled(TermId::new(0), plan.variables);
        let atoms = vec![AtomId::new(0); plan.literals];
        let key = Vec::new();
        Join { plan, views, world, visitor, bindings, atoms, key, steps_left }.step(0)
    }

    fn step(&mut self, depth: usize) -> Flow {
        if depth == self.plan.head_bound && !self.visitor.wants(self.world, &self.bindings) {
            return Flow::Continue;
        }
        let plan = self.plan;
        match plan.steps.get(depth) {
            None => self.visitor.found(self.world, &self.bindings, &self.atoms),
            Some(Step::Scan(scan)) => self.scan(scan, depth),
            Some(Step::Test(test)) => {
                let passes = self.world.passes(test, &self.bindings);
                if passes { self.step(depth + 1) } else { Flow::Continue }
            }
            Some(Step::Absent(literal)) => {
                let present = self.holds(literal);
                if present { Flow::Continue } else { self.step(depth + 1) }
            }
        }
    }

    fn holds(&mut self, literal: &Literal) -> bool {
        let mut arguments = Vec::with_capacity(literal.arguments.len());
        self.world.arguments(literal, &self.bindings, &mut arguments);
        self.world.tables[literal.predicate].find(&arguments).is_some()
    }

    fn scan(&mut self, scan: &Scan, depth: usize) -> Flow {
        let views = self.views;
        let view = &views[scan.view];
        let (first, end) = match scan.rows {
            Rows::All => (RowId::new(0), view.new_end),
            Rows::Old => (RowId::new(0), view.old_end),
            Rows::New => (view.old_end, view.new_end),
        };
        let Some((index, key)) = &scan.index else {
            return self.rows(scan, view, Span { start: first, end }, depth);
        };
        self.key.clear();
        self.key.extend(key.iter().map(|leaf| leaf.value(&self.bindings)));
        let mut row = view.newest(*index, &self.key);
        while let Some(current) = row.filter(|&r| r >= first) {
            if current < end {
                let flow = self.row(scan, view, current, depth);
                if self.ends(flow, depth) {
                    return flow;
                }
            }
            row = view.previous(*index, current);
        }
        Flow::Continue
    }

    fn rows(&mut self, scan: &Scan, view: &View, rows: Span<RowId>, depth: usize) -> Flow {
        for row in rows.iter() {
            let flow = self.row(scan, view, row, depth);
            if self.ends(flow, depth) {
                return flow;
            }
        }
        Flow::Continue
    }

    /// Whether the enumeration of a step at `depth` is over: always at a limit,
    /// and when the head is done and was already bound before this step.
    #[inline]
    fn ends(&self, flow: Flow, depth: usize) -> bool {
        match flow {
            Flow::Continue => false,
            Flow::HeadDone => depth >= self.plan.head_bound,
            Flow::Stop => true,
        }
    }

    #[inline]
    fn row(&mut self, scan: &Scan, view: &View, row: RowId, depth: usize) -> Flow {
        if *self.steps_left == 0 {
            return Flow::Stop;
        }
        *self.steps_left -= 1;
        let cells = view.row(row);
        for &(column, variable) in &scan.binds {
            self.bindings[variable] = cells[usize::from(column)];
        }
        let repeats = scan.repeats.iter();
        if !repeats.clone().all(|&(c, v)| cells[usize::from(c)] == self.bindings[v]) {
            return Flow::Continue;
        }
        self.atoms[scan.literal] = view.atom(row);
        self.step(depth + 1)
    }
}
