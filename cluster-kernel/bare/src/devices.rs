//! Addresses of the emulated board: QEMU's `virt` machine.

/// Interrupts between cores and the clock.
pub const CLINT: usize = 0x0200_0000;
/// Interrupts of devices.
pub const PLIC: usize = 0x0C00_0000;
/// The serial port.
pub const UART: usize = 0x1000_0000;
/// Places where a virtio device may be.
pub const VIRTIO: usize = 0x1000_1000;
/// Bytes between two of them.
pub const VIRTIO_STEP: usize = 0x1000;
/// How many there are.
pub const VIRTIO_PLACES: usize = 8;
/// Ends the emulation.
const TEST: usize = 0x0010_0000;

/// For the memory protection: blocks of devices that may be touched.
pub const PMP_DEVICES: [usize; 4] =
    [block(CLINT, 0x1_0000), block(PLIC, 0x400_0000), block(UART, 0x1_0000), block(TEST, 0x1000)];

/// A block whose size is a power of two, as a protection entry names it.
const fn block(start: usize, bytes: usize) -> usize {
    assert!(bytes.is_power_of_two() && start.is_multiple_of(bytes));
    start >> 2 | ((bytes >> 3) - 1)
}

/// Everything went well.
pub const PASSED: u32 = 0x5555;
/// Something did not.
pub const FAILED: u32 = 0x3333;

/// Reads a register of a device.
pub fn read<T>(address: usize) -> T {
    // SAFETY: addresses come from this module and are those of devices.
    unsafe { (address as *const T).read_volatile() }
}

/// Writes a register of a device.
pub fn write<T>(address: usize, value: T) {
    // SAFETY: as above; devices that write to memory are told only of memory that
    // is meant for it.
    unsafe { (address as *mut T).write_volatile(value) }
}

/// Ends the emulation.
pub fn power_off(how: u32) -> ! {
    write(TEST, how);
    crate::harts::park()
}

/// Ticks of the clock since power-on: 10 million in a second.
pub fn ticks() -> u64 {
    read(CLINT + 0xBFF8)
}

/// Nanoseconds of a tick.
pub const TICK_NANOSECONDS: u64 = 100;

/// A tick that does not come. At reset the timers have gone off, and an emulator then
/// wakes all harts whenever a device has something to say.
pub const NEVER: u64 = u64::MAX;

/// The timer of a hart goes off at this tick.
pub fn set_timer(hart: usize, tick: u64) {
    write(CLINT + 0x4000 + 8 * hart, tick);
}

/// Rings a hart.
pub fn ring(hart: usize) {
    write(CLINT + 4 * hart, 1_u32);
}

/// Takes a ring back.
pub fn unring(hart: usize) {
    write(CLINT + 4 * hart, 0_u32);
}

/// Lets a device interrupt the system core.
pub fn enable_interrupt(source: usize) {
    write(PLIC + 4 * source, 1_u32);
    write(PLIC + 0x2000, 1_u32 << source);
    write(PLIC + 0x20_0000, 0_u32);
}

/// Takes an interrupt of a device, runs `handle`, and allows the next.
pub fn take_interrupt(handle: impl FnOnce()) {
    let source: u32 = read(PLIC + 0x20_0004);
    handle();
    if source != 0 {
        write(PLIC + 0x20_0004, source);
    }
}
