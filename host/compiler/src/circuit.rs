//! The circuit: the ground program goes in, one signal for each atom comes out.
//!
//! | module | question it answers |
//! |---|---|
//! | [`network`] | which node is the conjunction of these signals? |
//! | [`onehot`] | what follows from the one move that each role plays? |
//! | [`instantiate`] | what is the condition of each atom? |
//! | [`recursion`] | and if atoms depend on each other in a circle? |

pub mod instantiate;
pub mod network;
pub mod onehot;
pub mod recursion;
