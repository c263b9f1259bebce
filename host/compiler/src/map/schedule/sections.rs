//! Which section and which level every gate belongs to. A *unit* is what has a
//! level of its own: a cell outside fixpoint blocks, known by the gate that it
//! ends with, or a whole block.

use crate::map::cover::{Cover, Tree};
use crate::optimise::gates::{Gates, Kind};
use ruche_shared::image::Section;

const LEGAL: u8 = 1;
const GOAL: u8 = 2;
const NEXT: u8 = 4;

/// Number of a unit: gates first, then blocks.
type Unit = usize;

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
    places: Vec<Place>,
    /// Units, operands before users.
    order: Vec<Unit>,
    /// Nodes that a block reads from outside.
    block_reads: Vec<Vec<u32>>,
    block_gates: Vec<Vec<u32>>,
    inner_levels: Vec<u32>,
    /// Last level of each section; levels start at 1.
    pub depths: [u32; 3],
    /// Units of the next section that read a fluent.
    fluent_readers: Vec<Vec<Unit>>,
    /// The last level at which something other than a unit reads a fluent.
    fluent_copied: Vec<Option<u32>>,
    /// The level at which a fluent is overwritten.
    fluent_written: Vec<Option<u32>>,
}

impl<'g> Sections<'g> {
    pub(super) fn of(gates: &'g Gates, cover: &'g Cover, wave: u32) -> Self {
        let fluents = gates.fluents as usize;
        let mut sections = Sections {
            gates,
            cover,
            places: vec![Place::default(); gates.operands.len() + gates.blocks.len()],
            order: Vec::new(),
            block_reads: vec![Vec::new(); gates.blocks.len()],
            block_gates: vec![Vec::new(); gates.blocks.len()],
            inner_levels: vec![0; gates.operands.len()],
            depths: [0; 3],
            fluent_readers: vec![Vec::new(); fluents],
            fluent_copied: vec![None; fluents],
            fluent_written: vec![None; fluents],
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

    fn unit_of_gate(&self, gate: u32) -> Unit {
        match self.gates.block_of[gate as usize] {
            Some(block) => self.unit_of_block(block),
            None => gate as Unit,
        }
    }

    fn unit_of_block(&self, block: u32) -> Unit {
        self.gates.operands.len() + block as usize
    }

    fn unit_of(&self, node: u32) -> Option<Unit> {
        match self.gates.kind(node) {
            Kind::Gate(gate) => Some(self.unit_of_gate(gate)),
            Kind::Result(block, _) => Some(self.unit_of_block(block)),
            _ => None,
        }
    }

    /// Gates, outside reads and inner levels of the blocks.
    fn look_into_blocks(&mut self) {
        let (gates, cover) = (self.gates, self.cover);
        for (gate, tree) in cover.cells() {
            let Some(block) = gates.block_of[gate as usize] else { continue };
            self.block_gates[block as usize].push(gate);
            let mut level = 0;
            for operand in tree.inputs() {
                if self.is_inside(operand.node(), block) {
                    level = level.max(self.inner_level_of_node(operand.node()));
                } else {
                    self.block_reads[block as usize].push(operand.node());
                }
            }
            self.inner_levels[gate as usize] = level + 1;
        }
        for (number, block) in gates.blocks.iter().enumerate() {
            let outside = |node: &u32| !self.is_inside(*node, number as u32);
            let reads: Vec<_> =
                block.definitions.iter().map(|s| s.node()).filter(outside).collect();
            self.block_reads[number].extend(reads);
            self.block_reads[number].sort_unstable();
            self.block_reads[number].dedup();
        }
    }

    fn is_inside(&self, node: u32, block: u32) -> bool {
        match self.gates.kind(node) {
            Kind::Gate(gate) => self.gates.block_of[gate as usize] == Some(block),
            Kind::Variable(own) => own == block,
            _ => false,
        }
    }

    fn inner_level_of_node(&self, node: u32) -> u32 {
        match self.gates.kind(node) {
            Kind::Gate(gate) => self.inner_levels[gate as usize],
            _ => 0,
        }
    }

    /// Nodes that a unit reads.
    fn reads(&self, unit: Unit) -> impl Iterator<Item = u32> + use<'_> {
        let (inputs, reads) = match unit.checked_sub(self.gates.operands.len()) {
            Some(block) => (&[][..], self.block_reads[block].as_slice()),
            None => (self.cover.tree(unit as u32).map_or(&[][..], Tree::inputs), &[][..]),
        };
        inputs.iter().map(|input| input.node()).chain(reads.iter().copied())
    }

    fn find_order(&mut self) {
        let mut walk = Walk { done: vec![false; self.places.len()], order: Vec::new() };
        let stands_alone = |gate: &u32| self.gates.block_of[*gate as usize].is_none();
        let cells = self.cover.cells().map(|(gate, _)| gate).filter(stands_alone);
        let blocks = self.gates.operands.len()..self.places.len();
        for root in cells.map(|gate| gate as Unit).chain(blocks) {
            walk.visit(root, |unit| {
                self.reads(unit).filter_map(|node| self.unit_of(node)).collect()
            });
        }
        self.order = walk.order;
    }

    fn find_needs(&mut self) {
        let outputs = &self.gates.outputs;
        let legal = outputs.legal.iter().chain([&outputs.terminal]).map(|s| (s.node(), LEGAL));
        let goals = outputs.goals.iter().map(|g| (g.2.node(), GOAL));
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
        let goals = outputs.goals.iter().map(|goal| goal.2);
        let ends = outputs.legal.iter().copied().chain([outputs.terminal]).chain(goals);
        let ends = ends.chain(outputs.next.iter().copied()).map(|signal| signal.node());
        let ends: Vec<Unit> = ends.filter_map(|node| self.unit_of(node)).collect();
        let mut walk = Walk { done: vec![false; self.places.len()], order: Vec::new() };
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
    fn rooms(&self) -> Vec<u32> {
        let mut rooms = vec![0; self.places.len()];
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
        for place in &mut self.places {
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
                    self.fluent_readers[fluent as usize].push(unit);
                } else if let Some(below) = self.unit_of(node) {
                    self.places[below].used_in_next = true;
                }
            }
        }
    }

    /// The section of a gate's node, also inside a block; `None` if it is dead.
    pub(super) fn section_of(&self, node: u32) -> Option<Section> {
        self.unit_of(node).and_then(|unit| self.places[unit].section())
    }

    /// The level of a gate, or of the block that it belongs to.
    pub(super) fn level_of(&self, node: u32) -> u32 {
        self.unit_of(node).map_or(0, |unit| self.places[unit].level)
    }

    /// Section and level of a block; `None` if it is dead.
    pub(super) fn block_spot(&self, block: u32) -> Option<(Section, u32)> {
        let place = self.places[self.unit_of_block(block)];
        place.section().map(|section| (section, place.level))
    }

    /// The gates of a block.
    pub(super) fn block_gates(&self, block: u32) -> &[u32] {
        &self.block_gates[block as usize]
    }

    /// The level of a gate inside its block, from 1.
    pub(super) fn inner_level(&self, gate: u32) -> u32 {
        self.inner_levels[gate as usize]
    }

    /// Whether the next section needs the value of a gate.
    pub(super) fn used_in_next(&self, node: u32) -> bool {
        self.unit_of(node).is_some_and(|unit| self.places[unit].used_in_next)
    }

    /// Notes that a copy in the last level of the next section reads a fluent.
    pub(super) fn note_copied(&mut self, fluent: u32) {
        self.fluent_copied[fluent as usize] = Some(self.depths[Section::Next.index()]);
    }

    /// Lets a gate overwrite a fluent, later than planned if need be; false if
    /// some other reader of the fluent comes too late.
    pub(super) fn overwrite(&mut self, fluent: u32, node: u32) -> bool {
        let unit = self.unit_of(node).expect("a gate");
        let readers = self.fluent_readers[fluent as usize].iter().filter(|&&u| u != unit);
        let last = readers.map(|&u| self.places[u].level).max();
        let last = last.max(self.fluent_copied[fluent as usize]).unwrap_or(0);
        let place = self.places[unit];
        if last >= place.level && (place.has_users || !self.can_delay(unit, last + 1)) {
            return false;
        }
        let level = place.level.max(last + 1);
        self.places[unit].level = level;
        self.fluent_written[fluent as usize] = Some(level);
        true
    }

    /// Whether a gate without users can run at `level`: no fluent that it reads
    /// may be overwritten by then.
    fn can_delay(&self, unit: Unit, level: u32) -> bool {
        let intact = |node: u32| match self.gates.kind(node) {
            Kind::Fluent(fluent) => {
                self.fluent_written[fluent as usize].is_none_or(|written| written > level)
            }
            _ => true,
        };
        level <= self.depths[Section::Next.index()] + 1 && self.reads(unit).all(intact)
    }
}

/// A walk that passes each unit after those below it.
struct Walk {
    done: Vec<bool>,
    order: Vec<Unit>,
}

impl Walk {
    /// Passes `end` and everything below it, the last of `below` first.
    fn visit(&mut self, end: Unit, below: impl Fn(Unit) -> Vec<Unit>) {
        let mut open = vec![(end, false)];
        while let Some((unit, is_ready)) = open.pop() {
            if self.done[unit] {
                continue;
            }
            if is_ready {
                self.done[unit] = true;
                self.order.push(unit);
            } else {
                open.push((unit, true));
                open.extend(below(unit).into_iter().map(|unit| (unit, false)));
            }
        }
    }
}
