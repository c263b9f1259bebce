//! The evaluator against truth tables, a hand-written game and a graph search,
//! for every word and both widths of code.

#[path = "../../../shared/tests/support/mod.rs"]
mod support;

use std::collections::HashSet;

use rand::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use ruche_eval::{Evaluator, EvaluatorError, OneLane, Word};
use ruche_shared::image::{
    Expression, Goal, Join, NARROW_SLOTS, Opcode, Pair, PairLink, Section, header,
};
use ruche_shared::position::position_words;
use support::{AND, Bytes, Circuit, NODES, line_of_three, paths, run};

/// Calls a generic function with each word.
macro_rules! with_every_word {
    ($function:ident $(, $argument:expr)*) => {{
        $function::<OneLane>($($argument),*);
        $function::<u8>($($argument),*);
        $function::<u16>($($argument),*);
        $function::<u32>($($argument),*);
        $function::<u64>($($argument),*);
    }};
}

/// A word whose lane `i` is `f(i)`.
fn word<W: Word>(f: impl Fn(usize) -> bool) -> W {
    let mut word = W::ZERO;
    (0..W::LANES).for_each(|lane| word.set_lane(lane, f(lane)));
    word
}

/// What a gate of this kind should give, bit by bit and without the kernel's
/// operators.
fn truth(opcode: Opcode, inputs: &[bool]) -> bool {
    match opcode {
        Opcode::Copy => inputs[0],
        Opcode::Not => !inputs[0],
        Opcode::Zero => false,
        Opcode::One => true,
        Opcode::Gate(expression) => expression_truth(expression, inputs),
        Opcode::Grow | Opcode::Stratum | Opcode::Fixpoint => unreachable!("no gate"),
    }
}

fn expression_truth(expression: Expression, inputs: &[bool]) -> bool {
    match expression {
        Expression::Two(pair) => pair_truth(pair, inputs[0], inputs[1]),
        Expression::Three(pair, join) => {
            join_truth(join, pair_truth(pair, inputs[0], inputs[1]), inputs[2])
        }
        Expression::Four(pair, join, last) => {
            let three = join_truth(join, pair_truth(pair, inputs[0], inputs[1]), inputs[2]);
            join_truth(last, three, inputs[3])
        }
        Expression::Pairs(pair, link, other) => {
            let first = pair_truth(pair, inputs[0], inputs[1]);
            let second = pair_truth(other, inputs[2], inputs[3]);
            if link == PairLink::And { first && second } else { first || second }
        }
    }
}

fn pair_truth(pair: Pair, a: bool, b: bool) -> bool {
    match (pair, a, b) {
        (Pair::And, true, true) | (Pair::AndNot, true, false) | (Pair::Nor, false, false) => true,
        (Pair::And | Pair::AndNot | Pair::Nor, ..) => false,
        (Pair::Or, false, false) | (Pair::OrNot, false, true) | (Pair::Nand, true, true) => false,
        (Pair::Or | Pair::OrNot | Pair::Nand, ..) => true,
    }
}

fn join_truth(join: Join, value: bool, x: bool) -> bool {
    match join {
        Join::And => value && x,
        Join::Or => value || x,
        Join::AndNot => value && !x,
        Join::OrNot => value || !x,
    }
}

/// Three gates of one kind, so that loops which take two at a time go on after
/// them: from fluents 0… to slot 4, from fluents 3… backwards to slot 5, and from
/// fluents 1…, which wrap around, to slot 6.
const INPUTS: [[usize; 4]; 3] = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 2, 3, 0]];

fn three_gates(opcode: Opcode, wide: bool) -> Bytes {
    let mut circuit = Circuit::new(4, 7, wide);
    let mut words = vec![header(opcode, 3, wide)];
    for (target, inputs) in (4..).zip(INPUTS) {
        words.push(target);
        words.extend(inputs[..opcode.operands() - 1].iter().map(|&input| input as u32));
    }
    circuit.push(Section::Legal, &words);
    circuit.encode()
}

fn gates_follow_truth_table<W: Word>(opcode: Opcode, bytes: &Bytes) {
    let image = bytes.parse().unwrap();
    for shift in 0..16 {
        // Lanes run through all sixteen inputs, whatever their number.
        let input = |fluent: usize, lane: usize| (lane + shift) >> fluent & 1 == 1;
        let mut slots = vec![W::ONES; 7];
        let mut evaluator = Evaluator::new(&image, &mut slots).unwrap();
        for lane in 0..W::LANES {
            evaluator.load(lane, &[(lane + shift) as u32 & 15]).unwrap();
        }
        evaluator.legal();
        for (slot, inputs) in slots[4..].iter().zip(INPUTS) {
            let expected =
                word::<W>(|lane| truth(opcode, &inputs.map(|fluent| input(fluent, lane))));
            assert_eq!(*slot, expected, "{opcode:?}");
        }
    }
}

#[test]
fn every_gate_follows_its_truth_table_in_every_lane() {
    let gates = Opcode::all().filter(|opcode| opcode.operands() > 0 && *opcode != Opcode::Grow);
    let gates: Vec<Opcode> = gates.collect();
    assert_eq!(gates.len(), 4 + 106);
    for opcode in gates {
        for wide in [false, true] {
            let bytes = three_gates(opcode, wide);
            with_every_word!(gates_follow_truth_table, opcode, &bytes);
        }
    }
}

#[test]
fn a_gate_may_write_a_slot_that_it_reads() {
    let four = Opcode::Gate(Expression::Four(Pair::And, Join::OrNot, Join::And));
    let mut circuit = Circuit::new(4, 5, false);
    circuit.run(Section::Next, four, &[[3, 0, 1, 2, 3]]);
    let bytes = circuit.encode();
    let image = bytes.parse().unwrap();
    let mut slots = vec![0_u16; 5];
    let mut evaluator = Evaluator::new(&image, &mut slots).unwrap();
    (0..16).for_each(|lane| evaluator.load(lane, &[lane as u32]).unwrap());
    evaluator.next();
    let expected = word(|lane| lane >> 3 == 1 && (lane & 3 == 3 || lane & 4 == 0));
    assert_eq!(slots[3], expected);
}

/// The hand-written rules of [`line_of_three`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Line {
    cells: [[bool; 3]; 2],
    first_moves: bool,
}

const NOOP: usize = 3;

impl Line {
    fn initial() -> Self {
        Self { cells: [[false; 3]; 2], first_moves: true }
    }

    fn position(&self) -> [u32; 1] {
        let bits = self.cells.as_flattened().iter().chain([&self.first_moves]);
        [bits.enumerate().fold(0, |word, (bit, &set)| word | u32::from(set) << bit)]
    }

    fn mover(&self) -> usize {
        usize::from(!self.first_moves)
    }

    fn wins(&self, role: usize) -> bool {
        let cells = self.cells[role];
        cells[1] && (cells[0] || cells[2])
    }

    fn is_empty(&self, cell: usize) -> bool {
        !self.cells[0][cell] && !self.cells[1][cell]
    }

    fn is_terminal(&self) -> bool {
        self.wins(0) || self.wins(1) || !(0..3).any(|cell| self.is_empty(cell))
    }

    fn is_legal(&self, role: usize, chosen: usize) -> bool {
        let moves = role == self.mover();
        if chosen == NOOP { !moves } else { moves && self.is_empty(chosen) }
    }

    fn goals(&self, role: usize) -> Vec<u16> {
        let lost = self.wins(1 - role).then_some(0);
        lost.into_iter().chain(self.wins(role).then_some(100)).collect()
    }

    fn mark(mut self, cell: usize) -> Self {
        self.cells[self.mover()][cell] = true;
        self.first_moves = !self.first_moves;
        self
    }

    /// All states that can be reached, each with the cells that can be marked
    /// there; a full line with a cell that is marked once more.
    fn all() -> Vec<(Self, usize)> {
        let (mut open, mut seen) = (vec![Self::initial()], HashSet::new());
        let mut pairs = Vec::new();
        while let Some(line) = open.pop() {
            if seen.insert(line) {
                let cells: Vec<usize> = (0..3).filter(|&cell| line.is_empty(cell)).collect();
                open.extend(cells.iter().map(|&cell| line.mark(cell)));
                let cells = if cells.is_empty() { vec![0] } else { cells };
                pairs.extend(cells.into_iter().map(|cell| (line, cell)));
            }
        }
        pairs
    }
}

/// Plays one ply of every pair, as many at a time as the word has lanes.
fn plays_like_the_rules<W: Word>(bytes: &Bytes, with_goals: bool) {
    let image = bytes.parse().unwrap();
    let mut slots = vec![W::ONES; image.slots() + 3];
    let mut evaluator = Evaluator::new(&image, &mut slots).unwrap();
    for batch in Line::all().chunks(W::LANES) {
        for (lane, (line, _)) in batch.iter().enumerate() {
            evaluator.load(lane, &line.position()).unwrap();
        }
        evaluator.legal();
        if with_goals {
            evaluator.goal();
        }
        for (lane, (line, cell)) in batch.iter().enumerate() {
            check_lane(&evaluator, lane, line);
            evaluator.choose(lane, line.mover(), *cell).unwrap();
            evaluator.choose(lane, 1 - line.mover(), NOOP).unwrap();
        }
        evaluator.next();
        for (lane, (line, cell)) in batch.iter().enumerate() {
            let mut next = [u32::MAX];
            evaluator.store(lane, &mut next).unwrap();
            assert_eq!(next, line.mark(*cell).position(), "{line:?} {cell}");
        }
    }
}

fn check_lane<W: Word>(evaluator: &Evaluator<'_, '_, W>, lane: usize, line: &Line) {
    assert_eq!(evaluator.terminal().lane(lane), line.is_terminal(), "{line:?}");
    for role in 0..2 {
        let legal: Vec<bool> =
            evaluator.legal_moves(role).iter().map(|slot| slot.lane(lane)).collect();
        let expected: Vec<bool> = (0..4).map(|chosen| line.is_legal(role, chosen)).collect();
        assert_eq!(legal, expected, "{line:?} role {role}");
        let goals = line.goals(role);
        assert_eq!(evaluator.goals(lane, role).collect::<Vec<_>>(), goals);
        assert_eq!(
            evaluator.score(lane, role),
            goals.first().copied().filter(|_| goals.len() == 1)
        );
    }
}

#[test]
fn a_small_game_is_played_like_its_rules() {
    assert_eq!(Line::all().len(), 3 + 6 + 6 + 3, "the test covers the game");
    assert_eq!(line_of_three(false).initial, Line::initial().position());
    for wide in [false, true] {
        for with_goals in [false, true] {
            with_every_word!(plays_like_the_rules, &line_of_three(wide).encode(), with_goals);
        }
    }
}

/// The paths of a graph by Warshall's algorithm.
fn closure(edges: u32) -> u32 {
    let mut paths = edges;
    for middle in 0..NODES {
        for from in 0..NODES {
            if paths >> (from * NODES + middle) & 1 == 1 {
                let onward = paths >> (middle * NODES) & ((1 << NODES) - 1);
                paths |= onward << (from * NODES);
            }
        }
    }
    paths
}

fn fixpoints_find_all_paths<W: Word>(bytes: &Bytes) {
    let image = bytes.parse().unwrap();
    let mut slots = vec![W::ZERO; image.slots()];
    let mut random = Pcg32::seed_from_u64(1);
    for _ in 0..200 / W::LANES + 3 {
        let graphs: Vec<u32> = (0..W::LANES)
            // Few edges: otherwise nearly all nodes reach each other at once.
            .map(|_| random.next_u32() & random.next_u32() & ((1 << (NODES * NODES)) - 1))
            .collect();
        let mut evaluator = Evaluator::new(&image, &mut slots).unwrap();
        for (lane, &edges) in graphs.iter().enumerate() {
            evaluator.load(lane, &[edges]).unwrap();
        }
        evaluator.legal();
        evaluator.legal();
        assert_eq!(evaluator.terminal(), W::ONES, "what follows a fixpoint is run");
        for (lane, &edges) in graphs.iter().enumerate() {
            let found = (0..NODES * NODES)
                .filter(|pair| slots[NODES * NODES + pair].lane(lane))
                .fold(0, |paths, pair| paths | 1 << pair);
            assert_eq!(found, closure(edges), "edges {edges:#b}");
        }
    }
}

#[test]
fn fixpoints_are_least_fixpoints() {
    for wide in [false, true] {
        let bytes = paths(wide).encode();
        with_every_word!(fixpoints_find_all_paths, &bytes);
    }
}

#[test]
fn a_chain_needs_a_round_for_each_variable() {
    // Variable i grows from variable i + 1, which comes later in the run, so
    // that a round carries the fluent just one step.
    const LENGTH: u32 = 40;
    let mut circuit = Circuit::new(1, LENGTH + 2, false);
    let mut body = Vec::new();
    for variable in 1..=LENGTH {
        let source = if variable == LENGTH { 0 } else { variable + 1 };
        body.extend(run(Opcode::Grow, &[[variable, source]], false));
        body.push(header(Opcode::Stratum, 0, false));
    }
    let variables: Vec<u32> = (1..=LENGTH).collect();
    circuit.terminal_slot = 1;
    circuit.fixpoint(Section::Legal, &variables, &body);
    let bytes = circuit.encode();
    let image = bytes.parse().unwrap();
    let mut slots = vec![0_u64; image.slots()];
    let mut evaluator = Evaluator::new(&image, &mut slots).unwrap();
    evaluator.load(9, &[1]).unwrap();
    evaluator.legal();
    assert_eq!(evaluator.terminal(), 1 << 9);
}

#[test]
fn a_fixpoint_that_never_settles_ends_all_the_same() {
    let mut circuit = Circuit::new(1, 4, false);
    let mut body = run(Opcode::Zero, &[[1]], false);
    body.push(header(Opcode::Stratum, 0, false));
    body.extend(run(Opcode::Not, &[[2, 1]], false));
    body.push(header(Opcode::Stratum, 0, false));
    body.extend(run(Opcode::Grow, &[[1, 2]], false));
    circuit.fixpoint(Section::Legal, &[1], &body);
    let bytes = circuit.encode();
    let image = bytes.parse().unwrap();
    let mut slots = vec![0_u8; image.slots()];
    let mut evaluator = Evaluator::new(&image, &mut slots).unwrap();
    evaluator.legal();
    assert_eq!(slots[1], u8::MAX);
}

#[test]
fn wide_code_reaches_the_slots_that_narrow_code_cannot_name() {
    let last = NARROW_SLOTS + 10;
    let fluents = last - 1;
    let mut circuit = Circuit::new(fluents, last + 1, true);
    circuit.run(Section::Legal, Opcode::Not, &[[last - 1, 0]]);
    circuit.stratum(Section::Legal);
    circuit.run(Section::Legal, Opcode::Not, &[[last, last - 1]]);
    let bytes = circuit.encode();
    let image = bytes.parse().unwrap();
    let mut slots = vec![0_u32; image.slots()];
    let mut evaluator = Evaluator::new(&image, &mut slots).unwrap();
    let mut position = vec![0; position_words(fluents as usize)];
    position[0] = 1;
    evaluator.load(31, &position).unwrap();
    evaluator.legal();
    assert_eq!(evaluator.terminal(), 1 << 31);
}

#[test]
fn positions_of_several_words_survive_load_and_store() {
    let circuit = Circuit::new(70, 71, false);
    let bytes = circuit.encode();
    let image = bytes.parse().unwrap();
    let mut slots = vec![0_u16; image.slots()];
    let mut evaluator = Evaluator::new(&image, &mut slots).unwrap();
    let mut random = Pcg32::seed_from_u64(1);
    let positions: Vec<[u32; 3]> =
        (0..16).map(|_| [random.next_u32(), random.next_u32(), random.next_u32() & 0x3F]).collect();
    for (lane, position) in positions.iter().enumerate() {
        evaluator.load(lane, position).unwrap();
    }
    for (lane, position) in positions.iter().enumerate() {
        let mut stored = [7; 3];
        evaluator.store(lane, &mut stored).unwrap();
        assert_eq!(stored, *position);
    }
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let bytes = line_of_three(false).encode();
    let image = bytes.parse().unwrap();
    let mut slots = vec![0_u8; 30];
    let few = Evaluator::new(&image, &mut slots[..29]).unwrap_err();
    assert_eq!(few, EvaluatorError::TooFewSlots { needed: 30, found: 29 });
    let mut evaluator = Evaluator::new(&image, &mut slots).unwrap();
    let lane = Err(EvaluatorError::NoSuchLane { lane: 8, lanes: 8 });
    assert_eq!(evaluator.load(8, &[0]), lane);
    assert_eq!(evaluator.store(8, &mut [0]), lane);
    assert_eq!(evaluator.choose(8, 0, 0), lane);
    let length = Err(EvaluatorError::PositionLength { needed: 1, found: 2 });
    assert_eq!(evaluator.load(0, &[0, 0]), length);
    assert_eq!(evaluator.store(0, &mut [0, 0]), length);
    for (role, chosen) in [(2, 0), (0, 4)] {
        let refused = Err(EvaluatorError::NoSuchMove { role, chosen });
        assert_eq!(evaluator.choose(0, role, chosen), refused);
    }
}

#[test]
fn the_remains_of_another_game_in_the_arena_change_nothing() {
    let bytes = three_gates(AND, false);
    let image = bytes.parse().unwrap();
    let mut slots = vec![u64::MAX; 7];
    Evaluator::new(&image, &mut slots).unwrap().legal();
    assert_eq!(slots, [0; 7]);
}

#[test]
fn a_score_is_a_goal_that_has_no_other_beside_it() {
    let mut circuit = Circuit::new(3, 4, false);
    circuit.goals =
        [(0, 0), (50, 1), (100, 2)].map(|(value, slot)| Goal { role: 0, value, slot }).to_vec();
    let bytes = circuit.encode();
    let image = bytes.parse().unwrap();
    let mut slots = vec![0_u8; image.slots()];
    let mut evaluator = Evaluator::new(&image, &mut slots).unwrap();
    for (lane, state) in [0b000, 0b010, 0b110].into_iter().enumerate() {
        evaluator.load(lane, &[state]).unwrap();
    }
    evaluator.goal();
    let goals = [0, 1, 2].map(|lane| evaluator.goals(lane, 0).collect::<Vec<_>>());
    assert_eq!(goals, [vec![], vec![50], vec![50, 100]]);
    assert_eq!([0, 1, 2].map(|lane| evaluator.score(lane, 0)), [None, Some(50), None]);
}
