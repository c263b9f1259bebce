//! Emulated boards: the same results as everywhere, whatever happens on the line.
//!
//! `toolchain/test` names the kernel with `RUCHE_BOARD_KERNEL`, beside which lies the
//! fire drill; without it the tests only say that they are skipped.
//! `RUCHE_BOARD_RUNS` is how many runs the test of a bad line does.

mod support;

use std::env;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ruche_boards::board::Board;
use ruche_boards::line::{Arrival, Receiver, Sender};
use ruche_boards::{Accident, BoardSettings, Harm, Noise};
use ruche_clusters::{Boards, ConnectSettings, Topology};
use ruche_eval::playouts::DEFAULT_PLY_LIMIT;
use ruche_game::Game;
use ruche_io_node::frames;
use ruche_offload::{Batch, Event, Events, Finished, Offload};
use ruche_runtime::arena::GAME_BYTES;
use ruche_runtime::strategy::Strategy;

use ruche_shared::WordWidth;
use ruche_shared::budget::{Budget, Demand};
use ruche_shared::wire::control::{self, Hello, Load, Mode, Ready, Refusal};
use ruche_shared::wire::serial::preamble;
use ruche_shared::wire::{Frame, HEADER_BYTES, Header, Kind, SCHEMA};
use support::{SEED, batches, bundled, expected, play, settings};

/// Cores of a board.
const CORES: u32 = 16;

/// One test at a time: each has more cores than most hosts.
static ONE_BY_ONE: Mutex<()> = Mutex::new(());

/// Boards with the kernel to be tested, if there is one.
fn boards() -> Option<(BoardSettings, MutexGuard<'static, ()>)> {
    let Some(kernel) = env::var_os("RUCHE_BOARD_KERNEL") else {
        eprintln!("skipped: RUCHE_BOARD_KERNEL names no kernel; toolchain/board-setup makes one");
        return None;
    };
    let turn = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
    Some((BoardSettings::new(PathBuf::from(kernel)), turn))
}

fn topology(clusters: usize, strategy: Strategy, mode: Mode) -> Topology {
    let deadline = Duration::from_secs(120);
    Topology { clusters, threads: CORES, strategy, mode, deadline, ..Topology::default() }
}

/// What boards make of batches, and their logs.
fn found(
    game: &Game,
    batches: &[Batch],
    topology: &Topology,
    boards: &BoardSettings,
) -> (Vec<Finished>, Vec<String>) {
    let logs = Arc::new(Mutex::new(Vec::new()));
    let kept = logs.clone();
    let events = Events::new(move |event| {
        if let Event::Stopped { log, .. } = event {
            kept.lock().unwrap().push(log.clone());
        }
    });
    let settings = ConnectSettings { events, ..settings(topology) };
    let mut boards = Boards::start(game, &settings, boards).expect("the game fits on a board");
    let found = play(&mut boards, batches).expect("a board is left");
    boards.stop();
    let logs = std::mem::take(&mut *logs.lock().unwrap());
    (found, logs)
}

fn crash(board: usize, frame: u64) -> Accident {
    Accident { board, frame, harm: Harm::Crash }
}

/// The bytes that a stack was deep, and those that it has, as a log says.
fn depths(log: &str) -> Vec<[usize; 2]> {
    let line = log.lines().find(|line| line.starts_with("stacks: ")).expect("depths in the log");
    let numbers = line.split(|sign: char| !sign.is_ascii_digit());
    let numbers: Vec<usize> = numbers.filter_map(|number| number.parse().ok()).collect();
    numbers.as_chunks().0.to_vec()
}

/// All bundled games that fit.
fn games() -> impl Iterator<Item = (&'static str, Game)> {
    let games = ruche_games::all().iter().map(|game| (game.name, bundled(game.name)));
    games.filter(|(_, game)| Budget::default().widest_word(&Demand::of(game.image())).is_some())
}

#[test]
fn every_game_has_the_same_results_on_16_cores_without_an_operating_system() {
    let Some((settings, _turn)) = boards() else { return };
    for (name, game) in games() {
        let batches = batches(&game, &[8], 125);
        let right = expected(&game, &batches);
        for strategy in [Strategy::Restart, Strategy::Condvar, Strategy::Portal] {
            for mode in [Mode::PerCore, Mode::Split] {
                let how = topology(1, strategy, mode);
                let (found, logs) = found(&game, &batches, &how, &settings);
                assert_eq!(found, right, "{name}, {strategy:?}, {mode:?}");
                for [deepest, most] in depths(&logs[0]) {
                    assert!(deepest < most, "{name}, {strategy:?}, {mode:?}: {}", logs[0]);
                }
            }
        }
    }
}

/// Each word of the board, and active waiting on few cores: each takes a processor of the
/// host from the others.
#[test]
fn every_word_has_the_same_results() {
    let Some((settings, _turn)) = boards() else { return };
    let game = bundled("connectfour");
    let batches = batches(&game, &[3, 4], 20);
    let right = expected(&game, &batches);
    for lanes in [1, 16, 32, 64] {
        let width = WordWidth::of_lanes(lanes).expect("a word");
        let how = Topology { width, threads: 3, ..topology(1, Strategy::Restart, Mode::PerCore) };
        assert_eq!(found(&game, &batches, &how, &settings).0, right, "{lanes} lanes");
    }
    let how = Topology { threads: 3, ..topology(1, Strategy::Spin, Mode::PerCore) };
    assert_eq!(found(&game, &batches, &how, &settings).0, right, "active waiting");
}

/// A large game: hex on a board of 9 × 9, with wide code.
#[test]
fn a_killed_board_is_started_again_and_nothing_is_lost() {
    let Some((mut settings, _turn)) = boards() else { return };
    let game = bundled("hex");
    let batches = batches(&game, &[40, 7, 60, 1], 3);
    let right = expected(&game, &batches);
    settings.accidents = vec![crash(1, 3)];
    let how = topology(2, Strategy::Condvar, Mode::PerCore);
    assert_eq!(found(&game, &batches, &how, &settings).0, right);
    settings.accidents = vec![crash(0, 2)];
    let how = topology(1, Strategy::Condvar, Mode::PerCore);
    assert_eq!(found(&game, &batches, &how, &settings).0, right, "the only board");
    settings.accidents = vec![crash(1, 3), crash(1, 5)];
    let how = topology(2, Strategy::Condvar, Mode::PerCore);
    assert_eq!(found(&game, &batches, &how, &settings).0, right, "it stays dead");
}

#[test]
fn a_board_that_hangs_is_started_again_and_nothing_is_lost() {
    let Some((mut settings, _turn)) = boards() else { return };
    let game = bundled("tictactoe");
    let batches = batches(&game, &[40, 7, 60, 1], 3);
    settings.accidents = vec![Accident { board: 0, frame: 3, harm: Harm::Hang }];
    let deadline = Duration::from_secs(2);
    let how = Topology { deadline, ..topology(2, Strategy::Restart, Mode::PerCore) };
    let right = expected(&game, &batches);
    assert_eq!(found(&game, &batches, &how, &settings).0, right);
}

/// Random bytes, frames cut off, bits flipped, and a board that is killed.
#[test]
fn a_bad_line_changes_nothing() {
    let Some((mut settings, _turn)) = boards() else { return };
    let runs = env::var("RUCHE_BOARD_RUNS").ok().and_then(|runs| runs.parse().ok());
    let runs: u64 = runs.unwrap_or(300);
    settings.noise = Some(Noise::new(SEED, 40));
    settings.accidents = vec![crash(1, runs / 3)];
    let game = bundled("tictactoe");
    let how = Topology {
        deadline: Duration::from_secs(5),
        ..topology(2, Strategy::Portal, Mode::PerCore)
    };
    let mut boards = Boards::start(&game, &support::settings(&how), &settings)
        .expect("the game fits on a board");
    for run in 0..runs {
        let count = 1 + run as usize % 9;
        let positions = game.image().initial().repeat(count);
        let batch = Batch { number: run, first: 100 * run, playouts: 5, positions, count };
        let right = expected(&game, std::slice::from_ref(&batch));
        boards.submit(batch).expect("it is sent");
        assert_eq!(boards.collect().expect("a board is left"), right[0], "run {run}");
    }
    let losses = boards.usage().losses;
    eprintln!("{runs} runs on a bad line, {losses} restarts or deaths");
}

/// A board without an I/O node.
struct Bare {
    _board: Board,
    sender: Sender,
    receiver: Receiver,
    line: std::os::unix::net::UnixStream,
}

impl Bare {
    fn start(settings: &BoardSettings) -> Self {
        let (board, line) = Board::start(settings).expect("it starts");
        let sender = Sender::new(line.try_clone().expect("a line"), None).expect("a line");
        let receiver = Receiver::new(line.try_clone().expect("a line"), None);
        Self { _board: board, sender, receiver, line }
    }

    /// One that has said hello.
    fn greeted(settings: &BoardSettings) -> Self {
        let mut bare = Self::start(settings);
        let hello: Hello = bare.receive(Kind::Hello);
        assert_eq!((hello.schema, hello.cores), (SCHEMA, CORES));
        bare
    }

    fn send(&mut self, frame: &[u8]) {
        self.sender.send(frame).expect("the board takes it");
    }

    fn next(&mut self) -> Vec<u8> {
        match self.receiver.receive().expect("the board is there") {
            Arrival::Frame(frame) => frame,
            Arrival::Garbage => panic!("the board sends garbage"),
        }
    }

    fn receive<M: for<'a> serde::Deserialize<'a>>(&mut self, kind: Kind) -> M {
        let bytes = self.next();
        let frame = Frame::parse(&bytes).expect("a sound frame");
        assert_eq!(frame.kind, kind);
        control::unpack(frame.payload, kind).expect("its message")
    }

    fn expect_garbled(&mut self) {
        let bytes = self.next();
        assert_eq!(Frame::parse(&bytes).expect("a sound frame").kind, Kind::Garbled);
    }

    fn refusal(&mut self, frame: &[u8]) -> String {
        self.send(frame);
        self.receive::<Refusal>(Kind::Refused).text.to_string()
    }
}

fn load_of(game: &Game) -> Load {
    let topology = topology(1, Strategy::Condvar, Mode::PerCore);
    topology.load(game.image(), SEED, DEFAULT_PLY_LIMIT)
}

/// The kernel itself refuses what it cannot play, and goes on.
#[test]
fn the_kernel_trusts_nothing_that_comes_over_the_link() {
    let Some((settings, _turn)) = boards() else { return };
    let game = bundled("tictactoe");
    let load = load_of(&game);
    let mut bare = Bare::greeted(&settings);

    let work = Header { count: 1, playouts: 1, ..Header::new(Kind::Work) };
    bare.send(&frames::frame(work, &[&[0; 16]]));
    bare.expect_garbled();

    let mut damaged = game.image_bytes().to_vec();
    damaged[100] ^= 1;
    let why = bare.refusal(&frames::load(1, &load, &damaged));
    assert!(why.contains("checksum"), "{why}");

    let mut other = game.image_bytes().to_vec();
    other[4] ^= 0x7F;
    let why = bare.refusal(&frames::load(1, &load, &other));
    assert!(why.contains("version"), "{why}");

    let short = &game.image_bytes()[..game.image_bytes().len() - 4];
    let why = bare.refusal(&frames::load(1, &load, short));
    assert!(why.contains("cut off"), "{why}");

    let none = Load { cores: CORES + 1, ..load.clone() };
    let why = bare.refusal(&frames::load(1, &none, game.image_bytes()));
    assert!(why.contains("17 cores"), "{why}");

    let large = vec![0; GAME_BYTES + 1 - control::IMAGE_OFFSET];
    let why = bare.refusal(&frames::load(1, &load, &large));
    assert!(why.contains("1 more than are free"), "{why}");

    bare.send(&frames::load(1, &load, game.image_bytes()));
    let ready: Ready = bare.receive(Kind::Ready);
    assert_eq!(ready.width.lanes(), 64);
}

/// What is damaged or incomplete is said to be, and the next frame is read.
#[test]
fn the_kernel_finds_its_way_through_garbage() {
    use std::io::Write;
    let Some((settings, _turn)) = boards() else { return };
    let game = bundled("tictactoe");
    let load = frames::load(1, &load_of(&game), game.image_bytes());
    let mut bare = Bare::greeted(&settings);

    bare.line.write_all(b"no frame at all").expect("it is sent");
    bare.expect_garbled();

    let (header, _) = Header::parse(&load).expect("a header");
    bare.line.write_all(&preamble(&header)[..30]).expect("it is sent");
    bare.expect_garbled();

    bare.line.write_all(&preamble(&header)).expect("it is sent");
    bare.line.write_all(&load[HEADER_BYTES..][..500]).expect("it is sent");
    bare.expect_garbled();

    let mut flipped = load.clone();
    flipped[HEADER_BYTES + 500] ^= 4;
    bare.send(&flipped);
    bare.expect_garbled();

    bare.send(&load);
    let _: Ready = bare.receive(Kind::Ready);
}

/// A cluster that fails says which core, what and where.
#[test]
fn failures_are_reported_with_core_and_reason() {
    let Some((mut settings, _turn)) = boards() else { return };
    settings.kernel.set_file_name("drill.elf");
    for (drill, words) in [
        (b'p', ["core 3: a drill", "drill.rs:"]),
        (b'w', ["core 5: writes outside of its memory", "0x80200000"]),
        (b'c', ["core 0: writes outside of its memory", "0x80000000"]),
        (b'x', ["core 7: executes what is no code", "cause 1"]),
        (b'o', ["core 9", "overrun its stack"]),
        (b's', ["system core: ", "writes outside of its memory"]),
    ] {
        use std::io::Write;
        let mut bare = Bare::start(&settings);
        bare.line.write_all(&[drill]).expect("it is sent");
        let why = bare.receive::<Refusal>(Kind::Failed).text.to_string();
        for word in words {
            assert!(why.contains(word), "{}: {why}", drill as char);
        }
    }
}
