//! Turns 64 rows of 64 bits into 64 columns, in all chunks of a word at once.

use crate::word::{CHUNK_LANES, Word};

/// In each chunk, exchanges bit `column` of row `row` with bit `row` of row
/// `column`.
///
/// Halves of ever smaller squares change places: 6 rounds of 32 exchanges
/// instead of 4,096 single bits. Three rounds at a time concern just eight rows,
/// which stay in registers meanwhile.
#[inline(always)]
pub fn transpose<W: Word>(rows: &mut [W; CHUNK_LANES]) {
    three_rounds::<W, 32>(rows);
    three_rounds::<W, 4>(rows);
}

/// Rounds with squares of twice `SIDE`, `SIDE` and half of `SIDE`.
#[inline(always)]
fn three_rounds<W: Word, const SIDE: u32>(rows: &mut [W; CHUNK_LANES]) {
    let low = [low_halves(SIDE), low_halves(SIDE / 2), low_halves(SIDE / 4)].map(W::repeated);
    let step = SIDE as usize / 4;
    for first in 0..8 {
        // Eight rows `step` apart: every eighth row, or eight neighbours.
        let first = if step == 1 { 8 * first } else { first };
        let mut eight = [W::ZERO; 8];
        for (index, row) in eight.iter_mut().enumerate() {
            *row = rows[first + index * step];
        }
        for index in 0..4 {
            exchange(&mut eight, index, index + 4, SIDE, low[0]);
        }
        for index in [0, 1, 4, 5] {
            exchange(&mut eight, index, index + 2, SIDE / 2, low[1]);
        }
        for index in [0, 2, 4, 6] {
            exchange(&mut eight, index, index + 1, SIDE / 4, low[2]);
        }
        for (index, row) in eight.iter().enumerate() {
            rows[first + index * step] = *row;
        }
    }
}

/// Exchanges the high halves of one row with the low halves of another.
#[inline(always)]
fn exchange<W: Word>(rows: &mut [W; 8], upper: usize, lower: usize, side: u32, low: W) {
    let difference = (rows[upper].chunks_down(side) ^ rows[lower]) & low;
    rows[upper] = rows[upper] ^ difference.chunks_up(side);
    rows[lower] = rows[lower] ^ difference;
}

/// The low `side` bits of each `2 × side` bits.
const fn low_halves(side: u32) -> u64 {
    u64::MAX / ((1 << side) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::Wide;

    fn rows_become_columns<W: Word>() {
        let mut rows = [W::ZERO; CHUNK_LANES];
        for (row, word) in rows.iter_mut().enumerate() {
            for chunk in 0..W::CHUNKS {
                let number = (row * W::CHUNKS + chunk + 1) as u64;
                word.set_chunk(chunk, number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            }
        }
        let before = rows;
        transpose(&mut rows);
        for chunk in 0..W::CHUNKS {
            for (row, bits) in before.iter().enumerate() {
                for (column, turned) in rows.iter().enumerate() {
                    let bit = bits.chunk(chunk) >> column & 1;
                    assert_eq!(bit, turned.chunk(chunk) >> row & 1);
                }
            }
        }
    }

    #[test]
    fn every_chunk_is_turned() {
        rows_become_columns::<u64>();
        rows_become_columns::<Wide<2>>();
        rows_become_columns::<Wide<8>>();
    }
}
