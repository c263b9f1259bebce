//! The circuit image: a whole game as a machine of slots and bytecode.
//!
//! # The machine
//! An image describes `slots` words, of which each bit (*lane*) is a game of
//! its own:
//! ```text
//! slot 0          fluents           fluents+moves                  slots
//!      │  state    │  moves of role 0, 1, …  │  temporaries         │
//! ```
//! - the section *legal* reads the state and writes the legality of every move
//!   into the move area, and `terminal` into its slot;
//! - the section *goal* runs only when some lane has ended, before moves are
//!   chosen. It leaves the state, the move area and `terminal` alone;
//! - somebody chooses: exactly one move per role stays set in the move area;
//! - the section *next* reads the state and the chosen moves and leaves the next
//!   state in the state's slots.
//!
//! Temporaries that *legal* computes may be read by *goal* and *next*.
//!
//! # The bytes
//! Little-endian; every part starts at a multiple of 4 and is padded with zeros.
//! ```text
//! byte  0  magic "RUCH"
//!       4  version: u16 = 2        6  flags: u16 (bit 0: wide)
//!       8  length of the image     12  CRC-32 of bytes 16.. up to the length
//!      16  roles                   20  fluents
//!      24  moves                   28  goals
//!      32  slots                   36  slot of terminal
//!      40  words of legal          44  words of goal
//!      48  words of next           52  reserved = 0
//!      56  move starts: u32 × (roles + 1), the first 0, the last = moves
//!       …  goals: { role: u16, value: u16, slot: u32 } × goals,
//!          sorted by role, then value
//!       …  initial state: bit i % 32 of word i / 32 is fluent i
//!       …  code of legal, goal, next: u16 words (narrow) or u32 words (wide)
//!  length  whatever the host appends: names that a kernel never loads
//! ```
//! The order has reasons. What refuses a stranger's file (magic, version,
//! length, checksum) comes first, and none of it is covered by the checksum, so
//! that a wrong version is called that and not damage. Small tables come before
//! the code: they stay in the first cache lines, and the code, which is read
//! from front to back in every ply, lies in one piece. The sections stand in the
//! order in which they run.
//!
//! # The bytecode
//! A section is a sequence of strata, a stratum a sequence of runs. The gates of
//! one stratum do not depend on each other: they may run in any order or on
//! different cores. A run is a header word and the operands of its gates:
//! ```text
//!  header   15 (31) … 8  count       7 … 0  opcode
//!  gate     slot written, slots read
//!
//!  0 STRATUM      ends a stratum; its count is 0
//!  1 COPY  2 NOT  5 GROW                                            d a
//!  3 ZERO  4 ONE                                                    d
//!  6 FIXPOINT     its count is 0; number of variables, body length
//!                 (low word, high word), variables, body
//!  8 … 205        expressions of 2 to 4 inputs                      d a b (c (d))
//!
//!   8 +     PAIR                  a PAIR b
//!  14 + 6 · JOIN + PAIR           (a PAIR b) JOIN c
//!  38 + 24 · JOIN + 6 · JOIN' + PAIR       ((a PAIR b) JOIN c) JOIN' d
//! 134 + 12 · PAIR' + 6 · LINK + PAIR       (a PAIR b) LINK (c PAIR' d)
//!
//! PAIR  0 AND  1 OR  2 ANDNOT  3 ORNOT  4 NAND  5 NOR       LINK  0 AND  1 OR
//! JOIN  0 AND  1 OR  2 ANDNOT  3 ORNOT
//! ```
//! Of several encodings of one function only the one that [`Expression`] names is
//! valid, so that equal gates have equal opcodes.
//!
//! A gate costs what it moves: its operand words, the slots it reads and the one
//! it writes, six for two inputs. A gate that only one other reads is therefore
//! computed inside its reader, which saves four of the six: on real games these
//! 106 expressions leave 3.4 to 4.6 of the six per two-input gate; eight inputs
//! would leave 2.9 to 4.4, but as thousands of kinds.
//!
//! Grouping gates by opcode leaves one branch per run instead of one per gate.
//! FIXPOINT zeroes its variables and repeats its body until no GROW (`d |= a`)
//! changes anything. The body is monotone, so as many rounds with a change as
//! there are variables are the most there can be. It stands alone in its stratum
//! and is never nested.
//!
//! # What an image may ask for
//! A stranger's image must cost no more than its length lets expect. Each slot that is
//! no fluent is written somewhere, so that beyond the first [`IDLE_SLOTS`] there are at
//! most as many as code words; what remains has limits that leave real games ample room:
//! [`MAX_SLOTS`], [`MAX_FLUENTS`], [`MAX_ROLES`], [`MAX_VARIABLES`] and
//! [`MAX_FIXPOINT_WORK`].

mod code;
mod encode;
mod error;
mod expression;
mod layout;
mod strata;
mod validate;

use core::ops::Range;

pub use code::{
    Code, CodeSize, CodeWord, FIRST_EXPRESSION, Instruction, Instructions, NARROW_SLOTS,
    OPCODE_BITS, Opcode, Section, fixpoint_header, header, max_count,
};
pub use encode::{EncodeError, Parts, encode, encoded_length, seal};
pub use error::{CodeFault, ImageError};
pub use expression::{Expression, Join, Pair, PairLink};
pub use layout::{
    HEADER_BYTES, IDLE_SLOTS, MAGIC, MAX_FIXPOINT_WORK, MAX_FLUENTS, MAX_ROLES, MAX_SLOTS,
    MAX_VARIABLES, VERSION,
};
pub use strata::{FlowError, FlowFault};

use layout::{Counts, GOAL_WORDS, HEADER_WORDS, Layout};

/// Tells in which slot it is found whether a role has a goal value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Goal {
    /// The role.
    pub role: u16,
    /// The value.
    pub value: u16,
    /// Set, after the goal section, in each lane where the role has the value.
    pub slot: u32,
}

impl Goal {
    /// The entry as it stands in the image.
    fn words(self) -> [u32; GOAL_WORDS] {
        [u32::from(self.role) | u32::from(self.value) << 16, self.slot]
    }

    fn of_words(&[pair, slot]: &[u32; GOAL_WORDS]) -> Self {
        Self { role: pair as u16, value: (pair >> 16) as u16, slot }
    }
}

/// A validated image, borrowed from the bytes that hold it.
///
/// The only way to one is [`Image::parse`]. Whoever holds an `Image` may rely on
/// every operand of its code naming a slot below [`Image::slots`], on every run
/// ending inside its section and on everything else that parsing refuses.
#[derive(Clone, Copy, Debug)]
pub struct Image<'a> {
    counts: Counts,
    length: usize,
    checksum: u32,
    move_starts: &'a [u32],
    goals: &'a [[u32; GOAL_WORDS]],
    initial: &'a [u32],
    code: [Code<'a>; 3],
}

impl<'a> Image<'a> {
    /// Validates everything once. Bytes behind the length that the header
    /// states are not looked at.
    ///
    /// # Errors
    /// If anything is not as this module describes it; the error names the place.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ImageError> {
        let words = validate::frame(bytes)?;
        let counts = Counts::read(words);
        let layout = validate::counts(words, &counts)?;
        let image = Self::cut(words, counts, &layout);
        validate::tables(&image, &layout)?;
        validate::padding(&image, words, &layout)?;
        validate::code(&image)?;
        Ok(image)
    }

    /// Cuts the words of an image, whose length agrees with its layout, into
    /// its parts.
    fn cut(words: &'a [u32], counts: Counts, layout: &Layout) -> Self {
        let part = |from: u64, to: u64| &words[from as usize..to as usize];
        let [legal, goal, next] = layout.code;
        let code = [(legal, goal), (goal, next), (next, layout.end)];
        Self {
            counts,
            length: size_of_val(words),
            checksum: words[layout::field::CHECKSUM],
            move_starts: part(HEADER_WORDS as u64, layout.goals),
            goals: part(layout.goals, layout.initial).as_chunks().0,
            initial: part(layout.initial, legal),
            code: Section::ALL.map(|section| {
                let (from, to) = code[section.index()];
                cut_code(part(from, to), counts.wide, counts.code[section.index()])
            }),
        }
    }

    /// The number of roles, at least one.
    #[must_use]
    pub fn roles(&self) -> usize {
        self.counts.roles as usize
    }

    /// The number of fluents.
    #[must_use]
    pub fn fluents(&self) -> usize {
        self.counts.fluents as usize
    }

    /// The number of moves of all roles.
    #[must_use]
    pub fn moves(&self) -> usize {
        self.counts.moves as usize
    }

    /// The number of slots.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.counts.slots as usize
    }

    /// The slot that holds `terminal` after the legal section.
    #[must_use]
    pub fn terminal_slot(&self) -> usize {
        self.counts.terminal_slot as usize
    }

    /// The length of the image in bytes; names may lie behind it.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }

    /// The checksum of the image: images that differ have other ones, but for one
    /// in four billion.
    #[must_use]
    pub fn checksum(&self) -> u32 {
        self.checksum
    }

    /// Whether the code words have 32 bits.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        self.counts.wide
    }

    /// The moves of a role, as a range in the move area.
    ///
    /// # Panics
    /// If there is no such role.
    #[must_use]
    pub fn move_range(&self, role: usize) -> Range<usize> {
        self.move_starts[role] as usize..self.move_starts[role + 1] as usize
    }

    /// The slots of a role's moves.
    ///
    /// # Panics
    /// If there is no such role.
    #[must_use]
    pub fn move_slots(&self, role: usize) -> Range<usize> {
        let Range { start, end } = self.move_range(role);
        self.fluents() + start..self.fluents() + end
    }

    /// All goals, sorted by role, then value.
    pub fn goals(
        &self,
    ) -> impl ExactSizeIterator<Item = Goal> + DoubleEndedIterator + Clone + use<'a> {
        self.goals.iter().map(Goal::of_words)
    }

    /// The goals of one role, sorted by value; none if there is no such role.
    pub fn role_goals(&self, role: usize) -> impl ExactSizeIterator<Item = Goal> + Clone + use<'a> {
        let first =
            self.goals.partition_point(|goal| usize::from(Goal::of_words(goal).role) < role);
        let end = self.goals.partition_point(|goal| usize::from(Goal::of_words(goal).role) <= role);
        self.goals[first..end].iter().map(Goal::of_words)
    }

    /// The initial state, packed as [`position`](crate::position) says.
    #[must_use]
    pub fn initial(&self) -> &'a [u32] {
        self.initial
    }

    /// The bytecode of a section.
    #[must_use]
    pub fn code(&self, section: Section) -> Code<'a> {
        self.code[section.index()]
    }
}

/// The code words of a section without their padding.
fn cut_code(words: &[u32], wide: bool, count: u32) -> Code<'_> {
    if wide {
        Code::Wide(words)
    } else {
        Code::Narrow(&bytemuck::cast_slice(words)[..count as usize])
    }
}
