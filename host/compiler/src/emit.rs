//! Emission: what the rooms before have made goes in, bytes come out: the image for
//! clusters, and texts for people and other tools.
//!
//! | module | question it answers |
//! |---|---|
//! | [`encode`] | which words does a cluster run? |
//! | [`symbols`] | what are its roles, moves and fluents called? |
//! | [`ground`] | what is the ground program, as GDL? |
//! | [`listing`] | which nodes has a circuit, as text or drawing? |
//! | [`schedule`] | what runs when and where, as text or drawing? |
//! | [`aiger`] | what is the circuit for other logic tools? |

mod aiger;
pub(crate) mod encode;
mod ground;
mod listing;
mod schedule;
pub mod symbols;

use crate::circuit::network::Style;
use crate::{CompileError, Grounded, Options};
use ruche_gdl::Description;
use std::io::{self, Write};

ruche_shared::named! {
    /// What to write of a compilation.
    pub enum Stage: "stage" {
        /// the ground program: what can ever hold, and when
        Ground = "ground",
        /// the circuit before optimisation
        Circuit = "circuit",
        /// the two-input gates after optimisation
        Gates = "gates",
        /// cells in sections, strata and slots
        Schedule = "schedule",
        /// the circuit before optimisation, for other logic tools
        Aiger = "aiger",
    }
}

ruche_shared::named! {
    /// How to write it.
    pub enum EmitFormat: "format" {
        /// lines to read
        Text = "text",
        /// a drawing for Graphviz
        Dot = "dot",
    }
}

/// Why a stage cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmitError {
    /// The game does not compile that far.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// Some stages have no drawing.
    #[error("{stage} cannot be drawn; leave out `{format}`")]
    Format {
        /// The stage.
        stage: Stage,
        /// The format.
        format: EmitFormat,
    },
    /// An AIG has no circles, and unrolling this one would take too long.
    #[error(
        "{count} atoms depend on each other in a circle, among them `{atom}`: \
         too many to unroll for AIGER; emit `circuit` instead"
    )]
    Circle {
        /// One of the atoms.
        atom: String,
        /// How many there are.
        count: usize,
    },
    /// The text cannot be written.
    #[error("the text cannot be written")]
    Write(#[from] io::Error),
}

/// Compiles a description as far as needed and writes a stage of it.
///
/// # Errors
/// If the game does not compile, the stage has no such format, or `out` fails.
///
/// ```
/// use ruche_compiler::{EmitFormat, Options, Stage, emit};
///
/// let rules = b"(role r) (init here) (legal r go) (<= terminal (not (true here))) (goal r 0)";
/// let (description, _) = ruche_gdl::load(rules).expect("sound rules");
/// let mut text = Vec::new();
/// emit(Stage::Aiger, EmitFormat::Text, &description, &Options::default(), &mut text)?;
/// assert!(text.starts_with(b"aag "));
/// # Ok::<(), ruche_compiler::EmitError>(())
/// ```
pub fn emit(
    stage: Stage,
    format: EmitFormat,
    description: &Description,
    options: &Options,
    out: &mut dyn Write,
) -> Result<(), EmitError> {
    if format == EmitFormat::Dot && matches!(stage, Stage::Ground | Stage::Aiger) {
        return Err(EmitError::Format { stage, format });
    }
    let mut grounded = Grounded::of(description, options)?;
    match stage {
        Stage::Ground => ground::write(&mut grounded, out)?,
        Stage::Circuit => grounded.circuit(Style::Moves)?.listing().write(format, out)?,
        Stage::Aiger => aiger::write(&grounded.circuit(Style::Moves)?, out)?,
        Stage::Gates => grounded.netlist()?.listing().write(format, out)?,
        Stage::Schedule => schedule::write(&grounded.netlist()?.plan(), format, out)?,
    }
    Ok(())
}
