//! What the host, the I/O node and the cluster kernel must agree on.
//!
//! Nothing here allocates or needs `std`: the same code is linked into the
//! compiler on the host and into the kernel that lives in 2 MB.
//!
//! | module | the agreement |
//! |---|---|
//! | [`image`] | how a game's circuit is laid out in bytes, written and validated |
//! | [`position`] | how the fluents of one state are packed |
//! | [`word`] | how many playouts share a slot |
//! | [`budget`] | how the 2 MB of a cluster are divided |
//! | [`stream`] | which random numbers each playout draws |
//! | [`names`] | what people call strategies, modes, words and other things |
//! | [`transport`] | what the ways to clusters are called |
//! | [`wire`] | the frames that they send each other |
#![no_std]

#[cfg(target_endian = "big")]
compile_error!(
    "images are little-endian and read in place: a big-endian machine needs a converting loader"
);

pub mod budget;
pub mod image;
pub mod names;
pub mod position;
pub mod stream;
pub mod transport;
pub mod wire;
pub mod word;

pub use image::{Image, ImageError};
pub use transport::Transport;
pub use word::WordWidth;
