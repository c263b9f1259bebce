//! The hot loop: runs of gates over slots.
//!
//! Everything is unchecked here, because [`Image::parse`] has checked it: runs
//! end inside their code, operands name existing slots, fixpoints are not nested
//! and their bodies lie inside the section.
//!
//! [`Image::parse`]: ruche_shared::Image::parse

mod complements;

use ruche_shared::image::Expression::{Four, Pairs, Three, Two};
use ruche_shared::image::{CodeWord, Expression, Join, OPCODE_BITS, Opcode, Pair, PairLink};

use crate::word::{CHUNK_LANES, Word};
use complements::{AnyFour, AnyPairs, AnyThree, AnyTwo, Complements};

/// Opcodes that are no expressions.
mod code {
    use super::Opcode;

    pub const STRATUM: u8 = Opcode::Stratum.code();
    pub const COPY: u8 = Opcode::Copy.code();
    pub const NOT: u8 = Opcode::Not.code();
    pub const ZERO: u8 = Opcode::Zero.code();
    pub const ONE: u8 = Opcode::One.code();
    pub const GROW: u8 = Opcode::Grow.code();
    pub const FIXPOINT: u8 = Opcode::Fixpoint.code();
}

/// Defines `run_expression`, which runs `count` gates of one expression, and in
/// it a loop of their own for some expressions.
macro_rules! loops {
    ($($name:ident = $expression:expr;)*) => {
        mod frequent {
            use super::*;
            $(pub const $name: Expression = $expression;)*
        }

        /// # Safety
        /// The code must start with the operands of `count` gates of an
        /// expression with this encoding, which must name existing slots.
        #[inline(always)]
        unsafe fn run_expression<C: CodeWord, W: Word>(
            encoding: u8,
            code: &mut &[C],
            count: usize,
            slots: Slots<W>,
        ) {
            $(const $name: u8 = Opcode::Gate(frequent::$name).code();)*
            // SAFETY: as the caller promises.
            unsafe {
                match encoding {
                    // Whoever has so many slots waits for memory anyway.
                    _ if C::WIDE => shared_loop(encoding, code, count, slots),
                    $($name => own_loop(const { frequent::$name }, code, count, slots),)*
                    _ => shared_loop(encoding, code, count, slots),
                }
            }
        }
    };
}

// The expressions that make up at least one gate in 200, on average over the
// games of the corpus: 95 of 100 gates. The others share three loops: a loop for
// each would make the kernel three times as long for a hundredth of its time.
loops! {
    AND = Two(Pair::And);
    OR = Two(Pair::Or);
    AND_NOT = Two(Pair::AndNot);
    OR_NOT = Two(Pair::OrNot);
    NAND = Two(Pair::Nand);
    NOR = Two(Pair::Nor);
    AND_AND = Three(Pair::And, Join::And);
    AND_OR = Three(Pair::And, Join::Or);
    AND_OR_NOT = Three(Pair::And, Join::OrNot);
    AND_NOT_AND_NOT = Three(Pair::AndNot, Join::AndNot);
    AND_NOT_OR_NOT = Three(Pair::AndNot, Join::OrNot);
    NAND_AND = Three(Pair::Nand, Join::And);
    NAND_AND_NOT = Three(Pair::Nand, Join::AndNot);
    NAND_OR_NOT = Three(Pair::Nand, Join::OrNot);
    NOR_AND_NOT = Three(Pair::Nor, Join::AndNot);
    AND_AND_AND = Four(Pair::And, Join::And, Join::And);
    AND_AND_OR_NOT = Four(Pair::And, Join::And, Join::OrNot);
    AND_NOT_AND_NOT_AND_NOT = Four(Pair::AndNot, Join::AndNot, Join::AndNot);
    NAND_AND_AND = Four(Pair::Nand, Join::And, Join::And);
    NAND_AND_OR_NOT = Four(Pair::Nand, Join::And, Join::OrNot);
    NAND_OR_NOT_OR_NOT = Four(Pair::Nand, Join::OrNot, Join::OrNot);
    NOR_AND_NOT_AND_NOT = Four(Pair::Nor, Join::AndNot, Join::AndNot);
    NAND_BOTH_NAND = Pairs(Pair::Nand, PairLink::And, Pair::Nand);
    AND_EITHER_AND = Pairs(Pair::And, PairLink::Or, Pair::And);
    AND_EITHER_AND_NOT = Pairs(Pair::And, PairLink::Or, Pair::AndNot);
}

/// The slots of a game: a pointer, because the cores that share the gates of one
/// game write to them at the same time, each to others.
#[derive(Debug)]
pub struct Slots<W> {
    start: *mut W,
    count: usize,
}

impl<W> Clone for Slots<W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<W> Copy for Slots<W> {}

impl<W> Slots<W> {
    /// Slots that nobody else has.
    #[inline(always)]
    pub(crate) fn of(slots: &mut [W]) -> Self {
        Self { start: slots.as_mut_ptr(), count: slots.len() }
    }

    /// So many slots from this address on.
    #[inline(always)]
    #[must_use]
    pub fn at(start: *mut W, count: usize) -> Self {
        Self { start, count }
    }
}

/// Runs code over slots.
///
/// # Safety
/// `code` must be a section of a parsed image, and `slots` must have at least as
/// many words as that image has slots.
#[inline(always)]
pub(crate) unsafe fn execute<C: CodeWord, W: Word>(code: &[C], slots: &mut [W]) {
    let slots = Slots::of(slots);
    // SAFETY: as the caller promises.
    unsafe { if C::WIDE { execute_apart(code, slots) } else { execute_here(code, slots) } }
}

/// Wide code is rare, and its slots are too many for any cache: it is not worth
/// being inlined everywhere.
///
/// # Safety
/// As for [`execute`].
#[inline(never)]
unsafe fn execute_apart<C: CodeWord, W: Word>(code: &[C], slots: Slots<W>) {
    // SAFETY: as the caller promises.
    unsafe { execute_here(code, slots) }
}

/// One core takes the gates in order, so that the ends of strata mean nothing.
/// Fixpoints are no calls but jumps inside this one loop: a second loop would
/// double the code, and could not be inlined where wide words need it.
///
/// # Safety
/// As for [`execute`].
#[inline(always)]
unsafe fn execute_here<C: CodeWord, W: Word>(mut code: &[C], slots: Slots<W>) {
    let mut fixpoint = Fixpoint::none();
    // The lanes in which this round of the fixpoint has changed something.
    let mut grown = W::ZERO;
    loop {
        let Some((header, rest)) = code.split_first() else {
            match fixpoint.go_on(!grown.is_zero()) {
                Some(there) => code = there,
                None => return,
            }
            grown = W::ZERO;
            continue;
        };
        code = rest;
        let header = header.value();
        let count = (header >> OPCODE_BITS) as usize;
        // SAFETY: the code starts with the operands of a run of `count` gates,
        // or with the rest of a fixpoint, and its operands name slots, as the
        // caller promises of all the code.
        unsafe {
            match header as u8 {
                code::STRATUM => {}
                code::COPY => unary(gates(&mut code, count), slots, |a| a),
                code::NOT => unary(gates(&mut code, count), slots, |a| !a),
                code::ZERO => constant(gates(&mut code, count), slots, W::ZERO),
                code::ONE => constant(gates(&mut code, count), slots, W::ONES),
                code::GROW => grown = grown | grow(gates(&mut code, count), slots),
                code::FIXPOINT => fixpoint = Fixpoint::enter(&mut code, slots),
                encoding => run_expression(encoding, &mut code, count, slots),
            }
        }
    }
}

/// Runs gates of an expression that is known when this is compiled.
///
/// # Safety
/// The code must start with the operands of `count` gates of the expression,
/// which must name existing slots.
#[inline(always)]
unsafe fn own_loop<C: CodeWord, W: Word>(
    expression: Expression,
    code: &mut &[C],
    count: usize,
    slots: Slots<W>,
) {
    // SAFETY: the caller promises that the operands are there and name slots.
    unsafe {
        match expression.inputs() {
            2 => each::<C, W, 3>(gates(code, count), slots, expression),
            3 => each::<C, W, 4>(gates(code, count), slots, expression),
            _ => each::<C, W, 5>(gates(code, count), slots, expression),
        }
    }
}

/// Runs gates of any expression. A bare machine has
/// little memory for code, but no word that would have to be inlined: there all loops over
/// code share this one, but for that of the word that nearly all games are played with.
///
/// # Safety
/// The code must start with the operands of `count` gates of an expression with
/// this encoding, which must name existing slots.
#[inline(always)]
unsafe fn shared_loop<C: CodeWord, W: Word>(
    encoding: u8,
    code: &mut &[C],
    count: usize,
    slots: Slots<W>,
) {
    // SAFETY: as the caller promises.
    *code = unsafe {
        match cfg!(target_os = "none") && (C::WIDE || W::LANES < CHUNK_LANES) {
            true => run_any_apart(encoding, code, count, slots),
            false => run_any(encoding, code, count, slots),
        }
    }
}

/// # Safety
/// As for [`shared_loop`].
#[inline(never)]
unsafe fn run_any_apart<C: CodeWord, W: Word>(
    encoding: u8,
    code: &[C],
    count: usize,
    slots: Slots<W>,
) -> &[C] {
    // SAFETY: as the caller promises.
    unsafe { run_any(encoding, code, count, slots) }
}

/// # Safety
/// As for [`shared_loop`].
#[inline(always)]
unsafe fn run_any<C: CodeWord, W: Word>(
    encoding: u8,
    mut code: &[C],
    count: usize,
    slots: Slots<W>,
) -> &[C] {
    let rest = &mut code;
    // SAFETY: the caller promises that the operands are there and name slots.
    unsafe {
        match Complements::of(encoding) {
            Complements::Two(bits) => {
                each::<C, W, 3>(gates(rest, count), slots, AnyTwo::of(bits));
            }
            Complements::Three(bits) => {
                each::<C, W, 4>(gates(rest, count), slots, AnyThree::of(bits));
            }
            Complements::Four(bits) => {
                each::<C, W, 5>(gates(rest, count), slots, AnyFour::of(bits));
            }
            Complements::Pairs(bits) => {
                each::<C, W, 5>(gates(rest, count), slots, AnyPairs::of(bits));
            }
            Complements::None => {}
        }
    }
    code
}

/// Runs gates of one opcode for one of several cores: without a loop for each
/// frequent operation, because between them the cores wait for each other anyway.
///
/// # Safety
/// The operands must be those of gates of this opcode and name existing slots. Nobody
/// else may write what these gates read or write.
pub unsafe fn run_gates<C: CodeWord, W: Word>(opcode: Opcode, mut operands: &[C], slots: Slots<W>) {
    let code = &mut operands;
    let count = code.len() / opcode.operands().max(1);
    let ones = if matches!(opcode, Opcode::Not | Opcode::One) { W::ONES } else { W::ZERO };
    // SAFETY: as the caller promises.
    unsafe {
        match opcode {
            Opcode::Copy | Opcode::Not => unary(gates(code, count), slots, |a| a ^ ones),
            Opcode::Zero | Opcode::One => constant(gates(code, count), slots, ones),
            Opcode::Grow => drop(grow(gates(code, count), slots)),
            Opcode::Gate(_) => shared_loop(opcode.code(), code, count, slots),
            Opcode::Stratum | Opcode::Fixpoint => {}
        }
    }
}

/// What a gate computes of its inputs. No closure: those of one place share their
/// code, which would then not be that of one expression.
trait Function<W> {
    fn value(&self, input: impl Fn(usize) -> W) -> W;
}

impl<W: Word> Function<W> for Expression {
    #[inline(always)]
    fn value(&self, input: impl Fn(usize) -> W) -> W {
        self.evaluate(input)
    }
}

/// Computes gate by gate.
///
/// # Safety
/// The operands must name existing slots, and be one more than the function has
/// inputs.
#[inline(always)]
unsafe fn each<C: CodeWord, W: Word, const N: usize>(
    gates: &[[C; N]],
    slots: Slots<W>,
    function: impl Function<W>,
) {
    for operands in gates {
        // SAFETY: the caller promises that these slots exist.
        unsafe {
            let value = function.value(|input| read(slots, operands[1 + input]));
            write(slots, operands[0], value);
        }
    }
}

/// Splits off the operands of `count` gates with `N` operands each.
///
/// # Safety
/// The code must be at least that long.
#[inline(always)]
unsafe fn gates<'a, C, const N: usize>(code: &mut &'a [C], count: usize) -> &'a [[C; N]] {
    debug_assert!(count * N <= code.len());
    // SAFETY: the caller promises that so many words are there, and their number
    // is a multiple of N.
    unsafe {
        let (operands, rest) = code.split_at_unchecked(count * N);
        *code = rest;
        operands.as_chunks_unchecked()
    }
}

/// # Safety
/// The operands must name existing slots.
#[inline(always)]
unsafe fn unary<C: CodeWord, W: Word>(
    gates: &[[C; 2]],
    slots: Slots<W>,
    operation: impl Fn(W) -> W,
) {
    for &[target, source] in gates {
        // SAFETY: the caller promises that these slots exist.
        unsafe {
            let value = operation(read(slots, source));
            write(slots, target, value);
        }
    }
}

/// # Safety
/// The operands must name existing slots.
#[inline(always)]
unsafe fn constant<C: CodeWord, W: Word>(gates: &[[C; 1]], slots: Slots<W>, value: W) {
    for &[target] in gates {
        // SAFETY: the caller promises that this slot exists.
        unsafe { write(slots, target, value) };
    }
}

/// Returns the lanes in which some target changed.
///
/// # Safety
/// The operands must name existing slots.
#[inline(always)]
unsafe fn grow<C: CodeWord, W: Word>(gates: &[[C; 2]], slots: Slots<W>) -> W {
    let mut grown = W::ZERO;
    for &[target, source] in gates {
        // SAFETY: the caller promises that these slots exist.
        unsafe {
            let (old, more) = (read(slots, target), read(slots, source));
            grown = grown | (more & !old);
            write(slots, target, old | more);
        }
    }
    grown
}

/// The fixpoint that is being computed; they are never nested.
struct Fixpoint<'a, C> {
    body: &'a [C],
    behind: &'a [C],
    /// How often the body may still be repeated.
    rounds: usize,
}

impl<'a, C: CodeWord> Fixpoint<'a, C> {
    #[inline(always)]
    fn none() -> Self {
        Self { body: &[], behind: &[], rounds: 0 }
    }

    /// Clears the variables of the fixpoint whose header was just read and goes
    /// to its body.
    ///
    /// The lanes of a word grow side by side and each round with a change makes
    /// at least one of `count` variables true for good, so that `count` rounds
    /// and one more in which nothing changes are enough for every lane. A body
    /// that is not monotone has no least fixpoint; the bound makes it end too.
    ///
    /// # Safety
    /// As for [`execute`], of which this is a part: the lengths behind the header
    /// are those of the variables and of a body without fixpoints.
    #[inline(always)]
    unsafe fn enter<W: Word>(code: &mut &'a [C], slots: Slots<W>) -> Self {
        // SAFETY: parsing has checked the lengths and the variables.
        unsafe {
            let &[[count, low, high]] = gates(code, 1) else { return Self::none() };
            let rounds = count.value() as usize;
            // In wide images the high word is zero.
            let words = (low.value() | high.value() << 16) as usize;
            constant(gates(code, rounds), slots, W::ZERO);
            let body = gates::<C, 1>(code, words).as_flattened();
            let behind = core::mem::replace(code, body);
            Self { body, behind, rounds }
        }
    }

    /// Where to go on when the code is at its end: in another round, behind the
    /// fixpoint or, outside one, nowhere.
    #[inline(always)]
    fn go_on(&mut self, has_grown: bool) -> Option<&'a [C]> {
        if has_grown && self.rounds > 0 {
            self.rounds -= 1;
            return Some(self.body);
        }
        let behind = core::mem::replace(self, Self::none()).behind;
        (!behind.is_empty()).then_some(behind)
    }
}

/// # Safety
/// The slot must exist.
#[inline(always)]
unsafe fn read<C: CodeWord, W: Word>(slots: Slots<W>, slot: C) -> W {
    let slot = slot.value() as usize;
    debug_assert!(slot < slots.count);
    // SAFETY: the caller promises that the slot exists.
    unsafe { slots.start.add(slot).read() }
}

/// # Safety
/// The slot must exist.
#[inline(always)]
unsafe fn write<C: CodeWord, W: Word>(slots: Slots<W>, slot: C, value: W) {
    let slot = slot.value() as usize;
    debug_assert!(slot < slots.count);
    // SAFETY: the caller promises that the slot exists.
    unsafe { slots.start.add(slot).write(value) };
}
