//! How much the next batch asks for.
//!
//! A batch is at most a small part of all descents before it: as long as the tree is small,
//! a large one would go where its own results would not have sent it. Cores want so many
//! playouts at once, so that first there are many from each position. As the tree grows,
//! batches may have more positions with fewer playouts each, since leaves tell more than
//! playouts: a batch has the same number of playouts all the time.

use crate::settings::{MOST_UNDER_WAY, SearchOptions};

/// Positions that the first batches have.
const FIRST_BATCH: u64 = 8;

/// Batches under way are at most this part of all descents before them.
const RAMP: u64 = 16;

/// What a batch asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ration {
    /// Positions, at most.
    pub(crate) leaves: u64,
    /// Playouts from each.
    pub(crate) playouts: u32,
}

/// What the next batch asks for after some descents. In a tree that is full leaves tell
/// nothing that playouts do not.
pub(crate) fn ration(options: &SearchOptions, descents: u64, is_full: bool) -> Ration {
    let in_flight = options.in_flight as u64;
    let most = descents / (RAMP * in_flight);
    let last = most.min(MOST_UNDER_WAY as u64 / in_flight);
    let (mut leaves, mut playouts) = (options.batch as u64, options.playouts_per_position);
    let may_be_halved = |playouts: u32| {
        !is_full && playouts.is_multiple_of(2) && playouts / 2 >= options.fewest_playouts
    };
    while may_be_halved(playouts) && 2 * leaves <= last {
        (leaves, playouts) = (2 * leaves, playouts / 2);
    }
    Ration { leaves: most.max(FIRST_BATCH).min(leaves), playouts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_grow_with_the_tree_and_then_playouts_are_spread_over_more_positions() {
        let options = SearchOptions { fewest_playouts: 2, ..SearchOptions::default() };
        let of = |descents| {
            let Ration { leaves, playouts } = ration(&options, descents, false);
            (leaves, playouts)
        };
        assert_eq!(of(0), (8, 16));
        assert_eq!(of(3200), (100, 16));
        assert_eq!(of(10_000), (256, 16));
        assert_eq!(of(16_384), (512, 8));
        assert_eq!(of(50_000), (1024, 4));
        assert_eq!(of(1 << 30), (2048, 2));
        let full = Ration { leaves: 256, playouts: 16 };
        assert_eq!(ration(&options, 1 << 30, true), full);
    }

    #[test]
    fn playouts_are_halved_as_far_as_that_goes() {
        let with = |most, fewest| SearchOptions {
            playouts_per_position: most,
            fewest_playouts: fewest,
            ..SearchOptions::default()
        };
        let last = |options| ration(&options, 1 << 40, false).playouts;
        assert_eq!(last(with(16, 16)), 16);
        assert_eq!(last(with(12, 1)), 3);
        assert_eq!(last(with(16, 5)), 8);
        assert_eq!(last(with(1, 2)), 1);
        let wide = SearchOptions { batch: MOST_UNDER_WAY / 4, ..with(16, 1) };
        assert_eq!(last(wide), 8, "no more positions are under way than may be");
    }
}
