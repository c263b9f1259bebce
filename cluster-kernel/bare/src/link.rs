//! Frames to and from the I/O node, over a line that may lose bytes.

use core::cell::UnsafeCell;
use core::marker::PhantomData;

use ruche_runtime::hal::{Link, LinkClosed};
use ruche_shared::wire::control::{self, Refusal, Text};
use ruche_shared::wire::serial::{Seeker, preamble};
use ruche_shared::wire::{Header, Kind};

use crate::console::Console;
use crate::devices::{NEVER, TICK_NANOSECONDS, set_timer, ticks};
use crate::failure::report_if_any;
use crate::harts::{DEVICE, RING, SYSTEM, TIMER, fence, park, sleep_until, this};
use crate::memory;

/// A frame whose next byte does not come for so long is given up.
const PATIENCE_TICKS: u64 = 250_000_000 / TICK_NANOSECONDS;

struct Line(UnsafeCell<Option<Console>>);

// SAFETY: only the system core uses it; the last words of a cluster, too, are sent
// by the system core, which does nothing else after that.
unsafe impl Sync for Line {}

static LINE: Line = Line(UnsafeCell::new(None));

/// The way to the I/O node.
pub struct BoardLink {
    console: &'static mut Console,
    seeker: Seeker,
    /// Bytes of the last frame's payload that have not been read.
    left: usize,
    /// What the seeker had skipped when that was last said.
    reported: u64,
    /// No other core may have it.
    stays: PhantomData<*mut ()>,
}

impl BoardLink {
    /// Starts the console, if there is one. Only the system core gets a link, and only
    /// one.
    pub fn open() -> Option<Self> {
        let console = Console::open().filter(|_| this() == SYSTEM)?;
        // SAFETY: this is the system core, and there is no second console for which
        // this could be done again.
        let console = unsafe { (*LINE.0.get()).insert(console) };
        let seeker = Seeker::default();
        Some(Self { console, seeker, left: 0, reported: 0, stays: PhantomData })
    }

    /// Waits until bytes have arrived. Inside of a frame not for ever: returns
    /// whether some have.
    fn wait(&mut self, is_inside: bool) -> bool {
        let deadline = if is_inside { ticks() + PATIENCE_TICKS } else { NEVER };
        set_timer(SYSTEM, deadline);
        while self.console.arrived().is_empty() {
            if is_inside && ticks() >= deadline {
                return false;
            }
            let timer = if is_inside { TIMER } else { 0 };
            sleep_until(DEVICE | RING | timer);
            // Before looking for what it was for, or it would be lost.
            crate::devices::unring(SYSTEM);
            fence();
            report_if_any();
            self.console.take_interrupt();
        }
        true
    }

    /// Takes up to `most` bytes of a payload, if they come.
    fn take(&mut self, most: usize, mut use_bytes: impl FnMut(&[u8])) -> Option<usize> {
        if !self.wait(true) {
            return None;
        }
        let arrived = self.console.arrived();
        let count = arrived.len().min(most);
        use_bytes(&arrived[..count]);
        self.console.take(count);
        Some(count)
    }

    /// The next byte, whatever it belongs to.
    pub fn next_byte(&mut self) -> u8 {
        while !self.wait(false) {}
        let byte = self.console.arrived()[0];
        self.console.take(1);
        byte
    }

    /// Skips what is left of the last payload.
    fn skip_payload(&mut self) {
        while self.left > 0 {
            match self.take(self.left, |_| ()) {
                Some(count) => self.left -= count,
                None => self.left = 0,
            }
        }
    }

    /// Says that something could not be read, if so.
    fn report_garbage(&mut self) {
        if self.seeker.skipped() != self.reported {
            self.reported = self.seeker.skipped();
            self.console.send(&[&preamble(&Header::new(Kind::Garbled).sealed(&[]))]);
        }
    }
}

impl Link for BoardLink {
    fn receive(&mut self) -> Result<Header, LinkClosed> {
        if memory::is_overrun(SYSTEM) {
            crate::failure::fail(&"it has overrun its stack");
        }
        self.skip_payload();
        loop {
            if self.console.arrived().is_empty() {
                if !self.seeker.is_inside() {
                    self.report_garbage();
                }
                if !self.wait(self.seeker.is_inside()) {
                    self.seeker.give_up();
                    continue;
                }
            }
            let (taken, header) = self.seeker.take(self.console.arrived());
            self.console.take(taken);
            if let Some(header) = header {
                self.report_garbage();
                self.left = header.length as usize;
                return Ok(header);
            }
        }
    }

    fn payload(&mut self, into: &mut [u8]) -> Result<(), LinkClosed> {
        let mut filled = 0;
        while filled < into.len() {
            let rest = &mut into[filled..];
            let most = rest.len();
            match self.take(most, |bytes| rest[..bytes.len()].copy_from_slice(bytes)) {
                Some(count) => filled += count,
                // What is missing makes the checksum wrong: the frame is dropped.
                None => break,
            }
        }
        self.left = 0;
        Ok(())
    }

    fn send(&mut self, header: &Header, pieces: &[&[u8]]) -> Result<(), LinkClosed> {
        let preamble = preamble(header);
        match pieces {
            [] => self.console.send(&[&preamble]),
            [piece] => self.console.send(&[&preamble, piece]),
            _ => {
                self.console.send(&[&preamble]);
                pieces.iter().for_each(|piece| self.console.send(&[piece]));
            }
        }
        Ok(())
    }
}

/// Sends what a cluster died of, if this is the system core, and halts it.
pub fn send_last_words(text: Text) -> ! {
    if this() == SYSTEM {
        send_failure(text);
    }
    park()
}

fn send_failure(text: Text) {
    // SAFETY: this is the system core, which has the only link and does nothing else any
    // more: nobody uses the other reference again.
    let console = unsafe { (*LINE.0.get()).as_mut() };
    let mut buffer = [0; control::LONGEST];
    let refusal = Refusal { cluster: None, text };
    if let (Some(console), Ok(packed)) =
        (console, control::pack(&refusal, Kind::Failed, &mut buffer))
    {
        console.send(&[&preamble(&Header::new(Kind::Failed).sealed(&[packed])), packed]);
    }
}
