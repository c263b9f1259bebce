//! By playouts: what moves change, seen in states of random games.
//!
//! Not by what happens after a move, but by what would have happened after another one: a
//! state goes into as many lanes as a role has legal moves, the moves of the others are
//! held, and the successors are compared. What is the same in all lanes does not depend on
//! this choice, whatever else changes it: counters, other roles, lamps that fade.
//!
//! Two fluents belong together if some move changes both of them, unless the successors
//! are all combinations of what can happen to the one and to the other: then the moves are
//! compound ones, of games that are played at the same time.

use crate::effects::{Evidence, Outcomes, Row};
use crate::lanes::{LANES, Word};
use crate::netlist::{Netlist, Program, read};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::ops::Range;

/// A state, the choice of a role in it, and what the others play.
struct Probe {
    state: Vec<bool>,
    moves: Vec<usize>,
    others: Vec<usize>,
}

/// How much is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    pub(crate) seed: u64,
    /// Gates that may be evaluated.
    pub(crate) gates: usize,
    /// Plies of 256 games at least and at most.
    pub(crate) plies: (usize, usize),
}

pub(crate) fn look(netlist: &Netlist, effort: Effort) -> Evidence {
    let mut table = Table::new(netlist, effort);
    let runs = 1 + netlist.moves.div_ceil(LANES);
    let per_ply = table.ahead.gates() + 2 * table.successor.gates() + netlist.fluents;
    let per_ply = (per_ply + 2 * netlist.moves).max(1);
    let least = (MOST_GATES / (per_ply * runs)).clamp(LEAST_PLIES, effort.plies.0);
    let plies = (effort.gates / per_ply).clamp(least, effort.plies.1);
    for _ in 0..plies {
        table.ply();
    }
    table.flush();
    table.evidence
}

/// Gates that may be evaluated even if each state has all moves.
const MOST_GATES: usize = 300_000_000;

/// Fewer plies would show nothing.
const LEAST_PLIES: usize = 2;

/// Moves of all games that may be drawn from in a ply: with more moves there are fewer games.
const MOST_DRAWS: usize = 2_000_000;

/// Games at the least.
const LEAST_GAMES: usize = 4;

/// How often a condition changes.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Turns {
    /// Whether it became true.
    pub(crate) rises: bool,
    /// Whether it became false.
    pub(crate) falls: bool,
}

/// Whether some conditions of legality become true, and false, during games.
pub(crate) fn watch(netlist: &Netlist, nodes: &[usize], effort: Effort) -> Vec<Turns> {
    let mut table = Table::new(netlist, effort);
    let mut turns = vec![Turns::default(); nodes.len()];
    let mut before: Option<Vec<Word>> = None;
    for _ in 0..WATCHED_PLIES {
        let new = table.prepare();
        let now: Vec<Word> = nodes.iter().map(|&node| table.values[node]).collect();
        for ((turns, &now), &before) in turns.iter_mut().zip(&now).zip(before.iter().flatten()) {
            turns.rises |= !now.and(before.not()).and(new.not()).is_none();
            turns.falls |= !before.and(now.not()).and(new.not()).is_none();
        }
        before = Some(now);
        let stuck = table.choose();
        table.step(stuck);
    }
    turns
}

/// Plies that conditions are watched for.
const WATCHED_PLIES: usize = 200;

/// Moves are not taken for rarer than by this power of two.
const MOST_RARITY: u32 = 24;

/// 256 random games, and what was seen in them.
struct Table<'n> {
    netlist: &'n Netlist,
    /// Legal moves and ends.
    ahead: Program,
    /// The next state.
    successor: Program,
    values: Vec<Word>,
    /// How many games are played; other lanes stay where games begin.
    games: usize,
    /// Values for comparisons, and the inputs among them that are not false.
    lanes: Vec<Word>,
    loaded: Vec<usize>,
    random: Pcg64Mcg,
    /// How often each move was played, and the binary logarithm of it.
    played: Vec<u32>,
    rarity: Vec<u32>,
    waiting: Vec<Probe>,
    waiting_lanes: usize,
    first_lane: usize,
    /// Games in which a role had no move.
    stuck: Word,
    evidence: Evidence,
}

impl<'n> Table<'n> {
    fn new(netlist: &'n Netlist, effort: Effort) -> Self {
        let evidence = Evidence::none(netlist);
        let mut table = Table {
            netlist,
            ahead: netlist.program(netlist.legal.iter().copied().chain([netlist.terminal])),
            successor: netlist.program(netlist.next.iter().copied()),
            values: netlist.values(),
            games: (MOST_DRAWS / netlist.moves.max(1)).clamp(LEAST_GAMES, LANES),
            lanes: netlist.values(),
            loaded: Vec::new(),
            random: Pcg64Mcg::seed_from_u64(effort.seed),
            played: vec![0; netlist.moves],
            rarity: vec![0; netlist.moves],
            waiting: Vec::new(),
            waiting_lanes: 0,
            first_lane: 0,
            stuck: Word::NONE,
            evidence,
        };
        table.begin(Word::ALL);
        table
    }

    /// Some games begin again.
    fn begin(&mut self, games: Word) {
        for (fluent, &holds) in self.netlist.initial.iter().enumerate() {
            let value = &mut self.values[self.netlist.fluent(fluent)];
            *value = if holds { value.or(games) } else { value.and(games.not()) };
        }
    }

    /// One ply of all games, with as many comparisons as fit into a run.
    fn ply(&mut self) {
        self.prepare();
        self.note_legal();
        let stuck = self.choose();
        self.compare();
        self.step(stuck);
    }

    /// Finds legal moves; games that are over begin again. Says which.
    fn prepare(&mut self) -> Word {
        self.netlist.run(&self.ahead, &mut self.values);
        let over = read(&self.values, self.netlist.terminal).or(self.stuck);
        if !over.is_none() {
            self.begin(over);
            self.netlist.run(&self.ahead, &mut self.values);
        }
        over
    }

    /// Plays what is chosen.
    fn step(&mut self, stuck: Word) {
        self.netlist.run(&self.successor, &mut self.values);
        self.advance();
        self.stuck = stuck;
    }

    fn note_legal(&mut self) {
        for (seen, &wire) in self.evidence.legal.iter_mut().zip(&self.netlist.legal) {
            *seen |= !read(&self.values, wire).is_none();
        }
    }

    /// Plays a legal move for each role in all lanes; says where there is none. In one half of
    /// the games all moves have the same chance, in the other one rare moves are preferred:
    /// so what only a long line leads to is seen as well.
    fn choose(&mut self) -> Word {
        let mut stuck = Word::NONE;
        let games = Word::first(self.games);
        for role in 0..self.netlist.roles.len() {
            let mut best = [(0_u32, usize::MAX); LANES];
            for number in self.netlist.roles[role].clone() {
                let legal = read(&self.values, self.netlist.legal[number]).and(games);
                self.values[self.netlist.does(number)] = Word::NONE;
                for lane in legal.lanes() {
                    let rarity = if lane < LANES / 2 { 0 } else { self.rarity[number] };
                    let draw = (self.random.random::<u32>() >> rarity).max(1);
                    if draw > best[lane].0 {
                        best[lane] = (draw, number);
                    }
                }
            }
            for (lane, &(draw, number)) in best.iter().enumerate() {
                stuck.set(lane, stuck.get(lane) || draw == 0);
                if draw > 0 {
                    self.values[self.netlist.does(number)].set(lane, true);
                }
            }
            self.count(role);
        }
        stuck
    }

    /// How often moves were played, by powers of two.
    fn count(&mut self, role: usize) {
        for number in self.netlist.roles[role].clone() {
            self.played[number] += self.values[self.netlist.does(number)].count();
            self.rarity[number] = self.played[number].checked_ilog2().unwrap_or(0).min(MOST_RARITY);
        }
    }

    fn advance(&mut self) {
        let netlist = self.netlist;
        let next: Vec<Word> = netlist.next.iter().map(|&wire| read(&self.values, wire)).collect();
        for (fluent, next) in next.into_iter().enumerate() {
            let value = &mut self.values[netlist.fluent(fluent)];
            self.evidence.changed[fluent] |= *value != next;
            *value = next;
        }
    }

    /// Compares the moves in some of the games.
    fn compare(&mut self) {
        let mut room = LANES;
        for _ in 0..self.games {
            let lane = self.first_lane;
            self.first_lane = (lane + 1) % self.games;
            let probes = self.probes(lane);
            let lanes: usize = probes.iter().map(|probe| probe.moves.len()).sum();
            for probe in probes {
                self.wait(probe);
            }
            room = room.saturating_sub(lanes);
            if room == 0 {
                break;
            }
        }
    }

    fn probes(&self, lane: usize) -> Vec<Probe> {
        let netlist = self.netlist;
        let legal = |&number: &usize| read(&self.values, netlist.legal[number]).get(lane);
        let played = |&number: &usize| self.values[netlist.does(number)].get(lane);
        let options: Vec<Vec<usize>> =
            netlist.roles.iter().map(|moves| moves.clone().filter(legal).collect()).collect();
        let mut probes = Vec::new();
        if options.iter().any(Vec::is_empty) {
            return probes;
        }
        for role in 0..netlist.roles.len() {
            if options[role].len() < 2 {
                continue;
            }
            let state =
                (0..netlist.fluents).map(|f| self.values[netlist.fluent(f)].get(lane)).collect();
            let others = options.iter().enumerate().filter(|&(other, _)| other != role);
            let others = others.filter_map(|(_, moves)| moves.iter().copied().find(played));
            probes.push(Probe { state, moves: options[role].clone(), others: others.collect() });
        }
        probes
    }

    fn wait(&mut self, probe: Probe) {
        if self.waiting_lanes + probe.moves.len() > LANES {
            self.flush();
        }
        self.waiting_lanes += probe.moves.len();
        self.waiting.push(probe);
        if self.waiting_lanes >= LANES {
            self.flush();
        }
    }

    /// Runs the comparisons that wait.
    fn flush(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        self.waiting_lanes = 0;
        if waiting.len() == 1 {
            self.wide(&waiting[0]);
        } else if !waiting.is_empty() {
            self.narrow(&waiting);
        }
    }

    /// Several comparisons in one run.
    fn narrow(&mut self, probes: &[Probe]) {
        let mut jobs = Vec::new();
        let mut start = 0;
        for probe in probes {
            jobs.push((probe, 0..probe.moves.len(), start));
            start += probe.moves.len();
        }
        self.load(&jobs);
        self.netlist.run(&self.successor, &mut self.lanes);
        let mut rows = differing(self.netlist, &self.lanes, &jobs);
        for (probe, rows) in probes.iter().zip(&mut rows) {
            self.learn(probe, std::mem::take(rows));
        }
    }

    /// One comparison, in as many runs as it needs.
    fn wide(&mut self, probe: &Probe) {
        let count = probe.moves.len();
        let mut rows = Rows::new(self.netlist.fluents, count);
        for start in (0..count).step_by(LANES) {
            let end = count.min(start + LANES);
            self.load(&[(probe, start..end, 0)]);
            self.netlist.run(&self.successor, &mut self.lanes);
            rows.take(self.netlist, &self.lanes, start);
        }
        self.learn(probe, rows.differing(&probe.state));
    }

    fn load(&mut self, jobs: &[Job<'_>]) {
        let netlist = self.netlist;
        for node in self.loaded.drain(..) {
            self.lanes[node] = Word::NONE;
        }
        for (probe, moves, start) in jobs {
            let own = Word::first(start + moves.len()).and(Word::first(*start).not());
            let held = (0..netlist.fluents).filter(|&fluent| probe.state[fluent]);
            let held = held.map(|fluent| netlist.fluent(fluent));
            for node in held.chain(probe.others.iter().map(|&other| netlist.does(other))) {
                self.lanes[node] = self.lanes[node].or(own);
                self.loaded.push(node);
            }
            for (lane, &number) in probe.moves[moves.clone()].iter().enumerate() {
                self.lanes[netlist.does(number)].set(start + lane, true);
                self.loaded.push(netlist.does(number));
            }
        }
    }

    fn learn(&mut self, probe: &Probe, rows: Vec<Row>) {
        self.evidence.states += 1;
        let outcomes = Outcomes { moves: probe.moves.clone(), rows };
        self.evidence.learn(outcomes);
    }
}

/// Some moves of a comparison, from a lane on.
type Job<'p> = (&'p Probe, Range<usize>, usize);

/// For each of several comparisons in one run the fluents that are not the same in all lanes
/// of it.
fn differing(netlist: &Netlist, values: &[Word], jobs: &[Job<'_>]) -> Vec<Vec<Row>> {
    let mut rows: Vec<Vec<Row>> = jobs.iter().map(|_| Vec::new()).collect();
    let all = jobs.last().map_or(0, |(_, moves, start)| start + moves.len());
    let all = Word::first(all);
    for (fluent, &wire) in netlist.next.iter().enumerate() {
        let next = read(values, wire).and(all);
        if next.is_none() || next == all {
            continue;
        }
        for ((probe, moves, start), rows) in jobs.iter().zip(&mut rows) {
            let after = next.part(*start, moves.len());
            let count: u32 = after.iter().map(|word| word.count_ones()).sum();
            if count != 0 && count as usize != moves.len() {
                rows.push(Row { fluent, before: probe.state[fluent], after });
            }
        }
    }
    rows
}

/// The next values of all fluents after the moves of a comparison that needs several runs.
struct Rows {
    lanes: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Rows {
    fn new(fluents: usize, lanes: usize) -> Self {
        let words = lanes.next_multiple_of(LANES) / 64;
        Rows { lanes, words, bits: vec![0; fluents * words] }
    }

    /// Takes the lanes of a run as those from `start` on.
    fn take(&mut self, netlist: &Netlist, values: &[Word], start: usize) {
        let count = LANES.min(self.lanes - start);
        for (fluent, &wire) in netlist.next.iter().enumerate() {
            let next = read(values, wire);
            if !next.is_none() {
                let place = fluent * self.words + start / 64;
                let part = next.part(0, count);
                self.bits[place..place + part.len()].copy_from_slice(&part);
            }
        }
    }

    /// Those that are not the same in all lanes.
    fn differing(&self, state: &[bool]) -> Vec<Row> {
        let mut rows = Vec::new();
        for (fluent, &before) in state.iter().enumerate() {
            let after = &self.bits[fluent * self.words..(fluent + 1) * self.words];
            let count: u32 = after.iter().map(|word| word.count_ones()).sum();
            if count != 0 && count as usize != self.lanes {
                let after = after[..self.lanes.div_ceil(64)].to_vec();
                rows.push(Row { fluent, before, after });
            }
        }
        rows
    }
}
