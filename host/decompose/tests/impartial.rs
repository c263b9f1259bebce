//! Which games are proved to be sums of impartial games, and whether what is said of them is
//! true: compared with heaps that the tests count themselves, and with every position tried.

use ruche_decompose::{By, Convention, ImpartialSum, Settings, Standing, decompose};
use std::collections::{HashMap, HashSet};

fn sum(source: &str) -> Option<ImpartialSum> {
    let (description, _) = ruche_gdl::load(source.as_bytes()).expect("a sound description");
    let settings = Settings { by: By::Rules, ..Settings::default() };
    let found = decompose(&description, &settings).expect("within the limits");
    ImpartialSum::prove(&description, &found, &settings).expect("it compiles")
}

fn standing(sum: &ImpartialSum, fluents: &[String]) -> Option<Standing> {
    let holds: HashSet<&str> = fluents.iter().map(String::as_str).collect();
    sum.standing(|fluent| holds.contains(fluent))
}

/// Rules of Nim: who is to move first gets `last_wins` points or the rest of 100 by moving
/// last. `heaps` have names and sizes; `more` is put in front.
fn nim(heaps: &[(&str, usize)], last_wins: u16, more: &str) -> String {
    let most = heaps.iter().map(|heap| heap.1).max().unwrap_or(0);
    let mut rules = format!(
        "{more} (role left) (role right) (init (control left))
        (other left right) (other right left)
        (<= (legal ?p wait) (other ?p ?q) (true (control ?q)))
        (<= (legal ?p (take ?h ?n)) (true (control ?p)) (true (heap ?h ?m)) (less ?n ?m))
        (<= (next (heap ?h ?n)) (does ?p (take ?h ?n)))
        (<= (next (heap ?h ?n)) (true (heap ?h ?n)) (not (taken ?h)))
        (<= (taken ?h) (does ?p (take ?h ?n)))
        (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
        (<= (less ?n ?m) (succ ?n ?m))
        (<= (less ?n ?m) (succ ?k ?m) (less ?n ?k))
        (<= (goal ?p {last_wins}) (other ?p ?q) (true (control ?q)))
        (<= (goal ?p {}) (true (control ?p)) )\n",
        100 - last_wins
    );
    for number in 0..most {
        rules += &format!("(succ {number} {}) ", number + 1);
    }
    for (name, size) in heaps {
        rules += &format!("(init (heap {name} {size}))\n");
    }
    let empty: Vec<String> =
        heaps.iter().map(|(name, _)| format!("(true (heap {name} 0))")).collect();
    rules + &format!("(<= terminal {})\n", empty.join(" "))
}

fn nim_state(heaps: &[(&str, usize)], mover: &str) -> Vec<String> {
    let heap = |(name, size): &(&str, usize)| format!("(heap {name} {size})");
    heaps.iter().map(heap).chain([format!("(control {mover})")]).collect()
}

/// Whether who is to move gets what the winner gets, by trying everything.
fn wins(heaps: &[usize], last_wins: bool, known: &mut HashMap<Vec<usize>, bool>) -> bool {
    if let Some(&wins) = known.get(heaps) {
        return wins;
    }
    let mut result = heaps.iter().all(|&heap| heap == 0) && !last_wins;
    for (place, &heap) in heaps.iter().enumerate() {
        for less in 0..heap {
            let mut next = heaps.to_vec();
            next[place] = less;
            result |= !wins(&next, last_wins, known);
        }
    }
    known.insert(heaps.to_vec(), result);
    result
}

/// Every position of some heaps.
fn positions(heaps: &[(&'static str, usize)]) -> Vec<Vec<(&'static str, usize)>> {
    let with = |all: Vec<Vec<(&'static str, usize)>>, &(name, size): &(&'static str, usize)| {
        let more =
            |before: Vec<_>| (0..=size).map(move |own| [&before[..], &[(name, own)]].concat());
        all.into_iter().flat_map(more).collect()
    };
    heaps.iter().fold(vec![Vec::new()], with)
}

#[test]
fn every_position_of_nim_is_settled_whoever_wants_to_move_last() {
    let heaps = [("a", 3), ("b", 2), ("c", 4)];
    for (last_wins, convention) in [(100, Convention::Normal), (20, Convention::Misere)] {
        let sum = sum(&nim(&heaps, last_wins, "")).expect("a sum");
        assert_eq!((sum.convention(), sum.parts()), (convention, 3));
        let mut known = HashMap::new();
        for position in positions(&heaps) {
            for (mover, name) in ["left", "right"].into_iter().enumerate() {
                let found = standing(&sum, &nim_state(&position, name)).expect("a position");
                let sizes: Vec<usize> = position.iter().map(|heap| heap.1).collect();
                let mover_wins = wins(&sizes, last_wins == 100, &mut known);
                assert_eq!(found.mover, mover);
                let best = found.goals[mover] > found.goals[1 - mover];
                assert_eq!(best, mover_wins, "{position:?} {convention:?}");
            }
        }
    }
}

#[test]
fn names_and_the_order_of_rules_mean_nothing() {
    let rules = nim(&[("a", 5), ("b", 3), ("c", 6)], 100, "");
    let renamed = rules.replace("heap", "q1").replace("control", "q2").replace("take", "zz");
    let mut sentences: Vec<String> = Vec::new();
    let mut depth = 0;
    for character in renamed.chars() {
        if depth == 0 && character == '(' {
            sentences.push(String::new());
        }
        depth += i32::from(character == '(') - i32::from(character == ')');
        if let Some(last) = sentences.last_mut() {
            last.push(character);
        }
    }
    sentences.reverse();
    let roles = "(role left) (role right)";
    let others = sentences.iter().filter(|sentence| !sentence.starts_with("(role"));
    let reordered = others.fold(roles.to_owned(), |all, sentence| all + "\n" + sentence);
    let state = ["(q1 a 5)", "(q1 b 3)", "(q1 c 6)", "(q2 left)"].map(str::to_owned);
    let [one, other] = [renamed, reordered]
        .map(|rules| standing(&sum(&rules).expect("a sum"), &state).expect("the initial state"));
    assert_eq!(one, other);
    assert_eq!((one.numbers.iter().sum::<u32>(), one.goals), (14, [0, 100]));
}

#[test]
fn numbers_are_those_of_the_moves_and_not_of_the_sizes() {
    // One, two or three may be taken, so that a heap counts modulo four.
    let rules = nim(&[("a", 7), ("b", 5)], 100, "").replace("(less ?n ?m))", "(near ?n ?m)) ")
        + "(<= (near ?n ?m) (succ ?n ?m))
         (<= (near ?n ?m) (succ ?n ?k) (succ ?k ?m))
         (<= (near ?n ?m) (succ ?n ?k) (succ ?k ?l) (succ ?l ?m))
         (<= (less ?n ?m) (succ ?n ?m))";
    let rules = rules.replacen("(<= (less ?n ?m) (succ ?k ?m) (near ?n ?k))", "", 1);
    let sum = sum(&rules).expect("a sum");
    let state = nim_state(&[("a", 7), ("b", 5)], "right");
    let found = standing(&sum, &state).expect("a position");
    let mut numbers = found.numbers.clone();
    numbers.sort_unstable();
    assert_eq!((numbers, found.goals), (vec![1, 3], [0, 100]));
}

#[test]
fn what_breaks_a_premise_is_no_sum() {
    let heaps = [("a", 3), ("b", 2)];
    let plain = nim(&heaps, 100, "");
    assert!(sum(&plain).is_some());
    let broken = [
        // Who may not take from a heap any more.
        (
            "(true (heap ?h ?m)) (less ?n ?m))",
            "(true (heap ?h ?m)) (less ?n ?m) (may ?p ?h))
          (may left a) (may left b) (may right a)",
        ),
        // A heap that may only be touched while another one is there.
        (
            "(true (heap ?h ?m)) (less ?n ?m))",
            "(true (heap ?h ?m)) (less ?n ?m) (free ?h))
          (<= (free a) (true (heap a ?x))) (<= (free b) (not (true (heap a 0))))",
        ),
        // The game is over when the first heap is gone.
        ("(<= terminal (true (heap a 0)) (true (heap b 0)))", "(<= terminal (true (heap a 0)))"),
        // It also ends after some moves.
        (
            "(<= terminal",
            "(init (step 0)) (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
          (<= terminal (true (step 3))) (<= terminal",
        ),
        // A move that passes.
        ("(<= (legal ?p wait)", "(<= (legal ?p pass) (true (control ?p))) (<= (legal ?p wait)"),
        // Whoever takes from the first heap moves again.
        (
            "(true (control ?p)) (other ?p ?q))",
            "(true (control ?p)) (other ?p ?q) (not (taken a)))
          (<= (next (control ?p)) (true (control ?p)) (taken a))",
        ),
        // Taking from one heap adds to the other.
        (
            "(<= (next (heap ?h ?n)) (does ?p (take ?h ?n)))",
            "(<= (next (heap ?h ?n)) (does ?p (take ?h ?n)))
          (<= (next (heap a 3)) (does ?p (take b 0)))",
        ),
        // Who has won depends on who has taken the last of the first heap.
        (
            "(true (control ?p)) )",
            "(true (control ?p)) (not (true lucky)))
          (<= (goal ?p 50) (true (control ?p)) (true lucky))
          (<= (next lucky) (true lucky)) (<= (next lucky) (does left (take a 0)))",
        ),
        // Both have the same goal.
        ("(<= (goal ?p 0) (true (control ?p)) )", "(<= (goal ?p 100) (true (control ?p)))"),
        // Two goals at once.
        ("(<= (goal ?p 0)", "(<= (goal ?p 7) (true (control ?p))) (<= (goal ?p 0)"),
        // A heap that can grow again.
        (
            "(less ?n ?m))",
            "(less ?n ?m)) (<= (legal ?p (take a 3)) (true (control ?p))
          (true (heap a 1)))",
        ),
    ];
    for (from, to) in broken {
        let rules = plain.replacen(from, to, 1);
        assert_ne!(rules, plain, "{from}");
        assert!(sum(&rules).is_none(), "{to}");
    }
}

#[test]
fn a_wild_heap_is_no_sum_of_heaps_if_nobody_wants_to_move_last() {
    // From 4 one must go to 2 or 3, so that 4 has number 0 without being over.
    let wild = |last_wins| {
        let rules = nim(&[("a", 4), ("b", 2)], last_wins, "");
        rules.replace(
            "(less ?n ?m))",
            "(to ?n ?m)) (to 2 4) (to 3 4) (to 0 1) (to 0 2) (to 1 2) (to 0 3) (to 1 3) (to 2 3)",
        )
    };
    assert!(sum(&wild(100)).is_some());
    assert!(sum(&wild(0)).is_none());
}

#[test]
fn games_of_others_are_proved_or_left_alone() {
    let bundled = ruche_games::find("nim").expect("bundled");
    assert!(sum(bundled.source).is_some());
    for id in ["tictactoe", "breakthrough", "domineering", "doubletictactoe", "blocker"] {
        assert!(sum(ruche_games::find(id).expect("bundled").source).is_none(), "{id}");
    }
    let (normal, misere) = (Convention::Normal, Convention::Misere);
    for (id, convention) in [("nim1_v0", normal), ("nim3_v0", normal), ("nim4_v0", misere)] {
        let Some(source) = ruche_corpus::game(id) else { return };
        let source = String::from_utf8(source).expect("text");
        let found = sum(&source).expect(id);
        assert_eq!((found.convention(), found.parts()), (convention, 4), "{id}");
    }
}
