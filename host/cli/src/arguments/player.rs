//! The arguments of `ruche player`.

use ruche_clusters::Topology;
use ruche_ggp::http::address::USUAL_PORT;
use ruche_search::quantity::count;
use ruche_search::{SearchOptions, SearchSettings};
use ruche_shared::Transport;

use super::named;
use super::search::size;

pub const HELP: &str = "\
Plays one match at a time, for whatever manager asks: INFO, START, PLAY, STOP, ABORT and \
PREVIEW over HTTP, as GGP servers send them. Rules are compiled while the start clock runs; \
rules that are too large, or take longer, are interpreted: slower, but legal. It thinks on \
the others' time too, and answers before the play clock ends, with a margin that it learns.

Only programs of this machine reach it, unless --host says otherwise: whoever reaches it can \
make it work. Ends with Ctrl-C.
Exit codes: 0 stopped by a manager's machine or never, 2 the port is taken; 130 and 143 \
stopped by Ctrl-C and SIGTERM.

Examples:
  ruche player
  ruche player --port 9148 --threads 1 --settings exploration=0.3
  ruche player --host 0.0.0.0                       for managers on other machines
  ruche player --transport board --clusters 2 --threads 16
  mpirun -n 18 ruche player --threads 2             on 16 ranks of MPI
  ruche referee tictactoe http://127.0.0.1:9147 random      a match against it";

/// All but the modelled machine, whose time is not that of a match.
const TRANSPORTS: &[Transport] =
    &[Transport::Inproc, Transport::Direct, Transport::Board, Transport::Mpi];

#[derive(Debug, clap::Args)]
pub struct PlayerArguments {
    /// The port to listen on; 0 takes a free one and says which
    #[arg(long, value_name = "PORT", default_value_t = USUAL_PORT)]
    port: u16,
    /// The address to listen on
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
    host: String,
    /// Settings of the search, as in `ruche match`, such as exploration=0.3,memory=512
    #[arg(long, value_name = "SETTINGS", default_value = "default")]
    settings: String,
    /// Do not think while others do
    #[arg(long)]
    no_pondering: bool,
    /// Where playouts are played; mpi under mpirun, else inproc. What boards and ranks have
    /// no room for is played by threads of this machine
    #[arg(long, value_name = "TRANSPORT", value_parser = named::<Transport>(TRANSPORTS))]
    transport: Option<Transport>,
    /// Clusters [default: as many as it takes to use all processors]; under MPI there is one
    /// for each rank from 2 on
    #[arg(long, value_name = "C", value_parser = count::<usize>("clusters", 1..=4096))]
    clusters: Option<usize>,
    /// Cores of each cluster that play, 1 to 16 [default: all processors, where clusters are
    /// threads of this process; elsewhere 1]
    #[arg(long, value_name = "T", value_parser = count::<u32>("threads", 1..=16))]
    threads: Option<u32>,
}

/// What `ruche player` shall do.
#[derive(Debug, PartialEq)]
pub struct PlayerCommand {
    /// Where to listen.
    pub host: String,
    /// On which port.
    pub port: u16,
    /// How to search.
    pub settings: SearchSettings,
    /// Whether to think while others do.
    pub ponders: bool,
    /// Where playouts are played.
    pub transport: Transport,
    /// On which clusters.
    pub topology: Topology,
}

impl TryFrom<PlayerArguments> for PlayerCommand {
    type Error = String;

    fn try_from(arguments: PlayerArguments) -> Result<Self, String> {
        let options: SearchOptions =
            arguments.settings.parse().map_err(|error| format!("--settings: {error}"))?;
        let is_launched = ruche_mpi::launch::rank_of_environment().is_some();
        let usual = if is_launched { Transport::Mpi } else { Transport::Inproc };
        let transport = arguments.transport.unwrap_or(usual);
        let processors = match transport {
            Transport::Inproc => std::thread::available_parallelism().map_or(1, usize::from),
            _ => 1,
        };
        let (clusters, threads) = size(arguments.clusters, arguments.threads, processors);
        Ok(Self {
            host: arguments.host,
            port: arguments.port,
            settings: options.check().map_err(|error| format!("--settings: {error}"))?,
            ponders: !arguments.no_pondering,
            transport,
            topology: Topology { clusters, threads, ..Topology::default() },
        })
    }
}
