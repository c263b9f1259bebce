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

use crate::evidence::{Evidence, Outcomes, Row};
use crate::net::{Net, Program, read};
use crate::word::{LANES, Word};
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

pub(crate) fn look(net: &Net, effort: Effort) -> Evidence {
    let mut table = Table::new(net, effort);
    let per_ply = table.ahead.gates() + 2 * table.successor.gates() + net.fluents + 2 * net.moves;
    let plies = (effort.gates / per_ply.max(1)).clamp(effort.plies.0, effort.plies.1);
    for _ in 0..plies {
        table.ply();
    }
    table.flush();
    table.evidence
}

/// How often a condition changes.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Turns {
    /// Whether it became true.
    pub(crate) rises: bool,
    /// Whether it became false.
    pub(crate) falls: bool,
}

/// Whether some conditions of legality become true, and false, during games.
pub(crate) fn watch(net: &Net, nodes: &[usize], effort: Effort) -> Vec<Turns> {
    let mut table = Table::new(net, effort);
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
    net: &'n Net,
    /// Legal moves and ends.
    ahead: Program,
    /// The next state.
    successor: Program,
    values: Vec<Word>,
    /// Values for comparisons.
    lanes: Vec<Word>,
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
    fn new(net: &'n Net, effort: Effort) -> Self {
        let evidence = Evidence::none(net);
        let mut table = Table {
            net,
            ahead: net.program(net.legal.iter().copied().chain([net.terminal])),
            successor: net.program(net.next.iter().copied()),
            values: net.values(),
            lanes: net.values(),
            random: Pcg64Mcg::seed_from_u64(effort.seed),
            played: vec![0; net.moves],
            rarity: vec![0; net.moves],
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
        for (fluent, &holds) in self.net.initial.iter().enumerate() {
            let value = &mut self.values[self.net.fluent(fluent)];
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
        self.net.run(&self.ahead, &mut self.values);
        let over = read(&self.values, self.net.terminal).or(self.stuck);
        if !over.is_none() {
            self.begin(over);
            self.net.run(&self.ahead, &mut self.values);
        }
        over
    }

    /// Plays what is chosen.
    fn step(&mut self, stuck: Word) {
        self.net.run(&self.successor, &mut self.values);
        self.advance();
        self.stuck = stuck;
    }

    fn note_legal(&mut self) {
        for (seen, &wire) in self.evidence.legal.iter_mut().zip(&self.net.legal) {
            *seen |= !read(&self.values, wire).is_none();
        }
    }

    /// Plays a legal move for each role in all lanes; says where there is none. In one half of
    /// the games all moves have the same chance, in the other one rare moves are preferred:
    /// so what only a long line leads to is seen as well.
    fn choose(&mut self) -> Word {
        let mut stuck = Word::NONE;
        for role in 0..self.net.roles.len() {
            let mut best = [(0_u32, usize::MAX); LANES];
            for number in self.net.roles[role].clone() {
                let legal = read(&self.values, self.net.legal[number]);
                self.values[self.net.does(number)] = Word::NONE;
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
                    self.values[self.net.does(number)].set(lane, true);
                }
            }
            self.count(role);
        }
        stuck
    }

    /// How often moves were played, by powers of two.
    fn count(&mut self, role: usize) {
        for number in self.net.roles[role].clone() {
            self.played[number] += self.values[self.net.does(number)].count();
            self.rarity[number] = self.played[number].checked_ilog2().unwrap_or(0).min(MOST_RARITY);
        }
    }

    fn advance(&mut self) {
        let net = self.net;
        let next: Vec<Word> = net.next.iter().map(|&wire| read(&self.values, wire)).collect();
        for (fluent, next) in next.into_iter().enumerate() {
            let value = &mut self.values[net.fluent(fluent)];
            self.evidence.changed[fluent] |= *value != next;
            *value = next;
        }
    }

    /// Compares the moves in some of the games.
    fn compare(&mut self) {
        let mut room = LANES;
        for _ in 0..LANES {
            let lane = self.first_lane;
            self.first_lane = (lane + 1) % LANES;
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
        let net = self.net;
        let legal = |&number: &usize| read(&self.values, net.legal[number]).get(lane);
        let played = |&number: &usize| self.values[net.does(number)].get(lane);
        let options: Vec<Vec<usize>> =
            net.roles.iter().map(|moves| moves.clone().filter(legal).collect()).collect();
        let mut probes = Vec::new();
        if options.iter().any(Vec::is_empty) {
            return probes;
        }
        for role in 0..net.roles.len() {
            if options[role].len() < 2 {
                continue;
            }
            let state = (0..net.fluents).map(|f| self.values[net.fluent(f)].get(lane)).collect();
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
        self.net.run(&self.successor, &mut self.lanes);
        let mut rows = differing(self.net, &self.lanes, &jobs);
        for (probe, rows) in probes.iter().zip(&mut rows) {
            self.learn(probe, std::mem::take(rows));
        }
    }

    /// One comparison, in as many runs as it needs.
    fn wide(&mut self, probe: &Probe) {
        let count = probe.moves.len();
        let mut rows = Rows::new(self.net.fluents, count);
        for start in (0..count).step_by(LANES) {
            let end = count.min(start + LANES);
            self.load(&[(probe, start..end, 0)]);
            self.net.run(&self.successor, &mut self.lanes);
            rows.take(self.net, &self.lanes, start);
        }
        self.learn(probe, rows.differing(&probe.state));
    }

    fn load(&mut self, jobs: &[Job<'_>]) {
        let net = self.net;
        self.lanes[1..=net.fluents + net.moves].fill(Word::NONE);
        for (probe, moves, start) in jobs {
            let own = Word::first(start + moves.len()).and(Word::first(*start).not());
            let everywhere = |value: &mut Word| *value = value.or(own);
            for fluent in (0..net.fluents).filter(|&fluent| probe.state[fluent]) {
                everywhere(&mut self.lanes[net.fluent(fluent)]);
            }
            for &other in &probe.others {
                everywhere(&mut self.lanes[net.does(other)]);
            }
            for (lane, &number) in probe.moves[moves.clone()].iter().enumerate() {
                self.lanes[net.does(number)].set(start + lane, true);
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
fn differing(net: &Net, values: &[Word], jobs: &[Job<'_>]) -> Vec<Vec<Row>> {
    let mut rows: Vec<Vec<Row>> = jobs.iter().map(|_| Vec::new()).collect();
    let all = jobs.last().map_or(0, |(_, moves, start)| start + moves.len());
    let all = Word::first(all);
    for (fluent, &wire) in net.next.iter().enumerate() {
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
    fn take(&mut self, net: &Net, values: &[Word], start: usize) {
        let count = LANES.min(self.lanes - start);
        for (fluent, &wire) in net.next.iter().enumerate() {
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
