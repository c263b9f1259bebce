//! Frames: what is sent is what is received, and what was changed on the way is
//! refused by name.

use std::cmp::Reverse;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use ruche_shared::WordWidth;
use ruche_shared::wire::control::{
    self, Hello, IMAGE_OFFSET, LONGEST, Load, Loss, Mode, Ready, Refusal, RunMode, Sharing,
    StrategyName, Text,
};
use ruche_shared::wire::results::{self, Best, Columns, Tally, column};
use ruche_shared::wire::work::{Work, payload_bytes};
use ruche_shared::wire::{
    Frame, FrameError, HEADER_BYTES, Header, Kind, LONGEST_PAYLOAD, MAGIC, SCHEMA, VERSION,
};
use zerocopy::IntoBytes;

const FLUENTS: usize = 40;
const COLUMNS: Columns = Columns::of_roles(2);

/// A sealed frame in memory that is aligned for positions.
fn frame(header: Header, payload: &[u8]) -> Vec<u8> {
    [header.sealed(&[payload]).as_bytes(), payload].concat()
}

/// A payload at a multiple of 8.
fn aligned(payload: &[u8], with: impl FnOnce(&[u8])) {
    let mut words = vec![0_u64; payload.len().div_ceil(8)];
    words.as_mut_bytes()[..payload.len()].copy_from_slice(payload);
    with(&words.as_bytes()[..payload.len()]);
}

fn any_kind() -> impl Strategy<Value = Kind> {
    (1..=8_u16).prop_map(|number| Kind::of_number(number).unwrap())
}

prop_compose! {
    fn any_header()(
        kind in any_kind(),
        run: u32,
        generation: u32,
        batch: u64,
        first: u32,
        count: u32,
        playouts: u32,
    ) -> Header {
        Header { run, generation, batch, first, count, playouts, ..Header::new(kind) }
    }
}

fn any_payload() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<u8>(), 0..600)
}

/// Everything that reads a frame; nothing of it may panic.
fn read_all(bytes: &[u8]) {
    let Ok(Frame { header, kind, payload }) = Frame::parse(bytes) else { return };
    let _ = control::unpack::<Hello>(payload, kind);
    let _ = control::unpack::<Load>(payload, kind);
    let _ = control::unpack::<Ready>(payload, kind);
    let _ = control::unpack::<Refusal>(payload, kind);
    let _ = control::unpack::<Loss>(payload, kind);
    for size in [0, 1, 32, 33, 2000] {
        let _ = results::parse(&header, payload, Columns::of_roles(size));
        aligned(payload, |payload| {
            let _ = Work::parse(&header, payload, size);
        });
    }
}

proptest! {
    #[test]
    fn a_frame_is_received_as_it_was_sent(header in any_header(), payload in any_payload()) {
        let bytes = frame(header, &payload);
        let received = Frame::parse(&bytes).unwrap();
        prop_assert_eq!(received.payload, &payload[..]);
        prop_assert_eq!(received.kind as u16, header.kind);
        prop_assert_eq!(received.header, header.sealed(&[&payload]));
        prop_assert_eq!(received.header.length as usize, payload.len());
    }

    #[test]
    fn a_payload_in_pieces_is_sealed_like_one(
        header in any_header(),
        payload in any_payload(),
        cut: prop::sample::Index,
    ) {
        let (front, back) = payload.split_at(cut.index(payload.len() + 1));
        prop_assert_eq!(header.sealed(&[front, back]), header.sealed(&[&payload]));
    }

    #[test]
    fn any_flipped_bits_are_refused(
        header in any_header(),
        payload in any_payload(),
        bits in proptest::collection::vec(any::<prop::sample::Index>(), 1..4),
    ) {
        let right = frame(header, &payload);
        let mut bytes = right.clone();
        for bit in bits {
            let bit = bit.index(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        // Two places may be the same bit, which is no change.
        prop_assume!(bytes != right);
        prop_assert!(Frame::parse(&bytes).is_err());
    }

    #[test]
    fn any_truncation_or_extension_is_refused(
        header in any_header(),
        payload in any_payload(),
        cut: prop::sample::Index,
        more in proptest::collection::vec(any::<u8>(), 1..20),
    ) {
        let bytes = frame(header, &payload);
        prop_assert!(Frame::parse(&bytes[..cut.index(bytes.len())]).is_err());
        prop_assert!(Frame::parse(&[&bytes[..], &more].concat()).is_err());
    }

    #[test]
    fn nothing_panics_on_any_bytes(bytes in any_payload()) {
        read_all(&bytes);
    }

    #[test]
    fn nothing_panics_on_any_payload_under_a_right_checksum(
        header in any_header(),
        count in 0..40_u32,
        payload in any_payload(),
    ) {
        read_all(&frame(header, &payload));
        read_all(&frame(Header { count, ..header }, &payload));
    }

    #[test]
    fn control_messages_return_as_they_were(
        (schema, memory, seed, free) in any::<(u64, u64, u64, u64)>(),
        (cores, limit, least, bytes) in any::<(u32, u32, u32, u32)>(),
        width in prop::sample::select(&WordWidth::ALL[..]),
        strategy in prop::sample::select(&["restart", "spin", ""][..]),
        mode in prop::sample::select(vec![Mode::PerCore, Mode::Split]),
        run_mode in prop::sample::select(vec![RunMode::Sync, RunMode::Async]),
        cluster: Option<u32>,
        text: String,
    ) {
        check_control(&Hello { schema, cores, memory });
        let (ply_limit, split_least, image_bytes) = (limit, least, bytes);
        let sharing = Sharing { clusters: cores, run_mode, deadline: Duration::from_nanos(free) };
        check_control(&Load {
            width, cores, strategy: StrategyName::try_from(strategy).unwrap(), mode, seed, ply_limit, split_least, image_bytes,
            further_columns: limit, sharing,
        });
        check_control(&Ready { width, free, queue: limit });
        let text = Text::of(text);
        check_control(&Refusal { cluster, text: text.clone() });
        check_control(&Loss { cluster: limit, left: least, text });
    }

    #[test]
    fn a_text_is_the_start_of_what_was_said(said: String) {
        let text = Text::of(&said);
        prop_assert!(said.starts_with(text.as_str()));
        prop_assert!(text.as_str().len() <= Text::LONGEST);
        prop_assert!(text.as_str() == said || text.as_str().len() + 4 > Text::LONGEST);
    }

    #[test]
    fn positions_return_as_they_were(
        number: u64,
        seeds in proptest::collection::vec(any::<[u32; 2]>(), 1..20),
    ) {
        // 40 fluents leave 8 bits of the second word.
        let positions: Vec<u32> = seeds.iter().flat_map(|[a, b]| [*a, b & 0xFF]).collect();
        let count = seeds.len() as u32;
        let header = Header { count, playouts: 3, ..Header::new(Kind::Work) };
        let sent = Work { number, positions: &positions };
        aligned(&sent.pieces().concat(), |payload| {
            assert_eq!(payload.len(), payload_bytes(seeds.len(), FLUENTS));
            let received = Work::parse(&header, payload, FLUENTS).unwrap();
            assert_eq!((received.number, received.positions), (number, &positions[..]));
        });
    }

    #[test]
    fn results_return_as_they_were(counts in proptest::collection::vec(any::<[u16; 7]>(), 0..20)) {
        // As many playouts as the first four add up to, the same for all.
        let playouts: u32 = 4 * u32::from(u16::MAX);
        let numbers: Vec<u64> = counts.iter().flat_map(|counts| {
            let mut result = counts.map(u64::from);
            result[3] = u64::from(playouts) - result[..3].iter().sum::<u64>();
            result
        }).collect();
        let header = Header { count: counts.len() as u32, playouts, ..Header::new(Kind::Done) };
        let received = results::parse(&header, numbers.as_bytes(), COLUMNS).unwrap();
        prop_assert!(received.iter().map(|number| number.get()).eq(numbers.iter().copied()));
    }
}

fn check_control<M>(message: &M)
where
    M: serde::Serialize + for<'a> serde::Deserialize<'a> + PartialEq + std::fmt::Debug,
{
    let mut buffer = [0xAA; LONGEST];
    let packed = control::pack(message, Kind::Hello, &mut buffer).expect("short enough").to_vec();
    assert_eq!(control::unpack::<M>(&packed, Kind::Hello).as_ref(), Ok(message));
    let followed = [&packed[..], &[0x55; 2 * LONGEST]].concat();
    assert_eq!(control::unpack::<M>(&followed, Kind::Hello).as_ref(), Ok(message));
    let cut = &packed[..packed.len() - 1];
    let what = "it is no such message";
    let error = FrameError::Payload { kind: Kind::Hello, what };
    assert_eq!(control::unpack::<M>(cut, Kind::Hello), Err(error));
}

#[test]
fn every_single_flipped_bit_is_refused() {
    let bytes = frame(Header { run: 1, batch: 2, ..Header::new(Kind::Work) }, b"some payload");
    for bit in 0..bytes.len() * 8 {
        let mut bytes = bytes.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(Frame::parse(&bytes).is_err(), "bit {bit}");
    }
}

#[test]
fn bytes_that_are_no_frame_are_refused_by_name() {
    let found = HEADER_BYTES - 1;
    assert_eq!(error_of(&vec![0; found]), FrameError::Short { found });
    assert_eq!(error_of(&[]), FrameError::Short { found: 0 });
    assert_eq!(error_of(&[0; 100]), FrameError::Magic { found: 0 });
    let damaged = |change: fn(&mut Header)| {
        let mut header = Header::new(Kind::Stop).sealed(&[]);
        change(&mut header);
        error_of(header.as_bytes())
    };
    assert_eq!(damaged(|it| it.magic += 1), FrameError::Magic { found: MAGIC + 1 });
    assert_eq!(damaged(|it| it.version += 1), FrameError::Version { found: VERSION + 1 });
    assert_eq!(damaged(|it| it.kind = 0), FrameError::Kind { found: 0 });
    assert_eq!(damaged(|it| it.kind = 13), FrameError::Kind { found: 13 });
    assert_eq!(damaged(|it| it.length = 7), FrameError::Length { expected: 7, found: 0 });
    let expected = LONGEST_PAYLOAD + 1;
    let error = damaged(|it| it.length = LONGEST_PAYLOAD as u32 + 1);
    assert_eq!(error, FrameError::Length { expected, found: 0 });
    assert_eq!(damaged(|it| it.run = 1), FrameError::Checksum);
    assert_eq!(damaged(|it| it.checksum ^= 1), FrameError::Checksum);
}

fn error_of(bytes: &[u8]) -> FrameError {
    Frame::parse(bytes).expect_err("no frame")
}

#[test]
fn errors_say_what_to_do() {
    let text = FrameError::Version { found: 9 }.to_string();
    assert!(text.contains("version 9") && text.contains("build both from the same sources"));
    assert!(FrameError::Checksum.to_string().contains("damaged"));
    let kind = Kind::Work;
    let text = FrameError::Payload { kind, what: "it asks for nothing" }.to_string();
    assert_eq!(text, "the payload of a Work frame makes no sense: it asks for nothing");
}

#[test]
fn positions_that_make_no_sense_are_refused_by_name() {
    let header = Header { count: 2, playouts: 1, ..Header::new(Kind::Work) };
    let refused = |header: Header, words: [u32; 4], length: usize, what: &str| {
        let payload = [&[0; 8], words.as_bytes()].concat();
        aligned(&payload[..length], |payload| {
            let error = Work::parse(&header, payload, FLUENTS).expect_err(what);
            assert!(error.to_string().contains(what), "{error}");
        });
    };
    refused(header, [0; 4], 23, "the payload has 23 bytes, but its header says 24");
    refused(Header { count: 1, ..header }, [0; 4], 24, "the payload has 24 bytes");
    refused(Header { playouts: 0, ..header }, [0; 4], 24, "it asks for nothing");
    refused(Header { count: 0, ..header }, [0; 4], 8, "it asks for nothing");
    refused(header, [0, 0, 0, 0x100], 24, "beyond its last fluent");
    refused(header, [0, 0x8000_0000, 0, 0], 24, "beyond its last fluent");
}

#[test]
fn positions_at_an_odd_address_are_refused_by_name() {
    let header = Header { count: 1, playouts: 1, ..Header::new(Kind::Work) };
    aligned(&[0; 17], |bytes| {
        let error = Work::parse(&header, &bytes[1..], FLUENTS).expect_err("misaligned");
        assert!(error.to_string().contains("it is not aligned"), "{error}");
    });
}

#[test]
fn results_that_make_no_sense_are_refused_by_name() {
    let header = Header { count: 1, playouts: 6, ..Header::new(Kind::Done) };
    let length = COLUMNS.bytes();
    assert_eq!((COLUMNS.numbers(), length, Tally::NUMBERS), (7, 56, 5));
    let short = results::parse(&header, &[0; 55], COLUMNS);
    assert_eq!(short, Err(FrameError::Length { expected: length, found: 55 }));
    let parse = |counts: [u64; 7]| results::parse(&header, counts.as_bytes(), COLUMNS).map(drop);
    assert_eq!(parse([1, 2, 3, 0, 99, 50, 50]), Ok(()));
    let what = "a result does not count as many playouts as were asked for";
    let error = FrameError::Payload { kind: Kind::Done, what };
    assert_eq!(parse([1, 2, 3, 1, 99, 50, 50]), Err(error));
    assert_eq!(parse([u64::MAX, 7, 0, 0, 0, 0, 0]), Err(error), "the sum does not wrap");
}

#[test]
fn rows_have_their_columns_one_after_the_other() {
    let columns = Columns { roles: 3, further: 2 };
    assert_eq!((columns.numbers(), columns.bytes()), (10, 80));
    assert_eq!((columns.scores(), columns.further()), (5..8, 8..10));
    assert_eq!((columns.score(0), columns.score(2)), (5, 7));
    let row: Vec<u64> = (10..20).collect();
    let tally = Tally::of_row(&row);
    assert_eq!(tally, Tally { scored: 10, unscored: 11, stuck: 12, endless: 13, plies: 14 });
    assert_eq!((row[column::SCORED], row[column::PLIES]), (tally.scored, tally.plies));
    assert_eq!(tally.numbers(), row[..Tally::NUMBERS]);
    assert_eq!(Tally::of_row(&row[..4]), Tally::default());
    let header = Header { count: 1, playouts: 46, ..Header::new(Kind::Done) };
    assert!(results::parse(&header, row.as_bytes(), columns).is_ok());
    assert!(results::parse(&header, row.as_bytes(), Columns::of_roles(3)).is_err());
}

#[test]
fn the_best_playout_has_columns_where_there_is_one_role() {
    let columns = Columns::of_roles(1);
    assert_eq!((columns.further(), columns.best()), (6..8, Some([6, 7])));
    assert_eq!(Columns { roles: 1, further: 0 }.best(), None);
    for roles in [0, 2, 3] {
        assert_eq!(Columns::of_roles(roles), Columns { roles, further: 0 });
        assert_eq!(Columns { roles, further: 2 }.best(), None);
    }
    let empty: Vec<u64> = (0..8).map(|column| columns.empty(column)).collect();
    assert_eq!(empty, [0, 0, 0, 0, 0, 0, 0, u64::MAX]);
    assert_eq!(columns.best_of(&empty), None);
}

proptest! {
    /// In whichever order rows are merged, sums add up, and of the highest goal the lowest
    /// number stays.
    #[test]
    fn merged_rows_keep_the_first_of_the_best(
        found in vec((0..3_u64, 0..20_u64), 0..8), extra in 0..3_usize,
    ) {
        let columns = Columns { roles: 1, further: 2 + extra };
        let mut row: Vec<u64> = (0..columns.numbers()).map(|column| columns.empty(column)).collect();
        for &(goal, playout) in &found {
            let mut more = vec![1; columns.numbers()];
            (more[6], more[7]) = (goal, playout);
            columns.merge(&mut row, |column| more[column]);
        }
        let best = found.iter().map(|&(goal, playout)| (goal, Reverse(playout))).max();
        let best = best.map(|(goal, Reverse(playout))| Best { goal, playout });
        prop_assert_eq!(columns.best_of(&row), best);
        let is_sum = |column: &usize| !(6..8).contains(column);
        let count = found.len() as u64;
        prop_assert!((0..columns.numbers()).filter(is_sum).all(|column| row[column] == count));
    }
}

#[test]
fn a_best_playout_is_one_of_those_that_were_asked_for() {
    let header = Header { count: 1, playouts: 7, ..Header::new(Kind::Done) };
    let parse =
        |row: [u64; 8]| results::parse(&header, row.as_bytes(), Columns::of_roles(1)).map(drop);
    assert!(parse([7, 0, 0, 0, 9, 70, 50, 6]).is_ok());
    assert!(parse([0, 7, 0, 0, 9, 0, 0, u64::MAX]).is_ok());
    let what = "the best playout of a result is none of its playouts";
    let error = FrameError::Payload { kind: Kind::Done, what };
    assert_eq!(parse([7, 0, 0, 0, 9, 70, 50, 7]), Err(error));
    assert_eq!(parse([7, 0, 0, 0, 9, 70, 0, u64::MAX]), Err(error));
    assert_eq!(parse([0, 7, 0, 0, 9, 0, 0, 0]), Err(error));
}

#[test]
fn the_image_of_a_load_frame_is_aligned() {
    assert_eq!((HEADER_BYTES + IMAGE_OFFSET) % 8, 0);
    const { assert!(IMAGE_OFFSET >= LONGEST) }
}

#[test]
fn the_longest_messages_fit() {
    let text = Text::of("x".repeat(1000));
    assert_eq!(text.as_str().len(), Text::LONGEST);
    check_control(&Refusal { cluster: Some(u32::MAX), text: text.clone() });
    check_control(&Loss { cluster: u32::MAX, left: u32::MAX, text });
}

#[test]
fn kinds_have_their_numbers() {
    for number in 0..20 {
        let kind = Kind::of_number(number);
        assert_eq!(kind.map(|kind| kind as u16), (1..=12).contains(&number).then_some(number));
    }
    assert_ne!(SCHEMA, 0);
}
