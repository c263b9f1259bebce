//! Whatever parses can be evaluated: no operand leaves the arena (debug
//! assertions watch), and every section ends.

#[path = "../../../shared/tests/support/mod.rs"]
mod support;

use proptest::prelude::*;
use ruche_eval::{Evaluator, OneLane, Word};
use ruche_shared::Image;
use ruche_shared::image::{Opcode, Section, header};
use support::{Bytes, Circuit, line_of_three};

/// Runs all that an image offers and returns what the slots hold in the end.
fn evaluate<W: Word>(image: &Image<'_>) -> Vec<W> {
    let mut slots = vec![W::ZERO; image.slots()];
    let mut evaluator = Evaluator::new(image, &mut slots).unwrap();
    for lane in 0..W::LANES {
        evaluator.load(lane, image.initial()).unwrap();
    }
    for section in Section::ALL {
        evaluator.run(section);
    }
    let _ = evaluator.terminal();
    for role in 0..image.roles().min(4) {
        let _ = evaluator.legal_moves(role);
        let _ = evaluator.score(0, role);
    }
    slots
}

/// All lanes start alike, so that they must stay alike, whatever the code does.
fn lanes_agree(bytes: &Bytes) -> Result<(), TestCaseError> {
    let Ok(image) = bytes.parse() else { return Ok(()) };
    if image.slots() > 1 << 16 {
        return Ok(());
    }
    let (one, many) = (evaluate::<OneLane>(&image), evaluate::<u64>(&image));
    for (one, many) in one.into_iter().zip(many) {
        prop_assert_eq!(many, if one.lane(0) { u64::MAX } else { 0 });
    }
    Ok(())
}

/// Runs of random gates over twelve slots, of which two are the state.
fn random_run() -> impl Strategy<Value = Vec<u32>> {
    let opcodes: Vec<Opcode> = Opcode::all().filter(|opcode| opcode.operands() > 0).collect();
    let slots = prop::collection::vec(2..12_u32, 4 * 5);
    (prop::sample::select(opcodes), 1..5_usize, slots).prop_map(|(opcode, gates, slots)| {
        let mut words = vec![header(opcode, gates as u32, false)];
        words.extend(&slots[..gates * opcode.operands()]);
        words
    })
}

proptest! {
    #[test]
    fn mutated_images_stay_inside_their_arena(
        wide: bool,
        changes in prop::collection::vec((4_usize..80, any::<u32>(), any::<bool>()), 1..4),
    ) {
        let mut bytes = line_of_three(wide).encode();
        for (word, value, small) in changes {
            let words = bytes.0.len();
            bytes.0[word % words] = if small { value % 40 } else { value };
        }
        lanes_agree(&bytes.sealed())?;
    }

    #[test]
    fn changed_code_words_stay_inside_their_arena(
        section in 0..3_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..40_u32), 1..6),
    ) {
        let mut circuit = line_of_three(false);
        for (place, value) in changes {
            let code = &mut circuit.code[section];
            let place = place.index(code.len());
            code[place] = value;
        }
        lanes_agree(&circuit.encode())?;
    }

    #[test]
    fn random_code_stays_inside_its_arena(
        outside in prop::collection::vec(random_run(), 0..6),
        inside in prop::collection::vec(random_run(), 0..6),
        variables in prop::collection::vec(2..12_u32, 1..5),
    ) {
        let mut circuit = Circuit::new(2, 12, false);
        circuit.initial = vec![0b10];
        let grow = |run: &Vec<u32>| Opcode::of_header(run[0]) == Some(Opcode::Grow);
        for run in outside.iter().filter(|run| !grow(run)) {
            circuit.push(Section::Legal, run);
        }
        circuit.stratum(Section::Legal);
        circuit.fixpoint(Section::Legal, &variables, &inside.concat());
        let bytes = circuit.encode();
        prop_assert!(bytes.parse().is_ok(), "{:?}", bytes.parse());
        lanes_agree(&bytes)?;
    }

    #[test]
    fn random_bytes_behind_a_good_beginning_never_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let mut words = line_of_three(false).encode().0[..16].to_vec();
        words.extend(&Bytes::new(&bytes).0);
        lanes_agree(&Bytes(words).sealed())?;
    }
}
