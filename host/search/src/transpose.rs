//! Turns 64 rows of 64 bits into 64 columns.

/// Exchanges bit `column` of row `row` with bit `row` of row `column`: halves of
/// ever smaller squares change places, in 6 rounds of 32 exchanges.
pub(crate) fn transpose(rows: &mut [u64; 64]) {
    round::<32>(rows);
    round::<16>(rows);
    round::<8>(rows);
    round::<4>(rows);
    round::<2>(rows);
    round::<1>(rows);
}

#[inline(always)]
fn round<const SIDE: usize>(rows: &mut [u64; 64]) {
    // The low `SIDE` bits of each `2 × SIDE` bits.
    let low = u64::MAX / ((1 << SIDE) + 1);
    for square in rows.chunks_exact_mut(2 * SIDE) {
        let (upper, lower) = square.split_at_mut(SIDE);
        for (upper, lower) in upper.iter_mut().zip(lower) {
            let difference = (*upper >> SIDE ^ *lower) & low;
            *upper ^= difference << SIDE;
            *lower ^= difference;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let before: [u64; 64] =
            core::array::from_fn(|row| (row as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut after = before;
        transpose(&mut after);
        for (row, bits) in before.iter().enumerate() {
            for (column, turned) in after.iter().enumerate() {
                assert_eq!(bits >> column & 1, turned >> row & 1);
            }
        }
    }
}
