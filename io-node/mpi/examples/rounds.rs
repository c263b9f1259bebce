//! Measures the transport alone: no game, no search.
//!
//! ```text
//! mpirun -n 18 rounds [ROUNDS [BYTES [IDLE_SECONDS]]]
//! ```
//! In a round the host sends a frame to the I/O node, which sends it to all
//! clusters, waits for their echoes and answers the host. Then all ranks wait for
//! a while, and tell how much of a core that took. A cluster that is lost, or silent
//! for two seconds, is left out from then on.

use std::{
    collections::BTreeSet,
    fs,
    time::{Duration, Instant},
};

use ruche_io_node::{
    Peer,
    transport::{Closed, Endpoint, Network, PeerEvent},
};
use ruche_mpi::{Connection, Hub, World};

/// A cluster that has not answered until then is left out.
const DEADLINE: Duration = Duration::from_secs(2);

/// Frames that start with this ask for the processor time of a wait.
const IDLE: u8 = 1;

struct Settings {
    rounds: usize,
    bytes: usize,
    idle: Duration,
}

fn main() {
    let world = match ruche_mpi::world() {
        Ok(Some(world)) => world,
        Ok(None) => stop("start this with mpirun, for example: mpirun -n 18 rounds"),
        Err(error) => stop(&error.to_string()),
    };
    let settings = settings();
    let status = match world.rank() {
        0 => host(&world, &settings),
        1 => io_node(world.network(), world.clusters(), settings.idle),
        _ => cluster(world.cluster_endpoint(), settings.idle),
    };
    world.leave(status)
}

fn stop(why: &str) -> ! {
    eprintln!("error: {why}");
    std::process::exit(2)
}

fn settings() -> Settings {
    let mut numbers = std::env::args().skip(1).map(|text| {
        text.parse::<usize>().unwrap_or_else(|_| stop(&format!("{text} is no number")))
    });
    Settings {
        rounds: numbers.next().unwrap_or(2000),
        bytes: numbers.next().unwrap_or(2048).max(1),
        idle: Duration::from_secs(numbers.next().unwrap_or(5) as u64),
    }
}

fn host(world: &World, settings: &Settings) -> i32 {
    let mut endpoint = world.host_endpoint();
    match play_rounds(&mut endpoint, settings) {
        Ok(()) => 0,
        Err(finished) => {
            println!("{finished} rounds were finished");
            eprintln!("error: {}", world.failure().unwrap_or_else(|| "no answer".into()));
            1
        }
    }
}

/// All rounds and the wait; the number of finished rounds if they end early.
fn play_rounds(endpoint: &mut Connection, settings: &Settings) -> Result<(), usize> {
    let mut times = Vec::new();
    for _ in 0..settings.rounds {
        let start = Instant::now();
        let answer = ask(endpoint, vec![0; settings.bytes]).map_err(|Closed| times.len())?;
        assert_eq!(answer.len(), settings.bytes);
        if times.is_empty() {
            println!("# Rounds  Bytes  median(us)  p90(us)  max(us)");
        }
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 101).map_or(0, Duration::as_micros);
    println!("{} {} {} {} {}", times.len(), settings.bytes, at(50), at(90), at(100));
    wait(endpoint, settings.idle).map_err(|Closed| times.len())
}

/// Lets all ranks wait and prints what that took.
fn wait(endpoint: &mut Connection, time: Duration) -> Result<(), Closed> {
    if time.is_zero() {
        return Ok(());
    }
    let answer = ask(endpoint, vec![IDLE])?;
    let used: Vec<u64> =
        answer.as_chunks::<8>().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
    let share = |nanoseconds: u64| nanoseconds as f64 / time.as_nanos() as f64 * 100.0;
    println!("# Waiting ranks  mean(% of a core)  max(%)  I/O node(%)");
    let (io_node, clusters) = used.split_first().expect("the I/O node answers for itself");
    let mean = share(clusters.iter().sum::<u64>()) / clusters.len().max(1) as f64;
    let most = share(clusters.iter().copied().max().unwrap_or(0));
    println!("{} {mean:.2} {most:.2} {:.2}", clusters.len(), share(*io_node));
    Ok(())
}

fn ask(endpoint: &mut Connection, frame: Vec<u8>) -> Result<Vec<u8>, Closed> {
    endpoint.send(frame)?;
    endpoint.receive(None)?.ok_or(Closed)
}

fn cluster(mut endpoint: Connection, idle: Duration) -> i32 {
    while let Ok(Some(frame)) = endpoint.receive(None) {
        let answer = if frame[0] == IDLE { used_while_waiting(&mut endpoint, idle) } else { frame };
        if endpoint.send(answer).is_err() {
            break;
        }
    }
    0
}

fn used_while_waiting(endpoint: &mut Connection, idle: Duration) -> Vec<u8> {
    let before = processor_time();
    let _ = endpoint.receive(Some(idle));
    (processor_time() - before).to_le_bytes().to_vec()
}

fn io_node(mut network: Hub, clusters: usize, idle: Duration) -> i32 {
    let mut alive: BTreeSet<usize> = (0..clusters).collect();
    loop {
        match network.receive(None) {
            Ok(Some((Peer::Host, PeerEvent::Frame(frame)))) => {
                let answer = round(&mut network, &mut alive, frame, idle);
                let _ = network.send(Peer::Host, answer);
            }
            Ok(Some((Peer::Cluster(cluster), PeerEvent::Gone(why)))) => {
                bury(&mut alive, cluster, &why);
            }
            Ok(Some((Peer::Host, PeerEvent::Gone(_)))) | Ok(None) | Err(Closed) => return 0,
            Ok(Some((Peer::Cluster(_), PeerEvent::Frame(_)))) => {}
        }
    }
}

/// Sends to all clusters and waits for their answers: the last one, or all of them
/// with our own in front if they are times.
fn round(
    network: &mut Hub,
    alive: &mut BTreeSet<usize>,
    frame: Vec<u8>,
    idle: Duration,
) -> Vec<u8> {
    let before = processor_time();
    let waits = frame[0] == IDLE;
    let end = Instant::now() + DEADLINE + if waits { idle } else { Duration::ZERO };
    for cluster in alive.iter() {
        let _ = network.send(Peer::Cluster(*cluster), frame.clone());
    }
    let mut answers = if waits { vec![0; 8] } else { frame };
    let mut open = alive.clone();
    while !open.is_empty() {
        match network.receive(Some(end.saturating_duration_since(Instant::now()))) {
            Ok(Some((Peer::Cluster(cluster), PeerEvent::Frame(answer)))) => {
                open.remove(&cluster);
                if waits { answers.extend(answer) } else { answers = answer }
            }
            Ok(Some((Peer::Cluster(cluster), PeerEvent::Gone(why)))) => {
                open.remove(&cluster);
                bury(alive, cluster, &why);
            }
            Ok(None) => open.iter().for_each(|silent| bury(alive, *silent, "it is silent")),
            Ok(Some((Peer::Host, _))) | Err(Closed) => break,
        }
        open.retain(|cluster| alive.contains(cluster));
    }
    if waits {
        answers[..8].copy_from_slice(&(processor_time() - before).to_le_bytes());
    }
    answers
}

fn bury(alive: &mut BTreeSet<usize>, cluster: usize, why: &str) {
    if alive.remove(&cluster) {
        eprintln!("cluster {cluster} is left out: {why}; {} remain", alive.len());
    }
}

/// Nanoseconds that all threads of this process have run; zero where the system
/// does not tell.
fn processor_time() -> u64 {
    let of_thread = |path: std::path::PathBuf| -> Option<u64> {
        fs::read_to_string(path.join("schedstat")).ok()?.split(' ').next()?.parse().ok()
    };
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return 0 };
    threads.flatten().filter_map(|entry| of_thread(entry.path())).sum()
}
