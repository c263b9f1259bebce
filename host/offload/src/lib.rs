//! Clusters for the search: threads of this process or ranks of MPI, behind an
//! I/O node. The search sees nothing of them but its `Offload`.
//!
//! | module | what it knows |
//! |---|---|
//! | [`topology`] | how many clusters of how many cores, and how they work |
//! | [`engine`] | the vector words and the native code of this host |
//! | [`cluster`] | a cluster kernel on this host, at the end of a connection |
//! | [`remote`] | the host's side: batches out, results in |
//! | [`inproc`] | everything in one process |
//! | [`boards`] | clusters on emulated boards |
//! | [`several`] | several I/O nodes, each with a share of every batch |

pub mod boards;
pub mod cluster;
pub mod engine;
pub mod inproc;
pub mod remote;
pub mod several;
pub mod topology;

pub use boards::Boards;
pub use engine::HostEngine;
pub use inproc::Inproc;
pub use remote::Remote;
pub use several::Several;
pub use topology::Topology;
