//! Optimisation: a circuit goes in, the fewest two-input gates that compute the
//! same come out: constants out, single-use nodes merged, products factored, until
//! it stops shrinking.
//!
//! | module | question it answers |
//! |---|---|
//! | [`constants`] | which inputs are superfluous? |
//! | [`select`] | what follows from the one move that is played? |
//! | [`rebuild`], [`factor`] | what is the same circuit with fewer operands? |
//! | [`pairs`], [`gates`] | which two-input gates compute it? |

pub(crate) mod constants;
pub(crate) mod factor;
pub(crate) mod gates;
pub(crate) mod pairs;
pub(crate) mod rebuild;
pub(crate) mod select;

use crate::circuit::network::Network;
use crate::circuit::signal::{FluentId, Outputs};
use crate::circuit::{GameCircuit, Names};
use crate::index::IndexVec;
use crate::optimise::constants::Constants;
use crate::optimise::rebuild::{Input, rebuild};
use crate::optimise::select::Selection;

/// Rounds after which further gains are not worth the time.
const ROUNDS: usize = 4;

/// A round that gains less than this part is the last one.
const WORTH: usize = 100;

/// A circuit without superfluous inputs.
pub struct Optimised {
    /// Its nodes.
    pub(crate) network: Network,
    /// What it computes.
    pub(crate) outputs: Outputs,
    /// The initial state.
    pub(crate) initial: IndexVec<FluentId, bool>,
    /// Names of all roles and of the moves that are left; of all fluents.
    pub(crate) names: Names,
    /// What became of each named fluent.
    pub(crate) fluents: IndexVec<FluentId, Input>,
    /// Ground clauses that the game had.
    pub(crate) clauses: u64,
}

/// Optimises a game.
pub(crate) fn optimise(circuit: GameCircuit) -> Optimised {
    let all_fluents = (circuit.names.fluents.ids())
        .map(|fluent| Input::Fluent { fluent, negated: false })
        .collect();
    let mut state = Optimised {
        network: circuit.network,
        outputs: circuit.outputs,
        initial: circuit.initial,
        names: circuit.names,
        fluents: all_fluents,
        clauses: circuit.clauses,
    };
    let mut size = usize::MAX;
    for round in 0..ROUNDS {
        // Later rounds would not find the sums any more: they are factored.
        let selection = match round {
            0 => Selection::of(&state.network, &state.outputs),
            _ => Selection::default(),
        };
        state.remove_constants(selection);
        let smaller = state.operand_count();
        if smaller > size - size / WORTH {
            break;
        }
        size = smaller;
    }
    state
}

impl Optimised {
    /// Operands of all live nodes: about the number of gates.
    fn operand_count(&self) -> usize {
        let uses = self.network.count_uses(&self.outputs);
        let live = self.network.ids().filter(|&node| uses[node] > 0);
        live.map(|n| self.network.operands(n).len().saturating_sub(1)).sum()
    }

    fn remove_constants(&mut self, selection: Selection) {
        let constants = Constants::of(&self.network, &self.outputs, &self.initial);
        let inputs = constants.renumber(&self.network);
        let kept = inputs.kept();
        let (network, outputs) = rebuild(&self.network, &self.outputs, &inputs, &kept, selection);
        self.network = network;
        self.outputs = outputs;
        self.initial = kept.iter().map(|&f| self.initial[f]).collect();
        let names = std::mem::take(&mut self.names.moves).into_iter().zip(&inputs.moves);
        self.names.moves = names.filter(|(_, new)| new.is_some()).map(|(name, _)| name).collect();
        self.fluents.iter_mut().for_each(|input| *input = compose(*input, &inputs.fluents));
    }
}

/// What becomes of a fluent that was `input` before.
fn compose(input: Input, then: &IndexVec<FluentId, Input>) -> Input {
    let Input::Fluent { fluent, negated } = input else { return input };
    match then[fluent] {
        Input::Constant(value) => Input::Constant(value != negated),
        Input::Fluent { fluent, negated: again } => {
            Input::Fluent { fluent, negated: negated != again }
        }
    }
}
