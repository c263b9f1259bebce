//! One game, from its opening to its end.

use ruche_game::{Game, State, StateError};
use ruche_playouts::{PlayoutsError, Stop};
use ruche_shared::stream::PositionStreams;
use thiserror::Error;

use crate::contestant::{Contestant, Offloads, Seat};
use crate::opening;
use crate::pairing::{Side, assignments};
use crate::player::{Player, PlayerError, Turn};
use crate::record::{End, Faults, GameRecord};

/// A game made ready to be played by many at the same time.
#[derive(Debug)]
pub struct Table {
    pub game: Game,
    pub assignments: Vec<Vec<Side>>,
    offloads: Offloads,
}

impl Table {
    pub fn new(game: Game) -> Result<Self, PlayoutsError> {
        let offloads = Offloads::new(&game)?;
        Ok(Self { assignments: assignments(game.roles()), game, offloads })
    }
}

/// Which game of a match this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    /// The number of the table.
    pub table: usize,
    /// The number of the pair at this table.
    pub pair: u64,
    /// The number of the game in the pair.
    pub round: usize,
}

/// What all games of a match have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// From which openings and players are drawn.
    pub seed: u64,
    /// Plies of an opening.
    pub opening: u32,
    /// A game that has not ended after so many plies is a draw.
    pub ply_limit: u32,
}

impl Rules {
    /// The seed of a pair: the same for all its games.
    pub fn pair_seed(&self, pair: u64) -> u64 {
        PositionStreams::new(self.seed, pair).playout(0).state()
    }
}

/// Why a game was not played to its end.
#[derive(Debug, Error)]
pub enum PlayError {
    /// A player cannot go on.
    #[error("{game}, {contestant}: {source}")]
    Player {
        /// The game.
        game: String,
        /// Who has failed.
        contestant: String,
        /// Why.
        source: PlayerError,
    },
    /// A player has chosen a move that is none.
    #[error("{game}: {source}")]
    Move {
        /// The game.
        game: String,
        /// What is wrong with it.
        source: StateError,
    },
}

/// Plays a game; nothing if somebody wants to stop before its end.
pub fn play(
    table: &Table,
    contestants: &[Contestant; 2],
    (task, rules): (Task, &Rules),
    stop: &Stop,
) -> Result<Option<GameRecord>, PlayError> {
    let game = &table.game;
    let seed = rules.pair_seed(task.pair);
    let roles = &table.assignments[task.round];
    let illegal = |source| PlayError::Move { game: game.name().to_owned(), source };
    let opening = opening::draw(game, rules.opening, seed).map_err(illegal)?;
    let (mut state, mut joints) = (opening.state, opening.joints);
    let mut players = seat(table, contestants, task, seed)?;
    let end = loop {
        if let Some(end) = end(&state, joints.len(), rules.ply_limit) {
            break end;
        }
        let joint = choose(&mut players, &state, &joints, stop).map_err(|(role, source)| {
            let contestant = contestants[roles[role] as usize].to_string();
            PlayError::Player { game: game.name().to_owned(), contestant, source }
        })?;
        // What was chosen in a hurry is no move of this match.
        if stop.is_requested() {
            return Ok(None);
        }
        state = state.play(&joint).map_err(illegal)?;
        joints.push(joint);
    };
    let Task { pair, round, .. } = task;
    Ok(Some(GameRecord {
        game: game.name().to_owned(),
        pair,
        round,
        seed,
        roles: roles.clone(),
        goals: state.goals().filter(|_| end == End::Scored),
        plies: joints.len(),
        end,
        faults: faults(&players, roles),
        moves: moves(game, &joints),
    }))
}

/// Moves of each side that were replaced.
fn faults(players: &[Box<dyn Player>], roles: &[Side]) -> [Faults; 2] {
    let mut faults = <[Faults; 2]>::default();
    for (player, side) in players.iter().zip(roles) {
        faults[*side as usize] += player.faults();
    }
    faults
}

/// A player for each role.
fn seat(
    table: &Table,
    contestants: &[Contestant; 2],
    task: Task,
    seed: u64,
) -> Result<Vec<Box<dyn Player>>, PlayError> {
    let Table { game, offloads, assignments } = table;
    let seeds = PositionStreams::new(seed, 1 + task.round as u64);
    let player = |(role, side): (usize, &Side)| {
        let contestant = &contestants[*side as usize];
        let seat = Seat { game, offloads, role, seed: seeds.playout(role as u64).state() };
        contestant.player(&seat).map_err(|source| PlayError::Player {
            game: game.name().to_owned(),
            contestant: contestant.to_string(),
            source,
        })
    };
    assignments[task.round].iter().enumerate().map(player).collect()
}

/// The move of each role; whoever has no choice is not asked.
fn choose(
    players: &mut [Box<dyn Player>],
    state: &State,
    joints: &[Vec<u32>],
    stop: &Stop,
) -> Result<Vec<u32>, (usize, PlayerError)> {
    let choice = |(role, player): (usize, &mut Box<dyn Player>)| match state.legal(role) {
        [only] => Ok(*only),
        _ => player.choose(&Turn { role, state, joints, stop }).map_err(|error| (role, error)),
    };
    players.iter_mut().enumerate().map(choice).collect()
}

/// How the game ends here, if it does.
fn end(state: &State, plies: usize, ply_limit: u32) -> Option<End> {
    if state.is_terminal() {
        return Some(if state.goals().is_some() { End::Scored } else { End::Unscored });
    }
    if state.stuck_role().is_some() {
        return Some(End::Stuck);
    }
    (plies >= ply_limit as usize).then_some(End::Endless)
}

/// Moves as people write them.
fn moves(game: &Game, joints: &[Vec<u32>]) -> String {
    let joint = |joint: &Vec<u32>| {
        let word =
            |(role, number): (usize, &u32)| game.names().moves(role)[*number as usize].as_str();
        joint.iter().enumerate().map(word).collect::<Vec<_>>().join(" ")
    };
    joints.iter().map(joint).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ruche_search::Limits;

    const RULES: Rules = Rules { seed: 3, opening: 2, ply_limit: 500 };

    fn table(name: &str) -> Table {
        Table::new(Game::bundled(name).unwrap()).unwrap()
    }

    fn contestants(a: &str, b: &str) -> [Contestant; 2] {
        [a, b].map(|text| Contestant::parse(text, Limits::playouts(200)).unwrap())
    }

    fn played(table: &Table, contestants: &[Contestant; 2], pair: u64, round: usize) -> GameRecord {
        let task = Task { table: 0, pair, round };
        play(table, contestants, (task, &RULES), &Stop::default()).unwrap().unwrap()
    }

    #[test]
    fn games_of_a_pair_have_their_opening_in_common() {
        let (table, contestants) = (table("connectfour"), contestants("random", "default"));
        let opening = |pair, round| {
            let record = played(&table, &contestants, pair, round);
            record.moves.splitn(3, "; ").take(2).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(opening(0, 0), opening(0, 1));
        assert!((1..10).any(|pair| opening(pair, 0) != opening(0, 0)));
    }

    #[test]
    fn the_moves_of_a_record_lead_to_its_end() {
        for name in ["tictactoe", "connectfour", "eightpuzzle", "blocker"] {
            let (table, contestants) = (table(name), contestants("random", "legal"));
            for round in 0..table.assignments.len() {
                let record = played(&table, &contestants, 5, round);
                let state = table.game.after(&record.moves).unwrap();
                assert_eq!((record.end, &record.goals), (End::Scored, &state.goals()), "{name}");
                assert_eq!(record.plies, record.moves.split("; ").count());
            }
        }
    }

    #[test]
    fn a_game_without_an_end_is_cut() {
        let table = table("connectfour");
        let rules = Rules { ply_limit: 5, ..RULES };
        let task = Task { table: 0, pair: 0, round: 0 };
        let record = play(&table, &contestants("legal", "legal"), (task, &rules), &Stop::default());
        let record = record.unwrap().unwrap();
        assert_eq!((record.end, record.plies, record.goals), (End::Endless, 5, None));
    }

    #[test]
    fn who_stops_a_game_has_none() {
        let stop = Stop::default();
        stop.request();
        let task = Task { table: 0, pair: 0, round: 0 };
        let contestants = contestants("default", "default");
        assert_eq!(play(&table("tictactoe"), &contestants, (task, &RULES), &stop).unwrap(), None);
    }
}
