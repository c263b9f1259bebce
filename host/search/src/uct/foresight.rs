//! The ends among all moves of some positions, found before anybody plays them.
//!
//! | way | lanes | good for |
//! |---|---|---|
//! | side by side | in each chunk of the lanes all positions, with one move that some of them have | games with few moves, of which most positions have most |
//! | move by move | in each lane one position with one of its moves | all others, and where several roles choose |

use std::ops::Range;

use ruche_game::Game;
use ruche_playouts::lanes::{End, LANES, Lanes, LegalMoves};
use ruche_playouts::{MoveInLanes, Outlook};

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
    /// For each role the lanes in which nobody else has a choice.
    movers: Vec<u64>,
    legal: LegalMoves,
    /// What is played side by side.
    moves: Vec<MoveInLanes>,
    ends: Vec<FoundEnd>,
    goals: Vec<u16>,
}

/// Moves of one position, or some of them, in lanes.
#[derive(Debug)]
struct Load {
    tag: usize,
    mover: Option<usize>,
    lanes: Range<usize>,
    /// Moves of the position that are not in these lanes, but before them.
    skipped: usize,
    numbers: usize,
    counts: usize,
}

/// A move that ends the game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoundEnd {
    /// Of which position.
    pub(crate) tag: usize,
    /// The number of the mover's move. Where several roles choose, which joint move: those
    /// of the first role change fastest.
    pub(crate) choice: usize,
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

/// Lanes that stay empty where moves are played side by side, for each that does not: to
/// put a position and a move into a lane takes so much longer than to play it there.
const MOST_SPREAD: usize = 8;

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
            movers: Vec::new(),
            legal: LegalMoves::default(),
            moves: Vec::new(),
            ends: Vec::new(),
            goals: Vec::new(),
        }
    }

    fn empty(&mut self) {
        self.loads.clear();
        self.numbers.clear();
        self.counts.clear();
        self.outlook.clear();
    }

    /// Finds the ends among all moves in some lanes, after their legal moves were computed.
    /// The tags are the lanes, the first one first.
    pub(crate) fn look_at<'a>(
        &mut self,
        lanes: &mut Lanes,
        asked: u64,
        position: impl Fn(usize) -> &'a [u32],
    ) {
        self.ends.clear();
        self.goals.clear();
        lanes.survey_movers(&mut self.movers);
        let rest = asked & !self.look_side_by_side(lanes, asked);
        if rest != 0 {
            lanes.survey_moves();
            let mut legal = core::mem::take(&mut self.legal);
            for lane in (0..LANES).filter(|lane| rest >> lane & 1 == 1) {
                lanes.legal(lane, &mut legal);
                self.ask(lane, position(lane), &legal);
            }
            self.legal = legal;
            self.look();
        }
        self.ends.sort_unstable_by_key(|found| (found.tag, found.choice));
    }

    /// Looks at the positions in which one role chooses, one move after the other, if they
    /// have so much in common that this is less work than to look at each position. Returns
    /// the lanes that it has looked at.
    fn look_side_by_side(&mut self, lanes: &Lanes, asked: u64) -> u64 {
        self.moves.clear();
        let mut count = 0;
        let roles = self.movers.iter().enumerate().filter(|(_, mine)| *mine & asked != 0);
        for (role, &mine) in roles {
            for (number, &legal) in lanes.moves_of(role).iter().enumerate() {
                let lanes = legal & mine & asked;
                if lanes != 0 {
                    self.moves.push(MoveInLanes { role, number, lanes });
                    count += lanes.count_ones() as usize;
                }
            }
        }
        if self.moves.len() * LANES > MOST_SPREAD * count {
            return 0;
        }
        for moves in self.moves.chunks(self.outlook.chunks()) {
            if self.outlook.play_in(lanes, moves) {
                note_ends_in(&mut self.outlook, moves, &mut self.ends, &mut self.goals);
            }
        }
        self.movers.iter().fold(0, |all, lanes| all | lanes)
    }

    /// The role that chooses in a lane that was just looked at, if only one does.
    pub(crate) fn mover(&self, lane: usize) -> Option<usize> {
        self.movers.iter().position(|lanes| lanes >> lane & 1 == 1)
    }

    /// Looks at a position, now or with others. One with too many moves is passed over.
    fn ask(&mut self, tag: usize, position: &[u32], legal: &LegalMoves) {
        let count = joints(&legal.counts);
        if count > MOST_JOINTS {
            return;
        }
        let (mut skipped, mover) = (0, legal.mover());
        while skipped < count {
            if self.outlook.free() == 0 || (skipped == 0 && self.outlook.free() < count) {
                self.look();
            }
            let lanes = (count - skipped).min(self.outlook.free());
            let lanes = self.outlook.load(position, lanes);
            let (numbers, counts) = (self.numbers.len(), self.counts.len());
            self.numbers.extend_from_slice(&legal.numbers);
            self.counts.extend_from_slice(&legal.counts);
            self.loads.push(Load { tag, mover, lanes: lanes.clone(), skipped, numbers, counts });
            skipped += lanes.len();
        }
    }

    /// Looks at what is in the lanes.
    fn look(&mut self) {
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
        for Load { tag, mover, lanes, skipped, numbers, counts } in &self.loads {
            let before: u32 = self.counts[*counts..][..mover.unwrap_or(0)].iter().sum();
            let number = |index| self.numbers[numbers + before as usize + index] as usize;
            let mut from = lanes.start;
            while let Some(lane) = self.outlook.first_end(from..lanes.end) {
                let index = skipped + lane - lanes.start;
                let choice = if mover.is_some() { number(index) } else { index };
                let first = self.goals.len();
                let goals = self.outlook.add_goals(lane, &mut self.goals).then_some(first);
                self.ends.push(FoundEnd { tag: *tag, choice, goals });
                from = lane + 1;
            }
        }
    }

    /// What was found, position after position, and there move after move.
    pub(crate) fn found(&self) -> &[FoundEnd] {
        &self.ends
    }

    /// How a move ends the game.
    pub(crate) fn end(&self, found: FoundEnd) -> End<'_> {
        match found.goals {
            Some(start) => End::Goals(&self.goals[start..][..self.roles]),
            None => End::Unscored,
        }
    }
}

/// Notes the ends among moves that were played side by side.
fn note_ends_in(
    outlook: &mut Outlook,
    moves: &[MoveInLanes],
    ends: &mut Vec<FoundEnd>,
    goals: &mut Vec<u16>,
) {
    for (chunk, one) in moves.iter().enumerate() {
        let mut rest = outlook.ends_in(chunk);
        while rest != 0 {
            let tag = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let first = goals.len();
            let has_goals = outlook.add_goals(chunk * LANES + tag, goals);
            let goals = has_goals.then_some(first);
            ends.push(FoundEnd { tag, choice: one.number, goals });
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
