//! The front: a checked description goes in, the ground program comes out.
//!
//! | module | question it answers |
//! |---|---|
//! | [`normalise`] | how is a rule written without `or` and nested `not`? |
//! | [`program`], [`terms`] | what are rules and terms made of then? |
//! | [`domains`], [`join_order`] | how large will a join be? |
//! | [`split`] | which variables can be summed out early? |
//! | [`relation`], [`view`], [`views`], [`plan`], [`plans`], [`join`], [`mod@derive`], [`ground`] | which atoms can ever hold? |

mod derive;
pub(crate) mod domains;
pub(crate) mod ground;
pub(crate) mod join;
pub(crate) mod join_order;
pub(crate) mod normalise;
pub(crate) mod plan;
mod plans;
pub(crate) mod program;
pub(crate) mod relation;
pub(crate) mod split;
pub(crate) mod terms;
pub(crate) mod view;
pub(crate) mod views;
