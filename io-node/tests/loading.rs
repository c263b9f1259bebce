//! What is promised of the handshake and of games on their way.

mod support;

use std::time::Duration;

use ruche_io_node::RunMode::{Async, Sync};
use ruche_io_node::frames;
use ruche_io_node::transport::faulty::FakeCluster;
use ruche_shared::WordWidth;
use ruche_shared::wire::control::{self, Hello, Refusal, Text};
use ruche_shared::wire::{Header, Kind, SCHEMA, VERSION};
use support::{SEED, Table, Told, whole, work};

fn refused(told: &Told) -> &str {
    match told {
        Told::Refused { text, .. } => text,
        other => panic!("{other:?} is no refusal"),
    }
}

#[test]
fn a_game_is_ready_when_all_clusters_are_with_the_narrowest_word() {
    let mut table = Table::new(3, Sync);
    table.clusters[1].width = WordWidth::Eight;
    table.hello(0);
    table.load(1);
    table.hello(1);
    table.play_all();
    assert_eq!(table.told(), [], "cluster 2 has not reported");
    table.hello(2);
    table.play_all();
    match table.told()[..] {
        [Told::Ready(1, ready)] => assert_eq!(ready.width, WordWidth::Eight),
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn a_cluster_with_another_schema_is_refused_by_name() {
    let mut table = Table::new(2, Sync);
    let hello = Hello { schema: SCHEMA ^ 1, cores: 16, memory: 0 };
    table.cluster(1, &frames::control(Header::new(Kind::Hello), &hello));
    let told = table.told();
    assert!(refused(&told[0]).contains("cluster 1 lays out frames differently"), "{told:?}");
    assert!(matches!(told[1], Told::Lost { cluster: 1, left: 1, .. }), "{told:?}");
}

#[test]
fn a_cluster_with_another_version_is_refused_by_name() {
    let mut table = Table::new(1, Sync);
    let header = Header { version: VERSION + 1, ..Header::new(Kind::Hello) };
    table.cluster(0, &frames::frame(header, &[b"whatever a later version says"]));
    let told = table.told();
    assert!(refused(&told[0]).contains("cluster 0 speaks version 2 instead of 1"), "{told:?}");
    assert!(matches!(told[1], Told::Lost { cluster: 0, left: 0, .. }), "{told:?}");
}

#[test]
fn a_damaged_version_is_damage_and_not_another_version() {
    let mut table = Table::new(1, Sync);
    let mut hello = FakeCluster::hello();
    hello[4] ^= 2;
    table.cluster(0, &hello);
    assert_eq!((table.told(), table.node.statistics().damaged), (vec![], 1));
    table.hello(0);
    table.load(1);
    table.play_all();
    assert!(matches!(table.told()[..], [Told::Ready(..)]));
}

#[test]
fn a_refused_load_reaches_the_host_once_in_the_clusters_words() {
    let mut table = Table::new(2, Sync);
    for cluster in 0..2 {
        table.clusters[cluster].refusal = Some("slots: 70000 bytes over".to_owned());
        table.hello(cluster);
    }
    table.load(1);
    table.play_all();
    let text = "slots: 70000 bytes over".to_owned();
    assert_eq!(table.told(), [Told::Refused { run: 1, batch: 0, cluster: Some(0), text }]);
    table.work(1, 4);
    assert!(refused(&table.told()[0]).contains("no game is ready"));
}

#[test]
fn after_a_refused_game_another_one_can_be_loaded() {
    let mut table = Table::new(1, Sync);
    table.clusters[0].refusal = Some("too large".to_owned());
    table.hello(0);
    table.load(1);
    table.play_all();
    table.clusters[0].refusal = None;
    table.load(2);
    table.play_all();
    assert!(matches!(table.told()[..], [Told::Refused { .. }, Told::Ready(2, _)]));
}

#[test]
fn a_cluster_that_never_reports_does_not_hold_up_the_others() {
    let mut table = Table::new(2, Sync);
    table.hello(0);
    table.load(1);
    table.play_all();
    table.miss();
    match &table.told()[..] {
        [Told::Lost { cluster: 1, left: 1, text }, Told::Ready(1, _)] => {
            assert!(text.contains("never reported for duty within 100ms"), "{text}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_cluster_that_does_not_load_in_time_is_lost() {
    let mut table = Table::new(2, Async);
    (0..2).for_each(|cluster| table.hello(cluster));
    table.load(1);
    table.play(0);
    table.miss();
    match &table.told()[..] {
        [Told::Lost { cluster: 1, left: 1, text }, Told::Ready(1, _)] => {
            assert!(text.contains("did not load the game"), "{text}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_lost_load_is_sent_again_to_the_only_cluster() {
    let mut table = Table::new(1, Sync);
    table.hello(0);
    table.load(1);
    table.inboxes[0].clear();
    table.miss();
    table.play(0);
    assert!(matches!(table.told()[..], [Told::Ready(1, _)]));
}

#[test]
fn a_new_run_drops_all_work_of_older_runs() {
    for mode in [Sync, Async] {
        let mut table = Table::ready(2, mode);
        table.work(1, 8);
        let late = [table.answer(0), table.answer(1)];
        (0..2).for_each(|cluster| table.inboxes[cluster].clear());
        table.load(2);
        (0..2).for_each(|cluster| table.cluster(cluster, &late[cluster]));
        table.play_all();
        assert!(matches!(table.told()[..], [Told::Ready(2, _)]));
        assert_eq!(table.node.statistics().late, 2);
        table.host(work(2, 1, 8));
        table.play_all();
        assert_eq!(table.told(), [whole(1, 8)]);
    }
}

#[test]
fn a_run_with_fewer_clusters_than_there_are_lets_the_others_rest() {
    for mode in [Sync, Async] {
        let mut table = Table::ready(3, mode);
        table.sharing.clusters = 2;
        table.load(2);
        let kinds: Vec<u16> = (0..3).map(|cluster| table.inbox(cluster)[0].kind).collect();
        assert_eq!(kinds, [Kind::Load, Kind::Load, Kind::Rest].map(|kind| kind as u16));
        table.inboxes[2].clear();
        table.play_all();
        assert!(matches!(table.told()[..], [Told::Ready(2, _)]));
        table.host(work(2, 1, 8));
        assert_eq!(table.inbox(2), []);
        table.play_all();
        assert_eq!(table.told(), [whole(1, 8)]);
    }
}

#[test]
fn whoever_has_rested_plays_again_when_it_is_wanted() {
    let mut table = Table::ready(2, Sync);
    table.sharing.clusters = 1;
    table.load(2);
    table.inboxes[1].clear();
    table.sharing.clusters = 2;
    table.load(3);
    table.play_all();
    table.host(work(3, 1, 8));
    assert!((0..2).all(|cluster| table.inbox(cluster).len() == 1));
    table.play_all();
    assert!(matches!(table.told()[..], [Told::Ready(3, _), Told::Done { .. }]));
}

#[test]
fn nobody_waits_for_a_cluster_that_may_rest() {
    let mut table = Table::new(2, Sync);
    table.sharing.clusters = 1;
    table.hello(0);
    table.load(1);
    table.play_all();
    assert!(matches!(table.told()[..], [Told::Ready(1, _)]));
    assert_eq!(table.node.next_deadline(), None);
    table.hello(1);
    assert_eq!(table.inbox(1), []);
}

#[test]
fn a_dead_cluster_is_replaced_in_the_next_run_but_not_in_this_one() {
    let mut table = Table::ready(2, Sync);
    table.sharing.clusters = 1;
    table.load(2);
    table.inboxes[1].clear();
    table.play_all();
    table.told();
    table.host(work(2, 1, 8));
    table.inboxes[0].clear();
    table.gone(0);
    assert!(matches!(table.told()[..], [Told::Lost { cluster: 0, left: 0, .. }]));
    table.load(3);
    table.play_all();
    table.host(work(3, 1, 8));
    table.play_all();
    assert!(matches!(table.told()[..], [Told::Ready(3, _), Told::Done { .. }]));
}

#[test]
fn the_run_mode_is_that_of_the_game() {
    let mut table = Table::ready(1, Sync);
    table.sharing.run_mode = Async;
    table.load(2);
    table.play_all();
    (1..=2).for_each(|batch| table.host(work(2, batch, 8)));
    assert_eq!(table.inbox(0).len(), 2, "two batches are under way");
}

#[test]
fn a_game_for_no_cluster_or_more_than_there_are_is_refused() {
    let mut table = Table::ready(2, Sync);
    for (run, clusters) in [(2, 0), (3, 3)] {
        table.sharing.clusters = clusters;
        table.load(run);
        let told = table.told();
        let text = format!("{clusters} clusters shall play, but there are 1 to 2");
        assert!(refused(&told[0]).contains(&text), "{told:?}");
    }
    table.sharing.clusters = 2;
    table.sharing.deadline = Duration::ZERO;
    table.load(4);
    assert!(refused(&table.told()[0]).contains("a deadline of no time"));
}

#[test]
fn a_load_that_is_sent_again_is_answered_again() {
    let mut table = Table::ready(2, Sync);
    table.load(1);
    assert!(matches!(table.told()[..], [Told::Ready(1, _)]));
    assert!(table.inboxes.iter().all(Vec::is_empty), "nobody loads it twice");
}

#[test]
fn another_game_under_the_same_run_is_refused() {
    let mut table = Table::ready(1, Sync);
    table.host(table.load_frame(1, SEED + 1));
    assert!(refused(&table.told()[0]).contains("needs a higher run"));
}

#[test]
fn a_load_without_an_image_is_refused() {
    let mut table = Table::new(1, Sync);
    let frame = table.load_frame(1, SEED);
    let header = Header { run: 1, ..Header::new(Kind::Load) };
    let payload = &frame[ruche_shared::wire::HEADER_BYTES..];
    table.host(frames::frame(header, &[&payload[..payload.len() - 4]]));
    table.host(frames::frame(header, &[]));
    let mut broken = payload.to_vec();
    broken[300] ^= 1;
    table.host(frames::frame(header, &[&broken]));
    let told = table.told();
    assert!(refused(&told[0]).contains("send all of it"), "{told:?}");
    assert!(refused(&told[1]).contains("it is no such message"), "{told:?}");
    assert_eq!((told.len(), refused(&told[2]).is_empty()), (3, false));
}

#[test]
fn a_host_of_another_build_is_refused_by_name() {
    let mut table = Table::new(1, Sync);
    let frame = table.load_frame(1, SEED);
    let header = Header { run: 1, ..Header::new(Kind::Load) };
    let mut payload = frame[ruche_shared::wire::HEADER_BYTES..].to_vec();
    payload[control::IMAGE_OFFSET - 1] ^= 1;
    table.host(frames::frame(header, &[&payload]));
    let told = table.told();
    assert!(refused(&told[0]).contains("the host lays out frames differently"), "{told:?}");
    assert_eq!(told.len(), 1);
    table.load(1);
    table.hello(0);
    table.play_all();
    assert!(matches!(table.told()[..], [Told::Ready(1, _)]), "the right one is served");
}

#[test]
fn frames_that_nobody_should_send_are_refused_or_counted() {
    let mut table = Table::ready(1, Sync);
    table.host(FakeCluster::hello());
    table.host(vec![1, 2, 3]);
    let told = table.told();
    assert!(refused(&told[0]).contains("a host does not send Hello"), "{told:?}");
    assert!(refused(&told[1]).contains("3 bytes are no frame"), "{told:?}");
    table.cluster(0, &frames::frame(Header::new(Kind::Stop), &[]));
    table.cluster(7, &FakeCluster::hello());
    assert_eq!((table.node.statistics().damaged, table.node.statistics().late), (2, 1));
    assert_eq!(table.told(), []);
}

#[test]
fn a_refusal_that_refers_to_nothing_is_not_believed() {
    let mut table = Table::ready(1, Sync);
    table.work(1, 4);
    let asked = table.inbox(0)[0];
    let header = Header { kind: Kind::Refused as u16, count: asked.count ^ 64, ..asked };
    let refusal = Refusal { cluster: None, text: Text::of("a frame with a flipped bit") };
    table.cluster(0, &frames::control(header, &refusal));
    table.play_all();
    assert_eq!(table.told(), [whole(1, 4)]);
}
