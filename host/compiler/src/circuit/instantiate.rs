//! Ground rules → circuit: every match of a rule is a conjunction, every atom
//! the disjunction of its matches. Predicates are taken in dependency order, so
//! that constants fold on the way and most ground clauses never exist as such.

use super::recursion::Clauses;
use crate::circuit::network::{Network, Outputs, Signal, Style};
use crate::error::CompileError;
use crate::front::ground::Ground;
use crate::front::join::{Flow, Join, Rows, Visitor, World};
use crate::front::program::{
    DOES, GOAL, Kind, LEGAL, Literal, NEXT, PredicateId, ROLE, Rule, TERMINAL, TRUE,
};
use crate::front::relation::AtomId;
use crate::front::terms::TermId;
use crate::graph::Graph;
use crate::limits::Limits;
use ruche_gdl::Symbols;
use std::collections::BTreeMap;

/// The game as a circuit, with the names of its inputs.
pub struct Circuit {
    /// Its nodes.
    pub network: Network,
    /// What it computes.
    pub outputs: Outputs,
    /// The initial state.
    pub initial: Vec<bool>,
    /// Names of roles, moves and fluents, by number.
    pub names: Names,
    /// Ground clauses that were instantiated.
    pub clauses: u64,
}

/// Names for people and protocols.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The roles.
    pub roles: Vec<String>,
    /// All moves, grouped by role.
    pub moves: Vec<String>,
    /// The fluents.
    pub fluents: Vec<String>,
}

/// Instantiates the rules that the game's outputs depend on.
pub fn instantiate(
    ground: &mut Ground,
    symbols: &Symbols,
    style: Style,
    limits: &Limits,
) -> Result<Circuit, CompileError> {
    let inputs = Inputs::of(ground, symbols)?;
    let network = Network::new(inputs.names.fluents.len() as u32, &inputs.moves_of_roles, style);
    let mut instantiator = Instantiator::new(ground, network, inputs, limits);
    instantiator.build(&[LEGAL, TERMINAL, GOAL], symbols)?;
    instantiator.use_legality();
    instantiator.build(&[NEXT], symbols)?;
    instantiator.finish(symbols)
}

/// Numbers for the atoms of `true` and `does`.
struct Inputs {
    names: Names,
    role_terms: Vec<TermId>,
    moves_of_roles: Vec<u32>,
    /// Fluent of each `true` atom.
    fluent_of: Vec<u32>,
    /// Move of each `does` atom.
    move_of: Vec<u32>,
}

impl Inputs {
    fn of(ground: &Ground, symbols: &Symbols) -> Result<Self, CompileError> {
        let world = &ground.world;
        let roles = &world.tables[ROLE as usize];
        let role_terms: Vec<_> =
            (0..roles.count() as AtomId).map(|a| roles.arguments(a)[0]).collect();
        if role_terms.is_empty() {
            return Err(CompileError::NoRole);
        }
        let text = |term: TermId| world.terms.text(term, symbols);
        let fluents = &world.tables[TRUE as usize];
        let fluent_texts =
            (0..fluents.count() as AtomId).map(|a| (0, text(fluents.arguments(a)[0])));
        let (fluent_of, fluents) = sorted(fluent_texts.collect());
        let does = &world.tables[DOES as usize];
        let role_of = |a: AtomId| {
            let role = does.arguments(a)[0];
            role_terms.iter().position(|&r| r == role).expect("only roles do")
        };
        let moves = (0..does.count() as AtomId).map(|a| (role_of(a), text(does.arguments(a)[1])));
        let mut moves_of_roles = vec![0; role_terms.len()];
        (0..does.count() as AtomId).for_each(|a| moves_of_roles[role_of(a)] += 1);
        let (move_of, moves) = sorted(moves.collect());
        let roles = role_terms.iter().map(|&r| text(r)).collect();
        let names = Names { roles, moves, fluents };
        Ok(Inputs { names, role_terms, moves_of_roles, fluent_of, move_of })
    }
}

/// The place of each item in sorted order, and the sorted texts.
fn sorted(items: Vec<(usize, String)>) -> (Vec<u32>, Vec<String>) {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|&a, &b| {
        let (left, right) = (&items[a], &items[b]);
        left.0.cmp(&right.0).then_with(|| natural(&left.1).cmp(natural(&right.1)))
    });
    let mut place = vec![0; items.len()];
    order.iter().enumerate().for_each(|(place_of, &item)| place[item] = place_of as u32);
    (place, order.into_iter().map(|item| items[item].1.clone()).collect())
}

/// Compares numbers by value: `(cell 2 1)` before `(cell 10 1)`.
fn natural(text: &str) -> impl Iterator<Item = (u64, &str)> {
    text.split([' ', '(', ')']).map(|word| (word.parse().unwrap_or(u64::MAX), word))
}

struct Instantiator<'l> {
    ground: &'l mut Ground,
    network: Network,
    inputs: Inputs,
    /// The signal of each atom of each dynamic predicate that is built.
    values: Vec<Vec<Signal>>,
    built: Vec<bool>,
    clauses: u64,
    limits: &'l Limits,
}

impl<'l> Instantiator<'l> {
    fn new(ground: &'l mut Ground, network: Network, inputs: Inputs, limits: &'l Limits) -> Self {
        let mut values = vec![Vec::new(); ground.predicates.len()];
        values[TRUE as usize] = inputs.fluent_of.iter().map(|&f| network.fluent(f)).collect();
        values[DOES as usize] = inputs.move_of.iter().map(|&m| network.does(m)).collect();
        let mut built = vec![false; ground.predicates.len()];
        built[TRUE as usize] = true;
        built[DOES as usize] = true;
        Instantiator { ground, network, inputs, values, built, clauses: 0, limits }
    }

    /// Builds the circuits of `outputs` and of what they depend on.
    fn build(&mut self, outputs: &[PredicateId], symbols: &Symbols) -> Result<(), CompileError> {
        for component in self.needed_components(outputs) {
            let mut clauses = Clauses::of(&component, self.ground);
            self.match_rules(&mut clauses)?;
            let signals = clauses.solve(&mut self.network, self.ground, symbols)?;
            for (predicate, signals) in component.iter().zip(signals) {
                self.values[*predicate as usize] = signals;
                self.built[*predicate as usize] = true;
            }
        }
        Ok(())
    }

    /// Components of dynamic predicates that are not built yet, in order.
    fn needed_components(&self, outputs: &[PredicateId]) -> Vec<Vec<PredicateId>> {
        let count = self.ground.predicates.len();
        let is_built = |p: PredicateId| !self.ground.dynamic[p as usize] || self.built[p as usize];
        let mut edges = Vec::new();
        for rule in &self.ground.rules {
            let body = rule.positive.iter().chain(&rule.negative).map(|l| l.predicate);
            let body = body.filter(|&p| !is_built(p) && !self.is_domain(p));
            edges.extend(body.map(|p| (rule.head.predicate, p)));
        }
        let graph = Graph::from_edges(count, &edges);
        let mut needed = vec![false; count];
        let mut open = outputs.to_vec();
        while let Some(predicate) = open.pop() {
            if !std::mem::replace(&mut needed[predicate as usize], true) {
                open.extend(graph.targets(predicate));
            }
        }
        let wanted = |c: &Vec<PredicateId>| needed[c[0] as usize] && !self.built[c[0] as usize];
        graph.components().into_iter().filter(wanted).collect()
    }

    fn is_domain(&self, predicate: PredicateId) -> bool {
        self.ground.predicates[predicate as usize].kind == Kind::Domain
    }

    fn match_rules(&mut self, clauses: &mut Clauses) -> Result<(), CompileError> {
        let rules = std::mem::take(&mut self.ground.rules);
        let own: Vec<_> = rules.iter().filter(|r| clauses.owns(r.head.predicate)).collect();
        let result = own.into_iter().try_for_each(|rule| self.match_rule(rule, clauses));
        self.ground.rules = rules;
        result
    }

    fn match_rule(&mut self, rule: &Rule, clauses: &mut Clauses) -> Result<(), CompileError> {
        let plan = self.ground.plan(rule, None, &|_| Rows::All);
        self.ground.show_all();
        let condition = |literal: &Literal| {
            self.ground.dynamic[literal.predicate as usize] && !self.is_domain(literal.predicate)
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
        let Ground { views, world, join_steps_left, .. } = &mut *self.ground;
        match Join::run(&plan, views, world, &mut collect, join_steps_left) {
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
        for (number, legal) in self.legal().into_iter().enumerate() {
            self.network.set_legal(number as u32, legal);
        }
    }

    /// Legality of each move.
    fn legal(&self) -> Vec<Signal> {
        let tables = &self.ground.world.tables;
        let does = &tables[DOES as usize];
        let mut legal = vec![Signal::FALSE; self.inputs.move_of.len()];
        for (atom, &number) in self.inputs.move_of.iter().enumerate() {
            let arguments = does.arguments(atom as AtomId);
            legal[number as usize] = self.signal(LEGAL, arguments);
        }
        legal
    }

    /// The signal of an atom; false if it can never hold.
    fn signal(&self, predicate: PredicateId, arguments: &[TermId]) -> Signal {
        match self.ground.world.tables[predicate as usize].find(arguments) {
            None => Signal::FALSE,
            Some(_) if !self.ground.dynamic[predicate as usize] => Signal::TRUE,
            Some(atom) => self.values[predicate as usize][atom as usize],
        }
    }

    fn next(&self) -> Vec<Signal> {
        let fluents = &self.ground.world.tables[TRUE as usize];
        let mut next = vec![Signal::FALSE; self.inputs.fluent_of.len()];
        for (atom, &fluent) in self.inputs.fluent_of.iter().enumerate() {
            next[fluent as usize] = self.signal(NEXT, fluents.arguments(atom as AtomId));
        }
        next
    }

    fn initial(&self) -> Vec<bool> {
        let tables = &self.ground.world.tables;
        let fluents = &tables[TRUE as usize];
        let mut initial = vec![false; self.inputs.fluent_of.len()];
        for (atom, &fluent) in self.inputs.fluent_of.iter().enumerate() {
            let arguments = fluents.arguments(atom as AtomId);
            initial[fluent as usize] =
                tables[crate::front::program::INIT as usize].find(arguments).is_some();
        }
        initial
    }

    /// Role, value and condition of each goal; `7` and `07` are one value.
    fn goals(&mut self, symbols: &Symbols) -> Result<Vec<(u32, u32, Signal)>, CompileError> {
        let table = &self.ground.world.tables[GOAL as usize];
        let mut goals: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for atom in 0..table.count() as AtomId {
            let [role, value] = table.arguments(atom) else { unreachable!("goal has two") };
            let Some(role) = self.inputs.role_terms.iter().position(|r| r == role) else {
                continue;
            };
            let text = self.ground.world.terms.text(*value, symbols);
            let Ok(value) = text.parse::<u16>() else {
                let role = self.inputs.names.roles[role].clone();
                return Err(CompileError::GoalValue { role, value: text });
            };
            let signal = self.signal(GOAL, table.arguments(atom));
            goals.entry((role as u32, u32::from(value))).or_default().push(signal);
        }
        let network = &mut self.network;
        Ok(goals.into_iter().map(|((role, value), s)| (role, value, network.or(s))).collect())
    }

    fn finish(mut self, symbols: &Symbols) -> Result<Circuit, CompileError> {
        let goals = self.goals(symbols)?;
        let outputs = Outputs {
            legal: self.legal(),
            terminal: self.signal(TERMINAL, &[]),
            goals,
            next: self.next(),
        };
        Ok(Circuit {
            outputs,
            initial: self.initial(),
            network: self.network,
            names: self.inputs.names,
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
    values: &'c [Vec<Signal>],
    clauses: &'c mut Clauses,
    network: &'c mut Network,
    arguments: Vec<TermId>,
    count: &'c mut u64,
    limits: &'c Limits,
}

impl Collect<'_> {
    /// Splits the conditions of a match into signals and atoms of the component
    /// itself; false if one can never hold.
    fn conditions(
        &mut self,
        world: &mut World,
        bindings: &[TermId],
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
            let found = world.tables[literal.predicate as usize].find(&self.arguments);
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
                let signal = self.values[predicate as usize][atom as usize].negate_if(negated);
                body.outside.push(signal);
                return signal != Signal::FALSE;
            }
        }
        true
    }
}

impl Visitor for Collect<'_> {
    fn wants(&mut self, _: &mut World, _: &[TermId]) -> bool {
        true
    }

    fn found(&mut self, world: &mut World, bindings: &[TermId], atoms: &[AtomId]) -> Flow {
        let mut body = Body::default();
        if !self.conditions(world, bindings, atoms, &mut body) {
            return Flow::Continue;
        }
        let head = &self.rule.head;
        world.arguments(head, bindings, &mut self.arguments);
        let atom = world.tables[head.predicate as usize].find(&self.arguments);
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
    inside: Vec<(u32, bool)>,
}
