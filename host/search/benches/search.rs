//! What the tree costs: selection, expansion and backup of each leaf, with
//! playouts that cost nothing. `cargo bench -p ruche-search`

use std::collections::VecDeque;

use divan::Bencher;
use divan::counter::ItemsCount;
use ruche_game::Game;
use ruche_offload::{Attributes, Batch, Columns, Finished, Offload, OffloadError, Results, Tally};
use ruche_search::{Limits, SearchMethod, SearchOptions, Searcher, Stop, Uct};
use ruche_shared::WordWidth;
use xxhash_rust::xxh3::xxh3_64;
use zerocopy::IntoBytes;

fn main() {
    divan::main();
}

/// Answers at once with scores that depend on the position alone: good moves stay good,
/// so that the tree grows as deep as with playouts.
struct Nobody {
    roles: usize,
    finished: VecDeque<Finished>,
}

impl Nobody {
    fn scores(&self, position: &[u32], playouts: u64) -> impl Iterator<Item = u64> {
        let score = xxh3_64(position.as_bytes()) % 101;
        // Roles take turns in it: what one has, the other has not.
        let score = move |role| if role % 2 == 0 { score } else { 100 - score };
        (0..self.roles).map(move |role| playouts * score(role))
    }
}

impl Offload for Nobody {
    fn attributes(&self) -> Attributes {
        Attributes {
            columns: Columns { roles: self.roles, further: 0 },
            seed: 0,
            ply_limit: 1,
            width: WordWidth::One,
            clusters: 0,
            sensible_batch: 1,
        }
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        let playouts = u64::from(batch.playouts);
        let words = batch.positions.len() / batch.count;
        let tally = Tally { scored: playouts, ..Tally::default() };
        let rows: Vec<u64> = batch
            .positions
            .chunks_exact(words)
            .flat_map(|position| tally.numbers().into_iter().chain(self.scores(position, playouts)))
            .collect();
        let mut results = Results::new(self.attributes().columns, batch.count);
        results.put_bytes(0, rows.as_bytes());
        self.finished.push_back(Finished { number: batch.number, results });
        Ok(())
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        self.finished.pop_front().ok_or(OffloadError::Idle)
    }
}

/// Leaves and ends of one sample: of a tree that fits the caches,
const DESCENTS: u64 = 25_000;

/// and of one that does not.
const MANY_DESCENTS: u64 = 600_000;

#[divan::bench(
    args = ["tictactoe", "connectfour", "breakthrough", "othello", "hex", "blocker"],
    consts = [1, 256],
    sample_count = 10,
    sample_size = 1
)]
fn leaves<const BATCH: usize>(bencher: Bencher<'_, '_>, game: &str) {
    measure(bencher, game, BATCH, DESCENTS);
}

#[divan::bench(
    args = ["connectfour", "breakthrough", "blocker"],
    sample_count = 3,
    sample_size = 1
)]
fn leaves_of_a_large_tree(bencher: Bencher<'_, '_>, game: &str) {
    measure(bencher, game, SearchOptions::default().batch, MANY_DESCENTS);
}

fn measure(bencher: Bencher<'_, '_>, game: &str, batch: usize, descents: u64) {
    let game = Game::bundled(game).expect("a bundled game");
    let options = SearchOptions { batch, ..SearchOptions::default() };
    let limits = Limits::playouts(descents * u64::from(options.playouts_per_position));
    let settings = options.check().expect("sound settings");
    bencher
        .counter(ItemsCount::new(descents))
        .with_inputs(|| Uct::new(&game, &settings).expect("the root of the game"))
        .bench_local_values(|mut search| {
            let mut nobody = Nobody { roles: game.roles(), finished: VecDeque::new() };
            let found = search.search(&mut nobody, &limits, &Stop::default(), &mut |_| ());
            found.expect("somebody answers").signature
        });
}
