//! Registers of devices as values.

use core::marker::PhantomData;

/// A register of a device.
#[derive(Clone, Copy)]
pub(super) struct Register<T>(usize, PhantomData<T>);

impl<T> Register<T> {
    /// The register at an address.
    ///
    /// # Safety
    /// 1. There must be a register of this type, which may be read and written at any
    ///    time, by any core.
    /// 2. Whatever is written, neither the device nor the core may touch memory
    ///    because of it that belongs to somebody else.
    pub const unsafe fn at(address: usize) -> Self {
        Self(address, PhantomData)
    }

    /// Reads it.
    pub fn read(self) -> T {
        // SAFETY: there is such a register, as whoever made this has promised.
        unsafe { (self.0 as *const T).read_volatile() }
    }

    /// Writes it.
    pub fn write(self, value: T) {
        // SAFETY: as above, and no value does harm.
        unsafe { (self.0 as *mut T).write_volatile(value) }
    }
}

/// Registers of one kind, one behind the other.
#[derive(Clone, Copy)]
pub(super) struct Bank<T, const COUNT: usize>(Register<T>);

impl<T, const COUNT: usize> Bank<T, COUNT> {
    /// The registers from an address on.
    ///
    /// # Safety
    /// What [`Register::at`] demands, for each of them.
    pub const unsafe fn at(address: usize) -> Self {
        // SAFETY: as the caller promises for the first of them.
        Self(unsafe { Register::at(address) })
    }

    /// One of the registers.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn of(self, index: usize) -> Register<T> {
        assert!(index < COUNT, "there is no such register");
        Register(self.0.0 + index * size_of::<T>(), PhantomData)
    }
}
