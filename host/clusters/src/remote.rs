//! The host's side of the I/O node: batches go out, results come in.

use std::collections::HashMap;
use std::time::Duration;

use ruche_game::Game;
use ruche_io_node::frames;
use ruche_io_node::transport::Endpoint;
use ruche_offload::{
    Attributes, Batch, Columns, Event, Events, Finished, Offload, OffloadError, Results, Usage,
};
use ruche_shared::WordWidth;
use ruche_shared::wire::control::{self, Loss, Ready, Refusal};
use ruche_shared::wire::results;
use ruche_shared::wire::work::Work;
use ruche_shared::wire::{Frame, Header, Kind};

use crate::connect::{ConnectError, ConnectSettings};

/// The host's end of a connection to an I/O node: clusters that play one game after
/// the other.
#[derive(Debug)]
pub struct Remote<E: Endpoint> {
    endpoint: E,
    /// Counts the games. None has been loaded before the first.
    run: u32,
    /// Of the game.
    attributes: Attributes,
    /// By the number of the batch.
    pending: HashMap<u64, Pending>,
    /// Playouts of the game that have come back.
    finished: u64,
    /// How long clusters were at it, all together.
    playing: Duration,
    losses: usize,
    events: Events,
}

/// A batch whose results are still to come, perhaps in pieces.
#[derive(Debug)]
struct Pending {
    finished: Finished,
    /// Positions without a result.
    left: usize,
}

/// Before the first game.
const NOTHING: Attributes = Attributes {
    columns: Columns::of_roles(0),
    seed: 0,
    ply_limit: 0,
    width: WordWidth::One,
    clusters: 0,
    sensible_batch: 0,
};

impl<E: Endpoint> Remote<E> {
    /// The host's end, without a game.
    pub fn new(endpoint: E, events: Events) -> Self {
        Self {
            endpoint,
            run: 0,
            attributes: NOTHING,
            pending: HashMap::new(),
            finished: 0,
            playing: Duration::ZERO,
            losses: 0,
            events,
        }
    }

    /// Loads a game into clusters behind an endpoint.
    ///
    /// # Errors
    /// If a cluster refuses the game, for instance because it does not fit.
    pub fn connect(
        endpoint: E,
        game: &Game,
        settings: &ConnectSettings,
    ) -> Result<Self, ConnectError> {
        let mut remote = Self::new(endpoint, settings.events.clone());
        remote.load(game, settings)?;
        Ok(remote)
    }

    /// Loads a game in the place of the one before, whose results are not awaited
    /// any more.
    ///
    /// # Errors
    /// If a cluster refuses the game. Another one can be loaded after that.
    pub fn load(&mut self, game: &Game, settings: &ConnectSettings) -> Result<(), ConnectError> {
        self.run += 1;
        self.pending.clear();
        (self.finished, self.playing) = (0, Duration::ZERO);
        let load = settings.topology.load(game.image(), settings.seed, settings.ply_limit);
        self.endpoint.send(frames::load(self.run, &load, game.image_bytes()))?;
        let Ready { width, queue, .. } = self.await_ready()?;
        let clusters = settings.topology.clusters;
        self.attributes = Attributes {
            columns: Columns { roles: game.roles(), further: load.further_columns as usize },
            seed: settings.seed,
            ply_limit: settings.ply_limit,
            width,
            clusters,
            sensible_batch: clusters * queue as usize,
        };
        Ok(())
    }

    /// The number of the game that is loaded.
    pub(crate) fn run(&self) -> u32 {
        self.run
    }

    /// Tells everybody to stop.
    pub fn stop(&mut self) {
        // Whoever is gone has stopped.
        let _ = self.endpoint.send(frames::frame(Header::new(Kind::Stop), &[]));
    }

    fn await_ready(&mut self) -> Result<Ready, ConnectError> {
        loop {
            let Some(bytes) = self.endpoint.receive(None)? else { continue };
            let Ok(frame) = Frame::parse(&bytes) else { continue };
            match frame.kind {
                Kind::Ready | Kind::Refused if self.is_late(&frame) => {}
                Kind::Ready => {
                    if let Ok(ready) = control::unpack(frame.payload, Kind::Ready) {
                        return Ok(ready);
                    }
                }
                Kind::Refused => return Err(ConnectError::Refused(refusal(&frame))),
                Kind::Lost => {
                    if let Some(reason) = self.lose(&frame) {
                        return Err(ConnectError::Lost(reason));
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether a frame belongs to an earlier game, whose batches may have had the
    /// same numbers. What answers a frame that could not be read has no run.
    fn is_late(&self, frame: &Frame<'_>) -> bool {
        ![0, self.run].contains(&frame.header.run)
    }

    /// Notes that a cluster has died; the reason if it was the last of the game. The
    /// last of an earlier one may have left others, that rested.
    fn lose(&mut self, frame: &Frame<'_>) -> Option<String> {
        let Loss { cluster, left, text } = control::unpack(frame.payload, Kind::Lost).ok()?;
        self.losses += 1;
        let (cluster, left, reason) = (cluster as usize, left as usize, text.to_string());
        self.events.tell(&Event::Lost { cluster, left, reason });
        (left == 0 && !self.is_late(frame)).then(|| text.to_string())
    }

    /// Results of a batch, or of a part of it; the batch if that completes it.
    fn accept(&mut self, frame: &Frame<'_>) -> Option<Finished> {
        let header = &frame.header;
        let pending = self.pending.get_mut(&header.batch)?;
        results::parse(header, frame.payload, self.attributes.columns).ok()?;
        let count = header.count as usize;
        if !pending.finished.results.put_bytes(header.first as usize, frame.payload) {
            return None;
        }
        self.playing += Duration::from_nanos(header.nanoseconds);
        self.finished += count as u64 * u64::from(header.playouts);
        pending.left = pending.left.saturating_sub(count);
        if pending.left > 0 {
            return None;
        }
        self.pending.remove(&header.batch).map(|pending| pending.finished)
    }

    fn lost(&self, reason: impl ToString) -> OffloadError {
        OffloadError::Lost { reason: reason.to_string(), finished: self.finished }
    }
}

fn refusal(frame: &Frame<'_>) -> String {
    match control::unpack::<Refusal>(frame.payload, Kind::Refused) {
        Ok(Refusal { cluster: Some(cluster), text }) => format!("cluster {cluster}: {text}"),
        Ok(Refusal { cluster: None, text }) => text.to_string(),
        Err(_) => "refused without a reason".to_owned(),
    }
}

impl<E: Endpoint> Offload for Remote<E> {
    fn attributes(&self) -> Attributes {
        self.attributes
    }

    fn usage(&self) -> Usage {
        Usage { playing: Some(self.playing), losses: self.losses, virtual_time: None }
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        let header = Header {
            run: self.run,
            batch: batch.number,
            count: batch.count as u32,
            playouts: batch.playouts,
            ..Header::new(Kind::Work)
        };
        let work = Work { number: batch.first, positions: &batch.positions };
        let frame = frames::frame(header, &work.pieces());
        let results = Results::new(self.attributes.columns, batch.count);
        let finished = Finished { number: batch.number, results };
        self.pending.insert(batch.number, Pending { finished, left: batch.count });
        self.endpoint.send(frame).map_err(|closed| self.lost(closed))
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        if self.pending.is_empty() {
            return Err(OffloadError::Idle);
        }
        loop {
            let received = self.endpoint.receive(Some(Duration::from_secs(1)));
            let Some(bytes) = received.map_err(|closed| self.lost(closed))? else { continue };
            let Ok(frame) = Frame::parse(&bytes) else { continue };
            match frame.kind {
                Kind::Done | Kind::Refused if self.is_late(&frame) => {}
                Kind::Done => {
                    if let Some(finished) = self.accept(&frame) {
                        return Ok(finished);
                    }
                }
                Kind::Lost => {
                    if let Some(reason) = self.lose(&frame) {
                        return Err(self.lost(reason));
                    }
                }
                Kind::Refused => {
                    let (batch, reason) = (frame.header.batch, refusal(&frame));
                    return Err(OffloadError::Refused { batch, reason });
                }
                _ => {}
            }
        }
    }
}

impl<E: Endpoint> Drop for Remote<E> {
    fn drop(&mut self) {
        self.stop();
    }
}
