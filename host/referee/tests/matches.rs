//! Players over loopback HTTP under the referee, also with somebody who disturbs them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use ruche_clusters::Topology;
use ruche_ggp::http::{Closer, ServerLimits};
use ruche_ggp::{Address, Server, call};
use ruche_offload::{Attributes, Batch, Finished, Offload, OffloadError};
use ruche_player::{Player, PlayerSettings};
use ruche_referee::{Contender, End, FaultKind, Manager, MatchRecord, MatchSettings};
use ruche_search::Stop;

struct Running {
    place: SocketAddr,
    closer: Closer,
    thread: Option<thread::JoinHandle<()>>,
}

impl Running {
    fn new() -> Self {
        Self::with(PlayerSettings::default())
    }

    fn with(settings: PlayerSettings) -> Self {
        Self::as_it_is(settings.on_threads(Topology::default()))
    }

    fn as_it_is(settings: PlayerSettings) -> Self {
        let server = Server::bind("127.0.0.1", 0, ServerLimits::default()).unwrap();
        let (place, closer) = (server.address(), server.closer());
        let player = Arc::new(Player::new(settings));
        let thread = Some(thread::spawn(move || {
            server.run(move |request| player.answer(&request));
        }));
        Self { place, closer, thread }
    }

    fn address(&self) -> String {
        format!("http://{}", self.place)
    }

    fn say(&self, text: &str) -> String {
        let address: Address = self.address().parse().unwrap();
        call(&address, text, Instant::now() + Duration::from_secs(30)).unwrap().text
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.closer.close();
        self.thread.take().unwrap().join().unwrap();
    }
}

/// Clocks that leave room on a machine that has other work.
const CLOCKS: MatchSettings = MatchSettings {
    start_clock: Duration::from_secs(10),
    play_clock: Duration::from_secs(2),
    seed: 3,
    ply_limit: 12,
    scrambles: true,
};

fn source(game: &str) -> Option<Vec<u8>> {
    let bundled = ruche_games::find(game).map(|game| game.source.as_bytes().to_vec());
    bundled.or_else(|| ruche_corpus::game(game))
}

fn play(game: &str, players: &[&str], settings: &MatchSettings) -> Option<MatchRecord> {
    let manager = Manager::new(game, &source(game)?).unwrap();
    let contenders: Vec<Contender> = players
        .iter()
        .take(manager.rules().roles().len())
        .map(|text| Contender::parse(text, settings.play_clock).unwrap())
        .collect();
    Some(manager.run(&contenders, settings, &Stop::default(), &mut |_| ()).unwrap())
}

#[test]
fn players_finish_matches_without_a_fault() {
    let players = [Running::new(), Running::new()];
    let [a, b] = players.each_ref().map(Running::address);
    // In turns, at the same time, alone.
    for (game, who) in [
        ("tictactoe", [a.as_str(), &b]),
        ("connectfour", [&a, &b]),
        ("blocker", [&a, &b]),
        ("biddingTicTacToe_v0", [&a, &b]),
        ("eightpuzzle", [&a, &b]),
        ("nim", [&a, "random"]),
    ] {
        let Some(record) = play(game, &who, &CLOCKS) else { continue };
        assert_eq!(record.errors, [], "{game}");
        assert!(matches!(record.end, End::Terminal | End::Endless), "{game}");
    }
}

#[test]
fn rules_that_do_not_compile_are_interpreted() {
    let player = Running::new();
    let clocks = MatchSettings { ply_limit: 3, ..CLOCKS };
    let Some(record) = play("sudoku_v0", &[&player.address()], &clocks) else { return };
    assert_eq!(record.errors, []);
    assert_eq!(record.joints().len(), 3);
}

#[test]
fn the_player_beats_random_ones() {
    let player = Running::new();
    let clocks = MatchSettings { ply_limit: 100, play_clock: Duration::from_secs(1), ..CLOCKS };
    for (game, role) in [("breakthrough", 0), ("connectfour", 1)] {
        let address = player.address();
        let who = if role == 0 { [address.as_str(), "random"] } else { ["random", &address] };
        let record = play(game, &who, &clocks).unwrap();
        assert_eq!(record.errors, [], "{game}");
        assert_eq!(record.goals[&record.roles[role]], Some(100), "{game}");
    }
}

#[test]
fn faults_are_counted_and_replaced() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", silent.local_addr().unwrap());
    let clock = Duration::from_millis(200);
    let settings =
        MatchSettings { start_clock: clock, play_clock: clock, scrambles: false, ..CLOCKS };
    let record = play("tictactoe", &[&address, "legal"], &settings).unwrap();
    assert_eq!(record.end, End::Terminal);
    assert_eq!(record.count("x", FaultKind::Late), record.joints().len());
    assert_eq!(record.count("x", FaultKind::Unready), 1);
    let nobody = play("tictactoe", &["http://127.0.0.1:1", "legal"], &settings).unwrap();
    assert_eq!(nobody.count("x", FaultKind::Lost), 1 + nobody.joints().len());
}

#[test]
fn a_player_answers_what_is_repeated_late_or_not_for_it() {
    let player = Running::new();
    let rules = ruche_games::find("tictactoe").unwrap().source;
    let start = |id: &str, role: &str| format!("(START {id} {role} ({rules}\n) 20 2)");
    assert_eq!(player.say("(INFO)"), "available");
    assert_eq!(player.say("(PLAY m NIL)"), "busy");
    assert_eq!(player.say("(STOP m NIL)"), "done");
    assert_eq!(player.say(&start("m", "X")), "ready");
    assert_eq!(player.say(&start("m", "X")), "ready");
    assert_eq!(player.say(&start("other", "x")), "busy");
    assert_eq!(player.say("(info)"), "busy");
    let first = player.say("(PLAY m NIL)");
    assert!(first.starts_with("(mark"), "{first}");
    assert_eq!(player.say("(PLAY m NIL)"), first);
    assert_eq!(player.say("(PLAY other NIL)"), "busy");
    // Another move than ours may have been played, and answers are legal nevertheless.
    assert_eq!(player.say("(PLAY m ((mark 1 1) noop))"), "noop");
    assert_eq!(player.say("(PLAY m ((MARK 1 1) NOOP))"), "noop");
    let next = player.say("(PLAY m (noop (mark 1 2)))");
    assert!(next.starts_with("(mark") && next != "(mark 1 1)" && next != "(mark 1 2)", "{next}");
    let odd = player.say("(PLAY m ((fly away) noop))");
    assert_eq!(odd, next, "nothing has changed");
    assert_eq!(player.say("(ABORT other)"), "done");
    assert_eq!(player.say("(INFO)"), "busy");
    assert_eq!(player.say("(ABORT m)"), "done");
    assert_eq!(player.say("(INFO)"), "available");
    assert!(player.say("(START m x ((role x) (legal x ?y)) 5 5)").contains("cannot be played"));
    assert!(player.say(&start("n", "z")).contains("no role z"));
    assert_eq!(player.say("(INFO)"), "available");
}

#[test]
fn a_manager_that_says_nothing_any_more_is_given_up() {
    let patience = Duration::from_millis(100);
    let player = Running::with(PlayerSettings { patience, ..PlayerSettings::default() });
    let rules = ruche_games::find("connectfour").unwrap().source;
    assert_eq!(player.say(&format!("(START m red ({rules}\n) 1 0.1)")), "ready");
    assert_eq!(player.say("(INFO)"), "busy");
    while player.say("(INFO)") == "busy" {
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(player.say("(PLAY m NIL)"), "busy", "the match is over");
    assert_eq!(player.say(&format!("(START n red ({rules}\n) 5 1)")), "ready");
    assert_eq!(player.say("(ABORT n)"), "done");
}

/// A lock that opens if three wheels are turned right, for one.
const LOCK: &str = "
(role robot)
(init (wheel 1)) (init right)
(digit 1) (digit 2) (digit 3) (digit 4)
(key 1 4) (key 2 2) (key 3 3)
(succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal robot (turn ?digit)) (digit ?digit))
(<= (next (wheel ?other)) (true (wheel ?one)) (succ ?one ?other))
(<= (next right) (true right) (true (wheel ?one)) (key ?one ?digit) (does robot (turn ?digit)))
(<= terminal (true (wheel 4)))
(<= (goal robot 100) (true right))
(<= (goal robot 0) (not (true right)))
";

#[test]
fn what_the_first_look_finds_out_is_not_forgotten() {
    let player = Running::new();
    let manager = Manager::new("lock", LOCK.as_bytes()).unwrap();
    let contender = Contender::parse(&player.address(), CLOCKS.play_clock).unwrap();
    let settings = MatchSettings { scrambles: false, ..CLOCKS };
    let record = manager.run(&[contender], &settings, &Stop::default(), &mut |_| ()).unwrap();
    assert_eq!((record.goals["robot"], record.errors), (Some(100), vec![]));
}

/// Clusters that are lost after some batches.
struct Mortal(Box<dyn Offload>, u32);

impl Offload for Mortal {
    fn attributes(&self) -> Attributes {
        self.0.attributes()
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.1 = self.1.checked_sub(1).ok_or_else(|| OffloadError::Lost {
            reason: "a plug was pulled".to_owned(),
            finished: 0,
        })?;
        self.0.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        self.0.collect()
    }
}

#[test]
fn a_player_that_loses_its_clusters_goes_on_with_others() {
    let threads = PlayerSettings::default().on_threads(Topology::default()).connect;
    let (is_first, told) = (AtomicBool::new(true), Arc::new(Mutex::new(Vec::new())));
    let telling = Arc::clone(&told);
    let player = Running::as_it_is(PlayerSettings {
        connect: Arc::new(move |game| {
            let batches = if is_first.swap(false, Ordering::Relaxed) { 200 } else { u32::MAX };
            Ok(Box::new(Mortal(threads(game)?, batches)))
        }),
        tell: Arc::new(move |text| telling.lock().unwrap().push(text.to_owned())),
        ..PlayerSettings::default()
    });
    let settings = MatchSettings { ply_limit: 6, ..CLOCKS };
    let record = play("connectfour", &[&player.address(), "legal"], &settings).unwrap();
    assert_eq!(record.errors, []);
    let told = told.lock().unwrap();
    let failed = told.iter().position(|text| text.contains("a plug was pulled"));
    let failed = failed.unwrap_or_else(|| panic!("more than 200 batches: {told:?}"));
    assert!(told[failed..].iter().any(|text| text.contains(" playouts, ")), "{told:?}");
}

#[test]
fn a_hostile_manager_disturbs_nobody() {
    let player = Running::new();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for number in 0..3 {
            let (place, is_over) = (player.place, &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::Relaxed) {
                    disturb(place, number);
                    thread::sleep(Duration::from_millis(20));
                }
            });
        }
        let settings = MatchSettings { ply_limit: 8, ..CLOCKS };
        let record = play("connectfour", &[&player.address(), "random"], &settings).unwrap();
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(record.errors, []);
    });
}

/// What no manager should do.
fn disturb(place: SocketAddr, number: usize) {
    let post = |text: &str| {
        format!("POST / HTTP/1.0\r\nContent-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
    };
    let bytes = match number {
        0 => post("(PLAY wrong ((a) (b)))"),
        1 => b"POST / HTTP/1.0\r\nContent-Length: 100000000\r\n\r\n(((((".to_vec(),
        _ => post(&"(".repeat(100_000)),
    };
    let Ok(mut stream) = TcpStream::connect(place) else { return };
    let _ = stream.set_read_timeout(Some(Duration::from_millis(500)));
    let _ = stream.write_all(&bytes);
    let _ = stream.read(&mut [0; 100]);
    // Others say nothing, and stay for a while.
    let silent: Vec<_> = (0..10).filter_map(|_| TcpStream::connect(place).ok()).collect();
    thread::sleep(Duration::from_millis(50));
    drop(silent);
}
