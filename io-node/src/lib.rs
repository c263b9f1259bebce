//! The I/O node: it stands between the host and the clusters.
//!
//! The host sends batches of positions; the I/O node scatters them over the
//! clusters, gathers what the playouts brought, and sends positions again when a
//! cluster dies. The result of a playout does not depend on who computes it, so
//! the host gets the same answer whatever happens on the way, or an error that
//! says what was finished.
//!
//! | module | what it does |
//! |---|---|
//! | [`node`] | decides: a state machine without threads, clocks and connections |
//! | [`transport`] | connections: what they look like, and the ones that there are |
//! | [`frames`] | puts frames together, for everybody who may allocate |
//! | [`serve`], [`Inline`] | run a node over a network, on a thread of its own or on the host's |
#![forbid(unsafe_code)]

pub mod frames;
pub mod node;
mod outbox;
mod serve;
pub mod transport;

pub use node::{IoNode, NodeSettings, Statistics};
pub use outbox::{Outbox, Peer};
pub use ruche_shared::wire::control::RunMode;
pub use serve::{Inline, serve};
