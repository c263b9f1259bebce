//! Games for one: the best score, and a line that reaches it.

mod support;

use ruche_game::{Game, State};
use ruche_offload::{Attributes, Batch, Direct, DirectSettings, Finished, Offload, OffloadError};
use ruche_search::{BestLine, Proofs, SearchError, SearchReport, Searcher};
use support::{Asked, bundled, direct, few_playouts, go_on, of_rules, playouts, report, search};

/// Coins lie in a row; each may be taken, or the game ended. Only one set of them is worth
/// 100, and the more of it one has the better.
const COINS: &str = "
    (role thief)
    (coin 1 20) (coin 2 0) (coin 3 40) (coin 4 0) (coin 5 40) (coin 6 0)
    (<= (init (lies ?c)) (coin ?c ?v))
    (init (purse 0)) (init (turn 1))
    (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
    (sum 0 20 20) (sum 0 40 40) (sum 20 40 60) (sum 40 40 80) (sum 40 20 60) (sum 60 40 100)
    (sum 80 20 100)
    (<= (sum ?x 0 ?x) (amount ?x))
    (amount 0) (amount 20) (amount 40) (amount 60) (amount 80) (amount 100)
    (<= (legal thief (take ?c)) (true (lies ?c)))
    (<= (legal thief run) (true (turn ?n)))
    (<= (next (lies ?c)) (true (lies ?c)) (not (does thief (take ?c))))
    (<= (next (purse ?s)) (does thief (take ?c)) (coin ?c ?v) (true (purse ?p)) (sum ?p ?v ?s))
    (<= (next (purse ?p)) (does thief run) (true (purse ?p)))
    (<= (next gone) (does thief run))
    (<= (next (turn ?n)) (true (turn ?m)) (succ ?m ?n))
    (<= terminal (true gone))
    (<= terminal (true (turn 4)))
    (<= (goal thief ?p) (true (purse ?p)))
";

fn games() -> Vec<(&'static str, Game)> {
    let mut games: Vec<_> =
        ["eightpuzzle", "sudoku", "nonogram"].map(|name| (name, bundled(name))).into();
    games.push(("coins", of_rules(COINS)));
    games
}

/// Where a line leads from a state; each of its moves is legal.
fn end(start: &State, line: &BestLine) -> State {
    let play = |state: State, number: &u32| state.play(&[*number]).expect("it is legal");
    line.moves.iter().fold(start.clone(), play)
}

fn assert_reaches_its_score(start: &State, report: &SearchReport, what: &str) {
    let line = report.best_line.as_ref().unwrap_or_else(|| panic!("{what}: no line"));
    assert_eq!(end(start, line).goals(), Some(vec![line.score]), "{what}");
    assert_eq!(report.best, Some(vec![line.moves[0]]), "{what}: it is played");
    assert_eq!(report.roles[0].moves[0].number, line.moves[0], "{what}: it comes first");
}

#[test]
fn the_best_line_reaches_the_best_score() {
    for (name, game) in games() {
        for seed in 0..5 {
            for proofs in [Proofs::On, Proofs::Off] {
                for (each, batch, memory) in [(1, 1, 1 << 30), (16, 256, 1 << 30), (4, 64, 1 << 17)]
                {
                    let asked = playouts(2000 * u64::from(each)).with(|options| {
                        (options.playouts_per_position, options.batch) = (each, batch);
                        (options.proofs, options.memory) = (proofs, memory);
                    });
                    let found = report(&game, asked, seed);
                    let what = format!("{name}, {proofs}, seed {seed}, {each} of {batch}");
                    assert_reaches_its_score(&game.initial(), &found, &what);
                    let mean = found.roles[0].moves.iter().map(|one| one.mean).fold(0.0, f64::max);
                    let score = found.best_line.map_or(0, |line| line.score);
                    assert!(mean <= score.into(), "{what}: {mean} is more than was ever seen");
                }
            }
        }
    }
}

#[test]
fn a_search_ends_when_nothing_better_is_possible() {
    for (name, game) in games().into_iter().filter(|(name, _)| ["nonogram", "coins"].contains(name))
    {
        let asked = few_playouts(3_000_000);
        let found = report(&game, asked, 3);
        assert!(found.is_complete && found.playouts < 3_000_000, "{name}: {}", found.playouts);
        assert_eq!(found.roles[0].proven, Some(100.0), "{name}");
        assert_eq!(found.best_line.map(|line| line.score), Some(100), "{name}");
    }
    let game = of_rules(COINS);
    let found = report(&game, few_playouts(10_000).with(|options| options.proofs = Proofs::Off), 3);
    assert_eq!((found.playouts, found.is_complete), (10_000, false), "without proofs it goes on");
    assert_eq!(found.best_line.map(|line| line.score), Some(100));
}

#[test]
fn the_rest_of_a_line_stays_when_the_root_moves_along_it() {
    for (name, game) in games() {
        let asked = few_playouts(8000);
        let (mut search, mut offload) = (search(&game, asked), direct(&game, 2));
        let found = go_on(&mut search, asked, &mut offload).expect("playouts");
        let line = found.best_line.expect("it was scored");
        let mut state = game.initial();
        for (ply, &number) in line.moves.iter().enumerate().take(line.moves.len() - 1) {
            state = state.play(&[number]).expect("it is legal");
            search.set_position(&state).expect("a position of the game");
            let rest = BestLine { score: line.score, moves: line.moves[ply + 1..].to_vec() };
            let found = search.report().best_line.expect("there was one");
            // The moves of a new root are looked at, and one may end the game better.
            assert!(found == rest || found.score > rest.score, "{name}, {ply}: {found:?}");
        }
        let end = state.play(&line.moves[line.moves.len() - 1..]).expect("it is legal");
        search.set_position(&end).expect("a position of the game");
        assert_eq!(search.report().best_line, None, "{name}: it is over");
    }
}

#[test]
fn a_game_never_ends_with_less_than_was_known() {
    for (name, game) in games() {
        for seed in 0..4 {
            let asked = few_playouts(1000);
            let (mut search, mut offload) = (search(&game, asked), direct(&game, seed));
            let (mut state, mut score) = (game.initial(), 0);
            while !state.is_terminal() {
                let found = go_on(&mut search, asked, &mut offload).expect("playouts");
                assert_reaches_its_score(&state, &found, name);
                let line = found.best_line.expect("it was scored");
                assert!(line.score >= score, "{name}");
                score = line.score;
                state = state.play(&[line.moves[0]]).expect("it is legal");
                search.set_position(&state).expect("a position of the game");
            }
            assert_eq!(state.goals(), Some(vec![score]), "{name}");
        }
    }
}

#[test]
fn beside_the_line_there_is_another_one_or_none() {
    for (name, game) in games() {
        for seed in 0..8 {
            let asked = few_playouts(4000);
            let (mut search, mut offload) = (search(&game, asked), direct(&game, seed));
            let mut state = game.initial();
            let mut lines = 0;
            for ply in 0.. {
                let found = go_on(&mut search, asked, &mut offload).expect("playouts");
                let played = found.best.expect("the game goes on")[0];
                let others = state.legal(0).iter().filter(|number| **number != played);
                let Some(&other) = others
                    .min_by_key(|number| support::mixed(seed ^ u64::from(**number) << 8 ^ ply))
                else {
                    break;
                };
                state = state.play(&[other]).expect("it is legal");
                if state.is_terminal() || state.stuck_role().is_some() || ply > 20 {
                    break;
                }
                search.set_position(&state).expect("a position of the game");
                let kept = search.report();
                if kept.best_line.is_some() {
                    assert_reaches_its_score(&state, &kept, name);
                    lines += 1;
                }
            }
            assert!(lines > 0 || name == "coins", "{name}: what is below a root is known");
        }
    }
}

#[test]
fn another_offload_with_another_seed_may_go_on() {
    let game = bundled("eightpuzzle");
    let asked = few_playouts(3000);
    let mut search = search(&game, asked);
    let mut state = game.initial();
    for seed in 0..6 {
        let found = go_on(&mut search, asked, &mut direct(&game, seed)).expect("playouts");
        assert_reaches_its_score(&state, &found, "eightpuzzle");
        let away = found.roles[0].moves.last().expect("there are moves").number;
        state = state.play(&[away]).expect("it is legal");
        search.set_position(&state).expect("a position of the game");
        if search.report().best_line.is_some() {
            assert_reaches_its_score(&state, &search.report(), "eightpuzzle");
        }
    }
}

/// Says that it has another seed than it has.
struct Liar(Direct);

impl Offload for Liar {
    fn attributes(&self) -> Attributes {
        Attributes { seed: 1, ..self.0.attributes() }
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.0.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        self.0.collect()
    }
}

#[test]
fn a_playout_that_cannot_be_played_again_is_refused() {
    let game = bundled("eightpuzzle");
    let settings = DirectSettings { seed: 7, ..DirectSettings::default() };
    let direct = Direct::new(&game, settings).expect("an engine");
    let asked: Asked = few_playouts(20_000);
    let found = go_on(&mut search(&game, asked), asked, &mut Liar(direct));
    let error = found.expect_err("its seed is another one");
    assert!(matches!(error, SearchError::Answer { .. }), "{error}");
}
