//! Goal values are numbers from 0 to 100. What rules compute is judged by the same
//! [`goal_value`] when it is known.

use super::Findings;
use crate::ast::Term;
use crate::symbol::Symbol;

/// The highest score of a role.
pub const MAXIMUM_GOAL: u16 = 100;

/// The score that a name in the second argument of `goal` means: digits that make a
/// number up to [`MAXIMUM_GOAL`].
pub fn goal_value(name: &str) -> Option<u16> {
    let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
    name.parse().ok().filter(|&value| is_number && value <= MAXIMUM_GOAL)
}

pub(super) fn check(findings: &mut Findings) {
    for rule in &findings.description.rules {
        let (Symbol::GOAL, [_, value]) = (rule.head.relation, rule.head.arguments.as_slice())
        else {
            continue;
        };
        let text = findings.description.term_excerpt(value);
        let is_wrong = match value {
            Term::Variable(_) => false,
            Term::Constant(_) => goal_value(&text).is_none(),
            Term::Compound(..) => true,
        };
        if is_wrong {
            let message = format!("the goal `{text}` is not a number from 0 to {MAXIMUM_GOAL}");
            let help = format!("scale the scores of all roles to 0 to {MAXIMUM_GOAL}");
            findings.error(rule, rule.head.place, message, help);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn goals_outside_of_0_to_100_are_errors() {
        assert_error("(goal r 101)", 1, &["`101`", "0 to 100"]);
        assert_error("(<= (goal r -1) (true s))", 5, &["`-1`"]);
        for value in ["win", "+5", "65536", "50.0", "(half 100)"] {
            assert_error(&format!("(goal r {value})"), 1, &[value]);
        }
    }

    #[test]
    fn goals_from_0_to_100_and_computed_ones_are_fine() {
        assert_fine("(goal r 0) (goal r 007) (<= (goal r 50) (true s)) (<= (goal r ?x) (e ?x))");
    }

    #[test]
    fn values_are_digits() {
        assert_eq!(["0", "100", "007"].map(goal_value), [Some(0), Some(100), Some(7)]);
        assert_eq!(["", "101", "-1", "+1", "1e2", "99999999999"].map(goal_value), [None; 6]);
    }
}
