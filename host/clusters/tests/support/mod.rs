//! Games, batches, and what a plain player makes of them.
#![allow(dead_code, reason = "each test file uses its own share")]

use ruche_clusters::{ConnectSettings, Topology};
use ruche_game::Game;
use ruche_offload::{Batch, Direct, DirectSettings, Finished, Offload, OffloadError};
use ruche_shared::image::{Opcode, Parts, encode, encoded_length, header, max_count};

pub const SEED: u64 = 5;

pub fn bundled(name: &str) -> Game {
    Game::bundled(name).expect("a bundled game")
}

/// A game of one or two roles in which nothing happens, with so many slots.
pub fn game_of_slots(roles: usize, slots: u32) -> Game {
    let wide = slots > u32::from(u16::MAX);
    let zeroes: Vec<u32> = (100..slots).collect();
    let runs = zeroes.chunks(max_count(wide) as usize);
    let legal: Vec<u32> = runs
        .flat_map(|run| [&[header(Opcode::Zero, run.len() as u32, wide)], run].concat())
        .collect();
    let parts = Parts {
        wide,
        fluents: 100,
        slots,
        terminal_slot: 0,
        move_starts: &[0, 1, 2][..=roles],
        goals: &[],
        initial: &[0; 4],
        code: [&legal, &[], &[]],
    };
    let mut bytes = vec![0; encoded_length(&parts)];
    encode(&parts, &mut bytes).expect("a sound image");
    Game::of_image("slots", &bytes).expect("a sound image")
}

pub fn settings(topology: &Topology) -> ConnectSettings {
    ConnectSettings::new(*topology, SEED)
}

pub fn batches(game: &Game, counts: &[usize], playouts: u32) -> Vec<Batch> {
    let mut first = 0;
    let batch = |(number, &count): (usize, &usize)| {
        let positions = game.image().initial().repeat(count);
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

pub fn expected(game: &Game, batches: &[Batch]) -> Vec<Finished> {
    let settings = DirectSettings { seed: SEED, ..DirectSettings::default() };
    let mut direct = Direct::new(game, settings).expect("it plays directly");
    play(&mut direct, batches).expect("it plays directly")
}
