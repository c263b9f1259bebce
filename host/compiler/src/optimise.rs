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
use crate::circuit::signal::{FluentId, MoveId, Outputs};
use crate::circuit::{GameCircuit, Names};
use crate::index::{IndexVec, first};
use crate::optimise::constants::Constants;
use crate::optimise::rebuild::{Input, Inputs, rebuild};
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
    /// What became of each fluent of the circuit, all of which have names.
    pub(crate) fluents: IndexVec<FluentId, Input>,
    /// The number of each move of the circuit; nothing if it is never legal.
    pub(crate) moves: IndexVec<MoveId, Option<MoveId>>,
    /// Ground clauses that the game had.
    pub(crate) clauses: u64,
}

/// Optimises a game.
pub(crate) fn optimise(circuit: GameCircuit) -> Optimised {
    let mut state = Optimised::before(circuit);
    state.shrink(|state, _| {
        let constants = Constants::of(&state.network, &state.outputs, &state.initial);
        constants.renumber(&state.network)
    });
    state
}

/// Optimises a circuit with the inputs of another one, which has the same fluents and moves
/// at first.
pub(crate) fn optimise_like(circuit: GameCircuit, like: &Optimised) -> Optimised {
    let mut state = Optimised::before(circuit);
    state.shrink(|_, round| match round {
        0 => Inputs {
            fluents: like.fluents.clone(),
            moves: like.moves.clone(),
            moves_of_roles: like.moves_of_roles(),
        },
        _ => like.unchanged(),
    });
    state
}

impl Optimised {
    /// A circuit as it is.
    fn before(circuit: GameCircuit) -> Self {
        let fluents = circuit.names.fluents.ids();
        let fluents = fluents.map(|fluent| Input::Fluent { fluent, negated: false }).collect();
        let moves = circuit.names.moves.ids().map(Some).collect();
        Optimised {
            network: circuit.network,
            outputs: circuit.outputs,
            initial: circuit.initial,
            names: circuit.names,
            fluents,
            moves,
            clauses: circuit.clauses,
        }
    }

    /// Builds it again until it stops shrinking. `inputs` says what becomes of them in each
    /// round.
    fn shrink(&mut self, inputs: impl Fn(&Self, usize) -> Inputs) {
        let mut size = usize::MAX;
        for round in 0..ROUNDS {
            // Later rounds would not find the sums any more: they are factored.
            let selection = match round {
                0 => Selection::of(&self.network, &self.outputs),
                _ => Selection::default(),
            };
            self.rebuild(&inputs(self, round), selection);
            let smaller = self.operand_count();
            if smaller > size - size / WORTH {
                break;
            }
            size = smaller;
        }
    }

    fn moves_of_roles(&self) -> Vec<usize> {
        self.network.moves.roles().map(|role| self.network.moves.of_role(role).len()).collect()
    }

    /// All inputs stay.
    fn unchanged(&self) -> Inputs {
        let fluents = first(self.network.fluents());
        Inputs {
            fluents: fluents.map(|fluent| Input::Fluent { fluent, negated: false }).collect(),
            moves: self.network.moves.all().iter().map(Some).collect(),
            moves_of_roles: self.moves_of_roles(),
        }
    }

    /// Operands of all live nodes: about the number of gates.
    fn operand_count(&self) -> usize {
        let uses = self.network.count_uses(&self.outputs);
        let live = self.network.ids().filter(|&node| uses[node] > 0);
        live.map(|n| self.network.operands(n).len().saturating_sub(1)).sum()
    }

    fn rebuild(&mut self, inputs: &Inputs, selection: Selection) {
        let kept = inputs.kept();
        let (network, outputs) = rebuild(&self.network, &self.outputs, inputs, &kept, selection);
        self.network = network;
        self.outputs = outputs;
        self.initial = kept.iter().map(|&f| self.initial[f]).collect();
        let names = std::mem::take(&mut self.names.moves).into_iter().zip(&inputs.moves);
        self.names.moves = names.filter(|(_, new)| new.is_some()).map(|(name, _)| name).collect();
        self.fluents.iter_mut().for_each(|input| *input = compose(*input, &inputs.fluents));
        self.moves.iter_mut().for_each(|number| *number = number.and_then(|m| inputs.moves[m]));
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
