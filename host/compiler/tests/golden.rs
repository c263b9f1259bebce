//! The exact text of every stage for two small games.
//!
//! After a change that is meant to change them, write the files anew with
//! `RUCHE_GOLDEN=write cargo test -p ruche-compiler --test golden`, and read the
//! difference before committing it.

use ruche_compiler::{EmitError, EmitFormat, Options, Stage, emit};
use ruche_shared::names::Named;
use std::path::PathBuf;

/// Three cells in a row; who marks the middle one wins.
const ROW: &str = "
    (role x) (role o)
    (cell 1) (cell 2) (cell 3)
    (init (control x))
    (<= (legal ?r (mark ?c)) (true (control ?r)) (cell ?c) (not (taken ?c)))
    (<= (legal ?r wait) (role ?r) (not (true (control ?r))))
    (<= (next (marked ?r ?c)) (does ?r (mark ?c)))
    (<= (next (marked ?r ?c)) (true (marked ?r ?c)))
    (<= (next (control x)) (true (control o)))
    (<= (next (control o)) (true (control x)))
    (<= (taken ?c) (true (marked ?r ?c)))
    (<= over (taken 2))
    (<= terminal over)
    (<= (goal ?r 100) (true (marked ?r 2)))
    (<= (goal ?r 0) (role ?r) (not (true (marked ?r 2))))";

/// Bridges between three islands, in a circle: reaching is recursive.
const BRIDGES: &str = "
    (role r)
    (way a b) (way b c) (way c a)
    (init (at a))
    (<= (legal r (build ?x ?y)) (way ?x ?y) (not (true (bridge ?x ?y))))
    (legal r rest)
    (<= (next (bridge ?x ?y)) (does r (build ?x ?y)))
    (<= (next (bridge ?x ?y)) (true (bridge ?x ?y)))
    (<= (next (at ?x)) (true (at ?x)))
    (<= (reached ?x) (true (at ?x)))
    (<= (reached ?y) (reached ?x) (true (bridge ?x ?y)))
    (<= terminal (reached c))
    (<= (goal r 100) (reached c))
    (<= (goal r 0) (not (reached c)))";

fn dump(rules: &str, stage: Stage, format: EmitFormat) -> Result<String, EmitError> {
    let (description, _) = ruche_gdl::load(rules.as_bytes()).expect("sound rules");
    let mut text = Vec::new();
    emit(stage, format, &description, &Options::default(), &mut text)?;
    Ok(String::from_utf8(text).expect("text"))
}

fn check(game: &str, rules: &str, stage: Stage, format: EmitFormat) {
    let name = format!("{game}.{stage}.{format}");
    let found = dump(rules, stage, format).unwrap_or_else(|error| panic!("{name}: {error}"));
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(&name);
    if std::env::var_os("RUCHE_GOLDEN").is_some_and(|value| value == "write") {
        std::fs::write(&file, &found).expect("a file that can be written");
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == expected,
        "{name} has changed; if that is meant, write it anew with RUCHE_GOLDEN=write.\n{found}"
    );
}

fn check_all(game: &str, rules: &str) {
    for &stage in Stage::ALL {
        check(game, rules, stage, EmitFormat::Text);
    }
    for stage in [Stage::Circuit, Stage::Gates, Stage::Schedule] {
        check(game, rules, stage, EmitFormat::Dot);
    }
}

#[test]
fn the_stages_of_a_row_are_as_written() {
    check_all("row", ROW);
}

#[test]
fn the_stages_of_a_game_with_a_circle_are_as_written() {
    check_all("bridges", BRIDGES);
}

#[test]
fn a_ground_program_and_an_aig_have_no_drawing() {
    for stage in [Stage::Ground, Stage::Aiger] {
        let error = dump(ROW, stage, EmitFormat::Dot).expect_err("nothing to draw");
        assert!(error.to_string().contains(stage.name()), "{error}");
    }
}

#[test]
fn a_ground_program_is_a_description_of_the_same_game() {
    let compiled = |rules: &str| {
        let (description, _) = ruche_gdl::load(rules.as_bytes()).expect("sound rules");
        ruche_compiler::compile(&description, &Options::default()).expect("compiles").symbols
    };
    let bundled = ruche_games::all().iter().map(|game| game.source);
    for rules in bundled.chain([ROW, BRIDGES]) {
        let ground = dump(rules, Stage::Ground, EmitFormat::Text).expect("a ground program");
        assert_eq!(compiled(&ground), compiled(rules));
    }
}
