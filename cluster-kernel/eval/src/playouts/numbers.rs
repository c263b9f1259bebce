//! Which playout is in which lane, in games of one role: there a search wants to know the
//! best playout, and its number is its name.

use ruche_shared::Image;
use ruche_shared::budget::NUMBER_WORDS;

use super::flights::Group;
use crate::word::Word;

/// Words of memory for the numbers of this game.
pub(super) fn working_words(image: &Image<'_>) -> usize {
    if image.roles() == 1 { NUMBER_WORDS as usize } else { 0 }
}

/// The number of the playout in each lane; empty where nobody wants to know.
#[derive(Debug)]
pub(super) struct Numbers<'memory>(&'memory mut [u64]);

impl<'memory> Numbers<'memory> {
    /// Numbers in [`working_words`] words of memory. These are more than numbers take, since
    /// a narrow word may lie where no number can start.
    pub fn new<W: Word>(memory: &'memory mut [W]) -> Self {
        let (_, numbers, _) = bytemuck::pod_align_to_mut(memory);
        Self(numbers)
    }

    /// Whether anybody wants to know.
    #[inline(always)]
    pub fn are_kept(&self) -> bool {
        !self.0.is_empty()
    }

    /// Playouts of consecutive numbers start, in the lowest lane first.
    #[inline(always)]
    pub fn set<W: Word>(&mut self, lanes: W, first: u64) {
        if !self.are_kept() {
            return;
        }
        let mut number = first;
        lanes.for_each_lane(|lane| {
            self.0[lane] = number;
            number += 1;
        });
    }

    /// The lowest number in some lanes; `None` without lanes.
    #[inline(always)]
    pub fn lowest<W: Word>(&self, lanes: &Group<W>) -> Option<u64> {
        let mut lowest = u64::MAX;
        lanes.for_each_lane(|lane| lowest = lowest.min(self.0[lane]));
        (!lanes.is_empty()).then_some(lowest)
    }
}
