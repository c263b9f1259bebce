//! Virtual time: events in order, and the programs that they set going.
//!
//! PC0 and the cores of all clusters are coroutines that run the kernel's own
//! code. Whenever one of them waits or computes, it is suspended, and goes on when
//! an event says so. Time passes only between events; what happens at the same
//! time happens in the order in which it was decided. So a run is the same to the
//! nanosecond on every machine.
//!
//! A world belongs to one thread of the host, and so do all its coroutines.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

/// Nanoseconds since the start of the world.
pub(crate) type Time = u64;

/// A coroutine, by its place in the world.
pub(crate) type TaskId = usize;

/// Stack of a coroutine: what the kernel's code needs on a host.
const STACK_BYTES: usize = 64 << 10;

/// What happens.
#[derive(Debug)]
pub(crate) enum Event {
    /// A coroutine goes on.
    Resume(TaskId),
    /// A frame of the host has reached an I/O node.
    FromHost { io: usize, frame: Vec<u8> },
    /// A frame of a cluster has reached its I/O node.
    FromCluster { cluster: usize, frame: Vec<u8> },
    /// The I/O node has time for a frame of a cluster.
    Handle { cluster: usize, frame: Vec<u8> },
    /// A frame has reached a cluster.
    ToCluster { cluster: usize, frame: Vec<u8> },
    /// A frame has reached the host.
    ToHost { io: usize, frame: Vec<u8> },
    /// Somebody of a cluster has waited for so long that it looks up, if it still waits.
    Alarm { cluster: usize, waiter: Waiter },
}

/// Somebody who waits for a word: its address, who it is, and which of its waits it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiter {
    pub address: usize,
    pub task: TaskId,
    pub number: u64,
}

struct Scheduled {
    time: Time,
    /// Of decisions, for what happens at the same time.
    order: u64,
    event: Event,
}

impl PartialEq for Scheduled {
    fn eq(&self, other: &Self) -> bool {
        (self.time, self.order) == (other.time, other.order)
    }
}

impl Eq for Scheduled {}

impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Scheduled {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.time, self.order).cmp(&(other.time, other.order))
    }
}

/// Why a coroutine was suspended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// It looked at a word, and will look again when somebody may have written it.
    Polling,
    /// Anything else.
    Waiting,
}

/// What a coroutine suspends itself with: on its own stack, from its start on.
type OwnYielder = Rc<Cell<*const Yielder<(), Pause>>>;

struct Task {
    /// Taken out while it runs.
    coroutine: Option<Coroutine<(), Pause, ()>>,
    /// Null before the coroutine has started, and written by it alone.
    yielder: OwnYielder,
    cluster: usize,
    /// Its number, unless it is PC0.
    core: Option<usize>,
}

/// Time, events and coroutines.
pub(crate) struct World {
    now: Cell<Time>,
    order: Cell<u64>,
    events: RefCell<BinaryHeap<Reverse<Scheduled>>>,
    tasks: RefCell<Vec<Option<Task>>>,
    vacant: RefCell<Vec<TaskId>>,
    /// Mapping a stack takes longer than all that a core does in a short run.
    stacks: RefCell<Vec<DefaultStack>>,
    current: Cell<TaskId>,
}

impl World {
    pub fn new() -> Self {
        Self {
            now: Cell::new(0),
            order: Cell::new(0),
            events: RefCell::default(),
            tasks: RefCell::default(),
            vacant: RefCell::default(),
            stacks: RefCell::default(),
            current: Cell::new(usize::MAX),
        }
    }

    pub fn now(&self) -> Time {
        self.now.get()
    }

    /// Lets something happen later, or now but after all that was decided before.
    pub fn schedule(&self, time: Time, event: Event) {
        let order = self.order.get();
        self.order.set(order + 1);
        let time = time.max(self.now());
        self.events.borrow_mut().push(Reverse(Scheduled { time, order, event }));
    }

    /// When the next event happens.
    pub fn next_time(&self) -> Option<Time> {
        self.events.borrow().peek().map(|Reverse(next)| next.time)
    }

    /// Nothing happens until then.
    pub fn pass_time(&self, until: Time) {
        self.now.set(self.now().max(until));
    }

    /// The next event; time moves on to it.
    pub fn next(&self) -> Option<Event> {
        let Reverse(next) = self.events.borrow_mut().pop()?;
        self.now.set(next.time);
        Some(next.event)
    }

    /// Makes a coroutine, which starts when it is resumed.
    pub fn spawn(
        &self,
        cluster: usize,
        core: Option<usize>,
        main: impl FnOnce() + 'static,
    ) -> TaskId {
        let stack = self.stacks.borrow_mut().pop();
        let stack = stack.unwrap_or_else(|| {
            DefaultStack::new(STACK_BYTES).expect("the system has memory for another stack")
        });
        let id = self.vacant.borrow_mut().pop().unwrap_or_else(|| {
            self.tasks.borrow_mut().push(None);
            self.tasks.borrow().len() - 1
        });
        let yielder = OwnYielder::new(Cell::new(std::ptr::null()));
        let own = Rc::clone(&yielder);
        let coroutine = Coroutine::with_stack(stack, move |yielder, ()| {
            own.set(yielder);
            main();
        });
        self.tasks.borrow_mut()[id] =
            Some(Task { coroutine: Some(coroutine), yielder, cluster, core });
        id
    }

    /// Lets a coroutine go on until it is suspended or ends. Returns its cluster
    /// and why it was suspended.
    pub fn resume(&self, id: TaskId) -> (usize, Option<Pause>) {
        let taken = self.tasks.borrow_mut()[id]
            .as_mut()
            .and_then(|task| Some((task.coroutine.take()?, task.cluster)));
        let Some((mut coroutine, cluster)) = taken else { return (usize::MAX, None) };
        let before = self.current.replace(id);
        let result = coroutine.resume(());
        self.current.set(before);
        match result {
            CoroutineResult::Yield(pause) => {
                if let Some(task) = self.tasks.borrow_mut()[id].as_mut() {
                    task.coroutine = Some(coroutine);
                }
                (cluster, Some(pause))
            }
            CoroutineResult::Return(()) => {
                self.tasks.borrow_mut()[id] = None;
                self.vacant.borrow_mut().push(id);
                self.stacks.borrow_mut().push(coroutine.into_stack());
                (cluster, None)
            }
        }
    }

    /// The coroutine that runs.
    pub fn current(&self) -> TaskId {
        self.current.get()
    }

    /// The number of the core that runs; `None` for PC0.
    pub fn current_core(&self) -> Option<usize> {
        self.tasks.borrow()[self.current()].as_ref().and_then(|task| task.core)
    }

    /// Suspends the running coroutine until an event resumes it.
    pub fn suspend(&self, pause: Pause) {
        let yielder = self.tasks.borrow()[self.current()]
            .as_ref()
            .map_or(std::ptr::null(), |task| task.yielder.get());
        assert!(!yielder.is_null(), "only a coroutine can be suspended");
        // SAFETY: it is the yielder of the running coroutine, which has set it when it
        // started, and which lives on its stack as long as it runs.
        unsafe { (*yielder).suspend(pause) };
    }

    /// The running coroutine is busy for so long.
    pub fn spend(&self, nanoseconds: Time) {
        if nanoseconds > 0 {
            self.schedule(self.now() + nanoseconds, Event::Resume(self.current()));
            self.suspend(Pause::Waiting);
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A coroutine that has not ended holds references to the stacks of others:
        // it is left as it is.
        for task in self.tasks.get_mut().drain(..).flatten() {
            std::mem::forget(task.coroutine);
        }
    }
}
