//! Games in which both roles choose at once: what they are worth, how to choose, and what
//! a choice gives away.
//!
//! | module | what it knows |
//! |---|---|
//! | [`games`] | which games there are, and their rules |
//! | `induction` | what the first joint move of a game of several leads to |
//! | `simplex` | the equilibrium of a matrix |
//!
//! ```
//! use ruche_truth::matrix::MatrixGame;
//!
//! let matrix = MatrixGame::RockPaperScissors.matrix();
//! assert_eq!(matrix.equilibrium().strategies[0][1], ("paper".to_owned(), 0.5));
//! assert_eq!(matrix.exploitability(0, &[("rock", 1.0)]), Some(25.0));
//! ```

pub mod games;
mod induction;
mod simplex;

pub use games::MatrixGame;

/// The first joint move of a game: what role 0 gets for each if nobody errs afterwards.
/// What role 1 gets is the rest to 100.
#[derive(Clone, PartialEq, Debug)]
pub struct Matrix {
    /// The moves of each role, as they stand in the rules in GDL.
    pub moves: [Vec<String>; 2],
    /// For each move of role 0 and each of role 1 the expected goal of role 0.
    pub goals: Vec<Vec<f64>>,
}

/// Strategies from which no role has a reason to deviate.
#[derive(Clone, PartialEq, Debug)]
pub struct Equilibrium {
    /// What role 0 expects.
    pub value: f64,
    /// For each role its moves with their probabilities.
    pub strategies: [Vec<(String, f64)>; 2],
}

impl Matrix {
    /// An equilibrium; there may be others, of the same value.
    #[must_use]
    pub fn equilibrium(&self) -> Equilibrium {
        let solution = simplex::solve(&self.goals);
        let named = |role: usize| {
            self.moves[role].iter().cloned().zip(solution.strategies[role].iter().copied())
        };
        let strategies = [0, 1].map(|role| named(role).collect());
        Equilibrium { value: solution.value, strategies }
    }

    /// What a role loses at most by a strategy, in points of its goal: the value of the
    /// game to it less what the best answer leaves it. None if there is no such role, a
    /// move is not one of its, or the probabilities are none.
    #[must_use]
    pub fn exploitability(&self, role: usize, strategy: &[(impl AsRef<str>, f64)]) -> Option<f64> {
        let value = simplex::solve(&self.goals).value;
        let value = if role == 0 { value } else { 100.0 - value };
        Some(value - self.guaranteed(role, strategy)?)
    }

    /// The least that a role expects from a strategy, whatever the other role does.
    #[must_use]
    pub fn guaranteed(&self, role: usize, strategy: &[(impl AsRef<str>, f64)]) -> Option<f64> {
        let sum: f64 = strategy.iter().map(|(_, share)| share).sum();
        let is_share = |share: &f64| (0.0..=1.0 + 1e-6).contains(share);
        if (sum - 1.0).abs() > 1e-6 || !strategy.iter().all(|(_, share)| is_share(share)) {
            return None;
        }
        let mut expected = vec![0.0; self.moves.get(1 - role.min(1))?.len()];
        for (name, share) in strategy {
            let number = self.moves.get(role)?.iter().position(|own| own == name.as_ref())?;
            for (answer, expected) in expected.iter_mut().enumerate() {
                *expected += share * self.goal(role, number, answer);
            }
        }
        expected.into_iter().reduce(f64::min)
    }

    /// What a role gets by its move against a move of the other.
    fn goal(&self, role: usize, own: usize, other: usize) -> f64 {
        if role == 0 { self.goals[own][other] } else { 100.0 - self.goals[other][own] }
    }
}
