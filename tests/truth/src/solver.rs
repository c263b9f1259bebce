//! The value of any position of any game, as long as there are few: alpha-beta with a
//! table of all positions that were looked at.

use rustc_hash::FxHashMap;

use crate::rules::{Outcome, Rules};

/// Who knows the values of positions.
pub trait Oracle {
    /// The game.
    type Game: Rules;

    /// What a position is worth to who is to move, if nobody errs from here on.
    fn value(&mut self, position: &Self::Game) -> Outcome;
}

/// What a value lies between.
#[derive(Clone, Copy)]
struct Bounds {
    low: Outcome,
    high: Outcome,
}

const ANY: Bounds = Bounds { low: Outcome::Loss, high: Outcome::Win };

/// Solves positions, and remembers what it has found about each.
pub struct Solver<G> {
    known: FxHashMap<G, Bounds>,
}

impl<G: Rules> Default for Solver<G> {
    fn default() -> Self {
        Self { known: FxHashMap::default() }
    }
}

impl<G: Rules> Oracle for Solver<G> {
    type Game = G;

    fn value(&mut self, position: &G) -> Outcome {
        self.search(position, ANY)
    }
}

impl<G: Rules> Solver<G> {
    /// The positions that it knows something about.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.known.len()
    }

    /// The value if it lies inside of the window, else a bound on the same side of it.
    fn search(&mut self, position: &G, window: Bounds) -> Outcome {
        if let Some(end) = position.end().or_else(|| position.foreseen()) {
            return end;
        }
        let known = self.known.get(position).copied().unwrap_or(ANY);
        if known.low == known.high || known.low >= window.high {
            return known.low;
        }
        if known.high <= window.low {
            return known.high;
        }
        let best = self.best(position, window);
        let low = if best > window.low { best } else { known.low };
        let high = if best < window.high { best } else { known.high };
        self.known.insert(position.clone(), Bounds { low, high });
        best
    }

    fn best(&mut self, position: &G, window: Bounds) -> Outcome {
        let mut best = Outcome::Loss;
        for chosen in position.moves() {
            let low = best.max(window.low).reversed();
            let answers = Bounds { low: window.high.reversed(), high: low };
            best = best.max(self.search(&position.after(chosen), answers).reversed());
            if best >= window.high {
                break;
            }
        }
        best
    }
}
