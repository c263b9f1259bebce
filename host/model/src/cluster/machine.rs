//! The kernel's machine: cores are coroutines, and waiting takes virtual time.

use std::cell::Cell;
use std::rc::Rc;

use ruche_runtime::hal::Machine;
use ruche_runtime::sync::{AtomicU32, Ordering};

use super::Cluster;
use crate::world::{Event, Pause, TaskId};

/// The cores of a modelled cluster.
pub(crate) struct ModelMachine(pub Rc<Cluster>);

// SAFETY: the kernel shares its machine among cores, which here are coroutines of
// one thread: nothing is ever touched by two threads.
unsafe impl Sync for ModelMachine {}

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
        let (cluster, world) = (&*self.0, self.0.world());
        if word.load(Ordering::Relaxed) != expected {
            return;
        }
        let is_core = u32::from(world.current_core().is_some());
        cluster.polling.set(cluster.polling.get() + is_core);
        cluster.waiters.borrow_mut().push((address(word), world.current()));
        world.suspend(Pause::Waiting);
        cluster.polling.set(cluster.polling.get() - is_core);
    }

    /// Nobody dies in the model, so that nobody has to show that it lives.
    fn wait_for(&self, word: &AtomicU32, expected: u32, _nanoseconds: u64) {
        self.wait(word, expected);
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
                .extract_if(.., |(word_of, _)| *word_of == address(word))
                .map(|(_, task)| task)
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
        cluster.polling.set(cluster.polling.get() + is_core);
        cluster.pollers.borrow_mut().push(world.current());
        // Before the first look it may have written what others look at.
        world.suspend(if rounds == 0 { Pause::Waiting } else { Pause::Polling });
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
