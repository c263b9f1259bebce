//! Schedule → bytecode → image. Neighbouring cells of one opcode become a run, so
//! that the kernel decodes one header for many gates.

use crate::circuit::signal::{FluentId, GoalSignal};
use crate::error::CompileError;
use crate::index::{Id, IndexVec};
use crate::map::Plan;
use crate::map::allocate::Slots;
use crate::map::schedule::{Cell, FixpointStratum, Schedule, Stratum};
use crate::optimise::gates::{Gates, Value};
use ruche_shared::image::{
    self, Goal, MAX_FIXPOINT_WORK, MAX_FLUENTS, MAX_ROLES, MAX_SLOTS, MAX_VARIABLES, NARROW_SLOTS,
    Opcode, Parts, Section, fixpoint_header, header, max_count,
};

/// An encoded image.
pub(crate) struct Encoded {
    /// Its bytes.
    pub(crate) image: Vec<u8>,
    /// Bytes of bytecode in it.
    pub(crate) bytecode_bytes: usize,
    /// Strata of all sections.
    pub(crate) strata: usize,
}

/// Encodes a scheduled circuit.
pub(crate) fn encode(
    gates: &Gates,
    plan: &Plan,
    initial: &IndexVec<FluentId, bool>,
) -> Result<Encoded, CompileError> {
    let Plan { schedule, slots, .. } = plan;
    check_counts(gates, plan)?;
    let wide = slots.count > NARROW_SLOTS as usize;
    let writer = Writer { slots, wide };
    let code = writer.sections(schedule);
    let work = schedule.fixpoints().map(|block| writer.work(block)).sum();
    within("rounds of recursion times gates", work, MAX_FIXPOINT_WORK)?;
    let parts = Parts {
        wide,
        fluents: gates.fluents() as u32,
        slots: slots.count as u32,
        terminal_slot: writer.slot(schedule.terminal),
        move_starts: &move_starts(gates),
        goals: &writer.goals(gates, schedule),
        initial: &pack(initial.as_slice()),
        code: Section::ALL.map(|section| code[section.index()].as_slice()),
    };
    let length = image::encoded_length(&parts);
    within("bytes", length as u64, u32::MAX.into())?;
    let mut image = vec![0; length];
    image::encode(&parts, &mut image).expect("the parts are those of one circuit");
    let word = if wide { 4 } else { 2 };
    Ok(Encoded {
        image,
        bytecode_bytes: code.iter().map(|c| c.len() * word).sum(),
        strata: schedule.sections.iter().map(Vec::len).sum(),
    })
}

/// Refuses by name what [`Image::parse`](image::Image::parse) would refuse, but for what
/// the bytecode alone tells.
fn check_counts(gates: &Gates, plan: &Plan) -> Result<(), CompileError> {
    let longest = plan.schedule.fixpoints().map(|block| block.variables.len()).max();
    let counts = [
        ("roles", gates.moves_of_roles.len(), MAX_ROLES),
        ("fluents", gates.fluents(), MAX_FLUENTS),
        ("slots", plan.slots.count, MAX_SLOTS),
        ("atoms that depend on each other", longest.unwrap_or(0), MAX_VARIABLES),
    ];
    counts.into_iter().try_for_each(|(what, size, most)| within(what, size as u64, most.into()))
}

fn within(what: &'static str, size: u64, most: u64) -> Result<(), CompileError> {
    if size > most { Err(CompileError::TooLarge { what, size, most }) } else { Ok(()) }
}

/// First move of each role, and the end.
fn move_starts(gates: &Gates) -> Vec<u32> {
    let starts = gates.moves_of_roles.iter().map(|moves| moves.start.index());
    starts.chain([gates.moves()]).map(|start| start as u32).collect()
}

fn pack(bits: &[bool]) -> Vec<u32> {
    let word = |chunk: &[bool]| {
        chunk.iter().enumerate().fold(0, |word, (bit, &value)| word | u32::from(value) << bit)
    };
    bits.chunks(32).map(word).collect()
}

type GoalOutput = GoalSignal<Value>;

struct Writer<'s> {
    slots: &'s Slots,
    wide: bool,
}

impl Writer<'_> {
    fn slot(&self, value: Value) -> u32 {
        self.slots.of(value).index() as u32
    }

    fn goals(&self, gates: &Gates, schedule: &Schedule) -> Vec<Goal> {
        let goals = gates.outputs.goals.iter().zip(&schedule.goals);
        let goal = |goal: &GoalOutput, held| Goal {
            role: goal.role.index() as u16,
            value: goal.value,
            slot: self.slot(held),
        };
        goals.map(|(output, &held)| goal(output, held)).collect()
    }

    fn sections(&self, schedule: &Schedule) -> [Vec<u32>; 3] {
        std::array::from_fn(|section| self.section(&schedule.sections[section]))
    }

    fn section(&self, strata: &[Stratum]) -> Vec<u32> {
        let mut code = Vec::new();
        for (number, stratum) in strata.iter().enumerate() {
            if number > 0 {
                code.push(header(Opcode::Stratum, 0, self.wide));
            }
            match stratum {
                Stratum::Cells(cells) => self.cells(cells, &mut code),
                Stratum::Fixpoint(block) => self.fixpoint(block, &mut code),
            }
        }
        code
    }

    fn cells(&self, cells: &[Cell], code: &mut Vec<u32>) {
        for same in cells.chunk_by(|a, b| a.opcode == b.opcode) {
            for run in same.chunks(max_count(self.wide) as usize) {
                code.push(header(run[0].opcode, run.len() as u32, self.wide));
                for cell in run {
                    code.push(self.slot(cell.value));
                    code.extend(cell.reads().iter().map(|&value| self.slot(value)));
                }
            }
        }
    }

    /// Code words that a block runs through if each round makes one of its variables true.
    fn work(&self, block: &FixpointStratum) -> u64 {
        (block.variables.len() as u64 + 1) * self.body(block).len() as u64
    }

    fn body(&self, block: &FixpointStratum) -> Vec<u32> {
        let mut body = Vec::new();
        for cells in &block.body {
            self.cells(cells, &mut body);
            body.push(header(Opcode::Stratum, 0, self.wide));
        }
        for run in block.growth.chunks(max_count(self.wide) as usize) {
            body.push(header(Opcode::Grow, run.len() as u32, self.wide));
            body.extend(
                run.iter().flat_map(|&(variable, value)| [self.slot(variable), self.slot(value)]),
            );
        }
        body
    }

    fn fixpoint(&self, block: &FixpointStratum, code: &mut Vec<u32>) {
        let body = self.body(block);
        let (variables, words) = (block.variables.len() as u32, body.len() as u32);
        code.extend(fixpoint_header(variables, words, self.wide));
        code.extend(block.variables.iter().map(|&variable| self.slot(variable)));
        code.extend(body);
    }
}
