//! Games of all kinds: turns, simultaneous moves, one player, ways that meet,
//! ways that go round, positions that lead nowhere.

mod support;

use std::collections::HashSet;

use ruche_search::{Direct, DirectSettings, Search, SearchOptions, SearchReport};
use ruche_shared::Image;
use support::{Game, Rules, direct, few_playouts, joint_moves, report, report_with};

/// Every joint move of every line is legal where it is played.
fn assert_lines_are_legal(image: &Image<'_>, report: &SearchReport) {
    let rules = Rules::new(image);
    for line in report.roles.iter().flat_map(|role| &role.moves).map(|one| &one.line) {
        let mut position = image.initial().to_vec();
        for joint in line {
            let view = rules.view(&position);
            assert!(joint.iter().zip(&view.legal).all(|(number, legal)| legal.contains(number)));
            position = rules.step(&position, joint);
        }
    }
}

/// The moves of the report are the legal ones, and the sums belong together.
fn assert_is_sound(image: &Image<'_>, report: &SearchReport) {
    let view = Rules::new(image).view(image.initial());
    assert_eq!(report.roles.len(), image.roles());
    for (role, legal) in report.roles.iter().zip(&view.legal) {
        let mut numbers: Vec<_> = role.moves.iter().map(|one| one.number).collect();
        numbers.sort_unstable();
        assert_eq!(&numbers, legal);
        assert_eq!(role.moves.iter().map(|one| one.visits).sum::<u64>(), report.playouts);
        assert!(role.moves.windows(2).all(|pair| pair[0].visits >= pair[1].visits));
        for one in role.moves.iter().filter(|one| one.visits > 0) {
            assert!((one.mean - one.sum as f64 / one.visits as f64).abs() < 1e-9);
            assert!((0.0..=100.0).contains(&one.mean));
        }
    }
    let best: Vec<u32> = report.roles.iter().map(|role| role.moves[0].number).collect();
    assert_eq!(report.best.as_ref(), Some(&best));
    assert_lines_are_legal(image, report);
}

#[test]
fn all_bundled_games_can_be_searched() {
    for game in ruche_games::all() {
        let compiled = Game::bundled(game.name);
        let image = compiled.image();
        let found = report(&image, few_playouts(1500), 1);
        assert_eq!(found.playouts, 1500, "{}", game.name);
        assert_eq!(found.leaves + found.terminal_visits, 1500_u64.div_ceil(4), "{}", game.name);
        assert_is_sound(&image, &found);
    }
}

#[test]
fn roles_that_move_at_the_same_time_choose_for_themselves() {
    for name in ["blocker", "doubletictactoe"] {
        let game = Game::bundled(name);
        let image = game.image();
        let found = report(&image, few_playouts(6000), 2);
        assert!(found.roles.iter().any(|role| role.moves.len() > 1), "{name}");
        assert_is_sound(&image, &found);
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
    let game = Game::of_rules(MATCHING);
    let found = report(&game.image(), few_playouts(40_000), 0);
    assert_eq!(found.nodes, 5, "the root and what four joint moves lead to");
    for role in &found.roles {
        assert!((40.0..60.0).contains(&role.moves[0].mean), "{:?}", role.moves);
        assert!(role.moves[0].visits < 26_000, "{:?}", role.moves);
    }
}

#[test]
fn single_players_find_what_is_best() {
    for name in ["eightpuzzle", "sudoku", "nonogram"] {
        let game = Game::bundled(name);
        let image = game.image();
        let found = report(&image, few_playouts(3000), 4);
        assert_eq!(found.roles.len(), 1);
        assert_is_sound(&image, &found);
    }
}

/// All positions that can be reached.
fn reachable(image: &Image<'_>) -> HashSet<Vec<u32>> {
    let rules = Rules::new(image);
    let mut known = HashSet::from([image.initial().to_vec()]);
    let mut open = vec![image.initial().to_vec()];
    while let Some(position) = open.pop() {
        let view = rules.view(&position);
        if view.goals.is_none() {
            for joint in joint_moves(&view) {
                let next = rules.step(&position, &joint);
                if known.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    known
}

#[test]
fn positions_that_several_ways_lead_to_are_one_node() {
    let game = Game::bundled("tictactoe");
    let image = game.image();
    assert_eq!(reachable(&image).len(), 5478);
    let options = SearchOptions { exploration: 100.0, ..few_playouts(2_000_000) };
    let found = report(&image, options, 0);
    assert!((5400..=5478).contains(&found.nodes), "{} of 5478 positions", found.nodes);
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
    let game = Game::of_rules(ROOMS);
    let image = game.image();
    let found = report(&image, few_playouts(20_000), 0);
    assert_eq!(found.nodes, 4);
    assert_eq!(found.playouts, 20_000);
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
    let game = Game::of_rules(ENDLESS);
    let image = game.image();
    let settings = DirectSettings { ply_limit: 30, ..DirectSettings::default() };
    let mut offload = Direct::new(&image, settings).expect("an engine");
    let found = report_with(&image, few_playouts(5000), &mut offload);
    assert_eq!((found.playouts, found.outcome.endless), (5000, 5000));
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
    let game = Game::of_rules(TRAPS);
    let image = game.image();
    let found = report(&image, few_playouts(4000), 0);
    assert_eq!((found.playouts, found.leaves, found.terminal_visits), (4000, 0, 1000));
    assert_eq!(found.roles[0].moves.len(), 4);
    assert_eq!(found.roles[0].moves[0].mean, 50.0);
    assert!(found.roles[0].moves[1..].iter().all(|one| one.mean == 0.0 && one.visits > 0));
}

#[test]
fn a_game_that_is_over_has_nothing_to_search() {
    let game = Game::of_rules(TRAPS);
    let image = game.image();
    let rules = Rules::new(&image);
    for joint in joint_moves(&rules.view(image.initial())) {
        let position = rules.step(image.initial(), &joint);
        let mut search = Search::new(&image, &position, Default::default()).expect("a position");
        let found = search.run(&mut direct(&image, 0), |_| {}).expect("nothing to fail");
        assert_eq!((found.playouts, found.best, found.nodes), (0, None, 1));
        assert!(found.roles[0].moves.is_empty());
    }
}
