//! Where stacks and the memory of games lie.

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use ruche_runtime::arena::Memory;
use ruche_shared::budget::{CORES, KERNEL_BYTES, STACK_BYTES, SYSTEM_STACK_BYTES, TOTAL_BYTES};

use crate::log;
use crate::once::Once;

/// What unused stack is filled with, and what stands at its end.
pub const PAINT: u64 = 0x5AFE_57AC_5AFE_57AC;

const STACKS_BYTES: usize = (SYSTEM_STACK_BYTES + CORES as u64 * STACK_BYTES) as usize;

// The linker puts them behind the code, which has the rest.
const _: () = assert!(STACKS_BYTES as u64 + size_of::<Memory>() as u64 <= TOTAL_BYTES);
const _: () = assert!(size_of::<Memory>() as u64 == TOTAL_BYTES - KERNEL_BYTES);

/// The stack of the system core, then those of the others.
#[repr(C, align(4096))]
pub struct Stacks(UnsafeCell<[u64; STACKS_BYTES / 8]>);

// SAFETY: each core uses only its own stack; the others' are only looked at, word
// by word, for what is painted there.
unsafe impl Sync for Stacks {}

/// All stacks. The start-up code points each core to its own.
#[unsafe(link_section = ".stacks")]
pub static STACKS: Stacks = Stacks(UnsafeCell::new([0; STACKS_BYTES / 8]));

struct GameMemory(UnsafeCell<MaybeUninit<Memory>>);

// SAFETY: `TAKEN` lets only one have it.
unsafe impl Sync for GameMemory {}

#[unsafe(link_section = ".memory")]
static GAME_MEMORY: GameMemory = GameMemory(UnsafeCell::new(MaybeUninit::uninit()));
static TAKEN: Once = Once::new();

/// The memory of games, for whoever asks first.
pub fn take() -> Option<&'static mut Memory> {
    TAKEN.enter()?;
    // SAFETY: the only reference, since nobody else gets here; all of it is bytes that
    // need not be initialised.
    Some(unsafe { (*GAME_MEMORY.0.get()).assume_init_mut() })
}

/// The words of one hart's stack that were painted, from its end on.
fn stack(hart: usize) -> (*const u64, usize) {
    let (start, bytes) = match hart as u64 {
        0 => (0, SYSTEM_STACK_BYTES),
        core => (SYSTEM_STACK_BYTES + (core - 1) * STACK_BYTES, STACK_BYTES),
    };
    (STACKS.0.get().cast::<u64>().wrapping_byte_add(start as usize), bytes as usize / 8)
}

/// Words at the end of a stack that nobody may write: so many that hardly any frame
/// steps over all of them.
const GUARD_WORDS: usize = 16;

/// Whether a hart has come to the end of its stack.
pub fn is_overrun(hart: usize) -> bool {
    let (end, _) = stack(hart);
    // SAFETY: these are the last words of a stack.
    (0..GUARD_WORDS).any(|word| unsafe { end.add(word).read_volatile() != PAINT })
}

/// Bytes of its stack that a hart has used so far.
fn depth(hart: usize) -> usize {
    let (end, words) = stack(hart);
    // SAFETY: the words are those of a stack.
    let is_used = |word: &usize| unsafe { end.add(*word).read_volatile() != PAINT };
    (words - (0..words).find(is_used).unwrap_or(words)) * 8
}

/// Says how deep the stacks have been.
pub fn log_depths() {
    let deepest = (1..=CORES as usize).map(depth).max().unwrap_or(0);
    log!(
        "stacks: system core {} of {SYSTEM_STACK_BYTES} bytes, cores up to {deepest} of {STACK_BYTES}",
        depth(0)
    );
}
