//! A channel leads from PC0 to each core and another one back; no lock and no
//! word that two cores write.

use super::{CrewOrder, HandOff, LEAVING, MOST_CORES, Pulse, next_round, order_of, wait_with_pulse};
use crate::hal::Machine;
use crate::sync::{AtomicU32, Line, Ordering};

/// The two channels of one core: each has room for the number of one round,
/// which is enough, for there is never more than one under way.
#[derive(Debug)]
struct Channels {
    order: AtomicU32,
    answer: AtomicU32,
}

/// The hand-off by a pair of channels per core.
#[derive(Debug)]
pub struct Portal {
    /// Each in a block of its own, which only PC0 and its core use.
    portals: heapless::Vec<Line<Channels>, MOST_CORES>,
}

/// Sleeps as long as the value of a word is old.
fn wait_while(
    word: &AtomicU32,
    is_old: impl Fn(u32) -> bool,
    mut sleep: impl FnMut(&AtomicU32, u32),
) -> u32 {
    loop {
        let value = word.load(Ordering::Acquire);
        if !is_old(value) {
            return value;
        }
        sleep(word, value);
    }
}

impl HandOff for Portal {
    const NAME: &'static str = "portal";
    const ABOUT: &'static str = "A channel leads to each core";

    fn new(cores: u32) -> Self {
        let portal = || Channels { order: AtomicU32::new(0), answer: AtomicU32::new(0) };
        let mut portals = heapless::Vec::new();
        // There are never more cores than portals.
        while portals.len() < cores as usize && portals.push(Line(portal())).is_ok() {}
        Self { portals }
    }

    fn start(&self, machine: &impl Machine, order: CrewOrder) {
        for portal in &self.portals {
            let round = match order {
                CrewOrder::Work => next_round(portal.order.load(Ordering::Relaxed)),
                CrewOrder::Leave => LEAVING,
            };
            portal.order.store(round, Ordering::Release);
            machine.wake(&portal.order);
        }
    }

    fn gather(&self, machine: &impl Machine, pulse: &mut dyn Pulse) {
        for portal in &self.portals {
            let round = portal.order.load(Ordering::Relaxed);
            let sleep = |word: &AtomicU32, answer| wait_with_pulse(machine, word, answer, pulse);
            wait_while(&portal.answer, |answer| answer != round, sleep);
        }
    }

    fn receive(&self, machine: &impl Machine, core: usize, seen: &mut u32) -> CrewOrder {
        let last = *seen;
        let sleep = |word: &AtomicU32, round| machine.wait(word, round);
        *seen = wait_while(&self.portals[core].order, |round| round == last, sleep);
        order_of(*seen)
    }

    fn report(&self, machine: &impl Machine, core: usize, seen: u32) {
        let answer = &self.portals[core].answer;
        answer.store(seen, Ordering::Release);
        machine.wake(answer);
    }
}
