//! Why bytes are refused as an image: each error says where and what to do.

use thiserror::Error;

use super::code::{Opcode, Section};
use super::layout::{
    HEADER_BYTES, IDLE_SLOTS, MAX_FIXPOINT_WORK, MAX_FLUENTS, MAX_ROLES, MAX_VARIABLES, VERSION,
};

/// Why [`Image::parse`](super::Image::parse) refuses some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ImageError {
    /// There is not even a header.
    #[error(
        "{found} bytes are too few for an image, whose header alone has {HEADER_BYTES}: \
         the file is empty or cut off, compile the game again"
    )]
    TooShort {
        /// Bytes that are there.
        found: usize,
    },
    /// The bytes do not start at a multiple of four.
    #[error(
        "the image starts {beyond} bytes beyond a 4-byte boundary: \
         load it into a buffer of 32-bit words"
    )]
    Misaligned {
        /// Distance from the boundary below.
        beyond: usize,
    },
    /// The first four bytes are not `RUCH`.
    #[error(
        "byte 0: not an image (it does not begin with RUCH): give a file made by `ruche compile`"
    )]
    Magic,
    /// The image was written for another version of the format.
    #[error(
        "byte 4: format version {found}, but this program reads version {VERSION}: \
         compile the game again"
    )]
    Version {
        /// The version in the header.
        found: u16,
    },
    /// Flags that this version does not know.
    #[error("byte 6: unknown flags {found:#06x}: compile the game again with this version")]
    Flags {
        /// The flags in the header.
        found: u16,
    },
    /// The image is longer than the bytes.
    #[error(
        "byte 8: the image should have {stated} bytes but only {found} are there: \
         the file is cut off, copy it again"
    )]
    CutOff {
        /// Length in the header.
        stated: u32,
        /// Bytes that are there.
        found: usize,
    },
    /// The counts of the header need another length.
    #[error(
        "byte 8: the image should have {stated} bytes but its counts need {needed}: \
         the header is damaged, compile the game again"
    )]
    Length {
        /// Length in the header.
        stated: u32,
        /// Length that follows from the counts.
        needed: u64,
    },
    /// The bytes have changed since the image was written.
    #[error(
        "byte 12: checksum {stated:#010x}, but the bytes have {computed:#010x}: \
         the image is damaged, copy it again or compile the game again"
    )]
    Checksum {
        /// Checksum in the header.
        stated: u32,
        /// Checksum of the bytes.
        computed: u32,
    },
    /// A game without roles, or with too many.
    #[error("byte 16: {found} roles, but an image has 1 to {MAX_ROLES}: compile the game again")]
    Roles {
        /// Roles in the header.
        found: u32,
    },
    /// A state so large that no game has it.
    #[error(
        "byte 20: {found} fluents, but an image has at most {MAX_FLUENTS}: compile the game again"
    )]
    TooManyFluents {
        /// Fluents in the header.
        found: u32,
    },
    /// The state and the moves do not fit in the slots.
    #[error(
        "byte 32: {slots} slots cannot hold {fluents} fluents and {moves} moves: \
         compile the game again"
    )]
    TooFewSlots {
        /// Slots in the header.
        slots: u32,
        /// Fluents in the header.
        fluents: u32,
        /// Moves in the header.
        moves: u32,
    },
    /// More slots than the code words or any machine can name.
    #[error(
        "byte 32: {slots} slots, but {} words name at most {limit}: \
         compile the game again{}",
        if *.wide { "wide" } else { "narrow" },
        if *.wide { ", it is too large" } else { " with wide words" }
    )]
    TooManySlots {
        /// Slots in the header.
        slots: u32,
        /// What is allowed for this width of the code words.
        limit: u32,
        /// Whether the code words are wide.
        wide: bool,
    },
    /// Slots that nothing can ever write.
    #[error(
        "byte 32: {slots} slots, but beyond {fluents} fluents and {IDLE_SLOTS} others there are \
         at most as many as words of code, which are {words}: compile the game again"
    )]
    IdleSlots {
        /// Slots in the header.
        slots: u32,
        /// Fluents in the header.
        fluents: u32,
        /// Code words of all sections.
        words: u64,
    },
    /// `terminal` lies outside the slots.
    #[error(
        "byte 36: terminal is in slot {slot}, but there are only {slots} slots: \
         compile the game again"
    )]
    TerminalSlot {
        /// The slot in the header.
        slot: u32,
        /// Slots in the header.
        slots: u32,
    },
    /// A field that must be zero is not.
    #[error(
        "byte 52: the reserved field holds {found}, not 0: compile the game again with this version"
    )]
    Reserved {
        /// What the field holds.
        found: u32,
    },
    /// The moves are not divided among the roles in ascending order.
    #[error(
        "byte {place}: the moves of role {role} start at {start}, which does not ascend from \
         0 to the number of moves: \
         compile the game again"
    )]
    MoveStart {
        /// Offset of the entry in the image.
        place: usize,
        /// The role; one more than the last for the end of the table.
        role: usize,
        /// What the table holds.
        start: u32,
    },
    /// A goal of a role that does not exist.
    #[error(
        "byte {place}: a goal of role {role}, but the last role is {last}: compile the game again"
    )]
    GoalRole {
        /// Offset of the entry in the image.
        place: usize,
        /// The role of the goal.
        role: u16,
        /// The last role of the game.
        last: u32,
    },
    /// Goals are not sorted by role and value, or one is there twice.
    #[error(
        "byte {place}: the goal does not come after the one before it (sort by role, then \
         value; each pair once): \
         compile the game again"
    )]
    GoalOrder {
        /// Offset of the entry in the image.
        place: usize,
    },
    /// A goal lies outside the slots.
    #[error(
        "byte {place}: the goal is in slot {slot}, but there are only {slots} slots: \
         compile the game again"
    )]
    GoalSlot {
        /// Offset of the entry in the image.
        place: usize,
        /// The slot of the goal.
        slot: u32,
        /// Slots in the header.
        slots: u32,
    },
    /// A bit beyond the last fluent of the initial state, or bytes behind an
    /// odd number of narrow code words, are not zero.
    #[error("byte {place}: the padding is not zero: the image is damaged, compile the game again")]
    Padding {
        /// Offset of the 32-bit word that holds the padding.
        place: usize,
    },
    /// The bytecode is malformed.
    #[error("section {section}, word {word}: {fault}: compile the game again")]
    Code {
        /// The section.
        section: Section,
        /// The code word in the section: a header word, or the operand at fault.
        word: usize,
        /// What is wrong there.
        fault: CodeFault,
    },
    /// Fixpoints that may not end within a sensible time.
    #[error(
        "the fixpoints may run through {found} words of code in a ply, but an image through at \
         most {MAX_FIXPOINT_WORK}: split or bound the recursion of the game, and compile it again"
    )]
    FixpointWork {
        /// Words of all bodies, each as often as its fixpoint has variables.
        found: u64,
    },
}

/// What can be wrong with a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CodeFault {
    /// An opcode that stands for nothing.
    #[error("reserved opcode {code}")]
    ReservedOpcode {
        /// Its encoding.
        code: u8,
    },
    /// A count where no run begins.
    #[error("opcode {} has the count {count}, not 0", .opcode.code())]
    NoRun {
        /// The opcode.
        opcode: Opcode,
        /// The count.
        count: usize,
    },
    /// The code ends before the counts of a fixpoint.
    #[error("the code ends in the header of a fixpoint")]
    HeaderCut,
    /// A run without gates, or a fixpoint without variables.
    #[error("the run is empty")]
    EmptyRun,
    /// The run goes beyond the end of the section or of the fixpoint's body.
    #[error("a run of {count} gates of opcode {} goes beyond the end", .opcode.code())]
    RunTooLong {
        /// The opcode.
        opcode: Opcode,
        /// Its count.
        count: usize,
    },
    /// The body of a fixpoint goes beyond the end of the section.
    #[error("a fixpoint's body of {words} words goes beyond the end")]
    BodyTooLong {
        /// The stated length of the body.
        words: usize,
    },
    /// A fixpoint that may go round too often.
    #[error("a fixpoint of {count} variables, but one has at most {MAX_VARIABLES}")]
    TooManyVariables {
        /// Its variables.
        count: usize,
    },
    /// A fixpoint in the body of another.
    #[error("a fixpoint stands inside another")]
    NestedFixpoint,
    /// A fixpoint shares its stratum with other runs.
    #[error("a fixpoint does not stand alone in its stratum")]
    CrowdedFixpoint,
    /// GROW has no fixpoint to send round again.
    #[error("GROW stands outside a fixpoint")]
    GrowOutside,
    /// An operand names a slot that does not exist.
    #[error("slot {slot} is beyond the last of {slots} slots")]
    SlotRange {
        /// The operand.
        slot: u32,
        /// Slots of the image.
        slots: u32,
    },
    /// The section writes a slot that others still need.
    #[error("this section must not write slot {slot}")]
    ForbiddenWrite {
        /// The slot.
        slot: u32,
    },
}
