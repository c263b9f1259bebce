//! Which games are found in which, however the dice fall and whatever things are called.

use ruche_compiler::{EmitFormat, Options, Stage, WorkLimits, emit};
use ruche_decompose::{By, Composition, Counts, Decomposition, Kind, Proof, Settings, decompose};

fn found(source: &[u8], by: By, seed: u64) -> Decomposition {
    let (description, _) = ruche_gdl::load(source).expect("a sound description");
    let settings = Settings { by, seed, ..Settings::default() };
    decompose(&description, &settings).expect("within the limits")
}

fn bundled(name: &str) -> Vec<u8> {
    ruche_games::find(name).expect("bundled").source.as_bytes().to_vec()
}

fn counts(found: &Decomposition) -> [usize; 4] {
    let Counts { ad, uad, ai, uai } = found.counts();
    [ad, uad, ai, uai]
}

/// Games of the corpus with what is expected of them.
const EXPECTED: [(&str, [usize; 4]); 17] = [
    ("ticTacToe_v0", [1, 0, 1, 1]),
    ("doubletictactoe_v0", [2, 0, 2, 2]),
    ("ticTacToeParallel_v0", [2, 0, 1, 1]),
    ("ticTacToeSerial_v0", [2, 0, 2, 2]),
    ("blocksWorldSerial_v0", [2, 0, 2, 0]),
    ("nim1_v0", [4, 0, 1, 0]),
    ("nim3_v0", [4, 0, 1, 0]),
    ("lightsOn_v0", [1, 0, 1, 0]),
    ("lightsOnSimul4_v0", [4, 0, 1, 0]),
    ("lightsOut_v0", [1, 0, 1, 0]),
    ("nonogram_5x5_1_v0", [14, 0, 0, 0]),
    ("incredible_v0", [2, 0, 1, 0]),
    ("snake_2008_v0", [1, 0, 1, 0]),
    ("tron_10x10_v0", [1, 0, 0, 0]),
    ("queens06ug_v0", [1, 0, 1, 0]),
    ("queens08lg_v0", [2, 0, 1, 0]),
    ("smallest_4player_v0", [1, 0, 1, 0]),
];

#[test]
fn games_of_the_corpus_have_the_parts_that_are_expected() {
    for (id, expected) in EXPECTED {
        let Some(source) = ruche_corpus::game(id) else { return };
        assert_eq!(counts(&found(&source, By::Both, 0)), expected, "{id}");
    }
}

#[test]
fn the_seed_does_not_matter() {
    for id in ["ticTacToeParallel_v0", "nim1_v0"] {
        let Some(source) = ruche_corpus::game(id) else { return };
        let first = found(&source, By::Playouts, 0);
        for seed in 1..20 {
            assert_eq!(parts(&found(&source, By::Playouts, seed)), parts(&first), "{id} {seed}");
        }
    }
}

/// The fluents of all parts.
fn parts(found: &Decomposition) -> Vec<Vec<String>> {
    found.subgames.iter().map(|part| part.fluents.clone()).collect()
}

#[test]
fn names_and_the_order_of_rules_do_not_matter() {
    let source = TWO_SWITCHES;
    let renamed = source.replace("left", "zz").replace("right", "aa").replace("step", "mm");
    let mut rules: Vec<&str> = renamed.lines().collect();
    rules.reverse();
    let turned = found(rules.join("\n").as_bytes(), By::Both, 0);
    assert_eq!(counts(&turned), counts(&found(source.as_bytes(), By::Both, 0)));
}

#[test]
fn ground_rules_have_the_same_parts() {
    for id in ["ticTacToeParallel_v0", "nim1_v0", "blocksWorldSerial_v0", "queens08lg_v0"] {
        let Some(source) = ruche_corpus::game(id) else { return };
        assert_eq!(
            parts(&found(&ground(&source), By::Both, 0)),
            parts(&found(&source, By::Both, 0))
        );
    }
}

fn ground(source: &[u8]) -> Vec<u8> {
    let (description, _) = ruche_gdl::load(source).expect("a sound description");
    let (options, mut ground) = (Options::default(), Vec::new());
    let written = emit(Stage::Ground, EmitFormat::Text, &description, &options, &mut ground);
    written.expect("within the limits");
    ground
}

/// Two switches and a counter.
const TWO_SWITCHES: &str = "(role r)
(init (left off)) (init (right off)) (init (step 1))
(<= (legal r flipleft) (true (left off)))
(<= (legal r flipright) (true (right off)))
(legal r wait)
(<= (next (left on)) (does r flipleft))
(<= (next (left ?x)) (true (left ?x)) (not (does r flipleft)))
(<= (next (right on)) (does r flipright))
(<= (next (right ?x)) (true (right ?x)) (not (does r flipright)))
(<= (next (step ?y)) (true (step ?x)) (after ?x ?y))
(after 1 2) (after 2 3) (after 3 4)
(<= terminal (true (step 4)))
(<= (goal r 100) (true (left on)) (true (right on)))
(<= (goal r 50) (true (left on)) (not (true (right on))))
(<= (goal r 50) (true (right on)) (not (true (left on))))
(<= (goal r 0) (not (true (left on))) (not (true (right on))))";

#[test]
fn switches_are_apart_and_the_rules_prove_it() {
    let found = found(TWO_SWITCHES.as_bytes(), By::Both, 0);
    assert_eq!(counts(&found), [2, 0, 1, 0]);
    assert_eq!(found.composition, Composition::Asynchronous);
    assert!(found.subgames.iter().all(|part| part.proof == Proof::Proved));
    assert_eq!(found.subgames[2].kind, Kind::Stepper);
    assert_eq!(found.subgames[0].moves, ["r flipleft"]);
    assert!(found.dot("switches").contains("part0 -> score"));
}

#[test]
fn heaps_of_nim_are_proved_to_be_apart() {
    let found = found(&bundled("nim"), By::Rules, 0);
    let play = found.subgames.iter().filter(|part| part.kind == Kind::Play);
    assert!(play.clone().count() > 1);
    assert!(play.clone().all(|part| part.proof == Proof::Proved));
    assert_eq!(found.composition, Composition::Asynchronous);
}

#[test]
fn what_only_random_games_show_is_marked_so() {
    let found = found(TWO_SWITCHES.as_bytes(), By::Playouts, 0);
    let is_seen = |proof: Proof| matches!(proof, Proof::Seen { states } if states > 0);
    assert!(found.subgames.iter().all(|part| is_seen(part.proof)));
}

#[test]
fn a_game_in_which_nothing_changes_has_no_parts() {
    let idle = b"(role r) (init a) (legal r wait) (<= (next a) (true a)) \
        (<= terminal (not (true a))) (goal r 0)";
    assert_eq!(counts(&found(idle, By::Both, 0)), [0; 4]);
}

#[test]
fn a_game_of_one_fluent_has_one_part() {
    let lamp = b"(role r) (legal r push) (legal r wait) (<= (next on) (does r push)) \
        (<= terminal (true on)) (goal r 100)";
    assert_eq!(counts(&found(lamp, By::Both, 0)), [1, 0, 0, 0]);
}

#[test]
fn rules_that_go_in_a_circle_are_followed_to_their_end() {
    let circle = b"(role r) (init (at 1)) (link 1 2) (link 2 1) (link 2 3)
        (<= (legal r (go ?y)) (true (at ?x)) (reach ?x ?y))
        (<= (open ?x) (true (at ?x))) (<= (open ?y) (open ?x) (link ?x ?y))
        (<= (reach ?x ?y) (open ?x) (link ?x ?y)) (<= (reach ?x ?z) (reach ?x ?y) (link ?y ?z))
        (<= (next (at ?y)) (does r (go ?y)))
        (<= terminal (true (at 3))) (goal r 100)";
    assert_eq!(found(circle, By::Both, 0).counts().ad, 1);
}

#[test]
fn a_game_without_fluents_has_no_parts() {
    let empty = b"(role r) (legal r wait) (<= terminal (true never)) (goal r 0)";
    assert_eq!(counts(&found(empty, By::Both, 0)), [0; 4]);
}

/// One row of cells, and a move that gives up: whoever has no cell left has to.
const PUT_OFF: &str = "(role r) (cell 1) (cell 2) (cell 3) (after 0 1) (after 1 2) (init (step 0))
(<= (legal r (place ?x)) (cell ?x) (not (true (placed ?x))))
(legal r quit)
(<= (next (placed ?x)) (does r (place ?x)))
(<= (next (placed ?x)) (true (placed ?x)))
(<= (next over) (does r quit))
(<= (next (step ?y)) (true (step ?x)) (after ?x ?y))
(<= terminal (true over)) (<= terminal (true (step 2)))
(<= (goal r 0) (true over)) (<= (goal r 100) (not (true over)))";

#[test]
fn cells_that_put_off_a_lost_end_are_useful() {
    let found = found(PUT_OFF.as_bytes(), By::Both, 0);
    let useful = |name: &str| {
        let mut parts = found.subgames.iter();
        parts.any(|part| part.useful && part.fluents.iter().any(|fluent| fluent.contains(name)))
    };
    assert!(useful("over") && useful("placed"));
}

#[test]
fn cells_are_useless_where_the_other_move_wins() {
    let wins = PUT_OFF.replace("(goal r 0) (true over)", "(goal r 100) (true over)");
    let wins = wins.replace("(goal r 100) (not (true over))", "(goal r 0) (not (true over))");
    let found = found(wins.as_bytes(), By::Both, 0);
    let mut useless = found.subgames.iter().filter(|part| !part.useful);
    assert!(useless.any(|part| part.fluents.iter().any(|fluent| fluent.contains("placed"))));
}

/// A dial that goes from each position to each other one.
fn dials(positions: usize) -> String {
    let positions: String = (0..positions).map(|number| format!("(at {number})")).collect();
    format!(
        "(role r) {positions} (init (dial 0))
        (<= (legal r (turn ?x ?y)) (true (dial ?x)) (at ?y))
        (<= (next (dial ?y)) (does r (turn ?x ?y)))
        (<= terminal (true (dial 1))) (goal r 100)"
    )
}

#[test]
fn a_hundred_thousand_moves_are_looked_at() {
    let found = found(dials(320).as_bytes(), By::Both, 0);
    assert_eq!(counts(&found), [1, 0, 0, 0]);
}

#[test]
fn a_limit_has_a_name() {
    let source = dials(40);
    let (description, _) = ruche_gdl::load(source.as_bytes()).expect("a sound description");
    let limits = WorkLimits { rows: 100, ..WorkLimits::default() };
    let settings = Settings { options: Options { limits }, ..Settings::default() };
    let error = decompose(&description, &settings).expect_err("far more atoms");
    assert!(error.to_string().contains("limit of 100"), "{error}");
}
