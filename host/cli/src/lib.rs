//! What the `ruche` command can do apart from talking to a person: replaying
//! reference traces and moves on the kernel's evaluator.
//!
//! | module | what it knows |
//! |---|---|
//! | [`moves`] | which position the moves lead to that a person types |
//! | [`names`] | what a person calls the roles, moves and fluents of an image |
//! | [`trace`] | what a reference implementation said, line by line |
//! | [`replay`] | whether the evaluator says the same |

pub mod moves;
pub mod names;
pub mod replay;
pub mod trace;
