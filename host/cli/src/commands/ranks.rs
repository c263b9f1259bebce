//! This process as one rank of MPI: the host, the I/O node or a cluster.

use ruche_clusters::ranks::serve_rank;
use ruche_mpi::World;
use ruche_playouts::HostEngine;

use super::CommandError;
use crate::output::Answer;

/// Plays the part of this rank: `host` is that of rank 0, all others serve it until
/// it has ended, clusters in so many bytes. Never returns: leaving MPI ends this process.
pub fn play_part(
    world: World,
    engine: &HostEngine,
    memory: u64,
    host: impl FnOnce(&World) -> Result<Answer, CommandError>,
) -> ! {
    if world.rank() > 0 {
        serve_rank(&world, engine, memory);
        world.leave(0);
    }
    let status = crate::exit_status(host(&world));
    if let Some(why) = world.failure() {
        eprintln!("ruche: {why}");
    }
    world.leave(status)
}
