//! Frames on a serial line, where bytes may be lost, changed or made up.
//!
//! ```text
//! byte  0    4   8             64
//!       ├────┼───┼─────────────┤
//!       │sync│crc│    header   │ payload …
//!       └────┴───┴─────────────┘
//! ```
//! The checksum of a frame covers its payload, and so is known only when all of
//! it is there. Whoever reads a line must know before that how long the payload
//! is: a damaged length would make it wait for bytes that never come. So the
//! header has a checksum of its own here, and something to look for when the
//! reader has lost the thread.

use zerocopy::{FromBytes, IntoBytes};

use super::{HEADER_BYTES, Header};

/// What stands before each header.
pub const SYNC: [u8; 4] = [0xD3, 0x5A, 0xB7, 0x1E];

/// Bytes from the start of a frame to its payload.
pub const PREAMBLE_BYTES: usize = HEADER_START + HEADER_BYTES;

const CRC_START: usize = SYNC.len();
const HEADER_START: usize = CRC_START + size_of::<u32>();

/// Bit by bit: a table would take more memory than 56 bytes are worth.
const CRC: crc::Crc<u32, crc::NoTable> = crc::Crc::<u32, crc::NoTable>::new(&crc::CRC_32_ISO_HDLC);

/// What is sent before a payload.
#[must_use]
pub fn preamble(header: &Header) -> [u8; PREAMBLE_BYTES] {
    let mut bytes = [0; PREAMBLE_BYTES];
    bytes[..CRC_START].copy_from_slice(&SYNC);
    bytes[HEADER_START..].copy_from_slice(header.as_bytes());
    let crc = CRC.checksum(&bytes[HEADER_START..]);
    bytes[CRC_START..HEADER_START].copy_from_slice(&crc.to_le_bytes());
    bytes
}

/// Looks for headers in what comes over a line.
#[derive(Clone, Debug, Default)]
pub struct Seeker {
    /// What may be the start of a preamble.
    window: heapless::Vec<u8, PREAMBLE_BYTES>,
    skipped: u64,
}

impl Seeker {
    /// Takes bytes up to the end of the next header. Returns how many were taken,
    /// and the header, whose payload follows.
    pub fn take(&mut self, bytes: &[u8]) -> (usize, Option<Header>) {
        let mut taken = 0;
        while taken < bytes.len() {
            let more = (PREAMBLE_BYTES - self.window.len()).min(bytes.len() - taken);
            // There is room for so many.
            let _ = self.window.extend_from_slice(&bytes[taken..][..more]);
            taken += more;
            self.realign();
            if self.window.is_full() {
                match self.header() {
                    Some(header) => {
                        self.window.clear();
                        return (taken, Some(header));
                    }
                    None => self.skip_one(),
                }
            }
        }
        (taken, None)
    }

    /// Bytes that belonged to no header so far.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Whether a header has begun that is not complete.
    #[must_use]
    pub fn is_inside(&self) -> bool {
        !self.window.is_empty()
    }

    /// Gives up what has begun: its rest will not come.
    pub fn give_up(&mut self) {
        self.drop_first(self.window.len());
    }

    fn header(&self) -> Option<Header> {
        let (crc, header) = self.window[CRC_START..].split_at(HEADER_START - CRC_START);
        let is_sound = CRC.checksum(header).to_le_bytes() == crc;
        Header::read_from_bytes(header).ok().filter(|_| is_sound)
    }

    /// What looked like a preamble is none.
    fn skip_one(&mut self) {
        self.drop_first(1);
        self.realign();
    }

    /// Drops bytes until the window starts like a preamble, or is empty.
    fn realign(&mut self) {
        let window = &self.window;
        let is_start = |at: &usize| {
            let length = SYNC.len().min(window.len() - at);
            window[*at..][..length] == SYNC[..length]
        };
        let start = (0..window.len()).find(is_start).unwrap_or(window.len());
        if start > 0 {
            self.drop_first(start);
        }
    }

    fn drop_first(&mut self, count: usize) {
        self.window.copy_within(count.., 0);
        self.window.truncate(self.window.len() - count);
        self.skipped += count as u64;
    }
}
