//! This process as one rank of MPI: the host, the I/O node or a cluster.

use ruche_io_node::{IoNode, NodeSettings, serve};
use ruche_mpi::World;
use ruche_offload::{HostEngine, cluster};

use super::CommandError;
use crate::output::Answer;

/// Plays the part of this rank: `host` is that of rank 0, all others serve it until
/// it has ended. Never returns: leaving MPI ends this process.
pub fn play_part(
    world: World,
    engine: &HostEngine,
    host: impl FnOnce(&World) -> Result<Answer, CommandError>,
) -> ! {
    let status = match world.rank() {
        0 => {
            let status = crate::exit_status(host(&world));
            if let Some(why) = world.failure() {
                eprintln!("ruche: {why}");
            }
            status
        }
        1 => {
            let node = IoNode::new(NodeSettings::new(world.clusters()));
            serve(node, &mut world.network());
            0
        }
        _ => {
            cluster::run(world.cluster_endpoint(), engine);
            0
        }
    };
    world.leave(status)
}
