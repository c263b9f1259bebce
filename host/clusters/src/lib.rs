//! Clusters for whoever searches or measures: threads of this process, emulated boards or
//! ranks of MPI, behind an I/O node. They are seen as an
//! [`Offload`](ruche_offload::Offload), and [`connect()`] leads to all of them.
//!
//! | module | what it knows |
//! |---|---|
//! | [`mod@connect`] | how to reach clusters, whatever they are |
//! | [`topology`] | how many clusters of how many cores, and how they work |
//! | [`cluster`] | a cluster kernel on this host, at the end of a connection |
//! | [`remote`] | the host's side: batches out, results in |
//! | [`inproc`] | everything in one process |
//! | [`ranks`] | clusters that are there already, as ranks of MPI |
//! | [`relay`] | a connection of one thread, lent to others |
//! | `boards` | clusters on emulated boards (feature `boards`) |
//! | [`attended`] | when the host waits, so that cores can leave it a processor |
//! | [`meters`] | what each cluster is doing, for those who watch |
//! | [`several`] | several I/O nodes, each with a share of every batch |
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ruche_clusters::{ConnectSettings, Route, Topology, connect};
//! use ruche_game::Game;
//!
//! let game = Game::bundled("connectfour")?;
//! let topology = Topology { clusters: 2, threads: 1, ..Topology::default() };
//! let offload = connect(Route::Inproc, &game, &ConnectSettings::new(topology, 7))?;
//! assert_eq!(offload.attributes().clusters, 2);
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

pub mod attended;
#[cfg(feature = "boards")]
pub mod boards;
pub mod cluster;
pub mod connect;
pub mod inproc;
pub mod meters;
pub mod ranks;
pub mod relay;
pub mod remote;
pub mod several;
pub mod topology;

#[cfg(feature = "boards")]
pub use boards::Boards;
pub use connect::{ConnectError, ConnectSettings, Death, Platform, Route, connect};
pub use inproc::Inproc;
pub use meters::{Meter, Meters};
pub use ranks::{Lease, Ranks};
pub use relay::{Lent, Relay};
pub use remote::Remote;
pub use several::Several;
pub use topology::Topology;
