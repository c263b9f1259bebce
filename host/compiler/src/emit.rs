//! Emission: what the rooms before have made goes in, bytes come out.
//!
//! | module | question it answers |
//! |---|---|
//! | [`encode`] | which words does a cluster run? |
//! | [`symbols`] | what are its roles, moves and fluents called? |

pub(crate) mod encode;
pub mod symbols;
