//! Interpreted and compiled rules say the same.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_game::Game;
use ruche_rules::{Position, Rules};

fn interpreted(name: &str, source: &[u8]) -> Rules {
    Rules::interpreted(&Game::describe(name, source).unwrap()).unwrap()
}

/// Fluents, whether the game is over, legal moves and goals of each role.
type Said = (Vec<String>, bool, Vec<Vec<String>>, Option<Vec<Vec<u16>>>);

fn said(position: &Position) -> Said {
    let roles = 0..position.rules().roles().len();
    let legal = roles.map(|role| {
        let mut legal: Vec<String> = position.legal(role).into_iter().map(str::to_owned).collect();
        legal.sort();
        legal
    });
    let fluents = position.fluents().into_iter().map(str::to_owned).collect();
    (fluents, position.is_terminal(), legal.collect(), position.goals())
}

/// Plays random games by both, and compares them state by state.
fn compare(name: &str, source: &[u8], games: u64, plies: usize) {
    let both = [Rules::compiled(Game::compile(name, source).unwrap()), interpreted(name, source)];
    assert_eq!(both[0].roles(), both[1].roles(), "{name}");
    for seed in 0..games {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut places = both.each_ref().map(|rules| rules.initial(None).unwrap());
        for _ in 0..plies {
            assert_eq!(said(&places[0]), said(&places[1]), "{name}");
            if places[0].is_terminal() || places[0].stuck_role().is_some() {
                break;
            }
            let mut draw = |role| {
                let legal = places[0].legal(role);
                legal[random.random_range(0..legal.len())].to_owned()
            };
            let joint: Vec<String> = (0..both[0].roles().len()).map(&mut draw).collect();
            places = places.map(|place| place.play(&joint, None).unwrap());
        }
    }
}

#[test]
fn bundled_games_are_the_same_for_both() {
    for game in ruche_games::all() {
        compare(game.name, game.source.as_bytes(), 2, 12);
    }
}

#[test]
fn rules_that_need_themselves_are_completed() {
    let rules = b"(role r) (init (at a)) (edge a b) (edge b c) (edge c a) (edge d e)
        (<= (path ?x ?y) (edge ?x ?y))
        (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
        (<= (legal r (go ?y)) (true (at ?x)) (path ?x ?y))
        (<= (legal r (jump ?y)) (edge ?y ?z) (true (at ?x)) (not (path ?x ?y)))
        (<= (next (at ?y)) (does r (go ?y))) (<= (next (at ?y)) (does r (jump ?y)))
        (<= terminal (true (at e))) (<= (goal r 100) (true (at e))) (<= (goal r 0) (true (at ?x))
        (distinct ?x e))";
    compare("paths", rules, 4, 10);
}

/// Of the games of a corpus each of this many is compared.
const STEP: usize = 9;

#[test]
fn games_of_a_corpus_are_the_same_for_both() {
    let Some(corpus) = ruche_corpus::directory("interpreted and compiled rules") else { return };
    let entries = std::fs::read_dir(corpus.join("games")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths.iter().step_by(STEP) {
        let id = path.file_stem().unwrap().to_str().unwrap();
        if !NOT_COMPILED.contains(&id) {
            compare(id, &std::fs::read(path).unwrap(), 1, 5);
        }
    }
}

/// Their circuits would be too large.
const NOT_COMPILED: [&str; 5] =
    ["chess_v0", "gt_two_thirds_6p_v0", "mummymaze1p_v0", "slaughter_v0", "sudoku_v0"];

#[test]
fn games_that_do_not_compile_have_legal_moves() {
    for id in NOT_COMPILED {
        let Some(source) = ruche_corpus::game(id) else { continue };
        let start = std::time::Instant::now();
        let rules = interpreted(id, &source);
        let mut place = rules.initial(None).unwrap();
        println!("{id}: {:?} to the first position", start.elapsed());
        for _ in 0..6 {
            if place.is_terminal() {
                break;
            }
            assert_eq!(place.stuck_role(), None, "{id}");
            let roles = 0..rules.roles().len();
            let joint: Vec<String> = roles.map(|role| place.legal(role)[0].to_owned()).collect();
            place = place.play(&joint, None).unwrap();
        }
        println!("{id}: {:?} after six moves", start.elapsed());
    }
}
