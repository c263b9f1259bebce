//! Real games: they must load.

use ruche_gdl::{Diagnostic, load, parse};

/// The name and the bytes of every game in a folder of the corpus.
fn games(folder: &str) -> Vec<(String, Vec<u8>)> {
    let Some(corpus) = ruche_corpus::directory(folder) else { return Vec::new() };
    let mut games = Vec::new();
    for entry in std::fs::read_dir(corpus.join(folder)).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "kif") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            games.push((name, std::fs::read(&path).unwrap()));
        }
    }
    assert!(!games.is_empty(), "{folder} has no games");
    games.sort();
    games
}

fn errors(source: &[u8]) -> Vec<Diagnostic> {
    let found = load(source).err().unwrap_or_default();
    found.into_iter().filter(Diagnostic::is_error).collect()
}

#[test]
fn every_real_game_loads() {
    for (name, source) in games("games") {
        let errors: Vec<String> =
            errors(&source).iter().map(|error| error.render(&name, &source)).collect();
        assert!(errors.is_empty(), "{}", errors.join("\n"));
    }
}

/// The constructed games that break the rules of GDL on purpose, with a piece of
/// each error that they must give.
const BROKEN: &[(&str, &[&str])] = &[
    (
        "test_case_3b",
        &[
            "nothing binds `?x`, `?y`, `?m`, `?n` in the head",
            "nothing binds `?y`, `?n` in `distinct`",
            "nothing binds `?x`, `?y`, `?m`, `?n` in the head",
            "nothing binds `?x`, `?m` in `distinct`",
        ],
    ),
    ("test_case_3e", &["nothing binds `?p` in the head", "nothing binds `?p` in the head"]),
    (
        "test_case_3f",
        &[
            "nothing binds `?p` in the head",
            "nothing binds `?p` in the head",
            "nothing binds `?p` in `not`",
        ],
    ),
    ("goal_str", &["the goal `win` is not a number from 0 to 100"]),
    ("fact_var", &["nothing binds `?x` in the head"]),
    ("missing_paren", &["never closed"]),
    ("unsafe_distinct", &["nothing binds `?x` in `distinct`"]),
    ("unsafe_not", &["nothing binds `?anything` in `not`"]),
];

#[test]
fn every_constructed_game_loads_or_is_refused_for_its_reason() {
    for (name, source) in games("micro").into_iter().chain(games("edge")) {
        let expected = BROKEN.iter().find(|(broken, _)| *broken == name).map_or(&[][..], |b| b.1);
        let found = errors(&source);
        assert_eq!(found.len(), expected.len(), "{name}: {found:#?}");
        for (error, piece) in found.iter().zip(expected) {
            assert!(error.message.contains(piece), "{name}: {error}");
        }
    }
}

#[test]
fn printing_a_real_game_and_parsing_it_again_changes_nothing() {
    for (name, source) in games("games").into_iter().chain(games("edge")) {
        let text = parse(&source).unwrap().text();
        assert!(parse(text.as_bytes()).unwrap().text() == text, "{name}");
    }
}
