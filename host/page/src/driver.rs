//! Who is asked next. One thread thinks, on a copy of what it needs; what it finds goes to
//! the table unless that has moved on.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_arena::{Contestant, Offloads, Player, Seat as ArenaSeat, Turn};
use ruche_game::State;
use ruche_rules::Position;
use ruche_search::{Limits, SearchReport, Stop};

use crate::Thinker;
use crate::analysis::{Analysis, Cluster};
use crate::seat::Seat;
use crate::table::{Shared, Spot, Table, Task};

/// How often is looked whether all is over.
const GLANCE: Duration = Duration::from_millis(100);
/// A position that somebody looks at is not analysed longer.
const LONGEST_ANALYSIS: Duration = Duration::from_secs(120);
/// The shortest time between two moves that nobody has to think about, so that people see
/// them.
const SHOWN: Duration = Duration::from_millis(350);

/// Thinks until somebody wants it to stop.
pub(crate) fn drive<'a>(
    shared: &'a Shared,
    thinker: Option<&'a mut (dyn Thinker + 'a)>,
    stop: &Stop,
) {
    let random = Pcg64Mcg::seed_from_u64(seed());
    let mut driver = Driver { shared, thinker, players: HashMap::new(), random };
    while !stop.is_requested() {
        if let Some(job) = shared.wait(GLANCE, take_job) {
            watching(stop, &job.stop, || driver.work(&job));
        }
    }
}

/// No two games are alike.
fn seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_nanos() as u64
}

/// Something to do, and all that is needed for it.
struct Job {
    task: Task,
    spot: Spot,
    epoch: u64,
    position: Position,
    seats: Vec<Seat>,
    joints: Vec<Vec<String>>,
    limits: Limits,
    stop: Stop,
}

fn take_job(table: &mut Table) -> Option<Job> {
    let task = table.next_task()?;
    let ply = if let Task::Analyse(ply) = task { ply } else { table.ply() };
    (table.task, table.stop) = (Some(task), Stop::default());
    Some(Job {
        task,
        spot: table.spot(ply),
        epoch: table.epoch,
        position: table.positions[ply].clone(),
        seats: table.setup.seats.clone(),
        joints: table.setup.joints[..ply].to_vec(),
        limits: table.setup.limits,
        stop: table.stop.clone(),
    })
}

/// Passes a wish that all ends on to what is being done.
fn watching(all: &Stop, job: &Stop, work: impl FnOnce()) {
    std::thread::scope(|scope| {
        let done = Stop::default();
        let is_done = done.clone();
        let watcher = scope.spawn(move || {
            while !is_done.is_requested() {
                if all.is_requested() {
                    job.request();
                }
                std::thread::park_timeout(GLANCE);
            }
        });
        work();
        done.request();
        watcher.thread().unpark();
    });
}

struct Driver<'a> {
    shared: &'a Shared,
    thinker: Option<&'a mut (dyn Thinker + 'a)>,
    /// Who plays a role elsewhere or by settings of its own, by who is meant and in which
    /// branch: nobody can take back moves there.
    players: HashMap<usize, (Contestant, u64, Box<dyn Player>)>,
    random: Pcg64Mcg,
}

impl Driver<'_> {
    fn work(&mut self, job: &Job) {
        let result = match job.task {
            Task::Choose => self.choose(job),
            Task::Analyse(_) => self.analyse(job),
        };
        self.shared.change(|table| {
            table.task = None;
            if let Err(trouble) = result {
                table.trouble = Some(trouble.to_string());
                table.is_paused |= job.task == Task::Choose;
                table.wish = table.wish.filter(|_| job.task == Task::Choose);
            }
        });
    }

    fn analyse(&mut self, job: &Job) -> Result<(), Box<dyn std::error::Error>> {
        let limits = Limits::time(LONGEST_ANALYSIS);
        if let Some(state) = job.position.state() {
            self.think(job, state, &limits)?;
        }
        if !job.stop.is_requested() {
            self.shared.change(|table| table.analysed = Some(job.spot));
        }
        Ok(())
    }

    /// Moves for all who are no persons.
    fn choose(&mut self, job: &Job) -> Result<(), Box<dyn std::error::Error>> {
        let start = Instant::now();
        let open = |role: &usize| job.position.legal(*role).len() > 1;
        let roles: Vec<usize> = (0..job.seats.len()).filter(open).collect();
        let mut found: Vec<(usize, String)> = Vec::new();
        let engines: Vec<usize> =
            roles.iter().copied().filter(|role| job.seats[*role] == Seat::Engine).collect();
        if !engines.is_empty() {
            found.extend(self.engine_moves(job, &engines)?);
        }
        for role in roles {
            if let Seat::Other(contestant) = &job.seats[role] {
                found.push((role, self.other_move(job, role, contestant)?));
            }
        }
        pause(start, &job.stop);
        self.shared.change(|table| play(table, job, &found))
    }

    fn engine_moves(
        &mut self,
        job: &Job,
        roles: &[usize],
    ) -> Result<Vec<(usize, String)>, Box<dyn std::error::Error>> {
        let state = job.position.state().filter(|_| self.thinker.is_some());
        let Some(state) = state else {
            return Ok(roles.iter().map(|role| (*role, self.any_move(job, *role))).collect());
        };
        let report = self.think(job, state, &job.limits)?;
        let best = report.best.unwrap_or_default();
        let names = state.game().names();
        let chosen = |role: &usize| {
            let number = best.get(*role).copied().unwrap_or(state.legal(*role)[0]);
            (*role, names.moves(*role)[number as usize].clone())
        };
        Ok(roles.iter().map(chosen).collect())
    }

    /// Thinks, and shows how it goes.
    fn think(
        &mut self,
        job: &Job,
        state: &State,
        limits: &Limits,
    ) -> Result<SearchReport, Box<dyn std::error::Error>> {
        let Some(thinker) = &mut self.thinker else {
            return Err("there is no engine for a game that is too large to compile".into());
        };
        let shared = self.shared;
        let mut first: Option<(u64, f64)> = None;
        let mut watch = |report: &SearchReport, clusters, is_running| {
            let since = *first.get_or_insert((report.playouts, report.seconds()));
            tell(shared, job.spot, state, (report, since), clusters, is_running);
        };
        let meter = thinker.meter();
        let report =
            thinker.think(state, limits, &job.stop, &mut |report| watch(report, meter(), true))?;
        watch(&report, meter(), false);
        Ok(report)
    }

    fn other_move(
        &mut self,
        job: &Job,
        role: usize,
        contestant: &Contestant,
    ) -> Result<String, Box<dyn std::error::Error>> {
        let Some(state) = job.position.state() else { return Ok(self.any_move(job, role)) };
        let branch = job.spot.branch;
        let is_same = |known: &(Contestant, u64, Box<dyn Player>)| {
            (&known.0, known.1) == (contestant, branch)
        };
        if !self.players.get(&role).is_some_and(is_same) {
            self.players.remove(&role);
            let (game, offloads) = (state.game(), Offloads::new(state.game())?);
            let seat = ArenaSeat { game, offloads: &offloads, role, seed: self.random.random() };
            let player = contestant.player(&seat)?;
            self.players.insert(role, (contestant.clone(), branch, player));
        }
        let names = state.game().names();
        let numbers = |joint: &Vec<String>| -> Vec<u32> {
            let number = |(role, text): (usize, &String)| names.find_move(role, text);
            joint.iter().enumerate().filter_map(number).map(|number| number as u32).collect()
        };
        let joints: Vec<Vec<u32>> = job.joints.iter().map(numbers).collect();
        let turn = Turn { role, state, joints: &joints, stop: &job.stop };
        let Some((_, _, player)) = self.players.get_mut(&role) else {
            return Ok(self.any_move(job, role));
        };
        let chosen = player.choose(&turn);
        if chosen.is_err() {
            self.players.remove(&role);
        }
        Ok(names.moves(role)[chosen? as usize].clone())
    }

    /// A move for whoever cannot think.
    fn any_move(&mut self, job: &Job, role: usize) -> String {
        let legal = job.position.legal(role);
        legal[self.random.random_range(0..legal.len())].to_owned()
    }
}

/// Waits until people have seen the move before.
fn pause(start: Instant, stop: &Stop) {
    while start.elapsed() < SHOWN && !stop.is_requested() {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Makes moves that were thought about, unless the game is elsewhere.
fn play(
    table: &mut Table,
    job: &Job,
    found: &[(usize, String)],
) -> Result<(), Box<dyn std::error::Error>> {
    if table.epoch != job.epoch || table.spot(table.ply()) != job.spot {
        return Ok(());
    }
    for (role, text) in found {
        table.chosen[*role] = Some(text.clone());
    }
    Ok(table.advance()?)
}

/// Tells the table what a search thinks.
fn tell(
    shared: &Shared,
    spot: Spot,
    state: &State,
    (report, since): (&SearchReport, (u64, f64)),
    clusters: Vec<Cluster>,
    is_running: bool,
) {
    let boards = shared.with(|table| Arc::clone(&table.setup.boards));
    let mut analysis = Analysis::new(state, &boards, report);
    let (playouts, seconds) = since;
    if report.seconds() - seconds > 0.05 {
        analysis.rate = (report.playouts - playouts) as f64 / (report.seconds() - seconds);
    }
    (analysis.ply, analysis.is_running, analysis.clusters) = (spot.ply, is_running, clusters);
    shared.change(|table| {
        if table.branch == spot.branch && spot.ply < table.values.len() {
            table.values[spot.ply] = Some(analysis.values());
            table.analysis = Some(analysis);
        }
    });
}

/// Shows what a search elsewhere thinks of the last position.
pub(crate) fn show(
    shared: &Shared,
    report: &SearchReport,
    clusters: Vec<Cluster>,
    is_running: bool,
) {
    let (spot, position) = shared.with(|table| (table.spot(table.ply()), table.last().clone()));
    if let Some(state) = position.state() {
        tell(shared, spot, state, (report, (0, 0.0)), clusters, is_running);
    }
}
