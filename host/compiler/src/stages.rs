//! The stages of a compilation as values: [`compile`] goes through all of them, and
//! others can stop in between.

use crate::circuit::network::Style;
use crate::circuit::{GameCircuit, instantiate};
use crate::emit::{encode, symbols};
use crate::front::ground::{self, Ground};
use crate::front::{domains, normalise, split};
use crate::map::{self, Plan};
use crate::optimise::gates::Gates;
use crate::optimise::{self, Optimised};
use crate::tactics::{self, Sight, Turns};
use crate::{CompileError, Compiled, Options, Report};
use ruche_gdl::{Description, Symbols};
use ruche_shared::image::Section;
use std::time::Instant;

/// Compiles a checked description.
///
/// # Errors
/// If the game is too large, or its rules have no meaning; the error says what to do.
pub fn compile(description: &Description, options: &Options) -> Result<Compiled, CompileError> {
    let start = Instant::now();
    let mut compiled = Grounded::of(description, options)?.netlist()?.plan().encode()?;
    compiled.report.seconds = start.elapsed().as_secs_f64();
    Ok(compiled)
}

/// Compiles a checked description once more for playouts that see one ply ahead: the same
/// fluents, moves, ends and goals as [`compile`] gives them, with only sensible moves legal.
/// `turns` is what is known of turns in that image. `put_off` says for each move of each role
/// in that image whether it is only legal where no other one is left; nothing is put off if
/// it is empty. Nothing where all legal moves would stay, or it would cost too many gates.
///
/// # Errors
/// As for [`compile`].
pub fn compile_tactics(
    description: &Description,
    options: &Options,
    mut turns: Option<&Turns>,
    put_off: &[Vec<bool>],
) -> Result<Option<Compiled>, CompileError> {
    let start = Instant::now();
    let mut grounded = Grounded::of(description, options)?;
    let plain = grounded.netlist()?;
    let style = plain.optimised.network.style();
    for sight in [Some(Sight::Threats), Some(Sight::Wins), None] {
        let circuit = grounded.circuit(style)?;
        let seen = match turns.zip(sight) {
            Some((turns, sight)) => tactics::apply(circuit, &plain.optimised, turns, sight),
            None if put_off.is_empty() => break,
            None => Some(circuit),
        };
        let Some(mut circuit) = seen else {
            // Nothing is to be seen ahead.
            turns = None;
            continue;
        };
        tactics::put_off(&mut circuit, &plain.optimised, put_off);
        let netlist = optimise::optimise_like(circuit, &plain.optimised).netlist();
        if netlist.gates() <= (plain.gates() * MOST_TACTICS).max(LEAST_TACTICS) {
            let mut compiled = netlist.plan().encode()?;
            compiled.report.seconds = start.elapsed().as_secs_f64();
            return Ok(Some(compiled));
        }
    }
    Ok(None)
}

/// A game with tactics may have so many times the gates.
const MOST_TACTICS: usize = 8;

/// Few enough gates whatever the game has.
const LEAST_TACTICS: usize = 2_000;

/// Circuits up to this many gates, from at most so many clauses, are built in
/// both styles; larger ones would take too long.
const MOST_GATES_TWICE: usize = 40_000;
const MOST_CLAUSES_TWICE: u64 = 500_000;

/// The first stage: the ground program, with the atoms that can ever hold.
pub struct Grounded<'d> {
    pub(crate) ground: Ground,
    pub(crate) symbols: &'d Symbols,
    pub(crate) options: &'d Options,
}

impl<'d> Grounded<'d> {
    /// Grounds the rules of a checked description.
    ///
    /// # Errors
    /// If a limit of the options is reached.
    pub fn of(description: &'d Description, options: &'d Options) -> Result<Self, CompileError> {
        let limits = &options.limits;
        let mut program = normalise::normalise(description, limits)?;
        let mut estimates = domains::Estimates::of(&program);
        split::split(&mut program, &mut estimates);
        let ground = ground::ground(program, estimates, limits)?;
        Ok(Grounded { ground, symbols: &description.symbols, options })
    }

    /// The second stage: the circuit before optimisation.
    ///
    /// # Errors
    /// If a limit is reached, an atom depends on its own negation, or a goal is no
    /// number. All circuits of a game share the limit of join steps.
    pub fn circuit(&mut self, style: Style) -> Result<GameCircuit, CompileError> {
        instantiate::instantiate(&mut self.ground, self.symbols, style, &self.options.limits)
    }

    /// The gates of the style that needs fewer of them.
    ///
    /// # Errors
    /// As for [`Grounded::circuit`].
    pub fn netlist(&mut self) -> Result<Netlist, CompileError> {
        let first = self.circuit(Style::Moves)?.optimise().netlist();
        if first.gates() > MOST_GATES_TWICE || first.optimised.clauses > MOST_CLAUSES_TWICE {
            return Ok(first);
        }
        let second = self.circuit(Style::Sums)?.optimise().netlist();
        Ok(if second.gates() < first.gates() { second } else { first })
    }
}

impl GameCircuit {
    /// The third stage: a smaller circuit without superfluous inputs.
    pub fn optimise(self) -> Optimised {
        optimise::optimise(self)
    }
}

impl Optimised {
    /// The fourth stage: two-input gates.
    pub fn netlist(self) -> Netlist {
        Netlist { gates: Gates::of(&self.network, &self.outputs), optimised: self }
    }
}

/// The fourth stage: two-input gates, with the names of the game.
pub struct Netlist {
    pub(crate) gates: Gates,
    pub(crate) optimised: Optimised,
}

impl Netlist {
    /// Number of two-input gates.
    pub fn gates(&self) -> usize {
        self.gates.count()
    }

    /// The fifth stage: what runs when, and where its values live.
    pub fn plan(&self) -> Planned<'_> {
        Planned { plan: map::plan(&self.gates), netlist: self }
    }
}

/// The fifth stage: cells in strata and slots.
pub struct Planned<'n> {
    pub(crate) plan: Plan,
    pub(crate) netlist: &'n Netlist,
}

impl Planned<'_> {
    /// The last stage: the image with its symbols.
    ///
    /// # Errors
    /// If the circuit does not fit the image format.
    pub fn encode(&self) -> Result<Compiled, CompileError> {
        let Netlist { gates, optimised } = self.netlist;
        let encoded = encode::encode(gates, &self.plan, &optimised.initial)?;
        let symbols = symbols::table(optimised);
        let report = self.report(&encoded);
        let image_length = encoded.image.len();
        let mut file = encoded.image;
        file.extend(symbols.to_bytes());
        Ok(Compiled { file, image_length, warnings: self.warnings(), symbols, report })
    }

    fn report(&self, encoded: &encode::Encoded) -> Report {
        let Netlist { gates, optimised } = self.netlist;
        let count = |section: Section| self.plan.schedule.gate_counts[section.index()];
        Report {
            roles: optimised.names.roles.len(),
            fluents: gates.fluents(),
            moves: gates.moves(),
            clauses: optimised.clauses,
            gates_legal: count(Section::Legal),
            gates_next: count(Section::Next),
            gates_goal: count(Section::Goal),
            strata: encoded.strata,
            slots: self.plan.slots.count,
            widest_live: self.plan.widest_live,
            bytecode_bytes: encoded.bytecode_bytes,
            image_bytes: encoded.image.len(),
            seconds: 0.0,
        }
    }

    fn warnings(&self) -> Vec<String> {
        let Netlist { gates, optimised } = self.netlist;
        let roles = optimised.names.roles.iter().zip(&gates.moves_of_roles);
        let idle = roles.filter(|(_, moves)| moves.is_empty());
        idle.map(|(role, _)| format!("role `{role}` never has a legal move")).collect()
    }
}
