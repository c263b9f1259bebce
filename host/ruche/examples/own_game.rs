//! A game of one's own: compiled from its rules, searched, and refused if it is wrong.

use ruche::{Game, Search};

/// Who takes the last of seven matches wins; one or two may be taken.
const RULES: &str = "
    (role first) (role second)
    (init (matches 7)) (init (control first))
    (minus 7 1 6) (minus 6 1 5) (minus 5 1 4) (minus 4 1 3) (minus 3 1 2) (minus 2 1 1)
    (minus 1 1 0) (minus 7 2 5) (minus 6 2 4) (minus 5 2 3) (minus 4 2 2) (minus 3 2 1)
    (minus 2 2 0)
    (<= (legal ?role (take ?count)) (true (control ?role)) (true (matches ?left))
        (minus ?left ?count ?rest))
    (<= (legal first wait) (true (control second)))
    (<= (legal second wait) (true (control first)))
    (<= (next (matches ?rest)) (true (matches ?left)) (does ?role (take ?count))
        (minus ?left ?count ?rest))
    (<= (next (control first)) (true (control second)))
    (<= (next (control second)) (true (control first)))
    (<= terminal (true (matches 0)))
    (<= (goal first 100) (true (matches 0)) (true (control second)))
    (<= (goal first 0) (true (matches 0)) (true (control first)))
    (<= (goal second 100) (true (matches 0)) (true (control first)))
    (<= (goal second 0) (true (matches 0)) (true (control second)))
";

fn main() -> Result<(), ruche::Error> {
    let game = Game::compile("matches", RULES.as_bytes())?;
    let found = Search::new(&game).playouts(20_000).run()?;
    println!("{} gates; best: {found}", game.report().gates_next);
    assert_eq!(found.best_move(0), Some("(take 1)"), "then six are left, which lose");

    let wrong = RULES.replace("(role second)", "(role second");
    if let Err(error) = Game::compile("wrong.kif", wrong.as_bytes()) {
        println!("{error}");
    }
    Ok(())
}
