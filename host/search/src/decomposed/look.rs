//! What one position leads to: its moves, their successors, ends among them, and what can
//! still be reached. It is looked up again wherever descents come by.

use ruche_decompose::{REACH_LANES, Reach, Settings};
use ruche_game::Game;
use ruche_playouts::lanes::{End, LANES, Lanes, LegalMoves};
use ruche_shared::position::position_words;
use rustc_hash::FxHashMap;

/// Gates of rules that are asked at each position what can still be reached.
const MOST_GATES: usize = 20_000;

/// A move, and what it leads to.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) number: u32,
    pub(super) position: Box<[u32]>,
    /// The goal, if it ends the game.
    pub(super) end: Option<u16>,
    /// Nothing from there on is better.
    pub(super) bound: u16,
}

pub(super) struct Looker {
    game: Game,
    lanes: Lanes,
    reach: Option<Horizon>,
}

/// Bounds of what can be reached, for packed positions.
struct Horizon {
    reach: Reach,
    /// For each fluent of the rules the bit that tells it, and whether that means the opposite.
    bits: Vec<(Option<usize>, bool)>,
}

impl Horizon {
    fn new(game: &Game) -> Option<Self> {
        if game.report().gates() > MOST_GATES {
            return None;
        }
        let reach = Reach::new(&game.description()?, &Settings::default()).ok()?;
        let image = game.image();
        let none = vec![0; position_words(image.fluents())];
        let mut slots: FxHashMap<&str, (Option<usize>, bool)> = FxHashMap::default();
        for fluent in game.names().true_in(&none) {
            slots.insert(fluent, (None, true));
        }
        for bit in 0..image.fluents() {
            let mut one = none.clone();
            one[bit / 32] = 1 << (bit % 32);
            let holds = game.names().true_in(&one);
            // What holds without this bit and not with it means its opposite.
            let opposite = slots.iter().filter(|(fluent, known)| {
                known.1 && known.0.is_none() && holds.binary_search(fluent).is_err()
            });
            let opposite: Vec<&str> = opposite.map(|(fluent, _)| *fluent).collect();
            for fluent in opposite {
                slots.insert(fluent, (Some(bit), true));
            }
            for fluent in holds {
                slots.entry(fluent).or_insert((Some(bit), false));
            }
        }
        let bits = reach.fluents().map(|fluent| slots.get(fluent).copied());
        let bits = bits.map(|known| known.unwrap_or((None, false))).collect();
        Some(Horizon { reach, bits })
    }

    fn bound(&mut self, options: &mut [Way]) {
        let Horizon { reach, bits } = self;
        for options in options.chunks_mut(REACH_LANES) {
            let bounds = reach.bounds(options.len(), |state, fluent| {
                let (bit, is_opposite) = bits[fluent];
                let position = &options[state].position;
                let holds = bit.is_some_and(|bit| position[bit / 32] >> (bit % 32) & 1 == 1);
                holds != is_opposite
            });
            options.iter_mut().zip(bounds).for_each(|(option, bound)| option.bound = bound);
        }
    }
}

impl Looker {
    pub(super) fn new(game: &Game) -> Self {
        Looker { game: game.clone(), lanes: Lanes::new(game), reach: Horizon::new(game) }
    }

    /// The moves of a position in which the game goes on, with bounds of what can be reached
    /// if they are wanted.
    pub(super) fn look(&mut self, position: &[u32], is_bounded: bool) -> Vec<Way> {
        let mut legal = LegalMoves::default();
        self.lanes.load(std::iter::once(position));
        self.lanes.run_legal();
        self.lanes.survey_moves();
        self.lanes.legal(0, &mut legal);
        let mut options = Vec::new();
        for numbers in legal.of(0).chunks(LANES) {
            self.play(position, numbers, &mut options);
        }
        if let Some(horizon) = self.reach.as_mut().filter(|_| is_bounded) {
            horizon.bound(&mut options);
        }
        options
    }

    fn play(&mut self, position: &[u32], numbers: &[u32], options: &mut Vec<Way>) {
        let words = position_words(self.game.image().fluents());
        let lanes = &mut self.lanes;
        lanes.load(std::iter::repeat_n(position, numbers.len()));
        lanes.run_legal();
        lanes.clear_moves(0, u64::MAX);
        for (lane, &number) in numbers.iter().enumerate() {
            lanes.set_move(lane, 0, number);
        }
        lanes.run_next();
        let mut positions = Vec::new();
        lanes.store(&mut positions, numbers.len());
        lanes.load(positions.chunks(words));
        lanes.run_legal();
        let used = u64::MAX >> (LANES - numbers.len());
        let ends = lanes.survey_ends(used);
        let mut goals = Vec::new();
        for (lane, &number) in numbers.iter().enumerate() {
            let end = match ends.of(lane, lanes, &mut goals) {
                Some(End::Goals(goals)) => Some(goals[0]),
                Some(End::Unscored) => Some(0),
                None => None,
            };
            let position = positions[lane * words..][..words].into();
            options.push(Way { number, position, end, bound: u16::MAX });
        }
    }
}
