//! The hot paths of playouts: choosing moves, giving lanes new streams, and all
//! of it together, by game and word. `cargo bench -p ruche-playouts`; the gates
//! have benchmarks of their own in the kernel and in `ruche-native`.

use std::hint::black_box;

use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher};
use ruche_eval::Word;
use ruche_eval::chooser::{Chooser, working_words};
use ruche_eval::streams::Streams;
use ruche_eval::word::Job;
use ruche_game::Game;
use ruche_playouts::words::{Task, with_word};
use ruche_playouts::{Amount, PlayoutSettings, Playouts};
use ruche_shared::Image;
use ruche_shared::WordWidth;
use ruche_shared::image::{Parts, encode, encoded_length};
use ruche_shared::stream::PositionStreams;

/// Playouts allocate nothing; the profile would show it.
#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

const WIDTHS: [WordWidth; 3] = [WordWidth::One, WordWidth::SixtyFour, WordWidth::Wide256];

/// Two roles with so many moves each, and nothing else.
fn game_of_moves(moves: u32) -> Game {
    let parts = Parts {
        wide: false,
        fluents: 1,
        slots: 1 + 2 * moves,
        terminal_slot: 0,
        move_starts: &[0, moves, 2 * moves],
        goals: &[],
        initial: &[0],
        code: [&[], &[], &[]],
    };
    let mut bytes = vec![0; encoded_length(&parts)];
    encode(&parts, &mut bytes).expect("a sound image");
    Game::of_image("moves", &bytes).expect("a sound image")
}

/// Chooses for two roles that take turns in different lanes, an eighth of their
/// moves being legal.
struct ChooserBench<'a, 'b> {
    image: Image<'a>,
    bencher: Bencher<'a, 'b>,
}

impl Task for ChooserBench<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let half = W::repeated(0x5555_5555_5555_5555);
        let mut legal = vec![W::ZERO; self.image.moves()];
        for role in 0..2 {
            let plays = if role == 0 { half } else { !half };
            let moves = &mut legal[self.image.move_range(role)];
            for (number, word) in moves.iter_mut().enumerate() {
                *word =
                    plays & W::repeated(0x0101_0101_0101_0101_u64.rotate_left(3 * number as u32));
            }
            moves[0] = !plays;
        }
        let mut memory = vec![W::ZERO; working_words(&self.image)];
        let mut chooser = Chooser::new(&self.image, &mut memory);
        let mut streams = streams::<W>();
        let mut moves = legal.clone();
        self.bencher.counter(ItemsCount::new(W::LANES)).bench_local(|| {
            moves.copy_from_slice(&legal);
            chooser.choose(&self.image, black_box(&mut moves), &mut streams)
        });
    }
}

fn streams<W: Word>() -> Streams<W> {
    let mut streams = Streams::new();
    let mut numbers = 0..;
    let source = PositionStreams::new(1, 2);
    streams.set(W::ONES, |_| source.playout(numbers.next().unwrap_or(0)));
    streams
}

#[divan::bench(args = [10, 50, 155, 400], consts = [1, 64, 256])]
fn chooser<const LANES: u32>(bencher: Bencher<'_, '_>, moves: u32) {
    let game = game_of_moves(moves);
    let image = *game.image();
    with_word(WordWidth::of_lanes(LANES).expect("a width"), ChooserBench { image, bencher });
}

/// Gives some lanes new streams, in a function that is compiled for the word.
struct NewStreams<'a, W: Word> {
    streams: &'a mut Streams<W>,
    lanes: W,
    source: PositionStreams,
    number: &'a mut u64,
}

impl<W: Word> Job for NewStreams<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.streams.set(self.lanes, |_| {
            *self.number += 1;
            self.source.playout(*self.number)
        });
    }
}

/// Gives some lanes new streams.
struct RefillBench<'a, 'b> {
    lanes: usize,
    bencher: Bencher<'a, 'b>,
}

impl Task for RefillBench<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Word>(self) {
        let mut lanes = W::ZERO;
        (0..self.lanes).for_each(|number| lanes.set_lane(number * W::LANES / self.lanes, true));
        let mut streams = streams::<W>();
        let source = PositionStreams::new(3, 4);
        let mut number = 0;
        self.bencher.counter(ItemsCount::new(self.lanes)).bench_local(|| {
            let (streams, number) = (&mut streams, &mut number);
            W::call(NewStreams { streams, lanes: black_box(lanes), source, number });
        });
    }
}

#[divan::bench(args = [1, 2, 3, 4, 8, 16, 64], consts = [64, 256])]
fn refill<const LANES: u32>(bencher: Bencher<'_, '_>, lanes: usize) {
    with_word(WordWidth::of_lanes(LANES).expect("a width"), RefillBench { lanes, bencher });
}

#[divan::bench(
    args = ["tictactoe", "connectfour", "breakthrough", "othello", "hex", "eightpuzzle"],
    consts = [0, 1, 2],
    sample_count = 20
)]
fn playouts_of<const WIDTH: usize>(bencher: Bencher<'_, '_>, game: &str) {
    let game = Game::bundled(game).expect("a bundled game");
    let width = WIDTHS[WIDTH];
    let playouts = 16 * u64::from(width.lanes());
    let how = PlayoutSettings { width, ..PlayoutSettings::default() };
    let ready = Playouts::new(&game, &how).expect("the game is ready");
    bencher.counter(ItemsCount::new(playouts)).bench(|| ready.play_initial(Amount::Each(playouts)));
}

/// As many playouts whatever the number from each position, as leaves of a tree get
/// them: what it costs that the lanes of a word play for many positions.
#[divan::bench(
    args = ["connectfour", "breakthrough", "othello"],
    consts = [1, 4, 16, 64, 1024],
    sample_count = 20
)]
fn playouts_each<const EACH: u64>(bencher: Bencher<'_, '_>, game: &str) {
    const ALL: u64 = 1 << 16;
    let game = Game::bundled(game).expect("a bundled game");
    let positions = vec![game.image().initial(); (ALL / EACH) as usize];
    let ready = Playouts::new(&game, &PlayoutSettings::default()).expect("the game is ready");
    bencher.counter(ItemsCount::new(ALL)).bench(|| ready.play(0, &positions, Amount::Each(EACH)));
}
