//! Host, I/O node and clusters in virtual time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_shared::wire::Header;

use super::cluster::FakeCluster;
use super::host::{FakeHost, Outcome};
use super::link::{Faults, FaultyLine};
use super::plan::FaultPlan;
use crate::{IoNode, Peer};

/// A simulation that is not over by then hangs.
const LONGEST: u32 = 10_000;
/// How often a cluster reports for duty where its first words may be lost.
const HELLOS: u32 = 4;

/// Plays a plan to its end. If it hangs, that is the error of the outcome.
#[must_use]
pub fn simulate(plan: &FaultPlan) -> Outcome {
    let mut simulation = Simulation::new(plan);
    simulation.schedule_lives();
    simulation.run();
    let Simulation { host, node, now, .. } = simulation;
    host.into_outcome(now, *node.statistics())
}

/// Something that will happen.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PeerEvent {
    /// A frame arrives at the node.
    ToNode(Peer, Vec<u8>),
    /// A frame arrives at a peer of the node.
    FromNode(Peer, Vec<u8>),
    /// A cluster has an answer.
    Answer(usize, Vec<u8>),
    /// A cluster reports for duty, unless it has a game.
    Hello(usize),
    /// A cluster dies; whether the transport notices.
    Death(usize, bool),
    /// The transport tells the node.
    Gone(usize),
}

/// A cluster and the links to and from it.
#[derive(Debug, Default)]
struct Place {
    cluster: FakeCluster,
    to: FaultyLine,
    from: FaultyLine,
    busy_until: Duration,
    is_dead: bool,
}

struct Simulation<'a> {
    plan: &'a FaultPlan,
    host: FakeHost<'a>,
    to_host: FaultyLine,
    from_host: FaultyLine,
    node: IoNode,
    places: Vec<Place>,
    chance: Pcg64Mcg,
    now: Duration,
    /// Events by time; those of the same time in the order of their making.
    events: BinaryHeap<Reverse<(Duration, u64, PeerEvent)>>,
    made: u64,
}

impl<'a> Simulation<'a> {
    fn new(plan: &'a FaultPlan) -> Self {
        Self {
            plan,
            host: FakeHost::new(plan),
            to_host: FaultyLine::default(),
            from_host: FaultyLine::default(),
            node: IoNode::new(plan.settings),
            places: (0..plan.settings.clusters).map(|_| Place::default()).collect(),
            chance: Pcg64Mcg::seed_from_u64(!plan.seed),
            now: Duration::ZERO,
            events: BinaryHeap::new(),
            made: 0,
        }
    }

    /// When clusters report for duty, and when they die.
    fn schedule_lives(&mut self) {
        let deadline = self.plan.sharing.deadline;
        for cluster in 0..self.places.len() {
            for hello in 0..HELLOS {
                self.schedule(deadline * hello / HELLOS, PeerEvent::Hello(cluster));
            }
            if self.chance.random_bool(self.plan.faults.kill) {
                let at = Duration::from_micros(self.chance.random_range(0..=3000));
                let is_noticed = self.chance.random_bool(self.plan.faults.notice);
                self.schedule(at, PeerEvent::Death(cluster, is_noticed));
            }
        }
    }

    fn schedule(&mut self, at: Duration, event: PeerEvent) {
        self.events.push(Reverse((at, self.made, event)));
        self.made += 1;
    }

    fn run(&mut self) {
        self.deliver();
        while !self.host.is_over() {
            if !self.step() {
                self.host.fail("it hangs: nothing will happen any more");
            } else if self.now > self.plan.sharing.deadline * LONGEST {
                self.host.fail("it hangs: there is no end");
            }
            self.deliver();
        }
    }

    /// Lets the next thing happen. What arrives comes before a deadline of the same
    /// time.
    fn step(&mut self) -> bool {
        let event = self.events.peek().map(|Reverse((at, ..))| *at);
        let times = [event, self.node.next_deadline(), self.host.next_deadline()];
        let Some(next) = times.into_iter().flatten().min() else { return false };
        self.now = self.now.max(next);
        if event == Some(next) {
            if let Some(Reverse((_, _, event))) = self.events.pop() {
                self.happen(event);
            }
        } else if times[1] == Some(next) {
            self.node.on_tick(self.now);
        } else {
            self.host.on_tick(self.now);
        }
        true
    }

    fn happen(&mut self, event: PeerEvent) {
        match event {
            PeerEvent::ToNode(Peer::Host, frame) => self.node.on_host(frame, self.now),
            PeerEvent::ToNode(Peer::Cluster(cluster), frame) => {
                self.node.on_cluster(cluster, &frame, self.now);
            }
            PeerEvent::FromNode(Peer::Host, frame) => self.host.on_frame(&frame, self.now),
            PeerEvent::FromNode(Peer::Cluster(cluster), frame) => self.play(cluster, &frame),
            PeerEvent::Answer(cluster, frame) => self.say(cluster, frame),
            PeerEvent::Hello(cluster) if !self.places[cluster].cluster.is_loaded() => {
                self.say(cluster, FakeCluster::hello());
            }
            PeerEvent::Hello(_) => {}
            PeerEvent::Death(cluster, is_noticed) => self.kill(cluster, is_noticed),
            PeerEvent::Gone(cluster) => self.node.on_gone(cluster, "it was killed", self.now),
        }
    }

    /// A cluster works on one frame after the other.
    fn play(&mut self, cluster: usize, frame: &[u8]) {
        let place = &mut self.places[cluster];
        if place.is_dead {
            return;
        }
        if let Some(answer) = place.cluster.answer(frame) {
            let positions = Header::parse(frame).map_or(0, |(header, _)| header.count);
            let start = place.busy_until.max(self.now);
            place.busy_until = start + self.plan.play_time * positions;
            let at = place.busy_until;
            self.schedule(at, PeerEvent::Answer(cluster, answer));
        }
    }

    fn say(&mut self, cluster: usize, frame: Vec<u8>) {
        let place = &mut self.places[cluster];
        if !place.is_dead {
            let frames = place.from.pass(frame, self.now, &self.plan.faults, &mut self.chance);
            for (at, frame) in frames {
                self.schedule(at, PeerEvent::ToNode(Peer::Cluster(cluster), frame));
            }
        }
    }

    fn kill(&mut self, cluster: usize, is_noticed: bool) {
        self.places[cluster].is_dead = true;
        if is_noticed {
            let delay = Duration::from_micros(self.chance.random_range(0..=1000));
            self.schedule(self.now + delay, PeerEvent::Gone(cluster));
        }
    }

    /// Sends what the node and the host have to say.
    fn deliver(&mut self) {
        let host_faults = self.plan.host_faults.unwrap_or_default();
        while let Some(frame) = self.host.next_frame() {
            for (at, frame) in self.from_host.pass(frame, self.now, &host_faults, &mut self.chance)
            {
                self.schedule(at, PeerEvent::ToNode(Peer::Host, frame));
            }
        }
        while let Some((peer, frame)) = self.node.outbox().pop() {
            for (at, frame) in self.pass(peer, frame, &host_faults) {
                self.schedule(at, PeerEvent::FromNode(peer, frame));
            }
        }
    }

    fn pass(&mut self, to: Peer, frame: Vec<u8>, host: &Faults) -> Vec<(Duration, Vec<u8>)> {
        let (link, faults) = match to {
            Peer::Host => (&mut self.to_host, host),
            Peer::Cluster(cluster) => (&mut self.places[cluster].to, &self.plan.faults),
        };
        link.pass(frame, self.now, faults, &mut self.chance)
    }
}
