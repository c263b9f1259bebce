//! Ground rules → circuit: every match of a rule is a conjunction, every atom
//! the disjunction of its matches. Predicates are taken in dependency order, so
//! that constants fold on the way and most ground clauses never exist as such.

use super::inputs::Inputs;
use super::network::{Network, Style};
use super::recursion::{Clauses, Member};
use super::signal::{FluentId, GoalSignal, MoveId, Outputs, Signal};
use super::{BlockNames, GameCircuit};
use crate::error::CompileError;
use crate::front::ground::{Ground, rules_of};
use crate::front::join::{Bindings, Flow, Join, Visitor, World};
use crate::front::plan::Rows;
use crate::front::program::{
    DOES, GOAL, INIT, Kind, LEGAL, Literal, NEXT, Pattern, PredicateId, Rule, RuleId, TERMINAL,
    TRUE, rules_by_head,
};
use crate::front::relation::AtomId;
use crate::front::terms::TermId;
use crate::graph::Graph;
use crate::index::IndexVec;
use crate::limits::WorkLimits;
use ruche_gdl::{Place, Symbols, goal_value};
use std::collections::BTreeMap;

/// Instantiates the rules that the game's outputs depend on.
pub(crate) fn instantiate(
    ground: &mut Ground,
    symbols: &Symbols,
    style: Style,
    limits: &WorkLimits,
) -> Result<GameCircuit, CompileError> {
    let inputs = Inputs::of(ground, symbols)?;
    let network = Network::new(inputs.names.fluents.len(), &inputs.moves_of_roles, style);
    let mut instantiator = Instantiator::new(ground, network, inputs, limits);
    instantiator.build(&[LEGAL, TERMINAL, GOAL], symbols)?;
    instantiator.use_legality();
    instantiator.build(&[NEXT], symbols)?;
    instantiator.finish(symbols)
}

struct Instantiator<'l> {
    ground: &'l mut Ground,
    by_head: Graph<PredicateId, RuleId>,
    network: Network,
    inputs: Inputs,
    /// The signal of each atom of each dynamic predicate that is built.
    values: IndexVec<PredicateId, IndexVec<AtomId, Signal>>,
    built: IndexVec<PredicateId, bool>,
    clauses: u64,
    block_names: BlockNames,
    limits: &'l WorkLimits,
}

impl<'l> Instantiator<'l> {
    fn new(
        ground: &'l mut Ground,
        network: Network,
        inputs: Inputs,
        limits: &'l WorkLimits,
    ) -> Self {
        let mut values = IndexVec::filled(IndexVec::new(), ground.predicates.len());
        values[TRUE] = inputs.fluent_of.iter().map(|&f| network.fluent(f)).collect();
        values[DOES] = inputs.move_of.iter().map(|&m| network.does(m)).collect();
        let mut built = IndexVec::filled(false, ground.predicates.len());
        built[TRUE] = true;
        built[DOES] = true;
        Instantiator {
            by_head: rules_by_head(ground.predicates.len(), &ground.rules),
            ground,
            network,
            inputs,
            values,
            built,
            clauses: 0,
            block_names: IndexVec::new(),
            limits,
        }
    }

    /// Builds the circuits of `outputs` and of what they depend on.
    fn build(&mut self, outputs: &[PredicateId], symbols: &Symbols) -> Result<(), CompileError> {
        for component in self.needed_components(outputs) {
            let mut clauses = Clauses::of(&component, self.ground);
            self.match_rules(&component, &mut clauses)?;
            let signals =
                clauses.solve(&mut self.network, &mut self.block_names, self.ground, symbols)?;
            for (predicate, signals) in component.iter().zip(signals) {
                self.values[*predicate] = signals.into();
                self.built[*predicate] = true;
            }
        }
        Ok(())
    }

    /// Components of dynamic predicates that are not built yet, in order.
    fn needed_components(&self, outputs: &[PredicateId]) -> Vec<Vec<PredicateId>> {
        let count = self.ground.predicates.len();
        let is_built = |p: PredicateId| !self.ground.dynamic[p] || self.built[p];
        let mut edges = Vec::new();
        for rule in &self.ground.rules {
            let body = rule.positive.iter().chain(&rule.negative).map(|l| l.predicate);
            let body = body.filter(|&p| !is_built(p) && !self.is_domain(p));
            edges.extend(body.map(|p| (rule.head.predicate, p)));
        }
        let graph = Graph::from_edges(count, &edges);
        let mut needed = IndexVec::filled(false, count);
        let mut open = outputs.to_vec();
        while let Some(predicate) = open.pop() {
            if !std::mem::replace(&mut needed[predicate], true) {
                open.extend(graph.targets(predicate));
            }
        }
        let wanted = |c: &Vec<PredicateId>| needed[c[0]] && !self.built[c[0]];
        graph.components().into_iter().filter(wanted).collect()
    }

    fn is_domain(&self, predicate: PredicateId) -> bool {
        self.ground.predicates[predicate].kind == Kind::Domain
    }

    fn match_rules(
        &mut self,
        component: &[PredicateId],
        clauses: &mut Clauses,
    ) -> Result<(), CompileError> {
        let rules = std::mem::take(&mut self.ground.rules);
        let mut own = rules_of(component, &self.by_head).into_iter();
        let result = own.try_for_each(|rule| self.match_rule(&rules[rule], clauses));
        self.ground.rules = rules;
        result
    }

    fn match_rule(&mut self, rule: &Rule, clauses: &mut Clauses) -> Result<(), CompileError> {
        let plan = self.ground.plan(rule, None, &|_| Rows::All);
        if !self.ground.show_all() {
            return Err(self.stopped(rule));
        }
        let condition = |literal: &Literal| {
            self.ground.dynamic[literal.predicate] && !self.is_domain(literal.predicate)
        };
        let mut collect = Collect {
            positive: (0..rule.positive.len()).filter(|&l| condition(&rule.positive[l])).collect(),
            negative: (0..rule.negative.len()).filter(|&l| condition(&rule.negative[l])).collect(),
            rule,
            values: &self.values,
            clauses,
            network: &mut self.network,
            arguments: Vec::new(),
            count: &mut self.clauses,
            limits: self.limits,
        };
        let Ground { views, world, scratch, join_steps_left, .. } = &mut *self.ground;
        match Join::run(&plan, views, world, &mut collect, scratch, join_steps_left) {
            Flow::Stop => Err(self.stopped(rule)),
            _ => Ok(()),
        }
    }

    fn stopped(&self, rule: &Rule) -> CompileError {
        let limits = self.limits;
        let (what, limit) = if self.ground.join_steps_left == 0 {
            ("join steps", limits.join_steps)
        } else if self.clauses >= limits.clauses {
            ("ground clauses", limits.clauses)
        } else {
            ("circuit nodes", limits.nodes as u64)
        };
        self.ground.limit_reached(what, limit, rule)
    }

    /// A move is only played when it is legal.
    fn use_legality(&mut self) {
        for (number, &legal) in self.legal().enumerate() {
            self.network.set_legal(number, legal);
        }
    }

    /// Legality of each move.
    fn legal(&self) -> IndexVec<MoveId, Signal> {
        let tables = &self.ground.world.tables;
        let does = &tables[DOES];
        let mut legal = IndexVec::filled(Signal::FALSE, self.inputs.move_of.len());
        for (atom, &number) in self.inputs.move_of.enumerate() {
            let arguments = does.arguments(atom);
            legal[number] = self.signal(LEGAL, arguments);
        }
        legal
    }

    /// The signal of an atom; false if it can never hold.
    fn signal(&self, predicate: PredicateId, arguments: &[TermId]) -> Signal {
        match self.ground.world.tables[predicate].find(arguments) {
            None => Signal::FALSE,
            Some(_) if !self.ground.dynamic[predicate] => Signal::TRUE,
            Some(atom) => self.values[predicate][atom],
        }
    }

    fn next(&self) -> IndexVec<FluentId, Signal> {
        let fluents = &self.ground.world.tables[TRUE];
        let mut next = IndexVec::filled(Signal::FALSE, self.inputs.fluent_of.len());
        for (atom, &fluent) in self.inputs.fluent_of.enumerate() {
            next[fluent] = self.signal(NEXT, fluents.arguments(atom));
        }
        next
    }

    fn initial(&self) -> IndexVec<FluentId, bool> {
        let tables = &self.ground.world.tables;
        let fluents = &tables[TRUE];
        let mut initial = IndexVec::filled(false, self.inputs.fluent_of.len());
        for (atom, &fluent) in self.inputs.fluent_of.enumerate() {
            let arguments = fluents.arguments(atom);
            initial[fluent] = tables[INIT].find(arguments).is_some();
        }
        initial
    }

    /// Role, value and condition of each goal; `7` and `07` are one value.
    fn goals(&mut self, symbols: &Symbols) -> Result<Vec<GoalSignal>, CompileError> {
        let table = &self.ground.world.tables[GOAL];
        let mut goals: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for atom in table.atoms() {
            let [role, value] = table.arguments(atom) else { unreachable!("goal has two") };
            let Some(&role) = self.inputs.role_of_term.get(role) else { continue };
            let text = self.ground.world.terms.text(*value, symbols);
            let Some(value) = goal_value(&text) else {
                let place = self.rule_of_goal(table.arguments(atom));
                let role = self.inputs.names.roles[role].clone();
                return Err(CompileError::GoalValue { place, role, value: text });
            };
            let signal = self.signal(GOAL, table.arguments(atom));
            goals.entry((role, value)).or_default().push(signal);
        }
        let network = &mut self.network;
        let goal =
            |((role, value), signals)| GoalSignal { role, value, holds: network.or(signals) };
        Ok(goals.into_iter().map(goal).collect())
    }

    /// Where the first rule stands whose head can be this goal.
    fn rule_of_goal(&self, goal: &[TermId]) -> Place {
        let fits = |(pattern, term): (&Pattern, &TermId)| match pattern {
            Pattern::Ground(ground) => ground == term,
            _ => true,
        };
        let rules = self.by_head.targets(GOAL).iter().map(|&rule| &self.ground.rules[rule]);
        let mut rules = rules.filter(|rule| rule.head.arguments.iter().zip(goal).all(fits));
        rules.next().map_or(Place::default(), |rule| rule.place)
    }

    fn finish(mut self, symbols: &Symbols) -> Result<GameCircuit, CompileError> {
        let goals = self.goals(symbols)?;
        let outputs = Outputs {
            legal: self.legal(),
            terminal: self.signal(TERMINAL, &[]),
            goals,
            next: self.next(),
        };
        Ok(GameCircuit {
            outputs,
            initial: self.initial(),
            network: self.network,
            names: self.inputs.names,
            block_names: self.block_names,
            clauses: self.clauses,
        })
    }
}

/// Turns each match of a rule into a clause.
struct Collect<'c> {
    rule: &'c Rule,
    /// Positive literals that are conditions in the circuit.
    positive: Vec<usize>,
    /// Negative ones.
    negative: Vec<usize>,
    values: &'c IndexVec<PredicateId, IndexVec<AtomId, Signal>>,
    clauses: &'c mut Clauses,
    network: &'c mut Network,
    arguments: Vec<TermId>,
    count: &'c mut u64,
    limits: &'c WorkLimits,
}

impl Collect<'_> {
    /// Splits the conditions of a match into signals and atoms of the component
    /// itself; false if one can never hold.
    fn conditions(
        &mut self,
        world: &mut World,
        bindings: &Bindings,
        atoms: &[AtomId],
        body: &mut Body,
    ) -> bool {
        for &literal in &self.positive {
            let predicate = self.rule.positive[literal].predicate;
            if !self.condition(predicate, atoms[literal], false, body) {
                return false;
            }
        }
        for position in 0..self.negative.len() {
            let literal = &self.rule.negative[self.negative[position]];
            world.arguments(literal, bindings, &mut self.arguments);
            let found = world.tables[literal.predicate].find(&self.arguments);
            if found.is_some_and(|atom| !self.condition(literal.predicate, atom, true, body)) {
                return false;
            }
        }
        true
    }

    fn condition(
        &self,
        predicate: PredicateId,
        atom: AtomId,
        negated: bool,
        body: &mut Body,
    ) -> bool {
        match self.clauses.member(predicate, atom) {
            Some(member) => body.inside.push((member, negated)),
            None => {
                let signal = self.values[predicate][atom].negate_if(negated);
                body.outside.push(signal);
                return signal != Signal::FALSE;
            }
        }
        true
    }
}

impl Visitor for Collect<'_> {
    fn wants(&mut self, _: &mut World, _: &Bindings) -> bool {
        true
    }

    fn found(&mut self, world: &mut World, bindings: &Bindings, atoms: &[AtomId]) -> Flow {
        let mut body = Body::default();
        if !self.conditions(world, bindings, atoms, &mut body) {
            return Flow::Continue;
        }
        let head = &self.rule.head;
        world.arguments(head, bindings, &mut self.arguments);
        let atom = world.tables[head.predicate].find(&self.arguments);
        let atom = atom.expect("grounding derived every head");
        let condition = match body.outside.as_slice() {
            [only] => *only,
            _ => self.network.and(body.outside),
        };
        self.clauses.add(head.predicate, atom, condition, &body.inside, self.rule.place);
        *self.count += 1;
        if *self.count >= self.limits.clauses || self.network.count() > self.limits.nodes {
            return Flow::Stop;
        }
        Flow::Continue
    }
}

/// The conditions of one match.
#[derive(Default)]
struct Body {
    outside: Vec<Signal>,
    /// Atoms of the component that is being built, and whether negated.
    inside: Vec<(Member, bool)>,
}
