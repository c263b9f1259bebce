//! How far the compiler goes before it gives up by itself. The limits count
//! work and storage, not seconds, so that the same game ends the same way on
//! every machine.

/// The limits of one compilation.
#[derive(Clone, Debug)]
pub struct WorkLimits {
    /// Rows that the grounder may store over all relations.
    pub rows: usize,
    /// Candidate rows and conditions that the joins may look at; making plans and
    /// indexes for them counts too.
    pub join_steps: u64,
    /// Ground clauses.
    pub clauses: u64,
    /// Circuit nodes, before optimisation.
    pub nodes: usize,
    /// Depth of nested terms.
    pub term_depth: u16,
    /// Names in a term.
    pub term_size: u32,
    /// Conjunctions that the `or`s of one rule may expand to.
    pub alternatives: usize,
    /// Conditions that the `or`s of all rules may be expanded to.
    pub conditions: usize,
}

impl Default for WorkLimits {
    /// Chosen so that a compilation stays below some ten seconds and 2 GB on a
    /// machine of 2020.
    fn default() -> Self {
        WorkLimits {
            rows: 4_000_000,
            join_steps: 150_000_000,
            clauses: 12_000_000,
            nodes: 6_000_000,
            term_depth: 40,
            term_size: 10_000,
            alternatives: 4096,
            conditions: 2_000_000,
        }
    }
}

impl WorkLimits {
    /// For inputs from strangers: a fuzzer or a service.
    pub fn small() -> Self {
        WorkLimits {
            rows: 20_000,
            join_steps: 500_000,
            clauses: 50_000,
            nodes: 50_000,
            term_depth: 10,
            term_size: 1000,
            alternatives: 64,
            conditions: 50_000,
        }
    }
}
