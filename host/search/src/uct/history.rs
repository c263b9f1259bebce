//! How moves have turned out wherever they were played: what is known of a move before
//! anybody has tried it in a position (history heuristic).

use ruche_shared::Image;

/// Looks that it takes to believe in a move by half.
const DOUBT: u32 = 8;

/// What all moves have brought to their roles.
#[derive(Clone, Debug)]
pub(crate) struct History {
    roles: Vec<RoleHistory>,
    /// Playouts that it takes to believe in a move by half.
    doubt: f64,
}

#[derive(Clone, Debug)]
struct RoleHistory {
    moves: Vec<Record>,
    all: Record,
}

/// Playouts, and the sum of their goals.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    playouts: u64,
    sum: u64,
}

impl Record {
    fn add(&mut self, playouts: u32, sum: u64) {
        self.playouts += u64::from(playouts);
        self.sum += sum;
    }

    fn mean(self) -> f64 {
        self.sum as f64 / self.playouts.max(1) as f64
    }
}

impl History {
    pub(crate) fn new(image: &Image<'_>, playouts_per_look: u32) -> Self {
        let of_role = |role| RoleHistory {
            moves: vec![Record::default(); image.move_range(role).len()],
            all: Record::default(),
        };
        let doubt = f64::from(DOUBT * playouts_per_look);
        Self { roles: (0..image.roles()).map(of_role).collect(), doubt }
    }

    /// Playouts behind a move have brought its role this sum of goals.
    #[inline]
    pub(crate) fn note(&mut self, role: usize, number: u32, playouts: u32, sum: u64) {
        let role = &mut self.roles[role];
        role.moves[number as usize].add(playouts, sum);
        role.all.add(playouts, sum);
    }

    /// By how much each move of a role has brought more than its moves in general, as a
    /// goal; less is believed of what was seldom seen.
    pub(crate) fn advantages(&self, role: usize) -> impl Fn(u32) -> f64 {
        let RoleHistory { moves, all } = &self.roles[role];
        let (mean, doubt) = (all.mean(), self.doubt);
        move |number| {
            let Record { playouts, sum } = moves[number as usize];
            (sum as f64 - playouts as f64 * mean) / (playouts as f64 + doubt)
        }
    }
}

#[cfg(test)]
mod tests {
    use ruche_game::Game;

    use super::*;

    #[test]
    fn what_brings_more_than_others_is_expected_to_do_so_again() {
        let game = Game::bundled("tictactoe").expect("a bundled game");
        let mut history = History::new(game.image(), 1);
        assert_eq!(history.advantages(0)(3), 0.0, "nothing is known");
        for _ in 0..1000 {
            history.note(0, 3, 1, 100);
            history.note(0, 4, 1, 0);
        }
        history.note(0, 5, 1, 100);
        let advantage = history.advantages(0);
        assert!((49.0..50.0).contains(&advantage(3)) && (-50.0..-49.0).contains(&advantage(4)));
        assert!((0.0..10.0).contains(&advantage(5)), "once is chance");
        assert_eq!(history.advantages(1)(3), 0.0, "others are not concerned");
    }
}
