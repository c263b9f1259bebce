//! Openings: random, so that no two pairs are alike, but the same for all games of a pair.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_game::{Game, State, StateError};

/// How often an opening is drawn anew before shorter ones are tried.
const DRAWS: usize = 100;

/// Where a pair starts.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The joint moves.
    pub joints: Vec<Vec<u32>>,
    /// The state after them.
    pub state: State,
}

/// Draws an opening of so many plies, of which none ends the game or leaves a role without a
/// move. Where there seems to be none, it is shorter.
pub fn draw(game: &Game, plies: u32, seed: u64) -> Result<Opening, StateError> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    for plies in (1..=plies).rev() {
        for _ in 0..DRAWS {
            if let Some(opening) = attempt(game, plies, &mut random)? {
                return Ok(opening);
            }
        }
    }
    Ok(Opening { joints: Vec::new(), state: game.initial() })
}

fn attempt(game: &Game, plies: u32, random: &mut Pcg64Mcg) -> Result<Option<Opening>, StateError> {
    let mut opening = Opening { joints: Vec::new(), state: game.initial() };
    for _ in 0..plies {
        if !goes_on(&opening.state) {
            return Ok(None);
        }
        let legal = (0..game.roles()).map(|role| opening.state.legal(role));
        let joint: Vec<u32> =
            legal.map(|moves| moves[random.random_range(0..moves.len())]).collect();
        opening.state = opening.state.play(&joint)?;
        opening.joints.push(joint);
    }
    Ok(goes_on(&opening.state).then_some(opening))
}

/// Whether there is something to play.
pub fn goes_on(state: &State) -> bool {
    !state.is_terminal() && state.stuck_role().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opening_depends_on_its_seed_alone_and_leaves_something_to_play() {
        for name in ["tictactoe", "connectfour", "eightpuzzle", "blocker"] {
            let game = Game::bundled(name).unwrap();
            let of = |seed| draw(&game, 4, seed).unwrap();
            let all: Vec<_> = (0..50).map(of).collect();
            assert!(all.iter().all(|opening| goes_on(&opening.state)), "{name}");
            assert!(all.iter().all(|opening| opening.joints.len() == 4), "{name}");
            assert!(all.iter().any(|opening| opening.joints != all[0].joints), "{name}");
            assert_eq!(of(7).joints, of(7).joints, "{name}");
        }
    }

    #[test]
    fn an_opening_that_would_be_the_whole_game_is_shorter() {
        let game = Game::bundled("tictactoe").unwrap();
        for seed in 0..20 {
            let opening = draw(&game, 20, seed).unwrap();
            assert!(goes_on(&opening.state), "{:?}", opening.joints);
            assert!((6..9).contains(&opening.joints.len()), "{}", opening.joints.len());
        }
        assert!(draw(&game, 0, 1).unwrap().joints.is_empty());
    }
}
