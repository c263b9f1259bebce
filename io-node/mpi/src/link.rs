//! The connection of one rank to those it talks to.
//!
//! Besides frames there are two kinds of messages: each rank gives a *sign of
//! life* every second while it waits, and says *farewell* when it ends. With
//! them a rank that ended is known at once, and one that was killed is missed even
//! where MPI itself reports nothing.

mod remote;

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

pub use remote::Watch;
use remote::{Remote, State};

use crate::{
    messages::{Envelope, Failure, Messages, Purpose, Rank},
    patience::Patience,
};

/// Time between two signs of life.
const PULSE: Duration = Duration::from_secs(1);

/// For so long the last messages are pushed out when a rank ends.
const FLUSH: Duration = Duration::from_secs(1);

/// Between two looks at each rank by itself, in case that the look at all of them
/// together does not report a lost one.
const ROUND: Duration = Duration::from_millis(20);

/// What happened at a rank.
#[derive(Debug, PartialEq, Eq)]
pub enum Happening {
    /// It sent a frame.
    Frame(Vec<u8>),
    /// It ended in good order, with this status.
    Ended(u8),
    /// It is lost: why, for a person.
    Lost(String),
    /// The launcher ends the job, and with it this rank like all others.
    JobEnds,
}

/// The connection of one rank to those it talks to.
#[derive(Debug)]
pub struct Link<M: Messages> {
    messages: M,
    remotes: Vec<Remote>,
    outgoing: Vec<(Rank, M::Transfer)>,
    incoming: VecDeque<(Envelope, M::Transfer)>,
    happenings: VecDeque<(Rank, Happening)>,
    /// Set from outside when the launcher ends the job.
    job_ends: Arc<AtomicBool>,
    /// Whether one look can find messages of anybody. Not any more once MPI has
    /// answered that somebody is lost.
    together: bool,
    last_look: Instant,
    next_pulse: Instant,
    next_round: Instant,
    shut: bool,
}

impl<M: Messages> Link<M> {
    /// A connection to these ranks.
    pub fn new(messages: M, ranks: Vec<(Rank, Watch)>, job_ends: Arc<AtomicBool>) -> Self {
        let now = Instant::now();
        Self {
            messages,
            together: ranks.len() > 1,
            remotes: ranks.into_iter().map(|(rank, watch)| Remote::new(rank, watch)).collect(),
            outgoing: Vec::new(),
            incoming: VecDeque::new(),
            happenings: VecDeque::new(),
            job_ends,
            last_look: now,
            next_pulse: now,
            next_round: now,
            shut: false,
        }
    }

    /// What carries the messages.
    pub fn messages(&self) -> &M {
        &self.messages
    }

    /// Whether anything can still come.
    pub fn is_open(&self) -> bool {
        !self.shut && (!self.happenings.is_empty() || !self.is_alone())
    }

    /// Whether everybody is lost or has ended.
    pub fn is_alone(&self) -> bool {
        !self.remotes.iter().any(Remote::is_there)
    }

    /// The status with which a rank has ended.
    pub fn status_of(&self, rank: Rank) -> Option<u8> {
        self.remotes.iter().find(|remote| remote.rank == rank).and_then(|remote| {
            match remote.state {
                State::Ended(status) => Some(status),
                State::There | State::Lost => None,
            }
        })
    }

    /// Whether all that was sent has been taken over by the receivers.
    pub fn is_flushed(&self) -> bool {
        self.outgoing.is_empty()
    }

    /// Starts to send a frame; `false` if that rank is lost.
    pub fn send(&mut self, to: Rank, frame: Vec<u8>) -> bool {
        if !self.is_there(to) {
            return false;
        }
        self.start(to, frame, Purpose::Frame);
        self.advance_outgoing();
        self.give_pulse();
        self.is_there(to)
    }

    /// What happens next; `None` if nothing does before the timeout, or can.
    pub fn wait(&mut self, timeout: Option<Duration>) -> Option<(Rank, Happening)> {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut patience = Patience::new();
        self.last_look = Instant::now();
        loop {
            self.look();
            let left = deadline.map_or(Duration::MAX, |end| end.duration_since(self.last_look));
            let happening = self.happenings.pop_front();
            if happening.is_some() || left.is_zero() || !self.is_open() {
                return happening;
            }
            patience.pause(left);
        }
    }

    /// Says farewell with this status and pushes out what was sent, then waits for
    /// so long for the farewells of all others. Nothing is sent or received after
    /// it.
    pub fn shut(&mut self, status: u8, wait: Duration) {
        if self.shut {
            return;
        }
        for rank in self.ranks_in(|state| state != State::Lost) {
            self.start(rank, vec![status], Purpose::Farewell);
        }
        self.look_until(FLUSH, Self::is_flushed);
        self.look_until(wait, Self::is_alone);
        self.shut = true;
    }

    fn look_until(&mut self, limit: Duration, reached: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        let mut patience = Patience::new();
        while !reached(self) && start.elapsed() < limit {
            self.look();
            patience.pause(limit);
        }
    }

    /// One look at everything.
    fn look(&mut self) {
        if self.shut {
            return;
        }
        self.advance_outgoing();
        while let Some(envelope) = self.find() {
            self.take(envelope);
        }
        self.advance_incoming();
        self.give_pulse();
        self.judge_silence();
        if self.job_ends() {
            self.lose_all();
        }
    }

    /// A message that can be received.
    fn find(&mut self) -> Option<Envelope> {
        let now = Instant::now();
        if self.together {
            match self.messages.probe(None) {
                Ok(Some(envelope)) => return Some(envelope),
                Ok(None) if now < self.next_round => return None,
                Ok(None) => {}
                Err(_) => self.together = false,
            }
        }
        self.next_round = now + ROUND;
        self.remotes.rotate_left(1);
        self.ranks_there().into_iter().find_map(|rank| self.find_from(rank))
    }

    fn find_from(&mut self, rank: Rank) -> Option<Envelope> {
        self.messages.probe(Some(rank)).unwrap_or_else(|why| {
            self.lose(rank, &failed(&why));
            None
        })
    }

    /// Starts to receive what was found.
    fn take(&mut self, envelope: Envelope) {
        if let Some(remote) = self.remote(envelope.source) {
            remote.heard(envelope.purpose);
        }
        match self.messages.start_receive(envelope) {
            Ok(transfer) => self.incoming.push_back((envelope, transfer)),
            Err(why) => self.lose(envelope.source, &failed(&why)),
        }
    }

    /// Hands on what has come in full, in the order in which each rank sent it.
    fn advance_incoming(&mut self) {
        let mut unfinished = VecDeque::new();
        while let Some((envelope, mut transfer)) = self.incoming.pop_front() {
            let waits = |(other, _): &(Envelope, _)| other.source == envelope.source;
            if unfinished.iter().any(waits) {
                unfinished.push_back((envelope, transfer));
                continue;
            }
            match self.messages.complete(&mut transfer) {
                Ok(Some(bytes)) => self.arrived(envelope, bytes),
                Ok(None) => unfinished.push_back((envelope, transfer)),
                Err(why) => self.lose(envelope.source, &failed(&why)),
            }
        }
        self.incoming = unfinished;
    }

    fn arrived(&mut self, envelope: Envelope, bytes: Vec<u8>) {
        let rank = envelope.source;
        match envelope.purpose {
            Purpose::Frame if self.is_there(rank) => {
                self.happenings.push_back((rank, Happening::Frame(bytes)));
            }
            Purpose::Frame | Purpose::Pulse => {}
            Purpose::Farewell => {
                self.part(rank, Happening::Ended(bytes.first().copied().unwrap_or(0)));
            }
        }
    }

    fn start(&mut self, to: Rank, bytes: Vec<u8>, purpose: Purpose) {
        if self.shut {
            return;
        }
        match self.messages.start_send(bytes, to, purpose) {
            Ok(transfer) => self.outgoing.push((to, transfer)),
            Err(why) => self.lose(to, &failed(&why)),
        }
    }

    /// Frees what has been sent.
    fn advance_outgoing(&mut self) {
        let mut failures = Vec::new();
        let messages = &self.messages;
        self.outgoing.retain_mut(|(to, transfer)| match messages.complete(transfer) {
            Ok(sent) => sent.is_none(),
            Err(why) => {
                failures.push((*to, why));
                false
            }
        });
        failures.into_iter().for_each(|(to, why)| self.lose(to, &failed(&why)));
    }

    /// Gives a sign of life to everybody when it is time.
    fn give_pulse(&mut self) {
        let now = Instant::now();
        if now < self.next_pulse {
            return;
        }
        self.next_pulse = now + PULSE;
        for rank in self.ranks_there() {
            self.start(rank, Vec::new(), Purpose::Pulse);
        }
    }

    /// Gives up whoever has been silent for too long.
    fn judge_silence(&mut self) {
        let now = Instant::now();
        let passed = now.duration_since(self.last_look);
        self.last_look = now;
        let silent: Vec<(Rank, Duration)> = self
            .remotes
            .iter_mut()
            .filter_map(|remote| Some((remote.rank, remote.silent_for(passed)?)))
            .collect();
        for (rank, limit) in silent {
            self.lose(rank, &format!("no sign of life for {} s", limit.as_secs()));
        }
    }

    /// Whether the launcher ends the job.
    pub fn job_ends(&self) -> bool {
        self.job_ends.load(Ordering::Relaxed)
    }

    /// Loses everybody, the host first: nothing else matters after it.
    fn lose_all(&mut self) {
        self.remotes.sort_by_key(|remote| remote.rank);
        self.ranks_there().into_iter().for_each(|rank| self.part(rank, Happening::JobEnds));
    }

    fn lose(&mut self, rank: Rank, why: &str) {
        self.part(rank, Happening::Lost(why.to_owned()));
    }

    /// The last that is reported of a rank.
    fn part(&mut self, rank: Rank, how: Happening) {
        if let Some(remote) = self.remote(rank).filter(|remote| remote.is_there()) {
            remote.state = match how {
                Happening::Ended(status) => State::Ended(status),
                Happening::Frame(_) | Happening::Lost(_) | Happening::JobEnds => State::Lost,
            };
            self.happenings.push_back((rank, how));
        }
    }

    fn is_there(&self, rank: Rank) -> bool {
        self.remotes.iter().any(|remote| remote.rank == rank && remote.is_there())
    }

    fn ranks_there(&self) -> Vec<Rank> {
        self.ranks_in(|state| state == State::There)
    }

    fn ranks_in(&self, wanted: impl Fn(State) -> bool) -> Vec<Rank> {
        self.remotes
            .iter()
            .filter(|remote| wanted(remote.state))
            .map(|remote| remote.rank)
            .collect()
    }

    fn remote(&mut self, rank: Rank) -> Option<&mut Remote> {
        self.remotes.iter_mut().find(|remote| remote.rank == rank)
    }
}

fn failed(why: &Failure) -> String {
    format!("MPI reports {}", why.0)
}

#[cfg(test)]
mod tests;
