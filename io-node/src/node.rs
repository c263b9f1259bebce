//! The I/O node as a state machine.
//!
//! It has no threads, no clock and no connections: whoever runs it passes in what
//! arrives and what time it is, and sends what it finds in the [`Outbox`]. So any
//! schedule of delays, losses and deaths can be played and replayed in a test.
//!
//! # What it promises
//! - **A batch is answered once**, by one `Done` frame with all its results, unless
//!   it is refused or no cluster is left.
//! - **The clusters may fail.** One that is gone or misses a deadline is marked
//!   dead, the host gets a `Lost` frame, and its parts go to the others, first in
//!   line. Answers of its former life are dropped.
//! - **A lost frame is not a dead cluster.** One that sent something, though
//!   damaged, and the last one that is left are asked again a few times; one that
//!   says that it could not read a frame, at once.
//! - **A dead cluster may be started again**, if the transport can and the settings
//!   allow it: it loads the game and takes parts like before.
//! - **The last words.** When no cluster is left, the finished parts of all batches
//!   go to the host as `Done` frames, then a `Lost` frame that says so.
//! - **Nothing is believed.** Frames are checked for damage, for run, generation and
//!   part, and for results that count as many playouts as were asked for.
//!
//! # What it expects of a cluster
//! It says `Hello` once, and again if it is sent one. It answers `Load` with `Ready` or `Refused`, and `Work`
//! with `Done` or `Refused`, with run, generation, batch, first, count and playouts
//! as they came. While it plays it says `Alive` from time to time: only silence kills. It plays parts in the order in which they come. `Rest` ends its game
//! without an answer. A frame that it cannot read it drops, and says `Garbled`; if it
//! does not, the deadline takes care
//! of it.
//!
//! # What it expects of the host
//! Runs are counted up, and each says how it is shared: with fewer clusters than
//! there are, the others rest. `Work` waits for `Ready`. A frame may be sent again: a batch
//! that is in flight is not played twice, and a game that is ready is said to be.

mod audit;
mod batch;
mod cluster;
mod game;
mod loading;
mod losing;
mod part;
mod settings;
mod statistics;
mod working;

use std::collections::VecDeque;
use std::fmt::Display;
use std::time::Duration;

use ruche_shared::wire::control::{Refusal, RunMode, Text};
use ruche_shared::wire::{Frame, FrameError, Header, Kind};

pub use settings::NodeSettings;
pub use statistics::Statistics;

use crate::{Outbox, Peer, frames};
use batch::Batch;
use cluster::{Cluster, Life};
use game::{Game, Phase};
use part::Part;

/// The I/O node.
#[derive(Debug)]
pub struct IoNode {
    settings: NodeSettings,
    clusters: Vec<Cluster>,
    game: Option<Game>,
    /// Batches that are not answered, in the order in which they came.
    batches: VecDeque<Batch>,
    /// Parts that no cluster has, the next one first.
    line: VecDeque<Part>,
    outbox: Outbox,
    /// Clusters that have to be started again.
    to_restart: VecDeque<usize>,
    statistics: Statistics,
    is_stopped: bool,
}

impl IoNode {
    /// A node that waits for its clusters.
    #[must_use]
    pub fn new(settings: NodeSettings) -> Self {
        Self {
            settings: settings.sound(),
            clusters: (0..settings.clusters).map(|_| Cluster::new(settings.restarts)).collect(),
            game: None,
            batches: VecDeque::new(),
            line: VecDeque::new(),
            outbox: Outbox::default(),
            to_restart: VecDeque::new(),
            statistics: Statistics::default(),
            is_stopped: false,
        }
    }

    /// A frame came from the host. Times count from any one start and never run
    /// backwards.
    pub fn on_host(&mut self, frame: Vec<u8>, now: Duration) {
        self.statistics.count_received(Peer::Host, &frame);
        match Frame::parse(&frame).map(|frame| (frame.kind, frame.header)) {
            _ if self.is_stopped => {}
            Ok((Kind::Load, header)) => self.load(header, frame, now),
            Ok((Kind::Work, header)) => self.work(header, frame, now),
            Ok((Kind::Stop, _)) => self.stop(),
            Ok((kind, header)) => {
                self.refuse(&header, format_args!("a host does not send {kind:?} frames"));
            }
            Err(error) => {
                self.statistics.damaged += 1;
                self.refuse(&Header::new(Kind::Refused), error);
            }
        }
    }

    /// A frame came from a cluster. There is no harm in one that does not exist.
    pub fn on_cluster(&mut self, cluster: usize, frame: &[u8], now: Duration) {
        self.statistics.count_received(Peer::Cluster(cluster), frame);
        match self.clusters.get(cluster) {
            Some(known) if known.is_alive() && !self.is_stopped => {}
            _ => return self.statistics.late += 1,
        }
        match Frame::parse(frame) {
            Ok(frame) => self.on_sound_frame(cluster, &frame, now),
            Err(error) => self.on_damaged_frame(cluster, frame, error, now),
        }
    }

    fn on_sound_frame(&mut self, cluster: usize, frame: &Frame<'_>, now: Duration) {
        let (header, payload) = (&frame.header, frame.payload);
        match frame.kind {
            Kind::Hello => self.hello(cluster, payload, now),
            Kind::Ready => self.ready(cluster, header, payload, now),
            Kind::Refused => self.refused(cluster, header, payload, now),
            Kind::Done => self.done(cluster, header, payload, now),
            Kind::Garbled => self.garbled(cluster, now),
            Kind::Alive => self.alive(cluster, header, now),
            Kind::Failed => self.failed(cluster, header, payload, now),
            kind => self.damaged(cluster, format_args!("a cluster does not send {kind:?} frames")),
        }
    }

    /// The transport knows that a cluster has died, and says how.
    pub fn on_gone(&mut self, cluster: usize, reason: &str, now: Duration) {
        let Some(known) = self.clusters.get_mut(cluster) else { return };
        known.is_gone = true;
        if !self.is_stopped {
            self.lose(cluster, format_args!("cluster {cluster} is gone: {reason}"), now);
        }
    }

    /// Time has passed: looks for missed deadlines. Call it at
    /// [`next_deadline`](Self::next_deadline), after all that has arrived by then.
    pub fn on_tick(&mut self, now: Duration) {
        for cluster in 0..self.clusters.len() {
            if self.deadline_of(cluster).is_some_and(|deadline| deadline <= now) {
                self.miss(cluster, now);
            }
        }
    }

    /// When the next deadline is missed unless something comes.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Duration> {
        (0..self.clusters.len()).filter_map(|cluster| self.deadline_of(cluster)).min()
    }

    /// Frames that have to be sent.
    pub fn outbox(&mut self) -> &mut Outbox {
        &mut self.outbox
    }

    /// A cluster that has to be started again, after which it reports for duty.
    pub fn next_restart(&mut self) -> Option<usize> {
        self.to_restart.pop_front()
    }

    /// What was done so far.
    #[must_use]
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Clusters that are not dead.
    #[must_use]
    pub fn living(&self) -> usize {
        self.clusters.iter().filter(|cluster| cluster.is_alive()).count()
    }

    /// Whether it is over.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    /// Tells all clusters to stop, also those that were silent for too long.
    pub fn stop(&mut self) {
        for cluster in 0..self.clusters.len() {
            if !self.clusters[cluster].is_gone {
                let header = self.header_for(cluster, Kind::Stop);
                self.send(Peer::Cluster(cluster), frames::frame(header, &[]));
            }
        }
        self.is_stopped = true;
        self.batches.clear();
        self.line.clear();
    }

    fn deadline_of(&self, cluster: usize) -> Option<Duration> {
        let game = self.game.as_ref().filter(|_| !self.is_stopped)?;
        self.clusters[cluster].deadline(game.sharing.deadline, self.is_loading())
    }

    /// Clusters that are not dead and that the game is for.
    fn players(&self) -> usize {
        self.clusters.iter().filter(|cluster| cluster.is_player()).count()
    }

    fn is_loading(&self) -> bool {
        self.game.as_ref().is_some_and(|game| game.phase == Phase::Loading)
    }

    fn run(&self) -> u32 {
        self.game.as_ref().map_or(0, |game| game.run)
    }

    /// Whether an answer belongs to this run and to this life of the cluster; if
    /// not, it is dropped.
    fn is_current(&mut self, cluster: usize, header: &Header) -> bool {
        let generation = self.clusters[cluster].generation;
        let is_current = (header.run, header.generation) == (self.run(), generation);
        self.statistics.late += u64::from(!is_current);
        is_current
    }

    /// Counts a frame that makes no sense, and remembers that the cluster was heard.
    fn damaged(&mut self, cluster: usize, why: impl Display) {
        self.statistics.damaged += 1;
        self.clusters[cluster].noise = Some(why.to_string());
    }

    fn header_for(&self, cluster: usize, kind: Kind) -> Header {
        let generation = self.clusters[cluster].generation;
        Header { run: self.run(), generation, ..Header::new(kind) }
    }

    /// Refuses a frame of the host.
    fn refuse(&mut self, asked: &Header, why: impl Display) {
        self.refuse_as(asked, &Refusal { cluster: None, text: Text::of(why) });
    }

    /// Passes a refusal on to the host.
    fn refuse_as(&mut self, asked: &Header, refusal: &Refusal) {
        let Header { run, batch, .. } = *asked;
        let header = Header { run, batch, ..Header::new(Kind::Refused) };
        self.send(Peer::Host, frames::control(header, refusal));
    }

    fn send(&mut self, to: Peer, frame: Vec<u8>) {
        self.statistics.count_sent(to, &frame);
        self.outbox.push(to, frame);
    }
}
