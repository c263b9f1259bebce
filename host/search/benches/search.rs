//! What the tree costs: selection, expansion and backup of each leaf, with
//! playouts that cost nothing. `cargo bench -p ruche-search`

use std::collections::VecDeque;

use divan::Bencher;
use divan::counter::ItemsCount;
use ruche_eval::playouts::Outcome;
use ruche_search::{Batch, Finished, Offload, OffloadError, Search, SearchBudget, SearchOptions};
use ruche_shared::Image;
use xxhash_rust::xxh3::xxh3_64;

fn main() {
    divan::main();
}

/// An aligned image.
struct Words(Vec<u32>);

impl Words {
    fn image(&self) -> Image<'_> {
        Image::parse(bytemuck::cast_slice(&self.0)).expect("a sound image")
    }

    fn of_game(name: &str) -> Self {
        let game = ruche_games::find(name).expect("a bundled game");
        let (description, _) = ruche_gdl::load(game.source.as_bytes()).expect("sound rules");
        let compiled =
            ruche_compiler::compile(&description, &Default::default()).expect("a compiled game");
        Self(bytemuck::pod_collect_to_vec(compiled.image()))
    }
}

/// Answers at once with scores that depend on the position alone: good moves stay good,
/// so that the tree grows as deep as with playouts.
struct Nobody {
    roles: usize,
    finished: VecDeque<Finished>,
}

impl Offload for Nobody {
    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        let playouts = u64::from(batch.playouts);
        let words = batch.positions.len() / batch.count;
        let scores = batch.positions.chunks_exact(words).flat_map(|position| {
            let score = xxh3_64(bytemuck::cast_slice(position)) % 101;
            // Roles take turns in it: what one has, the other has not.
            (0..self.roles).map(move |role| if role % 2 == 0 { score } else { 100 - score })
        });
        self.finished.push_back(Finished {
            number: batch.number,
            outcomes: vec![Outcome { scored: playouts, ..Outcome::default() }; batch.count],
            scores: scores.map(|score| score * playouts).collect(),
        });
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
    let words = Words::of_game(game);
    let image = words.image();
    let options = SearchOptions { batch, ..SearchOptions::default() };
    let playouts = descents * u64::from(options.playouts_per_position);
    let settings = SearchOptions { budget: SearchBudget::Playouts(playouts), ..options }
        .check()
        .expect("sound settings");
    bencher
        .counter(ItemsCount::new(descents))
        .with_inputs(|| {
            let search = Search::new(&image, image.initial(), settings);
            search.expect("the root of the game")
        })
        .bench_local_values(|mut search| {
            let mut nobody = Nobody { roles: image.roles(), finished: VecDeque::new() };
            search.run(&mut nobody, |_| {}).expect("somebody answers").signature
        });
}
