//! Search of games for one by their parts.

use ruche_game::Game;
use ruche_offload::{Direct, DirectSettings};
use ruche_search::{Limits, Method, SearchOptions, SearchReport, Stop};

fn report(game: &Game, seed: u64, playouts: u64) -> SearchReport {
    let options = SearchOptions {
        batch: 1,
        in_flight: 1,
        playouts_per_position: 1,
        ..SearchOptions::default()
    };
    let settings = options.check().expect("sound settings");
    let mut search = Method::Decomposed.start(game, &settings).expect("a root");
    let direct = DirectSettings { seed, ..DirectSettings::default() };
    let mut offload = Direct::new(game, direct).expect("an engine");
    let (stop, limits) = (Stop::default(), Limits::playouts(playouts));
    search.search(&mut offload, &limits, &stop, &mut |_| ()).expect("no failure")
}

fn assert_reaches(game: &Game, found: &SearchReport, score: u16) {
    let line = found.best_line.as_ref().expect("a line");
    let play = |state: ruche_game::State, number: &u32| state.play(&[*number]).expect("legal");
    let end = line.moves.iter().fold(game.initial(), play);
    assert_eq!((line.score, end.goals()), (score, Some(vec![score])));
    assert_eq!(found.roles[0].proven, found.is_complete.then_some(f64::from(score)));
}

#[test]
fn puzzles_of_the_corpus_are_solved_within_few_playouts() {
    for (id, most) in [("nonogram_5x5_1_v0", 100), ("queens08lg_v0", 200)] {
        let Some(source) = ruche_corpus::game(id) else { return };
        let game = Game::compile(id, &source).expect("sound rules");
        for seed in 0..3 {
            let found = report(&game, seed, most);
            assert!(found.is_complete, "{id} {seed}: {} playouts", found.playouts);
            assert_reaches(&game, &found, 100);
        }
    }
}

#[test]
fn the_best_of_all_is_proven_where_nothing_better_can_be_reached() {
    // 100 is in the rules, but the third coin goes with the second.
    let rules = "(role r) (init (lies a)) (init (lies b)) (init (lies c))
        (<= (legal r (take ?c)) (true (lies ?c))) (legal r stop)
        (<= (next (lies a)) (true (lies a)) (not (does r (take a))))
        (<= (next (lies b)) (true (lies b)) (not (does r (take b))))
        (<= (next (lies c)) (true (lies c)) (not (does r (take c))) (not (does r (take b))))
        (<= (next (has ?c)) (does r (take ?c))) (<= (next (has ?c)) (true (has ?c)))
        (<= (next over) (does r stop)) (<= terminal (true over))
        (<= (goal r 60) (true (has a)) (not all)) (<= (goal r 100) all)
        (<= (goal r 0) (not (true (has a))))
        (<= all (true (has a)) (true (has b)) (true (has c)) (true (lies c)))";
    let game = Game::compile("coins", rules.as_bytes()).expect("sound rules");
    let found = report(&game, 1, 2000);
    assert!(found.is_complete && found.playouts < 2000);
    assert_reaches(&game, &found, 60);
}

#[test]
fn the_same_seed_is_the_same_search() {
    let game = Game::bundled("eightpuzzle").expect("a bundled game");
    let (one, other) = (report(&game, 5, 20), report(&game, 5, 20));
    assert_eq!((one.signature, one.best_line), (other.signature, other.best_line));
    assert_eq!(one.playouts, 20);
}
