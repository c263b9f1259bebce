//! Virtio devices: what their registers are for.

use super::register::Register;
use super::{UART, enable_interrupt};

/// Where the first device may be.
const START: usize = UART + 0x1000;
/// Bytes between two of them.
const STEP: usize = 0x1000;
/// How many places there are.
const PLACES: usize = 8;

/// The registers, by where they are.
#[derive(Clone, Copy)]
#[repr(usize)]
enum Field {
    Magic = 0x00,
    Version = 0x04,
    Device = 0x08,
    Features = 0x20,
    FeaturesSelect = 0x24,
    QueueSelect = 0x30,
    QueueLength = 0x38,
    QueueReady = 0x44,
    QueueNotify = 0x50,
    InterruptStatus = 0x60,
    InterruptDone = 0x64,
    Status = 0x70,
    QueueDescriptors = 0x80,
    QueueDescriptorsHigh = 0x84,
    QueueOffered = 0x90,
    QueueOfferedHigh = 0x94,
    QueueUsed = 0xA0,
    QueueUsedHigh = 0xA4,
}

// States of the start-up, one on top of the other.
const FOUND: u32 = 1 | 2;
const AGREED: u32 = FOUND | 8;
const STARTED: u32 = AGREED | 4;

/// A virtio device of today's kind.
#[derive(Clone, Copy)]
pub struct Virtio {
    /// Below [`PLACES`].
    place: usize,
}

/// Where a queue lies, and how long it is.
pub struct Place {
    /// Descriptors, and so places in each of its rings.
    pub length: usize,
    /// The address of the descriptors.
    pub descriptors: usize,
    /// The address of what is offered to the device.
    pub offered: usize,
    /// The address of what it has used.
    pub used: usize,
}

impl Virtio {
    /// The first device with this number of a kind.
    pub fn find(kind: u32) -> Option<Self> {
        (0..PLACES).map(|place| Self { place }).find(|device| {
            device.read(Field::Magic) == u32::from_le_bytes(*b"virt")
                && device.read(Field::Version) == 2
                && device.read(Field::Device) == kind
        })
    }

    /// Resets the device and agrees with it on nothing but the one feature that says:
    /// of today's kind.
    pub fn begin(self) {
        self.write(Field::Status, 0);
        self.write(Field::Status, FOUND);
        self.write(Field::FeaturesSelect, 1);
        self.write(Field::Features, 1);
        self.write(Field::FeaturesSelect, 0);
        self.write(Field::Features, 0);
        self.write(Field::Status, AGREED);
    }

    /// Tells where a queue lies, between [`begin`](Self::begin) and
    /// [`start`](Self::start).
    ///
    /// # Safety
    /// There must be a queue of this length, which stays there for good and which the
    /// device may write. Whatever its descriptors ever name while they are offered
    /// must be memory that the device may read, or write if they say so.
    pub unsafe fn place_queue(self, number: u32, queue: &Place) {
        use Field::{QueueDescriptors, QueueDescriptorsHigh, QueueOffered, QueueOfferedHigh};
        use Field::{QueueUsed, QueueUsedHigh};
        let place = |low, high, address: usize| {
            self.write(low, address as u32);
            self.write(high, (address >> 32) as u32);
        };
        self.write(Field::QueueSelect, number);
        self.write(Field::QueueLength, queue.length as u32);
        place(QueueDescriptors, QueueDescriptorsHigh, queue.descriptors);
        place(QueueOffered, QueueOfferedHigh, queue.offered);
        place(QueueUsed, QueueUsedHigh, queue.used);
        self.write(Field::QueueReady, 1);
    }

    /// Lets the device run, and interrupt the system core.
    pub fn start(self) {
        self.write(Field::Status, STARTED);
        enable_interrupt(1 + self.place);
    }

    /// Something new is in a queue.
    pub fn notify(self, queue: u32) {
        self.write(Field::QueueNotify, queue);
    }

    /// Takes the reasons for which the device has interrupted.
    pub fn take_reasons(self) {
        self.write(Field::InterruptDone, self.read(Field::InterruptStatus));
    }

    fn read(self, field: Field) -> u32 {
        self.register(field).read()
    }

    fn write(self, field: Field, value: u32) {
        self.register(field).write(value);
    }

    fn register(self, field: Field) -> Register<u32> {
        // SAFETY: the machine has so many places, each with these registers. A device
        // touches only what its queues name; the one function that tells it of queues
        // says what it needs.
        unsafe { Register::at(START + self.place * STEP + field as usize) }
    }
}
