//! A virtio console with one port: bytes in, bytes out.
//!
//! Its two queues take a kilobyte; the drivers that there are want an allocator or
//! four pages for them.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicU16, Ordering};

use crate::devices::{Place, Virtio, take_interrupt};
use crate::harts::fence;
use crate::once::Once;

/// Descriptors of a queue: as many buffers, or pieces of one message.
const LENGTH: usize = 4;
/// Bytes of a buffer for what arrives.
const BUFFER_BYTES: usize = 1024;

const RECEIVE: u32 = 0;
const TRANSMIT: u32 = 1;

const CONSOLE: u32 = 3;

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

    /// Where it is, for the device.
    fn place(&self) -> Place {
        Place {
            length: LENGTH,
            descriptors: (&raw const self.descriptors).addr(),
            offered: (&raw const self.offered).addr(),
            used: (&raw const self.used).addr(),
        }
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

/// Handed out once.
struct Shared(UnsafeCell<Memory>);

// SAFETY: `TAKEN` lets only one have it.
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared(UnsafeCell::new(Memory {
    receive: Queue::new(),
    transmit: Queue::new(),
    buffers: [[0; BUFFER_BYTES]; LENGTH],
}));
static TAKEN: Once = Once::new();

/// The console. There is never more than one.
pub struct Console {
    device: Virtio,
    memory: &'static mut Memory,
    /// Buffers that were received and given back.
    received: u16,
    /// Messages that were sent.
    sent: u16,
    /// Bytes of the oldest buffer that have been read.
    read: usize,
}

impl Console {
    /// Starts the console, if the board has one and nobody has it.
    pub fn open() -> Option<Self> {
        let device = Virtio::find(CONSOLE)?;
        TAKEN.enter()?;
        // SAFETY: the only reference, since nobody else gets here.
        let memory = unsafe { &mut *SHARED.0.get() };
        let mut console = Self { device, memory, received: 0, sent: 0, read: 0 };
        console.start();
        Some(console)
    }

    fn start(&mut self) {
        let Memory { receive, transmit, buffers } = self.memory;
        transmit.offered.flags = NO_INTERRUPT;
        self.device.begin();
        // SAFETY: the queues are in static memory. Descriptors are written in this file
        // only: they name the buffers here, which the device may write, and what
        // `send` was given, until the device has it.
        unsafe {
            self.device.place_queue(RECEIVE, &receive.place());
            self.device.place_queue(TRANSMIT, &transmit.place());
        }
        self.device.start();
        for (number, buffer) in buffers.iter_mut().enumerate() {
            let address = buffer.as_mut_ptr().expose_provenance() as u64;
            let (length, flags) = (BUFFER_BYTES as u32, DEVICE_WRITES);
            receive.descriptors[number] = Descriptor { address, length, flags, next: 0 };
            receive.offer(number as u16);
        }
        self.device.notify(RECEIVE);
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
            self.device.notify(RECEIVE);
        }
    }

    /// Takes the interrupt that something has arrived.
    pub fn take_interrupt(&mut self) {
        take_interrupt(|| self.device.take_reasons());
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
        self.device.notify(TRANSMIT);
        while !queue.has_more_than(self.sent) {
            core::hint::spin_loop();
        }
        self.sent = self.sent.wrapping_add(1);
    }
}
