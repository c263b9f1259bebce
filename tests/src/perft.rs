//! Counting the positions of a compiled game, 64 at a time.

use std::collections::HashSet;

use ruche_eval::Evaluator;
use ruche_shared::position::position_words;

use ruche_game::Game;

/// Lanes of the word that is used.
const LANES: usize = 64;

type Position = Vec<u32>;
/// For each role the number of its move.
type Joint = Vec<usize>;

/// What there is to know about the successors of a position.
enum Outlook {
    Terminal,
    Open(Vec<Joint>),
}

/// The numbers of ways to make 1, 2, ... `depth` moves from the start. Games
/// that are over before count no more.
pub fn perft(game: &Game, depth: usize) -> Vec<u64> {
    let mut counts = vec![0; depth];
    visit(game, |expander, start| expander.count(&[start], &mut counts));
    counts
}

/// The number of games from the start to a terminal position.
pub fn complete_games(game: &Game) -> u64 {
    visit(game, |expander, start| expander.finish(&[start]))
}

/// The number of different positions that can be reached, the start included.
pub fn reachable_positions(game: &Game) -> usize {
    visit(game, |expander, start| {
        let mut seen = HashSet::from([start.clone()]);
        let mut frontier = vec![start];
        while let Some(chunk) = take_lanes(&mut frontier) {
            let children = expander.open_children(&chunk).1;
            frontier.extend(children.into_iter().filter(|child| seen.insert(child.clone())));
        }
        seen.len()
    })
}

fn visit<T>(game: &Game, question: impl FnOnce(&mut Expander<'_>, Position) -> T) -> T {
    let image = game.image();
    let mut slots = vec![0; image.slots()];
    let evaluator = Evaluator::new(image, &mut slots).expect("there are enough slots");
    question(&mut Expander { evaluator }, image.initial().to_vec())
}

fn take_lanes(frontier: &mut Vec<Position>) -> Option<Vec<Position>> {
    let rest = frontier.len().saturating_sub(LANES);
    Some(frontier.split_off(rest)).filter(|chunk| !chunk.is_empty())
}

struct Expander<'a> {
    evaluator: Evaluator<'a, 'a, u64>,
}

impl Expander<'_> {
    fn count(&mut self, positions: &[Position], counts: &mut [u64]) {
        let Some((here, deeper)) = counts.split_first_mut() else { return };
        for chunk in positions.chunks(LANES) {
            if deeper.is_empty() {
                *here += self.outlooks(chunk).iter().map(Outlook::branches).sum::<u64>();
            } else {
                let children = self.open_children(chunk).1;
                *here += children.len() as u64;
                self.count(&children, deeper);
            }
        }
    }

    fn finish(&mut self, positions: &[Position]) -> u64 {
        let mut finished = 0;
        for chunk in positions.chunks(LANES) {
            let (terminal, children) = self.open_children(chunk);
            finished += terminal + self.finish(&children);
        }
        finished
    }

    /// How many of the positions are terminal, and the successors of the others.
    fn open_children(&mut self, chunk: &[Position]) -> (u64, Vec<Position>) {
        let mut terminal = 0;
        let mut moves = Vec::new();
        for (position, outlook) in chunk.iter().zip(self.outlooks(chunk)) {
            match outlook {
                Outlook::Terminal => terminal += 1,
                Outlook::Open(joints) => moves.extend(joints.into_iter().map(|j| (position, j))),
            }
        }
        let children = moves.chunks(LANES).flat_map(|chunk| self.play(chunk)).collect();
        (terminal, children)
    }

    fn load<'p>(&mut self, positions: impl Iterator<Item = &'p Position>) {
        for (lane, position) in positions.enumerate() {
            self.evaluator.load(lane, position).expect("a position of this game");
        }
    }

    fn outlooks(&mut self, chunk: &[Position]) -> Vec<Outlook> {
        self.load(chunk.iter());
        self.evaluator.legal();
        (0..chunk.len()).map(|lane| self.outlook(lane)).collect()
    }

    fn outlook(&self, lane: usize) -> Outlook {
        if self.evaluator.terminal() >> lane & 1 == 1 {
            return Outlook::Terminal;
        }
        let mut joints = vec![Vec::new()];
        for role in 0..self.evaluator.image().roles() {
            let lanes = self.evaluator.legal_moves(role).iter().enumerate();
            let legal: Vec<usize> =
                lanes.filter(|(_, lanes)| **lanes >> lane & 1 == 1).map(|(n, _)| n).collect();
            let longer = |joint: &Joint| {
                let joint = joint.clone();
                legal.iter().map(move |number| [joint.as_slice(), &[*number]].concat())
            };
            joints = joints.iter().flat_map(longer).collect();
        }
        Outlook::Open(joints)
    }

    fn play(&mut self, chunk: &[(&Position, Joint)]) -> Vec<Position> {
        self.load(chunk.iter().map(|(position, _)| *position));
        self.evaluator.legal();
        for (lane, (_, joint)) in chunk.iter().enumerate() {
            for (role, number) in joint.iter().enumerate() {
                self.evaluator.choose(lane, role, *number).expect("a move of the role");
            }
        }
        self.evaluator.next();
        (0..chunk.len()).map(|lane| self.position(lane)).collect()
    }

    fn position(&self, lane: usize) -> Position {
        let mut position = vec![0; position_words(self.evaluator.image().fluents())];
        self.evaluator.store(lane, &mut position).expect("a lane of the word");
        position
    }
}

impl Outlook {
    fn branches(&self) -> u64 {
        match self {
            Outlook::Terminal => 0,
            Outlook::Open(joints) => joints.len() as u64,
        }
    }
}
