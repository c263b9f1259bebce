//! The words that this machine can work on, and in what registers.

use std::arch::is_x86_feature_detected;

use crate::error::NativeError;

/// How words lie in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// General registers; `has_andn` tells whether there is AND NOT.
    Scalar { has_andn: bool },
    /// Vectors of 128 bits.
    Vector128,
    /// Vectors of 256 bits.
    Vector256,
}

/// What to make code for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) kind: Kind,
    /// Bytes from one slot to the next.
    pub(crate) stride: u32,
    /// How many times all code runs: once for each part of a word.
    pub(crate) parts: u32,
}

impl Target {
    /// The best way to work on words of so many lanes.
    pub(crate) fn of(lanes: usize) -> Result<Self, NativeError> {
        let stride = (lanes / 8) as u32;
        let (kind, feature, is_there) = match lanes {
            64 => {
                let has_andn = is_x86_feature_detected!("bmi1");
                (Kind::Scalar { has_andn }, "x86-64", true)
            }
            128 => (Kind::Vector128, "AVX", is_x86_feature_detected!("avx")),
            256 | 512 => (Kind::Vector256, "AVX2", is_x86_feature_detected!("avx2")),
            _ => return Err(NativeError::Lanes { lanes }),
        };
        let parts = if lanes == 512 { 2 } else { 1 };
        if is_there {
            Ok(Self { kind, stride, parts })
        } else {
            Err(NativeError::Feature { lanes, feature })
        }
    }

    /// Bytes of a register.
    pub(crate) fn register_bytes(self) -> u32 {
        self.stride / self.parts
    }

    /// Registers that can hold words.
    pub(crate) fn registers(self) -> usize {
        match self.kind {
            Kind::Scalar { .. } => crate::emit::GENERAL.len(),
            // One more holds ones.
            Kind::Vector128 | Kind::Vector256 => 15,
        }
    }
}
