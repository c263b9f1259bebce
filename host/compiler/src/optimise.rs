//! Makes the circuit smaller: constants out, single-use nodes merged, products
//! factored, until it stops shrinking.

use crate::circuit::{Circuit, Outputs};
use crate::constants::Constants;
use crate::instantiate::{Game, Names};
use crate::rebuild::{Input, Inputs, rebuild};
use crate::select::Selection;

/// Rounds after which further gains are not worth the time.
const ROUNDS: usize = 4;

/// A round that gains less than this part is the last one.
const WORTH: usize = 100;

/// A circuit without superfluous inputs.
pub struct Optimised {
    /// The circuit.
    pub circuit: Circuit,
    /// What it computes.
    pub outputs: Outputs,
    /// The initial state.
    pub initial: Vec<bool>,
    /// Names of all roles and of the moves that are left; of all fluents.
    pub names: Names,
    /// What became of each named fluent.
    pub fluents: Vec<Input>,
    /// Ground clauses that the game had.
    pub clauses: u64,
}

/// Optimises a game.
pub fn optimise(game: Game) -> Optimised {
    let all_fluents = (0..game.names.fluents.len() as u32)
        .map(|fluent| Input::Fluent { fluent, negated: false })
        .collect();
    let mut state = Optimised {
        circuit: game.circuit,
        outputs: game.outputs,
        initial: game.initial,
        names: game.names,
        fluents: all_fluents,
        clauses: game.clauses,
    };
    let mut size = usize::MAX;
    for round in 0..ROUNDS {
        // Later rounds would not find the sums any more: they are factored.
        let selection = match round {
            0 => Selection::of(&state.circuit, &state.outputs),
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
        let uses = self.circuit.count_uses(&self.outputs);
        let live = (0..self.circuit.count() as u32).filter(|&n| uses[n as usize] > 0);
        live.map(|n| self.circuit.operands(n).len().saturating_sub(1)).sum()
    }

    fn remove_constants(&mut self, selection: Selection) {
        let constants = Constants::of(&self.circuit, &self.outputs, &self.initial);
        let (fluents, moves, moves_of_roles) = constants.renumber(&self.circuit);
        let kept: Vec<u32> = (0..fluents.len() as u32)
            .filter(|&f| matches!(fluents[f as usize], Input::Fluent { .. }))
            .collect();
        let inputs = Inputs {
            fluents: &fluents,
            moves: &moves,
            fluent_count: kept.len() as u32,
            moves_of_roles: &moves_of_roles,
        };
        let (circuit, outputs) = rebuild(&self.circuit, &self.outputs, &inputs, &kept, selection);
        self.circuit = circuit;
        self.outputs = outputs;
        self.initial = kept.iter().map(|&f| self.initial[f as usize]).collect();
        let mut number = 0;
        self.names.moves.retain(|_| {
            number += 1;
            moves[number - 1].is_some()
        });
        self.fluents.iter_mut().for_each(|input| *input = compose(*input, &fluents));
    }
}

/// What becomes of a fluent that was `input` before.
fn compose(input: Input, then: &[Input]) -> Input {
    let Input::Fluent { fluent, negated } = input else { return input };
    match then[fluent as usize] {
        Input::Constant(value) => Input::Constant(value != negated),
        Input::Fluent { fluent, negated: again } => {
            Input::Fluent { fluent, negated: negated != again }
        }
    }
}
