//! What can still be reached from a state: a bound that needs no game to be played.
//!
//! Fluents that surely stay as they are, whatever is played, keep what is known of them; all
//! others may be anything. A goal that is surely false then is out of reach.

use crate::decomposition::{DecomposeError, Settings};
use crate::lanes::{LANES, Word};
use crate::netlist::{Netlist, Program, Wire, fluent_name};
use crate::three_valued::{Known, Simulation};
use ruche_compiler::{GameCircuit, Grounded, Style};
use ruche_gdl::Description;

/// Looks at so many states at once.
pub const REACH_LANES: usize = LANES;

/// Bounds of the goals of the first role.
pub struct Reach {
    circuit: GameCircuit,
    netlist: Netlist,
    legal: Program,
    next: Program,
    goals: Vec<(u16, Wire)>,
    scored: Program,
    /// Of the last look, for the next one.
    memory: Vec<Known>,
}

impl Reach {
    /// For a game.
    ///
    /// # Errors
    /// If the rules cannot be compiled.
    pub fn new(description: &Description, settings: &Settings) -> Result<Self, DecomposeError> {
        let circuit = Grounded::of(description, &settings.options)?.circuit(Style::Moves)?;
        let netlist = Netlist::of(&circuit);
        let goals = netlist.goals.iter().filter(|goal| goal.role == 0);
        let mut goals: Vec<(u16, Wire)> = goals.map(|goal| (goal.value, goal.holds)).collect();
        goals.sort_unstable_by_key(|goal| goal.0);
        let legal = netlist.program(netlist.legal.iter().copied());
        let next = netlist.program(netlist.next.iter().copied());
        let scored = netlist.program(goals.iter().map(|goal| goal.1));
        Ok(Reach { circuit, netlist, legal, next, goals, scored, memory: Vec::new() })
    }

    /// The texts of the fluents, by their numbers here.
    pub fn fluents(&self) -> impl Iterator<Item = &str> {
        (0..self.netlist.fluents).map(|fluent| fluent_name(&self.circuit, fluent))
    }

    /// For each of at most [`REACH_LANES`] states, told by whether a fluent holds in it, a
    /// goal that nothing from there on is better than.
    pub fn bounds(&mut self, states: usize, holds: impl Fn(usize, usize) -> bool) -> Vec<u16> {
        let memory = std::mem::take(&mut self.memory);
        let netlist = &self.netlist;
        let mut simulation = Simulation::again(netlist, memory);
        let mut values = vec![Word::NONE; netlist.fluents];
        for (fluent, values) in values.iter_mut().enumerate() {
            (0..states).for_each(|state| values.set(state, holds(state, fluent)));
            let known = Known { may: *values, must: *values };
            simulation.set(netlist.fluent(fluent), known);
        }
        while self.loosen(&mut simulation) {}
        simulation.run(&self.scored, &Default::default());
        let best = |state: usize| {
            let is_open = |goal: &&(u16, Wire)| simulation.get(goal.1).may.get(state);
            self.goals.iter().rev().find(is_open).map_or(0, |goal| goal.0)
        };
        let bounds = (0..states).map(best).collect();
        self.memory = simulation.into_memory();
        bounds
    }

    /// Forgets what does not surely stay; whether there was any.
    fn loosen(&self, simulation: &mut Simulation<'_>) -> bool {
        let netlist = &self.netlist;
        simulation.forget(netlist.does(0)..=netlist.does(netlist.moves) - 1);
        simulation.run(&self.legal, &Default::default());
        // Nobody plays what is surely illegal.
        for number in 0..netlist.moves {
            let may = simulation.get(netlist.legal[number]).may;
            simulation.set(netlist.does(number), Known { may, must: Word::NONE });
        }
        simulation.run(&self.next, &Default::default());
        let mut is_looser = false;
        for fluent in 0..netlist.fluents {
            let before = simulation.get(Wire::of_fluent(netlist, fluent));
            let after = simulation.get(netlist.next[fluent]);
            let may = before.may.or(after.may);
            let must = before.must.and(after.must);
            is_looser |= (may, must) != (before.may, before.must);
            simulation.set(netlist.fluent(fluent), Known { may, must });
        }
        is_looser
    }
}
