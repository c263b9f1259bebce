//! Games, batches, and what a plain player makes of them.
#![allow(dead_code, reason = "each test file uses its own share")]

use ruche_search::{Batch, Direct, DirectSettings, Finished, Offload, OffloadError};
use ruche_shared::Image;
use ruche_shared::image::{Parts, encode, encoded_length};
use ruche_shared::position::position_words;

pub const SEED: u64 = 5;

/// An aligned image.
pub struct Words(pub Vec<u32>);

impl Words {
    /// A game of two roles in which nothing happens, with so many slots.
    pub fn of_slots(slots: u32) -> Self {
        let parts = Parts {
            wide: slots > u32::from(u16::MAX),
            fluents: 100,
            slots,
            terminal_slot: 0,
            move_starts: &[0, 1, 2],
            goals: &[],
            initial: &[0; 4],
            code: [&[], &[], &[]],
        };
        let mut words = vec![0; encoded_length(&parts) / size_of::<u32>()];
        encode(&parts, bytemuck::cast_slice_mut(&mut words)).expect("a sound image");
        Self(words)
    }

    pub fn of_game(name: &str) -> Self {
        let game = ruche_games::find(name).expect("a bundled game");
        let (description, _) = ruche_gdl::load(game.source.as_bytes()).expect("sound rules");
        let compiled =
            ruche_compiler::compile(&description, &Default::default()).expect("a compiled game");
        Self(bytemuck::pod_collect_to_vec(compiled.image()))
    }

    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }

    pub fn image(&self) -> Image<'_> {
        Image::parse(self.bytes()).expect("a sound image")
    }
}

pub fn batches(image: &Image<'_>, counts: &[usize], playouts: u32) -> Vec<Batch> {
    let mut first = 0;
    let batch = |(number, &count): (usize, &usize)| {
        let positions = image.initial().repeat(count);
        assert_eq!(positions.len(), count * position_words(image.fluents()));
        first += count as u64;
        let first = first - count as u64;
        Batch { number: number as u64, first, playouts, positions, count }
    };
    counts.iter().enumerate().map(batch).collect()
}

pub fn play(offload: &mut impl Offload, batches: &[Batch]) -> Result<Vec<Finished>, OffloadError> {
    batches.iter().try_for_each(|batch| offload.submit(batch.clone()))?;
    let mut finished: Vec<_> =
        batches.iter().map(|_| offload.collect()).collect::<Result<_, _>>()?;
    finished.sort_by_key(|finished| finished.number);
    Ok(finished)
}

pub fn expected(image: &Image<'_>, batches: &[Batch]) -> Vec<Finished> {
    let settings = DirectSettings { seed: SEED, ..DirectSettings::default() };
    let mut direct = Direct::new(image, settings).expect("it plays directly");
    play(&mut direct, batches).expect("it plays directly")
}
