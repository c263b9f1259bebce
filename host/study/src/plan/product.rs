//! From sweeps to points.

use std::collections::HashSet;

use ruche_report::{Clock, Point, Positions};
use ruche_runtime::strategy::Strategy;
use ruche_shared::WordWidth;
use ruche_shared::wire::control::Mode;

use super::keys::MOST_POSITIONS;
use super::{BatchSize, Located, Plan, PlanError, Sweep};
use ruche_game::Game;

use crate::library::{Library, account, bytes_of_position};

/// Most points of a plan: nobody has the time for more.
const MOST_POINTS: usize = 100_000;

/// All points with their runs, each once.
pub fn points(
    plan: &Plan,
    library: &Library,
    clock: Clock,
) -> Result<Vec<(Point, u64)>, PlanError> {
    let mut points: Vec<(Point, u64)> = Vec::new();
    let mut known = HashSet::new();
    for sweep in &plan.sweeps {
        if points.len() + sweep.size() > MOST_POINTS {
            let message = format!("more than {MOST_POINTS} points: sweep over less");
            return Err(plan.error(sweep.words.line, "sweep", message));
        }
        let runs = sweep.runs.unwrap_or(plan.runs);
        for point in of_sweep(plan, sweep, library, clock)? {
            // Floats have no hash; their text is as good.
            if known.insert(format!("{runs} {point:?}")) {
                points.push((point, runs));
            }
        }
    }
    Ok(points)
}

impl Sweep {
    /// Points that it has, if all differ.
    fn size(&self) -> usize {
        let lengths = [
            self.games.len(),
            self.modes.len(),
            self.strategies.len(),
            self.words.value.len(),
            self.playouts_per_position.len(),
            self.batch.value.len(),
            self.bytes.as_ref().map_or(1, Vec::len),
            self.in_flight.len(),
            self.io_nodes.value.len(),
            self.positions.len(),
            self.clusters.len(),
            self.threads.len(),
        ];
        lengths.into_iter().fold(1, usize::saturating_mul)
    }
}

/// Every point so far with every value: what is set last changes fastest.
fn times<T>(points: Vec<Point>, values: &[T], set: impl Fn(&mut Point, &T)) -> Vec<Point> {
    let with = |point: &Point, value: &T| {
        let mut point = point.clone();
        set(&mut point, value);
        point
    };
    let all = points.iter().flat_map(|point| values.iter().map(move |value| with(point, value)));
    all.collect()
}

fn of_sweep(
    plan: &Plan,
    sweep: &Sweep,
    library: &Library,
    clock: Clock,
) -> Result<Vec<Point>, PlanError> {
    let mut all = Vec::new();
    for game in &sweep.games {
        let points = of_game(plan, sweep, library, game, clock)?;
        let checker = Checker { plan, sweep, game };
        checker.check(&points, library)?;
        all.extend(points);
    }
    Ok(all)
}

/// All points of a game; what a batch is depends on the other settings.
fn of_game(
    plan: &Plan,
    sweep: &Sweep,
    library: &Library,
    game: &Located<String>,
    clock: Clock,
) -> Result<Vec<Point>, PlanError> {
    let bytes = position_bytes(plan, sweep, library, game)?;
    let mut first = start(&game.value);
    if clock == Clock::Model {
        first.cost_factor = plan.cost.get(&game.value).copied().unwrap_or(1.0);
    }
    let batches: Vec<u32> = (0..sweep.batch.value.len() as u32).collect();
    let all = vec![first];
    let all = times(all, &sweep.modes, |to, mode| to.mode = *mode);
    let all = times(all, &sweep.strategies, |to, strategy| to.strategy = *strategy);
    let all = times(all, &sweep.words.value, |to, word| to.word = *word);
    let all = times(all, &sweep.playouts_per_position, |to, playouts| {
        to.playouts_per_position = *playouts;
    });
    let all = times(all, &batches, |to, place| to.batch = *place);
    let all = times(all, &bytes, |to, bytes| to.bytes = *bytes);
    let all = times(all, &sweep.in_flight, |to, runs| to.in_flight = *runs);
    let all = times(all, &sweep.io_nodes.value, |to, nodes| to.io_nodes = *nodes);
    let all = times(all, &sweep.positions, |to, from| to.positions = *from);
    let all = times(all, &sweep.clusters, |to, clusters| to.clusters = *clusters);
    let mut all = times(all, &sweep.threads, |to, threads| to.threads = *threads);
    for point in &mut all {
        // Until here it was the place in the list.
        let size = sweep.batch.value[point.batch as usize];
        point.batch = positions(size, point);
    }
    Ok(all)
}

/// What the plan says, or else the game.
fn position_bytes(
    plan: &Plan,
    sweep: &Sweep,
    library: &Library,
    game: &Located<String>,
) -> Result<Vec<u32>, PlanError> {
    if let Some(bytes) = &sweep.bytes {
        return Ok(bytes.clone());
    }
    let name = &game.value;
    match library.find(name, 0) {
        Some(known) => Ok(vec![bytes_of_position(&known)]),
        None => Err(plan.error(game.line, "games", format!("the game `{name}` is unknown"))),
    }
}

fn positions(size: BatchSize, point: &Point) -> u32 {
    match size {
        BatchSize::Fixed(positions) => positions,
        BatchSize::PerThread(each) => each.saturating_mul(point.clusters * point.threads),
        BatchSize::PerCluster(each) => each.saturating_mul(point.clusters),
    }
}

/// The original: one of everything.
fn start(game: &str) -> Point {
    Point {
        game: game.to_owned(),
        clusters: 1,
        threads: 1,
        strategy: Strategy::Restart,
        mode: Mode::PerCore,
        word: WordWidth::One,
        playouts_per_position: 1,
        batch: 1,
        bytes: 0,
        in_flight: 1,
        io_nodes: 1,
        positions: Positions::Initial,
        cost_factor: 1.0,
    }
}

/// Whether the points of a game make sense together.
struct Checker<'a> {
    plan: &'a Plan,
    sweep: &'a Sweep,
    game: &'a Located<String>,
}

impl Checker<'_> {
    fn check(&self, points: &[Point], library: &Library) -> Result<(), PlanError> {
        let mut asked = HashSet::new();
        for point in points {
            self.check_batch(point)?;
            self.check_io_nodes(point)?;
            if asked.insert((point.bytes, point.threads, point.word))
                && let Some(game) = library.game_of(point)
            {
                self.check_fits(point, &game)?;
            }
        }
        Ok(())
    }

    fn check_batch(&self, point: &Point) -> Result<(), PlanError> {
        let under_way = u64::from(point.batch) * u64::from(point.in_flight);
        if under_way <= MOST_POSITIONS {
            return Ok(());
        }
        let message = format!("{under_way} positions under way; possible: up to {MOST_POSITIONS}");
        Err(self.plan.error(self.sweep.batch.line, "batch", message))
    }

    fn check_io_nodes(&self, point: &Point) -> Result<(), PlanError> {
        if point.io_nodes <= point.clusters {
            return Ok(());
        }
        let message = format!(
            "{} I/O nodes for {} clusters: some would have nothing to do; make a sweep of its own \
             for fewer clusters",
            point.io_nodes, point.clusters
        );
        Err(self.plan.error(self.sweep.io_nodes.line, "io-nodes", message))
    }

    fn check_fits(&self, point: &Point, game: &Game) -> Result<(), PlanError> {
        let account = account(game, point.threads, point.word);
        if account.fits() {
            return Ok(());
        }
        let game = &self.game.value;
        let bytes = if self.sweep.bytes.is_some() {
            format!(" with positions of {} bytes", point.bytes)
        } else {
            String::new()
        };
        let verdict = account.verdict();
        let message = format!(
            "{game}{bytes} does not fit into the memory of a cluster: {verdict}; take narrower \
             words or fewer threads"
        );
        Err(self.plan.error(self.game.line, "games", message))
    }
}
