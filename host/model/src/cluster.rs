//! A modelled cluster, and the kernel's machine, engine and link on it.

mod engine;
mod link;
mod machine;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use ruche_shared::wire::control::Mode;

use crate::costs::Costs;
use crate::faults::Fate;
use crate::oracle::Oracle;
use crate::parameters::{HandOffCosts, Parameters};
use crate::world::{Event, Pause, TaskId, Time, Waiter, World};
pub(crate) use engine::ModelEngine;
pub(crate) use link::ModelLink;
pub(crate) use machine::ModelMachine;

/// What is the same for all clusters.
pub(crate) struct Common {
    pub world: World,
    pub parameters: Parameters,
    pub hand_off: HandOffCosts,
    pub mode: Mode,
    /// Known when the clusters have said which word they use.
    pub costs: Cell<Costs>,
    pub oracle: RefCell<Oracle>,
    /// What goes wrong, if anything does.
    pub fate: Option<Fate>,
}

/// Where the time of a cluster's cores went, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CoreUsage {
    /// From work received to results sent.
    pub busy: Time,
    /// Computing, of all cores together.
    pub playing: Time,
    /// Being started, woken and heard, of all cores together.
    pub handing_off: Time,
}

/// A cluster.
pub(crate) struct Cluster {
    pub common: Rc<Common>,
    number: usize,
    /// Cores that wait for somebody to write a word.
    waiters: RefCell<Vec<Waiter>>,
    /// Waits so far.
    waits: Cell<u64>,
    /// Those that look at a word again and again.
    pollers: RefCell<Vec<TaskId>>,
    /// Cores, not PC0, in either of these.
    polling: Cell<u32>,
    inbox: RefCell<VecDeque<Vec<u8>>>,
    /// PC0, if it waits for a frame.
    receiver: Cell<Option<TaskId>>,
    /// Cores that want to hand over their scores; the first is being served.
    port: RefCell<VecDeque<TaskId>>,
    working_since: Cell<Option<Time>>,
    /// When the cores of this round were set going.
    started: Cell<Time>,
    pub usage: Cell<CoreUsage>,
    /// Whether nothing comes to it or from it any more.
    is_dead: Cell<bool>,
    /// Frames that it is sent before it dies.
    left: Cell<Option<u64>>,
}

impl Cluster {
    pub fn new(common: Rc<Common>, number: usize) -> Self {
        let death = common.fate.as_ref().and_then(Fate::death);
        Self {
            common,
            number,
            waiters: RefCell::default(),
            waits: Cell::new(0),
            pollers: RefCell::default(),
            polling: Cell::new(0),
            inbox: RefCell::default(),
            receiver: Cell::new(None),
            port: RefCell::default(),
            working_since: Cell::new(None),
            started: Cell::new(0),
            usage: Cell::default(),
            is_dead: Cell::new(false),
            left: Cell::new(death),
        }
    }

    /// Whether nothing comes to it or from it any more.
    pub fn is_dead(&self) -> bool {
        self.is_dead.get()
    }

    /// Cuts it off: whatever it does, nobody sees it, and in the end it stops.
    pub fn die(&self) {
        self.is_dead.set(true);
        if let Some(pc0) = self.receiver.take() {
            self.world().schedule(self.world().now(), Event::Resume(pc0));
        }
    }

    /// Counts a frame that is sent to it; whether that is its death.
    pub fn dies_of_frame(&self) -> bool {
        let left = self.left.get().map(|left| left.saturating_sub(1));
        self.left.set(left);
        left == Some(0) && !self.is_dead()
    }

    /// It is time to look up for somebody who may still wait.
    pub fn look_up(&self, waiter: Waiter) {
        let waiters = &mut *self.waiters.borrow_mut();
        if let Some(place) = waiters.iter().position(|other| *other == waiter) {
            waiters.remove(place);
            self.world().schedule(self.world().now(), Event::Resume(waiter.task));
        }
    }

    fn world(&self) -> &World {
        &self.common.world
    }

    /// Which cluster it is.
    pub fn number(&self) -> usize {
        self.number
    }

    /// A frame has come.
    pub fn deliver(&self, frame: Vec<u8>) {
        self.inbox.borrow_mut().push_back(frame);
        if let Some(pc0) = self.receiver.take() {
            self.world().schedule(self.world().now(), Event::Resume(pc0));
        }
    }

    /// Somebody of this cluster has done something: those that poll look again.
    pub fn stir(&self) {
        let latency = self.common.hand_off.wake_ns;
        for task in self.pollers.borrow_mut().drain(..) {
            self.world().schedule(self.world().now() + latency, Event::Resume(task));
        }
    }

    /// How much slower memory is because of the cores that poll it.
    fn dilated(&self, time: Time) -> Time {
        let banks = f64::from(self.common.parameters.cluster.banks);
        let busy = self.common.hand_off.duty * f64::from(self.polling.get());
        (time as f64 * banks / (banks - busy)) as Time
    }

    fn account(&self, add: impl FnOnce(&mut CoreUsage)) {
        let mut usage = self.usage.get();
        add(&mut usage);
        self.usage.set(usage);
    }

    /// The running core computes.
    fn compute(&self, time: f64) {
        let slowdown = self.common.parameters.core.slowdown_per_poller;
        let time = (time * (1.0 + slowdown * f64::from(self.polling.get()))) as Time;
        self.account(|usage| usage.playing += time);
        let starved = self.common.fate.as_ref().map_or(0, Fate::starvation);
        self.world().spend(time + starved);
    }

    /// The running core hands over its scores: one after the other, and each that
    /// waits for its turn keeps a bank of the memory busy.
    fn hand_over(&self) {
        let (world, me) = (self.world(), self.world().current());
        let start = world.now();
        self.port.borrow_mut().push_back(me);
        while self.port.borrow().front() != Some(&me) {
            world.suspend(Pause::Waiting);
        }
        // Twice, for others may come while the first is being served.
        let service = self.common.parameters.core.score_ns;
        for part in [service / 4, service - service / 4] {
            let waiting = self.port.borrow().len() as u64 - 1;
            let banks = u64::from(self.common.parameters.cluster.banks);
            world.spend(part * banks / (banks - waiting.min(banks - 1)));
        }
        self.port.borrow_mut().pop_front();
        if let Some(&next) = self.port.borrow().front() {
            world.schedule(world.now(), Event::Resume(next));
        }
        self.account(|usage| usage.handing_off += world.now() - start);
    }

    fn note_start(&self) {
        if self.world().current_core().is_none() {
            self.started.set(self.world().now());
        }
    }
}
