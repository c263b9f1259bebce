//! A network on which everything goes wrong, in virtual time.
//!
//! Frames are delayed, overtake each other, get lost, arrive twice, lose their
//! ends, have bits flipped; clusters die, noticed or not. All of it is decided by
//! one seed, and nothing waits: thousands of schedules are played in seconds, and
//! any of them again from its seed.
//!
//! The [`simulation`](simulate) puts a real [`IoNode`] between a [`FakeHost`] and
//! [`FakeCluster`]s, whose results are a hash of what they were asked, so that the
//! right answer is known.
//!
//! [`IoNode`]: crate::IoNode

mod cluster;
mod host;
mod link;
mod plan;
mod simulation;

pub use cluster::{FakeCluster, expected_result, fake_image, fake_position};
pub use host::{FakeHost, Outcome, fake_load, fake_work};
pub use link::{Faults, FaultyLine};
pub use plan::{BatchPlan, FaultPlan};
pub use simulation::simulate;
