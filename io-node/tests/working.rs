//! What is promised of batches, of clusters that die, and of the end.

mod support;

use ruche_io_node::RunMode::{Async, Sync};
use ruche_io_node::{NodeSettings, frames};
use ruche_shared::wire::control::{Refusal, Text};
use ruche_shared::wire::{Header, Kind};
use support::{DEADLINE, Table, Told, right, whole, work};

fn stop() -> Vec<u8> {
    frames::frame(Header::new(Kind::Stop), &[])
}

#[test]
fn a_synchronous_batch_is_scattered_over_all_clusters_and_returns_in_one_piece() {
    let mut table = Table::ready(4, Sync);
    table.work(1, 10);
    let shares: Vec<Header> = (0..4).flat_map(|cluster| table.inbox(cluster)).collect();
    assert_eq!(shares.iter().map(|part| part.first).collect::<Vec<_>>(), [0, 2, 5, 7]);
    assert_eq!(shares.iter().map(|part| part.count).collect::<Vec<_>>(), [2, 3, 2, 3]);
    for cluster in [2, 0, 3] {
        table.play(cluster);
        assert_eq!(table.told(), [], "not before all are there");
    }
    table.play(1);
    assert_eq!(table.told(), [whole(1, 10)]);
}

#[test]
fn synchronous_batches_follow_each_other() {
    let mut table = Table::ready(2, Sync);
    table.work(1, 4);
    table.work(2, 4);
    assert_eq!(table.inbox(0).len(), 1);
    table.play(0);
    assert_eq!(table.inbox(0).len(), 0, "it waits for the other");
    table.play(1);
    assert_eq!(table.told(), [whole(1, 4)]);
    table.play_all();
    assert_eq!(table.told(), [whole(2, 4)]);
}

#[test]
fn asynchronous_batches_overtake_each_other() {
    let mut table = Table::ready(2, Async);
    table.work(1, 1);
    table.work(2, 1);
    table.play(1);
    assert_eq!(table.told(), [whole(2, 1)]);
    table.play(0);
    assert_eq!(table.told(), [whole(1, 1)]);
}

/// Lets both clusters play 50 positions, the busier one first, and shows what each has
/// to play before every answer.
fn play_fifty(table: &mut Table, check: impl Fn(&[Header])) {
    table.get_ready();
    table.work(1, 50);
    while table.inboxes.iter().any(|inbox| !inbox.is_empty()) {
        (0..2).for_each(|cluster| check(&table.inbox(cluster)));
        let busiest = (0..2).max_by_key(|cluster| table.inbox(*cluster).len()).unwrap();
        table.play(busiest);
    }
    assert_eq!(table.told(), [whole(1, 50)]);
}

#[test]
fn no_cluster_has_more_parts_than_its_credit_or_larger_ones_than_fit() {
    let settings = NodeSettings { part_positions: 3, ..NodeSettings::new(2) };
    play_fifty(&mut Table::with(settings, Async), |parts| {
        assert!(parts.len() <= 2);
        assert!(parts.iter().all(|part| part.count <= 3));
    });
}

#[test]
fn parts_fit_the_shortest_queue() {
    for (mode, queue) in [(Sync, 5), (Async, 5), (Async, 0)] {
        let mut table = Table::new(2, mode);
        table.clusters[1].queue = queue;
        play_fifty(&mut table, |parts| {
            assert!(parts.iter().all(|part| (1..=queue.max(1)).contains(&part.count)));
        });
    }
}

#[test]
fn a_dead_clusters_positions_go_to_the_others() {
    for mode in [Sync, Async] {
        let mut table = Table::ready(3, mode);
        table.work(1, 12);
        table.gone(1);
        table.inboxes[1].clear();
        let told = table.told();
        assert!(matches!(told[..], [Told::Lost { cluster: 1, left: 2, .. }]), "{told:?}");
        table.play_all();
        assert_eq!(table.told(), [whole(1, 12)]);
        assert!(table.node.statistics().resent > 0);
        assert!(table.inboxes[1].is_empty());
    }
}

#[test]
fn a_dead_clusters_positions_are_first_in_line() {
    let mut table = Table::ready(2, Async);
    for batch in 1..=3 {
        table.work(batch, 4);
    }
    let parts = |table: &Table, cluster: usize| {
        let inbox = table.inbox(cluster);
        inbox.iter().map(|part| (part.batch, part.first)).collect::<Vec<_>>()
    };
    let lost = parts(&table, 0);
    assert_eq!(lost.len(), 2, "{lost:?}");
    table.gone(0);
    table.play(1);
    table.play(1);
    assert_eq!(parts(&table, 1), lost);
}

#[test]
fn a_silent_cluster_is_lost_at_the_deadline_and_not_before() {
    let mut table = Table::ready(2, Sync);
    table.now += DEADLINE;
    table.work(1, 4);
    let asked = table.now;
    table.play(0);
    table.node.on_tick(asked + DEADLINE / 2);
    assert_eq!(table.node.living(), 2);
    table.miss();
    assert_eq!(table.now, asked + DEADLINE);
    match &table.told()[..] {
        [Told::Lost { cluster: 1, left: 1, text }] => {
            assert!(text.contains("cluster 1 did not answer within 100ms"), "{text}");
        }
        other => panic!("{other:?}"),
    }
    table.play(0);
    assert_eq!(table.told(), [whole(1, 4)]);
}

#[test]
fn the_clock_of_a_part_starts_when_the_one_before_it_is_answered() {
    let mut table = Table::ready(2, Async);
    table.work(1, 4);
    table.now += DEADLINE * 3 / 4;
    (0..2).for_each(|cluster| table.play(cluster));
    table.node.on_tick(table.now + DEADLINE / 2);
    assert_eq!(table.node.living(), 2, "the second parts have just begun");
    table.now += DEADLINE * 3 / 4;
    table.play_all();
    assert_eq!(table.told(), [whole(1, 4)]);
}

#[test]
fn a_part_whose_answer_was_lost_is_noticed_although_others_are_answered() {
    let mut table = Table::ready(2, Async);
    table.work(1, 4);
    table.work(2, 4);
    let _lost = table.answer(0);
    let lost_at = table.now + DEADLINE;
    table.now += DEADLINE / 2;
    table.play(0);
    assert_eq!(table.node.next_deadline(), Some(lost_at));
}

#[test]
fn late_answers_of_a_dead_generation_are_dropped() {
    for mode in [Sync, Async] {
        let mut table = Table::ready(2, mode);
        table.work(1, 8);
        let late = table.answer(1);
        table.gone(1);
        table.inboxes[1].clear();
        table.cluster(1, &late);
        assert_eq!(table.node.statistics().late, 1);
        table.play_all();
        assert_eq!(table.told().last(), Some(&whole(1, 8)));
    }
}

#[test]
fn an_answer_under_another_generation_or_run_is_dropped() {
    let mut table = Table::ready(1, Sync);
    table.work(1, 4);
    let asked = table.inboxes[0][0].clone();
    let Header { run, generation, .. } = table.inbox(0)[0];
    for (run, generation) in [(run, generation + 1), (run, generation - 1), (run + 1, generation)] {
        let answer = table.clusters[0].answer(&asked).unwrap();
        let (mut header, _) = Header::parse(&answer).unwrap();
        (header.run, header.generation) = (run, generation);
        let payload = &answer[ruche_shared::wire::HEADER_BYTES..];
        table.cluster(0, &frames::frame(header, &[payload]));
        assert_eq!(table.told(), []);
    }
    assert_eq!(table.node.statistics().late, 3);
    table.play(0);
    assert_eq!(table.told(), [whole(1, 4)]);
}

#[test]
fn an_answer_that_comes_twice_counts_once() {
    let mut table = Table::ready(2, Sync);
    table.work(1, 4);
    let answer = table.answer(0);
    table.cluster(0, &answer);
    table.cluster(0, &answer);
    table.cluster(1, &answer);
    assert_eq!((table.told(), table.node.statistics().duplicate), (vec![], 2));
    table.play(1);
    assert_eq!(table.told(), [whole(1, 4)]);
    table.cluster(0, &answer);
    assert_eq!((table.told(), table.node.statistics().duplicate), (vec![], 3));
}

#[test]
fn a_damaged_answer_is_asked_of_another_cluster_and_nobody_dies() {
    let mut table = Table::ready(2, Sync);
    table.work(1, 4);
    let mut answer = table.answer(0);
    answer[70] ^= 4;
    table.cluster(0, &answer);
    table.play(1);
    table.miss();
    assert_eq!((table.node.living(), table.inbox(0).len(), table.inbox(1).len()), (2, 0, 1));
    table.play(1);
    assert_eq!(table.told(), [whole(1, 4)]);
    let statistics = table.node.statistics();
    assert_eq!((statistics.damaged, statistics.resent, statistics.lost), (1, 1, 0));
}

#[test]
fn clusters_that_only_send_rubbish_are_lost_in_the_end() {
    let mut table = Table::ready(2, Async);
    table.work(1, 6);
    for _ in 0..20 {
        if table.node.living() > 0 {
            (0..2).for_each(|cluster| table.cluster(cluster, b"rubbish"));
            table.miss();
        }
    }
    assert!(matches!(table.told().last(), Some(Told::Lost { left: 0, .. })));
}

#[test]
fn results_that_do_not_count_all_playouts_are_damage() {
    let mut table = Table::ready(1, Sync);
    table.work(1, 1);
    let asked = table.inbox(0)[0];
    let header = Header { kind: Kind::Done as u16, ..asked };
    table.cluster(0, &frames::frame(header, &[&[0; 56]]));
    table.cluster(0, &frames::frame(Header { playouts: 0, ..header }, &[&[0; 56]]));
    table.cluster(0, &frames::frame(header, &[&[0; 48]]));
    assert_eq!((table.told(), table.node.statistics().damaged), (vec![], 3));
}

#[test]
fn the_last_cluster_is_asked_three_times_more_before_it_is_lost() {
    for mode in [Sync, Async] {
        let mut table = Table::ready(1, mode);
        table.work(1, 1);
        for again in 1..=3 {
            table.miss();
            assert_eq!((table.told(), table.inbox(0).len()), (vec![], 1 + again));
        }
        table.miss();
        assert!(matches!(table.told()[..], [Told::Lost { cluster: 0, left: 0, .. }]));
    }
}

#[test]
fn the_last_cluster_may_answer_to_any_of_the_requests() {
    let mut table = Table::ready(1, Sync);
    table.work(1, 4);
    table.miss();
    table.play_all();
    assert_eq!(table.told(), [whole(1, 4)]);
    assert_eq!(table.node.statistics().duplicate, 1);
}

#[test]
fn when_no_cluster_is_left_the_host_gets_what_was_finished() {
    for mode in [Sync, Async] {
        let mut table = Table::ready(2, mode);
        table.work(1, 4);
        let part = table.inbox(0)[0];
        table.play(0);
        table.gone(0);
        table.gone(1);
        let range = u64::from(part.first)..u64::from(part.first + part.count);
        match &table.told()[..] {
            [Told::Lost { left: 1, .. }, done, Told::Lost { cluster: 1, left: 0, text }] => {
                let results = right(1, range);
                assert_eq!(*done, Told::Done { batch: 1, first: part.first, results });
                assert_eq!(text, "cluster 1 is gone: it was switched off");
            }
            other => panic!("{other:?}"),
        }
        table.work(2, 4);
        table.load(2);
        let told = table.told();
        assert!(matches!(&told[0], Told::Refused { batch: 2, text, .. } if text.contains("left")));
        assert!(matches!(&told[1], Told::Refused { run: 2, .. }), "{told:?}");
        assert_eq!(table.node.next_deadline(), None);
    }
}

#[test]
fn a_batch_that_a_cluster_refuses_is_refused_to_the_host_and_the_next_is_played() {
    for mode in [Sync, Async] {
        let mut table = Table::ready(2, mode);
        table.work(1, 8);
        table.work(2, 8);
        let header = Header { kind: Kind::Refused as u16, ..table.inbox(0)[0] };
        let refusal = Refusal { cluster: None, text: Text::of("it belongs to another game") };
        table.cluster(0, &frames::control(header, &refusal));
        let text = "it belongs to another game".to_owned();
        assert_eq!(table.told(), [Told::Refused { run: 1, batch: 1, cluster: Some(0), text }]);
        table.play_all();
        assert_eq!(table.told(), [whole(2, 8)]);
    }
}

#[test]
fn work_that_makes_no_sense_is_refused_by_name() {
    let mut table = Table::ready(1, Sync);
    let cases = [
        (work(2, 1, 4), "it belongs to run 2, but this is run 1"),
        (work(1, 1, 0), "it asks for nothing"),
        (changed(|header| header.playouts = 0), "it asks for nothing"),
        (changed(|header| header.count += 1), "the payload has"),
        (changed(|header| header.first = 1), "a batch comes in one frame"),
    ];
    for (frame, why) in cases {
        table.host(frame);
        match &table.told()[..] {
            [Told::Refused { cluster: None, text, .. }] => assert!(text.contains(why), "{text}"),
            other => panic!("{other:?} instead of {why}"),
        }
    }
    assert!(table.inboxes[0].is_empty());
}

/// A batch with another header than it should have.
fn changed(change: impl FnOnce(&mut Header)) -> Vec<u8> {
    let frame = work(1, 1, 4);
    let (mut header, _) = Header::parse(&frame).unwrap();
    change(&mut header);
    frames::frame(header, &[&frame[ruche_shared::wire::HEADER_BYTES..]])
}

#[test]
fn a_batch_that_is_sent_again_is_played_once() {
    let mut table = Table::ready(1, Sync);
    table.work(1, 4);
    table.work(1, 4);
    table.work(1, 5);
    assert!(matches!(&table.told()[..], [Told::Refused { batch: 1, .. }]));
    table.play_all();
    assert_eq!(table.told(), [whole(1, 4)]);
}

#[test]
fn stop_reaches_all_clusters_that_can_be_reached_and_ends_everything() {
    let mut table = Table::ready(3, Sync);
    table.gone(2);
    table.work(1, 4);
    (0..2).for_each(|cluster| table.inboxes[cluster].clear());
    table.told();
    table.host(stop());
    for (cluster, frames) in [1, 1, 0].into_iter().enumerate() {
        let kinds: Vec<u16> = table.inbox(cluster).iter().map(|header| header.kind).collect();
        assert_eq!(kinds, vec![Kind::Stop as u16; frames]);
    }
    assert!(table.node.is_stopped());
    assert_eq!((table.told(), table.node.next_deadline()), (vec![], None));
    table.work(2, 4);
    table.gone(0);
    assert_eq!(table.told(), []);
}

#[test]
fn bytes_are_counted_each_way() {
    let mut table = Table::ready(1, Sync);
    let before = *table.node.statistics();
    table.work(1, 4);
    table.play(0);
    let after = table.node.statistics();
    let work_bytes = work(1, 1, 4).len() as u64;
    assert_eq!(after.from_host - before.from_host, work_bytes);
    assert_eq!(after.to_clusters - before.to_clusters, work_bytes);
    let done_bytes = ruche_shared::wire::HEADER_BYTES as u64 + 4 * 56;
    assert_eq!(after.from_clusters - before.from_clusters, done_bytes);
    assert_eq!(after.to_host - before.to_host, done_bytes);
    assert_eq!((after.parts, after.batches, after.positions), (1, 1, 4));
}
