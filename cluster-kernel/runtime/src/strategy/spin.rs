//! Cores wait actively for the number of the round to change.

use super::{CrewOrder, HandOff, LEAVING, Pulse, next_round, order_of};
use crate::hal::Machine;
use crate::sync::{AtomicU32, Line, Ordering};

/// The hand-off by active waiting.
#[derive(Debug)]
pub struct Spin {
    round: Line<AtomicU32>,
    /// Cores that have not reported.
    working: Line<AtomicU32>,
    cores: u32,
}

/// Waits actively as long as the value of a word is old, and calls `relax` with the number
/// of each round.
fn spin_while(
    word: &AtomicU32,
    is_old: impl Fn(u32) -> bool,
    mut relax: impl FnMut(u32),
) -> u32 {
    let mut rounds = 0_u32;
    loop {
        let value = word.load(Ordering::Acquire);
        if !is_old(value) {
            return value;
        }
        relax(rounds);
        rounds = rounds.wrapping_add(1);
    }
}

impl HandOff for Spin {
    const NAME: &'static str = "spin";
    const ABOUT: &'static str = "Cores wait actively";
    const WAITS_ACTIVELY: bool = true;

    fn new(cores: u32) -> Self {
        Self { round: Line(AtomicU32::new(0)), working: Line(AtomicU32::new(0)), cores }
    }

    fn start(&self, _machine: &impl Machine, order: CrewOrder) {
        self.working.store(self.cores, Ordering::Relaxed);
        let round = match order {
            CrewOrder::Work => next_round(self.round.load(Ordering::Relaxed)),
            CrewOrder::Leave => LEAVING,
        };
        // Whoever sees the round sees the count and the work.
        self.round.store(round, Ordering::Release);
    }

    fn gather(&self, machine: &impl Machine, pulse: &mut dyn Pulse) {
        let relax = |rounds: u32| {
            machine.relax(rounds);
            pulse.beat();
        };
        spin_while(&self.working, |working| working > 0, relax);
    }

    fn receive(&self, machine: &impl Machine, _core: usize, seen: &mut u32) -> CrewOrder {
        let last = *seen;
        *seen = spin_while(&self.round, |round| round == last, |rounds| machine.relax(rounds));
        order_of(*seen)
    }

    fn report(&self, _machine: &impl Machine, _core: usize, _seen: u32) {
        self.working.fetch_sub(1, Ordering::Release);
    }
}
