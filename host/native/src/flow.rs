//! Which slots matter when: what a piece of code leaves that others read.

use ruche_shared::Image;
use ruche_shared::image::Section;

use crate::tape::{Piece, Step, Tape};

/// A set of slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Slots(Vec<bool>);

impl Slots {
    pub(crate) fn none(slots: usize) -> Self {
        Self(vec![false; slots])
    }

    pub(crate) fn contains(&self, slot: u32) -> bool {
        self.0[slot as usize]
    }

    pub(crate) fn insert(&mut self, slot: u32) {
        self.0[slot as usize] = true;
    }

    pub(crate) fn remove(&mut self, slot: u32) {
        self.0[slot as usize] = false;
    }

    pub(crate) fn add(&mut self, others: &Slots) {
        self.0.iter_mut().zip(&others.0).for_each(|(mine, other)| *mine |= other);
    }

    /// The slots that are in neither set.
    pub(crate) fn outside<'a>(&'a self, others: &'a Slots) -> impl Iterator<Item = u32> + 'a {
        let pairs = self.0.iter().zip(&others.0);
        (0..).zip(pairs).filter(|(_, (mine, other))| !**mine && !**other).map(|(slot, _)| slot)
    }
}

/// The slots that matter before a tape, given those that matter after it.
pub(crate) fn before_tape(tape: &Tape, after: &Slots) -> Slots {
    let mut live = after.clone();
    for step in tape.steps.iter().rev() {
        match *step {
            Step::Write { slot, .. } => live.remove(slot),
            Step::Read(slot) | Step::Grow { slot, .. } => live.insert(slot),
            Step::False | Step::And(..) | Step::Xor(..) => {}
        }
    }
    live
}

/// The slots that matter after each round of a fixpoint: what it leaves, and
/// what the next round reads.
pub(crate) fn after_round(body: &Tape, after: &Slots) -> Slots {
    let mut live = after.clone();
    loop {
        let mut more = before_tape(body, &live);
        more.add(after);
        if more == live {
            return live;
        }
        live = more;
    }
}

/// The slots that matter before a piece, given those that matter after it.
pub(crate) fn before_piece(piece: &Piece, after: &Slots) -> Slots {
    match piece {
        Piece::Straight(tape) => before_tape(tape, after),
        Piece::Fixpoint { variables, body } => {
            let mut live = before_tape(body, &after_round(body, after));
            variables.iter().for_each(|&slot| live.remove(slot));
            live
        }
    }
}

fn before_section(pieces: &[Piece], after: &Slots) -> Slots {
    pieces.iter().rev().fold(after.clone(), |live, piece| before_piece(piece, &live))
}

/// The slots that matter after each section. Sections run in a circle: legal,
/// perhaps goal, next, and legal again.
pub(crate) fn after_sections(image: &Image<'_>, sections: &[Vec<Piece>; 3]) -> [Slots; 3] {
    let [legal, goal, next] = Section::ALL.map(Section::index);
    let mut after = Section::ALL.map(|section| results(image, section));
    loop {
        let before: Vec<_> = sections
            .iter()
            .zip(&after)
            .map(|(pieces, after)| before_section(pieces, after))
            .collect();
        let old = after.clone();
        after[next].add(&before[legal]);
        after[goal].add(&before[next]);
        // Goal may be left out, so what next reads must be there after legal.
        after[legal].add(&before[goal]);
        after[legal].add(&before[next]);
        if after == old {
            return after;
        }
    }
}

/// What whoever runs the sections reads after one of them.
fn results(image: &Image<'_>, section: Section) -> Slots {
    let mut slots = Slots::none(image.slots());
    let moves = if section == Section::Next { 0 } else { image.moves() };
    (0..(image.fluents() + moves) as u32).for_each(|slot| slots.insert(slot));
    if section != Section::Next {
        slots.insert(image.terminal_slot() as u32);
    }
    if section == Section::Goal {
        image.goals().for_each(|goal| slots.insert(goal.slot));
    }
    slots
}
