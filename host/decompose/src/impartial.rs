//! Sums of impartial games, such as the heaps of Nim: proved on the circuit, and solved.
//!
//! Two take turns; who is to move changes one part; what can be done there depends on
//! nothing but this part, and both could do the same; the game is over as soon as no part
//! has a move; and then the goals depend only on whose turn it would be. Such a game is
//! settled by a number for each part (Grundy, Sprague). Each of these premises is proved for
//! all states that can be reached, with everything else unknown, or there is no sum: nothing
//! is concluded from what parts were found, only where to look.
//!
//! | module | premise |
//! |---|---|
//! | `oracle` | what follows from what is known of a state? |
//! | `turns` | two take turns, whatever is played, and the other one waits |
//! | `parts` | legality and successors in a part depend on it alone, and both can do the same |
//! | `premises` | a move leaves the other parts alone; ends and their goals |
//! | `grundy` | numbers of positions, and whether they also tell who loses by moving last |

mod grundy;
mod oracle;
mod parts;
mod premises;
mod turns;

use crate::decomposition::{DecomposeError, Settings};
use crate::netlist::{Netlist, fluent_name, move_name};
use crate::report::{Decomposition, Kind, Subgame};
use oracle::Oracle;
use parts::Part;
use ruche_compiler::{GameCircuit, Grounded, Id, RoleId, Style};
use ruche_gdl::Description;
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use turns::Turns;

/// Who wins when nobody can move any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Convention {
    /// Who has moved last.
    Normal,
    /// Who has not.
    Misere,
}

impl Convention {
    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Convention::Normal => "normal",
            Convention::Misere => "misere",
        }
    }
}

/// A game for two that is proved to be a sum of impartial games.
#[derive(Clone, Debug)]
pub struct ImpartialSum {
    convention: Convention,
    turns: Local,
    /// Who is to move in each state of the turn.
    movers: Vec<usize>,
    parts: Vec<Local>,
    /// The number of each state of each part.
    numbers: Vec<Vec<u32>>,
    /// The goals of both at the end, by who would be to move.
    ends: [[u16; 2]; 2],
}

/// Where a game stands that is such a sum.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    /// Who is to move.
    pub mover: usize,
    /// The number of each part.
    pub numbers: Vec<u32>,
    /// What both roles get if they play well.
    pub goals: [u16; 2],
}

/// Fluents, and the combinations of their values that can occur.
#[derive(Clone, Debug)]
struct Local {
    fluents: Vec<String>,
    states: FxHashMap<Vec<bool>, usize>,
}

impl Local {
    /// Fluents that are the same in all states tell nothing, and images may lack them.
    fn new(circuit: &GameCircuit, fluents: &[usize], states: &[Vec<bool>]) -> Self {
        let varies = |&place: &usize| states.iter().any(|state| state[place] != states[0][place]);
        let told: Vec<usize> = (0..fluents.len()).filter(varies).collect();
        let key = |state: &Vec<bool>| told.iter().map(|&place| state[place]).collect();
        let states = states.iter().enumerate().map(|(number, state)| (key(state), number));
        let states = states.collect();
        let name = |&place: &usize| fluent_name(circuit, fluents[place]).to_owned();
        Local { fluents: told.iter().map(name).collect(), states }
    }

    fn find(&self, holds: &impl Fn(&str) -> bool) -> Option<usize> {
        let state: Vec<bool> = self.fluents.iter().map(|fluent| holds(fluent)).collect();
        self.states.get(&state).copied()
    }
}

impl ImpartialSum {
    /// The sum that a game is, if that can be proved within bounds.
    ///
    /// # Errors
    /// If the rules cannot be compiled.
    pub fn prove(
        description: &Description,
        found: &Decomposition,
        settings: &Settings,
    ) -> Result<Option<Self>, DecomposeError> {
        let candidates = found.subgames.iter().filter(|part| part.kind == Kind::Play);
        if candidates.clone().any(|part| !part.meta_moves.is_empty() || !part.after.is_empty()) {
            return Ok(None);
        }
        let circuit = Grounded::of(description, &settings.options)?.circuit(Style::Moves)?;
        let netlist = Netlist::of(&circuit);
        if netlist.roles.len() != 2 || candidates.clone().next().is_none() {
            return Ok(None);
        }
        let numbers: FxHashMap<&str, usize> =
            (0..netlist.fluents).map(|fluent| (fluent_name(&circuit, fluent), fluent)).collect();
        let known = |names: &[String]| names.iter().map(|name| numbers[name.as_str()]).collect();
        let control = found.subgames.iter().filter(|part| part.kind == Kind::Control);
        let control: Vec<usize> = control.flat_map(|part| known(&part.fluents)).collect();
        let owners = owners(&circuit, &netlist, candidates.clone());
        let parts: Vec<Vec<usize>> = candidates.map(|part| known(&part.fluents)).collect();
        Ok(solve(&circuit, &netlist, &control, &parts, &owners))
    }

    /// Who wins when nobody can move any more.
    #[must_use]
    pub fn convention(&self) -> Convention {
        self.convention
    }

    /// How many parts there are.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Fluents that tell where the game stands.
    pub fn fluents(&self) -> impl Iterator<Item = &str> {
        let locals = self.parts.iter().chain([&self.turns]);
        locals.flat_map(|local| &local.fluents).map(String::as_str)
    }

    /// What is known of a state, by which fluents hold; nothing of one that cannot be
    /// reached.
    pub fn standing(&self, holds: impl Fn(&str) -> bool) -> Option<Standing> {
        let mover = self.movers[self.turns.find(&holds)?];
        let places = self.parts.iter().map(|part| part.find(&holds));
        let places: Vec<usize> = places.collect::<Option<_>>()?;
        let number = |(numbers, place): (&Vec<u32>, usize)| numbers[place];
        let numbers: Vec<u32> = self.numbers.iter().zip(places).map(number).collect();
        let wins = grundy::mover_wins(self.convention, &numbers);
        // Who wins has the end that is better for it: that at which the right one is to move.
        let mover_ends = (self.convention == Convention::Misere) == wins;
        let goals = self.ends[if mover_ends { mover } else { 1 - mover }];
        Some(Standing { mover, numbers, goals })
    }
}

/// The part that each move is listed in.
fn owners<'s>(
    circuit: &GameCircuit,
    netlist: &Netlist,
    parts: impl Iterator<Item = &'s Subgame>,
) -> Vec<Option<usize>> {
    let with_number = |(part, found): (usize, &'s Subgame)| {
        found.moves.iter().map(move |text| (text.as_str(), part))
    };
    let owners: FxHashMap<&str, usize> = parts.enumerate().flat_map(with_number).collect();
    let owner = |number| {
        let role = circuit.role_name(RoleId::new(netlist.role_of(number)));
        owners.get(format!("{role} {}", move_name(circuit, number)).as_str()).copied()
    };
    (0..netlist.moves).map(owner).collect()
}

fn solve(
    circuit: &GameCircuit,
    netlist: &Netlist,
    control: &[usize],
    fluents: &[Vec<usize>],
    owners: &[Option<usize>],
) -> Option<ImpartialSum> {
    let mut oracle = Oracle::new(netlist);
    let varying = control.iter().chain(fluents.iter().flatten()).copied();
    oracle.hold_what_stays(&varying.collect())?;
    let turns = Turns::find(&mut oracle, control, owners)?;
    let parts = fluents.iter().enumerate();
    let parts = parts.map(|(number, own)| Part::enumerate(&mut oracle, &turns, number, own));
    let parts: Vec<Part> = parts.collect::<Option<_>>()?;
    premises::moves_leave_others_alone(&mut oracle, &turns, &parts)?;
    premises::ends_without_moves(&mut oracle, &turns, &parts)?;
    let ends = premises::goals_at_ends(&mut oracle, &turns, &parts)?;
    let convention = convention(&ends)?;
    let numbers: Vec<Vec<u32>> =
        parts.iter().map(|part| grundy::numbers(&part.options)).collect::<Option<_>>()?;
    let is_tame =
        || parts.iter().zip(&numbers).all(|(part, own)| grundy::are_heaps(&part.options, own));
    if convention == Convention::Misere && !is_tame() {
        return None;
    }
    let local = |fluents: &[usize], states: &[Vec<bool>]| Local::new(circuit, fluents, states);
    Some(ImpartialSum {
        convention,
        turns: local(control, &turns.states),
        movers: turns.movers(),
        parts: parts.iter().map(|part| local(part.fluents, &part.states)).collect(),
        numbers,
        ends,
    })
}

/// Who wins at the end: both must want the opposite.
fn convention(ends: &[[u16; 2]; 2]) -> Option<Convention> {
    let wants_to_move_last = |role: usize| ends[1 - role][role].cmp(&ends[role][role]);
    match [0, 1].map(wants_to_move_last) {
        [Ordering::Greater, Ordering::Greater] => Some(Convention::Normal),
        [Ordering::Less, Ordering::Less] => Some(Convention::Misere),
        _ => None,
    }
}
