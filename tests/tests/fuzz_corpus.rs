//! The inputs that the fuzzer is started with and those that it once found,
//! replayed without a fuzzer.

use std::fs;
use std::path::{Path, PathBuf};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_game::Game;
use ruche_tests::fuzz::{Fate, TARGETS, play_image};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(name)
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("a readable folder").file_name();
    let mut names: Vec<String> =
        entries.map(|entry| name(entry).into_string().expect("a plain name")).collect();
    names.sort();
    names
}

fn replay(target: &str) {
    let (_, body) = TARGETS.into_iter().find(|(name, _)| *name == target).expect("a target");
    let folder = folder("corpus").join(target);
    let inputs = names(&folder);
    assert!(!inputs.is_empty(), "{target} has no inputs");
    for name in inputs {
        // Where a promise is broken, the last line printed names the input.
        println!("{target}/{name}");
        body(&fs::read(folder.join(&name)).expect("a readable input"));
    }
}

#[test]
fn parse_gdl_stands_all_inputs() {
    replay("parse_gdl");
}

#[test]
fn compile_gdl_stands_all_inputs() {
    replay("compile_gdl");
}

#[test]
fn parse_image_stands_all_inputs() {
    replay("parse_image");
}

#[test]
fn parse_frame_stands_all_inputs() {
    replay("parse_frame");
}

#[test]
fn parse_message_stands_all_inputs() {
    replay("parse_message");
}

/// Bundled games whose images are played in a moment.
const SMALL: [&str; 4] = ["tictactoe", "nim", "connectfour", "hex"];

/// Mutations of each of them.
const MUTATIONS: u64 = 100;

/// Changes some words of an image behind its checksum: numbers become others that are in
/// the image, or close to them.
fn mutate(image: &mut [u32], random: &mut Pcg64Mcg) {
    for _ in 0..random.random_range(1..4) {
        let [place, other] = [(); 2].map(|()| random.random_range(4..image.len()));
        image[place] = match random.random_range(0..4) {
            0 => image[other],
            1 => image[place] ^ 1 << random.random_range(0..32),
            2 => image[place].wrapping_add(random.random_range(0..5)).wrapping_sub(2),
            _ => image[place] & 0xFFFF_0000 | image[other] & 0xFFFF,
        };
    }
}

#[test]
fn mutated_images_play_alike_in_every_way() {
    let mut fates = Vec::new();
    for (name, seed) in SMALL.iter().flat_map(|name| (0..MUTATIONS).map(move |seed| (name, seed))) {
        let game = Game::bundled(name).expect("bundled");
        let mut words: Vec<u32> = bytemuck::pod_collect_to_vec(game.image_bytes());
        if seed > 0 {
            mutate(&mut words, &mut Pcg64Mcg::seed_from_u64(seed));
        }
        // Where a promise is broken, the last line printed names the input.
        println!("{name}, seed {seed}");
        fates.push(play_image(bytemuck::cast_slice(&words)));
    }
    for fate in [Fate::Refused, Fate::Played, Fate::Compared] {
        let count = fates.iter().filter(|found| **found == fate).count();
        assert!(count > fates.len() / 20, "{fate:?}: {count} of {}", fates.len());
    }
}

#[test]
fn every_target_has_its_file_and_its_corpus() {
    let mut targets = TARGETS.map(|(name, _)| name.to_owned());
    targets.sort();
    assert_eq!(names(&folder("corpus")), targets);
    assert_eq!(names(&folder("fuzz_targets")), targets.map(|name| name + ".rs"));
}
