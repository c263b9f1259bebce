//! Somebody else who plays: an offload that counts what goes through another one.

use ruche::{
    Attributes, Batch, ConnectSettings, Finished, Game, Offload, OffloadError, PlayoutPolicy,
    Route, Search, connect,
};

struct Counting<O> {
    inner: O,
    positions: usize,
}

impl<O: Offload> Offload for Counting<O> {
    fn attributes(&self) -> Attributes {
        self.inner.attributes()
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.positions += batch.count;
        self.inner.submit(batch)
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        self.inner.collect()
    }
}

fn main() -> Result<(), ruche::Error> {
    let game = Game::bundled("hex")?;
    let played = game.for_playouts(PlayoutPolicy::default());
    let inner = connect(Route::Direct, &played, &ConnectSettings::default())?;
    let mut offload = Counting { inner, positions: 0 };
    let found = Search::new(&game).playouts(5_000).run_with(&mut offload)?;
    println!("{found} after {} positions", offload.positions);
    assert_eq!(offload.positions as u64, found.report().leaves);
    Ok(())
}
