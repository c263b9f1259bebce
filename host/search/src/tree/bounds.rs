//! What a role can be sure of, whatever the others do.

use ruche_shared::Image;

/// Bounds are counted in these parts of a goal: where roles choose at the same time, the
/// value of a position need not be a whole number.
pub(crate) const POINTS: u16 = 512;

/// The largest goal that can be bounded.
pub(super) const MOST: u16 = u16::MAX / POINTS;

/// Between what a role's goal will lie, in points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) low: u16,
    pub(crate) high: u16,
}

impl Bounds {
    /// Of an end.
    pub(crate) fn exact(goal: u16) -> Self {
        let points = goal.min(MOST) * POINTS;
        Self { low: points, high: points }
    }

    /// Between what each role of a game can end; nothing if its goals are too large to be
    /// bounded. Who never comes to an end, or to one without a sound goal, has nothing.
    pub(crate) fn widest(image: &Image<'_>) -> Option<Vec<Self>> {
        let of_role = |role| {
            let high = image.role_goals(role).map(|goal| goal.value).max().unwrap_or(0);
            (high <= MOST).then(|| Self { low: 0, high: high * POINTS })
        };
        (0..image.roles()).map(of_role).collect()
    }

    pub(crate) fn is_exact(self) -> bool {
        self.low == self.high
    }

    /// What both say together. If they contradict each other, low is above high.
    pub(crate) fn and(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// Between the largest of both, and the largest of both.
    pub(crate) fn max(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.max(other.high) }
    }

    /// Between the smallest of both, and the smallest of both.
    pub(crate) fn min(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.min(other.high) }
    }

    /// One or the other.
    pub(crate) fn or(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The middle, as a goal.
    pub(crate) fn middle(self) -> f64 {
        (f64::from(self.low) + f64::from(self.high)) / (2.0 * f64::from(POINTS))
    }
}
