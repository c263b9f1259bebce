//! Players on threads.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use ruche_eval::circuit::{Circuit, Interpreted};
use ruche_eval::playouts::{DEFAULT_PLY_LIMIT, Outcome, Player, PlayerError, working_words};
use ruche_eval::{Uniform, Word};
use ruche_native::{NativeCircuit, NativeCode, NativeError};
use ruche_shared::image::Section;
use ruche_shared::position::position_words;
use ruche_shared::{Image, WordWidth};
use thiserror::Error;

use crate::games::{self, Games};
use crate::stopwatch::{Parts, Stopwatch};
use crate::supply::{Amount, Share, Supply};
use crate::words::{Task, widest_word, with_word};

/// What evaluates the gates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// Native code if this machine runs it and it can be made of the image, else
    /// the interpreter.
    #[default]
    Fastest,
    /// The bytecode interpreter of the cluster kernel.
    Interpreter,
    /// Native code made from the image, or an error.
    Native,
}

impl Engine {
    /// The engines that this machine has for words of this width; the fastest
    /// comes last.
    pub fn available(width: WordWidth) -> impl DoubleEndedIterator<Item = Self> {
        let is_supported = ruche_native::is_supported(width.lanes() as usize);
        let native = is_supported.then_some(Engine::Native);
        core::iter::once(Engine::Interpreter).chain(native)
    }
}

/// How to play.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Lanes of a word.
    pub width: WordWidth,
    /// What evaluates the gates.
    pub engine: Engine,
    /// Threads, at least one.
    pub threads: usize,
    /// The run seed.
    pub seed: u64,
    /// After how many plies a playout is cut.
    pub ply_limit: u32,
    /// Whether to find out where the time goes, which takes some itself.
    pub watches_parts: bool,
}

impl Default for Settings {
    /// One thread with the widest word and the fastest engine for it.
    fn default() -> Self {
        Self {
            width: widest_word(),
            engine: Engine::Fastest,
            threads: 1,
            seed: 0,
            ply_limit: DEFAULT_PLY_LIMIT,
            watches_parts: false,
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
pub struct Measured {
    /// For each position how its playouts went.
    pub outcomes: Vec<Outcome>,
    /// For each position and role the sum of the goals.
    pub scores: Vec<u64>,
    /// Time on all cores together.
    pub cpu: Duration,
    /// Time on the clock.
    pub wall: Duration,
    /// Ticks of all parts of the plies, if they were watched.
    pub parts: Parts,
    /// What evaluated the gates.
    pub engine: Engine,
}

impl Measured {
    /// The outcomes of all positions together.
    #[must_use]
    pub fn total(&self) -> Outcome {
        let mut total = Outcome::default();
        self.outcomes.iter().for_each(|outcome| total.add(outcome));
        total
    }
}

/// Plays from positions. Position `i` has the number `i`; the sums depend on
/// nothing but the image, the positions, the amount, the seed and the ply limit.
///
/// # Errors
/// If a position is not one of this game.
pub fn play(
    image: &Image<'_>,
    positions: &[&[u32]],
    amount: Amount,
    settings: &Settings,
) -> Result<Measured, PlayoutsError> {
    check_positions(image, positions)?;
    Ready::new(image, settings)?.play(0, positions, amount)
}

/// A game made ready to be played again and again: its code is made only once.
#[derive(Clone, Debug)]
pub struct Ready<'image> {
    image: Image<'image>,
    settings: Settings,
    code: Option<Arc<NativeCode>>,
}

impl<'image> Ready<'image> {
    /// Makes a game ready.
    ///
    /// # Errors
    /// If there is no native code for it and the settings ask for that.
    pub fn new(image: &Image<'image>, settings: &Settings) -> Result<Self, PlayoutsError> {
        let code = native_code(image, settings)?;
        Ok(Self { image: *image, settings: *settings, code })
    }

    /// The image that is played.
    #[must_use]
    pub fn image(&self) -> &Image<'image> {
        &self.image
    }

    /// Plays from positions, of which position `i` has the number `first + i`. A
    /// single thread is the calling one.
    ///
    /// # Errors
    /// If a position is not one of this game.
    pub fn play(
        &self,
        first: u64,
        positions: &[&[u32]],
        amount: Amount,
    ) -> Result<Measured, PlayoutsError> {
        let Self { image, settings, code } = self;
        check_positions(image, positions)?;
        // Long enough to keep the counter that all threads share out of the way,
        // short enough that they finish together.
        let stretch = 4 * u64::from(settings.width.lanes());
        let supply = Supply::new(positions, amount, settings.seed, stretch).numbered_from(first);
        let start = Instant::now();
        let mut sum = Share::new(&supply, image.roles());
        let mut cpu = Duration::ZERO;
        let work = || run_thread(image, code, &supply, settings);
        for (share, time) in on_threads(settings.threads, work)? {
            sum.add_share(&share);
            cpu += time;
        }
        let Share { outcomes, scores, parts, .. } = sum;
        let engine = if code.is_some() { Engine::Native } else { Engine::Interpreter };
        Ok(Measured { outcomes, scores, cpu, wall: start.elapsed(), parts, engine })
    }
}

impl Ready<'_> {
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
        check_positions(&self.image, positions)?;
        games::games(&self.image, &self.code, first, positions, each, &self.settings)
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

/// The code that all threads share, if they shall run native code.
fn native_code(
    image: &Image<'_>,
    settings: &Settings,
) -> Result<Option<Arc<NativeCode>>, NativeError> {
    let lanes = settings.width.lanes() as usize;
    let make = || NativeCode::compile(image, lanes).map(Arc::new);
    match settings.engine {
        Engine::Interpreter => Ok(None),
        Engine::Fastest => Ok(make().ok()),
        Engine::Native => make().map(Some),
    }
}

fn check_positions(image: &Image<'_>, positions: &[&[u32]]) -> Result<(), PlayoutsError> {
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
    settings: &Settings,
) -> Result<(Share<'a>, Duration), PlayoutsError> {
    let start = ThreadTime::now();
    let share = Share::new(supply, image.roles());
    let share = with_word(settings.width, PlayShare { image, code, share, settings })?;
    Ok((share, start.elapsed()))
}

/// Bytes that a processor moves at a time.
const CACHE_LINE: usize = 64;

/// One type for both engines, so that a player is compiled only once per word.
#[derive(Clone, Debug)]
pub enum HostCircuit<'image, W> {
    /// Bytecode.
    Interpreted(Interpreted<'image>),
    /// Native code.
    Native(NativeCircuit<'image, W>),
}

impl<W: Word> Circuit<W> for HostCircuit<'_, W> {
    #[inline(always)]
    fn image(&self) -> &Image<'_> {
        match self {
            HostCircuit::Interpreted(circuit) => Circuit::<W>::image(circuit),
            HostCircuit::Native(circuit) => circuit.image(),
        }
    }

    #[inline(always)]
    fn run(&self, section: Section, slots: &mut [W]) {
        match self {
            HostCircuit::Interpreted(circuit) => circuit.run(section, slots),
            HostCircuit::Native(circuit) => circuit.run(section, slots),
        }
    }
}

/// Plays until the supply is empty.
struct PlayShare<'a, 's> {
    image: &'a Image<'a>,
    code: &'a Option<Arc<NativeCode>>,
    share: Share<'s>,
    settings: &'a Settings,
}

impl<'s> Task for PlayShare<'_, 's> {
    type Output = Result<Share<'s>, PlayoutsError>;

    #[inline(always)]
    fn run<W: Word>(mut self) -> Self::Output {
        let circuit = circuit::<W>(self.image, self.code)?;
        let mut memory = WorkingMemory::new(self.image);
        let mut player = Player::new(circuit, memory.words(), self.settings.ply_limit)?;
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

/// What runs the sections of an image: its native code if there is any.
#[inline(always)]
pub(crate) fn circuit<'image, W: Word>(
    image: &Image<'image>,
    code: &Option<Arc<NativeCode>>,
) -> Result<HostCircuit<'image, W>, NativeError> {
    Ok(match code {
        None => HostCircuit::Interpreted(Interpreted(*image)),
        Some(code) => HostCircuit::Native(NativeCircuit::with_code(image, code.clone())?),
    })
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
