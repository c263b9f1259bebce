//! What the tree costs: selection, expansion and backup of each leaf, with
//! playouts that cost nothing. `cargo bench -p ruche-search`

use divan::Bencher;
use divan::counter::ItemsCount;
use ruche_kernel::playouts::Outcome;
use ruche_search::{Batch, Finished, Offload, OffloadError, Search, SearchBudget, SearchOptions};
use ruche_shared::Image;

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

/// Answers at once with scores that depend on the position's number alone.
struct Nobody {
    roles: usize,
    finished: Option<Finished>,
}

impl Offload for Nobody {
    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        let playouts = u64::from(batch.playouts);
        let score = |number: u64| (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) % 101;
        let numbers = (0..(batch.count * self.roles) as u64).map(|index| batch.first + index);
        self.finished = Some(Finished {
            number: batch.number,
            outcomes: vec![Outcome { scored: playouts, ..Outcome::default() }; batch.count],
            scores: numbers.map(|number| score(number) * playouts).collect(),
        });
        Ok(())
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        self.finished.take().ok_or(OffloadError::Idle)
    }
}

/// Leaves and ends of one sample.
const DESCENTS: u64 = 25_000;

#[divan::bench(
    args = ["tictactoe", "connectfour", "breakthrough", "othello", "hex", "blocker"],
    consts = [1, 256],
    sample_count = 10,
    sample_size = 1
)]
fn leaves<const BATCH: usize>(bencher: Bencher<'_, '_>, game: &str) {
    let words = Words::of_game(game);
    let image = words.image();
    let options = SearchOptions { batch: BATCH, ..SearchOptions::default() };
    let playouts = DESCENTS * u64::from(options.playouts_per_position);
    let settings = SearchOptions { budget: SearchBudget::Playouts(playouts), ..options }
        .check()
        .expect("sound settings");
    bencher
        .counter(ItemsCount::new(DESCENTS))
        .with_inputs(|| {
            let search = Search::new(&image, image.initial(), settings);
            search.expect("the root of the game")
        })
        .bench_local_values(|mut search| {
            let mut nobody = Nobody { roles: image.roles(), finished: None };
            search.run(&mut nobody, |_| {}).map(|report| report.signature)
        });
}
