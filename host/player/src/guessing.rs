//! Moves without a compiled game: random games by interpretation, from each move.

use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use ruche_rules::Position;
use ruche_rules::interpreter::{Action, Halt, Interpreter, Session, Snapshot};

/// Whoever tries moves by interpretation.
pub(crate) struct Guessing {
    session: Session,
    random: Pcg64Mcg,
    /// Plies of a random game; fewer where they take too long.
    plies: usize,
}

/// A move that is tried.
#[derive(Clone, Copy)]
struct Arm {
    action: Action,
    visits: u32,
    sum: f64,
}

const MOST_PLIES: usize = 400;
const LEAST_PLIES: usize = 2;
/// A random game may take this part of the time for a move.
const SHARE: u32 = 8;
/// The weight of moves that were tried less.
const EXPLORATION: f64 = 60.0;
/// What a role is worth that has no goal yet.
const UNKNOWN: f64 = 50.0;

impl Guessing {
    pub fn new(interpreter: &Interpreter) -> Result<Self, Halt> {
        let random = Pcg64Mcg::seed_from_u64(1);
        Ok(Self { session: interpreter.session()?, random, plies: MOST_PLIES })
    }

    /// The move of a role; the best one so far is told now and then.
    pub fn think(
        &mut self,
        position: &Position,
        role: usize,
        until: Instant,
        tell: &mut dyn FnMut(&str),
    ) -> Option<String> {
        let legal = position.legal(role);
        if legal.len() < 2 {
            return legal.first().map(|text| (*text).to_owned());
        }
        let fluents: Vec<String> = position.fluents().into_iter().map(str::to_owned).collect();
        let state = self.session.read(&fluents);
        let actions = legal.iter().filter_map(|text| self.session.action(text));
        let mut arms: Vec<Arm> =
            actions.map(|action| Arm { action, visits: 0, sum: 0.0 }).collect();
        let longest = until.saturating_duration_since(Instant::now()) / SHARE;
        let mut told = Instant::now();
        let mut tries = 0;
        while Instant::now() < until {
            let chosen = upper(&arms, tries);
            let end = until.min(Instant::now() + longest.max(Duration::from_millis(10)));
            match self.try_move(&state, (role, arms[chosen].action), end) {
                Ok(goal) => {
                    arms[chosen].visits += 1;
                    arms[chosen].sum += goal;
                }
                Err(Halt::Late) => self.plies = (self.plies / 2).max(LEAST_PLIES),
                Err(_) => break,
            }
            tries += 1;
            if told.elapsed() > Duration::from_millis(50) {
                told = Instant::now();
                tell(&self.session.text(best(&arms)));
            }
        }
        Some(self.session.text(best(&arms)))
    }

    /// The goal of a role after a random game that begins with its move.
    fn try_move(
        &mut self,
        state: &Snapshot,
        (role, action): (usize, Action),
        until: Instant,
    ) -> Result<f64, Halt> {
        self.session.set_deadline(Some(until));
        self.session.enter(state);
        let Some(mut joint) = self.session.draw(&mut self.random)? else { return Ok(UNKNOWN) };
        joint[role] = action;
        let next = self.session.next(&joint)?;
        let goals = self.session.playout(&next, self.plies, &mut self.random)?;
        Ok(goals[role].map_or(UNKNOWN, f64::from))
    }
}

/// The move to try next: each once, then the one that may be best.
fn upper(arms: &[Arm], tries: u32) -> usize {
    let value = |arm: &Arm| match arm.visits {
        0 => f64::INFINITY,
        visits => {
            let visits = f64::from(visits);
            arm.sum / visits + EXPLORATION * (f64::from(tries.max(2)).ln() / visits).sqrt()
        }
    };
    let order = |one: &usize, other: &usize| value(&arms[*one]).total_cmp(&value(&arms[*other]));
    (0..arms.len()).max_by(order).unwrap_or(0)
}

/// The move with the best mean.
fn best(arms: &[Arm]) -> Action {
    let mean = |arm: &Arm| if arm.visits == 0 { -1.0 } else { arm.sum / f64::from(arm.visits) };
    let best = arms.iter().max_by(|one, other| mean(one).total_cmp(&mean(other)));
    best.expect("there are moves to choose from").action
}
