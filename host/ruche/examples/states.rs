//! Steps through a game: what holds, what may be done, what comes of it.

use ruche::Game;

fn main() -> Result<(), ruche::Error> {
    let game = Game::bundled("tictactoe")?;
    let mut state = game.initial();
    for joint in ["(mark 2 2)", "(mark 1 1)", "(mark 1 2)", "(mark 3 3)", "(mark 3 2)"] {
        println!("{joint}, one of {}", state.legal_names(state.mover().unwrap_or(0)).len());
        state = state.play_named(joint)?;
    }
    println!("{}", state.fluents().join(" "));
    assert!(state.is_terminal() && state.holds("(cell 2 2 x)"));
    for (role, goal) in game.names().roles().iter().zip(state.goals().unwrap_or_default()) {
        println!("{role}: {goal}");
    }
    Ok(())
}
