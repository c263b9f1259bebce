//! Every bundled game against known facts, against a version by hand, and
//! against the interpreter.

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_pcg::Pcg64Mcg;
use ruche_eval::OneLane;
use ruche_game::Game;
use ruche_tests::interpreter::{Interpreter, Value};
use ruche_tests::movegen::{self, Rules};
use ruche_tests::perft::{complete_games, perft, reachable_positions};
use ruche_tests::player::{Player, bundled, check_promises};

/// No bundled game is longer.
const LONGEST: usize = 200;

fn interpreter(name: &str) -> Interpreter {
    let source = ruche_games::find(name).expect("a bundled game").source;
    let (description, warnings) = ruche_gdl::load(source.as_bytes()).expect("a good description");
    assert_eq!(warnings, [], "{name} loads without a warning");
    Interpreter::new(&description).expect("a safe description")
}

/// Plays at random and checks what every sound game promises.
fn check_soundness(name: &str, game: &Interpreter, random: &mut Pcg64Mcg) {
    let mut state = game.initial();
    for _ in 0..LONGEST {
        let mut position = game.position(&state);
        if position.terminal() {
            for role in game.roles() {
                assert_eq!(position.goals(*role).len(), 1, "{name}: {:?}", game.texts(state));
            }
            return;
        }
        let legal: Vec<Vec<Value>> =
            game.roles().iter().map(|role| position.legal(*role)).collect();
        assert!(legal.iter().all(|moves| !moves.is_empty()), "{name}: {:?}", game.texts(state));
        let joint: Vec<Value> = legal.iter().map(|moves| *moves.choose(random).unwrap()).collect();
        state = position.next(&joint);
    }
    panic!("{name} has no end");
}

#[test]
fn every_game_is_playable_ends_and_has_one_goal_for_each_role() {
    for game in ruche_games::all() {
        let interpreter = interpreter(game.name);
        let mut random = Pcg64Mcg::seed_from_u64(1);
        (0..5).for_each(|_| check_soundness(game.name, &interpreter, &mut random));
    }
}

/// Plays the compiled game and the interpreter together: they must agree on
/// every state of it.
fn compare_with_interpreter(name: &str, game: &Game, rules: &Interpreter, seed: u64) {
    let mut slots = Vec::new();
    let mut player = Player::<OneLane>::new(game, &mut slots);
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut state = rules.initial();
    loop {
        player.look();
        let mut position = rules.position(&state);
        assert_eq!(player.state(0), rules.texts(state.iter().copied()), "{name}");
        assert_eq!(player.terminal(0), position.terminal(), "{name}");
        let mut moves = Vec::new();
        for (number, role) in rules.roles().iter().enumerate() {
            let goals: Vec<String> = player.goals(0, number).iter().map(u16::to_string).collect();
            assert_eq!(goals, rules.texts(position.goals(*role)), "{name}");
            let legal = rules.texts(position.legal(*role));
            assert_eq!(player.legal(0, number), legal, "{name}");
            moves.push(legal);
        }
        if position.terminal() {
            return;
        }
        let joint: Vec<String> =
            moves.iter().map(|legal| legal.choose(&mut random).unwrap().clone()).collect();
        player.choose(0, &joint);
        player.step();
        let joint: Option<Vec<Value>> = joint.iter().map(|text| rules.read(text)).collect();
        state = position.next(&joint.expect("legal moves are terms"));
    }
}

#[test]
fn every_game_compiles_to_what_the_interpreter_says() {
    for game in ruche_games::all() {
        let compiled = bundled(game.name);
        assert_eq!(check_promises(&compiled), Ok(()), "{}", game.name);
        let rules = interpreter(game.name);
        (0..2).for_each(|seed| compare_with_interpreter(game.name, &compiled, &rules, seed));
    }
}

/// The compiled game and the game by hand, played together in all lanes. A lane
/// that has ended begins anew.
struct Lockstep<'a, R> {
    name: &'a str,
    game: &'a Game,
    player: Player<'a, u64>,
    boards: Vec<R>,
    random: Pcg64Mcg,
}

impl<R: Rules> Lockstep<'_, R> {
    /// One move in every lane; how many games ended before it.
    fn step(&mut self) -> usize {
        self.player.look();
        let ended: Vec<usize> = (0..self.boards.len()).filter(|lane| self.visit(*lane)).collect();
        self.player.step();
        for lane in &ended {
            self.player.load(*lane, self.game.image().initial());
            self.boards[*lane] = R::start();
        }
        ended.len()
    }

    /// Compares a lane and chooses its move; whether its game has ended.
    fn visit(&mut self, lane: usize) -> bool {
        let board = &self.boards[lane];
        assert_eq!(self.player.terminal(lane), board.over(), "{}", self.name);
        if board.over() {
            for (role, goal) in board.goals().into_iter().enumerate() {
                assert_eq!(self.player.goals(lane, role), [goal], "{}", self.name);
            }
            return true;
        }
        let joint: Vec<R::Move> =
            (0..R::ROLES.len()).map(|role| self.common_move(lane, role)).collect();
        let texts: Vec<String> = joint.iter().map(ToString::to_string).collect();
        self.player.choose(lane, &texts);
        self.boards[lane] = self.boards[lane].after(&joint);
        false
    }

    fn common_move(&mut self, lane: usize, role: usize) -> R::Move {
        let legal = self.boards[lane].legal(role);
        let mut expected: Vec<String> = legal.iter().map(ToString::to_string).collect();
        expected.sort();
        assert_eq!(self.player.legal(lane, role), expected, "{}", self.name);
        *legal.choose(&mut self.random).unwrap()
    }
}

fn compare_with_hand_written<R: Rules>(name: &str, games: usize) {
    let game = &bundled(name);
    assert_eq!(game.names().roles(), R::ROLES, "{name}");
    let mut slots = Vec::new();
    let player = Player::new(game, &mut slots);
    let boards = vec![R::start(); 64];
    let mut lockstep = Lockstep { name, game, player, boards, random: Pcg64Mcg::seed_from_u64(7) };
    let mut ended = 0;
    while ended < games {
        ended += lockstep.step();
    }
}

#[test]
fn blocker_plays_like_the_version_by_hand() {
    compare_with_hand_written::<movegen::blocker::Blocker>("blocker", 1000);
}

#[test]
fn breakthrough_plays_like_the_version_by_hand() {
    compare_with_hand_written::<movegen::breakthrough::Breakthrough>("breakthrough", 200);
}

#[test]
fn connectfour_plays_like_the_version_by_hand() {
    compare_with_hand_written::<movegen::connectfour::ConnectFour>("connectfour", 1000);
}

#[test]
fn domineering_plays_like_the_version_by_hand() {
    compare_with_hand_written::<movegen::domineering::Domineering>("domineering", 300);
}

#[test]
fn doubletictactoe_plays_like_the_version_by_hand() {
    compare_with_hand_written::<movegen::doubletictactoe::DoubleTicTacToe>("doubletictactoe", 1000);
}

#[test]
fn eightpuzzle_plays_like_the_version_by_hand() {
    compare_with_hand_written::<movegen::eightpuzzle::EightPuzzle>("eightpuzzle", 1000);
}

#[test]
fn hex_plays_like_the_version_by_hand() {
    compare_with_hand_written::<movegen::hex::Hex>("hex", 200);
}

#[test]
fn nim_plays_like_the_version_by_hand() {
    compare_with_hand_written::<movegen::nim::Nim>("nim", 1000);
}

#[test]
fn nonogram_plays_like_the_version_by_hand() {
    compare_with_hand_written::<movegen::nonogram::Nonogram>("nonogram", 1000);
}

#[test]
fn othello_plays_like_the_version_by_hand() {
    compare_with_hand_written::<movegen::othello::Othello>("othello", 300);
}

#[test]
fn sudoku_plays_like_the_version_by_hand() {
    compare_with_hand_written::<movegen::sudoku::Sudoku>("sudoku", 300);
}

#[test]
fn tictactoe_plays_like_the_version_by_hand() {
    compare_with_hand_written::<movegen::tictactoe::TicTacToe>("tictactoe", 1000);
}

/// The counts of the compiled game, of the game by hand, and those that are
/// known must be the same.
fn check_counts<R: Rules>(name: &str, expected: &[u64]) {
    assert_eq!(movegen::perft::<R>(expected.len()), expected, "{name} by hand");
    assert_eq!(perft(&bundled(name), expected.len()), expected, "{name} compiled");
}

#[test]
fn tictactoe_has_255_168_games_and_5_478_positions() {
    let game = bundled("tictactoe");
    assert_eq!(complete_games(&game), 255_168);
    assert_eq!(reachable_positions(&game), 5_478);
    let expected = [9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872];
    check_counts::<movegen::tictactoe::TicTacToe>("tictactoe", &expected);
}

#[test]
fn connectfour_has_its_known_counts() {
    let expected = [7, 49, 343, 2_401, 16_807, 117_649, 823_536];
    check_counts::<movegen::connectfour::ConnectFour>("connectfour", &expected);
}

#[test]
fn breakthrough_has_its_known_counts() {
    let expected = [22, 484, 11_132, 256_036];
    check_counts::<movegen::breakthrough::Breakthrough>("breakthrough", &expected);
}

#[test]
fn othello_has_its_known_counts() {
    let expected = [4, 12, 56, 244, 1_396, 8_200, 55_092];
    check_counts::<movegen::othello::Othello>("othello", &expected);
}

#[test]
fn domineering_has_its_counts() {
    check_counts::<movegen::domineering::Domineering>("domineering", &[56, 2_940, 146_580]);
}

#[test]
fn hex_has_as_many_moves_as_empty_cells() {
    check_counts::<movegen::hex::Hex>("hex", &[81, 81 * 80, 81 * 80 * 79]);
}

#[test]
fn nim_has_its_counts() {
    let expected = [16, 206, 2_116, 17_338, 113_912];
    check_counts::<movegen::nim::Nim>("nim", &expected);
}

#[test]
fn eightpuzzle_has_its_counts() {
    let expected = [4, 12, 32, 96, 256, 768, 2_048, 6_144, 16_384, 49_152];
    check_counts::<movegen::eightpuzzle::EightPuzzle>("eightpuzzle", &expected);
}

#[test]
fn blocker_has_its_counts() {
    check_counts::<movegen::blocker::Blocker>("blocker", &[256, 50_640]);
}

#[test]
fn doubletictactoe_has_its_counts() {
    let expected = [9 * 9, 9 * 9 * 8 * 8, 9 * 9 * 8 * 8 * 7 * 7];
    check_counts::<movegen::doubletictactoe::DoubleTicTacToe>("doubletictactoe", &expected);
}

#[test]
fn nonogram_has_as_many_moves_as_white_cells() {
    let expected = [25, 25 * 24, 25 * 24 * 23];
    check_counts::<movegen::nonogram::Nonogram>("nonogram", &expected);
}

#[test]
fn sudoku_has_its_counts() {
    check_counts::<movegen::sudoku::Sudoku>("sudoku", &[121, 13_622]);
}

/// Plays these moves of a single player; the goal where the game has ended.
fn goal_after(name: &str, moves: &[String]) -> Option<u16> {
    let game = bundled(name);
    let mut slots = Vec::new();
    let mut player = Player::<OneLane>::new(&game, &mut slots);
    for played in moves {
        player.look();
        assert!(!player.terminal(0), "{name} ended early");
        assert!(player.legal(0, 0).contains(played), "{name}: {played} is not legal");
        player.choose(0, std::slice::from_ref(played));
        player.step();
    }
    player.look();
    player.terminal(0).then(|| player.goals(0, 0)[0])
}

fn texts<M: ToString>(moves: &[M]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

/// A shortest solution of the Eight Puzzle, then these moves again and again
/// until the end.
fn solved_and_then(around: &[&str]) -> Vec<String> {
    let solution = texts(&movegen::eightpuzzle::solution().expect("a solution"));
    let rest = around.iter().cycle().map(ToString::to_string);
    solution.into_iter().chain(rest).take(movegen::eightpuzzle::MOVES).collect()
}

#[test]
fn eightpuzzle_is_solved_by_ten_moves_and_lasts_sixty() {
    assert_eq!(movegen::eightpuzzle::solution().map(|moves| moves.len()), Some(10));
    let moves = solved_and_then(&["up", "down"]);
    assert_eq!(goal_after("eightpuzzle", &moves[..59]), None);
    assert_eq!(goal_after("eightpuzzle", &moves), Some(100));
}

#[test]
fn eightpuzzle_counts_a_solution_that_was_left_again() {
    let moves = solved_and_then(&["up", "left", "down", "right"]);
    assert_eq!(goal_after("eightpuzzle", &moves), Some(100));
}

#[test]
fn nonogram_has_one_solution_and_it_is_worth_all_points() {
    let solutions = movegen::nonogram::Nonogram::solutions();
    assert_eq!(solutions.len(), 1);
    assert_eq!(goal_after("nonogram", &texts(&solutions[0])), Some(100));
}

#[test]
fn sudoku_has_one_solution_and_it_is_worth_all_points() {
    let solutions = movegen::sudoku::Sudoku::start().solutions();
    assert_eq!(solutions.len(), 1);
    assert_eq!(goal_after("sudoku", &texts(&solutions[0])), Some(100));
}

/// The end of a game by hand that is played at random; visits all positions.
fn play_out<R: Rules>(random: &mut Pcg64Mcg, mut visit: impl FnMut(&R)) -> R {
    let mut board = R::start();
    while !board.over() {
        visit(&board);
        let joint: Vec<R::Move> =
            (0..R::ROLES.len()).map(|role| *board.legal(role).choose(random).unwrap()).collect();
        board = board.after(&joint);
    }
    visit(&board);
    board
}

#[test]
fn hex_is_won_by_the_first_chain_and_by_one_side_only() {
    let mut random = Pcg64Mcg::seed_from_u64(11);
    for _ in 0..200 {
        let mut first_chain = Vec::new();
        let end = play_out::<movegen::hex::Hex>(&mut random, |board| {
            if first_chain.is_empty() {
                first_chain = board.connected();
            }
        });
        assert_eq!(end.connected().len(), 1);
        assert_eq!(end.connected(), first_chain);
    }
}

#[test]
fn othello_ends_only_when_neither_can_move() {
    let mut random = Pcg64Mcg::seed_from_u64(13);
    for _ in 0..100 {
        let end = play_out::<movegen::othello::Othello>(&mut random, |_| {});
        assert!(end.neither_can_move());
    }
}

#[test]
fn nim_is_won_by_who_can_leave_nim_sum_zero() {
    let mut random = Pcg64Mcg::seed_from_u64(17);
    let game = bundled("nim");
    let mut slots = Vec::new();
    for _ in 0..100 {
        let mut player = Player::<OneLane>::new(&game, &mut slots);
        let mut board = movegen::nim::Nim::start();
        assert_eq!(board.nim_sum(), 0, "the second player can win");
        while !board.over() {
            let joints = movegen::joints(&board);
            let best = joints.iter().find(|joint| board.after(joint).nim_sum() == 0);
            let joint = best.or_else(|| joints.choose(&mut random)).unwrap().clone();
            player.look();
            player.choose(0, &texts(&joint));
            player.step();
            board = board.after(&joint);
        }
        player.look();
        assert!(player.terminal(0));
        assert_eq!((player.goals(0, 0), player.goals(0, 1)), (vec![0], vec![100]));
    }
}
