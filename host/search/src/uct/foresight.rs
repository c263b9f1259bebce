//! The ends among all moves of some positions, found before anybody plays them.

use std::ops::Range;

use ruche_game::Game;
use ruche_playouts::Outlook;
use ruche_playouts::lanes::{End, LegalMoves};

use super::proof::{MOST_JOINTS, joints};

/// Looks at all moves of positions, as many positions at once as fit into the lanes.
#[derive(Debug)]
pub(crate) struct Foresight {
    outlook: Outlook,
    roles: usize,
    /// What is in the lanes.
    loads: Vec<Load>,
    /// Their moves, role after role.
    numbers: Vec<u32>,
    counts: Vec<u32>,
    /// What was found, in the order in which it was asked for.
    ends: Vec<FoundEnd>,
    goals: Vec<u16>,
}

/// Moves of one position, or some of them, in lanes.
#[derive(Debug)]
struct Load {
    tag: usize,
    lanes: Range<usize>,
    /// Moves of the position that are not in these lanes, but before them.
    skipped: usize,
    numbers: usize,
    counts: usize,
}

/// A joint move that ends the game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundEnd {
    /// Of which position.
    pub(crate) tag: usize,
    /// Which joint move; those of the first role change fastest.
    pub(crate) index: usize,
    /// Where its goals begin, if it has sound ones.
    goals: Option<usize>,
}

/// How often looks find something, so that games in which ends are far away are not looked
/// at for nothing.
#[derive(Debug, Default)]
pub(crate) struct Harvest {
    looks: u32,
    /// Of so many positions some moves were ends.
    positions: u32,
    with_ends: u32,
}

/// Fewer positions say nothing.
const LEAST_POSITIONS: u32 = 1024;

/// When so many were looked at, older ones count half.
const MOST_POSITIONS: u32 = 8192;

/// It is worth it if one position in so many has an end among its moves.
const WORTH_ONE_IN: u32 = 64;

/// Where it is not, one look in so many is made nevertheless: games come to their ends.
const SAMPLE: u32 = 16;

impl Harvest {
    /// Whether to look at the next positions.
    pub(crate) fn is_due(&mut self) -> bool {
        self.looks = self.looks.wrapping_add(1);
        self.positions < LEAST_POSITIONS
            || self.with_ends * WORTH_ONE_IN >= self.positions
            || self.looks.is_multiple_of(SAMPLE)
    }

    /// So many positions were looked at, and so many of them had ends.
    pub(crate) fn note(&mut self, positions: u32, with_ends: u32) {
        self.positions += positions;
        self.with_ends += with_ends;
        if self.positions > MOST_POSITIONS {
            self.positions /= 2;
            self.with_ends /= 2;
        }
    }
}

impl Foresight {
    pub(crate) fn new(game: &Game) -> Self {
        Self {
            outlook: Outlook::new(game),
            roles: game.roles(),
            loads: Vec::new(),
            numbers: Vec::new(),
            counts: Vec::new(),
            ends: Vec::new(),
            goals: Vec::new(),
        }
    }

    /// Forgets what was found. Nothing is in the lanes: whoever asks looks, too.
    pub(crate) fn start(&mut self) {
        debug_assert!(self.loads.is_empty(), "somebody has looked");
        self.ends.clear();
        self.goals.clear();
    }

    fn empty(&mut self) {
        self.loads.clear();
        self.numbers.clear();
        self.counts.clear();
        self.outlook.clear();
    }

    /// Looks at a position, now or with others. One with too many moves is passed over.
    pub(crate) fn ask(&mut self, tag: usize, position: &[u32], legal: &LegalMoves) {
        let count = joints(&legal.counts);
        if count > MOST_JOINTS {
            return;
        }
        let mut skipped = 0;
        while skipped < count {
            if self.outlook.free() == 0 || (skipped == 0 && self.outlook.free() < count) {
                self.look();
            }
            let lanes = (count - skipped).min(self.outlook.free());
            let lanes = self.outlook.load(position, lanes);
            let (numbers, counts) = (self.numbers.len(), self.counts.len());
            self.numbers.extend_from_slice(&legal.numbers);
            self.counts.extend_from_slice(&legal.counts);
            self.loads.push(Load { tag, lanes: lanes.clone(), skipped, numbers, counts });
            skipped += lanes.len();
        }
    }

    /// Looks at what is in the lanes.
    pub(crate) fn look(&mut self) {
        if self.loads.is_empty() {
            return;
        }
        self.outlook.run_legal();
        for load in &self.loads {
            let counts = &self.counts[load.counts..][..self.roles];
            let (mut start, mut repeat) = (load.numbers, 1);
            for (role, &count) in counts.iter().enumerate() {
                let moves = &self.numbers[start..][..count as usize];
                if count > 1 {
                    self.outlook.choose(load.lanes.clone(), role, moves, repeat, load.skipped);
                }
                start += count as usize;
                repeat *= count as usize;
            }
        }
        if self.outlook.play() {
            self.note_ends();
        }
        self.empty();
    }

    fn note_ends(&mut self) {
        for Load { tag, lanes, skipped, .. } in &self.loads {
            let mut from = lanes.start;
            while let Some(lane) = self.outlook.first_end(from..lanes.end) {
                let (first, index) = (self.goals.len(), skipped + lane - lanes.start);
                let goals = self.outlook.add_goals(lane, &mut self.goals).then_some(first);
                self.ends.push(FoundEnd { tag: *tag, index, goals });
                from = lane + 1;
            }
        }
    }

    /// What was found, position after position, and there move after move.
    pub(crate) fn found(&self) -> &[FoundEnd] {
        &self.ends
    }

    /// What ends a joint move.
    pub(crate) fn end(&self, found: FoundEnd) -> End<'_> {
        match found.goals {
            Some(start) => End::Goals(&self.goals[start..][..self.roles]),
            None => End::Unscored,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_without_ends_are_looked_at_now_and_then() {
        let mut harvest = Harvest::default();
        let due = |harvest: &mut Harvest| (0..160).filter(|_| harvest.is_due()).count();
        assert_eq!(due(&mut harvest), 160, "nothing is known yet");
        harvest.note(LEAST_POSITIONS, 0);
        assert_eq!(due(&mut harvest), 10);
        harvest.note(64, LEAST_POSITIONS / WORTH_ONE_IN + 1);
        assert_eq!(due(&mut harvest), 160, "the game comes to its end");
        (0..100).for_each(|_| harvest.note(LEAST_POSITIONS, 0));
        assert_eq!(due(&mut harvest), 10, "that was long ago");
    }
}
