//! Which ground atoms can ever hold: bottom-up, semi-naive. Static relations are
//! computed exactly; everything that depends on the state or on moves is
//! computed for the relaxed game, in which every negated dynamic condition may
//! hold and facts accumulate.

use crate::error::CompileError;
use crate::front::derive::{Derive, Excess};
use crate::front::domains::Estimates;
use crate::front::join::{Flow, Join, Scratch, World};
use crate::front::plan::{Plan, Request, Rows};
use crate::front::plans::Plans;
use crate::front::program::{
    DOES, INIT, Kind, LEGAL, Literal, NEXT, Pattern, Predicate, PredicateId, Program, ROLE, Rule,
    RuleId, TRUE, rules_by_head,
};
use crate::front::relation::{AtomId, AtomTable};
use crate::front::views::Views;
use crate::graph::Graph;
use crate::index::{Id, IndexVec, first};
use crate::limits::WorkLimits;
use ruche_gdl::{Place, Symbols};
use std::cmp::Ordering;

/// Rules with more growing conditions are matched as a whole whenever one of them
/// has grown: a plan for each would be as large as the rule.
const MOST_PLANS: usize = 64;

/// Join steps that making a step of a plan counts for.
const PLANNING: u64 = 16;

/// The atoms of a game, and what later steps need to instantiate its rules.
pub(crate) struct Ground {
    /// The predicates of the program.
    pub(crate) predicates: IndexVec<PredicateId, Predicate>,
    /// The rules of the program, without those that only describe reachability.
    pub(crate) rules: IndexVec<RuleId, Rule>,
    /// Terms and atoms.
    pub(crate) world: World,
    /// The views that joins have used so far.
    pub(crate) views: Views,
    /// Whether a predicate can change during a game.
    pub(crate) dynamic: IndexVec<PredicateId, bool>,
    /// For join orders.
    pub(crate) estimates: Estimates,
    /// Rows and conditions that joins may still look at.
    pub(crate) join_steps_left: u64,
    /// For joins.
    pub(crate) scratch: Scratch,
}

/// Computes all atoms that can ever hold.
pub(crate) fn ground(
    program: Program,
    estimates: Estimates,
    limits: &WorkLimits,
) -> Result<Ground, CompileError> {
    let game_rules = program.rules.len();
    let tables = program.predicates.iter().map(|p| AtomTable::new(p.arity)).collect();
    let mut rules = program.rules;
    rules.extend(reachability_rules());
    let strata = Strata::of(&program.predicates, &rules);
    let rules = IndexVec::from(rules);
    let mut grounder = Grounder {
        limits,
        by_head: rules_by_head(program.predicates.len(), &rules),
        growing: IndexVec::filled(false, program.predicates.len()),
        rules,
        rows: 0,
        ground: Ground {
            predicates: program.predicates,
            rules: IndexVec::new(),
            world: World { terms: program.terms, tables },
            views: Views::default(),
            dynamic: strata.dynamic,
            estimates,
            join_steps_left: limits.join_steps,
            scratch: Scratch::default(),
        },
    };
    for component in strata.static_components {
        grounder.saturate(&component)?;
    }
    let dynamic = &grounder.ground.dynamic;
    let dynamic: Vec<_> = dynamic.ids().filter(|&p| dynamic[p]).collect();
    grounder.saturate(&dynamic)?;
    grounder.ground.rules = grounder.rules.into_iter().take(game_rules).collect();
    Ok(grounder.ground)
}

/// The rules of some predicates, in their order.
pub(crate) fn rules_of(
    predicates: &[PredicateId],
    by_head: &Graph<PredicateId, RuleId>,
) -> Vec<RuleId> {
    let rules = predicates.iter().flat_map(|&predicate| by_head.targets(predicate));
    let mut rules: Vec<RuleId> = rules.copied().collect();
    rules.sort_unstable();
    rules
}

/// What holds initially or next may be true; what is legal may be done.
fn reachability_rules() -> [Rule; 3] {
    let variables = |count| first(count).map(Pattern::Variable).collect::<Vec<_>>();
    let literal = |predicate, count| Literal { predicate, arguments: variables(count) };
    let rule = |head, positive| Rule {
        head,
        positive,
        negative: Vec::new(),
        tests: Vec::new(),
        variables: 2,
        place: Place::default(),
    };
    [
        rule(literal(TRUE, 1), vec![literal(INIT, 1)]),
        rule(literal(TRUE, 1), vec![literal(NEXT, 1)]),
        rule(literal(DOES, 2), vec![literal(ROLE, 1), literal(LEGAL, 2)]),
    ]
}

/// The order in which predicates can be computed.
struct Strata {
    static_components: Vec<Vec<PredicateId>>,
    dynamic: IndexVec<PredicateId, bool>,
}

impl Strata {
    fn of(predicates: &IndexVec<PredicateId, Predicate>, rules: &[Rule]) -> Self {
        let mut edges = Vec::new();
        for rule in rules {
            let body = rule.positive.iter().chain(&rule.negative);
            edges.extend(body.map(|literal| (rule.head.predicate, literal.predicate)));
        }
        let graph = Graph::from_edges(predicates.len(), &edges);
        let components = graph.components();
        let negative_cycle = negative_cycles(predicates.len(), &components, rules);
        let mut strata = Strata {
            static_components: Vec::new(),
            dynamic: IndexVec::filled(false, predicates.len()),
        };
        for component in components {
            let is_dynamic = component.iter().any(|&p| {
                p == TRUE
                    || p == DOES
                    || negative_cycle[p]
                    || graph.targets(p).iter().any(|&q| strata.dynamic[q])
            });
            component.iter().for_each(|&p| strata.dynamic[p] = is_dynamic);
            if !is_dynamic {
                strata.static_components.push(component);
            }
        }
        strata
    }
}

/// Predicates that depend on their own negation. They may still be stratified
/// atom by atom: they are grounded like dynamic ones, and the circuit decides.
fn negative_cycles(
    count: usize,
    components: &[Vec<PredicateId>],
    rules: &[Rule],
) -> IndexVec<PredicateId, bool> {
    let mut component_of = IndexVec::filled(0, count);
    for (number, component) in components.iter().enumerate() {
        component.iter().for_each(|&p| component_of[p] = number);
    }
    let mut cyclic = IndexVec::filled(false, count);
    for rule in rules {
        let head = rule.head.predicate;
        let own = |l: &Literal| component_of[l.predicate] == component_of[head];
        cyclic[head] |= rule.negative.iter().any(own);
    }
    cyclic
}

struct Grounder<'l> {
    limits: &'l WorkLimits,
    rules: IndexVec<RuleId, Rule>,
    by_head: Graph<PredicateId, RuleId>,
    /// The predicates that are being derived.
    growing: IndexVec<PredicateId, bool>,
    rows: usize,
    ground: Ground,
}

impl Grounder<'_> {
    /// Derives all atoms of `predicates`; those they depend on are complete.
    fn saturate(&mut self, predicates: &[PredicateId]) -> Result<(), CompileError> {
        predicates.iter().for_each(|&p| self.growing[p] = true);
        let plans = self.plans(predicates)?;
        self.show_all(&plans)?;
        for (rule, plan) in &plans.once {
            self.run(*rule, plan)?;
        }
        loop {
            self.show_all(&plans)?;
            let ready = plans.ready(&self.ground.views);
            if ready.is_empty() {
                break;
            }
            for (rule, plan) in ready.iter().map(|&plan| &plans.each_round[plan]) {
                self.run(*rule, plan)?;
            }
        }
        for &predicate in predicates {
            self.growing[predicate] = false;
            let size = self.ground.world.tables[predicate].count();
            self.ground.estimates.set_size(predicate, size);
        }
        Ok(())
    }

    /// Makes all atoms visible to the plans.
    fn show_all(&mut self, plans: &Plans) -> Result<(), CompileError> {
        let is_shown = self.ground.show_all();
        let some_rule = plans.each_round.first().or(plans.once.first());
        match some_rule.filter(|_| !is_shown) {
            Some((rule, _)) => Err(self.stopped(&self.rules[*rule], None)),
            None => Ok(()),
        }
    }

    /// Plans for the rules of growing predicates.
    fn plans(&mut self, predicates: &[PredicateId]) -> Result<Plans, CompileError> {
        let mut plans = Plans::default();
        for number in rules_of(predicates, &self.by_head) {
            self.plan(number, &mut plans);
            if self.ground.join_steps_left == 0 {
                return Err(self.stopped(&self.rules[number], None));
            }
        }
        Ok(plans)
    }

    fn plan(&mut self, number: RuleId, plans: &mut Plans) {
        let Grounder { rules, ground, growing, .. } = self;
        let rule = &rules[number];
        let grows = |l: usize| growing[rule.positive[l].predicate];
        let deltas: Vec<usize> = (0..rule.positive.len()).filter(|&l| grows(l)).collect();
        if deltas.is_empty() {
            plans.once.push((number, ground.plan(rule, None, &|_| Rows::All)));
            return;
        }
        if deltas.len() > MOST_PLANS {
            let plan = ground.plan(rule, None, &|_| Rows::All);
            plans.add_whole(number, plan);
            return;
        }
        for new in deltas {
            let rows = |l: usize| match l.cmp(&new) {
                Ordering::Less if grows(l) => Rows::Old,
                Ordering::Equal => Rows::New,
                _ => Rows::All,
            };
            let plan = ground.plan(rule, Some(new), &rows);
            plans.add(number, plan);
        }
    }

    fn run(&mut self, rule: RuleId, plan: &Plan) -> Result<(), CompileError> {
        let rule = &self.rules[rule];
        let ground = &mut self.ground;
        ground.spend(1);
        let mut derive = Derive::new(&rule.head, self.limits, self.rows);
        let Ground { views, world, scratch, join_steps_left, .. } = ground;
        let flow = Join::run(plan, views, world, &mut derive, scratch, join_steps_left);
        self.rows += derive.derived;
        if derive.derived > 0 {
            views.note_change(rule.head.predicate);
        }
        if flow == Flow::Stop { Err(self.stopped(rule, derive.excess)) } else { Ok(()) }
    }

    fn stopped(&self, rule: &Rule, excess: Option<Excess>) -> CompileError {
        let (predicate, place) =
            (self.ground.predicates[rule.head.predicate].name.clone(), rule.place);
        let WorkLimits { term_depth, term_size, .. } = *self.limits;
        match excess {
            Some(Excess::Depth) => {
                return CompileError::TermDepth { limit: term_depth, predicate, place };
            }
            Some(Excess::Size) => {
                return CompileError::TermSize { limit: term_size, predicate, place };
            }
            None => {}
        }
        let (what, limit) = if self.ground.join_steps_left == 0 {
            ("join steps", self.limits.join_steps)
        } else {
            ("stored atoms", self.limits.rows as u64)
        };
        self.ground.limit_reached(what, limit, rule)
    }
}

impl Ground {
    /// A plan for a rule over the views of this grounding.
    pub(crate) fn plan(
        &mut self,
        rule: &Rule,
        first: Option<usize>,
        rows: &dyn Fn(usize) -> Rows,
    ) -> Plan {
        let dynamic = &self.dynamic;
        let exact_negative = |literal: &Literal| !dynamic[literal.predicate];
        let request = Request { rule, first, rows, exact_negative: &exact_negative };
        let plan = Plan::new(&request, &self.estimates, &mut self.views, &self.world);
        self.spend(PLANNING * plan.len() as u64);
        plan
    }

    /// Makes all atoms visible in all views; false if there are no join steps left
    /// for that.
    pub(crate) fn show_all(&mut self) -> bool {
        let World { tables, terms } = &self.world;
        let work = self.views.advance(tables, terms, self.join_steps_left);
        self.spend(work);
        self.join_steps_left > 0
    }

    fn spend(&mut self, steps: u64) {
        self.join_steps_left = self.join_steps_left.saturating_sub(steps);
    }

    /// An atom as GDL text.
    pub(crate) fn atom_text(
        &self,
        predicate: PredicateId,
        atom: AtomId,
        symbols: &Symbols,
    ) -> String {
        let arguments = self.world.tables[predicate].arguments(atom);
        self.world.atom_text(&self.relation(predicate), arguments, symbols)
    }

    /// The relation of a predicate. Parts that a split has made get a number: no
    /// description has two relations of the same name.
    pub(crate) fn relation(&self, predicate: PredicateId) -> String {
        let Predicate { name, kind, .. } = &self.predicates[predicate];
        let name = name.trim_start_matches("part of ");
        let name = name.rsplit_once('/').map_or(name, |(name, _)| name);
        match kind {
            Kind::Named => name.to_owned(),
            Kind::Auxiliary | Kind::Domain => format!("{name}#{}", predicate.index()),
        }
    }

    /// The error for a limit that was reached while working on `rule`.
    pub(crate) fn limit_reached(
        &self,
        what: &'static str,
        limit: u64,
        rule: &Rule,
    ) -> CompileError {
        let head = rule.head.predicate;
        CompileError::GroundingLimit {
            what,
            limit,
            predicate: self.predicates[head].name.clone(),
            reached: self.world.tables[head].count(),
            place: rule.place,
            largest: self.largest(),
        }
    }

    fn largest(&self) -> String {
        let mut sizes: Vec<_> = (self.predicates.ids())
            .filter(|&p| self.predicates[p].kind != Kind::Domain)
            .map(|p| (self.world.tables[p].count(), &self.predicates[p].name))
            .collect();
        sizes.sort_by(|a, b| b.cmp(a));
        let show = |(size, name): &(usize, &String)| format!("{name} ({size})");
        sizes.iter().take(3).map(show).collect::<Vec<_>>().join(", ")
    }
}
