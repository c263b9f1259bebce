//! The serial port: the log of the board. Slow, so that it says little.

use core::fmt;

use crate::devices::put;

/// The serial port.
pub struct Log;

impl fmt::Write for Log {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(put);
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
