//! Of games of one role every row tells the best playout, and everybody tells the same.

use std::time::Duration;

use ruche_clusters::{ConnectSettings, Route, Topology, connect};
use ruche_game::Game;
use ruche_offload::{
    Attributes, Batch, Best, Checking, Columns, Direct, DirectSettings, Finished, Offload,
    OffloadError, Results, Tally,
};
use ruche_playouts::{Amount, EngineChoice, Games, PlayoutSettings, Playouts};
use ruche_runtime::strategy::Strategy;
use ruche_shared::WordWidth;
use ruche_shared::names::Named;
use ruche_shared::wire::control::Mode;
use ruche_tests::player::{bundled, compile};
use zerocopy::IntoBytes;

const SEED: u64 = 3;
const SINGLE: [&str; 3] = ["eightpuzzle", "nonogram", "sudoku"];

/// One of eight digits is said, and that is all. Most have a goal, some the same one; one digit
/// has none, and one has two.
const DIGITS: &str = "
    (role one) (digit 0) (digit 1) (digit 2) (digit 3) (digit 4) (digit 5) (digit 6) (digit 7)
    (init start) (<= (legal one (say ?d)) (digit ?d))
    (<= (next (said ?d)) (does one (say ?d)))
    (<= terminal (true (said ?d)))
    (<= (goal one 0) (true (said 0))) (<= (goal one 0) (true (said 1)))
    (<= (goal one 30) (true (said 2))) (<= (goal one 30) (true (said 3)))
    (<= (goal one 50) (true (said 4)))
    (<= (goal one 100) (true (said 6))) (<= (goal one 99) (true (said 6)))
    (<= (goal one 20) (true (said 7)))";

fn settings(width: WordWidth, engine: EngineChoice, threads: usize) -> PlayoutSettings {
    PlayoutSettings { width, engine, threads, seed: SEED, ..PlayoutSettings::default() }
}

/// The best of some playouts, one after the other.
fn first_best(games: &Games, from: usize, each: u64) -> Option<Best> {
    let mut best: Option<Best> = None;
    for playout in 0..each {
        let index = from + playout as usize;
        let goal = u64::from(games.goals(index)[0]);
        if games.tally(index).scored == 1 && best.is_none_or(|best| best.goal < goal) {
            best = Some(Best { goal, playout });
        }
    }
    best
}

/// The best playouts of the initial position under many numbers, as one lane finds them.
fn expected(game: &Game, first: u64, count: usize, each: u64) -> Vec<Option<Best>> {
    let reference = settings(WordWidth::One, EngineChoice::Interpreter, 1);
    let positions = vec![game.image().initial(); count];
    let playouts = Playouts::new(game, &reference).expect("the interpreter plays");
    let games = playouts.games(first, &positions, each).expect("its own positions");
    (0..count).map(|index| first_best(&games, index * each as usize, each)).collect()
}

fn bests(results: &Results) -> Vec<Option<Best>> {
    (0..results.len()).map(|index| results.best(index)).collect()
}

fn digits() -> Game {
    compile(DIGITS.as_bytes()).expect("a sound game")
}

#[test]
fn every_word_engine_and_thread_finds_the_same_best_playout() {
    for game in SINGLE.iter().map(|name| bundled(name)).chain([digits()]) {
        for (count, each) in [(1, 1500), (40, 5), (70, 1)] {
            let expected = expected(&game, 10, count, each);
            let positions = vec![game.image().initial(); count];
            for width in WordWidth::ALL {
                for engine in EngineChoice::available(width) {
                    for threads in [1, 3] {
                        let how = settings(width, engine, threads);
                        let playouts = Playouts::new(&game, &how).expect("an engine");
                        let played = playouts.play(10, &positions, Amount::Each(each));
                        let found = bests(&played.expect("its own positions").results);
                        assert_eq!(found, expected, "{}: {how:?}", game.name());
                    }
                }
            }
        }
    }
}

/// Few positions are cut into stretches that several cores play.
#[test]
fn cores_that_share_a_position_agree_on_its_best_playout() {
    for game in [bundled("nonogram"), digits()] {
        let shapes = [(1, 700), (3, 100), (150, 3)];
        let expected = shapes.map(|(count, each)| expected(&game, 0, count, each.into()));
        for &strategy in Strategy::ALL {
            for mode in [Mode::PerCore, Mode::Split] {
                for width in [WordWidth::One, WordWidth::Eight, WordWidth::SixtyFour] {
                    let base = Topology { clusters: 2, threads: 3, ..Topology::default() };
                    let topology = Topology { strategy, mode, width, ..base };
                    let settings = ConnectSettings::new(topology, SEED);
                    let mut clusters =
                        connect(Route::Inproc, &game, &settings).expect("the game fits");
                    for (&(count, playouts), expected) in shapes.iter().zip(&expected) {
                        let found = play(&mut clusters, &batch(&game, count, playouts));
                        assert_eq!(&bests(&found.results), expected, "{topology:?}");
                    }
                }
            }
        }
    }
}

fn batch(game: &Game, count: usize, playouts: u32) -> Batch {
    let positions = game.image().initial().repeat(count);
    Batch { number: 0, first: 0, playouts, positions, count }
}

fn play(offload: &mut impl Offload, batch: &Batch) -> Finished {
    offload.submit(batch.clone()).expect("it is taken");
    offload.collect().expect("it is played")
}

fn direct(game: &Game) -> Direct {
    let settings = DirectSettings { seed: SEED, ..DirectSettings::default() };
    Direct::new(game, settings).expect("it plays directly")
}

#[test]
fn games_without_a_score_have_no_best_playout() {
    let rules = "(role one) (init a) (legal one wait) (<= (next b) (true a))
        (<= terminal (true b))";
    let game = compile(rules.as_bytes()).expect("odd games compile too");
    let found = play(&mut direct(&game), &batch(&game, 2, 9)).results;
    assert_eq!(found.tally(1), Tally { unscored: 9, plies: 9, ..Tally::default() });
    assert_eq!((found.best(1), found.further(1)), (None, &[0, u64::MAX][..]));
}

#[test]
fn games_of_several_roles_have_the_rows_that_they_had() {
    let game = bundled("connectfour");
    let found = play(&mut direct(&game), &batch(&game, 1, 9)).results;
    assert_eq!((found.row(0).len(), found.best(0)), (Tally::NUMBERS + 2, None));
    assert_eq!(found.columns(), Columns { roles: 2, further: 0 });
}

/// Tells the truth but for the numbers of the best playouts.
struct Braggart(Direct);

impl Offload for Braggart {
    fn attributes(&self) -> Attributes {
        self.0.attributes()
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.0.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        let mut finished = self.0.collect()?;
        let mut row = finished.results.row(1).to_vec();
        *row.last_mut().expect("the number of a playout") ^= 1;
        assert!(finished.results.put_bytes(1, row.as_bytes()));
        Ok(finished)
    }

    fn collect_within(&mut self, _: Duration) -> Result<Option<Finished>, OffloadError> {
        self.collect().map(Some)
    }
}

#[test]
fn a_check_finds_a_best_playout_that_is_another() {
    let game = bundled("nonogram");
    let mut checked = Checking::new(Braggart(direct(&game)), &game, 1.0).expect("a reference");
    checked.submit(batch(&game, 3, 20)).expect("it is taken");
    let error = checked.collect().expect_err("a lie");
    assert!(matches!(error, OffloadError::Different { position: 1, .. }), "{error}");
    let mut honest = Checking::new(direct(&game), &game, 1.0).expect("a reference");
    play(&mut honest, &batch(&game, 3, 20));
    assert_eq!(honest.checked(), 1);
}
