//! What is odd about a game is said on stderr; stdout stays what scripts rely on.

mod support;

use support::{assert_refused, code, file, json, ruche, stderr};

fn game(rules: &str) -> String {
    format!(
        "(role you) (legal you a) (legal you b) (<= (next over) (does you a))
         (<= terminal (true over)) (goal you 50)\n{rules}"
    )
}

#[test]
fn words_of_gdl_ii_are_warned_of_on_stderr() {
    let rules = "(role random) (legal random c) (goal random 0)\n(<= (sees you s) (true s))";
    let dice = file("dice.kif", game(rules));
    for arguments in
        [&["compile", &dice, "--json"][..], &["search", &dice, "--playouts", "64", "--json"]]
    {
        let output = ruche(arguments);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(json(&output).is_object());
        for words in
            ["dice.kif:3:1: warning: the role `random`", "dice.kif:4:5: warning: rules for `sees`"]
        {
            assert!(stderr(&output).contains(words), "{}", stderr(&output));
        }
    }
}

#[test]
fn random_as_a_move_or_fluent_is_no_warning() {
    let coin = file("coin.kif", game("(legal you random) (init (coin random))"));
    let output = ruche(&["compile", &coin]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
}

#[test]
fn goals_above_100_are_refused_with_their_place() {
    let written = file("rich.kif", game("(goal you 101)"));
    assert_refused(&["compile", &written], &["rich.kif:3:1: error", "`101`", "0 to 100"]);
    let computed = file("richer.kif", game("(<= (goal you ?x) (e ?x)) (e 200)"));
    assert_refused(&["compile", &computed], &["richer.kif: 3:1:", "`200`", "`you`", "0 to 100"]);
}
