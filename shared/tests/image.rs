//! What an image promises: parts come back as they were written, and every kind
//! of damage is refused by its name.

mod support;

use proptest::prelude::*;
use ruche_shared::image::{
    Code, CodeFault, CodeSize, EncodeError, Expression, FlowError, FlowFault, Goal, HEADER_BYTES,
    IDLE_SLOTS, ImageError, Instruction, Instructions, Join, MAX_FIXPOINT_WORK, MAX_FLUENTS,
    MAX_ROLES, MAX_SLOTS, MAX_VARIABLES, NARROW_SLOTS, Opcode, Pair, PairLink, Section, encode,
    encoded_length, header, max_count,
};
use support::{AND, Bytes, Circuit, line_of_three, run};

#[test]
fn parts_come_back_as_they_were_written() {
    for wide in [false, true] {
        let circuit = line_of_three(wide);
        let bytes = circuit.encode();
        let image = bytes.parse().unwrap();
        assert_eq!((image.roles(), image.fluents(), image.moves()), (2, 7, 8));
        assert_eq!((image.slots(), image.terminal_slot()), (30, 18));
        assert_eq!((image.length(), image.is_wide()), (bytes.bytes().len(), wide));
        assert_eq!((image.move_range(0), image.move_range(1)), (0..4, 4..8));
        assert_eq!((image.move_slots(0), image.move_slots(1)), (7..11, 11..15));
        assert_eq!(image.goals().collect::<Vec<_>>(), circuit.goals);
        assert_eq!(image.role_goals(1).collect::<Vec<_>>(), circuit.goals[2..]);
        assert_eq!(image.role_goals(2).len(), 0);
        assert_eq!(image.initial(), circuit.initial);
        for section in Section::ALL {
            let words: Vec<u32> = match image.code(section) {
                Code::Narrow(words) => words.iter().copied().map(u32::from).collect(),
                Code::Wide(words) => words.to_vec(),
            };
            assert_eq!(words, circuit.code[section.index()]);
        }
    }
}

#[test]
fn the_bytes_are_laid_out_as_drawn() {
    let mut circuit = Circuit::new(3, 5, false);
    circuit.move_starts = vec![0, 0, 1];
    circuit.goals = vec![Goal { role: 1, value: 100, slot: 4 }];
    circuit.initial = vec![0b101];
    circuit.run(Section::Legal, Opcode::One, &[[3], [4]]);
    let bytes = circuit.encode();
    #[rustfmt::skip]
    let expected: [u32; 22] = [
        u32::from_le_bytes(*b"RUCH"), 2, 88, bytes.0[3],
        2, 3, 1, 1, 5, 4, 3, 0, 0, 0,
        0, 0, 1,
        100 << 16 | 1, 4,
        0b101,
        3 << 16 | 2 << 8 | 4, 4,
    ];
    assert_eq!(bytes.0, expected);
    let checksum = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC).checksum(&bytes.bytes()[16..]);
    assert_eq!(bytes.0[3], checksum);
}

#[test]
fn what_lies_behind_the_image_is_not_looked_at() {
    let mut bytes = line_of_three(false).encode();
    let length = bytes.bytes().len();
    bytes.0.extend([0xDEAD_BEEF; 5]);
    let with_names = &bytes.bytes()[..length + 7];
    assert_eq!(ruche_shared::Image::parse(with_names).unwrap().length(), length);
}

/// The error of the sample after one 32-bit word was changed; the checksum fits
/// unless the word is covered by no checksum.
fn with_word(word: usize, value: u32) -> ImageError {
    let mut bytes = line_of_three(false).encode();
    bytes.0[word] = value;
    let bytes = if word < 4 { bytes } else { bytes.sealed() };
    bytes.parse().unwrap_err()
}

/// The error of the sample after a change of its parts.
fn with(change: impl FnOnce(&mut Circuit)) -> ImageError {
    let mut circuit = line_of_three(false);
    change(&mut circuit);
    circuit.encode().parse().unwrap_err()
}

#[test]
fn too_few_bytes_are_refused() {
    let bytes = line_of_three(false).encode();
    let error = ruche_shared::Image::parse(&bytes.bytes()[..HEADER_BYTES - 1]).unwrap_err();
    assert_eq!(error, ImageError::TooShort { found: HEADER_BYTES - 1 });
    assert_eq!(ruche_shared::Image::parse(&[]).unwrap_err(), ImageError::TooShort { found: 0 });
}

#[test]
fn misaligned_bytes_are_refused() {
    let image = line_of_three(false).encode();
    let mut shifted = vec![0];
    shifted.extend_from_slice(image.bytes());
    let shifted = Bytes::new(&shifted);
    let error = ruche_shared::Image::parse(&shifted.bytes()[1..]).unwrap_err();
    assert_eq!(error, ImageError::Misaligned { beyond: 1 });
}

#[test]
fn foreign_bytes_are_refused() {
    assert_eq!(with_word(0, u32::from_le_bytes(*b"RUCK")), ImageError::Magic);
    assert_eq!(with_word(1, 1), ImageError::Version { found: 1 });
    assert_eq!(with_word(1, 2 | 2 << 16), ImageError::Flags { found: 2 });
}

#[test]
fn a_wrong_length_is_refused() {
    let length = line_of_three(false).encode().bytes().len();
    let stated = length as u32 + 4;
    assert_eq!(with_word(2, stated), ImageError::CutOff { stated, found: length });
    for stated in [0, 52, length as u32 - 2] {
        assert_eq!(with_word(2, stated), ImageError::Length { stated, needed: length as u64 });
    }
    assert!(matches!(with_word(2, length as u32 - 4), ImageError::Checksum { .. }));
}

#[test]
fn any_changed_bit_behind_the_checksum_is_damage() {
    let image = line_of_three(false).encode();
    for bit in 12 * 8..image.bytes().len() * 8 {
        let mut bytes = image.clone();
        bytes.bytes_mut()[bit / 8] ^= 1 << (bit % 8);
        assert!(matches!(bytes.parse().unwrap_err(), ImageError::Checksum { .. }), "bit {bit}");
    }
}

#[test]
fn counts_that_contradict_the_length_are_refused() {
    for word in [4, 7, 10, 11, 12] {
        for value in [1000, u32::MAX] {
            assert!(matches!(with_word(word, value), ImageError::Length { .. }), "word {word}");
        }
    }
    assert!(matches!(with_word(5, u32::MAX), ImageError::Length { .. }));
}

#[test]
fn the_reserved_field_must_be_zero() {
    assert_eq!(with_word(13, 7), ImageError::Reserved { found: 7 });
}

#[test]
fn a_game_without_roles_or_with_too_many_is_refused() {
    let none = with(|circuit| circuit.move_starts = vec![8]);
    assert_eq!(none, ImageError::Roles { found: 0 });
    let many = with(|circuit| circuit.move_starts = vec![0; MAX_ROLES as usize + 2]);
    assert_eq!(many, ImageError::Roles { found: MAX_ROLES + 1 });
}

#[test]
fn slots_must_hold_state_moves_and_terminal() {
    let few = ImageError::TooFewSlots { slots: 14, fluents: 7, moves: 8 };
    assert_eq!(with(|circuit| circuit.slots = 14), few);
    assert!(matches!(with_word(6, u32::MAX), ImageError::TooFewSlots { .. }));
    let terminal = ImageError::TerminalSlot { slot: 30, slots: 30 };
    assert_eq!(with(|circuit| circuit.terminal_slot = 30), terminal);
}

#[test]
fn code_words_must_be_able_to_name_all_slots() {
    let slots = NARROW_SLOTS + 1;
    let narrow = ImageError::TooManySlots { slots, limit: NARROW_SLOTS, wide: false };
    assert_eq!(with(|circuit| circuit.slots = slots), narrow);
    let mut circuit = written(slots, true);
    assert_eq!(circuit.encode().parse().unwrap().slots(), slots as usize);
    circuit.slots = MAX_SLOTS + 1;
    let wide = ImageError::TooManySlots { slots: MAX_SLOTS + 1, limit: MAX_SLOTS, wide: true };
    assert_eq!(circuit.encode().parse().unwrap_err(), wide);
}

/// A circuit whose section legal writes all slots.
fn written(slots: u32, wide: bool) -> Circuit {
    let mut circuit = Circuit::new(0, slots, wide);
    let gates: Vec<[u32; 1]> = (0..slots).map(|slot| [slot]).collect();
    for run in gates.chunks(max_count(wide) as usize) {
        circuit.run(Section::Legal, Opcode::Zero, run);
    }
    circuit
}

#[test]
fn a_short_image_cannot_ask_for_much_memory() {
    let mut circuit = Circuit::new(0, MAX_SLOTS, true);
    let idle = |slots, fluents, words| ImageError::IdleSlots { slots, fluents, words };
    assert_eq!(circuit.encode().bytes().len(), 64);
    assert_eq!(circuit.encode().parse().unwrap_err(), idle(MAX_SLOTS, 0, 0));
    circuit = written(100, false);
    circuit.slots = IDLE_SLOTS + 101;
    assert!(circuit.encode().parse().is_ok(), "some may be idle");
    circuit.slots = IDLE_SLOTS + 102;
    assert_eq!(circuit.encode().parse().unwrap_err(), idle(IDLE_SLOTS + 102, 0, 101));
    circuit = Circuit::new(MAX_FLUENTS, MAX_FLUENTS, true);
    assert!(circuit.encode().parse().is_ok());
    circuit = Circuit::new(MAX_FLUENTS + 1, MAX_FLUENTS + 1, true);
    let fluents = ImageError::TooManyFluents { found: MAX_FLUENTS + 1 };
    assert_eq!(circuit.encode().parse().unwrap_err(), fluents);
}

/// A circuit with fixpoints of so many variables, each grown once in every round.
fn fixpoints(count: usize, variables: u32) -> Circuit {
    let mut circuit = Circuit::new(0, variables, true);
    let variables: Vec<u32> = (0..variables).collect();
    let growth: Vec<[u32; 2]> = variables.iter().map(|&variable| [variable, 0]).collect();
    let body = run(Opcode::Grow, &growth, true);
    for _ in 0..count {
        circuit.fixpoint(Section::Legal, &variables, &body);
        circuit.stratum(Section::Legal);
    }
    circuit
}

#[test]
fn fixpoints_cannot_ask_for_endless_rounds() {
    assert!(fixpoints(1, MAX_VARIABLES).encode().parse().is_ok());
    let mut circuit = fixpoints(1, MAX_VARIABLES);
    circuit.code[0].insert(4, 0);
    circuit.code[0][1] += 1;
    let fault = CodeFault::TooManyVariables { count: MAX_VARIABLES as usize + 1 };
    let error = ImageError::Code { section: Section::Legal, word: 0, fault };
    assert_eq!(circuit.encode().parse().unwrap_err(), error);
    // In each round a header and two operands for each variable.
    let each = u64::from(MAX_VARIABLES + 1) * u64::from(2 * MAX_VARIABLES + 1);
    let most = (MAX_FIXPOINT_WORK / each) as usize;
    assert!(fixpoints(most, MAX_VARIABLES).encode().parse().is_ok());
    let found = (most as u64 + 1) * each;
    let error = fixpoints(most + 1, MAX_VARIABLES).encode().parse().unwrap_err();
    assert_eq!(error, ImageError::FixpointWork { found });
}

#[test]
fn moves_must_be_divided_among_the_roles() {
    let at = |role, start| ImageError::MoveStart { place: 56 + 4 * role, role, start };
    assert_eq!(with(|circuit| circuit.move_starts[0] = 1), at(0, 1));
    assert_eq!(with(|circuit| circuit.move_starts[1] = 9), at(2, 8));
    assert_eq!(with_word(16, 7), at(2, 7));
}

#[test]
fn goals_must_be_in_order_and_in_range() {
    const GOALS: usize = 56 + 12;
    let role = ImageError::GoalRole { place: GOALS + 24, role: 2, last: 1 };
    assert_eq!(with(|circuit| circuit.goals[3].role = 2), role);
    let slot = ImageError::GoalSlot { place: GOALS + 8, slot: 30, slots: 30 };
    assert_eq!(with(|circuit| circuit.goals[1].slot = 30), slot);
    let order = ImageError::GoalOrder { place: GOALS + 8 };
    assert_eq!(with(|circuit| circuit.goals[1].value = 0), order);
    assert_eq!(with(|circuit| circuit.goals[0].value = 101), order);
}

#[test]
fn padding_must_be_zero() {
    const INITIAL: usize = 56 + 12 + 32;
    let state = with(|circuit| circuit.initial[0] |= 1 << 7);
    assert_eq!(state, ImageError::Padding { place: INITIAL });
    let circuit = line_of_three(false);
    let [legal, goal, _] = circuit.code.each_ref().map(Vec::len);
    assert_eq!(goal % 2, 1, "the sample's goal section needs padding");
    let mut bytes = circuit.encode();
    let last = (INITIAL / 4 + 1) + legal.div_ceil(2) + goal / 2;
    bytes.0[last] |= 1 << 31;
    assert_eq!(bytes.sealed().parse().unwrap_err(), ImageError::Padding { place: last * 4 });
}

/// The fault of a section that consists of just these words, narrow and wide.
fn fault_of(section: Section, words: impl Fn(bool) -> Vec<u32>) -> (usize, CodeFault) {
    let [narrow, wide] = [false, true].map(|wide| {
        let mut circuit = line_of_three(wide);
        circuit.code[section.index()] = words(wide);
        match circuit.encode().parse().unwrap_err() {
            ImageError::Code { section: found, word, fault } => {
                assert_eq!(found, section);
                (word, fault)
            }
            other => panic!("not a fault of the code: {other}"),
        }
    });
    assert_eq!(narrow, wide);
    narrow
}

#[test]
fn malformed_runs_are_refused() {
    let legal = |words: &[u32]| fault_of(Section::Legal, |_| words.to_vec());
    for code in [7, 206, 255] {
        let reserved = CodeFault::ReservedOpcode { code };
        assert_eq!(legal(&[0, 1 << 8 | u32::from(code)]), (1, reserved));
    }
    let stratum = CodeFault::NoRun { opcode: Opcode::Stratum, count: 3 };
    assert_eq!(legal(&[3 << 8]), (0, stratum));
    assert_eq!(legal(&[8]), (0, CodeFault::EmptyRun));
    let short = CodeFault::RunTooLong { opcode: AND, count: 2 };
    assert_eq!(legal(&[0, 2 << 8 | 8, 20, 1, 2, 21, 1]), (1, short));
    assert_eq!(legal(&[1 << 8 | 5, 20, 1]), (0, CodeFault::GrowOutside));
}

#[test]
fn what_has_another_encoding_already_is_refused() {
    let refused = |code: u8| {
        let fault = fault_of(Section::Legal, |_| vec![1 << 8 | u32::from(code), 20, 1, 2, 3, 4]);
        assert_eq!(fault, (0, CodeFault::ReservedOpcode { code }));
    };
    // (a AND b) OR (c NOR d) is fine, (a NOR b) OR (c AND d) is the same again.
    let [sorted, reversed] = [(0, 5), (5, 0)].map(|(first, second)| 134 + 12 * second + 6 + first);
    assert!(Opcode::of_code(sorted).is_some());
    refused(reversed);
    // (a AND b) AND (c AND d) is a chain.
    refused(134);
    // (a ANDNOT b) AND c is (a AND c) ANDNOT b.
    refused(14 + 2);
}

#[test]
fn expressions_are_encoded_as_drawn() {
    let code = |expression| Opcode::Gate(expression).code();
    assert_eq!(code(Expression::Two(Pair::Nor)), 8 + 5);
    assert_eq!(code(Expression::Three(Pair::Or, Join::AndNot)), 14 + 6 * 2 + 1);
    let four = Expression::Four(Pair::Nand, Join::AndNot, Join::Or);
    assert_eq!(code(four), 38 + 24 * 2 + 6 + 4);
    let pairs = Expression::Pairs(Pair::AndNot, PairLink::Or, Pair::Nor);
    assert_eq!(code(pairs), 134 + 12 * 5 + 6 + 2);
}

#[test]
fn operands_outside_the_slots_are_refused() {
    for opcode in Opcode::all().filter(|opcode| opcode.operands() > 0) {
        for wrong in 0..opcode.operands() {
            let mut gate = vec![20; opcode.operands()];
            gate[wrong] = 30;
            let words = |wide| {
                let mut body = vec![header(opcode, 1, wide)];
                body.extend(&gate);
                support::fixpoint(&[20], &body, wide)
            };
            let fault = CodeFault::SlotRange { slot: 30, slots: 30 };
            assert_eq!(fault_of(Section::Next, words), (6 + wrong, fault), "{opcode:?}");
        }
    }
    let variable = |wide| support::fixpoint(&[20, 99], &[], wide);
    let fault = CodeFault::SlotRange { slot: 99, slots: 30 };
    assert_eq!(fault_of(Section::Next, variable), (5, fault));
}

#[test]
fn malformed_fixpoints_are_refused() {
    let inner = |wide| support::fixpoint(&[20], &[], wide);
    let nested = |wide| support::fixpoint(&[20], &inner(wide), wide);
    assert_eq!(fault_of(Section::Legal, nested), (5, CodeFault::NestedFixpoint));
    let gate = |wide| run(Opcode::Zero, &[[21]], wide);
    let before = |wide| [gate(wide), inner(wide)].concat();
    assert_eq!(fault_of(Section::Legal, before), (2, CodeFault::CrowdedFixpoint));
    let after = |wide| [inner(wide), gate(wide)].concat();
    assert_eq!(fault_of(Section::Legal, after), (5, CodeFault::CrowdedFixpoint));
    let none = |_| vec![6, 0, 0, 0];
    assert_eq!(fault_of(Section::Legal, none), (0, CodeFault::EmptyRun));
    let cut = |_| vec![6, 1, 0];
    assert_eq!(fault_of(Section::Legal, cut), (0, CodeFault::HeaderCut));
    let counted = CodeFault::NoRun { opcode: Opcode::Fixpoint, count: 1 };
    assert_eq!(fault_of(Section::Legal, |_| vec![1 << 8 | 6, 1, 0, 0, 20]), (0, counted));
    let long = |_| vec![6, 1, 1, 0, 20];
    assert_eq!(fault_of(Section::Legal, long), (0, CodeFault::BodyTooLong { words: 1 }));
    let variables = |_| vec![6, 2, 0, 0, 20];
    let fault = CodeFault::RunTooLong { opcode: Opcode::Fixpoint, count: 2 };
    assert_eq!(fault_of(Section::Legal, variables), (0, fault));
}

#[test]
fn the_high_word_of_a_body_length_counts() {
    let error = with(|circuit| circuit.code[0] = vec![6, 1, 0, 1, 20]);
    let fault = CodeFault::BodyTooLong { words: 1 << 16 };
    assert_eq!(error, ImageError::Code { section: Section::Legal, word: 0, fault });
    let mut circuit = line_of_three(true);
    circuit.code[0] = vec![6, 1, 0, 1, 20];
    let fault = CodeFault::BodyTooLong { words: usize::MAX };
    let error = ImageError::Code { section: Section::Legal, word: 0, fault };
    assert_eq!(circuit.encode().parse().unwrap_err(), error);
}

#[test]
fn sections_leave_alone_what_others_need() {
    let zero = |slot| move |wide| run(Opcode::Zero, &[[slot]], wide);
    let forbidden = |slot| (1, CodeFault::ForbiddenWrite { slot });
    assert_eq!(fault_of(Section::Legal, zero(6)), forbidden(6), "the state");
    assert_eq!(fault_of(Section::Goal, zero(6)), forbidden(6), "the state");
    assert_eq!(fault_of(Section::Goal, zero(14)), forbidden(14), "a move");
    assert_eq!(fault_of(Section::Goal, zero(18)), forbidden(18), "terminal");
    let variable = |wide| support::fixpoint(&[14], &[], wide);
    assert_eq!(fault_of(Section::Goal, variable), (4, CodeFault::ForbiddenWrite { slot: 14 }));
}

#[test]
fn every_error_says_what_to_do() {
    let error = with_word(0, 0).to_string();
    assert_eq!(
        error,
        "byte 0: not an image (it does not begin with RUCH): give a file made by `ruche compile`"
    );
    let error = with(|circuit| circuit.code[1] = vec![7]).to_string();
    assert_eq!(error, "section goal, word 0: reserved opcode 7: compile the game again");
}

#[test]
fn parts_that_contradict_each_other_are_not_written() {
    let refusal = |change: fn(&mut Circuit)| {
        let mut circuit = line_of_three(false);
        change(&mut circuit);
        let mut buffer = vec![0; encoded_length(&circuit.parts())];
        encode(&circuit.parts(), &mut buffer).unwrap_err()
    };
    assert_eq!(refusal(|circuit| circuit.move_starts.clear()), EncodeError::NoMoveStarts);
    let initial = EncodeError::InitialLength { needed: 1, found: 0 };
    assert_eq!(refusal(|circuit| circuit.initial.clear()), initial);
    let wide = EncodeError::WordTooWide { section: Section::Next, word: 1, value: 1 << 16 };
    assert_eq!(refusal(|circuit| circuit.code[2][1] = 1 << 16), wide);
    let circuit = line_of_three(false);
    let needed = encoded_length(&circuit.parts());
    let length = EncodeError::BufferLength { needed, found: 3 };
    assert_eq!(encode(&circuit.parts(), &mut [0; 3]).unwrap_err(), length);
}

#[test]
fn header_words_hold_opcode_and_count() {
    assert_eq!((max_count(false), max_count(true)), (255, (1 << 24) - 1));
    for opcode in Opcode::all() {
        for wide in [false, true] {
            let word = header(opcode, max_count(wide), wide);
            assert_eq!(Opcode::of_header(word), Some(opcode));
            assert_eq!(word >> 8, max_count(wide));
        }
    }
    assert_eq!(Opcode::of_header(7), None);
}

#[test]
fn the_decoder_stops_at_the_first_fault() {
    let code = [header(Opcode::Not, 1, false) as u16, 5, 6, 0, 7, 0];
    let decoded: Vec<_> = Instructions::new(&code).collect();
    let gates = Instruction::Gates { opcode: Opcode::Not, operands: &code[1..3] };
    let reserved = CodeFault::ReservedOpcode { code: 7 };
    let expected = [(0, Ok(gates)), (3, Ok(Instruction::Stratum)), (4, Err(reserved))];
    assert_eq!(decoded, expected);
}

#[test]
fn gates_and_strata_are_counted() {
    let mut circuit = line_of_three(false);
    circuit.stratum(Section::Goal);
    circuit.stratum(Section::Next);
    let four = Opcode::Gate(Expression::Four(Pair::And, Join::Or, Join::And));
    circuit.run(Section::Next, four, &[[23, 0, 1, 2, 3]]);
    let bytes = circuit.encode();
    let image = bytes.parse().unwrap();
    let tallies = Section::ALL.map(|section| image.code(section).tally());
    // A gate of four inputs does the work of three.
    let expected = [(17, 6), (1, 2), (6 + 3, 3)].map(|(gates, strata)| CodeSize { gates, strata });
    assert_eq!(tallies, expected);
}

/// The first mistake in the strata of the sample after a change.
fn strata_fault(change: impl FnOnce(&mut Circuit)) -> Result<(), FlowError> {
    let mut circuit = line_of_three(false);
    change(&mut circuit);
    let bytes = circuit.encode();
    bytes.parse().unwrap().validate_strata(&mut [0xFFFF; 30])
}

/// The first mistake in the flow of the sample after a change.
fn flow_fault(change: impl FnOnce(&mut Circuit)) -> Result<(), FlowError> {
    let mut circuit = line_of_three(false);
    change(&mut circuit);
    let bytes = circuit.encode();
    bytes.parse().unwrap().validate_flow(&mut [0xFFFF; 30])
}

fn fault(section: Section, word: usize, fault: FlowFault) -> Result<(), FlowError> {
    Err(FlowError::Fault { section, word, fault })
}

#[test]
fn a_sound_circuit_passes_the_checks_of_the_host() {
    assert_eq!(strata_fault(|_| ()), Ok(()));
    assert_eq!(flow_fault(|_| ()), Ok(()));
    let bytes = line_of_three(false).encode();
    let short = Err(FlowError::Scratch { needed: 30, found: 29 });
    assert_eq!(bytes.parse().unwrap().validate_strata(&mut [0; 29]), short);
    assert_eq!(bytes.parse().unwrap().validate_flow(&mut [0; 29]), short);
}

#[test]
fn gates_of_a_stratum_must_be_independent() {
    let twice = strata_fault(|circuit| {
        circuit.code[1] = run(Opcode::Zero, &[[26]], false);
        circuit.run(Section::Goal, Opcode::Not, &[[29, 1], [26, 1]]);
    });
    assert_eq!(twice, fault(Section::Goal, 5, FlowFault::WrittenTwice { slot: 26 }));
    for order in [[[26, 1], [29, 26]], [[29, 26], [26, 1]]] {
        let read = strata_fault(|circuit| circuit.code[1] = run(Opcode::Not, &order, false));
        let word = if order[0][0] == 26 { 4 } else { 2 };
        assert_eq!(read, fault(Section::Goal, word, FlowFault::ReadAndWritten { slot: 26 }));
    }
    let own = strata_fault(|circuit| circuit.code[1] = run(Opcode::Not, &[[26, 26]], false));
    assert_eq!(own, Ok(()), "a gate may write the slot that it reads");
    let apart = strata_fault(|circuit| {
        circuit.code[1] = run(Opcode::Not, &[[26, 1]], false);
        circuit.stratum(Section::Goal);
        circuit.run(Section::Goal, Opcode::Not, &[[29, 26], [28, 26]]);
    });
    assert_eq!(apart, Ok(()));
}

#[test]
fn gates_inside_a_fixpoint_must_be_independent_too() {
    let body = run(Opcode::Grow, &[[26, 27], [27, 28]], false);
    let found = strata_fault(|circuit| {
        circuit.code[1] = run(Opcode::Zero, &[[28]], false);
        circuit.stratum(Section::Goal);
        circuit.fixpoint(Section::Goal, &[26, 27], &body);
    });
    let word = 3 + 6 + 2;
    assert_eq!(found, fault(Section::Goal, word, FlowFault::ReadAndWritten { slot: 27 }));
}

#[test]
fn slots_must_be_written_before_they_are_read() {
    let undefined = flow_fault(|circuit| circuit.code[1] = run(Opcode::Not, &[[26, 29]], false));
    assert_eq!(undefined, fault(Section::Goal, 2, FlowFault::Undefined { slot: 29 }));
    let does = flow_fault(|circuit| {
        circuit.code[0].splice(0..0, run(Opcode::Copy, &[[20, 7]], false));
    });
    assert_eq!(does, fault(Section::Legal, 2, FlowFault::Undefined { slot: 7 }));
}

#[test]
fn the_next_state_must_not_depend_on_whether_goals_were_asked_for() {
    let found = flow_fault(|circuit| circuit.code[2] = run(Opcode::Copy, &[[0, 26]], false));
    assert_eq!(found, fault(Section::Next, 2, FlowFault::LeftByGoal { slot: 26 }));
}

#[test]
fn only_variables_grow() {
    let body = run(Opcode::Grow, &[[27, 1]], false);
    let found = flow_fault(|circuit| {
        circuit.code[1].clear();
        circuit.fixpoint(Section::Goal, &[26], &body);
    });
    assert_eq!(found, fault(Section::Goal, 6, FlowFault::NotAVariable { slot: 27 }));
}

#[test]
fn sections_must_leave_what_is_read_after_them() {
    let words = line_of_three(false).code[0].len() - 4;
    let terminal = flow_fault(|circuit| circuit.code[0].truncate(words));
    assert_eq!(terminal, fault(Section::Legal, words, FlowFault::Missing { slot: 18 }));
    let moves = flow_fault(|circuit| circuit.code[0] = run(Opcode::Zero, &[[18]], false));
    assert_eq!(moves, fault(Section::Legal, 2, FlowFault::Missing { slot: 7 }));
    let goal = flow_fault(|circuit| {
        circuit.goals[3].slot = 29;
        circuit.code[1].clear();
    });
    assert_eq!(goal, fault(Section::Goal, 0, FlowFault::Missing { slot: 29 }));
}

proptest! {
    #[test]
    fn random_bytes_are_refused_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let bytes = Bytes::new(&bytes);
        prop_assert!(bytes.parse().is_err());
        let mut words = line_of_three(false).encode().0[..2].to_vec();
        words.extend(&bytes.0);
        let _ = Bytes(words).sealed().parse();
    }

    #[test]
    fn mutations_never_panic(
        wide: bool,
        changes in prop::collection::vec((4_usize..60, any::<u32>(), any::<bool>()), 1..4),
    ) {
        let mut bytes = line_of_three(wide).encode();
        for (word, value, small) in changes {
            let words = bytes.0.len();
            bytes.0[word % words] = if small { value % 40 } else { value };
        }
        let bytes = bytes.sealed();
        if let Ok(image) = bytes.parse() {
            let mut scratch = vec![0; image.slots()];
            let _ = image.validate_strata(&mut scratch);
            let _ = image.validate_flow(&mut scratch);
        }
    }
}
