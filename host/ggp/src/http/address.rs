//! Where a player can be reached.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The port of a player of whom nothing else is said.
pub const USUAL_PORT: u16 = 9147;

/// The address of a player, as in `http://127.0.0.1:9147`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// A name or a number.
    pub host: String,
    /// The port.
    pub port: u16,
    /// What is asked for there; mostly `/`.
    pub path: String,
}

/// Why a text is no address.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is no address of a player: write http://HOST:PORT")]
pub struct AddressError {
    /// What was typed.
    pub text: String,
}

const SCHEME: &str = "http://";

impl Address {
    /// Whether a text looks as if an address was meant.
    #[must_use]
    pub fn is_meant(text: &str) -> bool {
        text.contains("://")
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let wrong = || AddressError { text: text.to_owned() };
        let rest = text.strip_prefix(SCHEME).ok_or_else(wrong)?;
        let (place, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let is_plain = |text: &str| text.chars().all(|it| it.is_ascii_graphic());
        // An address of version 6 has colons of its own, and brackets around them.
        let end = place.rfind(']').map_or(0, |bracket| bracket + 1);
        let (host, port) = match place[end..].find(':') {
            Some(colon) => {
                let (host, port) = place.split_at(end + colon);
                (host, port[1..].parse().map_err(|_| wrong())?)
            }
            None => (place, USUAL_PORT),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() || host.contains('@') || !is_plain(rest) {
            return Err(wrong());
        }
        let path = if path.is_empty() { "/" } else { path }.to_owned();
        Ok(Self { host, port, path })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, path } = self;
        let path = if path == "/" { "" } else { path };
        match host.contains(':') {
            true => write!(formatter, "{SCHEME}[{host}]:{port}{path}"),
            false => write!(formatter, "{SCHEME}{host}:{port}{path}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        for (text, written) in [
            ("http://localhost", "http://localhost:9147"),
            ("http://127.0.0.1:80/", "http://127.0.0.1:80"),
            ("http://[::1]:9148/play", "http://[::1]:9148/play"),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!(address.to_string(), written);
            assert_eq!(written.parse(), Ok(address));
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in [
            "",
            "localhost",
            "https://x",
            "http://",
            "http://x:",
            "http://x:99999",
            "http://a b",
            "http://u@x",
            "http://x/\r\nEvil: 1",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
