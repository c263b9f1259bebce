//! The circuit: the ground program goes in, one signal for each atom comes out.
//!
//! | module | question it answers |
//! |---|---|
//! | [`signal`], [`network`] | which node is the conjunction of these signals? |
//! | [`onehot`] | what follows from the one move that each role plays? |
//! | [`inputs`] | how are fluents and moves numbered? |
//! | [`instantiate`] | what is the condition of each atom? |
//! | [`recursion`] | and if atoms depend on each other in a circle? |

pub(crate) mod inputs;
pub(crate) mod instantiate;
pub(crate) mod network;
pub(crate) mod onehot;
pub(crate) mod recursion;
pub(crate) mod signal;

use crate::index::{IndexVec, first};
use network::{Network, Node, Style};
use signal::{BlockId, FluentId, GoalSignal, MoveId, NodeId, Outputs, RoleId, Signal};

/// A game as a logic circuit, before optimisation.
///
/// Inputs are the fluents of the state and the moves of all roles; outputs are the
/// legality of each move, `terminal`, the goals, and the next value of each fluent.
/// In between are conjunctions of any number of signals; negation is a bit of a
/// [`Signal`]. Operands have smaller numbers than their users, except that the
/// definitions of a block come after its variables and before its results.
///
/// What depends on moves is right if each role plays exactly one legal move, as in
/// a game: the circuit makes use of it.
///
/// ```
/// use ruche_compiler::{Grounded, NodeKind, Options, Signal, Style};
///
/// let rules = b"(role r) (init (lamp off)) (legal r push) (legal r wait)
///     (<= (next (lamp on)) (does r push))
///     (<= (next (lamp ?x)) (true (lamp ?x)) (does r wait))
///     (<= terminal (true (lamp on))) (goal r 100)";
/// let (description, _) = ruche_gdl::load(rules).expect("sound rules");
/// let circuit = Grounded::of(&description, &Options::default())?.circuit(Style::Moves)?;
///
/// let on = circuit.fluents().find(|&f| circuit.fluent_name(f) == "(lamp on)").unwrap();
/// assert!(!circuit.is_initial(on));
/// assert_eq!(circuit.terminal(), circuit.fluent(on));
/// // It goes on if it is pushed, or on already and left so: an OR is a negated AND.
/// let next = circuit.next(on);
/// assert!(next.is_negated());
/// let NodeKind::And([not_pushed, not_left]) = circuit.node(next.node()) else { panic!() };
/// let [push, wait] = circuit.moves().collect::<Vec<_>>()[..] else { panic!() };
/// assert_eq!(*not_pushed, !circuit.does(push));
/// let left = NodeKind::And(&[circuit.fluent(on), circuit.does(wait)]);
/// assert_eq!(circuit.node(not_left.node()), left);
/// assert_eq!(circuit.legal(push), Signal::TRUE);
/// # Ok::<(), ruche_compiler::CompileError>(())
/// ```
pub struct GameCircuit {
    pub(crate) network: Network,
    pub(crate) outputs: Outputs,
    pub(crate) initial: IndexVec<FluentId, bool>,
    pub(crate) names: Names,
    pub(crate) block_names: BlockNames,
    pub(crate) clauses: u64,
}

/// The atoms of each fixpoint block.
pub(crate) type BlockNames = IndexVec<BlockId, Vec<String>>;

/// Names for people and protocols.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// The roles.
    pub(crate) roles: IndexVec<RoleId, String>,
    /// All moves, grouped by role.
    pub(crate) moves: IndexVec<MoveId, String>,
    /// The fluents.
    pub(crate) fluents: IndexVec<FluentId, String>,
}

/// What a node of a [`GameCircuit`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind<'c> {
    /// True.
    Constant,
    /// A fluent of the state.
    Fluent(FluentId),
    /// A move: its role plays it in this step.
    Does(MoveId),
    /// All of these hold.
    And(&'c [Signal]),
    /// A variable inside a block.
    Variable {
        /// The block.
        block: BlockId,
        /// Which of its variables.
        number: usize,
    },
    /// What a variable of a block has become when nothing grows any more.
    Fixpoint {
        /// The block.
        block: BlockId,
        /// Which of its variables.
        number: usize,
    },
}

/// The nodes.
impl GameCircuit {
    /// All nodes; the first one is the constant.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        self.network.ids()
    }

    /// What a node is.
    pub fn node(&self, node: NodeId) -> NodeKind<'_> {
        match self.network.node(node) {
            Node::Constant => NodeKind::Constant,
            Node::Fluent(fluent) => NodeKind::Fluent(fluent),
            Node::Does(number) => NodeKind::Does(number),
            Node::And(..) => NodeKind::And(self.network.operands(node)),
            Node::Variable { block, number } => {
                NodeKind::Variable { block, number: number as usize }
            }
            Node::Fixpoint { block, number } => {
                NodeKind::Fixpoint { block, number: number as usize }
            }
        }
    }

    /// Blocks of atoms that depend on each other in a circle: their variables start
    /// false and grow by their definitions until nothing changes.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = BlockId> + use<> {
        self.network.blocks.ids()
    }

    /// What each variable of a block grows by in a round.
    pub fn definitions(&self, block: BlockId) -> &[Signal] {
        &self.network.blocks[block].definitions
    }

    /// The atoms of a block, by variable.
    pub fn atoms(&self, block: BlockId) -> &[String] {
        &self.block_names[block]
    }

    /// How sums of moves are built.
    pub fn style(&self) -> Style {
        self.network.style()
    }

    /// Ground clauses that it was made of.
    pub fn clauses(&self) -> u64 {
        self.clauses
    }
}

/// The state.
impl GameCircuit {
    /// All fluents.
    pub fn fluents(&self) -> impl ExactSizeIterator<Item = FluentId> + use<> {
        first(self.network.fluents())
    }

    /// A fluent as GDL text, without `true`.
    pub fn fluent_name(&self, fluent: FluentId) -> &str {
        &self.names.fluents[fluent]
    }

    /// The input of a fluent.
    pub fn fluent(&self, fluent: FluentId) -> Signal {
        self.network.fluent(fluent)
    }

    /// Whether a fluent holds initially.
    pub fn is_initial(&self, fluent: FluentId) -> bool {
        self.initial[fluent]
    }

    /// Whether a fluent holds in the next state.
    pub fn next(&self, fluent: FluentId) -> Signal {
        self.outputs.next[fluent]
    }
}

/// Roles and their moves.
impl GameCircuit {
    /// All roles.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = RoleId> + use<> {
        self.network.moves.roles()
    }

    /// A role as GDL text.
    pub fn role_name(&self, role: RoleId) -> &str {
        &self.names.roles[role]
    }

    /// All moves, grouped by role.
    pub fn moves(&self) -> impl ExactSizeIterator<Item = MoveId> + use<> {
        first(self.network.moves.count())
    }

    /// The moves of a role.
    pub fn moves_of(&self, role: RoleId) -> impl ExactSizeIterator<Item = MoveId> + use<> {
        self.network.moves.of_role(role).iter()
    }

    /// The role of a move.
    pub fn role_of(&self, number: MoveId) -> RoleId {
        self.network.moves.role_of(number)
    }

    /// A move as GDL text, without its role.
    pub fn move_name(&self, number: MoveId) -> &str {
        &self.names.moves[number]
    }

    /// The input of a move.
    pub fn does(&self, number: MoveId) -> Signal {
        self.network.does(number)
    }

    /// Whether a move is legal.
    pub fn legal(&self, number: MoveId) -> Signal {
        self.outputs.legal[number]
    }
}

/// The end of a game.
impl GameCircuit {
    /// Whether the game has ended.
    pub fn terminal(&self) -> Signal {
        self.outputs.terminal
    }

    /// The goal values of all roles.
    pub fn goals(&self) -> &[GoalSignal] {
        &self.outputs.goals
    }
}
