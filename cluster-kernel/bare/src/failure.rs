//! Panics and traps: the last words of a cluster.
//!
//! Whichever core fails leaves a text and rings the system core, which alone may
//! use the link. It sends the text to the I/O node and the cluster halts; the board
//! stays on, with its log.

use core::cell::UnsafeCell;
use core::fmt::Display;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicU32, Ordering};

use ruche_shared::wire::control::Text;

use crate::devices::ring;
use crate::harts::{SYSTEM, fence, park, this};
use crate::link;
use crate::log;
use crate::memory;

const NONE: u32 = 0;
const BEING_WRITTEN: u32 = 1;
const WRITTEN: u32 = 2;
const BEING_SENT: u32 = 3;

/// How often the system core looks whether last words are complete.
const MOST_LOOKS: u32 = 10_000_000;

static STATE: AtomicU32 = AtomicU32::new(NONE);

struct LastWords(UnsafeCell<Option<Text>>);

// SAFETY: `STATE` says who has it: whoever made it `BEING_WRITTEN`, then the system
// core, which made it `BEING_SENT`.
unsafe impl Sync for LastWords {}

static LAST_WORDS: LastWords = LastWords(UnsafeCell::new(None));

/// Halts the cluster and says why. Only the first failure counts.
pub fn fail(why: &dyn Display) -> ! {
    let hart = this();
    if STATE.compare_exchange(NONE, BEING_WRITTEN, Ordering::Acquire, Ordering::Relaxed).is_ok() {
        let text = match hart.checked_sub(1) {
            None => Text::of(format_args!("system core: {why}")),
            Some(core) => Text::of(format_args!("core {core}: {why}")),
        };
        // SAFETY: the state was changed by this hart, which has the text now.
        unsafe { *LAST_WORDS.0.get() = Some(text) };
        STATE.store(WRITTEN, Ordering::Release);
        fence();
        ring(SYSTEM);
    }
    if hart == SYSTEM {
        report_if_any();
    }
    park()
}

/// The system core, wherever it waits: sends what some core left and halts.
pub fn report_if_any() {
    if STATE.load(Ordering::Relaxed) == NONE || this() != SYSTEM {
        return;
    }
    // Not for ever: the system core itself may have failed while it wrote.
    for _ in 0..MOST_LOOKS {
        if STATE.load(Ordering::Relaxed) != BEING_WRITTEN {
            break;
        }
        core::hint::spin_loop();
    }
    // If it is being sent already, sending it has failed.
    if STATE.compare_exchange(WRITTEN, BEING_SENT, Ordering::Acquire, Ordering::Relaxed).is_ok() {
        // SAFETY: the state was changed by this hart, which has the text now.
        if let Some(text) = unsafe { (*LAST_WORDS.0.get()).take() } {
            log!("halted: {text}");
            link::send_last_words(text);
        }
    }
    park()
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    match info.location() {
        Some(place) => {
            fail(&format_args!("{} ({}:{})", info.message(), place.file(), place.line()))
        }
        None => fail(&info.message()),
    }
}

/// Called by the start-up code's trap handler: an access that is not allowed, or an
/// instruction that does not exist.
pub extern "C" fn trap(cause: usize, at: usize, value: usize) -> ! {
    let what = match cause {
        1 => "executes what is no code",
        2 => "executes an illegal instruction",
        4 | 6 => "accesses an address that is not aligned",
        5 => "reads outside of its memory",
        7 => "writes outside of its memory",
        _ => "traps",
    };
    let why = if memory::is_overrun(this()) { "its stack is full: it " } else { "" };
    fail(&format_args!("{why}{what} at {value:#x} (cause {cause}, instruction {at:#x})"))
}
