//! Why there is no native code.

use thiserror::Error;

/// Why native code cannot be made. The interpreter can always run the image.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NativeError {
    /// There is no code generator for this processor.
    #[error("native code is made for x86-64 only: interpret the image")]
    Machine,
    /// There is no code for words of this many lanes.
    #[error("native code works on 64, 128, 256 or 512 lanes, not {lanes}: interpret the image")]
    Lanes {
        /// Lanes that were asked for.
        lanes: usize,
    },
    /// The processor lacks what the code would need.
    #[error("{lanes} lanes need {feature}, which this processor lacks: use fewer lanes")]
    Feature {
        /// Lanes that were asked for.
        lanes: usize,
        /// The instructions that are missing.
        feature: &'static str,
    },
    /// The type of the words does not have the size that its lanes need.
    #[error("words of {bytes} bytes cannot hold {lanes} lanes, one per bit: interpret the image")]
    WordSize {
        /// Lanes of the word.
        lanes: usize,
        /// Bytes of the word.
        bytes: usize,
    },
    /// Too many values would be alive at once.
    #[error("the code would need {bytes} bytes of stack: interpret the image")]
    Stack {
        /// Bytes of stack.
        bytes: usize,
    },
    /// An instruction could not be encoded.
    #[error(
        "an instruction could not be encoded ({reason}): this is a mistake of the code generator"
    )]
    Encoding {
        /// What the encoder said.
        reason: String,
    },
    /// The system gives no executable memory.
    #[error("the system refuses executable memory ({reason}): interpret the image")]
    Memory {
        /// What the system said.
        reason: String,
    },
}
