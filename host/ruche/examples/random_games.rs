//! A million random games, and what each role gets of them on average.

use ruche::{Amount, Game, PlayoutSettings, Playouts};

fn main() -> Result<(), ruche::Error> {
    let game = Game::bundled("breakthrough")?;
    let settings = PlayoutSettings { seed: 7, threads: 2, ..PlayoutSettings::default() };
    let played = Playouts::new(&game, &settings)?.play_initial(Amount::Each(100_000))?;
    let tally = played.results.total();
    println!("{} games of {} plies", tally.playouts(), tally.plies / tally.playouts());
    for (role, sum) in game.names().roles().iter().zip(played.results.scores(0)) {
        println!("{role}: {:.1}", *sum as f64 / tally.scored as f64);
    }
    Ok(())
}
