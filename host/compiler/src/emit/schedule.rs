//! A schedule as text or as a drawing: sections, strata, cells and slots.

use super::EmitFormat;
use super::listing::{Labels, quoted};
use crate::Planned;
use crate::circuit::signal::{FluentId, MoveId};
use crate::index::{Id, first};
use crate::map::schedule::{Cell, FixpointStratum, Slot, Stratum};
use crate::optimise::gates::Value;
use ruche_shared::image::{Opcode, Section};
use std::io::{self, Write};
use std::ops::{BitAnd, BitOr, Not};

pub(super) fn write(planned: &Planned, format: EmitFormat, out: &mut dyn Write) -> io::Result<()> {
    let writer = Writer { planned, labels: planned.netlist.labels() };
    match format {
        EmitFormat::Text => writer.text(out),
        EmitFormat::Dot => writer.dot(out),
    }
}

struct Writer<'p> {
    planned: &'p Planned<'p>,
    labels: Labels,
}

/// Cells that run in any order, and how they are called.
struct Group<'s> {
    title: String,
    cells: &'s [Cell],
}

impl Writer<'_> {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "; {} slots", self.planned.plan.slots.count)?;
        for (slot, name) in self.fixed_slots() {
            writeln!(out, "s{} = {name}", slot.index())?;
        }
        for section in Section::ALL {
            self.section(section, out)?;
        }
        self.results().try_for_each(|(name, slot)| writeln!(out, "{name} in s{}", slot.index()))
    }

    /// Fluents and moves.
    fn fixed_slots(&self) -> impl Iterator<Item = (Slot, String)> {
        let gates = &self.planned.netlist.gates;
        let fluents = first(gates.fluents()).map(|fluent: FluentId| self.labels.fluent(fluent));
        let moves = first(gates.moves()).map(|number: MoveId| self.labels.does(number));
        fluents.chain(moves).enumerate().map(|(slot, name)| (Slot::new(slot), name))
    }

    /// What is read at the end.
    fn results(&self) -> impl Iterator<Item = (String, Slot)> {
        let schedule = &self.planned.plan.schedule;
        let goals = self.planned.netlist.gates.outputs.goals.iter().zip(&schedule.goals);
        let goals = goals.map(|(goal, &held)| (self.labels.goal(goal.role, goal.value), held));
        let all = [("terminal".to_owned(), schedule.terminal)].into_iter().chain(goals);
        all.map(|(name, value)| (name, self.planned.plan.slots.of(value)))
    }

    fn section(&self, section: Section, out: &mut dyn Write) -> io::Result<()> {
        for group in self.groups(section) {
            writeln!(out, "{}", group.title)?;
            for cell in group.cells {
                writeln!(out, "  {} = {}", self.slot(cell.value), self.operation(cell))?;
            }
        }
        Ok(())
    }

    fn groups(&self, section: Section) -> Vec<Group<'_>> {
        let strata = self.planned.plan.schedule.sections[section.index()].iter().enumerate();
        let mut groups = Vec::new();
        for (number, stratum) in strata {
            let title = format!("{section} {}", number + 1);
            match stratum {
                Stratum::Cells(cells) => groups.push(Group { title, cells }),
                Stratum::Fixpoint(block) => groups.extend(self.rounds(block, &title)),
            }
        }
        groups
    }

    /// The strata of a fixpoint's round; what grows stands in the last title.
    fn rounds<'s>(&self, block: &'s FixpointStratum, title: &str) -> Vec<Group<'s>> {
        let body = block.body.iter().enumerate();
        let mut groups: Vec<_> = body
            .map(|(level, cells)| Group { title: format!("{title} round {}", level + 1), cells })
            .collect();
        let grow = |&(variable, by): &(Value, Value)| {
            format!(" {} |= {}", self.slot(variable), self.slot(by))
        };
        let growth: String = block.growth.iter().map(grow).collect();
        groups.push(Group { title: format!("{title} until nothing grows:{growth}"), cells: &[] });
        groups
    }

    fn slot(&self, value: Value) -> String {
        format!("s{}", self.planned.plan.slots.of(value).index())
    }

    fn operation(&self, cell: &Cell) -> String {
        let input = |place: usize| Text(self.slot(cell.inputs[place]));
        match cell.opcode {
            Opcode::Copy => input(0).0,
            Opcode::Not => (!input(0)).0,
            Opcode::Zero => "0".to_owned(),
            Opcode::One => "1".to_owned(),
            Opcode::Gate(expression) => expression.evaluate(input).0,
            other => unreachable!("no cell is a {other:?}"),
        }
    }

    fn dot(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "digraph schedule {{\n  rankdir=LR;")?;
        for (slot, name) in self.fixed_slots() {
            let label = quoted(&format!("s{} {name}", slot.index()));
            writeln!(out, "  v{} [shape=box, label={label}];", slot.index() + 1)?;
        }
        let groups = Section::ALL.into_iter().flat_map(|section| self.groups(section));
        for (number, group) in groups.enumerate() {
            self.dot_group(number, &group, out)?;
        }
        writeln!(out, "}}")
    }

    fn dot_group(&self, number: usize, group: &Group, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "  subgraph cluster{number} {{ label={};", quoted(&group.title))?;
        for cell in group.cells {
            let label = format!("{} = {}", self.slot(cell.value), self.operation(cell));
            writeln!(out, "    v{} [label={}];", cell.value.index(), quoted(&label))?;
        }
        writeln!(out, "  }}")?;
        for (cell, &read) in group.cells.iter().flat_map(|c| c.reads().iter().map(move |r| (c, r)))
        {
            let read = self.planned.plan.schedule.holder(read);
            writeln!(out, "  v{} -> v{};", read.index(), cell.value.index())?;
        }
        Ok(())
    }
}

/// An expression that computes its own text.
struct Text(String);

impl BitAnd for Text {
    type Output = Text;
    fn bitand(self, other: Text) -> Text {
        Text(format!("({} & {})", self.0, other.0))
    }
}

impl BitOr for Text {
    type Output = Text;
    fn bitor(self, other: Text) -> Text {
        Text(format!("({} | {})", self.0, other.0))
    }
}

impl Not for Text {
    type Output = Text;
    fn not(self) -> Text {
        Text(format!("!{}", self.0))
    }
}
