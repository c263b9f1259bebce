//! PC0 at the link: takes work from it, lets the cores do it, and sends what came of it.

use bytemuck::cast_slice;
use ruche_shared::wire::control::Ready;
use ruche_shared::wire::results::Columns;
use ruche_shared::wire::work::Work;
use ruche_shared::wire::{FrameError, Header, Kind};
use thiserror::Error;

use super::desk::Desk;
use super::{Plan, TOO_SMALL, ask_again, give_up, is_sound, mention, refuse, say};
use crate::arena::Arena;
use crate::hal::{Link, LinkClosed, Machine};
use crate::strategy::{Pulse, Round, with_crew};

/// PC0 at the link. Knows neither words nor circuits, so that there is one for all.
pub(super) struct Clerk<'a, 'memory, M, L> {
    pub machine: &'a M,
    pub link: &'a mut L,
    /// The header of the `Load` frame.
    pub load: &'a Header,
    pub plan: Plan,
    pub desk: &'a Desk<'memory>,
    /// Memory for what leaves.
    pub outgoing: &'memory mut [u64],
    pub fluents: usize,
    /// While cores work, the I/O node hears of it after so many nanoseconds.
    pub beat: u64,
}

/// Memory for the results of all positions that there is room for.
pub(super) fn outgoing<'memory>(
    columns: Columns,
    queue: usize,
    arena: &mut Arena<'memory>,
) -> Option<&'memory mut [u64]> {
    arena.slice(queue * columns.numbers(), |_| 0)
}

/// Why the positions of a frame are not played from.
#[derive(Debug, Error)]
enum Unusable {
    #[error(transparent)]
    Frame(#[from] FrameError),
    #[error("{count} positions in {length} bytes: send up to {most}")]
    TooMany { count: u32, length: u32, most: usize },
}

impl<M: Machine, L: Link> Clerk<'_, '_, M, L> {
    /// Does what the I/O node asks for with a crew that does rounds of this work, until
    /// another game begins or this one is over.
    pub fn employ<S: Send>(
        &mut self,
        states: &mut [S],
        work: impl Fn(usize, &mut S) + Sync,
    ) -> Result<Option<Header>, LinkClosed> {
        let (strategy, machine) = (self.plan.strategy, self.machine);
        let mut end = Ok(None);
        with_crew(strategy, machine, states, work, &mut |round| end = self.serve(round));
        end
    }

    /// The game does not fit after all.
    pub fn give_up(&mut self) -> Result<Option<Header>, LinkClosed> {
        give_up(self.link, self.load, &TOO_SMALL)
    }

    fn serve(&mut self, round: Round<'_>) -> Result<Option<Header>, LinkClosed> {
        self.say_ready(self.load)?;
        loop {
            let header = self.link.receive()?;
            match header.kind() {
                Ok(Kind::Work) if header.run == self.load.run => self.work(&header, round)?,
                // It comes twice, or is another frame that was damaged.
                Ok(Kind::Load) if header.run == self.load.run => self.say_ready(&header)?,
                Ok(Kind::Load) => return Ok(Some(header)),
                // At rest, cores that wait actively would take the time of others.
                Ok(Kind::Rest | Kind::Stop) if is_sound(&header) => return Ok(Some(header)),
                // Damaged, of another run, or none of a cluster's business.
                _ => {}
            }
        }
    }

    /// The game of a `Load` frame is ready to be played.
    fn say_ready(&mut self, load: &Header) -> Result<(), LinkClosed> {
        let account = &self.plan.account;
        let free = account.free().max(0) as u64;
        let ready = Ready { width: account.word, free, queue: account.queue as u32 };
        say(self.link, Header { kind: Kind::Ready as u16, ..*load }, &ready)
    }

    fn work(&mut self, header: &Header, round: Round<'_>) -> Result<(), LinkClosed> {
        match self.take(header)? {
            Ok(number) => self.play(header, number, round),
            Err(Unusable::Frame(FrameError::Checksum)) => ask_again(self.link, header),
            Err(why) => refuse(self.link, header, &why),
        }
    }

    /// Takes the positions of a frame to the desk. Returns the number of the first.
    fn take(&mut self, header: &Header) -> Result<Result<u64, Unusable>, LinkClosed> {
        let Header { count, length, .. } = *header;
        let (most, link) = (self.desk.queue(), &mut *self.link);
        let receive = |payload: &mut [u8]| {
            link.payload(payload)?;
            let work = header.check(payload);
            Ok(work
                .and_then(|()| Work::parse(header, payload, self.fluents))
                .map(|work| work.number))
        };
        // SAFETY: this is PC0, and rounds are over when `round` returns.
        let taken = unsafe { self.desk.fill(length as usize, receive) };
        match taken.filter(|_| count as usize <= most) {
            None => Ok(Err(Unusable::TooMany { count, length, most })),
            Some(number) => Ok(number?.map_err(Unusable::Frame)),
        }
    }

    /// A round with what is on the desk.
    fn play(&mut self, header: &Header, number: u64, round: Round<'_>) -> Result<(), LinkClosed> {
        self.desk.lay_out(number, header.count, header.playouts);
        let start = self.machine.now();
        let (machine, link, interval) = (self.machine, &mut *self.link, self.beat);
        round(&mut Heartbeat { machine, link, work: header, interval, last: start });
        let nanoseconds = self.machine.now().wrapping_sub(start);
        let pieces = [cast_slice(self.desk.collect(self.outgoing))];
        let done = Header { kind: Kind::Done as u16, nanoseconds, ..*header };
        self.link.send(&done.sealed(&pieces), &pieces)
    }
}

/// Tells the I/O node now and then that a round goes on.
struct Heartbeat<'a, M, L> {
    machine: &'a M,
    link: &'a mut L,
    /// The header of the frame with the work.
    work: &'a Header,
    interval: u64,
    last: u64,
}

impl<M: Machine, L: Link> Pulse for Heartbeat<'_, M, L> {
    fn interval(&self) -> u64 {
        self.interval
    }

    fn beat(&mut self) {
        let now = self.machine.now();
        if now.wrapping_sub(self.last) >= self.interval {
            self.last = now;
            // That nobody hears it is noticed when the results are sent.
            let _ = mention(self.link, Kind::Alive, self.work);
        }
    }
}
