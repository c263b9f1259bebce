//! Any image that parses, played in every way that there is: with all words, interpreted
//! and as native code, and with cores that share its gates.

use ruche_clusters::{ConnectSettings, Route, Topology, connect};
use ruche_game::Game;
use ruche_offload::Batch;
use ruche_playouts::{Amount, EngineChoice, PlayoutSettings, Playouts, widest_word};
use ruche_shared::wire::control::Mode;
use ruche_shared::{Image, WordWidth};

use super::meaning;

/// More than the lanes of most words, so that lanes are refilled.
const PLAYOUTS: u32 = 70;
const PLY_LIMIT: u32 = 6;
const SEED: u64 = 7;
/// Images that run through more words of code in a ply only cost time, as do those with
/// more slots.
const MOST_WORK: u64 = 1 << 16;
const MOST_SLOTS: usize = 1 << 14;

/// What became of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// They are no image, or one too large for here.
    Refused,
    /// An image that was played without harm, but whose results depend on how.
    Played,
    /// An image that brought the same in every way.
    Compared,
}

/// Plays an image in every way, and compares what each brings if the image has a definite
/// meaning.
///
/// # Panics
/// When ways differ, or one cannot play.
pub fn play_everywhere(bytes: &[u8]) -> Fate {
    let Ok(image) = Image::parse(bytes) else { return Fate::Refused };
    if image.slots() > MOST_SLOTS || meaning::work(&image) > MOST_WORK {
        return Fate::Refused;
    }
    let game = Game::of_image("fuzz", &bytes[..image.length()]).expect("it was parsed before");
    let is_definite = meaning::is_definite(&image);
    let mut expected = None;
    for (way, row) in rows(&game) {
        let expected = expected.get_or_insert_with(|| row.clone());
        assert!(!is_definite || row == *expected, "{way}: {row:?} instead of {expected:?}");
    }
    if is_definite { Fate::Compared } else { Fate::Played }
}

/// What playouts bring from the initial position, by the way they are played.
fn rows(game: &Game) -> impl Iterator<Item = (String, Vec<u64>)> {
    let widths = WordWidth::ALL.into_iter().filter(|width| *width <= widest_word());
    let here = widths.flat_map(|width| EngineChoice::available(width).map(move |it| (width, it)));
    let here = here.map(|(width, engine)| {
        (format!("{} lanes, {engine}", width.lanes()), here_row(game, width, engine))
    });
    let mut scratch = vec![0; game.image().slots()];
    let can_split = game.image().validate_strata(&mut scratch).is_ok();
    let split = [WordWidth::Eight, WordWidth::SixtyFour].into_iter().filter(move |_| can_split);
    here.chain(
        split.map(|width| (format!("{} lanes, split", width.lanes()), split_row(game, width))),
    )
}

fn here_row(game: &Game, width: WordWidth, engine: EngineChoice) -> Vec<u64> {
    let how = PlayoutSettings {
        width,
        engine,
        seed: SEED,
        ply_limit: PLY_LIMIT,
        ..PlayoutSettings::default()
    };
    let ready = Playouts::new(game, &how).expect("every image has code for available words");
    let played = ready.play_initial(Amount::Each(PLAYOUTS.into())).expect("its own position");
    assert_eq!(played.results.total().playouts(), u64::from(PLAYOUTS), "each counts once");
    played.results.row(0).to_vec()
}

/// By a cluster whose cores share the gates.
fn split_row(game: &Game, width: WordWidth) -> Vec<u64> {
    let topology =
        Topology { threads: 3, mode: Mode::Split, split_least: 1, width, ..Topology::default() };
    let settings = ConnectSettings { ply_limit: PLY_LIMIT, ..ConnectSettings::new(topology, SEED) };
    let mut cluster = connect(Route::Inproc, game, &settings).expect("a small game fits");
    let positions = game.image().initial().to_vec();
    let batch = Batch { number: 0, first: 0, positions, count: 1, playouts: PLAYOUTS };
    cluster.submit(batch).expect("the cluster takes it");
    cluster.collect().expect("the cluster plays it").results.row(0).to_vec()
}
