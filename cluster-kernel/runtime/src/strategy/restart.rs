//! Cores are started for each round and stop after it: nobody ever waits, and an
//! idle core is asleep.

use super::{Crew, CrewWork, Pc0};
use crate::hal::Machine;

/// Nobody to hand anything to between rounds.
#[derive(Debug)]
pub struct Restart;

impl Crew for Restart {
    const NAME: &'static str = "restart";
    const ABOUT: &'static str = "Cores are started for each run and stop after it";

    fn with_crew<M: Machine>(machine: &M, cores: usize, work: &dyn CrewWork, pc0: Pc0<'_>) {
        // SAFETY: this is what the machine runs on that core.
        let share = |core: usize| unsafe { work.share(core) };
        pc0(&mut || machine.on_cores(cores, &share, || ()));
    }
}
