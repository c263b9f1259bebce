//! Cells → strata. Every cell goes to a section (`legal` runs in every step,
//! `goal` only when a lane has ended, `next` when a move is played) and there
//! to the last stratum in which its users still find it ready: inputs stay in
//! their slots anyway, so late gates keep the number of live values small.

mod cells;
mod sections;
mod walk;

use crate::circuit::signal::{FluentId, MoveId, Signal as AnySignal};
use crate::index::{Id, IndexVec, define_index};
use crate::map::allocate::Slots;
use crate::map::cover::Cover;
use crate::optimise::gates::{FixpointId, Gates, Kind, Value};
use cells::CellMaker;
pub(crate) use cells::{Cell, Home};
use ruche_shared::image::Section;
use sections::Sections;

/// Variables of the blocks that are run as one: as many as a fixpoint may have.
const MOST_MERGED: usize = ruche_shared::image::MAX_VARIABLES as usize;

define_index! {
    /// A word of a core.
    pub(crate) struct Slot;
}

type Signal = AnySignal<Value>;

/// Cells that can run in any order.
#[derive(Clone, Debug)]
pub(crate) enum Stratum {
    /// Gates and copies.
    Cells(Vec<Cell>),
    /// Fixpoint blocks, run as one.
    Fixpoint(FixpointStratum),
}

/// The blocks of one stratum.
#[derive(Clone, Debug)]
pub(crate) struct FixpointStratum {
    /// The variables.
    pub(crate) variables: Vec<Value>,
    /// Strata of one round.
    pub(crate) body: Vec<Vec<Cell>>,
    /// Variables and what they grow by at the end of a round.
    pub(crate) growth: Vec<(Value, Value)>,
}

/// A scheduled circuit.
pub(crate) struct Schedule {
    /// The strata of each section.
    pub(crate) sections: [Vec<Stratum>; 3],
    /// The value of `terminal`, there when `legal` has run.
    pub(crate) terminal: Value,
    /// The values of the goals, there when `goal` has run.
    pub(crate) goals: Vec<Value>,
    /// What lives in fixed slots: fluents and moves.
    pub(crate) homes: IndexVec<Value, Home>,
    /// Results of blocks share the slot of their variable.
    pub(crate) variable_of: IndexVec<Value, Option<Value>>,
    /// Gates of each section, two-input ones only.
    pub(crate) gate_counts: [usize; 3],
}

impl Schedule {
    /// The value whose slot holds a value: a block's variable for its result,
    /// the value itself otherwise.
    pub(crate) fn holder(&self, value: Value) -> Value {
        self.variable_of[value].unwrap_or(value)
    }

    /// The fixpoint blocks of all sections.
    pub(crate) fn fixpoints(&self) -> impl Iterator<Item = &FixpointStratum> {
        self.sections.iter().flatten().filter_map(|stratum| match stratum {
            Stratum::Cells(_) => None,
            Stratum::Fixpoint(block) => Some(block),
        })
    }

    /// Orders the cells of each stratum by opcode, then by the slot that they
    /// write: those of one kind become a run, which walks memory forwards.
    pub(crate) fn arrange(&mut self, slots: &Slots) {
        let arrange = |cells: &mut Vec<Cell>| {
            cells.sort_by_key(|cell| (cell.opcode.code(), slots.of(cell.value)));
        };
        for stratum in self.sections.iter_mut().flatten() {
            match stratum {
                Stratum::Cells(cells) => arrange(cells),
                Stratum::Fixpoint(block) => block.body.iter_mut().for_each(arrange),
            }
        }
    }
}

/// Schedules the gates in waves of so many cells. Small waves keep few values
/// alive, but make short runs.
pub(crate) fn schedule(gates: &Gates, cover: &Cover, wave: u32) -> Schedule {
    let sections = Sections::of(gates, cover, wave);
    Scheduler::new(gates, cover, sections).run()
}

/// Section and level.
type Spot = (Section, u32);

/// The slot of a fluent: fluents come first.
fn fluent_slot(fluent: FluentId) -> Slot {
    Slot::new(fluent.index())
}

/// The slot of a move: moves lie behind the fluents.
fn move_slot(gates: &Gates, number: MoveId) -> Slot {
    Slot::new(gates.fluents() + number.index())
}

struct Scheduler<'g> {
    gates: &'g Gates,
    cover: &'g Cover,
    sections: Sections<'g>,
    maker: CellMaker<'g>,
    /// Cells by section and level; the last level is for late outputs.
    cells: [Vec<Vec<Cell>>; 3],
    /// Copies that end a section.
    copies: [Vec<Cell>; 3],
    gate_counts: [usize; 3],
}

impl<'g> Scheduler<'g> {
    fn new(gates: &'g Gates, cover: &'g Cover, sections: Sections<'g>) -> Self {
        // One more level than needed, for outputs that must come last.
        let levels = |section: usize| vec![Vec::new(); sections.depths[section] as usize + 2];
        let cells = std::array::from_fn(levels);
        Scheduler {
            maker: CellMaker::new(gates, cover),
            gates,
            cover,
            sections,
            cells,
            copies: Default::default(),
            gate_counts: [0; 3],
        }
    }

    fn run(mut self) -> Schedule {
        let terminal = self.positive(self.gates.outputs.terminal, Section::Legal);
        let goals = self.gates.outputs.goals.iter();
        let goals = goals.map(|goal| self.positive(goal.holds, Section::Goal)).collect();
        self.place_legal();
        self.place_next();
        // Claims of polarities are over when the gates become cells.
        let blocks = self.place_blocks();
        self.place_gates();
        let mut sections = self.assemble(blocks);
        for (section, copies) in sections.iter_mut().zip(std::mem::take(&mut self.copies)) {
            if !copies.is_empty() {
                section.push(Stratum::Cells(copies));
            }
        }
        let (homes, variable_of) = self.maker.finish();
        Schedule { sections, terminal, goals, homes, variable_of, gate_counts: self.gate_counts }
    }

    /// A value that holds the signal itself, made at the end of the section if
    /// no gate can hold it.
    fn positive(&mut self, signal: Signal, section: Section) -> Value {
        if self.maker.claim(signal) {
            return signal.node();
        }
        let cell = self.maker.buffer(signal, Home::Temporary);
        let value = cell.value;
        let after_all = self.sections.depths[section.index()] as usize + 1;
        self.cells[section.index()][after_all].push(cell);
        value
    }

    /// Every move has its slot: a gate writes it directly if it is the only
    /// move with that condition and nothing needs the condition after the
    /// choice, otherwise it is copied.
    fn place_legal(&mut self) {
        for (number, &signal) in self.gates.outputs.legal.enumerate() {
            let slot = move_slot(self.gates, number);
            let direct = matches!(self.gates.kind(signal.node()), Kind::Gate(_))
                && !self.sections.used_in_next(signal.node())
                && self.maker.is_temporary(signal.node())
                && self.maker.claim(signal);
            if direct {
                self.maker.set_home(signal.node(), slot);
            } else {
                let cell = self.maker.buffer(signal, Home::Slot(slot));
                self.copies[Section::Legal.index()].push(cell);
            }
        }
    }

    /// Next values. Those that are inputs themselves go through a temporary:
    /// the slot that they read may be overwritten by another next value.
    fn place_next(&mut self) {
        let mut rest = Vec::new();
        for (fluent, &signal) in self.gates.outputs.next.enumerate() {
            match self.gates.kind(signal.node()) {
                Kind::Fluent(same) if same == fluent && !signal.is_negated() => {}
                Kind::Fluent(_) | Kind::Does(_) => self.copy_input(fluent, signal),
                _ => rest.push((fluent, signal)),
            }
        }
        for (fluent, signal) in rest {
            self.place_next_of(fluent, signal);
        }
    }

    fn copy_input(&mut self, fluent: FluentId, signal: Signal) {
        if let Kind::Fluent(read) = self.gates.kind(signal.node()) {
            self.sections.note_copied(read);
        }
        let cell = self.maker.buffer(signal, Home::Temporary);
        let copy = self.maker.copy_of(cell.value, fluent_slot(fluent));
        let section = Section::Next.index();
        self.cells[section][self.sections.depths[section] as usize].push(cell);
        self.copies[section].push(copy);
    }

    /// A gate writes the next value of a fluent over the old one if all other
    /// readers of the old one run in earlier strata; otherwise the value is
    /// copied at the end.
    fn place_next_of(&mut self, fluent: FluentId, signal: Signal) {
        let node = signal.node();
        let is_own = matches!(self.gates.kind(node), Kind::Gate(_))
            && self.sections.section_of(node) == Some(Section::Next)
            && self.maker.is_temporary(node)
            && self.maker.claim(signal);
        if is_own && self.sections.overwrite(fluent, node) {
            self.maker.set_home(node, fluent_slot(fluent));
        } else {
            let cell = self.maker.buffer(signal, Home::Slot(fluent_slot(fluent)));
            self.copies[Section::Next.index()].push(cell);
        }
    }

    fn place_gates(&mut self) {
        for (gate, tree) in self.cover.cells() {
            let node = self.gates.node_of(gate);
            let Some(section) = self.sections.section_of(node) else { continue };
            self.gate_counts[section.index()] += tree.gates();
            if self.gates.block_of[gate].is_none() {
                let cell = self.maker.gate(gate, tree);
                let level = self.sections.level_of(node) as usize;
                self.cells[section.index()][level].push(cell);
            }
        }
    }

    /// The blocks of each section by level.
    fn place_blocks(&mut self) -> Vec<(Spot, FixpointStratum)> {
        let mut merged: Vec<(Spot, FixpointStratum)> = Vec::new();
        for block in self.gates.blocks.ids() {
            let Some(spot) = self.sections.block_spot(block) else { continue };
            let body = self.block_body(block);
            let fits = |(other, all): &&mut (Spot, FixpointStratum)| {
                *other == spot && all.variables.len() + body.variables.len() <= MOST_MERGED
            };
            match merged.iter_mut().find(fits) {
                Some((_, all)) => all.merge(body),
                None => merged.push((spot, body)),
            }
        }
        merged
    }

    fn block_body(&mut self, block: FixpointId) -> FixpointStratum {
        let fixpoint = &self.gates.blocks[block];
        let definitions = fixpoint.definitions.clone();
        let variables: Vec<_> = fixpoint.variables.iter().collect();
        let mut extra = Vec::new();
        let mut growth = Vec::new();
        for (&variable, definition) in variables.iter().zip(definitions) {
            // A variable that grows by another one reads a copy of it: the other
            // grows in the same stratum.
            let is_variable = matches!(self.gates.kind(definition.node()), Kind::Variable(_));
            let value = if !is_variable && self.maker.claim(definition) {
                definition.node()
            } else {
                let cell = self.maker.buffer(definition, Home::Temporary);
                extra.push(cell);
                extra.last().expect("just pushed").value
            };
            growth.push((variable, value));
        }
        let mut body: Vec<Vec<Cell>> = Vec::new();
        for &gate in self.sections.block_gates(block) {
            let level = self.sections.inner_level(gate) as usize;
            if body.len() < level {
                body.resize(level, Vec::new());
            }
            if let Some(tree) = self.cover.tree(gate) {
                body[level - 1].push(self.maker.gate(gate, tree));
            }
        }
        if !extra.is_empty() {
            body.push(extra);
        }
        FixpointStratum { variables, body, growth }
    }

    fn assemble(&mut self, blocks: Vec<(Spot, FixpointStratum)>) -> [Vec<Stratum>; 3] {
        let mut sections: [Vec<Stratum>; 3] = Default::default();
        let mut blocks = blocks;
        blocks.sort_by_key(|((section, level), _)| (section.index(), *level));
        let mut blocks = blocks.into_iter().peekable();
        for section in Section::ALL {
            let levels = std::mem::take(&mut self.cells[section.index()]);
            for (level, cells) in levels.into_iter().enumerate() {
                if !cells.is_empty() {
                    sections[section.index()].push(Stratum::Cells(cells));
                }
                let here = |(spot, _): &(Spot, FixpointStratum)| *spot == (section, level as u32);
                while let Some((_, block)) = blocks.next_if(here) {
                    sections[section.index()].push(Stratum::Fixpoint(block));
                }
            }
        }
        sections
    }
}

impl FixpointStratum {
    fn merge(&mut self, other: FixpointStratum) {
        self.variables.extend(other.variables);
        self.growth.extend(other.growth);
        let longer = self.body.len().max(other.body.len());
        self.body.resize(longer, Vec::new());
        for (mine, theirs) in self.body.iter_mut().zip(other.body) {
            mine.extend(theirs);
        }
    }
}
