//! The protocol of General Game Playing: a manager asks, players answer, in KIF text over
//! HTTP.
//!
//! | module | question it answers |
//! |---|---|
//! | [`kif`] | where does an expression end, and how is it written plainly? |
//! | [`message`] | what does a manager say? |
//! | [`scramble`] | what are things called so that nobody knows them? |
//! | [`status`] | what does a player say about itself? |
//! | [`http`] | how do texts get from one to the other, and what may that cost? |
//!
//! Nothing here knows a game. Whatever comes from outside is bounded in size and in time,
//! and what is not understood is refused by name.
//!
//! ```
//! use ruche_ggp::Message;
//!
//! let message = Message::parse("( play match.1 ( (mark 1 1) noop ) )")?;
//! assert_eq!(message.to_string(), "(PLAY match.1 ((mark 1 1) noop))");
//! # Ok::<(), ruche_ggp::MessageError>(())
//! ```
#![forbid(unsafe_code)]

pub mod http;
pub mod kif;
pub mod message;
pub mod scramble;
pub mod status;

pub use http::{Address, AddressError, CallError, Called, Request, Server, ServerError, call};
pub use message::{Message, MessageError, Start};
pub use status::Status;
