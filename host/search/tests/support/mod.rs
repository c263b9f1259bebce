//! Searches of bundled games, and what stands in for those who play.
#![allow(dead_code, reason = "not every test needs everything")]

use std::collections::HashMap;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_game::{Game, State};
use ruche_offload::{
    Attributes, Batch, Columns, Direct, DirectSettings, Finished, Offload, OffloadError, Results,
    Tally,
};
use ruche_search::{Limits, SearchMethod, SearchOptions, SearchReport, Searcher, Stop, Uct};
use ruche_shared::WordWidth;
use zerocopy::IntoBytes;

pub fn bundled(name: &str) -> Game {
    Game::bundled(name).expect("a bundled game")
}

/// A game described in GDL.
pub fn of_rules(source: &str) -> Game {
    Game::compile("rules", source.as_bytes()).expect("sound rules")
}

/// How to search, and how long.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub options: SearchOptions,
    pub limits: Limits,
}

impl Asked {
    pub fn with(mut self, change: impl FnOnce(&mut SearchOptions)) -> Self {
        change(&mut self.options);
        self
    }
}

/// The defaults, with this many playouts.
pub fn playouts(playouts: u64) -> Asked {
    Asked { options: SearchOptions::default(), limits: Limits::playouts(playouts) }
}

/// The same, with only four from a leaf: budgets of tests are small.
pub fn few_playouts(budget: u64) -> Asked {
    playouts(budget).with(|options| options.playouts_per_position = 4)
}

/// Plays in this thread with a run seed.
pub fn direct(game: &Game, seed: u64) -> Direct {
    let settings = DirectSettings { seed, ..DirectSettings::default() };
    Direct::new(game, settings).expect("the fastest engine is there")
}

/// A search from the initial position.
pub fn search(game: &Game, asked: Asked) -> Uct {
    let settings = asked.options.check().expect("sound settings");
    Uct::new(game, &settings).expect("a position of the game")
}

/// Goes on with a search.
pub fn go_on(
    search: &mut Uct,
    asked: Asked,
    offload: &mut dyn Offload,
) -> Result<SearchReport, ruche_search::SearchError> {
    search.search(offload, &asked.limits, &Stop::default(), &mut |_| ())
}

/// What a search from the initial position finds.
pub fn report(game: &Game, asked: Asked, seed: u64) -> SearchReport {
    report_with(game, asked, &mut direct(game, seed))
}

/// The same, whoever plays.
pub fn report_with(game: &Game, asked: Asked, offload: &mut dyn Offload) -> SearchReport {
    go_on(&mut search(game, asked), asked, offload).expect("playouts do not fail")
}

/// What does not depend on the clock.
pub fn without_times(report: &SearchReport) -> SearchReport {
    SearchReport { time: Default::default(), split: Default::default(), ..report.clone() }
}

/// A number that looks random.
pub fn mixed(number: u64) -> u64 {
    Pcg64Mcg::seed_from_u64(number).random()
}

/// Results with these tallies and scores.
pub fn results(rows: &[(Tally, Vec<u64>)]) -> Results {
    let roles = rows.first().map_or(0, |(_, scores)| scores.len());
    let mut results = Results::new(Columns { roles, further: 0 }, rows.len());
    for (index, (tally, scores)) in rows.iter().enumerate() {
        let row = [&tally.numbers()[..], scores].concat();
        assert!(results.put_bytes(index, row.as_bytes()));
    }
    results
}

/// Those of a report, taken apart.
pub fn rows(results: &Results) -> Vec<(Tally, Vec<u64>)> {
    (0..results.len()).map(|index| (results.tally(index), results.scores(index).to_vec())).collect()
}

/// Something that plays a game of so many roles.
pub fn attributes(roles: usize) -> Attributes {
    Attributes {
        columns: Columns { roles, further: 0 },
        seed: 0,
        ply_limit: 1000,
        width: WordWidth::One,
        clusters: 0,
        sensible_batch: 1,
    }
}

/// Invents results, which depend on the position alone, and answers the batch
/// that came last first.
pub struct Fake {
    pub roles: usize,
    pub waiting: Vec<Batch>,
}

impl Fake {
    pub fn new(game: &Game) -> Self {
        Self { roles: game.roles(), waiting: Vec::new() }
    }

    fn invent(&self, batch: &Batch) -> Finished {
        let words = batch.positions.len() / batch.count;
        let tally = Tally { scored: batch.playouts.into(), ..Tally::default() };
        let score = |position: &[u32], role: usize| {
            let hash =
                position.iter().fold(role as u64, |hash, &word| mixed(hash ^ u64::from(word)));
            hash % (100 * u64::from(batch.playouts) + 1)
        };
        let scores = |position| (0..self.roles).map(|role| score(position, role)).collect();
        let rows: Vec<_> =
            batch.positions.chunks(words).map(|position| (tally, scores(position))).collect();
        Finished { number: batch.number, results: results(&rows) }
    }
}

impl Offload for Fake {
    fn attributes(&self) -> Attributes {
        attributes(self.roles)
    }

    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.waiting.push(batch);
        Ok(())
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        let batch = self.waiting.pop().ok_or(OffloadError::Idle)?;
        Ok(self.invent(&batch))
    }
}

/// Knows the best moves of a game for two in which one moves at a time.
#[derive(Default)]
pub struct Perfect {
    known: HashMap<Vec<u32>, i32>,
}

impl Perfect {
    /// What the first role can reach, beyond what the second can.
    pub fn value(&mut self, state: &State) -> i32 {
        if let Some(&value) = self.known.get(state.position()) {
            return value;
        }
        let value = match state.goals() {
            Some(goals) => i32::from(goals[0]) - i32::from(goals[1]),
            None => {
                let values = self.values(state);
                let values = values.iter().map(|&(_, value)| value);
                let best = if state.mover() == Some(0) { values.max() } else { values.min() };
                best.expect("somebody can move")
            }
        };
        self.known.insert(state.position().to_vec(), value);
        value
    }

    /// All joint moves with their values.
    fn values(&mut self, state: &State) -> Vec<(Vec<u32>, i32)> {
        let value = |joint: Vec<u32>| {
            let next = state.play(&joint).expect("it is legal");
            (joint, self.value(&next))
        };
        joint_moves(state).into_iter().map(value).collect()
    }

    /// The joint moves that are best for who moves.
    pub fn best(&mut self, state: &State) -> Vec<Vec<u32>> {
        let value = self.value(state);
        let values = self.values(state);
        values.into_iter().filter(|(_, other)| *other == value).map(|(joint, _)| joint).collect()
    }
}

/// All combinations of the roles' moves.
pub fn joint_moves(state: &State) -> Vec<Vec<u32>> {
    (0..state.game().roles()).fold(vec![Vec::new()], |joints, role| {
        let longer = |joint: &Vec<u32>| -> Vec<Vec<u32>> {
            state.legal(role).iter().map(|&number| [&joint[..], &[number]].concat()).collect()
        };
        joints.iter().flat_map(longer).collect()
    })
}
