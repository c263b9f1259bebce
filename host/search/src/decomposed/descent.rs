//! From the root to where playouts begin.

use std::sync::Arc;

use ruche_game::Game;
use rustc_hash::{FxHashMap, FxHashSet};

use super::locals::{Locals, Place};
use super::look::{Looker, Way};
use crate::settings::SearchOptions;

/// Positions that are looked at below where a move was new, before playouts begin: dead ends
/// are found on the way, and playouts from further down say more.
const DIVE: usize = 16;

/// Looks that say nothing yet of whether more are worth it.
const LEAST_LOOKS: u32 = 256;

/// Looks are worth it if one in so many finds something.
const WORTH_ONE_IN: u32 = 32;

/// Where they are not, one in so many is made nevertheless.
const SAMPLE: u32 = 16;

/// How often looks of a kind find something, so that nobody pays for those that do not.
#[derive(Default)]
struct Harvest {
    asked: u32,
    made: u32,
    fruitful: u32,
}

impl Harvest {
    fn is_due(&mut self) -> bool {
        self.asked = self.asked.wrapping_add(1);
        self.made < LEAST_LOOKS
            || self.fruitful * WORTH_ONE_IN >= self.made
            || self.asked.is_multiple_of(SAMPLE)
    }

    /// A look was made. Older ones count less and less.
    fn note(&mut self, has_found: bool) {
        self.made += 1;
        self.fruitful += u32::from(has_found);
        if self.made > 8 * LEAST_LOOKS {
            self.made /= 2;
            self.fruitful /= 2;
        }
    }
}

/// The positions below a new move that are looked at before playouts begin.
#[derive(Default)]
struct Dive {
    has_begun: bool,
    left: usize,
    is_wanted: bool,
    has_found: bool,
}

impl Dive {
    /// A move was new.
    fn begin(&mut self, is_wanted: bool) {
        (self.has_begun, self.is_wanted) = (true, is_wanted);
        self.left = if is_wanted { DIVE } else { 0 };
    }

    fn go_down(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    /// A position was a dead end.
    fn find(&mut self) {
        self.go_down();
        self.has_found |= self.has_begun;
    }

    fn is_over(&self) -> bool {
        self.has_begun && self.left == 0
    }

    /// Whether it was worth it.
    fn tell(&self, dives: &mut Harvest) {
        if self.is_wanted {
            dives.note(self.has_found);
        }
    }
}

/// What is known of a position: where its moves lead, in the game and in each part.
struct Look {
    ways: Vec<Way>,
    /// The sub-positions behind each way.
    hashes: Vec<Vec<u64>>,
}

/// A move of a descent.
struct Step {
    number: u32,
    position: Box<[u32]>,
    from: Vec<u64>,
    to: Vec<u64>,
}

/// Where playouts begin, and the local moves that led there.
pub(super) struct Leaf {
    pub(super) position: Box<[u32]>,
    pub(super) moves: Vec<u32>,
    locals: Vec<(Vec<u64>, Vec<u64>)>,
}

/// A score and the moves to it.
type Line = (u16, Vec<u32>);

pub(super) struct Descents {
    pub(super) locals: Locals,
    looker: Looker,
    looks: FxHashMap<Box<[u32]>, Arc<Look>>,
    /// Positions from which nothing better can be reached than the best that was played.
    dead: FxHashSet<Box<[u32]>>,
    /// Whether bounds ever close a way, and whether positions below new moves are dead ends.
    bounds: Harvest,
    dives: Harvest,
    is_root_dead: bool,
    greatest: u16,
    exploration: f64,
    memory: usize,
    look_bytes: usize,
    pub(super) is_full: bool,
}

impl Descents {
    pub(super) fn new(game: &Game, options: &SearchOptions) -> Self {
        let goals = game.image().goals().map(|goal| goal.value);
        Descents {
            locals: Locals::new(game),
            looker: Looker::new(game),
            looks: FxHashMap::default(),
            dead: FxHashSet::default(),
            bounds: Harvest::default(),
            dives: Harvest::default(),
            is_root_dead: false,
            greatest: goals.max().unwrap_or(0),
            exploration: options.exploration,
            memory: usize::try_from(options.memory).unwrap_or(usize::MAX),
            look_bytes: 0,
            is_full: false,
        }
    }

    /// Whether nothing better can be found.
    pub(super) fn is_done(&self, best: Option<u16>) -> bool {
        self.is_root_dead || best.is_some_and(|best| best >= self.greatest)
    }

    /// The root is another one.
    pub(super) fn forget(&mut self) {
        self.locals.clear();
        self.looks.clear();
        self.dead.clear();
        (self.is_root_dead, self.is_full, self.look_bytes) = (false, false, 0);
    }

    pub(super) fn bytes(&self) -> usize {
        self.look_bytes + self.locals.bytes()
    }

    /// Goes down until a move is new in some part. Returns where that is, unless nothing is
    /// left, and the line to an end that is better than the best, if one was passed by.
    pub(super) fn descend(
        &mut self,
        root: &[u32],
        best: &mut Option<u16>,
        seed: u64,
    ) -> (Option<Leaf>, Option<Line>) {
        let mut position: Box<[u32]> = root.into();
        let mut from = self.locals.hashes(root);
        let mut steps: Vec<Step> = Vec::new();
        let mut line = None;
        let mut dive = Dive::default();
        loop {
            let look = self.look(&position, *best);
            let ends = look.ways.iter().filter(|way| way.end.is_some());
            if let Some(way) = ends.max_by_key(|way| way.end).filter(|way| way.end > *best) {
                *best = way.end;
                let moves = steps.iter().map(|step| step.number).chain([way.number]).collect();
                line = way.end.map(|score| (score, moves));
            }
            if self.is_done(*best) {
                return (None, line);
            }
            let place = steps.len() as u32;
            let random = mix(seed ^ u64::from(place));
            let Some(chosen) = self.choose(&look, &from, place, *best, random) else {
                self.dead.insert(position);
                dive.find();
                match steps.pop() {
                    Some(step) => (position, from) = (step.position, step.from),
                    None => {
                        self.is_root_dead = true;
                        return (None, line);
                    }
                }
                continue;
            };
            let (way, to) = (&look.ways[chosen], look.hashes[chosen].clone());
            let is_new = self.is_new(&from, &to, place);
            let step = Step { number: way.number, position, from, to: to.clone() };
            steps.push(step);
            (position, from) = (way.position.clone(), to);
            dive.go_down();
            if is_new && !dive.has_begun {
                dive.begin(self.dives.is_due());
            }
            if dive.is_over() {
                dive.tell(&mut self.dives);
                return (Some(self.leaf(position, steps)), line);
            }
        }
    }

    /// Counts visits that have brought nothing so far.
    fn leaf(&mut self, position: Box<[u32]>, steps: Vec<Step>) -> Leaf {
        let moves = steps.iter().map(|step| step.number).collect();
        let locals = steps.into_iter().map(|step| (step.from, step.to)).collect();
        let leaf = Leaf { position, moves, locals };
        self.add(&leaf, 1.0, 0.0);
        leaf
    }

    /// What playouts have brought.
    pub(super) fn credit(&mut self, leaf: &Leaf, goal: f64) {
        let greatest = f64::from(self.greatest.max(1));
        self.add(leaf, 0.0, goal / greatest);
    }

    fn add(&mut self, leaf: &Leaf, visits: f64, sum: f64) {
        self.is_full |= self.locals.bytes() > self.memory / 2;
        for (depth, (from, to)) in leaf.locals.iter().enumerate() {
            for (part, (&from, &to)) in from.iter().zip(to).enumerate() {
                let place = (depth as u32, from);
                let part = &mut self.locals.parts[part];
                if !self.is_full || part.edge(place, to).is_some() {
                    part.add(place, to, visits, sum);
                }
            }
        }
    }

    fn is_new(&self, from: &[u64], to: &[u64], depth: u32) -> bool {
        let pairs = from.iter().zip(to).zip(&self.locals.parts);
        pairs.into_iter().any(|((&from, &to), part)| part.edge((depth, from), to).is_none())
    }

    /// The way that all parts together like best, of those that can lead to something better.
    fn choose(
        &self,
        look: &Look,
        from: &[u64],
        depth: u32,
        best: Option<u16>,
        random: u64,
    ) -> Option<usize> {
        let is_open = |way: &Way| {
            let is_better = best.is_none_or(|best| way.bound > best);
            way.end.is_none() && is_better && !self.dead.contains(&way.position)
        };
        let open = (0..look.ways.len()).filter(|&way| is_open(&look.ways[way]));
        let score = |way: usize| {
            let parts = self.locals.parts.iter().zip(from).zip(&look.hashes[way]);
            let parts = parts.map(|((part, &from), &to)| self.bid(part, (depth, from), to));
            (parts.sum::<f64>(), mix(random ^ u64::from(look.ways[way].number)))
        };
        let scored = open.map(|way| (score(way), way));
        let better = |one: &((f64, u64), usize), other: &((f64, u64), usize)| {
            one.0.0.total_cmp(&other.0.0).then(one.0.1.cmp(&other.0.1))
        };
        scored.max_by(better).map(|(_, way)| way)
    }

    /// How much a part likes a local move; nothing is liked more than what is new.
    fn bid(&self, part: &super::locals::Local, place: Place, to: u64) -> f64 {
        const NEW: f64 = 1e3;
        part.edge(place, to).map_or(NEW, |mean| {
            let all = part.visits(place).max(1.0);
            mean.sum / mean.visits + self.exploration * libm::sqrt(libm::log(all) / mean.visits)
        })
    }

    fn look(&mut self, position: &[u32], best: Option<u16>) -> Arc<Look> {
        if let Some(look) = self.looks.get(position) {
            return look.clone();
        }
        let is_bounded = self.bounds.is_due();
        let ways = self.looker.look(position, is_bounded);
        if let Some(best) = best.filter(|_| is_bounded) {
            self.bounds.note(ways.iter().any(|way| way.bound <= best));
        }
        let hashes = ways.iter().map(|way| self.locals.hashes(&way.position)).collect();
        let look = Arc::new(Look { ways, hashes });
        let each = 4 * position.len() + 8 * self.locals.parts.len() + 2 * size_of::<Way>();
        if self.look_bytes > self.memory / 2 {
            self.looks.clear();
            self.look_bytes = 0;
        }
        self.look_bytes += each * (1 + look.ways.len());
        self.looks.insert(position.into(), look.clone());
        look
    }
}

/// Numbers that look random, the same ones everywhere (SplitMix64).
fn mix(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}
