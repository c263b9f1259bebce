//! Whole matches with real players.

use std::collections::HashSet;
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use ruche_arena::{
    Contestant, End, Faults, GameRecord, Log, Match, MatchError, MatchSettings, Side, Sprt,
    Standing, Verdict,
};
use ruche_game::Game;
use ruche_ggp::http::ServerLimits;
use ruche_ggp::{Message, Server};
use ruche_search::{Limits, Stop};

/// Three who draw numbers at the same time: the greatest takes all.
const AUCTION: &str = "
(role x) (role y) (role z)
(number 1) (number 2) (number 3)
(init (round 1))
(succ 1 2) (succ 2 3)
(<= (legal ?r (bid ?n)) (role ?r) (number ?n))
(<= (next (round ?n)) (true (round ?m)) (succ ?m ?n))
(<= (next (last ?r ?n)) (does ?r (bid ?n)))
(<= terminal (true (round 3)))
(less 1 2) (less 1 3) (less 2 3)
(<= (beaten ?r) (true (last ?r ?n)) (true (last ?s ?m)) (less ?n ?m))
(<= (goal ?r 0) (beaten ?r))
(<= (goal ?r 100) (role ?r) (not (beaten ?r)))
";

fn game(name: &str) -> Game {
    match name {
        "auction" => Game::compile(name, AUCTION.as_bytes()).unwrap(),
        name => Game::bundled(name).unwrap(),
    }
}

fn contest(games: &str, a: &str, b: &str, settings: MatchSettings) -> Match {
    let contestants = [a, b].map(|text| Contestant::parse(text, Limits::playouts(100)).unwrap());
    Match::new(games.split(',').map(game).collect(), contestants, settings).unwrap()
}

fn played(contest: &Match) -> Standing {
    contest.run(&mut Log::nowhere(), &Stop::default(), &mut |_, _| ()).unwrap()
}

fn settings(games: u64, threads: usize) -> MatchSettings {
    MatchSettings { games, threads, seed: 11, ..MatchSettings::default() }
}

#[test]
fn playouts_that_leave_a_losing_part_alone_win_more() {
    let Some(source) = ruche_corpus::game("dualConnect4_v0") else { return };
    let game = Game::compile("two boards", &source).unwrap();
    let contestants =
        ["default", "decompose=off"].map(|text| Contestant::parse(text, Limits::playouts(500)));
    let settings = MatchSettings { ply_limit: 100, ..settings(60, 2) };
    let contest = Match::new(vec![game], contestants.map(Result::unwrap), settings).unwrap();
    let score = played(&contest).total.score();
    assert!(score > Some(0.55), "{score:?}");
}

#[test]
fn a_search_beats_random_moves() {
    let standing =
        played(&contest("tictactoe,connectfour", "playouts=500", "random", settings(60, 2)));
    assert_eq!(standing.total.games, 120);
    assert!(standing.total.score() > Some(0.8), "{:?}", standing.total);
    assert!(standing.by_game.iter().all(|tally| tally.elo_interval()[0] > Some(0.0)));
    let turned = played(&contest("tictactoe", "legal", "playouts=500", settings(60, 2)));
    assert!(turned.total.score() < Some(0.2), "{:?}", turned.total);
}

#[test]
fn equals_are_even_in_games_of_one_two_and_three_roles() {
    let games = "eightpuzzle,tictactoe,connectfour,auction";
    let standing = played(&contest(games, "default", "default", settings(60, 2)));
    let [low, high] = standing.total.elo_interval();
    assert!(low < Some(0.0) && high > Some(0.0), "{:?}", standing.total);
    let standing = played(&contest("auction", "random", "random", settings(1200, 2)));
    let score = standing.total.score().unwrap();
    assert!(
        (score - 0.5).abs() < 0.05,
        "alone against two is as often as two against one: {score}"
    );
    assert_eq!(standing.total.scores.pairs(), 200);
}

#[test]
fn the_same_seed_gives_the_same_match_on_any_number_of_threads() {
    let sprt = Sprt::new(0.0, 150.0, 0.05, 0.05).ok();
    let with = |threads, seed| {
        let settings = MatchSettings { sprt, seed, ..settings(400, threads) };
        played(&contest("tictactoe,auction", "playouts=300", "random", settings))
    };
    let (alone, together) = (with(1, 5), with(4, 5));
    assert_eq!(alone.records, together.records);
    assert_eq!((alone.total, alone.verdict), (together.total, together.verdict));
    assert_eq!(alone.verdict, Some(Verdict::Accepted));
    assert!(alone.records.len() < 800, "it was decided early: {}", alone.records.len());
    assert_ne!(with(2, 6).records, together.records);
}

#[test]
fn each_pair_has_its_opening_and_all_assignments_of_roles() {
    let standing =
        played(&contest("connectfour,eightpuzzle,auction", "random", "legal", settings(30, 2)));
    let opening =
        |moves: &str| moves.splitn(5, "; ").take(4).map(str::to_owned).collect::<Vec<_>>();
    let mut openings = HashSet::new();
    for game in ["connectfour", "eightpuzzle", "auction"] {
        let of_game: Vec<_> =
            standing.records.iter().filter(|record| record.game == game).collect();
        let size = if game == "auction" { 6 } else { 2 };
        assert_eq!(of_game.len(), 30);
        for pair in of_game.chunks(size) {
            let roles: HashSet<&Vec<Side>> = pair.iter().map(|record| &record.roles).collect();
            assert_eq!(roles.len(), size, "{game}");
            assert!(pair.iter().all(|record| record.seed == pair[0].seed));
            if game == "connectfour" {
                let same = opening(&pair[0].moves);
                assert!(pair.iter().all(|record| opening(&record.moves) == same));
                openings.insert(same);
            }
        }
    }
    assert!(openings.len() > 12, "{}", openings.len());
}

#[test]
fn a_match_goes_on_where_it_was_and_may_be_longer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let with = |games, a| contest("tictactoe,nim", a, "random", settings(games, 2));
    let run = |contest: &Match, watch: &mut dyn FnMut(u64, &Standing)| {
        let mut log = Log::open(&path, &contest.header()).unwrap();
        contest.run(&mut log, &Stop::default(), watch).unwrap()
    };
    let first = run(&with(10, "default"), &mut |_, _| ());
    let mut known = None;
    let longer = run(&with(30, "default"), &mut |played, _| {
        known.get_or_insert(played);
    });
    assert_eq!(known, Some(20), "nothing is played twice");
    assert_eq!(first.records, longer.records[..20]);
    assert_eq!(longer.records, played(&with(30, "default")).records);
    let shorter = run(&with(10, "default"), &mut |_, _| ());
    assert_eq!(shorter.records, first.records);
    let other = with(10, "exploration=1");
    assert!(Log::open(&path, &other.header()).unwrap_err().to_string().contains("another match"));
}

#[test]
fn games_that_are_missing_in_the_middle_are_played() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.jsonl");
    let contest = contest("tictactoe", "default", "random", settings(12, 2));
    let whole = {
        let mut log = Log::open(&path, &contest.header()).unwrap();
        contest.run(&mut log, &Stop::default(), &mut |_, _| ()).unwrap()
    };
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let kept = [&lines[..4], &lines[7..], &lines[7..8]].concat().join("\n") + "\n";
    fs::write(&path, kept).unwrap();
    let mut log = Log::open(&path, &contest.header()).unwrap();
    let mut told = Vec::new();
    let again =
        contest.run(&mut log, &Stop::default(), &mut |played, _| told.push(played)).unwrap();
    assert_eq!(again.records, whole.records);
    assert_eq!(told, [9, 10, 11, 12], "a game that is there twice counts once");
}

#[test]
fn a_match_that_is_stopped_is_the_beginning_of_the_whole() {
    let contest = contest("tictactoe", "default", "random", settings(400, 2));
    let stop = Stop::default();
    let mut stop_soon = |_, standing: &Standing| {
        if standing.records.len() >= 8 {
            stop.request();
        }
    };
    let part = contest.run(&mut Log::nowhere(), &stop, &mut stop_soon).unwrap();
    let games = part.records.len();
    assert!((8..400).contains(&games) && games.is_multiple_of(2), "{games}");
    assert_eq!(part.records, played(&contest).records[..games]);
}

#[test]
fn games_without_an_end_are_draws() {
    let settings = MatchSettings { ply_limit: 10, ..settings(10, 2) };
    let standing = played(&contest("connectfour", "random", "random", settings));
    let cut = standing.records.iter().filter(|record| record.end == End::Endless).count();
    assert!(cut > 0);
    assert_eq!(standing.total.endless, cut as u64);
    assert!(standing.total.draws >= cut as u64);
}

#[test]
fn a_match_that_cannot_be_played_is_refused() {
    let contestants = || [Contestant::Random, Contestant::Legal];
    let refused =
        |games: Vec<Game>| Match::new(games, contestants(), MatchSettings::default()).unwrap_err();
    assert!(matches!(refused(vec![]), MatchError::Nothing));
    assert!(matches!(refused(vec![game("nim"), game("nim")]), MatchError::Twice { .. }));
    let over =
        "(role x) (init (done)) (<= terminal (true (done))) (<= (legal x wait) (true (done)))
                (goal x 50) (<= (next (done)) (true (done)))";
    let over = Game::compile("over", over.as_bytes()).unwrap();
    assert!(refused(vec![over]).to_string().starts_with("over: nothing can be played"));
}

/// A game with more moves than a megabyte holds.
fn wide() -> Game {
    let numbers: String = (0..200).map(|number| format!("(number {number})\n")).collect();
    let rules = format!(
        "(role x)\n(role y)\n{numbers}(init (step 0))\n(succ 0 1)\n(succ 1 2)
         (<= (legal x (say ?a ?b)) (number ?a) (number ?b))\n(legal y wait)
         (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
         (<= terminal (true (step 2)))\n(goal x 50)\n(goal y 50)\n"
    );
    Game::compile("wide", rules.as_bytes()).unwrap()
}

#[test]
fn a_player_that_fails_ends_the_match_by_name() {
    let contestants = ["random", "memory=1"];
    let contestants =
        contestants.map(|text| Contestant::parse(text, Limits::playouts(100)).unwrap());
    let contest = Match::new(vec![wide()], contestants, settings(4, 2)).unwrap();
    let error = contest.run(&mut Log::nowhere(), &Stop::default(), &mut |_, _| ()).unwrap_err();
    assert!(error.to_string().starts_with("wide, method=uct,"), "{error}");
    assert!(error.to_string().contains("allow more memory"), "{error}");
}

#[test]
fn all_players_draw_numbers_of_their_own() {
    let settings = MatchSettings { opening: 0, ..settings(12, 1) };
    let standing = played(&contest("auction", "random", "random", settings));
    let games: HashSet<&str> = standing.records.iter().map(|record| &*record.moves).collect();
    assert!(games.len() >= 11, "games of a pair differ, and pairs do: {games:?}");
    let bids = games.iter().flat_map(|moves| moves.split("; "));
    let is_unanimous = |joint: &&str| {
        let bids: HashSet<&str> =
            joint.split(") (").map(|bid| bid.trim_matches(['(', ')'])).collect();
        bids.len() == 1
    };
    let (all, unanimous) = (bids.clone().count(), bids.filter(is_unanimous).count());
    assert!(3 * unanimous < all, "roles differ: {unanimous} of {all}");
}

/// Says nonsense, and nothing in time when it is asked for each third move.
fn answer_badly(text: &str, asked: &AtomicU64, longest: Duration) -> String {
    match Message::parse(text) {
        Ok(Message::Start(_)) => return "ready".to_owned(),
        Ok(Message::Play { .. }) if asked.fetch_add(1, Ordering::Relaxed) % 3 == 2 => {
            thread::sleep(2 * longest);
        }
        _ => {}
    }
    "(mark 9 9)".to_owned()
}

#[test]
fn moves_of_a_player_elsewhere_that_are_late_or_illegal_are_counted() {
    const CLOCK: Duration = Duration::from_millis(500);
    let server = Server::bind("127.0.0.1", 0, ServerLimits::default()).unwrap();
    let (address, closer) = (format!("http://{}", server.address()), server.closer());
    let asked = AtomicU64::new(0);
    let answering = thread::spawn(move || {
        server.run(move |request| answer_badly(&request.text, &asked, CLOCK));
    });
    let contestants = [&address, "legal"];
    let contestants = contestants.map(|text| Contestant::parse(text, Limits::time(CLOCK)).unwrap());
    let settings = MatchSettings { opening: 0, ..settings(2, 1) };
    let standing = played(&Match::new(vec![game("tictactoe")], contestants, settings).unwrap());
    closer.close();
    answering.join().unwrap();
    let [Faults { late, illegal }, other] = standing.total.faults;
    assert_eq!(other, Faults::default());
    assert!(late > 0 && illegal > 0, "{late} {illegal}");
    // Whoever has the last cell left has no choice, and is not asked.
    let asked = |record: &GameRecord| {
        let first = usize::from(record.roles[0] == Side::B);
        (first..record.plies.min(8)).step_by(2).count() as u64
    };
    assert_eq!(late + illegal, standing.records.iter().map(asked).sum::<u64>());
}
