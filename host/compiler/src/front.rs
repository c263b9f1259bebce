//! The front: a checked description goes in, the ground program comes out.
//!
//! | module | question it answers |
//! |---|---|
//! | [`normalise`] | how is a rule written without `or` and nested `not`? |
//! | [`program`], [`terms`] | what are rules and terms made of then? |
//! | [`domains`], [`join_order`] | how large will a join be? |
//! | [`split`] | which variables can be summed out early? |
//! | [`relation`], [`join`], [`ground`] | which atoms can ever hold? |

pub mod domains;
pub mod ground;
pub mod join;
pub mod join_order;
pub mod normalise;
pub mod program;
pub mod relation;
pub mod split;
pub mod terms;
