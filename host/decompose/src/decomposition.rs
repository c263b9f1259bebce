//! From a description to the games inside of it.

use crate::cones::Cones;
use crate::effects::Evidence;
use crate::netlist::Netlist;
use crate::partition::{Partition, partition};
use crate::playouts::Effort;
use crate::report::{Decomposition, Parts};
use crate::serial::{self, Pivot};
use crate::subgoals;
use crate::{playouts as by_playouts, rules as by_rules};
use ruche_compiler::{CompileError, GameCircuit, Grounded, Options, Style};
use ruche_gdl::Description;
use ruche_shared::named;
use std::rc::Rc;
use std::time::Instant;

named! {
    /// How the effects of moves are found.
    pub enum By: "method" = Both {
        /// proved from the rules alone
        Rules = "rules",
        /// seen in states of random games
        Playouts = "playouts",
        /// seen in random games, and marked as proved where the rules prove it
        Both = "both",
    }
}

/// How to decompose.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How the effects of moves are found.
    pub by: By,
    /// From which random games are drawn.
    pub seed: u64,
    /// Where the compiler gives up.
    pub options: Options,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { by: By::Both, seed: 0, options: Options::default() }
    }
}

/// Why there is no decomposition.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecomposeError {
    /// The rules do not become a circuit.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// There is too much to look at.
    #[error(
        "the circuit of {nodes} nodes is too large or too entangled to be decomposed: narrow \
         the rules with `base` and `input`"
    )]
    TooLarge {
        /// Nodes that it has.
        nodes: usize,
    },
}

/// Larger circuits would take longer than anybody waits.
const MOST_NODES: usize = 4_000_000;

/// Gates that are evaluated for random games: a fraction of a second.
const MOST_GATES: usize = 20_000_000;

/// Plies of 256 random games, at least and at most.
const PLIES: (usize, usize) = (40, 400);

/// Finds the games inside a game.
///
/// # Errors
/// If the rules cannot be compiled, or there is too much to look at; the error says what to
/// do.
pub fn decompose(
    description: &Description,
    settings: &Settings,
) -> Result<Decomposition, DecomposeError> {
    let mut clock = Clock::new();
    let circuit = Grounded::of(description, &settings.options)?.circuit(Style::Moves)?;
    clock.tick("circuit");
    if circuit.nodes().len() > MOST_NODES {
        return Err(DecomposeError::TooLarge { nodes: circuit.nodes().len() });
    }
    let netlist = Netlist::of(&circuit);
    let cones = Cones::of(&netlist, Vec::new());
    let nodes = circuit.nodes().len();
    let cones = Rc::new(cones.ok_or(DecomposeError::TooLarge { nodes })?);
    clock.tick("cones");
    Ok(look(&circuit, &netlist, &cones, settings, clock))
}

fn look(
    circuit: &GameCircuit,
    netlist: &Netlist,
    cones: &Rc<Cones>,
    settings: &Settings,
    mut clock: Clock,
) -> Decomposition {
    let effort = Effort { seed: settings.seed, gates: MOST_GATES, plies: PLIES };
    let subgoals = subgoals::subgoals(netlist);
    clock.tick("sub-goals");
    let find = |evidence, effort| Found::new(netlist, cones, evidence, &subgoals, effort);
    let proved = (settings.by != By::Playouts).then(|| {
        let found = find(by_rules::look(netlist, cones), None);
        clock.tick("rules");
        found
    });
    let seen = (settings.by != By::Rules).then(|| {
        let evidence = by_playouts::look(netlist, effort);
        clock.tick("playouts");
        let found = find(evidence, Some(effort));
        clock.tick("groups");
        found
    });
    let parts = match (seen, proved) {
        (Some(seen), Some(proved)) => Parts { found: seen, proved: Some(proved.partition) },
        (Some(found), None) => Parts { found, proved: None },
        (None, Some(found)) => {
            let proved = found.partition.clone();
            Parts { found, proved: Some(proved) }
        }
        (None, None) => unreachable!("one of both is always looked at"),
    };
    let mut decomposition = parts.report(circuit, netlist);
    clock.tick("score");
    decomposition.seconds = clock.steps;
    decomposition
}

/// What was found by one method.
pub(crate) struct Found {
    pub(crate) evidence: Evidence,
    pub(crate) pivots: Vec<Pivot>,
    pub(crate) cones: Rc<Cones>,
    pub(crate) partition: Partition,
}

impl Found {
    /// Puts together what is known; conditions between serial games may be seen in games, or
    /// else must be proved.
    fn new(
        netlist: &Netlist,
        cones: &Rc<Cones>,
        evidence: Evidence,
        subgoals: &[Vec<usize>],
        effort: Option<Effort>,
    ) -> Self {
        let has_effect = |number: &usize| !evidence.effects[*number].is_empty();
        let effective: Vec<usize> = (0..netlist.moves).filter(has_effect).collect();
        let pivots = serial::pivots(netlist, &effective, effort);
        let closed = pivots.iter().map(|pivot| pivot.node).collect();
        let cones = match pivots.is_empty() {
            true => Rc::clone(cones),
            // It is less than what was looked through before.
            false => Cones::of(netlist, closed).map_or_else(|| Rc::clone(cones), Rc::new),
        };
        let partition = partition(netlist, &cones, &evidence, subgoals);
        Found { evidence, pivots, cones, partition }
    }
}

/// Seconds of each step.
struct Clock {
    last: Instant,
    steps: Vec<(&'static str, f64)>,
}

impl Clock {
    fn new() -> Self {
        Clock { last: Instant::now(), steps: Vec::new() }
    }

    fn tick(&mut self, step: &'static str) {
        let now = Instant::now();
        self.steps.push((step, (now - self.last).as_secs_f64()));
        self.last = now;
    }
}
