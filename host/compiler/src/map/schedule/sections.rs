//! Which section and which level every gate belongs to. A *unit* is what has a
//! level of its own: a cell outside fixpoint blocks, known by the gate that it
//! ends with, or a whole block.

use super::walk::Walk;
use crate::circuit::signal::FluentId;
use crate::index::{Id, IndexVec, define_index};
use crate::map::cover::{Cover, Tree};
use crate::optimise::gates::{FixpointId, GateId, Gates, Kind, Value};
use ruche_shared::image::Section;

const LEGAL: u8 = 1;
const GOAL: u8 = 2;
const NEXT: u8 = 4;

define_index! {
    /// What has a level of its own: gates first, then blocks.
    pub(super) struct Unit;
}

#[derive(Clone, Copy, Default, Debug)]
struct Place {
    /// Sections that need it.
    needed: u8,
    wave: u32,
    level: u32,
    /// A unit of the next section reads it, or it is a next value.
    used_in_next: bool,
    /// A unit of its own section reads it.
    has_users: bool,
}

impl Place {
    /// What both `goal` and `next` need is computed in `legal`: `goal` runs
    /// before `next`, and not in every step.
    fn section(&self) -> Option<Section> {
        match self.needed {
            0 => None,
            GOAL => Some(Section::Goal),
            NEXT => Some(Section::Next),
            _ => Some(Section::Legal),
        }
    }
}

/// Sections and levels of gates and blocks.
pub(super) struct Sections<'g> {
    gates: &'g Gates,
    cover: &'g Cover,
    places: IndexVec<Unit, Place>,
    /// Units, operands before users.
    order: Vec<Unit>,
    /// Nodes that a block reads from outside.
    block_reads: IndexVec<FixpointId, Vec<Value>>,
    block_gates: IndexVec<FixpointId, Vec<GateId>>,
    inner_levels: IndexVec<GateId, u32>,
    /// Last level of each section; levels start at 1.
    pub(crate) depths: [u32; 3],
    /// Units of the next section that read a fluent.
    fluent_readers: IndexVec<FluentId, Vec<Unit>>,
    /// The last level at which something other than a unit reads a fluent.
    fluent_copied: IndexVec<FluentId, Option<u32>>,
    /// The level at which a fluent is overwritten.
    fluent_written: IndexVec<FluentId, Option<u32>>,
}

impl<'g> Sections<'g> {
    pub(super) fn of(gates: &'g Gates, cover: &'g Cover, wave: u32) -> Self {
        let fluents = gates.fluents();
        let mut sections = Sections {
            gates,
            cover,
            places: IndexVec::filled(Place::default(), gates.count() + gates.blocks.len()),
            order: Vec::new(),
            block_reads: IndexVec::filled(Vec::new(), gates.blocks.len()),
            block_gates: IndexVec::filled(Vec::new(), gates.blocks.len()),
            inner_levels: IndexVec::filled(0, gates.operands.len()),
            depths: [0; 3],
            fluent_readers: IndexVec::filled(Vec::new(), fluents),
            fluent_copied: IndexVec::filled(None, fluents),
            fluent_written: IndexVec::filled(None, fluents),
        };
        sections.look_into_blocks();
        sections.find_order();
        sections.find_needs();
        sections.find_waves(wave);
        sections.find_earliest();
        sections.find_latest();
        sections.find_uses();
        sections
    }

    fn unit_of_gate(&self, gate: GateId) -> Unit {
        match self.gates.block_of[gate] {
            Some(block) => self.unit_of_block(block),
            None => Unit::new(gate.index()),
        }
    }

    fn unit_of_block(&self, block: FixpointId) -> Unit {
        Unit::new(self.gates.count() + block.index())
    }

    fn unit_of(&self, node: Value) -> Option<Unit> {
        match self.gates.kind(node) {
            Kind::Gate(gate) => Some(self.unit_of_gate(gate)),
            Kind::Result(block) => Some(self.unit_of_block(block)),
            _ => None,
        }
    }

    /// Gates, outside reads and inner levels of the blocks.
    fn look_into_blocks(&mut self) {
        let (gates, cover) = (self.gates, self.cover);
        for (gate, tree) in cover.cells() {
            let Some(block) = gates.block_of[gate] else { continue };
            self.block_gates[block].push(gate);
            let mut level = 0;
            for operand in tree.inputs() {
                if self.is_inside(operand.node(), block) {
                    level = level.max(self.inner_level_of_node(operand.node()));
                } else {
                    self.block_reads[block].push(operand.node());
                }
            }
            self.inner_levels[gate] = level + 1;
        }
        for (number, block) in gates.blocks.enumerate() {
            let outside = |node: &Value| !self.is_inside(*node, number);
            let reads: Vec<_> =
                block.definitions.iter().map(|s| s.node()).filter(outside).collect();
            self.block_reads[number].extend(reads);
            self.block_reads[number].sort_unstable();
            self.block_reads[number].dedup();
        }
    }

    fn is_inside(&self, node: Value, block: FixpointId) -> bool {
        match self.gates.kind(node) {
            Kind::Gate(gate) => self.gates.block_of[gate] == Some(block),
            Kind::Variable(own) => own == block,
            _ => false,
        }
    }

    fn inner_level_of_node(&self, node: Value) -> u32 {
        match self.gates.kind(node) {
            Kind::Gate(gate) => self.inner_levels[gate],
            _ => 0,
        }
    }

    /// Nodes that a unit reads.
    fn reads(&self, unit: Unit) -> impl Iterator<Item = Value> + use<'_> {
        let (inputs, reads) = match unit.index().checked_sub(self.gates.count()) {
            Some(block) => (&[][..], self.block_reads[FixpointId::new(block)].as_slice()),
            None => {
                let tree = self.cover.tree(GateId::new(unit.index()));
                (tree.map_or(&[][..], Tree::inputs), &[][..])
            }
        };
        inputs.iter().map(|input| input.node()).chain(reads.iter().copied())
    }

    fn find_order(&mut self) {
        let mut walk = Walk::new(self.places.len());
        let stands_alone = |gate: &GateId| self.gates.block_of[*gate].is_none();
        let cells = self.cover.cells().map(|(gate, _)| gate).filter(stands_alone);
        let blocks = self.gates.blocks.ids().map(|block| self.unit_of_block(block));
        for root in cells.map(|gate| self.unit_of_gate(gate)).chain(blocks) {
            walk.visit(root, |unit| {
                self.reads(unit).filter_map(|node| self.unit_of(node)).collect()
            });
        }
        self.order = walk.order;
    }

    fn find_needs(&mut self) {
        let outputs = &self.gates.outputs;
        let legal = outputs.legal.iter().chain([&outputs.terminal]).map(|s| (s.node(), LEGAL));
        let goals = outputs.goals.iter().map(|goal| (goal.holds.node(), GOAL));
        let next = outputs.next.iter().map(|s| (s.node(), NEXT));
        for (node, need) in legal.chain(goals).chain(next) {
            if let Some(unit) = self.unit_of(node) {
                self.places[unit].needed |= need;
            }
        }
        for position in (0..self.order.len()).rev() {
            let unit = self.order[position];
            let needed = self.places[unit].needed;
            let below: Vec<_> = self.reads(unit).filter_map(|node| self.unit_of(node)).collect();
            below.into_iter().for_each(|u| self.places[u].needed |= needed);
        }
    }

    /// Units of the same section that `unit` reads.
    fn below(&self, unit: Unit) -> impl Iterator<Item = Unit> + use<'_, 'g> {
        let section = self.places[unit].section();
        let units = self.reads(unit).filter_map(|node| self.unit_of(node));
        units.filter(move |&u| self.places[u].section() == section)
    }

    /// Cuts each section into waves: a walk from the outputs to the inputs, the
    /// side that needs more room first, passes the units in an order that keeps
    /// few values alive; a wave is a piece of that order, with so many units.
    fn find_waves(&mut self, wave: u32) {
        let rooms = self.rooms();
        let outputs = &self.gates.outputs;
        let goals = outputs.goals.iter().map(|goal| goal.holds);
        let ends = outputs.legal.iter().copied().chain([outputs.terminal]).chain(goals);
        let ends = ends.chain(outputs.next.iter().copied()).map(|signal| signal.node());
        let ends: Vec<Unit> = ends.filter_map(|node| self.unit_of(node)).collect();
        let mut walk = Walk::new(self.places.len());
        // What is read by other sections only is reached from nowhere else.
        for unit in ends.into_iter().chain(self.order.iter().copied().rev()) {
            walk.visit(unit, |unit| {
                let mut below: Vec<Unit> = self.below(unit).collect();
                below.sort_by_key(|&unit| rooms[unit]);
                below
            });
        }
        let mut counts = [0; 3];
        for &unit in &walk.order {
            let place = &mut self.places[unit];
            if let Some(section) = place.section() {
                place.wave = counts[section.index()] / wave;
                counts[section.index()] += 1;
            }
        }
        self.order = walk.order;
    }

    /// How many values must be kept at once to compute a unit, as if nothing
    /// were read twice.
    fn rooms(&self) -> IndexVec<Unit, u32> {
        let mut rooms = IndexVec::filled(0, self.places.len());
        for &unit in &self.order {
            let mut below: Vec<u32> = self.below(unit).map(|unit| rooms[unit]).collect();
            below.sort_unstable_by_key(|&room| std::cmp::Reverse(room));
            let room = below.iter().zip(0..).map(|(room, held)| room + held).max();
            rooms[unit] = room.unwrap_or(0).max(1);
        }
        rooms
    }

    /// Units of the same wave that `unit` reads.
    fn below_in_wave(&self, unit: Unit) -> impl Iterator<Item = Unit> + use<'_, 'g> {
        let wave = self.places[unit].wave;
        self.below(unit).filter(move |&below| self.places[below].wave == wave)
    }

    fn find_earliest(&mut self) {
        for position in 0..self.order.len() {
            let unit = self.order[position];
            let below = self.below_in_wave(unit).map(|below| self.places[below].level);
            self.places[unit].level = 1 + below.max().unwrap_or(0);
        }
    }

    fn find_latest(&mut self) {
        let ends = self.wave_ends();
        for place in self.places.iter_mut() {
            if let Some(section) = place.section() {
                place.level = ends[section.index()][place.wave as usize];
            }
        }
        for position in (0..self.order.len()).rev() {
            let unit = self.order[position];
            let latest = self.places[unit].level.saturating_sub(1);
            let below: Vec<_> = self.below_in_wave(unit).collect();
            below.into_iter().for_each(|operand| {
                let place = &mut self.places[operand];
                place.level = place.level.min(latest);
            });
            let below: Vec<_> = self.below(unit).collect();
            below.into_iter().for_each(|operand| self.places[operand].has_users = true);
        }
    }

    /// The last level of each wave, counted from the start of its section.
    fn wave_ends(&mut self) -> [Vec<u32>; 3] {
        let mut ends: [Vec<u32>; 3] = Default::default();
        for place in &self.places {
            let Some(section) = place.section() else { continue };
            let ends = &mut ends[section.index()];
            ends.resize(ends.len().max(place.wave as usize + 1), 0);
            let depth = &mut ends[place.wave as usize];
            *depth = (*depth).max(place.level);
        }
        for (ends, depth) in ends.iter_mut().zip(&mut self.depths) {
            for end in ends {
                *depth += *end;
                *end = *depth;
            }
        }
        ends
    }

    fn find_uses(&mut self) {
        for signal in &self.gates.outputs.next {
            if let Some(unit) = self.unit_of(signal.node()) {
                self.places[unit].used_in_next = true;
            }
        }
        for position in 0..self.order.len() {
            let unit = self.order[position];
            if self.places[unit].section() != Some(Section::Next) {
                continue;
            }
            let reads: Vec<_> = self.reads(unit).collect();
            for node in reads {
                if let Kind::Fluent(fluent) = self.gates.kind(node) {
                    self.fluent_readers[fluent].push(unit);
                } else if let Some(below) = self.unit_of(node) {
                    self.places[below].used_in_next = true;
                }
            }
        }
    }

    /// The section of a gate's node, also inside a block; `None` if it is dead.
    pub(super) fn section_of(&self, node: Value) -> Option<Section> {
        self.unit_of(node).and_then(|unit| self.places[unit].section())
    }

    /// The level of a gate, or of the block that it belongs to.
    pub(super) fn level_of(&self, node: Value) -> u32 {
        self.unit_of(node).map_or(0, |unit| self.places[unit].level)
    }

    /// Section and level of a block; `None` if it is dead.
    pub(super) fn block_spot(&self, block: FixpointId) -> Option<(Section, u32)> {
        let place = self.places[self.unit_of_block(block)];
        place.section().map(|section| (section, place.level))
    }

    /// The gates of a block.
    pub(super) fn block_gates(&self, block: FixpointId) -> &[GateId] {
        &self.block_gates[block]
    }

    /// The level of a gate inside its block, from 1.
    pub(super) fn inner_level(&self, gate: GateId) -> u32 {
        self.inner_levels[gate]
    }

    /// Whether the next section needs the value of a gate.
    pub(super) fn used_in_next(&self, node: Value) -> bool {
        self.unit_of(node).is_some_and(|unit| self.places[unit].used_in_next)
    }

    /// Notes that a copy in the last level of the next section reads a fluent.
    pub(super) fn note_copied(&mut self, fluent: FluentId) {
        self.fluent_copied[fluent] = Some(self.depths[Section::Next.index()]);
    }

    /// Lets a gate overwrite a fluent, later than planned if need be; false if
    /// some other reader of the fluent comes too late.
    pub(super) fn overwrite(&mut self, fluent: FluentId, node: Value) -> bool {
        let unit = self.unit_of(node).expect("a gate");
        let readers = self.fluent_readers[fluent].iter().filter(|&&u| u != unit);
        let last = readers.map(|&u| self.places[u].level).max();
        let last = last.max(self.fluent_copied[fluent]).unwrap_or(0);
        let place = self.places[unit];
        if last >= place.level && (place.has_users || !self.can_delay(unit, last + 1)) {
            return false;
        }
        let level = place.level.max(last + 1);
        self.places[unit].level = level;
        self.fluent_written[fluent] = Some(level);
        true
    }

    /// Whether a gate without users can run at `level`: no fluent that it reads
    /// may be overwritten by then.
    fn can_delay(&self, unit: Unit, level: u32) -> bool {
        let intact = |node: Value| match self.gates.kind(node) {
            Kind::Fluent(fluent) => {
                self.fluent_written[fluent].is_none_or(|written| written > level)
            }
            _ => true,
        };
        level <= self.depths[Section::Next.index()] + 1 && self.reads(unit).all(intact)
    }
}
