//! What is too large is refused by name, with what would do.

mod support;

use ruche_shared::image::{MAX_SLOTS, Parts, encode, encoded_length};
use support::{assert_refused, code, file, json, ruche, stderr};

#[test]
fn a_short_image_that_asks_for_gigabytes_is_refused() {
    let parts = Parts {
        wide: true,
        fluents: 0,
        slots: MAX_SLOTS,
        terminal_slot: 0,
        move_starts: &[0, 0],
        goals: &[],
        initial: &[],
        code: [&[], &[], &[]],
    };
    let mut image = vec![0; encoded_length(&parts)];
    encode(&parts, &mut image).unwrap();
    assert_eq!(image.len(), 64);
    let greedy = file("greedy.ruche", image);
    let words = ["byte 32: 2097152 slots", "at most as many as words of code, which are 0"];
    assert_refused(&["bench", &greedy, "--seconds", "0.01"], &words);
    assert_refused(&["search", &greedy, "--seconds", "0.01"], &words);
}

/// A game that needs more than 2 MB even with one core and one lane: many fluents, each of
/// which changes.
fn large() -> String {
    let numbers: String = (0..340).map(|number| format!("(n {number})")).collect();
    let rules = format!(
        "(role r) (init (step 0)) (legal r a) (legal r b) {numbers}
        (<= (next (p ?x ?y)) (n ?x) (n ?y) (does r a) (not (true (p ?y ?x))))
        (<= (next (step 1)) (true (step 0))) (<= (next (step 2)) (true (step 1)))
        (<= terminal (true (step 2)))
        (<= (goal r 100) (true (p 1 2))) (<= (goal r 0) (not (true (p 1 2))))"
    );
    file("large.kif", rules)
}

#[test]
fn a_game_over_2_mb_is_searched_with_a_larger_budget() {
    let large = large();
    let search = |more: &[&str]| {
        let usual = ["search", &large, "--playouts", "500", "--seed", "3", "--json"];
        ruche(&[&usual, more].concat())
    };
    let small = search(&["--threads", "1"]);
    assert_eq!(code(&small), 2, "{}", stderr(&small));
    let why = stderr(&small);
    assert!(why.contains("--transport direct plays without clusters"), "{why}");
    let (_, advice) = why.split_once("--budget ").expect("it says what would do");
    let (least, _) = advice.split_once(' ').expect("it says how much");
    let expected = search(&["--transport", "direct"]);
    assert!(json(&expected)["signature"].is_string(), "{}", stderr(&expected));
    for (budget, mode) in [(least, "per-core"), ("64M", "per-core"), ("64M", "split")] {
        let found = search(&["--threads", "1", "--budget", budget, "--mode", mode]);
        assert_eq!(code(&found), 0, "{budget}: {}", stderr(&found));
        assert_eq!(json(&found)["signature"], json(&expected)["signature"], "{budget}");
    }
}

#[test]
fn a_corpus_game_over_2_mb_gives_the_signature_that_it_has_without_clusters() {
    let Some(source) = ruche_corpus::game("pancakes88_v0") else { return };
    let game = file("pancakes88.kif", source);
    let signature = |more: &[&str]| {
        let usual = ["search", &game, "--playouts", "64", "--batch", "4", "--json"];
        let found = ruche(&[&usual, more].concat());
        assert_eq!(code(&found), 0, "{more:?}: {}", stderr(&found));
        json(&found)["signature"].as_str().expect("a search that ends has one").to_owned()
    };
    let expected = signature(&["--transport", "direct"]);
    assert_eq!(signature(&["--clusters", "2", "--threads", "2", "--budget", "16M"]), expected);
}

#[test]
fn a_budget_is_refused_where_clusters_have_a_fixed_memory() {
    let search = ["search", "nim", "--playouts", "100", "--budget"];
    let with = |more: &[&'static str]| [&search, more].concat();
    for transport in ["board", "model"] {
        let words = [&format!("--transport {transport} have 2 MB") as &str];
        assert_refused(&with(&["8M", "--transport", transport]), &words);
    }
    assert_refused(&with(&["8M", "--transport", "direct"]), &["--transport direct has none"]);
    assert_refused(&with(&["100K"]), &["a cluster has 512K to 1024M"]);
    assert_refused(&with(&["many"]), &["give a number of bytes, such as 2097152, 2048K or 2M"]);
}
