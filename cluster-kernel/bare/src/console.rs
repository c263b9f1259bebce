//! A virtio console with one port: bytes in, bytes out.
//!
//! Its two queues take a kilobyte; the drivers that there are want an allocator or
//! four pages for them.

use core::ptr::addr_of_mut;
use core::sync::atomic::{AtomicU16, Ordering};

use crate::devices::{
    VIRTIO, VIRTIO_PLACES, VIRTIO_STEP, enable_interrupt, read, take_interrupt, write,
};
use crate::harts::fence;

/// Descriptors of a queue: as many buffers, or pieces of one message.
const LENGTH: usize = 4;
/// Bytes of a buffer for what arrives.
const BUFFER_BYTES: usize = 1024;

// Registers of a virtio device.
const MAGIC: usize = 0x00;
const VERSION: usize = 0x04;
const DEVICE: usize = 0x08;
const FEATURES: usize = 0x20;
const FEATURES_SELECT: usize = 0x24;
const QUEUE_SELECT: usize = 0x30;
const QUEUE_LENGTH: usize = 0x38;
const QUEUE_READY: usize = 0x44;
const QUEUE_NOTIFY: usize = 0x50;
const INTERRUPT_STATUS: usize = 0x60;
const INTERRUPT_DONE: usize = 0x64;
const STATUS: usize = 0x70;
const QUEUE_DESCRIPTORS: usize = 0x80;
const QUEUE_OFFERED: usize = 0x90;
const QUEUE_USED: usize = 0xA0;

const RECEIVE: u32 = 0;
const TRANSMIT: u32 = 1;

const CONSOLE: u32 = 3;

// States of the start-up, one on top of the other.
const FOUND: u32 = 1 | 2;
const AGREED: u32 = FOUND | 8;
const STARTED: u32 = AGREED | 4;

#[derive(Clone, Copy)]
#[repr(C)]
struct Descriptor {
    address: u64,
    length: u32,
    flags: u16,
    next: u16,
}

const CONTINUES: u16 = 1;
const DEVICE_WRITES: u16 = 2;

#[repr(C)]
struct Offered {
    flags: u16,
    count: AtomicU16,
    ring: [u16; LENGTH],
}

const NO_INTERRUPT: u16 = 1;

#[derive(Clone, Copy)]
#[repr(C)]
struct Use {
    descriptor: u32,
    length: u32,
}

#[repr(C)]
struct Used {
    flags: u16,
    count: AtomicU16,
    ring: [Use; LENGTH],
}

#[repr(C, align(16))]
struct Queue {
    descriptors: [Descriptor; LENGTH],
    offered: Offered,
    used: Used,
}

impl Queue {
    const fn new() -> Self {
        Queue {
            descriptors: [Descriptor { address: 0, length: 0, flags: 0, next: 0 }; LENGTH],
            offered: Offered { flags: 0, count: AtomicU16::new(0), ring: [0; LENGTH] },
            used: Used {
                flags: 0,
                count: AtomicU16::new(0),
                ring: [Use { descriptor: 0, length: 0 }; LENGTH],
            },
        }
    }

    /// Tells the device where the queue is.
    fn register(&self, base: usize, number: u32) {
        let set = |register: usize, address: usize| {
            write(base + register, address as u32);
            write(base + register + 4, (address >> 32) as u32);
        };
        write(base + QUEUE_SELECT, number);
        write(base + QUEUE_LENGTH, LENGTH as u32);
        set(QUEUE_DESCRIPTORS, (&raw const self.descriptors).addr());
        set(QUEUE_OFFERED, (&raw const self.offered).addr());
        set(QUEUE_USED, (&raw const self.used).addr());
        write(base + QUEUE_READY, 1_u32);
    }

    /// Offers a descriptor, or the chain that it begins, to the device.
    fn offer(&mut self, descriptor: u16) {
        let count = self.offered.count.load(Ordering::Relaxed);
        self.offered.ring[usize::from(count) % LENGTH] = descriptor;
        fence();
        self.offered.count.store(count.wrapping_add(1), Ordering::Release);
        fence();
    }

    /// Whether the device has used more than this.
    fn has_more_than(&self, seen: u16) -> bool {
        self.used.count.load(Ordering::Acquire) != seen
    }

    fn use_of(&self, seen: u16) -> Use {
        // SAFETY: the device writes there, so that the compiler must not know better.
        unsafe { (&raw const self.used.ring[usize::from(seen) % LENGTH]).read_volatile() }
    }
}

/// What the device and the system core share.
struct Memory {
    receive: Queue,
    transmit: Queue,
    buffers: [[u8; BUFFER_BYTES]; LENGTH],
}

static mut MEMORY: Memory =
    Memory { receive: Queue::new(), transmit: Queue::new(), buffers: [[0; BUFFER_BYTES]; LENGTH] };

/// The console. Only the system core has it.
pub struct Console {
    base: usize,
    memory: &'static mut Memory,
    /// Buffers that were received and given back.
    received: u16,
    /// Messages that were sent.
    sent: u16,
    /// Bytes of the oldest buffer that have been read.
    read: usize,
}

impl Console {
    /// Starts the console, if the board has one.
    ///
    /// # Safety
    /// Only one call is allowed.
    pub unsafe fn start() -> Option<Self> {
        let place = (0..VIRTIO_PLACES).find(|place| {
            let base = VIRTIO + place * VIRTIO_STEP;
            let of = |register| read::<u32>(base + register);
            of(MAGIC) == u32::from_le_bytes(*b"virt") && of(VERSION) == 2 && of(DEVICE) == CONSOLE
        })?;
        let base = VIRTIO + place * VIRTIO_STEP;
        // SAFETY: the only reference, as the caller promises.
        let memory = unsafe { &mut *addr_of_mut!(MEMORY) };
        let mut console = Self { base, memory, received: 0, sent: 0, read: 0 };
        console.agree();
        enable_interrupt(1 + place);
        Some(console)
    }

    fn agree(&mut self) {
        let set = |register, value: u32| write(self.base + register, value);
        set(STATUS, 0);
        set(STATUS, FOUND);
        // Nothing but the one feature that says: of today's kind.
        set(FEATURES_SELECT, 1);
        set(FEATURES, 1);
        set(FEATURES_SELECT, 0);
        set(FEATURES, 0);
        set(STATUS, AGREED);
        self.memory.receive.register(self.base, RECEIVE);
        self.memory.transmit.offered.flags = NO_INTERRUPT;
        self.memory.transmit.register(self.base, TRANSMIT);
        set(STATUS, STARTED);
        for (number, buffer) in self.memory.buffers.iter().enumerate() {
            let address = buffer.as_ptr().addr() as u64;
            let (length, flags) = (BUFFER_BYTES as u32, DEVICE_WRITES);
            self.memory.receive.descriptors[number] =
                Descriptor { address, length, flags, next: 0 };
            self.memory.receive.offer(number as u16);
        }
        set(QUEUE_NOTIFY, RECEIVE);
    }

    /// What has come and was not [taken](Self::take); nothing if nothing has.
    pub fn arrived(&self) -> &[u8] {
        if !self.memory.receive.has_more_than(self.received) {
            return &[];
        }
        let Use { descriptor, length } = self.memory.receive.use_of(self.received);
        let buffer = &self.memory.buffers[descriptor as usize % LENGTH];
        &buffer[..(length as usize).min(BUFFER_BYTES)][self.read..]
    }

    /// Takes so many bytes of what has [arrived](Self::arrived).
    pub fn take(&mut self, count: usize) {
        self.read += count;
        if self.arrived().is_empty() && self.memory.receive.has_more_than(self.received) {
            let Use { descriptor, .. } = self.memory.receive.use_of(self.received);
            self.received = self.received.wrapping_add(1);
            self.read = 0;
            self.memory.receive.offer(descriptor as u16 % LENGTH as u16);
            write(self.base + QUEUE_NOTIFY, RECEIVE);
        }
    }

    /// Takes the interrupt that something has arrived.
    pub fn take_interrupt(&mut self) {
        take_interrupt(|| {
            let status: u32 = read(self.base + INTERRUPT_STATUS);
            write(self.base + INTERRUPT_DONE, status);
        });
    }

    /// Sends the pieces one after the other, where they lie; returns when the device
    /// has them.
    ///
    /// # Panics
    /// If there are more pieces than a queue is long.
    pub fn send(&mut self, pieces: &[&[u8]]) {
        let queue = &mut self.memory.transmit;
        let pieces = pieces.iter().filter(|piece| !piece.is_empty());
        let mut count = 0;
        for piece in pieces {
            let (address, length) = (piece.as_ptr().addr() as u64, piece.len() as u32);
            let next = count as u16 + 1;
            queue.descriptors[count] = Descriptor { address, length, flags: CONTINUES, next };
            count += 1;
        }
        let Some(last) = count.checked_sub(1) else { return };
        queue.descriptors[last].flags = 0;
        queue.offer(0);
        write(self.base + QUEUE_NOTIFY, TRANSMIT);
        while !queue.has_more_than(self.sent) {
            core::hint::spin_loop();
        }
        self.sent = self.sent.wrapping_add(1);
    }
}
