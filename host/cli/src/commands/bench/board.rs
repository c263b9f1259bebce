//! `ruche bench --transport board`: instructions per playout on an emulated board, or
//! the checksum of what it finds.
//!
//! With one core the instructions between the marks around playing depend on nothing
//! but the kernel, the game, the word and the seed. Those of waiting depend on when a
//! message arrives, so that they are said apart.

use std::path::{Path, PathBuf};
use std::thread::available_parallelism;
use std::{fs, io};

use ruche_boards::BoardSettings;
use ruche_clusters::{Boards, ConnectError, ConnectSettings, Topology};
use ruche_game::Game;
use ruche_offload::{Batch, Finished, Offload, OffloadError, Tally};
use ruche_playouts::Stop;
use ruche_runtime::strategy::Strategy;
use ruche_shared::WordWidth;
use ruche_shared::names::Named;
use serde_json::{Value, json};

use super::{CommandError, SIGNED_PLAYOUTS, SIGNED_SEED, Signed, sign, signatures, title};
use crate::arguments::{BoardBenchSettings, Format};
use crate::interrupt::Interrupt;
use crate::output::{Align, Answer, grouped, print, table};
use crate::progress::Progress;

/// The words of a board.
const WORDS: [WordWidth; 4] =
    [WordWidth::SixtyFour, WordWidth::ThirtyTwo, WordWidth::Sixteen, WordWidth::One];

/// Playouts of each lane, so that the lanes are busy for most of the time.
const PER_LANE: u32 = 16;
/// With few lanes as many, so that the mean means something.
const LEAST_PLAYOUTS: u32 = 256;

/// Why nothing was counted.
#[derive(Debug, thiserror::Error)]
pub enum BoardBenchError {
    /// There is no board, or it refuses the game.
    #[error("{game}: {source}")]
    Boards {
        /// The path or name.
        game: String,
        /// Why not.
        source: Box<ConnectError>,
    },
    /// The board was lost.
    #[error("{game}: {source}")]
    Lost {
        /// The path or name.
        game: String,
        /// What happened.
        source: OffloadError,
    },
    /// There is nothing that counts.
    #[error(
        "there is no plugin that counts instructions at {0}: ./toolchain/board-setup makes it \
         if there is a C compiler"
    )]
    NoPlugin(PathBuf),
    /// The plugin has counted nothing.
    #[error("the emulator has counted nothing: it may be too new for the plugin ({0})")]
    NoCounts(io::Error),
}

/// Plays all games on a board.
///
/// # Errors
/// If there is no board, or a game cannot be loaded or played.
pub fn run(settings: &BoardBenchSettings) -> Result<Answer, CommandError> {
    let progress = Progress::bar("playing".to_owned(), settings.games.len() as u64);
    let (mut counted, mut signed) = (Vec::new(), Vec::new());
    let interrupt = Interrupt::default();
    interrupt.listen(None)?;
    for name in &settings.games {
        let game = crate::commands::load(name)?;
        let bench = Bench { settings, game: &game, stop: interrupt.stop() };
        match settings.is_signature {
            true => signed.push(bench.signed()?),
            false => bench.count_all(&mut counted)?,
        }
        progress.advance();
        if interrupt.stop().is_requested() {
            eprintln!("ruche: stopped: what was played until then is printed");
            break;
        }
    }
    drop(progress);
    print(&match (settings.is_signature, settings.format) {
        (true, format) => signatures(&signed, interrupt.stop().is_requested(), format),
        (false, Format::Text) => count_table(&counted),
        (false, Format::Json) => {
            format!("{:#}\n", counted.iter().map(Counted::json).collect::<Value>())
        }
    })?;
    Ok(interrupt.or(Answer::Yes))
}

/// A game on a board.
struct Bench<'a> {
    settings: &'a BoardBenchSettings,
    game: &'a Game,
    stop: &'a Stop,
}

/// How a game is played on a board.
#[derive(Clone, Copy)]
struct How {
    width: WordWidth,
    strategy: Strategy,
    seed: u64,
    playouts: u32,
}

impl Bench<'_> {
    /// All strategies with all words that fit.
    fn count_all(&self, counted: &mut Vec<Counted>) -> Result<(), BoardBenchError> {
        let words = self.settings.word.map_or(WORDS.to_vec(), |word| vec![word]);
        for width in words {
            for strategy in Strategy::ALL.iter().copied().filter(|it| self.bears(*it)) {
                let playouts = (PER_LANE * width.lanes()).max(LEAST_PLAYOUTS);
                if self.stop.is_requested() {
                    return Ok(());
                }
                let how = How { width, strategy, seed: self.settings.seed, playouts };
                counted.extend(self.count(how)?);
            }
        }
        Ok(())
    }

    /// Whether the host has a processor for each core that waits actively.
    fn bears(&self, strategy: Strategy) -> bool {
        let processors = available_parallelism().map_or(1, usize::from);
        !strategy.waits_actively() || (self.settings.cores as usize) < processors
    }

    /// Plays with a plugin that counts; nothing if the word does not fit.
    fn count(&self, how: How) -> Result<Option<Counted>, BoardBenchError> {
        let mut boards = crate::board::settings();
        let plugin = boards.kernel.with_file_name("harts.so");
        if !plugin.is_file() {
            return Err(BoardBenchError::NoPlugin(plugin));
        }
        let folder = tempfile::tempdir().map_err(BoardBenchError::NoCounts)?;
        let counts = folder.path().join("counts");
        let argument = format!("{},out={}", plugin.display(), counts.display());
        boards.arguments = vec!["-plugin".to_owned(), argument];
        let (width, finished) = self.play(how, &boards)?;
        if width != how.width {
            return Ok(None);
        }
        let instructions = Instructions::read(&counts).map_err(BoardBenchError::NoCounts)?;
        let (game, cores) = (title(self.game), self.settings.cores);
        let total = finished.results.tally(0);
        let gates = ruche_model::evaluations(self.game.image(), total.playouts(), total.plies);
        Ok(Some(Counted { game, how, cores, total, gates, instructions }))
    }

    fn signed(&self) -> Result<Signed, BoardBenchError> {
        let how = How {
            width: self.settings.word.unwrap_or(WordWidth::SixtyFour),
            strategy: Strategy::Condvar,
            seed: SIGNED_SEED,
            playouts: SIGNED_PLAYOUTS as u32,
        };
        let (_, finished) = self.play(how, &crate::board::settings())?;
        let sum = sign(&finished.results);
        Ok(Signed { game: title(self.game), sum })
    }

    /// Plays from the initial position; also which word was used.
    fn play(
        &self,
        how: How,
        settings: &BoardSettings,
    ) -> Result<(WordWidth, Finished), BoardBenchError> {
        let game = || self.game.name().to_owned();
        let topology = Topology {
            threads: self.settings.cores,
            strategy: how.strategy,
            width: how.width,
            deadline: crate::board::DEADLINE,
            ..Topology::default()
        };
        let connect = ConnectSettings::new(topology, how.seed);
        let mut boards = Boards::start(self.game, &connect, settings)
            .map_err(|source| BoardBenchError::Boards { game: game(), source: source.into() })?;
        let width = boards.attributes().width;
        let positions = self.game.image().initial().to_vec();
        let batch = Batch { number: 0, first: 0, playouts: how.playouts, positions, count: 1 };
        let finished = boards.submit(batch).and_then(|()| boards.collect());
        let finished = finished.map_err(|source| BoardBenchError::Lost { game: game(), source })?;
        // The plugin writes when the emulator ends.
        boards.stop();
        Ok((width, finished))
    }
}

/// What harts did, in instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Instructions {
    /// Of all cores, while they played.
    playing: u64,
    /// Of all cores, starting and waiting.
    waiting: u64,
    /// Of the system core.
    system: u64,
}

impl Instructions {
    /// What the plugin wrote: a hart in each line, its instructions, those of playing,
    /// and how often it began to play.
    fn read(file: &Path) -> io::Result<Self> {
        let mut sum = Self::default();
        for line in fs::read_to_string(file)?.lines() {
            let numbers: Vec<u64> = line.split(' ').filter_map(|it| it.parse().ok()).collect();
            match numbers[..] {
                [0, all, ..] => sum.system = all,
                [_, all, playing, _] => {
                    sum.playing += playing;
                    sum.waiting += all.saturating_sub(playing);
                }
                _ => return Err(io::ErrorKind::InvalidData.into()),
            }
        }
        Ok(sum)
    }
}

/// What was counted.
struct Counted {
    game: String,
    how: How,
    cores: u32,
    total: Tally,
    /// Gates and moves of all playouts, each by itself.
    gates: u64,
    instructions: Instructions,
}

impl Counted {
    fn per_playout(&self) -> f64 {
        self.instructions.playing as f64 / self.total.playouts().max(1) as f64
    }

    fn per_ply(&self) -> f64 {
        self.instructions.playing as f64 / self.total.plies.max(1) as f64
    }

    fn per_gate(&self) -> f64 {
        self.instructions.playing as f64 / self.gates.max(1) as f64
    }

    fn json(&self) -> Value {
        let Instructions { playing, waiting, system } = self.instructions;
        json!({
            "game": self.game,
            "word": self.how.width.lanes(),
            "strategy": self.how.strategy,
            "cores": self.cores,
            "seed": self.how.seed,
            "playouts": self.total.playouts(),
            "plies": self.total.plies,
            "instructions_per_playout": self.per_playout(),
            "instructions_per_ply": self.per_ply(),
            "instructions_per_gate": self.per_gate(),
            "instructions": { "playing": playing, "waiting": waiting, "system_core": system },
        })
    }

    fn line(&self) -> [String; 9] {
        [
            self.game.clone(),
            self.how.width.lanes().to_string(),
            self.how.strategy.to_string(),
            self.cores.to_string(),
            grouped(self.total.playouts()),
            grouped(self.per_playout() as u64),
            grouped(self.per_ply() as u64),
            format!("{:.2}", self.per_gate()),
            grouped(self.instructions.system),
        ]
    }
}

fn count_table(counted: &[Counted]) -> String {
    use Align::{Left, Right};
    let heading = [
        "game",
        "lanes",
        "strategy",
        "cores",
        "playouts",
        "instructions/playout",
        "per ply",
        "per gate",
        "system core",
    ];
    let mut lines = vec![heading.map(str::to_owned)];
    lines.extend(counted.iter().map(Counted::line));
    table([Left, Right, Left, Right, Right, Right, Right, Right, Right], &lines)
}
