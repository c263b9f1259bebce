//! A cluster at work: what PC0 does.
//!
//! ```text
//!  Hello ▶        ◀ Load  Ready ▶     ◀ Work  Done ▶  ◀ Work  Done ▶  …   ◀ Stop
//! ```
//! PC0 alone talks to the I/O node. It puts the positions of a `Work` frame on a
//! desk where all cores see them, lets the cores do a round, and sends the
//! sums. Nothing that comes over the link is trusted: what is damaged is dropped
//! and said to be, so that it is sent again; what makes no sense is refused.

mod desk;
mod split;

use bytemuck::{cast_slice, cast_slice_mut};
use ruche_shared::WordWidth;
use ruche_shared::budget::{Account, Budget, Demand, SEPARATION, TOTAL_BYTES};
use ruche_shared::image::{FlowError, Image, ImageError};
use ruche_shared::names::UnknownName;
use ruche_shared::wire::control::{self, Hello, Load, Mode, Ready, Refusal, StrategyName, Text};
use ruche_shared::wire::results::result_bytes;
use ruche_shared::wire::work::Work;
use ruche_shared::wire::{FrameError, Header, Kind, SCHEMA};
use serde::Serialize;
use thiserror::Error;

use crate::arena::{Arena, Memory};
use crate::hal::{Link, LinkClosed, Machine};
use crate::strategy::{MOST_CORES, Strategy, with_crew};
use desk::{Desk, Share};
use ruche_eval::Word;
use ruche_eval::circuit::Circuit;
use ruche_eval::playouts::{Player, working_words};
use ruche_eval::{Engine, Task};
use split::{Team, Wiring};

/// Serves an I/O node until it says stop.
///
/// # Errors
/// If the link is closed before.
pub fn serve<M: Machine, E: Engine>(
    machine: &M,
    engine: &E,
    link: &mut impl Link,
    memory: &mut Memory,
) -> Result<(), LinkClosed> {
    report_for_duty(link)?;
    let mut next = Some(link.receive()?);
    while let Some(header) = next {
        next = match header.kind() {
            Ok(Kind::Stop) => None,
            Ok(Kind::Load) => play_game(machine, engine, link, memory, &header)?,
            // The I/O node has not understood who is there.
            Ok(Kind::Hello) => {
                report_for_duty(link)?;
                Some(link.receive()?)
            }
            Ok(Kind::Work) => {
                refuse(link, &header, "there is no game: load one first")?;
                Some(link.receive()?)
            }
            _ => Some(link.receive()?),
        };
    }
    Ok(())
}

fn report_for_duty(link: &mut impl Link) -> Result<(), LinkClosed> {
    let hello = Hello { schema: SCHEMA, cores: MOST_CORES as u32, memory: TOTAL_BYTES };
    say(link, Header::new(Kind::Hello), &hello)
}

/// Plays one game. Returns the frame that ends it: another game, or none.
fn play_game<M: Machine, E: Engine>(
    machine: &M,
    engine: &E,
    link: &mut impl Link,
    memory: &mut Memory,
    header: &Header,
) -> Result<Option<Header>, LinkClosed> {
    let mut arena = Arena::new(&mut memory.0);
    let Some((load, image)) = receive_game(link, &mut arena, header)? else {
        return link.receive().map(Some);
    };
    match plan(engine, &load, &image, &mut arena) {
        Ok(Plan { strategy, account }) => {
            let game =
                Game { machine, engine, link, header, load, image, arena, strategy, account };
            engine.with_word(account.word, game)
        }
        Err(why) => {
            refuse(link, header, why)?;
            link.receive().map(Some)
        }
    }
}

/// Takes the payload of a `Load` frame; `None` if it was refused or damaged.
fn receive_game<'memory>(
    link: &mut impl Link,
    arena: &mut Arena<'memory>,
    header: &Header,
) -> Result<Option<(Load, Image<'memory>)>, LinkClosed> {
    let (length, free) = (header.length as usize, arena.free());
    let Some(payload) = arena.slice(length.div_ceil(size_of::<u64>()), |_| 0_u64) else {
        let over = length.saturating_sub(free);
        refuse(link, header, format_args!("image: {length} bytes are {over} more than are free"))?;
        return Ok(None);
    };
    let payload = &mut cast_slice_mut(payload)[..length];
    link.payload(payload)?;
    let payload: &[u8] = payload;
    if header.check(payload).is_err() {
        return ask_again(link, header).map(|()| None);
    }
    match parse_game(payload) {
        Ok(game) => Ok(Some(game)),
        Err(why) => refuse(link, header, why).map(|()| None),
    }
}

fn parse_game(payload: &[u8]) -> Result<(Load, Image<'_>), Unplayable> {
    let load: Load = control::unpack(payload, Kind::Load)?;
    let image = payload.get(control::IMAGE_OFFSET..).unwrap_or_default();
    let image = image.get(..load.image_bytes as usize).ok_or(Unplayable::CutOff)?;
    Ok((load, Image::parse(image)?))
}

/// Why a cluster does not play a game.
#[derive(Debug, Error)]
enum Unplayable {
    #[error(transparent)]
    Frame(#[from] FrameError),
    #[error("the image is cut off")]
    CutOff,
    #[error(transparent)]
    Image(#[from] ImageError),
    #[error("{0} cores: a cluster has 1 to {MOST_CORES}")]
    Cores(usize),
    #[error("`{0}`: {1}")]
    Strategy(StrategyName, UnknownName),
    #[error("no room to check the strata")]
    Scratch,
    #[error(transparent)]
    Strata(#[from] FlowError),
    #[error("{}", .0.account(.1, WordWidth::One).verdict())]
    Memory(Budget, Demand),
}

/// How a game is played.
struct Plan {
    strategy: Strategy,
    account: Account,
}

/// How the game fills the memory, with the widest word that fits.
fn plan(
    engine: &impl Engine,
    load: &Load,
    image: &Image<'_>,
    arena: &mut Arena<'_>,
) -> Result<Plan, Unplayable> {
    let strategy = load.strategy.parse();
    let strategy = strategy.map_err(|why| Unplayable::Strategy(load.strategy.clone(), why))?;
    let cores = load.cores as usize;
    if cores == 0 || cores > MOST_CORES {
        return Err(Unplayable::Cores(cores));
    }
    if load.mode == Mode::Split {
        let scratch = arena.scratch(image.slots(), |_| 0_u32).ok_or(Unplayable::Scratch)?;
        image.validate_strata(scratch)?;
    }
    let budget = Budget { cores: load.cores, ..Budget::default() };
    let demand = Demand::of(image);
    let widths = WordWidth::ALL.into_iter().rev();
    let mut accounts = widths
        .filter(|width| *width <= load.width && engine.has(*width))
        .map(|width| budget.account(&demand, width));
    let account = accounts.find(Account::fits).ok_or(Unplayable::Memory(budget, demand))?;
    Ok(Plan { strategy, account })
}

/// Tells the I/O node why not.
fn refuse(
    link: &mut impl Link,
    about: &Header,
    why: impl core::fmt::Display,
) -> Result<(), LinkClosed> {
    let refusal = Refusal { cluster: None, text: Text::of(why) };
    say(link, Header { kind: Kind::Refused as u16, ..*about }, &refusal)
}

/// Tells the I/O node that a frame could not be read.
fn ask_again(link: &mut impl Link, about: &Header) -> Result<(), LinkClosed> {
    let header = Header { kind: Kind::Garbled as u16, ..*about };
    link.send(&header.sealed(&[]), &[])
}

fn say(link: &mut impl Link, header: Header, message: &impl Serialize) -> Result<(), LinkClosed> {
    let mut buffer = [0; control::LONGEST];
    // All control messages fit; an empty payload would be refused by its reader.
    let packed = control::pack(message, Kind::Refused, &mut buffer).unwrap_or_default();
    link.send(&header.sealed(&[packed]), &[packed])
}

/// A game that fits.
struct Game<'a, 'memory, M, E, L> {
    machine: &'a M,
    engine: &'a E,
    link: &'a mut L,
    /// Of the `Load` frame.
    header: &'a Header,
    load: Load,
    image: Image<'memory>,
    arena: Arena<'memory>,
    strategy: Strategy,
    account: Account,
}

impl<M: Machine, E: Engine, L: Link> Task for Game<'_, '_, M, E, L> {
    type Output = Result<Option<Header>, LinkClosed>;

    fn run<W: Word>(mut self) -> Self::Output {
        let players = match self.load.mode {
            Mode::PerCore | Mode::Empty => self.load.cores as usize,
            Mode::Split => 1,
        };
        let Some(furniture) = self.furnish::<W>(players) else {
            refuse(self.link, self.header, "the memory is too small by its own account")?;
            return self.link.receive().map(Some);
        };
        match self.load.mode {
            Mode::PerCore => self.per_core(furniture),
            Mode::Split => self.split(furniture),
            Mode::Empty => self.empty(furniture),
        }
    }
}

/// The memory of a game, given away.
struct Furniture<'a, 'memory, M, W> {
    clerk: Clerk<'a, 'memory, M>,
    desk: Desk<'memory>,
    /// [`player_words`] words for each player.
    words: &'memory mut [W],
}

/// Words of one player, so many that the next ones may belong to another core.
fn player_words<W>(image: &Image<'_>) -> usize {
    const LINE: usize = SEPARATION as usize;
    working_words(image).next_multiple_of(LINE / size_of::<W>().clamp(1, LINE))
}

impl<'a, 'memory, M: Machine, E: Engine, L: Link> Game<'a, 'memory, M, E, L> {
    fn furnish<W: Word>(&mut self, players: usize) -> Option<Furniture<'a, 'memory, M, W>> {
        let (image, arena) = (&self.image, &mut self.arena);
        let queue = self.account.queue as usize;
        Some(Furniture {
            desk: Desk::new(image, self.load.seed, queue, arena)?,
            clerk: Clerk::new(self.machine, image, queue, arena)?,
            words: arena.slice(players * player_words::<W>(image), |_| W::ZERO)?,
        })
    }

    /// Each core plays games of its own. In a function of its own, like the other
    /// modes: a system core without an operating system has a small stack, and one
    /// function of all modes and words would need the stacks of all.
    #[inline(never)]
    fn per_core<W: Word>(
        self,
        furniture: Furniture<'a, 'memory, M, W>,
    ) -> Result<Option<Header>, LinkClosed> {
        let Game { machine, engine, link, header, load, image, mut arena, strategy, account } =
            self;
        let Furniture { mut clerk, desk, words } = furniture;
        let circuit = engine.circuit::<W>(&image);
        let mut seats = Seats::new(&image, &desk, words);
        let own = || Wiring::<_, M>::Own(&circuit);
        let states = arena.scratch(load.cores as usize, |_| seats.next(own(), load.ply_limit));
        let Some(states) = states else { return give_up(link, header) };
        let work = |_: usize, seat: &mut Option<Playing<'_, W, _>>| play(engine, seat);
        with_crew(strategy, machine, states, work, |round| {
            clerk.serve(link, header, &account, &desk, round)
        })
    }

    /// Nobody plays.
    #[inline(never)]
    fn empty<W: Word>(
        self,
        furniture: Furniture<'a, 'memory, M, W>,
    ) -> Result<Option<Header>, LinkClosed> {
        let Game { machine, link, header, load, mut arena, strategy, account, .. } = self;
        let Furniture { mut clerk, desk, .. } = furniture;
        // SAFETY: cores use it when they work, and that is in rounds.
        let states = arena.scratch(load.cores as usize, |_| unsafe { desk.share() });
        let Some(states) = states else { return give_up(link, header) };
        let work = |_: usize, share: &mut Share<'_>| share.give_up_all();
        with_crew(strategy, machine, states, work, |round| {
            clerk.serve(link, header, &account, &desk, round)
        })
    }

    /// One core plays, and all share the gates of its games.
    #[inline(never)]
    fn split<W: Word>(
        self,
        furniture: Furniture<'a, 'memory, M, W>,
    ) -> Result<Option<Header>, LinkClosed> {
        let Game { machine, engine, link, header, load, image, mut arena, strategy, account } =
            self;
        let Furniture { mut clerk, desk, words } = furniture;
        let team = Team::new(machine, image, load.cores, load.split_least);
        let mut seats = Seats::new(&image, &desk, words);
        let shared = || Wiring::<&E::Circuit<'_, W>, M>::Shared(&team);
        let leader = arena.scratch(1, |_| seats.next(shared(), load.ply_limit));
        let Some([leader]) = leader else { return give_up(link, header) };
        let mut leader = Some(leader);
        let mut states = [(); MOST_CORES].map(|()| SplitSeat { leads: leader.take(), seen: 0 });
        let states = &mut states[..load.cores as usize];
        let work = |core: usize, seat: &mut SplitSeat<'_, '_, W, _>| match &mut seat.leads {
            Some(playing) => {
                play(engine, playing);
                team.dismiss();
            }
            None => team.help::<W>(core as u32, &mut seat.seen),
        };
        with_crew(strategy, machine, states, work, |round| {
            clerk.serve(link, header, &account, &desk, round)
        })
    }
}

/// The account was wrong; there is no such game that is known.
fn give_up(link: &mut impl Link, header: &Header) -> Result<Option<Header>, LinkClosed> {
    refuse(link, header, "the players do not fit, although the account says so")?;
    link.receive().map(Some)
}

/// Hands each player its memory.
struct Seats<'a, 'memory, W> {
    desk: &'a Desk<'memory>,
    words: core::slice::ChunksExactMut<'memory, W>,
}

impl<'a, 'memory, W: Word> Seats<'a, 'memory, W> {
    fn new(image: &Image<'_>, desk: &'a Desk<'memory>, words: &'memory mut [W]) -> Self {
        Self { desk, words: words.chunks_exact_mut(player_words::<W>(image)) }
    }

    /// A player takes much stack until it is in its place, so that this is a
    /// function of its own.
    #[inline(never)]
    fn next<C: Circuit<W>>(&mut self, circuit: C, ply_limit: u32) -> Option<Playing<'a, W, C>>
    where
        'memory: 'a,
    {
        let player = Player::new(circuit, self.words.next()?, ply_limit).ok()?;
        // SAFETY: cores use it when they play, and that is in rounds.
        Some(Playing { player, share: unsafe { self.desk.share() } })
    }
}

/// A core that plays, apart from the others by [`SEPARATION`].
#[repr(align(128))]
struct Playing<'a, W: Word, C> {
    player: Player<'a, W, C>,
    share: Share<'a>,
}

/// A core in split mode: one leads, the others remember the last order they saw.
struct SplitSeat<'s, 'a, W: Word, C> {
    leads: Option<&'s mut Option<Playing<'a, W, C>>>,
    seen: u32,
}

/// One core's part of a round.
fn play<W: Word, C: Circuit<W>>(engine: &impl Engine, seat: &mut Option<Playing<'_, W, C>>) {
    if let Some(playing) = seat {
        engine.play(&mut playing.player, &mut playing.share);
    }
}

/// PC0 at the link, with memory for what leaves.
struct Clerk<'a, 'memory, M> {
    machine: &'a M,
    outgoing: &'memory mut [u64],
    fluents: usize,
}

impl<'a, 'memory, M: Machine> Clerk<'a, 'memory, M> {
    fn new(
        machine: &'a M,
        image: &Image<'_>,
        queue: usize,
        arena: &mut Arena<'memory>,
    ) -> Option<Self> {
        let bytes = queue * result_bytes(image.roles());
        let outgoing = arena.slice(bytes / size_of::<u64>(), |_| 0)?;
        Some(Self { machine, outgoing, fluents: image.fluents() })
    }

    /// Does what the I/O node asks for, until another game begins or this one is
    /// over.
    fn serve(
        &mut self,
        link: &mut impl Link,
        load: &Header,
        account: &Account,
        desk: &Desk<'_>,
        round: &mut dyn FnMut(),
    ) -> Result<Option<Header>, LinkClosed> {
        let free = account.free().max(0) as u64;
        let ready = Ready { width: account.word, free, queue: account.queue as u32 };
        say(link, Header { kind: Kind::Ready as u16, ..*load }, &ready)?;
        loop {
            let header = link.receive()?;
            match header.kind() {
                Ok(Kind::Work) if header.run == load.run => {
                    self.work(link, &header, desk, round)?;
                }
                // At rest, cores that wait actively would take the time of others.
                Ok(Kind::Load | Kind::Rest) => return Ok(Some(header)),
                Ok(Kind::Stop) => return Ok(None),
                // Damaged, of another run, or none of a cluster's business.
                _ => {}
            }
        }
    }

    /// Plays from the positions of one frame.
    fn work(
        &mut self,
        link: &mut impl Link,
        header: &Header,
        desk: &Desk<'_>,
        round: &mut dyn FnMut(),
    ) -> Result<(), LinkClosed> {
        let length = header.length as usize;
        let (count, most) = (header.count as usize, desk.queue());
        let receive = |payload: &mut [u8]| {
            link.payload(payload)?;
            let work = header.check(payload);
            Ok(work
                .and_then(|()| Work::parse(header, payload, self.fluents))
                .map(|work| work.number))
        };
        // SAFETY: this is PC0, and rounds are over when `round` returns.
        let received = unsafe { desk.fill(length, receive) }.filter(|_| count <= most);
        match received.transpose()? {
            None => {
                let why = format_args!("{count} positions in {length} bytes: send up to {most}");
                refuse(link, header, why)
            }
            Some(Err(FrameError::Checksum)) => ask_again(link, header),
            Some(Err(why)) => refuse(link, header, why),
            Some(Ok(number)) => {
                desk.lay_out(number, header.count, header.playouts);
                let start = self.machine.now();
                round();
                let nanoseconds = self.machine.now().saturating_sub(start);
                let results = desk.collect(self.outgoing);
                let done = Header { kind: Kind::Done as u16, nanoseconds, ..*header };
                let pieces = [cast_slice(results)];
                link.send(&done.sealed(&pieces), &pieces)
            }
        }
    }
}
