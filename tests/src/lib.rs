//! Common ground of the tests that need more than one crate.
//!
//! | module | what it gives |
//! |---|---|
//! | [`interpreter`] | the meaning of a description, slowly and plainly |
//! | [`movegen`] | the bundled games by hand |
//! | [`player`], [`perft`] | compiled games on the kernel's evaluator |
//! | [`corpus`] | real games with reference traces |
//! | [`fuzz`] | what must hold for any bytes from outside |
//! | [`random_game`] | random small games |
//! | [`judging`] | how a search answers questions whose answers are known |

pub mod corpus;
pub mod fuzz;
pub mod interpreter;
pub mod judging;
pub mod movegen;
pub mod perft;
pub mod player;
pub mod random_game;
