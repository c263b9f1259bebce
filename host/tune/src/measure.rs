//! Short, real measurements: of one core, and of searches on clusters in this
//! process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ruche_clusters::{ConnectSettings, Route, Topology, connect};
use ruche_game::Game;
use ruche_io_node::RunMode;
use ruche_playouts::{Amount, EngineChoice, HostEngine, PlayoutSettings, Playouts, widest_word};
use ruche_runtime::strategy::Strategy;
use ruche_search::{
    Limits, Proofs, SearchMethod, SearchOptions, SearchReport, Searcher, Stop, Uct,
};
use ruche_shared::WordWidth;
use ruche_shared::budget::{Budget, CORES, Demand};
use ruche_shared::names::Named;

use crate::choose::Rates;
use crate::{TuneError, TuneProgress};

/// Rounds in which all candidates have their turn.
pub const ROUNDS: usize = 5;

/// All strategies; the usual one first, those that leave no processor to others last.
fn strategies() -> Vec<Strategy> {
    let mut all = Strategy::ALL.to_vec();
    all.sort_by_key(|one| (one.waits_actively(), *one != Strategy::default()));
    all
}

/// A game, and what measuring it takes.
pub(crate) struct Bench<'a> {
    pub game: &'a Game,
    /// The run seed.
    pub seed: u64,
    pub progress: &'a mut dyn FnMut(TuneProgress),
}

/// A word, and what evaluates its gates.
#[derive(Clone, Debug)]
pub struct WordRow {
    /// Lanes.
    pub width: WordWidth,
    /// What evaluates the gates.
    pub engine: EngineChoice,
    /// The most cores of a cluster with which it fits.
    pub cores: u32,
    /// Playouts per second of CPU time on one core.
    pub playouts: Rates,
}

/// Clusters, threads and strategy.
#[derive(Clone, Debug)]
pub struct ShapeRow {
    /// Clusters.
    pub clusters: usize,
    /// Cores of each.
    pub threads: u32,
    /// How they get their work.
    pub strategy: Strategy,
    /// The word that the clusters took.
    pub width: WordWidth,
    /// Playouts per second that entered the tree.
    pub playouts: Rates,
}

/// How much is under way.
#[derive(Clone, Debug)]
pub struct BatchRow {
    /// Most leaves in a batch.
    pub batch: usize,
    /// Playouts from each leaf.
    pub playouts_per_position: u32,
    /// Batches under way.
    pub in_flight: usize,
    /// Leaves that batches really had: they grow with the tree.
    pub mean_batch: f64,
    /// The share of visits that found the game over.
    pub ends: f64,
    /// Playouts per second that entered the tree.
    pub playouts: Rates,
}

impl BatchRow {
    /// Leaves per second that entered the tree.
    #[must_use]
    pub fn leaves(&self) -> f64 {
        self.playouts.median() / f64::from(self.playouts_per_position)
    }
}

/// Measures candidates in turns, so that whatever slows this machine down for a
/// while slows all of them down.
fn in_turns<T, M>(
    what: &'static str,
    candidates: &[T],
    progress: &mut dyn FnMut(TuneProgress),
    mut measure: impl FnMut(&T) -> Result<M, TuneError>,
) -> Result<Vec<Vec<M>>, TuneError> {
    let all = ROUNDS * candidates.len();
    let mut rounds: Vec<Vec<M>> = candidates.iter().map(|_| Vec::new()).collect();
    let mut done = 0;
    progress(TuneProgress { what, done, all });
    for _ in 0..ROUNDS {
        for (candidate, measured) in candidates.iter().zip(&mut rounds) {
            measured.push(measure(candidate)?);
            done += 1;
            progress(TuneProgress { what, done, all });
        }
    }
    Ok(rounds)
}

/// The time of each measurement, if all together have this much.
fn slice(time: Duration, candidates: usize) -> Duration {
    time / (ROUNDS * candidates.max(1)) as u32
}

impl Bench<'_> {
    /// Measures one core with all words of this machine that fit into a cluster.
    pub fn words(&mut self, time: Duration) -> Result<Vec<WordRow>, TuneError> {
        let candidates: Vec<_> = WordWidth::ALL
            .into_iter()
            .filter(|width| *width <= widest_word())
            .filter_map(|width| Some((width, most_cores(self.game, width)?)))
            .flat_map(|(width, cores)| {
                EngineChoice::available(width).map(move |one| (width, cores, one))
            })
            .filter_map(|(width, cores, engine)| {
                Some((width, cores, engine, self.ready(width, engine)?))
            })
            .collect();
        let time = slice(time, candidates.len());
        let rounds =
            in_turns("words", &candidates, self.progress, |(.., ready)| play(ready, time))?;
        let rows = candidates.iter().zip(rounds).map(|((width, cores, engine, _), rates)| {
            WordRow { width: *width, engine: *engine, cores: *cores, playouts: Rates(rates) }
        });
        Ok(rows.collect())
    }

    /// The game with its code made. Not every image can become native code.
    fn ready(&self, width: WordWidth, engine: EngineChoice) -> Option<Playouts> {
        let settings = PlayoutSettings { width, engine, seed: self.seed, ..Default::default() };
        Playouts::new(self.game, &settings).ok()
    }

    /// Searches on clusters × threads with all strategies.
    pub fn shapes(
        &mut self,
        word: &WordRow,
        processors: usize,
        time: Duration,
    ) -> Result<Vec<ShapeRow>, TuneError> {
        let cores = most_cores(self.game, WordWidth::One).unwrap_or(1);
        let shapes = shapes(processors, cores).into_iter();
        let candidates: Vec<Topology> = shapes
            .flat_map(|(clusters, threads)| {
                let usual =
                    Topology { clusters, threads, width: word.width, ..Topology::default() };
                strategies().into_iter().map(move |strategy| Topology { strategy, ..usual })
            })
            .collect();
        let (game, seed, engine) = (self.game, self.seed, host_engine(word.engine));
        let time = slice(time, candidates.len());
        let rounds = in_turns("shapes", &candidates, self.progress, |topology| {
            search(game, seed, topology, SearchOptions::default(), time, &engine)
        })?;
        let rows =
            candidates.iter().zip(rounds).map(|(topology, taken)| shape_row(topology, &taken));
        Ok(rows.collect())
    }

    /// Searches with batches of several sizes.
    pub fn batches(
        &mut self,
        word: &WordRow,
        shape: &ShapeRow,
        time: Duration,
    ) -> Result<Vec<BatchRow>, TuneError> {
        let ShapeRow { clusters, threads, strategy, width, .. } = *shape;
        let usual = Topology { clusters, threads, strategy, width, ..Topology::default() };
        let candidates = batches();
        let (game, seed, engine) = (self.game, self.seed, host_engine(word.engine));
        let time = slice(time, candidates.len());
        let rounds = in_turns(
            "batches",
            &candidates,
            self.progress,
            |&(playouts_per_position, batch, in_flight)| {
                let options = SearchOptions {
                    batch,
                    playouts_per_position,
                    in_flight,
                    ..SearchOptions::default()
                };
                search(game, seed, &usual, options, time, &engine)
            },
        )?;
        Ok(candidates.iter().zip(rounds).map(|(batch, taken)| batch_row(*batch, &taken)).collect())
    }
}

/// The most cores of a cluster that have room for words of this width.
fn most_cores(game: &Game, width: WordWidth) -> Option<u32> {
    let demand = Demand::of(game.image());
    let fits =
        |cores: &u32| Budget { cores: *cores, ..Budget::default() }.account(&demand, width).fits();
    (1..=CORES).rev().find(fits)
}

fn play(ready: &Playouts, time: Duration) -> Result<f64, TuneError> {
    let played = ready.play_initial(Amount::Until(Instant::now() + time))?;
    // What else runs here is no fault of the word.
    Ok(per_second(played.results.total().playouts(), played.cpu))
}

/// Searches twice for half of the time, with one tree. Only the second time counts:
/// batches grow with the tree, and cores have to warm up.
fn search(
    game: &Game,
    seed: u64,
    topology: &Topology,
    options: SearchOptions,
    time: Duration,
    engine: &Arc<HostEngine>,
) -> Result<Taken, TuneError> {
    let topology = Topology { run_mode: RunMode::usual(options.in_flight), ..*topology };
    let settings = ConnectSettings::new(topology, seed);
    let settings = ConnectSettings { engine: engine.clone(), ..settings };
    let mut offload = connect(Route::Inproc, game, &settings)?;
    let width = offload.attributes().width;
    // Who measures a machine does not want to be done with a game.
    let options = SearchOptions { proofs: Proofs::Off, ..options };
    let mut search = Uct::new(game, &options.check().unwrap_or_default())?;
    let (limits, stop) = (Limits::time(time / 2), Stop::default());
    let mut half = || search.search(&mut *offload, &limits, &stop, &mut |_| ());
    let (before, after) = (half()?, half()?);
    Ok(Taken::between(width, &before, &after))
}

fn host_engine(engine: EngineChoice) -> Arc<HostEngine> {
    Arc::new(HostEngine::new(engine))
}

/// Clusters × threads that are worth a try: one processor, half of them, all but
/// one, which is left to the tree, and all. Fewer processors come first, then fewer
/// clusters.
fn shapes(processors: usize, most_threads: u32) -> Vec<(usize, u32)> {
    let mut totals = vec![1, processors / 2, processors.saturating_sub(1), processors];
    totals.retain(|total| *total > 0);
    totals.sort_unstable();
    totals.dedup();
    let divided = |total: usize| {
        let clusters = (1..=total).filter(move |clusters| total.is_multiple_of(*clusters));
        clusters.map(move |clusters| (clusters, (total / clusters) as u32))
    };
    let shapes = totals.into_iter().flat_map(divided);
    shapes.filter(|(_, threads)| *threads <= most_threads).collect()
}

/// Playouts per position, batch and batches in flight that are worth a try. Fewer
/// playouts come first, then fewer positions under way.
fn batches() -> Vec<(u32, usize, usize)> {
    let mut batches = Vec::new();
    for playouts in [4, 16, 64] {
        for batch in [64, 256, 1024] {
            batches.extend([(playouts, batch, 1), (playouts, batch, 2)]);
        }
    }
    batches
}

/// What a search has done while it counted.
struct Taken {
    width: WordWidth,
    time: Duration,
    playouts: u64,
    leaves: u64,
    ends: u64,
    batches: u64,
}

impl Taken {
    fn between(width: WordWidth, before: &SearchReport, after: &SearchReport) -> Self {
        Self {
            width,
            time: after.time.saturating_sub(before.time),
            playouts: after.playouts - before.playouts,
            leaves: after.leaves - before.leaves,
            ends: after.terminal_visits - before.terminal_visits,
            batches: after.batches - before.batches,
        }
    }
}

fn playouts(taken: &[Taken]) -> Rates {
    Rates(taken.iter().map(|one| per_second(one.playouts, one.time)).collect())
}

fn shape_row(topology: &Topology, taken: &[Taken]) -> ShapeRow {
    let Topology { clusters, threads, strategy, width, .. } = *topology;
    let width = taken.first().map_or(width, |one| one.width);
    ShapeRow { clusters, threads, strategy, width, playouts: playouts(taken) }
}

fn batch_row(candidate: (u32, usize, usize), taken: &[Taken]) -> BatchRow {
    let (playouts_per_position, batch, in_flight) = candidate;
    let sum = |count: fn(&Taken) -> u64| taken.iter().map(count).sum::<u64>() as f64;
    let (leaves, ends) = (sum(|one| one.leaves), sum(|one| one.ends));
    BatchRow {
        batch,
        playouts_per_position,
        in_flight,
        mean_batch: leaves / sum(|one| one.batches).max(1.0),
        ends: ends / (leaves + ends).max(1.0),
        playouts: playouts(taken),
    }
}

fn per_second(count: u64, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64().max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_use_up_to_all_processors_with_the_simplest_first() {
        assert_eq!(shapes(1, 16), [(1, 1)]);
        assert_eq!(shapes(2, 16), [(1, 1), (1, 2), (2, 1)]);
        let four = [(1, 1), (1, 2), (2, 1), (1, 3), (3, 1), (1, 4), (2, 2), (4, 1)];
        assert_eq!(shapes(4, 16), four);
        let many = shapes(64, 16);
        assert!(many.contains(&(4, 16)) && many.contains(&(63, 1)), "{many:?}");
        assert!(many.iter().all(|(_, threads)| *threads <= 16), "{many:?}");
        assert_eq!(shapes(2, 1), [(1, 1), (2, 1)]);
    }

    #[test]
    fn batches_with_as_many_playouts_have_fewer_positions_under_way_first() {
        let under_way = |one: &(u32, usize, usize)| (one.0, one.1 * one.2);
        assert!(batches().is_sorted_by_key(under_way));
        let usual = SearchOptions::default();
        let usual = (usual.playouts_per_position, usual.batch, usual.in_flight);
        assert!(batches().contains(&usual), "the default is a candidate");
    }

    #[test]
    fn everybody_has_a_turn_in_every_round() {
        let mut turns = Vec::new();
        let mut seen = Vec::new();
        let rounds = in_turns("numbers", &[1, 2], &mut |at| seen.push(at.done), |number| {
            turns.push(*number);
            Ok(turns.len())
        });
        assert_eq!(turns, [1, 2].repeat(ROUNDS));
        assert_eq!(rounds.unwrap()[0], [1, 3, 5, 7, 9]);
        assert!(seen.into_iter().eq(0..=2 * ROUNDS));
    }
}
