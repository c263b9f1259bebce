//! Cores are started for each round and stop after it: nobody ever waits, and an
//! idle core is asleep.

use super::Crew;
use crate::hal::Machine;

/// Nobody to hand anything to between rounds.
#[derive(Debug)]
pub struct Restart;

impl Crew for Restart {
    const NAME: &'static str = "restart";
    const ABOUT: &'static str = "Cores are started for each run and stop after it";

    fn with_crew<M: Machine, S: Send, R>(
        machine: &M,
        states: &mut [S],
        work: impl Fn(usize, &mut S) + Sync,
        pc0: impl FnOnce(&mut dyn FnMut()) -> R,
    ) -> R {
        pc0(&mut || machine.on_cores(states, &work, || ()))
    }
}
