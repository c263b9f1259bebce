//! What native code refuses, and what it promises about memory.

use ruche_eval::circuit::Circuit;
use ruche_eval::word::OneLane;
use ruche_game::Game;
use ruche_native::{NativeCircuit, NativeCode, NativeError, is_supported};
use ruche_shared::image::Section;

fn tictactoe() -> Game {
    Game::bundled("tictactoe").expect("a bundled game")
}

#[test]
fn words_that_are_not_one_bit_per_lane_are_refused() {
    let error = NativeCircuit::<OneLane>::new(tictactoe().image()).expect_err("no such code");
    assert_eq!(error, NativeError::WordSize { lanes: 1, bytes: 1 });
}

#[test]
fn odd_numbers_of_lanes_are_refused_by_name() {
    let game = tictactoe();
    for lanes in [0, 1, 63, 96, 1024, usize::MAX] {
        assert!(!is_supported(lanes), "{lanes}");
        let error = NativeCode::compile(game.image(), lanes).expect_err("no such code");
        assert!(matches!(error, NativeError::Lanes { .. } | NativeError::Machine), "{error}");
    }
}

#[test]
fn what_is_supported_compiles_and_what_is_not_does_not() {
    let game = tictactoe();
    for lanes in [64, 128, 256, 512] {
        let code = NativeCode::compile(game.image(), lanes);
        assert_eq!(code.is_ok(), is_supported(lanes), "{lanes} lanes");
    }
}

#[test]
#[should_panic(expected = "hands in all slots")]
fn too_few_slots_are_not_written_beyond() {
    let game = tictactoe();
    let image = game.image();
    let Ok(native) = NativeCircuit::<u64>::new(image) else {
        panic!("skipped: whoever hands in all slots does it elsewhere");
    };
    native.run(Section::Legal, &mut vec![0_u64; image.slots() - 1]);
}

/// Code that ran out of registers would spill beyond its slots here.
#[test]
fn slots_beyond_those_of_the_image_stay_as_they_are() {
    let game = Game::bundled("othello").expect("a bundled game");
    let image = game.image();
    let Ok(native) = NativeCircuit::<u64>::new(image) else {
        println!("skipped: not on this machine");
        return;
    };
    let mut slots = vec![0x5555_5555_5555_5555_u64; image.slots() + 64];
    for section in Section::ALL {
        let (_, used) = slots.split_at_mut(32);
        native.run(section, &mut used[..image.slots()]);
    }
    let beyond = slots[..32].iter().chain(&slots[32 + image.slots()..]);
    assert!(beyond.copied().all(|slot| slot == 0x5555_5555_5555_5555));
}
