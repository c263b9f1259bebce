//! A cluster whose results are known beforehand.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_shared::budget::TOTAL_BYTES;
use ruche_shared::image::{Parts, encode, encoded_length};
use ruche_shared::position::{position_bytes, position_words};
use ruche_shared::wire::control::{self, Hello, IMAGE_OFFSET, Load, Ready, Refusal, Text};
use ruche_shared::wire::results::Tally;
use ruche_shared::wire::work::NUMBER_BYTES;
use ruche_shared::wire::{Frame, Header, Kind, SCHEMA};
use ruche_shared::{Image, WordWidth};
use xxhash_rust::xxh3::Xxh3;
use zerocopy::IntoBytes;

use crate::frames;

/// Plays no game: its results are random, from a hash of seed, position and playouts.
#[derive(Clone, Debug)]
pub struct FakeCluster {
    /// The widest word that it says it can use.
    pub width: WordWidth,
    /// Positions that it says it takes at a time.
    pub queue: u32,
    /// Why it refuses every game, if it does.
    pub refusal: Option<String>,
    game: Option<FakeGame>,
}

#[derive(Clone, Copy, Debug)]
struct FakeGame {
    run: u32,
    seed: u64,
    roles: usize,
    fluents: usize,
}

impl Default for FakeCluster {
    fn default() -> Self {
        Self { width: WordWidth::SixtyFour, queue: 128, refusal: None, game: None }
    }
}

impl FakeCluster {
    /// What it says first.
    #[must_use]
    pub fn hello() -> Vec<u8> {
        let hello = Hello { schema: SCHEMA, cores: 16, memory: TOTAL_BYTES };
        frames::control(Header::new(Kind::Hello), &hello)
    }

    /// Whether it has a game.
    #[must_use]
    pub fn is_loaded(&self) -> bool {
        self.game.is_some()
    }

    /// Its answer to a frame. What it cannot read or use it drops, as every cluster
    /// should.
    pub fn answer(&mut self, frame: &[u8]) -> Option<Vec<u8>> {
        let Frame { header, kind, payload } = Frame::parse(frame).ok()?;
        match kind {
            Kind::Load => Some(self.load(&header, payload)),
            Kind::Work => self.play(&header, payload),
            _ => None,
        }
    }

    fn load(&mut self, header: &Header, payload: &[u8]) -> Vec<u8> {
        match (&self.refusal, FakeGame::parse(header.run, payload)) {
            (None, Some(game)) => {
                self.game = Some(game);
                let ready = Ready { width: self.width, free: 1000, queue: self.queue };
                frames::control(answer_header(header, Kind::Ready), &ready)
            }
            (refusal, _) => {
                let text = Text::of(refusal.as_deref().unwrap_or("this is no game"));
                let refusal = Refusal { cluster: None, text };
                frames::control(answer_header(header, Kind::Refused), &refusal)
            }
        }
    }

    fn play(&self, header: &Header, payload: &[u8]) -> Option<Vec<u8>> {
        let game = self.game.filter(|game| game.run == header.run)?;
        let (number, positions) = payload.split_at_checked(NUMBER_BYTES)?;
        let number = u64::from_le_bytes(number.try_into().ok()?);
        let positions = positions.chunks_exact(position_bytes(game.fluents).max(1));
        let results: Vec<u64> = (number..)
            .zip(positions)
            .flat_map(|(number, position)| {
                result(game.seed, number, position, header.playouts, game.roles)
            })
            .collect();
        Some(frames::frame(answer_header(header, Kind::Done), &[results.as_bytes()]))
    }
}

impl FakeGame {
    fn parse(run: u32, payload: &[u8]) -> Option<Self> {
        let load: Load = control::unpack(payload, Kind::Load).ok()?;
        let image: Vec<u32> = (payload.get(IMAGE_OFFSET..)?.as_chunks().0.iter())
            .map(|word| u32::from_le_bytes(*word))
            .collect();
        let image = Image::parse(image.as_bytes()).ok()?;
        Some(Self { run, seed: load.seed, roles: image.roles(), fluents: image.fluents() })
    }
}

fn answer_header(asked: &Header, kind: Kind) -> Header {
    Header { kind: kind as u16, ..*asked }
}

/// What a fake cluster finds when it plays from a position.
fn result(seed: u64, number: u64, position: &[u8], playouts: u32, roles: usize) -> Vec<u64> {
    let mut hash = Xxh3::with_seed(seed);
    hash.update([number, playouts.into()].as_bytes());
    hash.update(position);
    let mut random = Pcg64Mcg::seed_from_u64(hash.digest());
    let scored = random.random_range(0..=u64::from(playouts));
    let (unscored, plies) = (u64::from(playouts) - scored, random.random());
    let tally = Tally { scored, unscored, plies, ..Tally::default() };
    tally.numbers().into_iter().chain(random.random_iter().take(roles)).collect()
}

/// The right result of the position that a fake host sends under this number.
#[must_use]
pub fn expected_result(
    seed: u64,
    number: u64,
    playouts: u32,
    roles: usize,
    fluents: usize,
) -> Vec<u64> {
    result(seed, number, fake_position(number, fluents).as_bytes(), playouts, roles)
}

/// The position that a fake host sends under this number.
#[must_use]
pub fn fake_position(number: u64, fluents: usize) -> Vec<u32> {
    let random = Pcg64Mcg::seed_from_u64(number);
    let mut words: Vec<u32> = random.random_iter().take(position_words(fluents)).collect();
    if let (Some(last), used @ 1..) = (words.last_mut(), fluents % 32) {
        *last &= (1 << used) - 1;
    }
    words
}

/// The image of a game without moves, goals and code.
#[must_use]
pub fn fake_image(roles: usize, fluents: usize) -> Vec<u8> {
    let parts = Parts {
        wide: false,
        fluents: fluents as u32,
        slots: fluents as u32 + 1,
        terminal_slot: fluents as u32,
        move_starts: &vec![0; roles + 1],
        goals: &[],
        initial: &vec![0; position_words(fluents)],
        code: [&[], &[], &[]],
    };
    let mut image = vec![0; encoded_length(&parts)];
    // Only sizes that no image has can fail, and an empty image is refused by name.
    match encode(&parts, &mut image) {
        Ok(_) => image,
        Err(_) => Vec::new(),
    }
}
