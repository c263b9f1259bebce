//! Images assembled by hand.
#![allow(dead_code, reason = "each test file uses its own share")]

use ruche_shared::image::{
    Expression, Goal, Image, ImageError, Join, Opcode, Pair, Parts, Section, encode,
    encoded_length, fixpoint_header, header, seal,
};

pub const AND: Opcode = Opcode::Gate(Expression::Two(Pair::And));
pub const OR: Opcode = Opcode::Gate(Expression::Two(Pair::Or));
pub const NOR: Opcode = Opcode::Gate(Expression::Two(Pair::Nor));

/// Bytes at a 4-byte boundary.
#[derive(Clone, Debug, PartialEq)]
pub struct Bytes(pub Vec<u32>);

impl Bytes {
    pub fn new(bytes: &[u8]) -> Self {
        let mut words = vec![0_u32; bytes.len().div_ceil(4)];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        Self(words)
    }

    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.0)
    }

    pub fn parse(&self) -> Result<Image<'_>, ImageError> {
        Image::parse(self.bytes())
    }

    /// The same bytes with a fitting length and checksum.
    pub fn sealed(mut self) -> Self {
        seal(self.bytes_mut());
        self
    }
}

/// An image in parts that can be changed one by one.
#[derive(Clone, Debug)]
pub struct Circuit {
    pub wide: bool,
    pub fluents: u32,
    pub slots: u32,
    pub terminal_slot: u32,
    pub move_starts: Vec<u32>,
    pub goals: Vec<Goal>,
    pub initial: Vec<u32>,
    pub code: [Vec<u32>; 3],
}

impl Circuit {
    /// A circuit without moves, goals and code, whose first slots are a state
    /// that starts all false.
    pub fn new(fluents: u32, slots: u32, wide: bool) -> Self {
        Self {
            wide,
            fluents,
            slots,
            terminal_slot: slots - 1,
            move_starts: vec![0, 0],
            goals: Vec::new(),
            initial: vec![0; (fluents as usize).div_ceil(32)],
            code: [const { Vec::new() }; 3],
        }
    }

    pub fn parts(&self) -> Parts<'_> {
        Parts {
            wide: self.wide,
            fluents: self.fluents,
            slots: self.slots,
            terminal_slot: self.terminal_slot,
            move_starts: &self.move_starts,
            goals: &self.goals,
            initial: &self.initial,
            code: self.code.each_ref().map(Vec::as_slice),
        }
    }

    pub fn encode(&self) -> Bytes {
        let parts = self.parts();
        let mut bytes = vec![0; encoded_length(&parts)];
        encode(&parts, &mut bytes).expect("the parts fit together");
        Bytes::new(&bytes)
    }

    /// Appends words to a section.
    pub fn push(&mut self, section: Section, words: &[u32]) {
        self.code[section.index()].extend_from_slice(words);
    }

    /// Appends a run to a section.
    pub fn run<const N: usize>(&mut self, section: Section, opcode: Opcode, gates: &[[u32; N]]) {
        let words = run(opcode, gates, self.wide);
        self.push(section, &words);
    }

    /// Ends a stratum of a section.
    pub fn stratum(&mut self, section: Section) {
        self.push(section, &[header(Opcode::Stratum, 0, self.wide)]);
    }

    /// Appends a fixpoint to a section.
    pub fn fixpoint(&mut self, section: Section, variables: &[u32], body: &[u32]) {
        let words = fixpoint(variables, body, self.wide);
        self.push(section, &words);
    }
}

/// The words of a run.
pub fn run<const N: usize>(opcode: Opcode, gates: &[[u32; N]], wide: bool) -> Vec<u32> {
    assert_eq!(opcode.operands(), N);
    let mut words = vec![header(opcode, gates.len() as u32, wide)];
    words.extend(gates.iter().flatten());
    words
}

/// The words of a fixpoint.
pub fn fixpoint(variables: &[u32], body: &[u32], wide: bool) -> Vec<u32> {
    let mut words = fixpoint_header(variables.len() as u32, body.len() as u32, wide).to_vec();
    words.extend(variables);
    words.extend(body);
    words
}

/// A game of two roles on a line of three cells; a role that marks two
/// neighbouring cells wins, a full line ends the game. Each section has several
/// strata and the middle of the legal section a fixpoint, so that every check of
/// the format has something to find.
///
/// State: 0–2 cells of the first role, 3–5 of the second, 6 the first role moves.
/// Moves: 7–9 marks and 10 noop of the first role, 11–14 of the second.
/// Temporaries: 15 and 16 terminal lines, 17 full, 18 terminal, 19–21 empty
/// cells, 22 the second role moves, 23–25 next state.
pub fn line_of_three(wide: bool) -> Circuit {
    let mut circuit = Circuit::new(7, 30, wide);
    circuit.move_starts = vec![0, 4, 8];
    circuit.terminal_slot = 18;
    circuit.initial = vec![1 << 6];
    circuit.goals = vec![
        Goal { role: 0, value: 0, slot: 16 },
        Goal { role: 0, value: 100, slot: 15 },
        Goal { role: 1, value: 0, slot: 15 },
        Goal { role: 1, value: 100, slot: 16 },
    ];
    line_legal(&mut circuit);
    line_goal(&mut circuit);
    line_next(&mut circuit);
    circuit
}

fn line_legal(circuit: &mut Circuit) {
    const LEGAL: Section = Section::Legal;
    circuit.run(LEGAL, NOR, &[[19, 0, 3], [20, 1, 4], [21, 2, 5]]);
    circuit.run(LEGAL, Opcode::Not, &[[22, 6]]);
    circuit.stratum(LEGAL);
    circuit.run(LEGAL, AND, &[[7, 6, 19], [8, 6, 20], [9, 6, 21]]);
    circuit.run(LEGAL, AND, &[[11, 22, 19], [12, 22, 20], [13, 22, 21]]);
    circuit.run(LEGAL, Opcode::Copy, &[[10, 22], [14, 6]]);
    circuit.stratum(LEGAL);
    // Two neighbours: the middle and one of the others.
    circuit.run(LEGAL, OR, &[[15, 0, 2], [16, 3, 5]]);
    circuit.stratum(LEGAL);
    circuit.run(LEGAL, AND, &[[15, 15, 1], [16, 16, 4]]);
    let none_of_three = Opcode::Gate(Expression::Three(Pair::Nor, Join::AndNot));
    circuit.run(LEGAL, none_of_three, &[[17, 19, 20, 21]]);
    circuit.stratum(LEGAL);
    let mut body = run(OR, &[[26, 15, 16]], circuit.wide);
    body.push(header(Opcode::Stratum, 0, circuit.wide));
    body.extend(run(Opcode::Grow, &[[27, 26], [28, 17]], circuit.wide));
    circuit.fixpoint(LEGAL, &[27, 28], &body);
    circuit.stratum(LEGAL);
    circuit.run(LEGAL, OR, &[[18, 27, 28]]);
}

fn line_goal(circuit: &mut Circuit) {
    circuit.run(Section::Goal, Opcode::Zero, &[[26]]);
    circuit.stratum(Section::Goal);
    circuit.run(Section::Goal, OR, &[[29, 15, 26]]);
}

fn line_next(circuit: &mut Circuit) {
    const NEXT: Section = Section::Next;
    circuit.run(NEXT, OR, &[[23, 0, 7], [24, 1, 8], [25, 2, 9]]);
    circuit.stratum(NEXT);
    circuit.run(NEXT, Opcode::Copy, &[[0, 23], [1, 24], [2, 25], [6, 22]]);
    circuit.run(NEXT, OR, &[[3, 3, 11], [4, 4, 12], [5, 5, 13]]);
}

/// Nodes of the graph of [`paths`].
pub const NODES: usize = 5;

/// Fluents are the edges of a graph, one per pair of nodes; the variables of a
/// fixpoint become its paths.
pub fn paths(wide: bool) -> Circuit {
    let pairs = (NODES * NODES) as u32;
    let at = |from: usize, to: usize| (from * NODES + to) as u32;
    let mut circuit = Circuit::new(pairs, 3 * pairs + 2, wide);
    let (mut products, mut sums) = (Vec::new(), Vec::new());
    let mut body = Vec::new();
    for middle in 0..NODES {
        products.clear();
        sums.clear();
        for (from, to) in (0..NODES).flat_map(|from| (0..NODES).map(move |to| (from, to))) {
            let product = 2 * pairs + at(from, to);
            products.push([product, pairs + at(from, middle), at(middle, to)]);
            sums.push([pairs + at(from, to), product]);
        }
        body.extend(run(AND, &products, wide));
        body.push(header(Opcode::Stratum, 0, wide));
        body.extend(run(Opcode::Grow, &sums, wide));
        body.push(header(Opcode::Stratum, 0, wide));
    }
    let edges: Vec<[u32; 2]> = (0..pairs).map(|pair| [pairs + pair, pair]).collect();
    body.extend(run(Opcode::Grow, &edges, wide));
    let variables: Vec<u32> = (pairs..2 * pairs).collect();
    circuit.run(Section::Legal, Opcode::One, &[[3 * pairs]]);
    circuit.stratum(Section::Legal);
    circuit.fixpoint(Section::Legal, &variables, &body);
    circuit.stratum(Section::Legal);
    circuit.run(Section::Legal, Opcode::Copy, &[[3 * pairs + 1, 3 * pairs]]);
    circuit
}
