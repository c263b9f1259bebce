//! From a checked game description to a circuit image.
//!
//! ```text
//!   Description ─ normalise ─ split ─ ground ─ instantiate ─▶ circuit
//!        circuit ─ optimise ─ gates ─ cover ─ schedule ─ allocate ─ encode ─▶ image
//! ```
//!
//! | room | what comes out of it |
//! |---|---|
//! | [`front`] | the ground program: atoms that can ever hold, and their rules |
//! | [`circuit`] | one signal for each atom, as conjunctions with negated edges |
//! | [`optimise`] | the fewest two-input gates that compute the same |
//! | [`map`] | cells of up to four inputs, in strata and slots |
//! | [`emit`] | the image and its symbols |

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

pub use circuit::network::Style;
pub use circuit::signal::{BlockId, FluentId, Goal, MoveId, NodeId, RoleId, Signal};
pub use circuit::{Circuit, NodeKind};
pub use emit::symbols::{self, Source, SymbolTable};
pub use emit::{EmitError, Format, Stage, emit};
pub use error::CompileError;
pub use index::Id;
pub use limits::Limits;
pub use optimise::Optimised;
pub use stages::{Grounded, Netlist, Planned, compile};

/// How to compile.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where to give up.
    pub limits: Limits,
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
