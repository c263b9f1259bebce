//! The hot loop: runs of gates over slots.
//!
//! Everything is unchecked here, because [`Image::parse`] has checked it: runs
//! end inside their code, operands name existing slots, fixpoints are not nested
//! and their bodies lie inside the section.
//!
//! [`Image::parse`]: ruche_shared::Image::parse

use ruche_shared::image::{CodeWord, OPCODE_BITS, Opcode};

use crate::word::Word;

/// Runs code over slots. Returns the lanes in which a GROW changed something.
///
/// One core takes the gates in order, so that the ends of strata mean nothing.
///
/// # Safety
/// `code` must be a section of a parsed image, or the body of a fixpoint in one,
/// and `slots` must have at least as many words as that image has slots.
pub(crate) unsafe fn execute<C: CodeWord, W: Word>(mut code: &[C], slots: &mut [W]) -> W {
    let mut grown = W::ZERO;
    while let Some((header, rest)) = code.split_first() {
        code = rest;
        let header = header.value();
        let count = (header >> OPCODE_BITS) as usize;
        let Some(opcode) = Opcode::of_header(header) else { break };
        // SAFETY: the code starts with the operands of a run of `count` gates,
        // or with the rest of a fixpoint of `count` variables, and its operands
        // name slots, as the caller promises of all the code.
        unsafe {
            match opcode {
                Opcode::Stratum => {}
                Opcode::And => binary(gates(&mut code, count), slots, |a, b| a & b),
                Opcode::Or => binary(gates(&mut code, count), slots, |a, b| a | b),
                Opcode::AndNot => binary(gates(&mut code, count), slots, |a, b| a & !b),
                Opcode::OrNot => binary(gates(&mut code, count), slots, |a, b| a | !b),
                Opcode::Nand => binary(gates(&mut code, count), slots, |a, b| !(a & b)),
                Opcode::Nor => binary(gates(&mut code, count), slots, |a, b| !(a | b)),
                Opcode::Xor => binary(gates(&mut code, count), slots, |a, b| a ^ b),
                Opcode::Xnor => binary(gates(&mut code, count), slots, |a, b| !(a ^ b)),
                Opcode::Copy => unary(gates(&mut code, count), slots, |a| a),
                Opcode::Not => unary(gates(&mut code, count), slots, |a| !a),
                Opcode::Zero => constant(gates(&mut code, count), slots, W::ZERO),
                Opcode::One => constant(gates(&mut code, count), slots, W::ONES),
                Opcode::Grow => grown = grown | grow(gates(&mut code, count), slots),
                Opcode::Fixpoint => fixpoint(&mut code, count, slots),
            }
        }
    }
    grown
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
unsafe fn binary<C: CodeWord, W: Word>(
    gates: &[[C; 3]],
    slots: &mut [W],
    operation: impl Fn(W, W) -> W,
) {
    for &[target, left, right] in gates {
        // SAFETY: the caller promises that these slots exist.
        unsafe {
            let value = operation(read(slots, left), read(slots, right));
            write(slots, target, value);
        }
    }
}

/// # Safety
/// The operands must name existing slots.
#[inline(always)]
unsafe fn unary<C: CodeWord, W: Word>(
    gates: &[[C; 2]],
    slots: &mut [W],
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
unsafe fn constant<C: CodeWord, W: Word>(gates: &[[C; 1]], slots: &mut [W], value: W) {
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
unsafe fn grow<C: CodeWord, W: Word>(gates: &[[C; 2]], slots: &mut [W]) -> W {
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

/// Runs a fixpoint of `count` variables whose header was just read.
///
/// The lanes of a word grow side by side and each round with a change makes at
/// least one of `count` variables true for good, so that `count` rounds and one
/// more in which nothing changes are enough for every lane. A body that is not
/// monotone has no least fixpoint; the bound makes it end too.
///
/// # Safety
/// As for [`execute`], of which this is a part: the lengths behind the header
/// are those of the variables and of a body without fixpoints.
unsafe fn fixpoint<C: CodeWord, W: Word>(code: &mut &[C], count: usize, slots: &mut [W]) {
    // SAFETY: parsing has checked the lengths and the variables.
    let body = unsafe {
        let &[[low, high]] = gates(code, 1) else { return };
        // In wide images the high word is zero.
        let words = (low.value() | high.value() << 16) as usize;
        constant(gates(code, count), slots, W::ZERO);
        gates::<C, 1>(code, words).as_flattened()
    };
    for _ in 0..=count {
        // SAFETY: the body was checked like the section around it.
        let grown = unsafe { execute(body, slots) };
        if grown.is_zero() {
            break;
        }
    }
}

/// # Safety
/// The slot must exist.
#[inline(always)]
unsafe fn read<C: CodeWord, W: Word>(slots: &[W], slot: C) -> W {
    let slot = slot.value() as usize;
    debug_assert!(slot < slots.len());
    // SAFETY: the caller promises that the slot exists.
    unsafe { *slots.get_unchecked(slot) }
}

/// # Safety
/// The slot must exist.
#[inline(always)]
unsafe fn write<C: CodeWord, W: Word>(slots: &mut [W], slot: C, value: W) {
    let slot = slot.value() as usize;
    debug_assert!(slot < slots.len());
    // SAFETY: the caller promises that the slot exists.
    unsafe { *slots.get_unchecked_mut(slot) = value };
}
