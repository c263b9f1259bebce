//! A cluster at work: what PC0 does.
//!
//! ```text
//!  Hello ▶        ◀ Load  Ready ▶     ◀ Work  Done ▶  ◀ Work  Alive ▶  Done ▶  …   ◀ Stop
//! ```
//! PC0 alone talks to the I/O node. It puts the positions of a `Work` frame on a
//! desk where all cores see them, lets the cores do a round, and sends the
//! sums. Nothing that comes over the link is trusted: what is damaged is dropped
//! and said to be, so that it is sent again; what makes no sense is refused.

mod clerk;
mod desk;
mod split;

/// What cores share, for the model checker alone.
#[cfg(loom)]
pub mod checked {
    pub use super::desk::Desk;
    pub use super::split::{Team, Wiring};
}

use core::mem::MaybeUninit;

use bytemuck::cast_slice_mut;
use ruche_shared::WordWidth;
use ruche_shared::budget::{Account, Budget, Demand, KERNEL_BYTES, SEPARATION};
use ruche_shared::image::{FlowError, Image, ImageError};
use ruche_shared::names::UnknownName;
use ruche_shared::wire::control::{self, Hello, Load, Mode, Refusal, StrategyName, Text};
use ruche_shared::wire::results::Columns;
use ruche_shared::wire::{FrameError, Header, Kind, SCHEMA};
use serde::Serialize;
use thiserror::Error;

use crate::arena::Arena;
use crate::hal::{Link, LinkClosed, Machine};
use crate::strategy::{MOST_CORES, Strategy};
use clerk::Clerk;
use desk::{Desk, Share};
use ruche_eval::Word;
use ruche_eval::circuit::Circuit;
use ruche_eval::playouts::{Player, working_words};
use ruche_eval::{Engine, Task, Uniform};
use split::{Team, Wiring};

/// Serves an I/O node until it says stop. The memory is what games have behind the
/// kernel's own share.
///
/// # Errors
/// If the link is closed before.
pub fn serve<M: Machine, E: Engine>(
    machine: &M,
    engine: &E,
    link: &mut impl Link,
    memory: &mut [MaybeUninit<u8>],
) -> Result<(), LinkClosed> {
    let total = memory.len() as u64 + KERNEL_BYTES;
    report_for_duty(link, total)?;
    let mut next = Some(link.receive()?);
    while let Some(header) = next {
        next = match header.kind() {
            Ok(Kind::Stop) if is_sound(&header) => None,
            Ok(Kind::Load) => play_game(machine, engine, link, memory, &header)?,
            // The I/O node has not understood who is there.
            Ok(Kind::Hello) => {
                report_for_duty(link, total)?;
                Some(link.receive()?)
            }
            // There was a game, and what ended it could not be read: the I/O node finds out
            // what this cluster has.
            Ok(Kind::Work) => {
                ask_again(link, &header)?;
                Some(link.receive()?)
            }
            _ => Some(link.receive()?),
        };
    }
    Ok(())
}

/// Whether a frame without a payload is what was sent.
#[inline(never)]
fn is_sound(header: &Header) -> bool {
    header.check(&[]).is_ok()
}

fn report_for_duty(link: &mut impl Link, memory: u64) -> Result<(), LinkClosed> {
    let hello = Hello { schema: SCHEMA, cores: MOST_CORES as u32, memory };
    say(link, Header::new(Kind::Hello), &hello)
}

/// Plays one game. Returns the frame that ends it: another game, or none.
fn play_game<M: Machine, E: Engine>(
    machine: &M,
    engine: &E,
    link: &mut impl Link,
    memory: &mut [MaybeUninit<u8>],
    header: &Header,
) -> Result<Option<Header>, LinkClosed> {
    let total = memory.len() as u64 + KERNEL_BYTES;
    let mut arena = Arena::new(memory);
    let Some((load, image)) = receive_game(link, &mut arena, header)? else {
        return link.receive().map(Some);
    };
    let budget = Budget { total, cores: load.cores };
    let plan = match plan(engine, &load, &image, budget, &mut arena) {
        Ok(plan) => plan,
        Err(why) => return give_up(link, header, &why),
    };
    let queue = plan.account.queue as usize;
    let columns = Columns { roles: image.roles(), further: load.further_columns as usize };
    let Some(desk) = Desk::new(&image, columns, load.seed, queue, &mut arena) else {
        return give_up(link, header, &TOO_SMALL);
    };
    let Some(outgoing) = clerk::outgoing(columns, queue, &mut arena) else {
        return give_up(link, header, &TOO_SMALL);
    };
    let (mode, word, fluents) = (load.mode, plan.account.word, image.fluents());
    let beat = load.sharing.beat();
    let clerk = Clerk { machine, link, load: header, plan, desk: &desk, outgoing, fluents, beat };
    let game = Game { engine, load, image, arena, clerk };
    // What does not compute is not compiled for each word.
    if mode == Mode::Empty { game.empty() } else { engine.with_word(word, game) }
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
        refuse(link, header, &format_args!("image: {length} bytes are {over} more than are free"))?;
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
        Err(why) => refuse(link, header, &why).map(|()| None),
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
    budget: Budget,
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
    let further_columns = u64::from(load.further_columns);
    let demand = Demand { further_columns, ..Demand::of(image) };
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
    why: &dyn core::fmt::Display,
) -> Result<(), LinkClosed> {
    let refusal = Refusal { cluster: None, text: Text::of(why) };
    say(link, Header { kind: Kind::Refused as u16, ..*about }, &refusal)
}

/// Tells the I/O node that a frame could not be read.
fn ask_again(link: &mut impl Link, about: &Header) -> Result<(), LinkClosed> {
    mention(link, Kind::Garbled, about)
}

/// Tells the I/O node something about a frame that needs no payload.
#[inline(never)]
fn mention(link: &mut impl Link, kind: Kind, about: &Header) -> Result<(), LinkClosed> {
    let header = Header { kind: kind as u16, ..*about };
    link.send(&header.sealed(&[]), &[])
}

fn say(link: &mut impl Link, header: Header, message: &impl Serialize) -> Result<(), LinkClosed> {
    let mut buffer = [0; control::LONGEST];
    // All control messages fit; an empty payload would be refused by its reader.
    let packed = control::pack(message, Kind::Refused, &mut buffer).unwrap_or_default();
    link.send(&header.sealed(&[packed]), &[packed])
}

/// The account was wrong; there is no such game that is known.
const TOO_SMALL: &str = "the memory is too small by its own account";

/// Tells the I/O node why a game is not played, and waits for another.
fn give_up(
    link: &mut impl Link,
    header: &Header,
    why: &dyn core::fmt::Display,
) -> Result<Option<Header>, LinkClosed> {
    refuse(link, header, why)?;
    link.receive().map(Some)
}

/// A game that fits.
struct Game<'a, 'memory, M, E, L> {
    engine: &'a E,
    load: Load,
    image: Image<'memory>,
    arena: Arena<'memory>,
    clerk: Clerk<'a, 'memory, M, L>,
}

impl<M: Machine, E: Engine, L: Link> Task for Game<'_, '_, M, E, L> {
    type Output = Result<Option<Header>, LinkClosed>;

    fn run<W: Word>(self) -> Self::Output {
        match self.load.mode {
            Mode::Split => self.split::<W>(),
            Mode::PerCore | Mode::Empty => self.per_core::<W>(),
        }
    }
}

/// Words of one player, so many that the next ones may belong to another core.
fn player_words<W>(image: &Image<'_>) -> usize {
    const LINE: usize = SEPARATION as usize;
    working_words(image, &Uniform).next_multiple_of(LINE / size_of::<W>().clamp(1, LINE))
}

impl<M: Machine, E: Engine, L: Link> Game<'_, '_, M, E, L> {
    /// Each core plays games of its own. In a function of its own, like the other
    /// modes: a system core without an operating system has a small stack, and one
    /// function of all modes and words would need the stacks of all.
    #[inline(never)]
    fn per_core<W: Word>(self) -> Result<Option<Header>, LinkClosed> {
        let Game { engine, load, image, mut arena, mut clerk } = self;
        let Some(mut seats) = Seats::<W>::new(load.cores, &image, clerk.desk, &mut arena) else {
            return clerk.give_up();
        };
        let circuit = engine.circuit::<W>(&image);
        let own = || Wiring::<_, M>::Own(&circuit);
        let states = arena.scratch(load.cores as usize, |_| seats.next(own(), load.ply_limit));
        let Some(states) = states else { return clerk.give_up() };
        clerk.employ(states, |_, seat| play(engine, seat))
    }

    /// Nobody plays.
    #[inline(never)]
    fn empty(self) -> Result<Option<Header>, LinkClosed> {
        let Game { load, mut arena, mut clerk, .. } = self;
        let desk = clerk.desk;
        // SAFETY: cores use it when they work, and that is in rounds.
        let states = arena.scratch(load.cores as usize, |_| unsafe { desk.share() });
        let Some(states) = states else { return clerk.give_up() };
        clerk.employ(states, |_, share: &mut Share<'_>| share.give_up_all())
    }

    /// One core plays, and all share the gates of its games.
    #[inline(never)]
    fn split<W: Word>(self) -> Result<Option<Header>, LinkClosed> {
        let Game { engine, load, image, mut arena, mut clerk } = self;
        let team = Team::new(clerk.machine, image, load.cores, load.split_least);
        let Some(mut seats) = Seats::<W>::new(1, &image, clerk.desk, &mut arena) else {
            return clerk.give_up();
        };
        let shared = || Wiring::<&E::Circuit<'_, W>, M>::Shared(&team);
        let leader = arena.scratch(1, |_| seats.next(shared(), load.ply_limit));
        let Some([leader]) = leader else { return clerk.give_up() };
        let mut leader = Some(leader);
        let mut seats = heapless::Vec::<_, MOST_CORES>::new();
        // No game is planned for more cores than there are.
        while seats.len() < load.cores as usize
            && seats.push(SplitSeat { leads: leader.take(), seen: 0 }).is_ok()
        {}
        clerk.employ(&mut seats, |core, seat| match &mut seat.leads {
            Some(playing) => {
                play(engine, playing);
                team.dismiss();
            }
            None => team.help::<W>(core as u32, &mut seat.seen),
        })
    }
}

/// Hands each player its memory.
struct Seats<'a, 'memory, W> {
    desk: &'a Desk<'memory>,
    words: core::slice::ChunksExactMut<'memory, W>,
}

impl<'a, 'memory, W: Word> Seats<'a, 'memory, W> {
    /// Memory for so many players, if there is as much.
    fn new(
        players: u32,
        image: &Image<'_>,
        desk: &'a Desk<'memory>,
        arena: &mut Arena<'memory>,
    ) -> Option<Self> {
        let each = player_words::<W>(image);
        let words = arena.slice(players as usize * each, |_| W::ZERO)?;
        Some(Self { desk, words: words.chunks_exact_mut(each) })
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
