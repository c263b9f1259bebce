//! States that a game comes to: some random games, the same every time.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_rules::{Position, Rules};

/// States to look at: interpreted rules take longer.
const STATES: usize = 500;
const INTERPRETED_STATES: usize = 30;
/// Moves of one game.
const PLIES: usize = 150;
const GAMES: u64 = 12;

/// The fluents of states of random games, the first state first.
pub(crate) fn states(rules: &Rules) -> Vec<Vec<String>> {
    let most = if rules.game().is_some() { STATES } else { INTERPRETED_STATES };
    let mut found = Vec::new();
    let Ok(start) = rules.initial(None) else { return found };
    for seed in 0..GAMES {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut position = start.clone();
        for _ in 0..PLIES {
            if found.len() >= most {
                return found;
            }
            found.push(position.fluents().into_iter().map(str::to_owned).collect());
            match next(&position, &mut random) {
                Some(next) => position = next,
                None => break,
            }
        }
    }
    found
}

fn next(position: &Position, random: &mut Pcg64Mcg) -> Option<Position> {
    if position.is_terminal() || position.stuck_role().is_some() {
        return None;
    }
    let roles = 0..position.rules().roles().len();
    let joint: Vec<String> = roles
        .map(|role| {
            let legal = position.legal(role);
            legal[random.random_range(0..legal.len())].to_owned()
        })
        .collect();
    position.play(&joint, None).ok()
}
