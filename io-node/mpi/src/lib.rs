//! Host, I/O node and clusters as ranks of MPI.
//!
//! | rank | what it is | what it gets of [`World`] |
//! |---|---|---|
//! | 0 | the host | [`World::host_endpoint`] |
//! | 1 | the I/O node | [`World::network`] |
//! | 2 and up | cluster 0 and up | [`World::cluster_endpoint`] |
//!
//! This is the only crate that knows MPI, and it needs one only with the feature
//! `mpi`. Without it everything here has the same shape, but nobody can have a
//! [`World`]: [`World::init`] says how to build with MPI.
//!
//! ```no_run
//! # fn main() -> Result<(), ruche_mpi::MpiError> {
//! match ruche_mpi::world()? {
//!     None => println!("a program of its own: clusters are threads"),
//!     Some(world) => println!("rank {} of {}", world.rank(), world.size()),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | module | what it does |
//! |---|---|
//! | [`launch`] | whether `mpirun` started this process, without a call to MPI |
//! | `messages` | the few calls that a transport needs |
//! | `raw` | the same through MPI; the only module with unsafe code |
//! | `link` | frames, signs of life and farewells; who is lost |
//! | `patience` | how to wait without burning a core |
//! | `world` | begin, the parts of the ranks, end |

#[cfg(not(feature = "mpi"))]
mod absent;
mod error;
pub mod launch;
#[cfg(any(feature = "mpi", test))]
mod link;
#[cfg(any(feature = "mpi", test))]
mod messages;
#[cfg(any(feature = "mpi", test))]
mod patience;
#[cfg(feature = "mpi")]
mod raw;
#[cfg(feature = "mpi")]
mod world;

#[cfg(not(feature = "mpi"))]
pub use absent::{Connection, Hub, World};
pub use error::MpiError;
#[cfg(feature = "mpi")]
pub use world::{Connection, Hub, World};

/// Whether this program was built with MPI.
pub const AVAILABLE: bool = cfg!(feature = "mpi");

/// How to come to a program that was built with MPI.
pub const HOW_TO_BUILD: &str = "install MPI with toolchain/mpi-setup, then build with \
     `cargo build --release --features mpi`, or let toolchain/run do both";

/// The world that `mpirun` or a like launcher started this process in; `None` for
/// a program that was started on its own. Only then MPI is initialised.
///
/// # Errors
/// If a launcher started this process, but it was built without MPI, MPI does not
/// start, or there are too few ranks.
pub fn world() -> Result<Option<World>, MpiError> {
    launch::rank_of_environment().map(|_| World::init()).transpose()
}
