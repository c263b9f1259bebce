//! The interpreter of the tests is itself checked, against traces of another
//! implementation.

use ruche_tests::corpus;
use ruche_tests::interpreter::{Error, Interpreter, Position, State, Value};
use ruche_trace::trace::{Texts, TraceLine};

/// The first difference between a reference playout and the interpreter.
fn first_difference(game: &Interpreter, trace: &[TraceLine]) -> Option<String> {
    trace.iter().enumerate().find_map(|(at, line)| {
        let state = state_of(game, line)?;
        let mut position = game.position(&state);
        difference_in_state(game, &mut position, line)
            .or_else(|| difference_after(game, &position, line, trace.get(at + 1)?))
            .map(|what| format!("playout {} ply {}: {what}", line.playout, line.ply))
    })
}

/// The state of a line, if it lists one.
fn state_of(game: &Interpreter, line: &TraceLine) -> Option<State> {
    let read = |fluent: &String| game.read(fluent).unwrap_or_else(|| panic!("unknown: {fluent}"));
    Some(line.fluents()?.iter().map(read).collect())
}

fn difference_in_state(
    game: &Interpreter,
    position: &mut Position<'_>,
    line: &TraceLine,
) -> Option<String> {
    if position.terminal() != line.terminal {
        return Some(format!("terminal is {}", !line.terminal));
    }
    game.roles().iter().find_map(|role| {
        difference_in_moves(game, position, line, *role)
            .or_else(|| difference_in_goals(game, position, line, *role))
    })
}

fn difference_in_moves(
    game: &Interpreter,
    position: &mut Position<'_>,
    line: &TraceLine,
    role: Value,
) -> Option<String> {
    let Texts::Listed(expected) = line.legal(&game.text(role))? else { return None };
    let expected = sorted(expected);
    let found = game.texts(position.legal(role));
    (found != expected).then(|| format!("legal {found:?} instead of {expected:?}"))
}

fn difference_in_goals(
    game: &Interpreter,
    position: &mut Position<'_>,
    line: &TraceLine,
    role: Value,
) -> Option<String> {
    let expected = (*line.goals.as_ref()?.get(&game.text(role))?)?.to_string();
    let found = game.texts(position.goals(role));
    (found != [expected.clone()]).then(|| format!("goals {found:?} instead of {expected}"))
}

fn difference_after(
    game: &Interpreter,
    position: &Position<'_>,
    line: &TraceLine,
    following: &TraceLine,
) -> Option<String> {
    if (following.playout, following.ply) != (line.playout, line.ply + 1) {
        return None;
    }
    let joint: Option<Vec<Value>> = line.joint.as_ref()?.iter().map(|m| game.read(m)).collect();
    let expected = sorted(following.fluents()?);
    let found = game.texts(position.next(&joint?));
    (found != expected).then(|| format!("next state {found:?} instead of {expected:?}"))
}

fn sorted(texts: &[String]) -> Vec<String> {
    let mut texts = texts.to_vec();
    texts.sort();
    texts
}

/// Games of every kind that the interpreter plays in little time.
const GAMES: &[&str] = &[
    "2pffa_v0",
    "2pffa_v1",
    "2pffa_zerosum_v0",
    "3pConnectFour_v0",
    "3pffa_v0",
    "3pffa_v1",
    "4pffa_v0",
    "4pffa_v1",
    "asteroidsParallel_v0",
    "asteroidsParallel_v1",
    "asteroidsSerial_v0",
    "asteroids_v0",
    "atariGoVariant_7x7_v0",
    "battlebrushes_v0",
    "beatMania_v0",
    "beatMania_v1",
    "biddingTicTacToe_10coins_v0",
    "biddingTicTacToe_v0",
    "blockerParallel_v0",
    "blocks2player_v0",
    "blocksWorldSerial_v0",
    "blocksWorldSerial_v1",
    "blocksWorld_v0",
    "bomberman2p_v0",
    "brain_teaser_extended_v0",
    "breakthroughSmallHoles_v0",
    "breakthroughSmallHoles_v1",
    "breakthroughSmall_v0",
    "breakthroughSuicideSmall_v0",
    "bunk_t_v0",
    "buttons_v0",
    "catcha_mouse_v0",
    "cephalopodMicro_v0",
    "checkLines_v0",
    "chickentictactoe_v0",
    "chickentoetictac_v0",
    "chineseCheckers2_v1",
    "circlesolitaire_v0",
    "coins_atomic_v0",
    "coins_v0",
    "coloredtrails_v0",
    "conn4_v0",
    "connectFourLarge_v0",
    "connectFourSimultaneous_v0",
    "connectFour_v0",
    "copolymer_4_pie_v0",
    "copolymer_4_v0",
    "dotsAndBoxesSuicide_v0",
    "dotsAndBoxes_v0",
    "double_tictactoe_dengji_v0",
    "doubletictactoe_v0",
    "doubletoetictac_v0",
    "dualConnect4_v0",
    "dualConnect4_v1",
    "duplicateStateLarge_v0",
    "duplicateStateMedium_v0",
    "duplicateStateSmall_v0",
    "eightPuzzle_v0",
    "eotcitcit_v0",
    "factoringEasyTurtleBrain_v0",
    "factoringGeorgeForman_v0",
    "factoringMutuallyAssuredDestruction_v0",
    "four_way_battle_v0",
    "futoshiki4_v0",
    "futoshiki5_v0",
    "futoshiki6_v0",
    "ghostMaze2p_v0",
    "gt_centipede_v0",
    "gt_chicken_v0",
    "gt_coordination_v0",
    "gt_dollar_v0",
    "gt_ultimatum_v0",
    "guess_v0",
    "hanoi_v0",
    "haystack_v0",
    "incredible_v0",
    "kitten_escapes_from_fire_v0",
    "knightmove_v0",
    "knightsTourLarge_v0",
    "knightsTour_v0",
    "knightwar_v0",
    "lightsOnSimul4_v0",
    "lightsOn_v0",
    "lightsOut_v0",
    "mineClearingSmall_v0",
    "minichess-evilconjuncts_v0",
    "minichess_v0",
    "nim1_v0",
    "nim3_v0",
    "nim4_v0",
    "nineBoardTicTacToePie_v0",
    "nineBoardTicTacToePie_v1",
    "nonogram_5x5_1_v0",
    "numbertictactoe_v0",
    "onestep_v0",
    "pancakes6_v0",
    "pancakes88_v0",
    "pancakes_v0",
    "pawnWhopping_v0",
    "pawnWhopping_v1",
    "pearls_v0",
    "pegEuro_v0",
    "peg_v0",
    "pentago_v0",
    "pentago_v1",
    "quad_5x5_v0",
    "quartoSuicide_v0",
    "quarto_v0",
    "queens06ug_v0",
    "queens08lg_v0",
    "queens08ug_v0",
    "queens12ug_v0",
    "queens_v0",
    "roshambo2_v0",
    "ruleDepthLinear_v0",
    "sheepAndWolf_v0",
    "shmup_v0",
    "snake_2008_tweaked_v0",
    "snake_2008_v0",
    "stateSpaceLarge_v0",
    "stateSpaceSmall_v0",
    "sudokuGrade1_v0",
    "sudokuGrade3_v0",
    "sum15_v0",
    "survival_v0",
    "ticTacHeavenFC_v0",
    "ticTacHeaven_v0",
    "ticTacToeLargeSuicide_v0",
    "ticTacToeLarge_v0",
    "ticTacToeNoVars_v0",
    "ticTacToeParallel_v0",
    "ticTacToeSerial_v0",
    "ticTacToe_v0",
    "ticTicToe_v0",
    "tictactoe2_v0",
    "tictactoe_3d_small_2player_v0",
    "tictactoe_3d_small_6player_v0",
    "tictactoe_3player_v0",
    "tictactoex9_v0",
    "toetictac_v0",
    "tpeg_v0",
    "tron_10x10_v0",
    "troublemaker01_v0",
    "troublemaker02_v0",
    "untwistycomplex2_v0",
    "urmAdd_v0",
    "wallmaze_v0",
    "wargame02_v1",
    "withConviction_v0",
    "zombieAttack1PL6_v0",
];

#[test]
fn interpreter_agrees_with_the_reference() {
    let Some(corpus) = ruche_corpus::directory("the interpreter against reference traces") else {
        return;
    };
    for id in GAMES {
        let description = ruche_gdl::parse(&ruche_corpus::game(id).unwrap()).unwrap();
        let game = Interpreter::new(&description).unwrap();
        let trace = corpus::trace(&corpus, id);
        assert!(!trace.is_empty(), "{id} has no trace");
        assert_eq!(first_difference(&game, &trace), None, "{id}");
    }
}

fn interpret(source: &str) -> Interpreter {
    Interpreter::new(&ruche_gdl::parse(source.as_bytes()).unwrap()).unwrap()
}

/// The legal moves of the only role in the initial state.
fn legal_at_start(source: &str) -> Vec<String> {
    let game = interpret(&format!("(role r) {source}"));
    game.texts(game.legal(&game.initial(), game.roles()[0]))
}

#[test]
fn conditions_come_in_any_order() {
    let moves = legal_at_start(
        "(init (f a)) (init (f b)) (p a) (p b) (p c)
         (<= (legal r (m ?x ?y)) (distinct ?x ?y) (not (true (f ?y))) (p ?y) (true (f ?x)))",
    );
    assert_eq!(moves, ["(m a c)", "(m b c)"]);
}

#[test]
fn or_and_not_nest() {
    let facts = "(p a) (p b) (p c) (p d) (q a) (s b)";
    let moves = |body: &str| legal_at_start(&format!("{facts} (<= (legal r ?x) (p ?x) {body})"));
    assert_eq!(moves("(or (q ?x) (s ?x))"), ["a", "b"]);
    assert_eq!(moves("(not (or (q ?x) (s ?x)))"), ["c", "d"]);
    assert_eq!(moves("(not (not (q ?x)))"), ["a"]);
    assert_eq!(moves("(not (distinct ?x d))"), ["d"]);
    assert_eq!(moves("(or (q ?x) (not (or (q ?x) (not (distinct ?x c)))))"), ["a", "b", "d"]);
    assert!(moves("(or)").is_empty());
}

#[test]
fn a_variable_can_stand_for_a_whole_term() {
    let game = interpret(
        "(role r) (init (f a)) (init g) (init (h)) (init h)
         (<= (legal r ?m) (true ?m)) (<= (next ?m) (does r ?m))",
    );
    let role = game.roles()[0];
    let state = game.initial();
    assert_eq!(game.texts(game.legal(&state, role)), ["(f a)", "(h)", "g", "h"]);
    let after = game.next(&state, &[game.read("(h)").unwrap()]);
    assert_eq!(game.texts(after), ["(h)"]);
}

#[test]
fn recursion_through_the_state_is_a_least_fixpoint() {
    let moves = legal_at_start(
        "(init (edge a b)) (init (edge b c)) (init (edge c a)) (init (edge d e)) (init (edge e d))
         (<= (reach a)) (<= (reach ?y) (reach ?x) (true (edge ?x ?y)))
         (<= (legal r ?x) (reach ?x)) (<= (legal r (off ?x)) (true (edge ?x ?y)) (not (reach ?x)))",
    );
    assert_eq!(moves, ["(off d)", "(off e)", "a", "b", "c"]);
}

#[test]
fn negation_may_be_stratified_by_arguments_only() {
    let game = interpret(
        "(role r) (init (at 3)) (less 0 1) (less 1 2) (less 2 3)
         (<= (goal r 100) (true (at 4)))
         (<= (goal r 0) (not (goal r 100)))
         (<= (even ?n) (number ?n) (not (odd ?n))) (<= (odd ?n) (less ?m ?n) (even ?m))
         (number 0) (number 1) (number 2) (number 3)
         (<= (legal r ?n) (even ?n)) (<= terminal (true (at ?n)) (odd ?n))",
    );
    let state = game.initial();
    let role = game.roles()[0];
    assert_eq!(game.texts(game.goals(&state, role)), ["0"]);
    assert_eq!(game.texts(game.legal(&state, role)), ["0", "2"]);
    assert!(game.terminal(&state));
}

#[test]
fn who_is_no_role_has_no_moves() {
    let game = interpret("(role r) (legal r a) (legal s b) (<= (legal r c) (undefined d))");
    assert_eq!(game.texts(game.legal(&game.initial(), game.roles()[0])), ["a"]);
    assert!(!game.terminal(&game.initial()));
}

#[test]
fn a_rule_that_is_not_safe_is_refused() {
    for source in ["(p ?x)", "(<= (p ?x) (not (q ?x)))", "(<= p (distinct ?x a))"] {
        let description = ruche_gdl::parse(source.as_bytes()).unwrap();
        let refused = Interpreter::new(&description).err();
        assert!(matches!(refused, Some(Error::Unsafe(_))), "{source}");
    }
}
