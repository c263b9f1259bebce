//! What can still be reached from a state: a bound that needs no game to be played.
//!
//! Fluents that surely stay as they are, whatever is played, keep what is known of them; all
//! others may be anything. A goal that is surely false then is out of reach.

use crate::decomposition::{DecomposeError, Settings};
use crate::net::{Net, Program, Wire, fluent_name};
use crate::rails::{Known, Rails};
use crate::word::{LANES, Word};
use ruche_compiler::{GameCircuit, Grounded, Style};
use ruche_gdl::Description;

/// Looks at so many states at once.
pub const REACH_LANES: usize = LANES;

/// Bounds of the goals of the first role.
pub struct Reach {
    circuit: GameCircuit,
    net: Net,
    next: Program,
    goals: Vec<(u16, Wire)>,
    scored: Program,
}

impl Reach {
    /// For a game.
    ///
    /// # Errors
    /// If the rules cannot be compiled.
    pub fn new(description: &Description, settings: &Settings) -> Result<Self, DecomposeError> {
        let circuit = Grounded::of(description, &settings.options)?.circuit(Style::Moves)?;
        let net = Net::of(&circuit);
        let goals = net.goals.iter().filter(|goal| goal.role == 0);
        let mut goals: Vec<(u16, Wire)> = goals.map(|goal| (goal.value, goal.holds)).collect();
        goals.sort_unstable_by_key(|goal| goal.0);
        let next = net.program(net.legal.iter().chain(&net.next).copied());
        let scored = net.program(goals.iter().map(|goal| goal.1));
        Ok(Reach { circuit, net, next, goals, scored })
    }

    /// The texts of the fluents, by their numbers here.
    pub fn fluents(&self) -> impl Iterator<Item = &str> {
        (0..self.net.fluents).map(|fluent| fluent_name(&self.circuit, fluent))
    }

    /// For each of at most [`REACH_LANES`] states, told by whether a fluent holds in it, a
    /// goal that nothing from there on is better than.
    pub fn bounds(&self, states: usize, holds: impl Fn(usize, usize) -> bool) -> Vec<u16> {
        let net = &self.net;
        let mut rails = Rails::new(net);
        let mut values = vec![Word::NONE; net.fluents];
        for (fluent, values) in values.iter_mut().enumerate() {
            (0..states).for_each(|state| values.set(state, holds(state, fluent)));
            let known = Known { may: *values, must: *values };
            rails.set(net.fluent(fluent), known);
        }
        while self.loosen(&mut rails) {}
        rails.run(&self.scored, &Default::default());
        let best = |state: usize| {
            let is_open = |goal: &&(u16, Wire)| rails.get(goal.1).may.get(state);
            self.goals.iter().rev().find(is_open).map_or(0, |goal| goal.0)
        };
        (0..states).map(best).collect()
    }

    /// Forgets what does not surely stay; whether there was any.
    fn loosen(&self, rails: &mut Rails<'_>) -> bool {
        let net = &self.net;
        rails.forget(net.does(0)..=net.does(net.moves) - 1);
        rails.run(&self.next, &Default::default());
        // Nobody plays what is surely illegal.
        for number in 0..net.moves {
            let may = rails.get(net.legal[number]).may;
            rails.set(net.does(number), Known { may, must: Word::NONE });
        }
        rails.run(&self.next, &Default::default());
        let mut is_looser = false;
        for fluent in 0..net.fluents {
            let before = rails.get(Wire::of_fluent(net, fluent));
            let after = rails.get(net.next[fluent]);
            let may = before.may.or(after.may);
            let must = before.must.and(after.must);
            is_looser |= (may, must) != (before.may, before.must);
            rails.set(net.fluent(fluent), Known { may, must });
        }
        is_looser
    }
}
