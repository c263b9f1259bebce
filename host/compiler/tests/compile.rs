//! What the compiler promises about small games, without looking inside.

use ruche_compiler::{
    CompileError, Compiled, Options, Report, Source, SymbolTable, WorkLimits, compile,
};

fn compiled(source: &str) -> Compiled {
    try_compile(source).unwrap_or_else(|error| panic!("{error}"))
}

fn try_compile(source: &str) -> Result<Compiled, CompileError> {
    try_compile_within(source, WorkLimits::default())
}

fn try_compile_within(source: &str, limits: WorkLimits) -> Result<Compiled, CompileError> {
    let (description, _) = ruche_gdl::load(source.as_bytes()).expect("a sound description");
    compile(&description, &Options { limits })
}

/// A game of one role that can do `a` or `b` in every state.
fn with_two_moves(rules: &str) -> String {
    format!(
        "(role r) (init (p 1)) (legal r a) (legal r b) (goal r 0) (<= terminal (true over)) {rules}"
    )
}

fn source_of(compiled: &Compiled, fluent: &str) -> Option<Source> {
    let fluents = &compiled.symbols.fluents;
    fluents.iter().find(|(name, _)| name == fluent).map(|(_, source)| *source)
}

#[test]
fn the_same_game_gives_the_same_bytes() {
    let game = ruche_games::find("connectfour").expect("bundled").source;
    assert_eq!(compiled(game).file, compiled(game).file);
}

#[test]
fn the_symbol_part_follows_the_image() {
    let game = compiled(&with_two_moves("(<= (next over) (does r a))"));
    let symbols = SymbolTable::parse(&game.file[game.image_length..]).expect("a symbol part");
    assert_eq!(symbols, game.symbols);
    assert_eq!(symbols.roles, ["r"]);
    assert_eq!(symbols.moves, ["a", "b"]);
}

#[test]
fn a_fluent_that_never_changes_is_no_input() {
    let game = compiled(&with_two_moves(
        "(<= (next (p 1)) (true (p 1))) (<= (next over) (true (p 1)) (does r a))",
    ));
    assert_eq!(source_of(&game, "(p 1)"), Some(Source::Always));
    assert_eq!(game.report.fluents, 1);
}

#[test]
fn a_fluent_that_never_holds_is_forgotten() {
    let game = compiled(&with_two_moves(
        "(<= (next ghost) (true ghost) (does r a)) (<= (next over) (does r b))",
    ));
    assert_eq!(source_of(&game, "ghost"), None);
}

#[test]
fn a_move_that_is_never_legal_has_no_slot() {
    let game = compiled(&with_two_moves(
        "(<= (legal r c) (true (p 2))) (<= (next (p 2)) (true (p 2)))
         (<= (next over) (does r b)) (<= (next over) (does r c))",
    ));
    assert_eq!(game.symbols.moves, ["a", "b"]);
}

#[test]
fn what_all_moves_lead_to_needs_no_gate() {
    let game = compiled(&with_two_moves("(<= (next over) (does r ?m))"));
    let report = &game.report;
    assert_eq!(report.gates(), 0);
}

#[test]
fn a_role_without_moves_is_a_warning() {
    let game = compiled(
        "(role r) (role idle) (legal r a) (goal r 0) (goal idle 0) (<= (next x) (does r a))
         (<= terminal (true x))",
    );
    assert_eq!(game.warnings, ["role `idle` never has a legal move"]);
}

#[test]
fn negation_by_argument_is_stratified() {
    compiled(&with_two_moves(
        "(<= (next over) (does r a)) (<= (goal r 50) (not (goal r 100))) (<= (goal r 100) (true won))
         (<= (next won) (does r b))",
    ));
}

#[test]
fn an_atom_that_depends_on_its_own_negation_is_named() {
    let error = try_compile(&with_two_moves(
        "(<= (q 1) (not (q 2)) (true (p 1)))\n(<= (q 2) (not (q 1)) (true (p 1)))
         (<= (next over) (q 1))",
    ));
    let message = error.err().expect("not stratified").to_string();
    assert!(message.contains("`(q "), "{message}");
    assert!(message.contains("negation"), "{message}");
}

#[test]
fn the_predicate_that_explodes_is_named() {
    let digits: String = (0..10).map(|d| format!("(digit {d})")).collect();
    let rule = "(<= (huge ?a ?b ?c ?d ?e ?f) (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e) (digit ?f))";
    let source = with_two_moves(&format!("{digits} {rule} (<= (next over) (huge 1 2 3 4 5 6))"));
    let message =
        try_compile_within(&source, WorkLimits::small()).err().expect("too large").to_string();
    assert!(message.contains("`huge/6`"), "{message}");
    assert!(message.contains("stored atoms"), "{message}");
}

#[test]
fn terms_that_grow_without_bound_are_an_error() {
    let error = try_compile(&with_two_moves("(<= (next (p (s ?x))) (true (p ?x)))"));
    let message = error.err().expect("unbounded").to_string();
    assert!(message.contains("nest deeper"), "{message}");
}

#[test]
fn computed_goals_are_numbers_from_0_to_100() {
    for value in ["win", "101", "-1", "(half 100)"] {
        let source = format!(
            "(role r) (legal r a) (<= terminal (true over))\n(goal r 0)\n (<= (goal r ?x) (e ?x)) (e {value})"
        );
        let message = try_compile(&source).err().expect("no goal").to_string();
        assert!(message.starts_with("3:2:"), "{message}");
        assert!(message.contains(value) && message.contains("0 to 100"), "{message}");
    }
    compiled("(role r) (legal r a) (<= terminal (true over)) (<= (goal r ?x) (e ?x)) (e 100)");
}

#[test]
fn too_many_alternatives_are_an_error_with_a_place() {
    let choice = "(or (true (p 1)) (true (p 2)) (true (p 3)) (true (p 4)))";
    let source = with_two_moves(&format!("\n(<= (next over) {})", choice.repeat(8)));
    let message = try_compile(&source).err().expect("4^8 ways").to_string();
    assert!(message.starts_with("2:1:"), "{message}");
}

/// Circuits do not grow unnoticed. The bounds are what the compiler reaches, with
/// some percent of room for changes that shift work elsewhere.
/// The error of a game that no image can hold.
fn too_large(source: &str) -> String {
    try_compile(source).err().expect("too large").to_string()
}

#[test]
fn what_an_image_may_not_ask_for_is_refused_by_name() {
    let roles: String = (0..=1024)
        .map(|role| format!("(role r{role}) (legal r{role} a) (goal r{role} 0)"))
        .collect();
    let error = too_large(&format!("{roles} (<= terminal (true over)) (next over)"));
    assert!(error.contains("its roles are 1025, but at most 1024 are possible"), "{error}");

    let numbers: String = (0..725).map(|number| format!("(n {number})")).collect();
    let fluents = "(<= (next (p ?x ?y)) (n ?x) (n ?y) (does r a))";
    let error = too_large(&with_two_moves(&format!("{numbers} {fluents}")));
    assert!(error.contains("its fluents are 525626, but at most 524288"), "{error}");

    let edges: String = (0..1 << 14)
        .map(|node| format!("(edge {node} {}) (edge {} {node})", node + 1, node + 1))
        .collect();
    let reach = "(<= (reach 0) (true (p 1))) (<= (reach ?y) (reach ?x) (edge ?x ?y))";
    let error = too_large(&with_two_moves(&format!(
        "{edges} {reach} (<= (next (p 1)) (does r a)) (<= (next over) (reach 9))"
    )));
    assert!(error.contains("its atoms that depend on each other are 16385, but"), "{error}");
}

#[test]
fn bundled_games_stay_small() {
    for (name, most_gates) in
        [("tictactoe", 150), ("connectfour", 800), ("breakthrough", 1700), ("eightpuzzle", 800)]
    {
        let report = compiled(ruche_games::find(name).expect("bundled").source).report;
        let gates = report.gates();
        assert!(gates <= most_gates, "{name} has {gates} gates");
    }
}

#[test]
fn bundled_games_need_few_slots() {
    for game in ruche_games::all() {
        let Report { slots, fluents, moves, widest_live, .. } = compiled(game.source).report;
        assert!(widest_live >= moves, "{}: all moves live when one is chosen", game.name);
        assert!(slots >= fluents + moves, "{}: each has a slot", game.name);
        let bar = 1.3 * (fluents + widest_live) as f64;
        assert!(slots as f64 <= bar, "{}: {slots} slots, {widest_live} live", game.name);
    }
}

#[test]
fn gates_that_are_read_once_are_computed_inside_their_reader() {
    // Four conditions of one move: three gates, one cell, no temporary.
    let game = compiled(
        "(role r) (init (p 1)) (init (p 2)) (init (p 3)) (legal r wait) (goal r 0)
         (<= (legal r go) (true (p 1)) (not (true (p 2))) (true (p 3)) (not (true (p 4))))
         (<= (next (p ?x)) (true (p ?x)) (does r wait) (not (true (p 1))))
         (<= (next (p 4)) (does r go)) (<= (next (p 1)) (does r go)) (<= terminal (true (p 4)))",
    );
    let report = &game.report;
    assert!(report.gates_legal >= 3, "{report:?}");
    assert!(report.slots <= report.fluents + report.moves + 2, "{report:?}");
}
