//! Where playouts are played: the ways to clusters, by name.

use crate::named;

named! {
    /// A way to clusters.
    pub enum Transport: "transport" {
        /// Clusters are threads of this process
        Inproc = "inproc",
        /// Clusters are ranks of MPI
        Mpi = "mpi",
        /// Clusters are emulated boards with 2 MB and no operating system
        Board = "board",
        /// No cluster: this thread plays itself
        Direct = "direct",
        /// Clusters are modelled, in virtual time
        Model = "model",
    }
}
