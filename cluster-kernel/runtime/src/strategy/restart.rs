//! Cores are started for each round and stop after it: no core ever waits, and an idle
//! one is asleep.

use super::{Crew, CrewWork, Pc0, wait_with_pulse};
use crate::hal::{Activity, Machine};
use crate::sync::{AtomicU32, Line, Ordering};

/// Nobody to hand anything to between rounds.
#[derive(Debug)]
pub struct Restart;

impl Crew for Restart {
    const NAME: &'static str = "restart";
    const ABOUT: &'static str = "Cores are started for each run and stop after it";

    fn with_crew<M: Machine>(machine: &M, cores: usize, work: &dyn CrewWork, pc0: Pc0<'_>) {
        pc0(&mut |pulse| {
            let working = Line(AtomicU32::new(cores as u32));
            let share = |core: usize| {
                // SAFETY: this is what the machine runs on that core.
                machine.during(Activity::Working, || unsafe { work.share(core) });
                if working.fetch_sub(1, Ordering::Relaxed) == 1 {
                    machine.wake(&working);
                }
            };
            // That all have ended is the machine's business; this is for the pulse.
            machine.on_cores(cores, &share, || loop {
                match working.load(Ordering::Relaxed) {
                    0 => break,
                    left => wait_with_pulse(machine, &working, left, pulse),
                }
            });
        });
    }
}
