//! What the score makes of the games that are played: the signals in the goals that read
//! one of them are held on all values, and the goals are tabulated.

use crate::cones::Walker;
use crate::lanes::LANES;
use crate::netlist::{Netlist, Wire};
use crate::three_valued::{Force, Known, Simulation};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// How goals follow from the parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// No part that is played is read by a goal.
    None,
    /// Goals read one part.
    One,
    /// The values of the parts are added up.
    Sum,
    /// The best value needs all parts won.
    All,
    /// One part won is enough for the best value.
    Any,
    /// Something else, or too much to tabulate.
    Other,
}

impl Shape {
    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Shape::None => "none",
            Shape::One => "one",
            Shape::Sum => "sum",
            Shape::All => "all",
            Shape::Any => "any",
            Shape::Other => "other",
        }
    }
}

/// Signals that are tabulated at most: 2 to this power lines.
const MOST_SIGNALS: usize = 12;

/// How goals follow from parts, which are given by fluent.
pub(crate) fn shape(netlist: &Netlist, parts: &[Option<usize>]) -> Shape {
    let goals = netlist.goals.iter().map(|goal| goal.holds);
    let read = Walker::new(netlist).cone(goals.clone()).fluents;
    let scoring: BTreeSet<usize> = read.iter().filter_map(|&fluent| parts[fluent]).collect();
    match scoring.len() {
        0 => return Shape::None,
        1 => return Shape::One,
        _ => {}
    }
    let frontier = frontier(netlist, goals.collect(), parts);
    if frontier.is_empty() || frontier.len() > MOST_SIGNALS {
        return Shape::Other;
    }
    let shapes = (0..netlist.roles.len()).map(|role| table(netlist, role, &frontier));
    let mut shapes = shapes.map(|table| table.shape());
    let first = shapes.next().unwrap_or(Shape::Other);
    if shapes.all(|shape| shape == first) { first } else { Shape::Other }
}

/// What a node reads of the parts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    Nothing,
    One(usize),
    Several,
}

impl Reads {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Reads::Nothing, reads) | (reads, Reads::Nothing) => reads,
            (Reads::One(one), Reads::One(other)) if one == other => self,
            _ => Reads::Several,
        }
    }
}

/// The last signals that read one part only, with it.
fn frontier(netlist: &Netlist, goals: Vec<Wire>, parts: &[Option<usize>]) -> Vec<(usize, usize)> {
    let order = netlist.needed(goals.iter().copied());
    let mut reads = vec![Reads::Nothing; netlist.nodes()];
    for &node in &order {
        reads[node] = match node {
            1.. if node <= netlist.fluents => parts[node - 1].map_or(Reads::Nothing, Reads::One),
            _ => netlist
                .inputs(node)
                .iter()
                .map(|w| reads[w.index()])
                .fold(Reads::Nothing, Reads::and),
        };
    }
    let mut frontier = BTreeSet::new();
    let mut note = |node: usize| {
        if let Reads::One(part) = reads[node] {
            frontier.insert((node, part));
        }
    };
    goals.iter().for_each(|wire| note(wire.index()));
    for &node in order.iter().filter(|&&node| reads[node] == Reads::Several) {
        netlist.inputs(node).iter().for_each(|wire| note(wire.index()));
    }
    frontier.into_iter().collect()
}

/// The values of a role, by what each part contributes.
struct Table {
    parts: Vec<usize>,
    values: BTreeMap<Vec<usize>, u16>,
}

/// Tabulates the goals of a role; lines without exactly one sure value are left out.
fn table(netlist: &Netlist, role: usize, frontier: &[(usize, usize)]) -> Table {
    let parts: Vec<usize> =
        frontier.iter().map(|&(_, part)| part).collect::<BTreeSet<_>>().into_iter().collect();
    let goals: Vec<_> = netlist.goals.iter().filter(|goal| goal.role == role).collect();
    let program = netlist.program(goals.iter().map(|goal| goal.holds));
    let lines = 1_usize << frontier.len();
    let mut values = BTreeMap::new();
    for start in (0..lines).step_by(LANES) {
        let lanes = LANES.min(lines - start);
        let mut simulation = Simulation::new(netlist);
        let mut forces: FxHashMap<usize, Force> = FxHashMap::default();
        for (bit, &(node, _)) in frontier.iter().enumerate() {
            let force = forces.entry(node).or_default();
            for lane in 0..lanes {
                let is_on = (start + lane) >> bit & 1 == 1;
                if is_on { force.on.set(lane, true) } else { force.off.set(lane, true) }
            }
            if node <= netlist.fluents {
                simulation.set(node, Known::UNKNOWN.forced(*force));
            }
        }
        simulation.run(&program, &forces);
        for lane in 0..lanes {
            let sure = goals.iter().filter(|goal| simulation.get(goal.holds).must.get(lane));
            let sure: Vec<u16> = sure.map(|goal| goal.value).collect();
            if let [value] = sure[..] {
                values.insert(contributions(start + lane, &parts, frontier), value);
            }
        }
    }
    Table { parts, values }
}

/// For each part the values of its signals, as a number.
fn contributions(line: usize, parts: &[usize], frontier: &[(usize, usize)]) -> Vec<usize> {
    let part_bits = |part: usize| {
        let own = frontier.iter().enumerate().filter(move |(_, signal)| signal.1 == part);
        own.map(|(bit, _)| line & (1 << bit)).sum()
    };
    parts.iter().map(|&part| part_bits(part)).collect()
}

impl Table {
    fn shape(&self) -> Shape {
        let (Some(&best), Some(&least)) = (self.values.values().max(), self.values.values().min())
        else {
            return Shape::Other;
        };
        let lines = |wanted: u16| -> Vec<&Vec<usize>> {
            self.values
                .iter()
                .filter(|&(_, &value)| value == wanted)
                .map(|(line, _)| line)
                .collect()
        };
        if best == least {
            Shape::Other
        } else if self.is_sum() {
            Shape::Sum
        } else if self.is_product(&lines(best)) {
            Shape::All
        } else if self.is_product(&lines(least)) {
            Shape::Any
        } else {
            Shape::Other
        }
    }

    /// Whether changing one part changes the value by the same, whatever the others are.
    fn is_sum(&self) -> bool {
        let Some((base, &zero)) = self.values.first_key_value() else { return false };
        let alone = |place: usize, line: &[usize]| {
            let mut only = base.clone();
            only[place] = line[place];
            self.values.get(&only).map(|&value| i32::from(value) - i32::from(zero))
        };
        self.values.iter().all(|(line, &value)| {
            let shares = (0..self.parts.len()).map(|place| alone(place, line));
            let sum: Option<i32> = shares.sum();
            sum.is_some_and(|sum| sum + i32::from(zero) == i32::from(value))
        })
    }

    /// Whether these lines are all combinations of what they have of each part.
    fn is_product(&self, lines: &[&Vec<usize>]) -> bool {
        let sizes = (0..self.parts.len())
            .map(|place| lines.iter().map(|line| line[place]).collect::<BTreeSet<usize>>().len());
        sizes.product::<usize>() == lines.len()
    }
}
