//! Players on threads.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use ruche_eval::playouts::{DEFAULT_PLY_LIMIT, Player, PlayerError, working_words};
use ruche_eval::{Uniform, Word};
use ruche_game::Game;
use ruche_native::{NativeCode, NativeError};
use ruche_shared::position::position_words;
use ruche_shared::{Image, WordWidth};
use thiserror::Error;

use crate::engine::{EngineChoice, HostCircuit, HostEngine};
use crate::games::{self, Games};
use crate::patience;
use crate::results::Results;
use crate::stop::Stop;
use crate::stopwatch::{PlyParts, Stopwatch};
use crate::supply::{Amount, Share, Supply};
use crate::words::{Task, widest_word, with_word};

/// How to play.
#[derive(Clone, Copy, Debug)]
pub struct PlayoutSettings {
    /// Lanes of a word.
    pub width: WordWidth,
    /// What evaluates the gates.
    pub engine: EngineChoice,
    /// Threads, at least one.
    pub threads: usize,
    /// The run seed.
    pub seed: u64,
    /// After how many plies a playout is cut.
    pub ply_limit: u32,
    /// Whether to find out where the time goes, which takes some itself.
    pub watches_parts: bool,
    /// How long to wait for playouts that are under way at the end of a time.
    pub patience: Duration,
}

/// Enough for the longest playouts of the slowest real games.
const PATIENCE: Duration = Duration::from_secs(10);

impl Default for PlayoutSettings {
    /// One thread with the widest word and the fastest engine for it.
    fn default() -> Self {
        Self {
            width: widest_word(),
            engine: EngineChoice::Auto,
            threads: 1,
            seed: 0,
            ply_limit: DEFAULT_PLY_LIMIT,
            watches_parts: false,
            patience: PATIENCE,
        }
    }
}

/// Why there are no playouts.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlayoutsError {
    /// A position has another length than those of the game.
    #[error("position {number} has {found} words instead of {needed}: it belongs to another game")]
    PositionLength {
        /// Which position.
        number: usize,
        /// Words of this game's positions.
        needed: usize,
        /// Words that were given.
        found: usize,
    },
    /// The player has too little memory.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// There is no native code for this image on this machine.
    #[error(transparent)]
    Native(#[from] NativeError),
}

/// What playouts brought, and the time they took.
#[derive(Clone, Debug)]
pub struct Played {
    /// For each position what its playouts brought.
    pub results: Results,
    /// Time on all cores together.
    pub cpu: Duration,
    /// Time on the clock.
    pub wall: Duration,
    /// Ticks of all parts of the plies, if they were watched.
    pub parts: PlyParts,
    /// What evaluated the gates.
    pub engine: EngineChoice,
    /// Whether playouts were given up because they did not end in time. They do not count.
    pub is_abandoned: bool,
}

/// A game made ready to be played again and again: its code is made only once.
#[derive(Clone, Debug)]
pub struct Playouts {
    game: Game,
    settings: PlayoutSettings,
    code: Option<Arc<NativeCode>>,
    stop: Stop,
}

impl Playouts {
    /// Makes a game ready.
    ///
    /// # Errors
    /// If there is no native code for it and the settings ask for that.
    pub fn new(game: &Game, settings: &PlayoutSettings) -> Result<Self, PlayoutsError> {
        let lanes = settings.width.lanes() as usize;
        let code = HostEngine::new(settings.engine).code(game.image(), lanes)?;
        Ok(Self { game: game.clone(), settings: *settings, code, stop: Stop::default() })
    }

    /// The same, which ends early when somebody wants it: the playouts that are under way
    /// then are finished, and no other begins.
    #[must_use]
    pub fn stopped_by(self, stop: &Stop) -> Self {
        Self { stop: stop.clone(), ..self }
    }

    /// The same with another run seed.
    #[must_use]
    pub fn seeded(self, seed: u64) -> Self {
        Self { settings: PlayoutSettings { seed, ..self.settings }, ..self }
    }

    /// The game that is played.
    #[must_use]
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// How it is played.
    #[must_use]
    pub fn settings(&self) -> &PlayoutSettings {
        &self.settings
    }

    /// Plays from positions, of which position `i` has the number `first + i`: what they
    /// bring depends on nothing but the game, the positions, their numbers, the amount,
    /// the seed and the ply limit. A single thread is the calling one.
    ///
    /// # Errors
    /// If a position is not one of this game.
    pub fn play(
        &self,
        first: u64,
        positions: &[&[u32]],
        amount: Amount,
    ) -> Result<Played, PlayoutsError> {
        let Self { game, settings, code, stop } = self;
        let image = game.image();
        check_positions(image, positions)?;
        // Long enough to keep the counter that all threads share out of the way,
        // short enough that they finish together.
        let stretch = 4 * u64::from(settings.width.lanes());
        let supply = Supply::new(positions, amount, settings.seed, stretch);
        let supply = supply.numbered_from(first).stopped_by(stop.clone());
        let start = Instant::now();
        let mut sum = Share::new(&supply, image.roles());
        let mut cpu = Duration::ZERO;
        let work = || run_thread(image, code, &supply, settings);
        let deadline = amount.end().and_then(|end| end.checked_add(settings.patience));
        let shares =
            patience::until(deadline, &supply.is_abandoned, || on_threads(settings.threads, work))?;
        for (share, time) in shares {
            sum.add_share(&share);
            cpu += time;
        }
        let Share { results, parts, .. } = sum;
        let engine = if code.is_some() { EngineChoice::Native } else { EngineChoice::Interpreter };
        let is_abandoned = supply.is_abandoned.load(Ordering::Relaxed);
        Ok(Played { results, cpu, wall: start.elapsed(), parts, engine, is_abandoned })
    }

    /// Plays from the initial position, which has the number 0.
    ///
    /// # Errors
    /// Never for a game that could be made ready.
    pub fn play_initial(&self, amount: Amount) -> Result<Played, PlayoutsError> {
        self.play(0, &[self.game.image().initial()], amount)
    }

    /// Plays from positions, of which position `i` has the number `first + i`, and
    /// tells of each playout how it went. Slower than sums, and on one thread.
    ///
    /// # Errors
    /// If a position is not one of this game.
    pub fn games(
        &self,
        first: u64,
        positions: &[&[u32]],
        each: u64,
    ) -> Result<Games, PlayoutsError> {
        let image = self.game.image();
        check_positions(image, positions)?;
        games::games(image, &self.code, first, positions, each, &self.settings)
    }
}

/// What each of some threads brings.
fn on_threads<T: Send>(
    threads: usize,
    work: impl Fn() -> Result<T, PlayoutsError> + Sync,
) -> Result<Vec<T>, PlayoutsError> {
    if threads <= 1 {
        return Ok(vec![work()?]);
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(&work)).collect();
        let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(join).collect()
    })
}

pub(crate) fn check_positions(
    image: &Image<'_>,
    positions: &[&[u32]],
) -> Result<(), PlayoutsError> {
    let needed = position_words(image.fluents());
    match positions.iter().position(|position| position.len() != needed) {
        Some(number) => {
            let found = positions[number].len();
            Err(PlayoutsError::PositionLength { number, needed, found })
        }
        None => Ok(()),
    }
}

/// What one thread plays, and its time.
fn run_thread<'a>(
    image: &Image<'_>,
    code: &Option<Arc<NativeCode>>,
    supply: &'a Supply<'a>,
    settings: &PlayoutSettings,
) -> Result<(Share<'a>, Duration), PlayoutsError> {
    let start = ThreadTime::now();
    let share = Share::new(supply, image.roles());
    let share = with_word(settings.width, PlayShare { image, code, share, settings })?;
    Ok((share, start.elapsed()))
}

/// Bytes that a processor moves at a time.
const CACHE_LINE: usize = 64;

/// Plays until the supply is empty.
struct PlayShare<'a, 's> {
    image: &'a Image<'a>,
    code: &'a Option<Arc<NativeCode>>,
    share: Share<'s>,
    settings: &'a PlayoutSettings,
}

impl<'s> Task for PlayShare<'_, 's> {
    type Output = Result<Share<'s>, PlayoutsError>;

    #[inline(always)]
    fn run<W: Word>(mut self) -> Self::Output {
        let circuit = HostCircuit::<W>::new(self.image, self.code.clone())?;
        let mut memory = WorkingMemory::new(self.image);
        // It stays where it was made: it is large, and made for every batch.
        let mut player = Player::new(circuit, memory.words(), self.settings.ply_limit);
        let player = player.as_mut().map_err(|error| *error)?;
        if self.settings.watches_parts {
            let mut watch = Stopwatch::start();
            let mut probe = |part| watch.lap(part);
            player.play(&mut self.share, Some(&mut probe));
            self.share.parts = watch.parts;
        } else {
            player.play(&mut self.share, None);
        }
        Ok(self.share)
    }
}

/// Memory for a player. Words that lie across two cache lines take twice the time.
pub(crate) struct WorkingMemory<W>(Vec<W>);

impl<W: Word> WorkingMemory<W> {
    #[inline(always)]
    pub fn new(image: &Image<'_>) -> Self {
        Self(vec![W::ZERO; working_words(image, &Uniform) + CACHE_LINE])
    }

    #[inline(always)]
    pub fn words(&mut self) -> &mut [W] {
        let first = self.0.as_ptr().align_offset(CACHE_LINE).min(CACHE_LINE);
        &mut self.0[first..]
    }
}
