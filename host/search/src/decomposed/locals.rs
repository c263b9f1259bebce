//! What is known of moves inside each part: a tree of sub-positions for each, in which a
//! local move is what changes a sub-position into another one, whatever it is called.

use ruche_game::Game;
use ruche_shared::position::position_words;
use rustc_hash::FxHashMap;

use crate::hash::hash;

/// Visits, and the sum of their goals.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    pub(super) visits: f64,
    pub(super) sum: f64,
}

/// A sub-position after so many moves, by its hash.
pub(super) type Place = (u32, u64);

/// One part of the game.
#[derive(Debug)]
pub(super) struct Local {
    mask: Vec<u32>,
    nodes: FxHashMap<Place, f64>,
    edges: FxHashMap<(Place, u64), Mean>,
}

impl Local {
    /// What is known of the moves from a place to another sub-position.
    pub(super) fn edge(&self, from: Place, to: u64) -> Option<Mean> {
        self.edges.get(&(from, to)).copied()
    }

    pub(super) fn visits(&self, place: Place) -> f64 {
        self.nodes.get(&place).copied().unwrap_or_default()
    }

    /// Counts visits of a move; with nothing to their credit as long as nothing is known.
    pub(super) fn add(&mut self, from: Place, to: u64, visits: f64, sum: f64) {
        *self.nodes.entry(from).or_default() += visits;
        let edge = self.edges.entry((from, to)).or_default();
        edge.visits += visits;
        edge.sum += sum;
    }
}

/// All parts.
#[derive(Debug)]
pub(super) struct Locals {
    pub(super) parts: Vec<Local>,
}

impl Locals {
    /// The played parts of a game that the rules prove; the whole game if there are none.
    pub(super) fn new(game: &Game) -> Self {
        let fluents = game.image().fluents();
        let words = position_words(fluents);
        let played = game.parts().into_iter().flat_map(|found| &found.subgames);
        let played = played.filter(|part| part.kind == ruche_decompose::Kind::Play);
        let mut masks: Vec<Vec<u32>> = played.map(|part| mask(game, &part.fluents)).collect();
        masks.retain(|mask| mask.iter().any(|&word| word != 0));
        if masks.len() < 2 {
            masks = vec![vec![u32::MAX; words]];
        }
        let part = |mask| Local { mask, nodes: FxHashMap::default(), edges: FxHashMap::default() };
        Locals { parts: masks.into_iter().map(part).collect() }
    }

    pub(super) fn clear(&mut self) {
        for part in &mut self.parts {
            part.nodes.clear();
            part.edges.clear();
        }
    }

    /// The sub-position of each part.
    pub(super) fn hashes(&self, position: &[u32]) -> Vec<u64> {
        let of = |part: &Local| {
            let own = position.iter().zip(&part.mask).map(|(word, mask)| word & mask);
            hash(&own.collect::<Vec<u32>>())
        };
        self.parts.iter().map(of).collect()
    }

    pub(super) fn edges(&self) -> usize {
        self.parts.iter().map(|part| part.edges.len()).sum()
    }

    pub(super) fn nodes(&self) -> usize {
        self.parts.iter().map(|part| part.nodes.len()).sum()
    }

    pub(super) fn bytes(&self) -> usize {
        self.edges() * size_of::<((Place, u64), Mean)>() + self.nodes() * size_of::<(Place, f64)>()
    }
}

/// The bits that change what holds of some fluents.
fn mask(game: &Game, fluents: &[String]) -> Vec<u32> {
    let none = vec![0; position_words(game.image().fluents())];
    let names = game.names();
    let mut mask = none.clone();
    for bit in 0..game.image().fluents() {
        let mut one = none.clone();
        one[bit / 32] = 1 << (bit % 32);
        let differs = |fluent: &String| names.holds(fluent, &one) != names.holds(fluent, &none);
        if fluents.iter().any(differs) {
            mask[bit / 32] |= 1 << (bit % 32);
        }
    }
    mask
}
