//! The serial port: the log of the board. Slow, so that it says little.

use core::fmt;

use crate::devices::{UART, read, write};

/// The serial port.
pub struct Log;

impl fmt::Write for Log {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            while read::<u8>(UART + 5) & 0x20 == 0 {}
            write(UART, byte);
        }
        Ok(())
    }
}

/// Writes a line to the log. Only the system core does.
#[macro_export]
macro_rules! log {
    ($($what:tt)*) => {{
        use core::fmt::Write as _;
        // The port takes everything.
        let _ = writeln!($crate::log::Log, $($what)*);
    }};
}
