//! What can stop a compilation, with what to do about it.

use ruche_gdl::{MAXIMUM_GOAL, Place};

/// Why a game could not be compiled.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The `or`s of a rule multiply to too many conjunctions.
    #[error(
        "{}:{}: the `or`s of this rule expand to too many alternatives; \
         give each `or` a relation of its own",
        place.line, place.column
    )]
    TooManyAlternatives {
        /// Where the rule stands.
        place: Place,
    },
    /// A relation or function has an absurd number of arguments.
    #[error("{}:{}: more than {most} arguments; split the relation", place.line, place.column)]
    TooManyArguments {
        /// Where it stands.
        place: Place,
        /// The limit.
        most: usize,
    },
    /// The grounder reached a limit.
    #[error(
        "grounding stopped: {what} reached the limit of {limit} while working on `{predicate}` \
         ({reached} instances of it so far), rule at {}:{}; \
         the largest relations are {largest}; \
         split rules with many variables, or narrow them with `base` and `input`",
        place.line, place.column
    )]
    GroundingLimit {
        /// What was counted: rows, join steps, clauses, circuit nodes.
        what: &'static str,
        /// The limit.
        limit: u64,
        /// The predicate whose instances were being made.
        predicate: String,
        /// How many instances of it exist.
        reached: usize,
        /// The rule that was being worked on.
        place: Place,
        /// The largest relations with their sizes.
        largest: String,
    },
    /// Terms nest without bound.
    #[error(
        "grounding stopped: terms nest deeper than {limit} in `{predicate}`, rule at {}:{}; \
         bound the recursion",
        place.line, place.column
    )]
    TermDepth {
        /// The limit.
        limit: u16,
        /// The predicate whose instances were being made.
        predicate: String,
        /// The rule that was being worked on.
        place: Place,
    },
    /// Terms become too long.
    #[error(
        "grounding stopped: terms have more than {limit} names in `{predicate}`, rule at {}:{}; \
         keep less in one term",
        place.line, place.column
    )]
    TermSize {
        /// The limit.
        limit: u32,
        /// The predicate whose instances were being made.
        predicate: String,
        /// The rule that was being worked on.
        place: Place,
    },
    /// A ground atom depends on its own negation.
    #[error(
        "negation in a cycle: `{atom}` depends on its own negation, rule at {}:{}; \
         make the rules stratified",
        place.line, place.column
    )]
    NotStratified {
        /// The atom.
        atom: String,
        /// A rule of the cycle.
        place: Place,
    },
    /// The game has no role.
    #[error("the game has no role; add a fact like `(role player)`")]
    NoRole,
    /// A goal value that rules compute is not a number from 0 to 100.
    #[error(
        "{}:{}: the goal `{value}` of role `{role}` is not a number from 0 to {MAXIMUM_GOAL}; \
         scale the scores of all roles, or bound what the rule computes",
        place.line, place.column
    )]
    GoalValue {
        /// A rule that gives it.
        place: Place,
        /// The role.
        role: String,
        /// The value.
        value: String,
    },
    /// The circuit does not fit the image format.
    #[error(
        "the circuit is too large for an image: its {what} are {size}, but at most {most} are possible; \
         simplify the rules"
    )]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size.
        size: u64,
        /// What an image may have of it.
        most: u64,
    },
}
