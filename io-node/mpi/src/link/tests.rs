//! The link over a library that fails on command.

use std::cell::RefCell;

use super::*;

/// What the fake library does.
#[derive(Default)]
struct Fake {
    /// Messages that have come, in order.
    arrived: VecDeque<(Envelope, Vec<u8>)>,
    /// Transfers of these ranks never complete.
    slow: Vec<Rank>,
    /// Calls about these ranks fail.
    dead: Vec<Rank>,
    /// What was sent.
    sent: Vec<(Rank, Purpose, usize)>,
}

struct Transfer {
    rank: Rank,
    bytes: Vec<u8>,
}

impl Messages for RefCell<Fake> {
    type Transfer = Transfer;

    fn start_send(&self, bytes: Vec<u8>, to: Rank, purpose: Purpose) -> Result<Transfer, Failure> {
        self.borrow_mut().sent.push((to, purpose, bytes.len()));
        self.dead_or(to, Transfer { rank: to, bytes })
    }

    fn probe(&self, from: Option<Rank>) -> Result<Option<Envelope>, Failure> {
        let fake = self.borrow();
        let lost = |rank: &Rank| from.is_none_or(|from| from == *rank);
        if let Some(rank) = fake.dead.iter().find(|rank| lost(rank)) {
            return Err(Failure(format!("rank {rank} failed")));
        }
        let fits = |envelope: &Envelope| from.is_none_or(|from| from == envelope.source);
        Ok(fake.arrived.iter().map(|(envelope, _)| *envelope).find(fits))
    }

    fn start_receive(&self, envelope: Envelope) -> Result<Transfer, Failure> {
        let mut fake = self.borrow_mut();
        let place = fake.arrived.iter().position(|(other, _)| *other == envelope);
        let (_, bytes) = fake.arrived.remove(place.expect("found before")).expect("there");
        Ok(Transfer { rank: envelope.source, bytes })
    }

    fn complete(&self, transfer: &mut Transfer) -> Result<Option<Vec<u8>>, Failure> {
        let bytes = std::mem::take(&mut transfer.bytes);
        if self.borrow().slow.contains(&transfer.rank) {
            transfer.bytes = bytes;
            return Ok(None);
        }
        self.dead_or(transfer.rank, Some(bytes))
    }
}

trait DeadOr {
    fn dead_or<T>(&self, rank: Rank, value: T) -> Result<T, Failure>;
}

impl DeadOr for RefCell<Fake> {
    fn dead_or<T>(&self, rank: Rank, value: T) -> Result<T, Failure> {
        if self.borrow().dead.contains(&rank) {
            return Err(Failure(format!("rank {rank} failed")));
        }
        Ok(value)
    }
}

type Tested = Link<RefCell<Fake>>;

fn link(watch: &[(Rank, Watch)]) -> Tested {
    Link::new(RefCell::default(), watch.to_vec(), Arc::default())
}

/// An I/O node with a host and two clusters.
fn hub() -> Tested {
    link(&[(0, Watch::Never), (2, Watch::Never), (3, Watch::Never)])
}

fn arrive(link: &Tested, source: Rank, purpose: Purpose, bytes: &[u8]) {
    let envelope = Envelope { source, purpose, bytes: bytes.len() };
    link.messages().borrow_mut().arrived.push_back((envelope, bytes.to_vec()));
}

fn next(link: &mut Tested) -> Option<(Rank, Happening)> {
    link.wait(Some(Duration::from_millis(50)))
}

fn frame(bytes: &[u8]) -> Happening {
    Happening::Frame(bytes.to_vec())
}

fn lost(happening: Option<(Rank, Happening)>) -> Option<(Rank, String)> {
    match happening {
        Some((rank, Happening::Lost(why))) => Some((rank, why)),
        _ => None,
    }
}

#[test]
fn frames_of_everybody_come_in_the_order_of_each_sender() {
    let mut link = hub();
    arrive(&link, 2, Purpose::Frame, b"a");
    arrive(&link, 3, Purpose::Frame, b"bb");
    arrive(&link, 2, Purpose::Frame, b"ccc");
    assert_eq!(next(&mut link), Some((2, frame(b"a"))));
    assert_eq!(next(&mut link), Some((3, frame(b"bb"))));
    assert_eq!(next(&mut link), Some((2, frame(b"ccc"))));
    assert_eq!(next(&mut link), None);
    assert!(link.is_open());
}

#[test]
fn a_long_message_does_not_hold_up_those_of_others_but_its_followers() {
    let mut link = hub();
    link.messages().borrow_mut().slow.push(2);
    arrive(&link, 2, Purpose::Frame, b"long");
    arrive(&link, 2, Purpose::Frame, b"x");
    arrive(&link, 3, Purpose::Frame, b"yy");
    assert_eq!(next(&mut link), Some((3, frame(b"yy"))));
    assert_eq!(next(&mut link), None);
    link.messages().borrow_mut().slow.clear();
    assert_eq!(next(&mut link), Some((2, frame(b"long"))));
    assert_eq!(next(&mut link), Some((2, frame(b"x"))));
}

#[test]
fn a_rank_that_mpi_reports_is_lost_once_and_the_others_go_on() {
    let mut link = hub();
    link.messages().borrow_mut().dead.push(3);
    let (rank, why) = lost(next(&mut link)).expect("a loss");
    assert_eq!((rank, why.as_str()), (3, "MPI reports rank 3 failed"));
    assert!(!link.send(3, vec![1]));
    assert!(link.send(2, vec![1]));
    arrive(&link, 2, Purpose::Frame, b"on");
    assert_eq!(next(&mut link), Some((2, frame(b"on"))));
    assert_eq!(next(&mut link), None);
}

#[test]
fn a_send_that_fails_is_a_loss() {
    let mut link = hub();
    link.messages().borrow_mut().dead.push(2);
    assert!(!link.send(2, vec![1]));
    assert_eq!(lost(next(&mut link)).map(|(rank, _)| rank), Some(2));
}

#[test]
fn a_farewell_comes_after_the_frames_before_it() {
    let mut link = link(&[(1, Watch::Never)]);
    arrive(&link, 1, Purpose::Frame, b"last");
    arrive(&link, 1, Purpose::Farewell, b"");
    assert_eq!(next(&mut link), Some((1, frame(b"last"))));
    assert_eq!(next(&mut link), Some((1, Happening::Ended(0))));
    assert!(!link.is_open());
    assert_eq!(link.wait(None), None, "nothing to wait for");
}

#[test]
fn silence_is_a_loss_and_signs_of_life_prevent_it() {
    let limit = Duration::from_millis(80);
    let mut link = link(&[(1, Watch::Always(limit))]);
    for _ in 0..4 {
        arrive(&link, 1, Purpose::Pulse, b"");
        assert_eq!(next(&mut link), None);
    }
    let why = lost(link.wait(None)).expect("a loss").1;
    assert!(why.starts_with("no sign of life"), "{why}");
}

#[test]
fn silence_before_the_first_frame_is_allowed_where_it_should_be() {
    let limit = Duration::from_millis(20);
    let mut link = link(&[(0, Watch::AfterFrame(limit)), (2, Watch::Never)]);
    assert_eq!(next(&mut link), None);
    arrive(&link, 0, Purpose::Frame, b"go");
    assert_eq!(next(&mut link), Some((0, frame(b"go"))));
    assert_eq!(lost(next(&mut link)).map(|(rank, _)| rank), Some(0));
}

#[test]
fn everybody_gets_signs_of_life_and_a_farewell() {
    let mut link = hub();
    assert_eq!(link.wait(Some(Duration::ZERO)), None);
    link.shut(0, Duration::ZERO);
    let sent = &link.messages().borrow().sent;
    for purpose in [Purpose::Pulse, Purpose::Farewell] {
        let mut ranks: Vec<Rank> =
            sent.iter().filter(|sent| sent.1 == purpose).map(|sent| sent.0).collect();
        ranks.sort_unstable();
        assert_eq!(ranks, [0, 2, 3], "{purpose:?}");
    }
}

#[test]
fn a_send_that_never_completes_holds_up_the_end_for_a_second_only() {
    let mut link = hub();
    link.messages().borrow_mut().slow.push(3);
    assert!(link.send(3, vec![0; 10]));
    let start = Instant::now();
    link.shut(0, Duration::ZERO);
    assert!(!link.is_flushed());
    assert!(start.elapsed() < FLUSH * 3);
}

#[test]
fn the_end_of_the_job_loses_everybody() {
    let mut link = hub();
    link.job_ends.store(true, Ordering::Relaxed);
    for _ in 0..3 {
        assert!(matches!(next(&mut link), Some((_, Happening::JobEnds))));
    }
    assert!(!link.is_open());
}

#[test]
fn the_farewells_of_others_are_waited_for_but_not_for_ever() {
    let mut link = hub();
    for rank in [0, 2, 3] {
        arrive(&link, rank, Purpose::Farewell, b"");
    }
    link.shut(0, Duration::from_secs(60));
    assert!(link.is_alone());

    let mut link = hub();
    arrive(&link, 2, Purpose::Farewell, b"");
    link.shut(0, Duration::from_millis(50));
    assert!(!link.is_alone());
}

#[test]
fn every_purpose_has_a_tag_of_its_own() {
    for purpose in [Purpose::Frame, Purpose::Pulse, Purpose::Farewell] {
        assert_eq!(Purpose::of_tag(purpose as i32), purpose);
    }
}

#[test]
fn a_farewell_is_answered() {
    let mut link = link(&[(1, Watch::Never)]);
    arrive(&link, 1, Purpose::Farewell, &[2]);
    assert_eq!(next(&mut link), Some((1, Happening::Ended(2))));
    assert_eq!(link.status_of(1), Some(2));
    link.shut(0, Duration::ZERO);
    assert_eq!(link.messages().borrow().sent.last(), Some(&(1, Purpose::Farewell, 1)));
}
