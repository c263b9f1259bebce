//! One host after another game: what belongs to an earlier one is dropped.

mod support;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use ruche_clusters::{
    ConnectError, ConnectSettings, Ranks, Relay, Remote, Route, Topology, cluster, connect,
};
use ruche_game::Game;
use ruche_io_node::transport::faulty::{expected_result, fake_image};
use ruche_io_node::transport::inproc::{self, HostEndpoint};
use ruche_io_node::transport::{Closed, Endpoint};
use ruche_io_node::{IoNode, NodeSettings, RunMode, frames, serve};
use ruche_offload::{Batch, Direct, DirectSettings, Events, Finished, Offload, OffloadError};
use ruche_playouts::HostEngine;
use ruche_shared::WordWidth;
use ruche_shared::budget::TOTAL_BYTES;
use ruche_shared::wire::control::{Loss, Ready, Refusal, Text};
use ruche_shared::wire::{Header, Kind};
use support::bundled;
use zerocopy::IntoBytes;

const ROLES: usize = 2;
const FLUENTS: usize = 40;

/// An image of a game in which nothing happens.
fn fake() -> Game {
    Game::of_image("fake", &fake_image(ROLES, FLUENTS)).expect("a sound image")
}

/// An I/O node that says what stands in a script, whatever it hears.
struct Script(VecDeque<Vec<u8>>);

impl Endpoint for Script {
    fn send(&mut self, _frame: Vec<u8>) -> Result<(), Closed> {
        Ok(())
    }

    fn receive(&mut self, _timeout: Option<Duration>) -> Result<Option<Vec<u8>>, Closed> {
        self.0.pop_front().map(Some).ok_or(Closed)
    }
}

fn ready(run: u32) -> Vec<u8> {
    let ready = Ready { width: WordWidth::SixtyFour, free: 0, queue: 128 };
    frames::control(Header { run, ..Header::new(Kind::Ready) }, &ready)
}

fn refused(run: u32) -> Vec<u8> {
    let refusal = Refusal { cluster: None, text: Text::of("too large") };
    frames::control(Header { run, ..Header::new(Kind::Refused) }, &refusal)
}

fn lost(run: u32, left: u32) -> Vec<u8> {
    let loss = Loss { cluster: 0, left, text: Text::of("it is gone") };
    frames::control(Header { run, ..Header::new(Kind::Lost) }, &loss)
}

/// The result of one position in batch 0, different for each run.
fn done(run: u32) -> Vec<u8> {
    let header = Header { run, count: 1, playouts: 9, ..Header::new(Kind::Done) };
    frames::frame(header, &[result_of(run).as_bytes()])
}

fn result_of(run: u32) -> Vec<u64> {
    expected_result(run.into(), 0, 9, ROLES, FLUENTS)
}

fn scripted(script: Vec<Vec<u8>>) -> Remote<Script> {
    Remote::new(Script(script.into()), Events::default())
}

fn load(remote: &mut Remote<Script>) -> Result<(), ConnectError> {
    remote.load(&fake(), &ConnectSettings::default())
}

fn batch(count: usize, positions: Vec<u32>) -> Batch {
    Batch { number: 0, first: 0, playouts: 9, positions, count }
}

#[test]
fn late_answers_of_an_earlier_run_are_dropped() {
    let mut remote = scripted(vec![
        ready(1),
        done(1),
        refused(1),
        ready(1),
        ready(2),
        done(1),
        refused(1),
        done(2),
    ]);
    for _ in 0..2 {
        load(&mut remote).expect("it is ready");
        remote.submit(batch(1, vec![0, 0])).expect("it is sent");
    }
    let finished = remote.collect().expect("results");
    assert_eq!(finished.results.row(0), result_of(2));
}

#[test]
fn after_a_refusal_another_game_can_be_loaded() {
    let mut remote = scripted(vec![refused(1), ready(2)]);
    let refused = load(&mut remote);
    assert!(matches!(&refused, Err(ConnectError::Refused(why)) if why == "too large"));
    assert!(load(&mut remote).is_ok());
}

#[test]
fn the_last_cluster_of_an_earlier_run_may_have_left_others() {
    let mut remote = scripted(vec![ready(1), lost(1, 0), ready(2), lost(2, 0)]);
    assert!(load(&mut remote).is_ok() && load(&mut remote).is_ok());
    assert_eq!(remote.usage().losses, 1);
    remote.submit(batch(1, vec![0, 0])).expect("it is sent");
    assert!(remote.collect().is_err());
}

/// A host whose I/O node has so many clusters, as threads that end with it.
fn machine(clusters: usize) -> HostEndpoint {
    let (host, mut network, endpoints) = inproc::network(clusters);
    let engine = Arc::new(HostEngine::default());
    std::thread::spawn(move || serve(IoNode::new(NodeSettings::new(clusters)), &mut network));
    for endpoint in endpoints {
        let engine = engine.clone();
        std::thread::spawn(move || cluster::run(endpoint, &engine, TOTAL_BYTES));
    }
    host
}

fn play(offload: &mut impl Offload, game: &Game) -> Finished {
    offload.submit(batch(24, game.image().initial().repeat(24))).expect("it is sent");
    offload.collect().expect("results")
}

#[test]
fn games_follow_each_other_on_some_or_all_clusters() {
    let ranks = Ranks::new(machine(3), 3, Events::default());
    for (clusters, name, run_mode) in [
        (2, "tictactoe", RunMode::Sync),
        (3, "connectfour", RunMode::Async),
        (1, "connectfour", RunMode::Sync),
        (3, "tictactoe", RunMode::Sync),
    ] {
        let game = bundled(name);
        let topology = Topology { clusters, run_mode, ..Topology::default() };
        let settings = ConnectSettings::new(topology, 5);
        let mut remote = connect(Route::Ranks(&ranks), &game, &settings).expect("it fits");
        let settings = DirectSettings { seed: 5, ..DirectSettings::default() };
        let mut direct = Direct::new(&game, settings).expect("it plays directly");
        assert_eq!(play(&mut remote, &game), play(&mut direct, &game), "{clusters} {name}");
        // Its answer comes when another game is played, or never.
        let positions = game.image().initial().repeat(500);
        remote.submit(batch(500, positions)).expect("it is sent");
    }
    assert_eq!((ranks.clusters(), ranks.losses()), (3, 0));
}

#[test]
fn clusters_of_one_thread_are_leased_to_others_until_they_get_another_game() {
    let (relay, lent) = Relay::new(machine(2));
    let ranks = Arc::new(Ranks::new(lent, 2, Events::default()));
    let elsewhere = std::thread::spawn(move || {
        let settings = ConnectSettings::new(Topology { clusters: 2, ..Topology::default() }, 5);
        let [first, second] = ["tictactoe", "connectfour"].map(bundled);
        let mut lease = ranks.lease(&first, &settings).expect("it fits");
        let settings_of_direct = DirectSettings { seed: 5, ..DirectSettings::default() };
        let mut direct = Direct::new(&first, settings_of_direct).expect("it plays directly");
        assert_eq!(play(&mut lease, &first), play(&mut direct, &first));
        let mut other = ranks.lease(&second, &settings).expect("it fits");
        let late = lease.submit(batch(1, first.image().initial().to_vec()));
        assert!(matches!(late, Err(OffloadError::Lost { .. })), "{late:?}");
        play(&mut other, &second);
    });
    // It ends when nobody has the clusters any more.
    relay.run();
    elsewhere.join().expect("all went well there");
}
