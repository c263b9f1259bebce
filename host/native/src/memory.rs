//! Executable memory: written first, then executable and never written again.

use memmap2::{Mmap, MmapMut};

use crate::error::NativeError;

/// Code that can be called.
#[derive(Debug)]
pub(crate) struct Executable(Mmap);

/// What the code is: a function of the slots and of the frame.
pub(crate) type Function = unsafe extern "sysv64" fn(*mut u8, *mut u8);

impl Executable {
    /// A copy of some code that can be called.
    pub(crate) fn new(code: &[u8]) -> Result<Self, NativeError> {
        let refused = |error: std::io::Error| NativeError::Memory { reason: error.to_string() };
        let mut memory = MmapMut::map_anon(code.len().max(1)).map_err(refused)?;
        memory[..code.len()].copy_from_slice(code);
        memory.make_exec().map(Self).map_err(refused)
    }

    /// The function at some place in the code.
    ///
    /// # Safety
    /// A function with this signature must start there, and it must not be
    /// called after `self` is gone.
    pub(crate) unsafe fn function(&self, place: usize) -> Function {
        let start = self.0[place..].as_ptr();
        // SAFETY: the caller promises that a function starts there.
        unsafe { std::mem::transmute::<*const u8, Function>(start) }
    }
}
