//! Are the random streams good enough? Each test counts something that is known
//! for true randomness and allows six standard deviations: chance alone would
//! fail one run in half a billion, and the streams are the same in every run.

use ruche_shared::stream::{FEEDBACK, PositionStreams, Stream, scale};

/// How many standard deviations `count` is from what is expected of `trials`
/// tosses of a fair coin.
fn deviation(count: u64, trials: u64) -> f64 {
    (count as f64 - trials as f64 / 2.0).abs() / (trials as f64 / 4.0).sqrt()
}

/// How many standard deviations the chi-square of counts is from its mean, when
/// all are equally probable.
fn chi_square(counts: &[u64]) -> f64 {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    let squares = counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected);
    let freedom = (counts.len() - 1) as f64;
    ((squares.sum::<f64>() - freedom) / (2.0 * freedom).sqrt()).abs()
}

/// Draws from each of many streams, as they are used: a few dozen per playout.
fn draws(streams: impl Iterator<Item = Stream>, each: usize) -> Vec<Vec<u16>> {
    streams.map(|mut stream| (0..each).map(|_| stream.draw()).collect()).collect()
}

fn playouts(count: u64) -> impl Iterator<Item = Stream> {
    let streams = PositionStreams::new(42, 7);
    (0..count).map(move |number| streams.playout(number))
}

#[test]
fn every_bit_of_every_draw_is_fair() {
    let drawn = draws(playouts(40_000), 24);
    for draw in 0..24 {
        for bit in 0..16 {
            let ones = drawn.iter().filter(|draws| draws[draw] >> bit & 1 == 1).count() as u64;
            assert!(deviation(ones, 40_000) < 6.0, "bit {bit} of draw {draw}: {ones} ones");
        }
    }
}

#[test]
fn neighbouring_playouts_are_independent() {
    let drawn = draws(playouts(40_001), 16);
    for distance in [1, 2, 3, 8, 64, 256] {
        for draw in 0..16 {
            let pairs = drawn.iter().zip(&drawn[distance..]);
            let same: u64 =
                pairs.clone().map(|(a, b)| u64::from((a[draw] ^ b[draw]).count_zeros())).sum();
            let trials = pairs.len() as u64 * 16;
            assert!(deviation(same, trials) < 6.0, "draw {draw}, {distance} playouts apart");
        }
    }
}

#[test]
fn neighbouring_positions_and_seeds_are_independent() {
    let of_positions = (0..20_001).map(|position| PositionStreams::new(1, position).playout(0));
    let of_seeds = (0..20_001).map(|seed| PositionStreams::new(seed, 0).playout(0));
    for drawn in [draws(of_positions, 8), draws(of_seeds, 8)] {
        for draw in 0..8 {
            let pairs = drawn.iter().zip(&drawn[1..]);
            let same: u64 = pairs.map(|(a, b)| u64::from((a[draw] ^ b[draw]).count_zeros())).sum();
            assert!(deviation(same, 20_000 * 16) < 6.0, "draw {draw}");
        }
    }
}

#[test]
fn successive_choices_are_independent() {
    // Pairs and triples of choices as a game makes them, a few moves apart.
    for moves in [2, 3, 7, 20] {
        for distance in [1, 2, 3, 4, 5, 8] {
            let mut counts = vec![0; (moves * moves) as usize];
            for draws in draws(playouts(4000), 64) {
                for (&a, &b) in draws.iter().zip(&draws[distance..]) {
                    counts[(scale(a, moves) * moves + scale(b, moves)) as usize] += 1;
                }
            }
            assert!(chi_square(&counts) < 6.0, "{moves} moves, {distance} plies apart");
        }
    }
    let mut counts = vec![0; 6 * 6 * 6];
    for draws in draws(playouts(8000), 64) {
        for triple in draws.windows(3) {
            let index = triple.iter().fold(0, |index, &draw| index * 6 + scale(draw, 6));
            counts[index as usize] += 1;
        }
    }
    assert!(chi_square(&counts) < 6.0);
}

#[test]
fn draws_fill_all_values_evenly() {
    let mut counts = vec![0; 1 << 16];
    for draws in draws(playouts(60_000), 64) {
        draws.iter().for_each(|&draw| counts[usize::from(draw)] += 1);
    }
    assert!(chi_square(&counts) < 6.0);
}

/// Any feedback register satisfies a linear recurrence; the products must hide it.
/// Five bits whose sum is always even in the state are drawn and added: without
/// the products the sum would be even every time.
#[test]
fn the_recurrence_does_not_show() {
    let [a, b, c] = FEEDBACK;
    let (mut even, mut trials) = (0, 0);
    for draws in draws(playouts(20_000), 12) {
        let bit = |index: usize| draws[index / 16] >> (index % 16) & 1;
        for start in 0..128 {
            let sum =
                bit(start) ^ bit(start + a) ^ bit(start + b) ^ bit(start + c) ^ bit(start + 64);
            even += u64::from(sum == 0);
            trials += 1;
        }
    }
    let share = even as f64 / trials as f64;
    assert!((share - 0.5).abs() < 0.01, "even in {:.3} of all cases", share);
}

#[test]
fn a_draw_is_shared_evenly_among_any_number_of_moves() {
    for count in (1..=300).chain([1000, 4096, 65535]) {
        let mut shares = vec![0_u32; count as usize];
        (0..=u16::MAX).for_each(|draw| shares[scale(draw, count) as usize] += 1);
        let (low, high) = (65536 / count, 65536_u32.div_ceil(count));
        assert!(shares.iter().all(|share| (low..=high).contains(share)), "{count} moves");
    }
}

/// The period is 2⁶⁴ − 1: the feedback polynomial is primitive. Its root has that
/// order if no power with a prime factor missing is one.
#[test]
fn the_feedback_has_the_longest_period() {
    let [a, b, c] = FEEDBACK;
    let polynomial = 1_u64 | 1 << a | 1 << b | 1 << c;
    let times = |mut left: u64, mut right: u64| {
        let mut product = 0;
        while right != 0 {
            product ^= if right & 1 == 1 { left } else { 0 };
            left = left << 1 ^ if left >> 63 == 1 { polynomial } else { 0 };
            right >>= 1;
        }
        product
    };
    let power = |mut exponent: u64| {
        let (mut result, mut square) = (1, 2);
        while exponent != 0 {
            result = if exponent & 1 == 1 { times(result, square) } else { result };
            square = times(square, square);
            exponent >>= 1;
        }
        result
    };
    let factors = [3, 5, 17, 257, 641, 65_537, 6_700_417];
    assert_eq!(factors.iter().product::<u64>(), u64::MAX);
    assert_eq!(power(u64::MAX), 1);
    assert!(factors.iter().all(|factor| power(u64::MAX / factor) != 1));
}

#[test]
fn no_stream_is_stuck_at_zero() {
    assert!(playouts(10_000).all(|stream| stream.state() != 0));
}
