//! Native code computes what the interpreter computes, on random circuits:
//! also on those that no compiler would make, as long as they parse.

use std::collections::HashSet;

use proptest::prelude::*;
use ruche_shared::image::{
    Expression, FIRST_EXPRESSION, Goal, Opcode, Pair, PairLink, Parts, Section, encode,
    encoded_length, fixpoint_header, header,
};

use crate::support;
use ruche_game::Game;

const FLUENTS: u32 = 12;
const MOVES: u32 = 9;
const SLOTS: u32 = 60;
const TERMINAL: u32 = SLOTS - 1;
/// The slots from here to `TERMINAL` are for what a monotone body computes.
const BODY: u32 = 44;

/// A gate with numbers that become an opcode and slots.
type RandomGate = (u8, [u32; 5]);

#[derive(Clone, Debug)]
enum Item {
    Gate(RandomGate),
    Fixpoint { variables: Vec<u32>, body: Vec<(bool, RandomGate)>, is_monotone: bool },
}

fn gate() -> impl Strategy<Value = RandomGate> {
    (any::<u8>(), prop::array::uniform5(0..SLOTS))
}

fn item() -> impl Strategy<Value = Item> {
    let variables = prop::collection::vec(0..SLOTS, 1..8);
    let body = prop::collection::vec((any::<bool>(), gate()), 1..20);
    prop_oneof![
        12 => gate().prop_map(Item::Gate),
        1 => (variables, body, prop::bool::weighted(0.9)).prop_map(
            |(variables, body, is_monotone)| Item::Fixpoint { variables, body, is_monotone }
        ),
    ]
}

fn section() -> impl Strategy<Value = Vec<Item>> {
    prop::collection::vec(item(), 0..150)
}

/// A slot below `end` that a section may write.
fn target(section: Section, end: u32, number: u32) -> u32 {
    let first = match section {
        Section::Legal => FLUENTS,
        Section::Goal => FLUENTS + MOVES,
        Section::Next => 0,
    };
    first + number % (end - first)
}

/// Any opcode that makes a gate, most often an expression.
fn opcode(number: u8) -> Opcode {
    match number {
        0..5 => Opcode::Copy,
        5..10 => Opcode::Not,
        10..13 => Opcode::Zero,
        13..16 => Opcode::One,
        _ => (number..=u8::MAX)
            .find_map(|code| Opcode::of_code(code).filter(|_| code >= FIRST_EXPRESSION))
            .unwrap_or(Opcode::Copy),
    }
}

/// Expressions that never fall when an input rises.
fn monotone_opcode(number: u8) -> Opcode {
    let positive = [
        Expression::Two(Pair::And),
        Expression::Two(Pair::Or),
        Expression::Pairs(Pair::And, PairLink::Or, Pair::And),
        Expression::Pairs(Pair::Or, PairLink::And, Pair::Or),
    ];
    Opcode::Gate(positive[usize::from(number) % positive.len()])
}

fn push_gate(code: &mut Vec<u32>, opcode: Opcode, target: u32, inputs: &[u32]) {
    code.push(header(opcode, 1, false));
    code.push(target);
    code.extend(&inputs[..opcode.operands() - 1]);
}

fn grow(body: &mut Vec<u32>, variables: &[u32], number: u32, input: u32) {
    let variable = variables[number as usize % variables.len()];
    push_gate(body, Opcode::Grow, variable, &[input]);
}

/// A body that may do anything.
fn wild_body(section: Section, variables: &[u32], gates: &[(bool, RandomGate)]) -> Vec<u32> {
    let mut body = Vec::new();
    for &(grows, (number, [first, inputs @ ..])) in gates {
        if grows {
            grow(&mut body, variables, first, inputs[0]);
        } else {
            push_gate(&mut body, opcode(number), target(section, TERMINAL, first), &inputs);
        }
        body.push(header(Opcode::Stratum, 0, false));
    }
    body
}

/// A body as the compiler makes it: it never falls when a variable rises, and
/// from one round to the next it remembers nothing but the variables.
fn monotone_body(variables: &[u32], gates: &[(bool, RandomGate)]) -> Vec<u32> {
    let mut body = Vec::new();
    let mut written = HashSet::new();
    for &(grows, (number, [first, inputs @ ..])) in gates {
        let is_there = |slot: u32| slot < BODY || written.contains(&slot);
        let inputs = inputs.map(|slot| if is_there(slot) { slot } else { slot % BODY });
        if grows {
            grow(&mut body, variables, first, inputs[0]);
        } else {
            let target = BODY + first % (TERMINAL - BODY);
            push_gate(&mut body, monotone_opcode(number), target, &inputs);
            written.insert(target);
        }
        body.push(header(Opcode::Stratum, 0, false));
    }
    body
}

fn code_of(section: Section, items: &[Item]) -> Vec<u32> {
    let mut code = Vec::new();
    for item in items {
        match item {
            Item::Gate((number, [first, inputs @ ..])) => {
                let end = if section == Section::Goal { TERMINAL } else { SLOTS };
                push_gate(&mut code, opcode(*number), target(section, end, *first), inputs);
            }
            Item::Fixpoint { variables, body, is_monotone } => {
                let variables: Vec<_> =
                    variables.iter().map(|&number| target(section, BODY, number)).collect();
                let body = match is_monotone {
                    true => monotone_body(&variables, body),
                    false => wild_body(section, &variables, body),
                };
                code.extend(fixpoint_header(variables.len() as u32, body.len() as u32, false));
                code.extend(variables);
                code.extend(body);
            }
        }
        code.push(header(Opcode::Stratum, 0, false));
    }
    code
}

/// Whether all fixpoints are monotone. In others lanes depend on each other: as
/// long as one grows, the rest goes round with it.
fn is_monotone(items: &[Item]) -> bool {
    items.iter().all(|item| !matches!(item, Item::Fixpoint { is_monotone: false, .. }))
}

fn image_of(sections: &[Vec<Item>; 3]) -> Game {
    let code = Section::ALL.map(|section| code_of(section, &sections[section.index()]));
    let goals = [
        Goal { role: 0, value: 0, slot: FLUENTS + MOVES },
        Goal { role: 0, value: 100, slot: TERMINAL - 1 },
    ];
    let parts = Parts {
        wide: false,
        fluents: FLUENTS,
        slots: SLOTS,
        terminal_slot: TERMINAL,
        move_starts: &[0, 2, MOVES],
        goals: &goals,
        initial: &[0b1001],
        code: [&code[0], &code[1], &code[2]],
    };
    let mut bytes = vec![0; encoded_length(&parts)];
    encode(&parts, &mut bytes).expect("a small image");
    support::of_image(&bytes)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn random_circuits_are_the_same_in_native_code(
        legal in section(),
        goal in section(),
        next in section(),
        seed in any::<u64>(),
    ) {
        let sections = [legal, goal, next];
        let image = image_of(&sections);
        if sections.iter().all(|items| is_monotone(items)) {
            support::check("random", image.image(), seed, 2);
        } else {
            support::check_word::<u64>("random", image.image(), seed, 2);
        }
    }
}
