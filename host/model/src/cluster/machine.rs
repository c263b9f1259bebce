//! The kernel's machine: cores are coroutines, and waiting takes virtual time.

use std::cell::Cell;
use std::rc::Rc;

use ruche_runtime::hal::Machine;
use ruche_runtime::sync::{AtomicU32, Ordering};

use super::Cluster;
use crate::world::{Event, Pause, TaskId, Time, Waiter};

/// The cores of a modelled cluster.
pub(crate) struct ModelMachine(pub Rc<Cluster>);

// SAFETY: the kernel shares its machine among cores, which here are coroutines of
// one thread: nothing is ever touched by two threads.
unsafe impl Sync for ModelMachine {}

/// How long PC0 takes to look at a word, where it does so again and again.
const POLL_NS: Time = 20_000;

/// The cores that were started together.
struct Group {
    left: Cell<usize>,
    joiner: Cell<Option<TaskId>>,
}

/// Cores use the stack of whoever has started them. Unwinding it under their feet
/// would be worse than to stop here. On the way without a panic it is forgotten: whether
/// the thread panics says nothing, for a world that is dropped while its thread unwinds
/// still runs its coroutines to their ends.
struct NoUnwinding;

impl Drop for NoUnwinding {
    fn drop(&mut self) {
        std::process::abort();
    }
}

// SAFETY:
// 1. One coroutine is made for each number, and calls once.
// 2. The function returns when the group is empty; it never unwinds.
// 3. All coroutines run on one thread, one after the other.
unsafe impl Machine for ModelMachine {
    fn on_cores(&self, cores: usize, main: &(dyn Fn(usize) + Sync), beside: impl FnOnce()) {
        let (cluster, world, hand_off) = (&*self.0, self.0.world(), &self.0.common.hand_off);
        let guard = NoUnwinding;
        let group = Group { left: Cell::new(cores), joiner: Cell::new(None) };
        cluster.note_start();
        for core in 0..cores {
            world.spend(hand_off.start_ns);
            let (group, on) = (&group, self.0.clone());
            let run = move || {
                main(core);
                group.left.set(group.left.get() - 1);
                if group.left.get() == 0
                    && let Some(joiner) = group.joiner.take()
                {
                    on.world().schedule(on.world().now(), Event::Resume(joiner));
                }
            };
            // SAFETY: this function returns only when all cores have ended, so what they
            // use is still there.
            let run = unsafe { erase(Box::new(run)) };
            let task = world.spawn(cluster.number, Some(core), run);
            world.schedule(world.now(), Event::Resume(task));
        }
        beside();
        while group.left.get() > 0 {
            group.joiner.set(Some(world.current()));
            world.suspend(Pause::Waiting);
        }
        world.spend(hand_off.join_ns * cores as u64);
        std::mem::forget(guard);
    }

    fn wait(&self, word: &AtomicU32, expected: u32) {
        self.sleep(word, expected, None);
    }

    /// Where nothing goes wrong, nobody has to show that it lives.
    fn wait_for(&self, word: &AtomicU32, expected: u32, nanoseconds: u64) {
        let is_needed = self.0.common.fate.is_some();
        self.sleep(word, expected, is_needed.then_some(nanoseconds));
    }

    fn wake(&self, word: &AtomicU32) {
        let (cluster, world, hand_off) = (&*self.0, self.0.world(), &self.0.common.hand_off);
        cluster.note_start();
        let cost = match world.current_core() {
            Some(_) => hand_off.report_ns,
            None => hand_off.wake_ns,
        };
        // Only those that wait now: they may come back before the last is woken.
        let woken: Vec<TaskId> = {
            let waiters = &mut *cluster.waiters.borrow_mut();
            waiters
                .extract_if(.., |waiter| waiter.address == address(word))
                .map(|waiter| waiter.task)
                .collect()
        };
        for task in woken {
            world.spend(cluster.dilated(cost));
            world.schedule(world.now(), Event::Resume(task));
        }
    }

    fn now(&self) -> u64 {
        self.0.world().now()
    }

    fn relax(&self, rounds: u32) {
        let (cluster, world) = (&*self.0, self.0.world());
        let is_core = u32::from(world.current_core().is_some());
        // PC0 also has to look at the clock.
        if is_core == 0 && cluster.common.fate.is_some() {
            return world.spend(POLL_NS);
        }
        cluster.polling.set(cluster.polling.get() + is_core);
        cluster.pollers.borrow_mut().push(world.current());
        // Before the first look it may have written what others look at.
        world.suspend(if rounds == 0 { Pause::Waiting } else { Pause::Polling });
        cluster.polling.set(cluster.polling.get() - is_core);
    }
}

impl ModelMachine {
    /// Sleeps until somebody wakes, or at most for so long.
    fn sleep(&self, word: &AtomicU32, expected: u32, longest: Option<Time>) {
        let (cluster, world) = (&*self.0, self.0.world());
        if word.load(Ordering::Relaxed) != expected {
            return;
        }
        let is_core = u32::from(world.current_core().is_some());
        cluster.polling.set(cluster.polling.get() + is_core);
        cluster.waits.set(cluster.waits.get() + 1);
        let (task, number) = (world.current(), cluster.waits.get());
        let waiter = Waiter { address: address(word), task, number };
        cluster.waiters.borrow_mut().push(waiter);
        if let Some(longest) = longest {
            let alarm = Event::Alarm { cluster: cluster.number, waiter };
            world.schedule(world.now().saturating_add(longest), alarm);
        }
        world.suspend(Pause::Waiting);
        cluster.polling.set(cluster.polling.get() - is_core);
    }
}

fn address(word: &AtomicU32) -> usize {
    core::ptr::from_ref(word).addr()
}

/// # Safety
/// What the function borrows must live until it was called.
pub(crate) unsafe fn erase<'a>(run: Box<dyn FnOnce() + 'a>) -> Box<dyn FnOnce() + 'static> {
    // SAFETY: only the lifetime differs, for which the caller vouches.
    unsafe { core::mem::transmute(run) }
}
