//! Frames are found on a line that loses, changes and makes up bytes.

use proptest::prelude::*;

use ruche_shared::wire::serial::{PREAMBLE_BYTES, SYNC, Seeker, preamble};
use ruche_shared::wire::{Header, Kind};

fn header(number: u64, length: u32) -> Header {
    Header { batch: number, length, ..Header::new(Kind::Work) }
}

/// The numbers of the headers that are found in bytes which come in pieces.
fn found(bytes: &[u8], pieces: usize) -> Vec<u64> {
    let (mut seeker, mut numbers, mut payload) = (Seeker::default(), Vec::new(), 0_usize);
    for mut piece in bytes.chunks(pieces) {
        while !piece.is_empty() {
            let skipped = payload.min(piece.len());
            (payload, piece) = (payload - skipped, &piece[skipped..]);
            let (taken, header) = seeker.take(piece);
            piece = &piece[taken..];
            if let Some(header) = header {
                numbers.push(header.batch);
                payload = header.length as usize;
            }
        }
    }
    numbers
}

proptest! {
    /// Whatever stands between frames, they are found, in whatever pieces.
    #[test]
    fn frames_are_found_between_garbage(
        garbage in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..200), 1..6),
        starts in any::<bool>(),
        pieces in 1_usize..300,
    ) {
        let mut line = Vec::new();
        for (number, noise) in garbage.iter().enumerate() {
            line.extend_from_slice(noise);
            // The beginning of a frame that goes no further.
            if starts {
                line.extend_from_slice(&preamble(&header(99, 0))[..noise.len().min(PREAMBLE_BYTES - 1)]);
            }
            line.extend_from_slice(&preamble(&header(number as u64, 10)));
            line.extend_from_slice(&[SYNC[0]; 10]);
        }
        prop_assert_eq!(found(&line, pieces), (0..garbage.len() as u64).collect::<Vec<_>>());
    }

    /// A header that was changed is none.
    #[test]
    fn a_flipped_bit_hides_a_header(bit in 0..PREAMBLE_BYTES * 8) {
        let mut line = preamble(&header(7, 0)).to_vec();
        line[bit / 8] ^= 1 << (bit % 8);
        prop_assert_eq!(found(&line, 64), Vec::<u64>::new());
    }
}

#[test]
fn what_is_given_up_is_counted() {
    let mut seeker = Seeker::default();
    assert_eq!(seeker.take(&preamble(&header(1, 0))[..20]), (20, None));
    assert!(seeker.is_inside());
    seeker.give_up();
    assert!(!seeker.is_inside());
    assert_eq!(seeker.skipped(), 20);
}
