//! From a checked game description to a circuit image.
//!
//! ```text
//!   Description ─ normalise ─ split ─ ground ─ instantiate ─▶ circuit
//!        circuit ─ optimise ─ gates ─ cover ─ schedule ─ allocate ─ encode ─▶ image
//! ```
//!
//! | room | what comes out of it |
//! |---|---|
//! | [`front`] | the ground program: atoms that can ever hold, and their rules |
//! | [`circuit`] | one signal for each atom, as conjunctions with negated edges |
//! | [`optimise`] | the fewest two-input gates that compute the same |
//! | [`map`] | cells of up to four inputs, in strata and slots |
//! | [`emit`] | the image and its symbols |

pub mod circuit;
pub mod emit;
pub mod error;
pub mod front;
pub mod graph;
pub mod limits;
pub mod map;
pub mod optimise;

pub use emit::symbols;
pub use error::CompileError;
pub use limits::Limits;
pub use symbols::{Source, SymbolTable};

use circuit::instantiate;
use circuit::network::Style;
use emit::encode;
use front::ground::{self, Ground};
use front::{domains, normalise, split};
use map::allocate::Slots;
use map::cover::Cover;
use map::lifetimes;
use map::schedule::{self, Schedule};
use optimise::Optimised;
use optimise::gates::Gates;
use optimise::rebuild::Input;
use ruche_gdl::{Description, Symbols};
use ruche_shared::image::Section;
use std::time::Instant;

/// How to compile.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where to give up.
    pub limits: Limits,
}

/// A compiled game.
pub struct Compiled {
    /// The image, followed by the symbol part.
    pub file: Vec<u8>,
    /// Bytes of the image.
    pub image_length: usize,
    /// The names, as in the symbol part.
    pub symbols: SymbolTable,
    /// Sizes and times.
    pub report: Report,
    /// What was odd about the game.
    pub warnings: Vec<String>,
}

impl Compiled {
    /// The bytes of the image without the symbol part.
    pub fn image(&self) -> &[u8] {
        &self.file[..self.image_length]
    }
}

/// Sizes of a compiled game.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Number of roles.
    pub roles: usize,
    /// Number of fluents that change.
    pub fluents: usize,
    /// Number of moves that can be legal.
    pub moves: usize,
    /// Ground clauses.
    pub clauses: u64,
    /// Two-input gates of the legal section.
    pub gates_legal: usize,
    /// Two-input gates of the next section.
    pub gates_next: usize,
    /// Two-input gates of the goal section.
    pub gates_goal: usize,
    /// Strata of all sections.
    pub strata: usize,
    /// Words that a core needs.
    pub slots: usize,
    /// The most values besides the state that are live at once: temporaries and
    /// moves, between two gates. 0 if unknown: an image does not tell.
    pub widest_live: usize,
    /// Bytes of bytecode.
    pub bytecode_bytes: usize,
    /// Bytes of the image.
    pub image_bytes: usize,
    /// Seconds that the compilation took.
    pub seconds: f64,
}

/// Compiles a checked description.
pub fn compile(description: &Description, options: &Options) -> Result<Compiled, CompileError> {
    let start = Instant::now();
    let limits = &options.limits;
    let mut program = normalise::normalise(description, limits)?;
    let mut estimates = domains::Estimates::of(&program);
    split::split(&mut program, &mut estimates);
    let mut ground = ground::ground(program, estimates, limits)?;
    let (optimised, gates) = smallest_circuit(&mut ground, &description.symbols, limits)?;
    let mut compiled = assemble(&optimised, &gates)?;
    compiled.report.seconds = start.elapsed().as_secs_f64();
    Ok(compiled)
}

/// Circuits up to this many gates, from at most so many clauses, are built in
/// both styles; larger ones would take too long.
const MOST_GATES_TWICE: usize = 40_000;
const MOST_CLAUSES_TWICE: u64 = 500_000;

fn smallest_circuit(
    ground: &mut Ground,
    symbols: &Symbols,
    limits: &Limits,
) -> Result<(Optimised, Gates), CompileError> {
    let mut build = |style| {
        let circuit = instantiate::instantiate(ground, symbols, style, limits)?;
        let optimised = optimise::optimise(circuit);
        let gates = Gates::of(&optimised.network, &optimised.outputs);
        Ok((optimised, gates))
    };
    let first = build(Style::Moves)?;
    if first.1.operands.len() > MOST_GATES_TWICE || first.0.clauses > MOST_CLAUSES_TWICE {
        return Ok(first);
    }
    let second = build(Style::Sums)?;
    Ok(if second.1.operands.len() < first.1.operands.len() { second } else { first })
}

fn assemble(optimised: &Optimised, gates: &Gates) -> Result<Compiled, CompileError> {
    let Plan { schedule, slots, widest_live } = plan(gates);
    let encoded = encode::encode(gates, &schedule, &slots, &optimised.initial)?;
    let symbols = symbol_table(optimised);
    let count = |section: Section| schedule.gate_counts[section.index()];
    let report = Report {
        roles: symbols.roles.len(),
        fluents: gates.fluents as usize,
        moves: gates.moves() as usize,
        clauses: optimised.clauses,
        gates_legal: count(Section::Legal),
        gates_next: count(Section::Next),
        gates_goal: count(Section::Goal),
        strata: encoded.strata,
        slots: slots.count as usize,
        widest_live: widest_live as usize,
        bytecode_bytes: encoded.bytecode_bytes,
        image_bytes: encoded.image.len(),
        seconds: 0.0,
    };
    let image_length = encoded.image.len();
    let mut file = encoded.image;
    file.extend(symbols.to_bytes());
    let warnings = warnings(&symbols, gates);
    Ok(Compiled { file, image_length, symbols, report, warnings })
}

/// Cells of a wave, the most first. Half as many as the first cost Checkers 5 %
/// more time, twice as many need a tenth more slots for Hex.
const WAVES: [u32; 5] = [1000, 300, 100, 30, 10];

/// Slots that a game should not exceed for each value that must be kept at once.
const MOST_SLOTS: f64 = 1.3;

/// A schedule and its slots.
struct Plan {
    schedule: Schedule,
    slots: Slots,
    widest_live: u32,
}

/// The plan with the largest waves that do not waste slots.
fn plan(gates: &Gates) -> Plan {
    let cover = Cover::of(gates);
    let mut plans = WAVES.iter().map(|&wave| Plan::of(gates, &cover, wave));
    let mut plan = plans.next().expect("there is a size of waves");
    while plan.waste(gates.fluents) > MOST_SLOTS {
        let Some(other) = plans.next() else { break };
        plan = other;
    }
    plan
}

impl Plan {
    fn of(gates: &Gates, cover: &Cover, wave: u32) -> Self {
        let mut schedule = schedule::schedule(gates, cover, wave);
        let slots = Slots::allocate(&schedule, gates.fluents..gates.fluents + gates.moves());
        schedule.arrange(&slots);
        let widest_live = lifetimes::widest_live(&schedule, gates.fluents);
        Plan { schedule, slots, widest_live }
    }

    /// Slots for each value that must be kept at once.
    fn waste(&self, fluents: u32) -> f64 {
        f64::from(self.slots.count) / f64::from(fluents + self.widest_live).max(1.0)
    }
}

fn symbol_table(optimised: &Optimised) -> SymbolTable {
    let source = |input: &Input| match *input {
        Input::Constant(false) => None,
        Input::Constant(true) => Some(Source::Always),
        Input::Fluent { fluent, negated: false } => Some(Source::Fluent(fluent)),
        Input::Fluent { fluent, negated: true } => Some(Source::Negated(fluent)),
    };
    let names = &optimised.names;
    let fluents = names.fluents.iter().zip(&optimised.fluents);
    SymbolTable {
        roles: names.roles.clone(),
        moves: names.moves.clone(),
        fluents: fluents.filter_map(|(name, input)| Some((name.clone(), source(input)?))).collect(),
    }
}

fn warnings(symbols: &SymbolTable, gates: &Gates) -> Vec<String> {
    let starts = gates.move_starts.windows(2);
    let idle = symbols.roles.iter().zip(starts).filter(|(_, range)| range[0] == range[1]);
    idle.map(|(role, _)| format!("role `{role}` never has a legal move")).collect()
}
