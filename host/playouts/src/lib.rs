//! The kernel's playouts on a host: words as wide as the machine's registers,
//! native code where it can be made, and as many threads as one likes.
//!
//! | module | what it knows |
//! |---|---|
//! | [`words`] | which vector registers this machine has |
//! | [`supply`] | how threads share the playouts of many positions |
//! | [`games`] | playouts one by one instead of sums |
//! | [`run`] | players on threads, and what their time was |
//! | [`stopwatch`] | where that time went |

pub mod games;
pub mod run;
pub mod stopwatch;
pub mod supply;
pub mod words;

pub use games::Games;
pub use run::{Engine, HostCircuit, Measured, PlayoutsError, Ready, Settings, play};
pub use stopwatch::Parts;
pub use supply::{Amount, Supply};
pub use words::widest_word;
