//! A whole game played by a search that keeps its tree, one move a tenth of a second.

use std::time::Duration;

use ruche::{Game, Limits, Search, Stop};

fn main() -> Result<(), ruche::Error> {
    let game = Game::bundled("connectfour")?;
    let mut session = Search::new(&game).seed(3).session()?;
    let (limits, stop) = (Limits::time(Duration::from_millis(100)), Stop::default());
    let mut state = game.initial();
    while let Some(best) = session.search(&limits, &stop)?.best() {
        state = state.play(best)?;
        session.set_position(&state)?;
    }
    println!("{:?} of {:?}", state.goals().unwrap_or_default(), game.names().roles());
    Ok(())
}
