//! What a modelled machine is made of: a documented file.

use std::collections::BTreeMap;

use ruche_runtime::strategy::Strategy;
use serde::Deserialize;
use thiserror::Error;

/// The MPPA-256 of the original study.
pub const MPPA256: &str = include_str!("../mppa256.toml");

/// A machine.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Parameters {
    /// What people call it.
    pub name: String,
    /// The computer that owns the tree.
    pub host: Host,
    /// Between host and I/O node.
    pub pcie: Way,
    /// The I/O node.
    pub io: Io,
    /// Between I/O node and clusters.
    pub noc: Noc,
    /// What all cores of a cluster share.
    pub cluster: Cluster,
    /// One core.
    pub core: Core,
    /// The thread strategies.
    pub strategy: BTreeMap<Strategy, HandOffCosts>,
    /// Between strata, in split mode.
    pub barrier: BarrierCosts,
}

/// The host.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Host {
    /// To choose a leaf.
    pub select_ns: u64,
}

/// A connection.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Way {
    /// Of a message without content.
    pub latency_ns: u64,
    /// Of its content.
    pub bytes_per_second: u64,
}

/// The network between I/O node and clusters.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Noc {
    /// Of a message without content.
    pub latency_ns: u64,
    /// Bytes of a message that go with the connection.
    pub buffer_bytes: usize,
    /// Of the rest.
    pub bytes_per_second: u64,
}

/// The I/O node.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Io {
    /// Before each message to a cluster.
    pub connect_ns: u64,
    /// For each message of a cluster.
    pub receive_ns: u64,
}

/// A cluster.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Cluster {
    /// Of its cores.
    pub megahertz: u64,
    /// Of its memory.
    pub banks: u32,
    /// PC0 takes or sends a message.
    pub message_ns: u64,
    /// PC0 copies positions.
    pub copy_bytes_per_second: u64,
}

/// A core.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Core {
    /// Of a register.
    pub word_bits: u32,
    /// For a gate of two inputs.
    pub cycles_per_gate: f64,
    /// For each possible move, in each ply.
    pub cycles_per_move: f64,
    /// The shared part of handing over scores.
    pub score_ns: u64,
    /// Of computing, for each core that polls.
    pub slowdown_per_poller: f64,
}

/// What a strategy costs.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HandOffCosts {
    /// To start a thread.
    pub start_ns: u64,
    /// To see that it has ended.
    pub join_ns: u64,
    /// To wake one that waits.
    pub wake_ns: u64,
    /// To tell PC0.
    pub report_ns: u64,
    /// How much of the time a waiting core accesses memory.
    pub duty: f64,
}

/// A barrier.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BarrierCosts {
    /// For each core that takes part.
    pub core_ns: u64,
}

/// Why a file describes no machine.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParametersError {
    /// It cannot be read; the text has line and key.
    #[error("{0}")]
    Syntax(String),
    /// A value makes no sense.
    #[error("{key} = {value}: {why}")]
    Value {
        /// Which.
        key: String,
        /// What it is.
        value: String,
        /// What it should be.
        why: &'static str,
    },
}

impl Parameters {
    /// Reads and checks a file.
    ///
    /// # Errors
    /// If a key is missing or unknown, or a value is impossible.
    pub fn parse(text: &str) -> Result<Self, ParametersError> {
        let parameters: Self = toml::from_str(text)
            .map_err(|error| ParametersError::Syntax(error.to_string().trim_end().to_owned()))?;
        parameters.check()?;
        Ok(parameters)
    }

    /// The MPPA-256.
    ///
    /// # Panics
    /// Never: the file is part of the program, and a test reads it.
    #[must_use]
    pub fn mppa256() -> Self {
        Self::parse(MPPA256).expect("the bundled machine is sound")
    }

    /// What a strategy costs, if the file says it.
    #[must_use]
    pub fn hand_off(&self, strategy: Strategy) -> Option<&HandOffCosts> {
        self.strategy.get(&strategy)
    }

    fn check(&self) -> Result<(), ParametersError> {
        for (key, rate) in [
            ("pcie.bytes-per-second", self.pcie.bytes_per_second),
            ("noc.bytes-per-second", self.noc.bytes_per_second),
            ("cluster.copy-bytes-per-second", self.cluster.copy_bytes_per_second),
            ("cluster.megahertz", self.cluster.megahertz),
            ("core.word-bits", self.core.word_bits.into()),
        ] {
            if rate == 0 {
                return Err(wrong(key, rate, "must be at least 1"));
            }
        }
        // All 16 cores of a cluster and PC0 may wait for the same bank.
        if self.cluster.banks < 16 {
            return Err(wrong("cluster.banks", self.cluster.banks, "must be at least 16"));
        }
        for (key, number) in [
            ("core.cycles-per-gate", self.core.cycles_per_gate),
            ("core.cycles-per-move", self.core.cycles_per_move),
            ("core.slowdown-per-poller", self.core.slowdown_per_poller),
        ] {
            if !(0.0..1e9).contains(&number) {
                return Err(wrong(key, number, "must be a number from 0 on"));
            }
        }
        for (strategy, hand_off) in &self.strategy {
            if !(0.0..1.0).contains(&hand_off.duty) {
                let key = format!("strategy.{strategy}.duty");
                return Err(wrong(key, hand_off.duty, "must be at least 0 and less than 1"));
            }
        }
        Ok(())
    }
}

fn wrong(key: impl ToString, value: impl ToString, why: &'static str) -> ParametersError {
    ParametersError::Value { key: key.to_string(), value: value.to_string(), why }
}

impl Way {
    /// Nanoseconds that so many bytes keep the connection busy.
    #[must_use]
    pub fn occupied(&self, bytes: usize) -> u64 {
        nanoseconds(bytes, self.bytes_per_second)
    }
}

impl Noc {
    /// Nanoseconds that so many bytes keep the network busy.
    #[must_use]
    pub fn occupied(&self, bytes: usize) -> u64 {
        nanoseconds(bytes.saturating_sub(self.buffer_bytes), self.bytes_per_second)
    }
}

/// Nanoseconds for bytes at a rate.
#[must_use]
pub fn nanoseconds(bytes: usize, bytes_per_second: u64) -> u64 {
    (bytes as u128 * 1_000_000_000 / u128::from(bytes_per_second)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_machine_is_sound() {
        assert_eq!(Parameters::mppa256().name, "MPPA-256");
    }

    #[test]
    fn errors_name_line_and_key() {
        let unknown = MPPA256.replace("banks = 16", "bangs = 16");
        let error = Parameters::parse(&unknown).unwrap_err().to_string();
        assert!(error.contains("bangs") && error.contains("line"), "{error}");
        let idle = MPPA256.replace("megahertz = 400", "megahertz = 0");
        let error = Parameters::parse(&idle).unwrap_err().to_string();
        assert!(error.contains("cluster.megahertz = 0"), "{error}");
        let busy = MPPA256.replace("duty = 0.93", "duty = 1.0");
        let error = Parameters::parse(&busy).unwrap_err().to_string();
        assert!(error.contains("strategy.spin.duty"), "{error}");
    }
}
