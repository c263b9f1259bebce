//! From a checked game description to a circuit image.
//!
//! ```text
//!   Description ─ front ─▶ Grounded ─ circuit ─▶ GameCircuit ─ optimise ─▶ Optimised
//!        Optimised ─ optimise ─▶ Netlist ─ map ─▶ Planned ─ emit ─▶ Compiled
//! ```
//!
//! [`compile`] walks through all of it, [`emit`](fn@emit) writes down what is there in
//! between, and [`Grounded`], [`GameCircuit`], [`Optimised`], [`Netlist`] and [`Planned`]
//! let others stop where they like. Each room is a folder:
//!
//! | room | what goes in | what comes out |
//! |---|---|---|
//! | `front` | a checked description | the ground program: atoms that can ever hold, and their rules |
//! | `circuit` | the ground program | one signal for each atom, as conjunctions with negated edges |
//! | `optimise` | the circuit | the fewest two-input gates that compute the same |
//! | `map` | gates | cells of up to four inputs, in strata and slots |
//! | `emit` | what any room has made | the image and its symbols; text, drawings, AIGER |
//!
//! `graph` and `index` serve all rooms: strongly connected components, and typed
//! indices instead of bare numbers.

#![warn(unreachable_pub)]

mod circuit;
mod emit;
mod error;
mod front;
mod graph;
mod index;
mod limits;
mod map;
mod optimise;
mod stages;
mod tactics;

pub use circuit::network::Style;
pub use circuit::signal::{BlockId, FluentId, GoalSignal, MoveId, NodeId, RoleId, Signal};
pub use circuit::{GameCircuit, NodeKind};
pub use emit::symbols::{self, Source, SymbolTable};
pub use emit::{EmitError, EmitFormat, Stage, emit};
pub use error::CompileError;
pub use index::Id;
pub use limits::WorkLimits;
pub use optimise::Optimised;
pub use stages::{Grounded, Netlist, Planned, compile, compile_tactics};
pub use tactics::{Turn, Turns};

/// How to compile.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where to give up.
    pub limits: WorkLimits,
}

/// A compiled game.
pub struct Compiled {
    /// The image, followed by the symbol part.
    pub file: Vec<u8>,
    /// Bytes of the image.
    pub image_length: usize,
    /// The names, as in the symbol part.
    pub symbols: SymbolTable,
    /// Sizes and times.
    pub report: Report,
    /// What was odd about the game.
    pub warnings: Vec<String>,
}

impl Compiled {
    /// The bytes of the image without the symbol part.
    pub fn image(&self) -> &[u8] {
        &self.file[..self.image_length]
    }
}

impl Report {
    /// Two-input gates of all sections.
    #[must_use]
    pub fn gates(&self) -> usize {
        self.gates_legal + self.gates_next + self.gates_goal
    }
}

/// Sizes of a compiled game.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Number of roles.
    pub roles: usize,
    /// Number of fluents that change.
    pub fluents: usize,
    /// Number of moves that can be legal.
    pub moves: usize,
    /// Ground clauses.
    pub clauses: u64,
    /// Two-input gates of the legal section.
    pub gates_legal: usize,
    /// Two-input gates of the next section.
    pub gates_next: usize,
    /// Two-input gates of the goal section.
    pub gates_goal: usize,
    /// Strata of all sections.
    pub strata: usize,
    /// Words that a core needs.
    pub slots: usize,
    /// The most values besides the state that are live at once: temporaries and
    /// moves, between two gates. 0 if unknown: an image does not tell.
    pub widest_live: usize,
    /// Bytes of bytecode.
    pub bytecode_bytes: usize,
    /// Bytes of the image.
    pub image_bytes: usize,
    /// Seconds that the compilation took.
    pub seconds: f64,
}
