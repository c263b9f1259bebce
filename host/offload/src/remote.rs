//! The host's side of the I/O node: batches go out, results come in.

use std::collections::HashMap;
use std::time::Duration;

use ruche_eval::playouts::Outcome;
use ruche_io_node::frames;
use ruche_io_node::transport::{Closed, Endpoint};
use ruche_search::{Batch, Finished, Offload, OffloadError};
use ruche_shared::Image;
use ruche_shared::budget::WordWidth;
use ruche_shared::wire::control::{self, Load, Loss, Ready, Refusal};
use ruche_shared::wire::results::{self, COUNTS, result_numbers};
use ruche_shared::wire::work::Work;
use ruche_shared::wire::{Frame, Header, Kind};
use thiserror::Error;

/// Why clusters cannot play a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConnectError {
    /// A cluster or the I/O node says why not.
    #[error("{0}")]
    Refused(String),
    /// Nobody is left.
    #[error("no cluster is left: {0}")]
    Lost(String),
    /// Nobody answers.
    #[error("the I/O node does not answer")]
    Closed,
}

impl From<Closed> for ConnectError {
    fn from(_: Closed) -> Self {
        ConnectError::Closed
    }
}

/// The host's end of a connection to an I/O node: clusters that play one game after
/// the other.
#[derive(Debug)]
pub struct Remote<E: Endpoint> {
    endpoint: E,
    /// Counts the games. None has been loaded before the first.
    run: u32,
    /// Of the game.
    roles: usize,
    width: WordWidth,
    /// By the number of the batch.
    pending: HashMap<u64, Pending>,
    /// Playouts of the game that have come back.
    finished: u64,
    /// How long clusters were at it, all together.
    playing: Duration,
    losses: Vec<Loss>,
    on_loss: fn(&Loss),
}

/// A batch whose results are still to come, perhaps in pieces.
#[derive(Debug)]
struct Pending {
    finished: Finished,
    /// Positions without a result.
    left: usize,
}

impl<E: Endpoint> Remote<E> {
    /// The host's end, without a game. `on_loss` is told of clusters that die.
    pub fn new(endpoint: E, on_loss: fn(&Loss)) -> Self {
        Self {
            endpoint,
            run: 0,
            roles: 0,
            width: WordWidth::One,
            pending: HashMap::new(),
            finished: 0,
            playing: Duration::ZERO,
            losses: Vec::new(),
            on_loss,
        }
    }

    /// Loads a game into clusters behind an endpoint. `on_loss` is told of clusters
    /// that die later.
    ///
    /// # Errors
    /// If a cluster refuses the game, for instance because it does not fit.
    pub fn connect(
        endpoint: E,
        image: &Image<'_>,
        bytes: &[u8],
        load: &Load,
        on_loss: fn(&Loss),
    ) -> Result<Self, ConnectError> {
        let mut remote = Self::new(endpoint, on_loss);
        remote.load(image, bytes, load)?;
        Ok(remote)
    }

    /// Loads a game in the place of the one before, whose results are not awaited
    /// any more.
    ///
    /// # Errors
    /// If a cluster refuses the game. Another one can be loaded after that.
    pub fn load(
        &mut self,
        image: &Image<'_>,
        bytes: &[u8],
        load: &Load,
    ) -> Result<(), ConnectError> {
        self.run += 1;
        self.roles = image.roles();
        self.pending.clear();
        (self.finished, self.playing) = (0, Duration::ZERO);
        self.endpoint.send(frames::load(self.run, load, bytes))?;
        self.width = self.await_ready()?.width;
        Ok(())
    }

    /// The word that the clusters use for the game.
    #[must_use]
    pub fn width(&self) -> WordWidth {
        self.width
    }

    /// How long the cores of all clusters were at the game, added up.
    #[must_use]
    pub fn playing(&self) -> Duration {
        self.playing
    }

    /// The clusters that have died.
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        &self.losses
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
        let loss: Loss = control::unpack(frame.payload, Kind::Lost).ok()?;
        (self.on_loss)(&loss);
        let end = (loss.left == 0 && !self.is_late(frame)).then(|| loss.text.to_string());
        self.losses.push(loss);
        end
    }

    /// Results of a batch, or of a part of it; the batch if that completes it.
    fn accept(&mut self, frame: &Frame<'_>) -> Option<Finished> {
        let header = &frame.header;
        let pending = self.pending.get_mut(&header.batch)?;
        let numbers = results::parse(header, frame.payload, self.roles).ok()?;
        let (first, count) = (header.first as usize, header.count as usize);
        let outcomes = pending.finished.outcomes.get_mut(first..first + count)?;
        let scores = &mut pending.finished.scores[first * self.roles..][..count * self.roles];
        for (index, result) in numbers.chunks_exact(result_numbers(self.roles)).enumerate() {
            let number = |at: usize| result[at].get();
            outcomes[index] = Outcome {
                scored: number(0),
                unscored: number(1),
                stuck: number(2),
                endless: number(3),
                plies: number(4),
            };
            for role in 0..self.roles {
                scores[index * self.roles + role] = number(COUNTS + role);
            }
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
        let finished = Finished {
            number: batch.number,
            outcomes: vec![Outcome::default(); batch.count],
            scores: vec![0; batch.count * self.roles],
        };
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
