//! Mapping: gates go in, cells in strata and slots come out.
//!
//! | module | question it answers |
//! |---|---|
//! | [`cover`] | which gates need no slot of their own? |
//! | [`schedule`] | in which order do the cells run? |
//! | [`lifetimes`], [`allocate`] | in which slots are their values? |

pub mod allocate;
pub mod cover;
pub mod lifetimes;
pub mod schedule;
