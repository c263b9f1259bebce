//! What the `ruche` command can do apart from talking to a person: replaying
//! reference traces on the kernel's evaluator.
//!
//! | module | what it knows |
//! |---|---|
//! | [`names`] | what a person calls the roles, moves and fluents of an image |
//! | [`trace`] | what a reference implementation said, line by line |
//! | [`replay`] | whether the evaluator says the same |

pub mod names;
pub mod replay;
pub mod trace;
