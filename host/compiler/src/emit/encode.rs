//! Schedule → bytecode → image. Neighbouring cells of one opcode become a run, so
//! that the kernel decodes one header for many gates.

use crate::error::CompileError;
use crate::map::allocate::Slots;
use crate::map::schedule::{Cell, FixpointStratum, Schedule, Stratum};
use crate::optimise::gates::Gates;
use ruche_shared::image::{
    self, Goal, MAX_SLOTS, NARROW_SLOTS, Opcode, Parts, Section, fixpoint_header, header,
    max_count, max_variables,
};

/// An encoded image.
pub struct Encoded {
    /// Its bytes.
    pub image: Vec<u8>,
    /// Bytes of bytecode in it.
    pub bytecode_bytes: usize,
    /// Strata of all sections.
    pub strata: usize,
}

/// Encodes a scheduled circuit.
pub fn encode(
    gates: &Gates,
    schedule: &Schedule,
    slots: &Slots,
    initial: &[bool],
) -> Result<Encoded, CompileError> {
    if slots.count > MAX_SLOTS {
        return Err(CompileError::TooLarge {
            what: "the number of slots",
            size: slots.count as usize,
        });
    }
    let wide =
        slots.count > NARROW_SLOTS || longest_block(schedule) > max_variables(false) as usize;
    let writer = Writer { slots, wide };
    let code: [Vec<u32>; 3] = std::array::from_fn(|s| writer.section(&schedule.sections[s]));
    let goals: Vec<_> = gates
        .outputs
        .goals
        .iter()
        .zip(&schedule.goals)
        .map(|(&(role, value, _), &held)| Goal {
            role: role as u16,
            value: value as u16,
            slot: slots.of(held),
        })
        .collect();
    let initial = pack(initial);
    let parts = Parts {
        wide,
        fluents: gates.fluents,
        slots: slots.count,
        terminal_slot: slots.of(schedule.terminal),
        move_starts: &gates.move_starts,
        goals: &goals,
        initial: &initial,
        code: Section::ALL.map(|section| code[section.index()].as_slice()),
    };
    let mut image = vec![0; image::encoded_length(&parts)];
    image::encode(&parts, &mut image)
        .map_err(|_| CompileError::TooLarge { what: "its length in bytes", size: image.len() })?;
    let word = if wide { 4 } else { 2 };
    Ok(Encoded {
        image,
        bytecode_bytes: code.iter().map(|c| c.len() * word).sum(),
        strata: schedule.sections.iter().map(Vec::len).sum(),
    })
}

fn longest_block(schedule: &Schedule) -> usize {
    let strata = schedule.sections.iter().flatten();
    let lengths = strata.map(|stratum| match stratum {
        Stratum::Cells(_) => 0,
        Stratum::Fixpoint(block) => block.variables.len(),
    });
    lengths.max().unwrap_or(0)
}

fn pack(bits: &[bool]) -> Vec<u32> {
    let word = |chunk: &[bool]| {
        chunk.iter().enumerate().fold(0, |word, (bit, &value)| word | u32::from(value) << bit)
    };
    bits.chunks(32).map(word).collect()
}

struct Writer<'s> {
    slots: &'s Slots,
    wide: bool,
}

impl Writer<'_> {
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
                    code.push(self.slots.of(cell.value));
                    code.extend(cell.reads().iter().map(|&value| self.slots.of(value)));
                }
            }
        }
    }

    fn fixpoint(&self, block: &FixpointStratum, code: &mut Vec<u32>) {
        let mut body = Vec::new();
        for cells in &block.body {
            self.cells(cells, &mut body);
            body.push(header(Opcode::Stratum, 0, self.wide));
        }
        for run in block.growth.chunks(max_count(self.wide) as usize) {
            body.push(header(Opcode::Grow, run.len() as u32, self.wide));
            body.extend(
                run.iter()
                    .flat_map(|&(variable, value)| [self.slots.of(variable), self.slots.of(value)]),
            );
        }
        let (variables, words) = (block.variables.len() as u32, body.len() as u32);
        code.extend(fixpoint_header(variables, words, self.wide));
        code.extend(block.variables.iter().map(|&variable| self.slots.of(variable)));
        code.extend(body);
    }
}
