//! The best move of a game, in ten lines.

use ruche::{Game, Search};

fn main() -> Result<(), ruche::Error> {
    let game = Game::bundled("connectfour")?;
    let found = Search::new(&game).playouts(100_000).threads(2).run()?;
    println!("{} ({:.1})", found.best_move(0).unwrap_or("over"), found.mean(0));
    Ok(())
}
