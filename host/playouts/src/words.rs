//! The widest words of this machine, found out when the program runs.

#[cfg(target_arch = "x86_64")]
mod x86;

use ruche_eval::OneLane;
use ruche_shared::WordWidth;

pub use ruche_eval::engine::Task;

/// Does something with words of this width, with vector instructions where this
/// machine has them. Everything below must be inlined (`#[inline(always)]`) or be
/// reached through [`Word::call`](ruche_eval::Word::call): what is not would be compiled without the vector
/// instructions of this machine.
pub fn with_word<T: Task>(width: WordWidth, task: T) -> T::Output {
    match width {
        WordWidth::One => task.run::<OneLane>(),
        WordWidth::Eight => task.run::<u8>(),
        WordWidth::Sixteen => task.run::<u16>(),
        WordWidth::ThirtyTwo => task.run::<u32>(),
        WordWidth::SixtyFour => task.run::<u64>(),
        WordWidth::Wide128 | WordWidth::Wide256 | WordWidth::Wide512 => with_vector(width, task),
    }
}

#[cfg(target_arch = "x86_64")]
use x86::{widest, with_vector};

#[cfg(not(target_arch = "x86_64"))]
fn with_vector<T: Task>(width: WordWidth, task: T) -> T::Output {
    use ruche_eval::Wide;
    match width {
        WordWidth::Wide512 => task.run::<Wide<8>>(),
        WordWidth::Wide256 => task.run::<Wide<4>>(),
        _ => task.run::<Wide<2>>(),
    }
}

/// Most other machines have 128 bits, and the compiler uses them.
#[cfg(not(target_arch = "x86_64"))]
fn widest() -> WordWidth {
    WordWidth::Wide128
}

/// The widest word for which this machine has registers.
#[must_use]
pub fn widest_word() -> WordWidth {
    widest()
}
