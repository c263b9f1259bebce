//! Moves that everybody does better to put off where a game is made of parts, seen in random
//! games: a part in which each role would rather do nothing is left alone.
//!
//! Random moves in a part in which one can only lose say nothing about the others, and often
//! end the game before the others are decided. Nothing is forbidden by this: only playouts
//! leave such parts alone, and only as long as their role has another move.
//!
//! Games in which a role leaves a part alone that it plays well to be in also go better than
//! others, if it has more moves for another one then: so moves are not compared with moves
//! elsewhere, but with those that change no part, and where there are none nothing is said.

use std::collections::HashMap;

use ruche_decompose::{Decomposition, Kind};

use crate::Game;
use crate::random_games::{RandomGames, plies};

/// In half of the games a role leaves moves alone, in the others it does not.
const ABSTAINING: u64 = 0x5555_5555_5555_5555;

/// Differences of means that are so many standard errors are no chance.
const SURE: f64 = 5.0;

/// Fewer say nothing.
const FEWEST_GAMES: f64 = 30.0;

/// More groups of moves would take long.
const MOST_GROUPS: usize = 8;

/// Moves that playouts put off: they are only legal where their role has no other one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PutOff(Vec<Vec<bool>>);

impl PutOff {
    /// Those of a game; nothing if there are none.
    pub(crate) fn find(game: &Game) -> Option<Self> {
        let mut groups = groups(game)?;
        let idle = groups.pop()?;
        let none = |role| vec![false; game.image().move_range(role).len()];
        let mut found = PutOff((0..game.roles()).map(none).collect());
        for part in &groups {
            found.add_if(part, |found, role| {
                found.gain(game, role, |games| {
                    games.play_instead(role, (&part[role], &idle[role]), ABSTAINING);
                })
            });
        }
        let is_any = found.0.iter().flatten().any(|put_off| *put_off);
        // Who does nothing leaves all parts alone, those in which there is something to win too.
        found.add_if(&idle, |found, role| {
            found.gain(game, role, |games| {
                games.put_off(role, &idle[role], ABSTAINING);
                games.play();
            })
        });
        is_any.then_some(found)
    }

    /// Puts some moves off if all roles have more of that, in standard errors.
    fn add_if(&mut self, group: &[Vec<bool>], gain: impl Fn(&Self, usize) -> Option<f64>) {
        if (0..group.len()).all(|role| gain(self, role).is_some_and(|gain| gain > SURE)) {
            let moves = self.0.iter_mut().flatten().zip(group.iter().flatten());
            moves.for_each(|(put_off, added)| *put_off |= added);
        }
    }

    /// For each role whether each of its moves is put off.
    #[must_use]
    pub fn moves(&self) -> &[Vec<bool>] {
        &self.0
    }

    /// What it says, in a line.
    #[must_use]
    pub fn describe(&self, game: &Game) -> String {
        let played = |found: &Decomposition| {
            found.subgames.iter().filter(|part| part.kind == Kind::Play).count()
        };
        let parts = game.parts().map_or(0, played);
        let texts = self.0.iter().enumerate().flat_map(|(role, moves)| {
            let names = game.names().moves(role).iter().zip(moves);
            names.filter(|(_, put_off)| **put_off).map(|(name, _)| name.as_str())
        });
        let first = texts.clone().next().unwrap_or_default();
        let more = texts.count().saturating_sub(1);
        format!("{parts}, proved by the rules; playouts put off {first} and {more} moves more")
    }

    /// What a role has of playing in another way in half of the games, in standard errors of
    /// its mean goal; nothing if games do not tell.
    fn gain(&self, game: &Game, role: usize, play: impl Fn(&mut RandomGames<'_>)) -> Option<f64> {
        let mut games = RandomGames::new(game.image());
        let mut samples = [Sample::default(); 2];
        for _ in 0..plies(game.image())? {
            games.find_moves(|games, over| see(games, over, role, &mut samples));
            for (role, put_off) in self.0.iter().enumerate() {
                games.put_off(role, put_off, u64::MAX);
            }
            play(&mut games);
        }
        let [free, abstaining] = samples;
        let error = (free.variance_of_mean()? + abstaining.variance_of_mean()?).sqrt();
        (error > 0.0).then(|| (abstaining.mean() - free.mean()) / error)
    }
}

/// Notes what a role has got in games that are over: first where it was free.
fn see(games: &RandomGames<'_>, over: u64, role: usize, samples: &mut [Sample; 2]) {
    for goal in games.image.role_goals(role) {
        let reached = games.slots[goal.slot as usize] & over;
        for (sample, lanes) in samples.iter_mut().zip([!ABSTAINING, ABSTAINING]) {
            sample.add((reached & lanes).count_ones(), goal.value);
        }
    }
}

/// Moves that change one part alone, part by part, and behind them those that change none;
/// nothing if there is only one part.
fn groups(game: &Game) -> Option<Vec<Vec<Vec<bool>>>> {
    let parts = game.parts()?.subgames.iter().filter(|part| part.kind == Kind::Play);
    let mut owners: HashMap<&str, usize> = HashMap::new();
    let mut count = 0;
    for part in parts {
        for text in &part.moves {
            if owners.insert(text, count).is_some() {
                return None;
            }
        }
        count += 1;
    }
    if !(2..=MOST_GROUPS).contains(&count) {
        return None;
    }
    let owner = |role: &String, text: &String| {
        owners.get(format!("{role} {text}").as_str()).copied().unwrap_or(count)
    };
    let names = game.names();
    let of_role = |group: usize, role: usize| {
        let moves = names.moves(role).iter();
        moves.map(|text| owner(&names.roles()[role], text) == group).collect()
    };
    let roles = || 0..game.roles();
    Some((0..=count).map(|group| roles().map(|role| of_role(group, role)).collect()).collect())
}

/// Goals of games.
#[derive(Clone, Copy, Default)]
struct Sample {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Sample {
    fn add(&mut self, games: u32, goal: u16) {
        let (games, goal) = (f64::from(games), f64::from(goal));
        self.count += games;
        self.sum += games * goal;
        self.squares += games * goal * goal;
    }

    fn mean(&self) -> f64 {
        self.sum / self.count
    }

    /// Nothing if there are too few games.
    fn variance_of_mean(&self) -> Option<f64> {
        let mean = self.mean();
        (self.count >= FEWEST_GAMES).then(|| (self.squares / self.count - mean * mean) / self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlayoutPolicy;

    /// Two boards on which two take turns to mark cells, or do nothing: who marks two cells of
    /// the first one wins. On the second one that `wins`, or loses.
    fn boards(wins: bool) -> Game {
        let second = match wins {
            true => "(<= (wins ?role) (pair ?role b))",
            false => "(<= (wins ?role) (other ?role ?other) (pair ?other b))",
        };
        let cells = |board: &str, count: usize| -> String {
            (1..=count).map(|cell| format!("(cell {board} {cell}) ")).collect()
        };
        let rules = format!(
            "(role white) (role black) (init (control white)) {} {}
             (other white black) (other black white)
             (<= (taken ?board ?cell) (true (owns ?role ?board ?cell)))
             (<= (legal ?role (mark ?board ?cell))
                 (true (control ?role)) (cell ?board ?cell) (not (taken ?board ?cell)))
             (<= (legal ?role noop) (role ?role))
             (<= (next (owns ?role ?board ?cell)) (does ?role (mark ?board ?cell)))
             (<= (next (owns ?role ?board ?cell)) (true (owns ?role ?board ?cell)))
             (<= (next (control ?role)) (other ?role ?other) (true (control ?other)))
             (<= (pair ?role ?board) (true (owns ?role ?board ?one))
                 (true (owns ?role ?board ?two)) (distinct ?one ?two))
             (<= (wins ?role) (pair ?role a))
             {second}
             (<= terminal (wins ?role))
             (<= (goal ?role 100) (wins ?role))
             (<= (goal ?role 0) (other ?role ?other) (wins ?other))",
            cells("a", 6),
            cells("b", 4),
        );
        Game::compile("boards", rules.as_bytes()).expect("a game")
    }

    fn names(game: &Game, role: usize, numbers: impl Iterator<Item = usize>) -> Vec<&str> {
        numbers.map(|number| game.names().moves(role)[number].as_str()).collect()
    }

    #[test]
    fn a_part_in_which_one_can_only_lose_is_put_off() {
        let game = boards(false);
        let put_off = game.put_off().expect("the second board");
        for (role, put_off) in put_off.moves().iter().enumerate() {
            let moves = (0..put_off.len()).filter(|&number| put_off[number]);
            let moves = names(&game, role, moves);
            let expected = ["(mark b 1)", "(mark b 2)", "(mark b 3)", "(mark b 4)"];
            assert!(expected.iter().all(|text| moves.contains(text)), "{moves:?}");
            assert!(moves.iter().all(|text| !text.starts_with("(mark a")), "{moves:?}");
        }
    }

    #[test]
    fn a_part_in_which_one_can_win_is_not_put_off_for_another_one() {
        assert_eq!(boards(true).put_off(), None);
        let single = Game::bundled("tictactoe").expect("a bundled game");
        assert_eq!(single.put_off(), None, "it is one game");
        let (focused, tactical) = (
            single.for_focused_playouts(PlayoutPolicy::Tactical),
            single.for_playouts(PlayoutPolicy::Tactical),
        );
        assert!(focused.is(&tactical), "playouts are as before");
    }

    #[test]
    fn playouts_put_moves_off_and_always_have_one() {
        let game = boards(false);
        let focused = game.for_focused_playouts(PlayoutPolicy::Tactical);
        assert!(!focused.is(&game.for_playouts(PlayoutPolicy::Tactical)));
        assert!(game.for_focused_playouts(PlayoutPolicy::Uniform).is(&game));
        let mut state = game.initial();
        for ply in 0..8 {
            let (mover, left) = (ply % 2, focused.state(state.position()).expect("a position"));
            let left = left.legal(mover);
            assert!(!left.is_empty() && left.iter().all(|m| state.legal(mover).contains(m)));
            let texts = names(&game, mover, left.iter().map(|&number| number as usize));
            assert!(texts.iter().all(|text| text.starts_with("(mark a")), "{texts:?}");
            // Both do nothing, so that what is left never changes.
            let joint: Vec<u32> = (0..2).map(|role| idle(&game, role)).collect();
            state = state.play(&joint).expect("legal moves");
        }
    }

    fn idle(game: &Game, role: usize) -> u32 {
        game.names().find_move(role, "noop").expect("a move") as u32
    }
}
