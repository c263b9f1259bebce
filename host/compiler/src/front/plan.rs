//! Join plans: in which order the conditions of a rule are looked up, with tests
//! as early as their variables are bound.

use crate::front::domains::Estimates;
use crate::front::join::{Bindings, World};
use crate::front::join_order::{Candidate, greedy};
use crate::front::program::{Literal, Pattern, Rule, Test, VariableId};
use crate::front::terms::TermId;
use crate::front::view::pattern_leaves;
use crate::front::views::{ViewId, Views};
use crate::index::IndexVec;

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

/// A column of a look-up.
#[derive(Clone, Copy)]
pub(super) enum Leaf {
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
    pub(super) fn value(self, bindings: &Bindings) -> TermId {
        match self {
            Leaf::Variable(variable) => bindings[variable],
            Leaf::Ground(term) => term,
        }
    }
}

/// Goes through the rows of a view.
pub(super) struct Scan {
    /// The positive literal that it stands for.
    pub(super) literal: usize,
    pub(super) view: ViewId,
    /// Index over the bound columns and where their values come from.
    pub(super) index: Option<(usize, Vec<Leaf>)>,
    pub(super) binds: Vec<(u16, VariableId)>,
    /// A variable that the same literal binds in an earlier column.
    pub(super) repeats: Vec<(u16, VariableId)>,
    pub(super) rows: Rows,
}

impl Scan {
    /// Takes the value of a variable from a column.
    fn bind(&mut self, column: u16, variable: VariableId) {
        let is_repeated = self.binds.iter().any(|(_, other)| *other == variable);
        let list = if is_repeated { &mut self.repeats } else { &mut self.binds };
        list.push((column, variable));
    }
}

/// What is done for one condition.
pub(super) enum Step {
    Scan(Scan),
    Test(Test),
    Absent(Literal),
}

impl Step {
    fn as_scan(&self) -> Option<&Scan> {
        if let Step::Scan(scan) = self { Some(scan) } else { None }
    }
}

/// An index of a view and the values of its columns.
pub(crate) type LookUp = (usize, Vec<TermId>);

/// How to enumerate the matches of one rule.
pub(crate) struct Plan {
    pub(super) steps: Vec<Step>,
    /// From this step on all variables of the head are bound.
    pub(super) head_bound: usize,
    pub(super) variables: usize,
    pub(super) literals: usize,
    /// Negative literals that the join leaves to whoever gets the match.
    pub(super) undecided: usize,
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
    pub(crate) fn new(
        request: &Request,
        estimates: &Estimates,
        views: &mut Views,
        world: &World,
    ) -> Plan {
        let rule = request.rule;
        let candidates: Vec<_> =
            rule.positive.iter().map(|literal| Candidate::of(literal, estimates)).collect();
        let (order, _) = greedy(&candidates, request.first, rule.variables);
        let mut builder = Builder::new(request);
        builder.checks();
        for literal in order {
            builder.scan(literal, views, world);
            builder.checks();
        }
        builder.finish()
    }

    /// How many steps it has.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// What the first scan reads: a view, and the values that it looks up there.
    pub(crate) fn first_look_up(&self) -> Option<(ViewId, Option<LookUp>)> {
        let scan = self.steps.iter().find_map(Step::as_scan)?;
        let value = |leaf: &Leaf| match leaf {
            Leaf::Ground(term) => *term,
            Leaf::Variable(_) => unreachable!("nothing is bound before the first scan"),
        };
        let look_up = scan.index.as_ref();
        Some((scan.view, look_up.map(|(index, key)| (*index, key.iter().map(value).collect()))))
    }

    /// The views that it reads.
    pub(crate) fn views(&self) -> impl Iterator<Item = ViewId> {
        self.steps.iter().filter_map(Step::as_scan).map(|scan| scan.view)
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

    fn scan(&mut self, literal: usize, views: &mut Views, world: &World) {
        let pattern = &self.request.rule.positive[literal];
        let view = views.for_literal(pattern, &world.tables, &world.terms);
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
        let decided = self.steps.iter().filter(|step| matches!(step, Step::Absent(_))).count();
        Plan {
            undecided: self.request.rule.negative.len() - decided,
            steps: self.steps,
            head_bound: self.head_bound,
            variables: self.request.rule.variables,
            literals: self.request.rule.positive.len(),
        }
    }
}
