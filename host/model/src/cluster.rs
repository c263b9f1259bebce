//! A modelled cluster: the kernel's machine, engine and link in virtual time.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use ruche_io_node::frames::assemble;
use ruche_kernel::circuit::{Circuit, Interpreted};
use ruche_kernel::hal::{Engine, Link, LinkClosed, Machine, PlainEngine, Task};
use ruche_kernel::playouts::{Outcome, Player, Queue, Stretch};
use ruche_kernel::sync::{AtomicU32, Ordering};
use ruche_kernel::word::Word;
use ruche_shared::Image;
use ruche_shared::budget::WordWidth;
use ruche_shared::wire::control::Mode;
use ruche_shared::wire::{HEADER_BYTES, Header, Kind};
use zerocopy::FromBytes;

use crate::costs::Costs;
use crate::oracle::Oracle;
use crate::parameters::{HandOff, Parameters, nanoseconds};
use crate::world::{Event, Pause, TaskId, Time, World};

/// What is the same for all clusters.
pub(crate) struct Common<'image> {
    pub world: World,
    pub parameters: Parameters,
    pub hand_off: HandOff,
    pub mode: Mode,
    /// Known when the clusters have said which word they use.
    pub costs: Cell<Costs>,
    pub oracle: RefCell<Oracle<'image>>,
}

/// Where the time of a cluster's cores went, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// From work received to results sent.
    pub busy: Time,
    /// Computing, of all cores together.
    pub playing: Time,
    /// Being started, woken and heard, of all cores together.
    pub handing_off: Time,
}

/// A cluster.
pub(crate) struct Cluster<'image> {
    pub common: Rc<Common<'image>>,
    number: usize,
    /// Cores that wait for somebody to write a word: its address, and who waits.
    waiters: RefCell<Vec<(usize, TaskId)>>,
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
    pub usage: Cell<Usage>,
}

impl<'image> Cluster<'image> {
    pub fn new(common: Rc<Common<'image>>, number: usize) -> Self {
        Self {
            common,
            number,
            waiters: RefCell::default(),
            pollers: RefCell::default(),
            polling: Cell::new(0),
            inbox: RefCell::default(),
            receiver: Cell::new(None),
            port: RefCell::default(),
            working_since: Cell::new(None),
            started: Cell::new(0),
            usage: Cell::default(),
        }
    }

    fn world(&self) -> &World {
        &self.common.world
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

    fn account(&self, add: impl FnOnce(&mut Usage)) {
        let mut usage = self.usage.get();
        add(&mut usage);
        self.usage.set(usage);
    }

    /// The running core computes.
    fn compute(&self, time: f64) {
        let slowdown = self.common.parameters.core.slowdown_per_poller;
        let time = (time * (1.0 + slowdown * f64::from(self.polling.get()))) as Time;
        self.account(|usage| usage.playing += time);
        self.world().spend(time);
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

/// The cores of a modelled cluster.
pub(crate) struct ModelMachine<'image>(pub Rc<Cluster<'image>>);

// SAFETY: the kernel shares its machine among cores, which here are coroutines of
// one thread: nothing is ever touched by two threads.
unsafe impl Sync for ModelMachine<'_> {}

/// The cores that were started together.
struct Group {
    left: Cell<usize>,
    joiner: Cell<Option<TaskId>>,
}

/// Cores use the stack of whoever has started them. Unwinding it under their feet
/// would be worse than to stop here.
struct NoUnwinding;

impl Drop for NoUnwinding {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::abort();
        }
    }
}

impl Machine for ModelMachine<'_> {
    fn on_cores<S: Send, R>(
        &self,
        states: &mut [S],
        main: impl Fn(usize, &mut S) + Sync,
        beside: impl FnOnce() -> R,
    ) -> R {
        let (cluster, world, hand_off) = (&*self.0, self.0.world(), &self.0.common.hand_off);
        let _guard = NoUnwinding;
        let group = Group { left: Cell::new(states.len()), joiner: Cell::new(None) };
        cluster.note_start();
        for (core, state) in states.iter_mut().enumerate() {
            world.spend(hand_off.start_ns);
            let (main, state, group) = (&raw const main, &raw mut *state, &raw const group);
            let on = self.0.clone();
            let run = move || {
                // SAFETY: this function returns only when all cores have ended, so
                // what they use is still there; each has a state of its own.
                let (main, state, group) = unsafe { (&*main, &mut *state, &*group) };
                main(core, state);
                group.left.set(group.left.get() - 1);
                if group.left.get() == 0
                    && let Some(joiner) = group.joiner.take()
                {
                    on.world().schedule(on.world().now(), Event::Resume(joiner));
                }
            };
            // SAFETY: only the lifetime is changed, and see above.
            let run = unsafe { erase(Box::new(run)) };
            let task = world.spawn(cluster.number, Some(core), run);
            world.schedule(world.now(), Event::Resume(task));
        }
        let result = beside();
        while group.left.get() > 0 {
            group.joiner.set(Some(world.current()));
            world.suspend(Pause::Waiting);
        }
        world.spend(hand_off.join_ns * states.len() as u64);
        result
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

/// Plays nothing, but knows what playing would bring and how long it takes.
pub(crate) struct ModelEngine<'image>(pub Rc<Cluster<'image>>);

// SAFETY: as for the machine.
unsafe impl Sync for ModelEngine<'_> {}

impl Engine for ModelEngine<'_> {
    type Circuit<'image, W: Word> = Interpreted<'image>;

    fn has(&self, width: WordWidth) -> bool {
        PlainEngine.has(width)
    }

    fn with_word<T: Task>(&self, width: WordWidth, task: T) -> T::Output {
        PlainEngine.with_word(width, task)
    }

    fn circuit<'image, W: Word>(&self, image: &Image<'image>) -> Self::Circuit<'image, W> {
        Interpreted(*image)
    }

    fn play<W: Word, C: Circuit<W>>(&self, _player: &mut Player<'_, W, C>, queue: &mut impl Queue) {
        let cluster = &*self.0;
        let started = cluster.started.get();
        let delay = cluster.world().now() - started;
        cluster.account(|usage| usage.handing_off += delay);
        let played = match W::LANES {
            1 => self.play_one_by_one(queue),
            lanes => self.play_in_lanes(lanes, queue),
        };
        if played > 0 {
            cluster.hand_over();
        }
    }
}

impl ModelEngine<'_> {
    /// A core that plays one game after the other.
    fn play_one_by_one(&self, queue: &mut impl Queue) -> u64 {
        let mut played = 0;
        while let Some(stretch) = queue.next() {
            for playout in stretch.first..stretch.first + stretch.count {
                let outcome = self.tell(queue, &stretch, playout);
                self.0.compute(self.0.common.costs.get().playout(outcome.plies));
            }
            played += stretch.count;
        }
        played
    }

    /// A core that plays a game in each lane, refilled as the kernel's players do.
    fn play_in_lanes(&self, lanes: usize, queue: &mut impl Queue) -> u64 {
        let costs = self.0.common.costs.get();
        let worth_refilling = (lanes / 16).max(1);
        // The plies after which the games in the air end.
        let mut ends: Vec<u64> = Vec::with_capacity(lanes);
        let (mut supply, mut played, mut plies) = (Supply::default(), 0_u64, 0_u64);
        loop {
            while ends.len() < lanes
                && let Some((stretch, playout)) = supply.next(queue)
            {
                // One more than it has: then it is seen to be over.
                ends.push(plies + self.tell(queue, &stretch, playout).plies + 1);
                played += 1;
            }
            if ends.is_empty() {
                return played;
            }
            ends.sort_unstable();
            let last = if supply.is_dry { ends.len() } else { worth_refilling.min(ends.len()) };
            let until = ends[last - 1];
            let landed = ends.partition_point(|end| *end <= until);
            let mut moments: Vec<u64> = ends.drain(..landed).collect();
            moments.dedup();
            self.0.compute(costs.plies(until - plies) + costs.goals(moments.len() as u64));
            plies = until;
        }
    }

    /// Tells the queue how a playout went.
    fn tell(&self, queue: &mut impl Queue, stretch: &Stretch, playout: u64) -> Outcome {
        let oracle = self.0.common.oracle.borrow();
        let (outcome, goals) = oracle.game(stretch.number, playout);
        if outcome.scored > 0 {
            for (role, goal) in goals.iter().enumerate() {
                queue.add_score(stretch.ticket, role, u64::from(*goal));
            }
        }
        queue.add(stretch.ticket, &outcome);
        outcome
    }
}

/// The playouts of stretches, one by one.
#[derive(Default)]
struct Supply {
    stretch: Option<Stretch>,
    /// Of the stretch, how many were taken.
    taken: u64,
    is_dry: bool,
}

impl Supply {
    fn next(&mut self, queue: &mut impl Queue) -> Option<(Stretch, u64)> {
        if self.stretch.is_none_or(|stretch| self.taken == stretch.count) && !self.is_dry {
            (self.stretch, self.taken) = (queue.next(), 0);
            self.is_dry = self.stretch.is_none();
        }
        let stretch = self.stretch?;
        self.taken += 1;
        Some((stretch, stretch.first + self.taken - 1))
    }
}

/// PC0's connection to the I/O node.
pub(crate) struct ModelLink<'image> {
    cluster: Rc<Cluster<'image>>,
    frame: Vec<u8>,
}

impl<'image> ModelLink<'image> {
    pub fn new(cluster: Rc<Cluster<'image>>) -> Self {
        Self { cluster, frame: Vec::new() }
    }
}

impl Link for ModelLink<'_> {
    fn receive(&mut self) -> Result<Header, LinkClosed> {
        let (cluster, world) = (&*self.cluster, self.cluster.world());
        loop {
            let frame = cluster.inbox.borrow_mut().pop_front();
            match frame {
                Some(frame) => self.frame = frame,
                None => {
                    cluster.receiver.set(Some(world.current()));
                    world.suspend(Pause::Waiting);
                    continue;
                }
            }
            let (header, _) = Header::read_from_prefix(&self.frame).map_err(|_| LinkClosed)?;
            if header.kind() == Ok(Kind::Work) {
                cluster.working_since.set(Some(world.now()));
            }
            world.spend(cluster.dilated(cluster.common.parameters.cluster.message_ns));
            return Ok(header);
        }
    }

    fn payload(&mut self, into: &mut [u8]) -> Result<(), LinkClosed> {
        into.copy_from_slice(&self.frame[HEADER_BYTES..]);
        let rate = self.cluster.common.parameters.cluster.copy_bytes_per_second;
        self.cluster.world().spend(self.cluster.dilated(nanoseconds(into.len(), rate)));
        // From here on PC0 sets cores going; some strategies say no more about it.
        self.cluster.note_start();
        Ok(())
    }

    fn send(&mut self, header: &Header, pieces: &[&[u8]]) -> Result<(), LinkClosed> {
        let (cluster, world) = (&*self.cluster, self.cluster.world());
        world.spend(cluster.dilated(cluster.common.parameters.cluster.message_ns));
        if let Some(since) = cluster.working_since.take() {
            cluster.account(|usage| usage.busy += world.now() - since);
        }
        let frame = assemble(header, pieces);
        let arrival = world.now() + cluster.common.parameters.noc.latency_ns;
        world.schedule(arrival, Event::FromCluster { cluster: cluster.number, frame });
        Ok(())
    }
}
