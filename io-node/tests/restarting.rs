//! What is promised of clusters that fail, are started again, or cannot read.

mod support;

use ruche_io_node::RunMode::{Async, Sync};
use ruche_io_node::transport::faulty::FakeCluster;
use ruche_io_node::{NodeSettings, frames};
use ruche_shared::wire::control::{Refusal, Text};
use ruche_shared::wire::{Header, Kind};
use support::{DEADLINE, Table, Told, whole};

/// Two clusters that may be started again once each, ready to play run 1.
fn table() -> Table {
    let settings = NodeSettings { restarts: 1, ..NodeSettings::new(2) };
    let mut table = Table::with(settings, Sync);
    (0..2).for_each(|cluster| table.hello(cluster));
    table.load(1);
    table.play_all();
    table.told();
    table
}

fn failure(generation: u32) -> Vec<u8> {
    let header = Header { generation, ..Header::new(Kind::Failed) };
    frames::control(header, &Refusal { cluster: None, text: Text::of("core 3: out of luck") })
}

fn garbled() -> Vec<u8> {
    frames::frame(Header::new(Kind::Garbled), &[])
}

/// The cluster of a new life knows nothing of the old one.
fn start_again(table: &mut Table, cluster: usize) {
    assert_eq!(table.node.next_restart(), Some(cluster));
    assert_eq!(table.node.next_restart(), None);
    table.clusters[cluster] = FakeCluster::default();
    table.inboxes[cluster].clear();
}

/// Lets a cluster fail in its first life and come back.
fn fail_and_return(table: &mut Table, cluster: usize) {
    table.cluster(cluster, &failure(1));
    start_again(table, cluster);
    table.hello(cluster);
    table.play_all();
    table.told();
}

#[test]
fn a_cluster_that_failed_is_started_again_and_plays_on() {
    let mut table = table();
    table.work(1, 4);
    table.cluster(0, &failure(1));
    match &table.told()[..] {
        [Told::Lost { cluster: 0, left: 2, text }] => {
            assert!(text.contains("core 3: out of luck; it is started again"), "{text}");
        }
        told => panic!("{told:?}"),
    }
    start_again(&mut table, 0);
    table.play(1);
    table.play_all();
    assert_eq!(table.told(), [whole(1, 4)], "the other one plays all");

    table.hello(0);
    table.play_all();
    table.work(2, 4);
    assert_eq!(table.inbox(0)[0].generation, 2);
    table.play_all();
    assert_eq!(table.told(), [whole(2, 4)]);
}

#[test]
fn the_second_death_is_the_last() {
    let mut table = table();
    fail_and_return(&mut table, 0);
    table.work(1, 4);
    table.gone(0);
    assert!(matches!(table.told()[..], [Told::Lost { cluster: 0, left: 1, .. }]));
    assert_eq!(table.node.next_restart(), None);
    table.play_all();
    assert_eq!(table.told(), [whole(1, 4)]);
}

#[test]
fn one_that_is_silent_is_started_again_and_the_last_one_too() {
    let mut table = table();
    table.cluster(1, &failure(1));
    assert_eq!(table.node.next_restart(), Some(1));
    table.gone(1);
    table.told();
    table.work(1, 4);
    // The last one is asked again before.
    for _ in 0..3 {
        table.miss();
        assert_eq!(table.told(), []);
    }
    table.miss();
    assert!(matches!(table.told()[..], [Told::Lost { cluster: 0, left: 1, .. }]));
    start_again(&mut table, 0);
    table.hello(0);
    table.play_all();
    assert_eq!(table.told(), [whole(1, 4)], "its positions waited for it");
}

#[test]
fn one_that_never_comes_back_is_dead() {
    let mut table = table();
    table.work(1, 4);
    table.cluster(0, &failure(1));
    start_again(&mut table, 0);
    table.play_all();
    table.told();
    table.miss();
    assert!(matches!(table.told()[..], [Told::Lost { cluster: 0, left: 1, .. }]));
}

#[test]
fn last_words_of_an_earlier_life_are_late() {
    let mut table = table();
    fail_and_return(&mut table, 0);
    table.cluster(0, &failure(1));
    assert_eq!(table.told(), []);
    assert_eq!(table.node.living(), 2);
}

#[test]
fn what_could_not_be_read_is_sent_again_at_once() {
    for clusters in [1, 2] {
        let mut table = Table::ready(clusters, Async);
        table.work(1, 1);
        table.inboxes[0].clear();
        table.cluster(0, &garbled());
        table.play_all();
        assert_eq!(table.told(), [whole(1, 1)], "{clusters} clusters, without any deadline");
    }
}

#[test]
fn noise_without_work_harms_nobody() {
    let mut table = Table::ready(2, Sync);
    for _ in 0..10 {
        table.cluster(1, &garbled());
    }
    table.work(1, 4);
    table.play_all();
    assert_eq!(table.told(), [whole(1, 4)]);
    assert_eq!(table.node.living(), 2);
}

#[test]
fn one_that_never_understands_is_lost() {
    let mut table = Table::ready(1, Sync);
    table.work(1, 4);
    for _ in 0..4 {
        table.inboxes[0].clear();
        table.cluster(0, &garbled());
    }
    assert!(matches!(table.told()[..], [Told::Lost { cluster: 0, left: 0, .. }]));
}

#[test]
fn one_whose_greeting_was_damaged_is_asked_again() {
    let mut table = Table::new(2, Sync);
    table.hello(0);
    table.cluster(1, &garbled());
    assert_eq!(table.inbox(1).iter().map(|it| it.kind()).collect::<Vec<_>>(), [Ok(Kind::Hello)]);
    table.inboxes[1].clear();
    table.load(1);
    table.hello(1);
    table.play_all();
    assert!(matches!(table.told()[..], [Told::Ready(1, _)]), "without any deadline");
}

/// What a cluster says that is still at a part.
fn alive(header: &Header) -> Vec<u8> {
    frames::frame(Header { kind: Kind::Alive as u16, length: 0, ..*header }, &[])
}

#[test]
fn a_cluster_that_says_it_is_alive_has_all_the_time_it_needs() {
    let mut table = table();
    table.work(1, 4);
    table.play(1);
    let part = table.inbox(0)[0];
    for _ in 0..50 {
        table.now += DEADLINE * 9 / 10;
        table.node.on_tick(table.now);
        table.cluster(0, &alive(&part));
    }
    table.play(0);
    assert_eq!(table.told(), [whole(1, 4)], "nobody was lost");
}

#[test]
fn a_sign_of_life_for_another_part_does_not_put_a_deadline_off() {
    let mut table = table();
    table.work(1, 4);
    table.play(1);
    let part = table.inbox(0)[0];
    let deadline = table.node.next_deadline();
    table.now += DEADLINE / 2;
    table.cluster(0, &alive(&Header { batch: part.batch + 1, ..part }));
    table.cluster(0, &alive(&Header { generation: part.generation + 1, ..part }));
    table.cluster(0, &alive(&Header { run: part.run + 1, ..part }));
    assert_eq!(table.node.next_deadline(), deadline);
    table.miss();
    assert!(matches!(table.told()[..], [Told::Lost { cluster: 0, .. }]));
}
