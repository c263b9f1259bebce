//! Games of all kinds: turns, simultaneous moves, one player, ways that meet,
//! ways that go round, positions that lead nowhere.

mod support;

use std::collections::HashSet;

use ruche_game::Game;
use ruche_offload::{Direct, DirectSettings};
use ruche_search::{Proofs, SearchReport, Searcher};
use support::{
    bundled, direct, few_playouts, go_on, joint_moves, of_rules, playouts, report, report_with,
    search,
};

/// Every joint move of every line is legal where it is played.
fn assert_lines_are_legal(game: &Game, report: &SearchReport) {
    for line in report.roles.iter().flat_map(|role| &role.moves).map(|one| &one.line) {
        let mut state = game.initial();
        for joint in line {
            state = state.play(joint).expect("it is legal");
        }
    }
}

/// The moves of the report are the legal ones, and the sums belong together.
fn assert_is_sound(game: &Game, report: &SearchReport) {
    let start = game.initial();
    assert_eq!(report.roles.len(), game.roles());
    for (number, role) in report.roles.iter().enumerate() {
        let mut numbers: Vec<_> = role.moves.iter().map(|one| one.number).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, start.legal(number));
        let visits = role.moves.iter().map(|one| one.visits).sum::<u64>();
        // Where roles choose at the same time some begin below the root.
        assert!(visits <= report.playouts && visits * 10 >= report.playouts * 9, "{visits}");
        assert!(role.moves[1..].windows(2).all(|pair| pair[0].visits >= pair[1].visits));
        for one in role.moves.iter().filter(|one| one.visits > 0) {
            assert!((one.mean - one.sum as f64 / one.visits as f64).abs() < 1e-9);
            assert!((0.0..=100.0).contains(&one.mean));
        }
    }
    let best: Vec<u32> = report.roles.iter().map(|role| role.moves[0].number).collect();
    assert_eq!(report.best.as_ref(), Some(&best));
    assert_lines_are_legal(game, report);
}

#[test]
fn all_bundled_games_can_be_searched() {
    for game in ruche_games::all() {
        let (name, game) = (game.name, bundled(game.name));
        let found = report(&game, few_playouts(1500), 1);
        assert!(found.playouts == 1500 || found.is_complete, "{name}");
        let visits = found.leaves + found.terminal_visits;
        assert_eq!(visits, found.playouts.div_ceil(4), "{name}");
        assert_is_sound(&game, &found);
    }
}

#[test]
fn roles_that_move_at_the_same_time_choose_for_themselves() {
    for name in ["blocker", "doubletictactoe"] {
        let game = bundled(name);
        let found = report(&game, few_playouts(6000), 2);
        assert!(found.roles.iter().any(|role| role.moves.len() > 1), "{name}");
        assert_is_sound(&game, &found);
    }
}

const MATCHING: &str = "
    (role a) (role b)
    (side heads) (side tails)
    (init start)
    (<= (legal ?r ?s) (role ?r) (side ?s) (true start))
    (<= (legal ?r heads) (role ?r) (not (true start)))
    (<= (next (shown ?x ?y)) (does a ?x) (does b ?y))
    (<= over (true (shown ?x ?y)))
    (<= terminal over)
    (<= matched (true (shown ?x ?x)))
    (<= (goal a 100) matched)
    (<= (goal a 0) over (not matched))
    (<= (goal b 0) matched)
    (<= (goal b 100) over (not matched))
";

#[test]
fn nobody_wins_at_matching_pennies() {
    let game = of_rules(MATCHING);
    let found = report(&game, few_playouts(40_000), 0);
    assert_eq!((found.nodes, found.playouts), (3, 0), "the root and two kinds of ends");
    assert!(found.is_complete);
    for role in &found.roles {
        assert_eq!(role.proven, Some(50.0));
        assert!(role.moves.iter().all(|one| one.share == Some(0.5)), "{:?}", role.moves);
    }
    let mixed = found.mixed.expect("both choose");
    assert_eq!((mixed.values, mixed.exploitability), (vec![50.0, 50.0], 0.0));
}

const THREE_ROUNDS: &str = "
    (role a) (role b) (side heads) (side tails)
    (succ 0 1) (succ 1 2) (succ 2 3)
    (init (round 0)) (init (won 0))
    (<= (legal ?r ?s) (role ?r) (side ?s))
    (<= (next (round ?n)) (true (round ?m)) (succ ?m ?n))
    (<= matched (does a ?s) (does b ?s))
    (<= (next (won ?n)) (true (won ?m)) matched (succ ?m ?n))
    (<= (next (won ?m)) (true (won ?m)) (not matched))
    (<= terminal (true (round 3)))
    (share 0 0 100) (share 1 33 67) (share 2 67 33) (share 3 100 0)
    (<= (goal a ?g) (true (won ?n)) (share ?n ?g ?h))
    (<= (goal b ?h) (true (won ?n)) (share ?n ?g ?h))
";

#[test]
fn nobody_wins_at_three_rounds_of_it_however_many_playouts_a_leaf_has() {
    let game = of_rules(THREE_ROUNDS);
    for each in [1, 4, 16, 64] {
        let asked = playouts(100_000).with(|options| options.playouts_per_position = each);
        let found = report(&game, asked, 0);
        for role in &found.roles {
            assert_eq!(role.proven, Some(50.0));
            let is_even = |share: f64| (share - 0.5).abs() < 0.01;
            assert!(role.moves.iter().all(|one| one.share.is_some_and(is_even)), "{each}");
        }
    }
}

#[test]
fn single_players_find_what_is_best() {
    for name in ["eightpuzzle", "sudoku", "nonogram"] {
        let game = bundled(name);
        let found = report(&game, few_playouts(3000), 4);
        assert_eq!(found.roles.len(), 1);
        assert_is_sound(&game, &found);
    }
}

/// All positions that can be reached.
fn reachable(game: &Game) -> HashSet<Vec<u32>> {
    let start = game.initial();
    let mut known = HashSet::from([start.position().to_vec()]);
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        if !state.is_terminal() {
            for joint in joint_moves(&state) {
                let next = state.play(&joint).expect("it is legal");
                if known.insert(next.position().to_vec()) {
                    open.push(next);
                }
            }
        }
    }
    known
}

#[test]
fn positions_that_several_ways_lead_to_are_one_node() {
    let game = bundled("tictactoe");
    assert_eq!(reachable(&game).len(), 5478);
    let ends = 958;
    let options = few_playouts(2_000_000)
        .with(|options| (options.exploration, options.proofs) = (100.0, Proofs::Off));
    let found = report(&game, options, 0);
    // All ends with the same goals are one node.
    let nodes = 5478 - ends + 3;
    assert!((nodes - 60..=nodes).contains(&found.nodes), "{} of {nodes}", found.nodes);
}

const MANY_NAMES: &str = "
    (role walker) (name a) (name b) (name c) (name d)
    (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
    (<= (legal walker (step ?n)) (name ?n))
    (legal walker jump)
    (<= (next (at ?y)) (does walker (step ?n)) (true (at ?x)) (succ ?x ?y))
    (<= (next (at ?y)) (does walker jump) (true (at ?x)) (succ ?x ?y))
    (<= (next high) (does walker jump))
    (<= (next high) (true high))
    (<= terminal (true (at 6)))
    (<= (goal walker 50) (not (true high)))
    (<= (goal walker 40) (true high))
";

#[test]
fn moves_with_the_same_successor_are_one_choice() {
    let game = of_rules(MANY_NAMES);
    let step = |name: &str| game.names().find_move(0, &format!("(step {name})")).expect("a move");
    let steps = ["a", "b", "c", "d"].map(step);
    for proofs in [Proofs::On, Proofs::Off] {
        let asked = few_playouts(400).with(|options| options.proofs = proofs);
        let found = report(&game, asked, 0);
        let is_step = |number: u32| steps.contains(&(number as usize));
        let mut visits: Vec<u64> = found.roles[0]
            .moves
            .iter()
            .filter(|one| is_step(one.number))
            .map(|one| one.visits)
            .collect();
        visits.sort_unstable();
        assert!(visits[2] <= 4 && visits[2] <= visits[3], "{proofs}: {visits:?}");
    }
}

const ROOMS: &str = "
    (role walker)
    (init (in hall))
    (door hall kitchen) (door kitchen garden) (door garden hall) (door kitchen hall)
    (<= (legal walker (go ?to)) (true (in ?from)) (door ?from ?to))
    (<= (legal walker leave) (true (in garden)))
    (<= (next (in ?to)) (does walker (go ?to)))
    (<= (next out) (does walker leave))
    (<= terminal (true out))
    (<= (goal walker 100) (true out))
    (<= (goal walker 0) (not (true out)))
";

#[test]
fn ways_that_go_round_end() {
    let game = of_rules(ROOMS);
    let found = report(&game, few_playouts(20_000), 0);
    assert!(found.is_complete && found.nodes <= 4);
    assert_eq!(found.roles[0].proven, Some(100.0));
    let found = report(&game, few_playouts(20_000).with(|options| options.proofs = Proofs::Off), 0);
    assert_eq!((found.nodes, found.playouts), (4, 20_000));
    assert!(found.roles[0].moves[0].mean > 99.0);
}

const ENDLESS: &str = "
    (role walker)
    (init (in hall))
    (door hall kitchen) (door kitchen hall) (door hall hall)
    (<= (legal walker (go ?to)) (true (in ?from)) (door ?from ?to))
    (<= (next (in ?to)) (does walker (go ?to)))
    (<= terminal (true (in nowhere)))
    (<= (next (in nowhere)) (true (in nowhere)))
    (<= (goal walker 100) (true (in hall)))
";

#[test]
fn games_without_an_end_are_searched_to_the_end_of_the_budget() {
    let game = of_rules(ENDLESS);
    let settings = DirectSettings { ply_limit: 30, ..DirectSettings::default() };
    let mut offload = Direct::new(&game, settings).expect("an engine");
    let found = report_with(&game, few_playouts(5000), &mut offload);
    assert_eq!((found.playouts, found.tally.endless), (5000, 5000));
    assert!(found.roles[0].moves.iter().all(|one| one.mean == 0.0));
}

const TRAPS: &str = "
    (role hunter)
    (init start)
    (<= (legal hunter ?m) (true start) (way ?m))
    (way stuck) (way unscored) (way ambiguous) (way sound)
    (<= (next (on ?m)) (does hunter ?m))
    (<= terminal (true (on unscored)))
    (<= terminal (true (on ambiguous)))
    (<= terminal (true (on sound)))
    (<= (goal hunter 50) (true (on sound)))
    (<= (goal hunter 30) (true (on ambiguous)))
    (<= (goal hunter 70) (true (on ambiguous)))
";

#[test]
fn ends_without_a_score_are_worth_nothing_and_hurt_nobody() {
    let game = of_rules(TRAPS);
    let found = report(&game, few_playouts(4000), 0);
    assert!(found.is_complete);
    assert_eq!((found.roles[0].moves.len(), found.roles[0].proven), (4, Some(50.0)));
    assert_eq!(found.roles[0].moves[0].proven, Some(50.0));
    assert!(found.roles[0].moves[1..].iter().all(|one| one.proven.is_none()));
    let all_moves =
        few_playouts(4000).with(|options| (options.prior, options.proofs) = (0.0, Proofs::Off));
    let found = report(&game, all_moves, 0);
    assert_eq!((found.playouts, found.leaves, found.terminal_visits), (4000, 0, 1000));
    assert_eq!(found.roles[0].moves[0].mean, 50.0);
    assert!(found.roles[0].moves[1..].iter().all(|one| one.mean == 0.0 && one.visits > 0));
}

#[test]
fn a_game_that_is_over_has_nothing_to_search() {
    let game = of_rules(TRAPS);
    let start = game.initial();
    for joint in joint_moves(&start) {
        let mut search = search(&game, playouts(100));
        search.set_position(&start.play(&joint).expect("it is legal")).expect("a position");
        let found = go_on(&mut search, playouts(100), &mut direct(&game, 0));
        let found = found.expect("nothing to fail");
        assert_eq!((found.playouts, found.best, found.nodes), (0, None, 1));
        assert!(found.roles[0].moves.is_empty());
    }
}
