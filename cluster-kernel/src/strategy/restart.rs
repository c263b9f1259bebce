//! Cores are started for each round and stop after it: nobody ever waits, and an
//! idle core is asleep.

use crate::hal::Machine;

pub(super) fn with_crew<M: Machine, S: Send, R>(
    machine: &M,
    states: &mut [S],
    work: impl Fn(usize, &mut S) + Sync,
    pc0: impl FnOnce(&mut dyn FnMut()) -> R,
) -> R {
    pc0(&mut || machine.on_cores(states, &work, || ()))
}
