//! Bundled games, ready to be searched, and what stands in for those who play.
#![allow(dead_code, reason = "not every test needs everything")]

use std::collections::HashMap;

use ruche_eval::playouts::Outcome;
use ruche_eval::{Evaluator, OneLane, Word};
use ruche_search::{
    Batch, Direct, DirectSettings, Finished, Offload, OffloadError, Search, SearchBudget,
    SearchOptions, SearchReport,
};
use ruche_shared::Image;

/// An aligned image.
pub struct Game(Vec<u32>);

impl Game {
    /// A bundled game.
    pub fn bundled(name: &str) -> Self {
        Self::of_rules(ruche_games::find(name).expect("a bundled game").source)
    }

    /// A game described in GDL.
    pub fn of_rules(source: &str) -> Self {
        let (description, _) = ruche_gdl::load(source.as_bytes()).expect("sound rules");
        let compiled =
            ruche_compiler::compile(&description, &Default::default()).expect("a compiled game");
        Self(bytemuck::pod_collect_to_vec(compiled.image()))
    }

    pub fn image(&self) -> Image<'_> {
        Image::parse(bytemuck::cast_slice(&self.0)).expect("a sound image")
    }
}

/// The defaults, but so many playouts.
pub fn playouts(playouts: u64) -> SearchOptions {
    SearchOptions { budget: SearchBudget::Playouts(playouts), ..SearchOptions::default() }
}

/// A search that ends after so many playouts, of which a leaf gets only four:
/// budgets of tests are small.
pub fn few_playouts(budget: u64) -> SearchOptions {
    SearchOptions { playouts_per_position: 4, ..playouts(budget) }
}

/// Plays in this thread with a run seed.
pub fn direct<'image>(image: &Image<'image>, seed: u64) -> Direct<'image> {
    let settings = DirectSettings { seed, ..DirectSettings::default() };
    Direct::new(image, settings).expect("the fastest engine is there")
}

/// A search from the initial position.
pub fn search<'image>(image: &Image<'image>, options: SearchOptions) -> Search<'image> {
    let settings = options.check().expect("sound settings");
    Search::new(image, image.initial(), settings).expect("a position of the game")
}

/// What a search from the initial position finds.
pub fn report(image: &Image<'_>, options: SearchOptions, seed: u64) -> SearchReport {
    report_with(image, options, &mut direct(image, seed))
}

/// The same, whoever plays.
pub fn report_with(
    image: &Image<'_>,
    options: SearchOptions,
    offload: &mut dyn Offload,
) -> SearchReport {
    search(image, options).run(offload, |_| {}).expect("playouts do not fail")
}

/// What does not depend on the clock.
pub fn without_times(report: &SearchReport) -> SearchReport {
    SearchReport { time: Default::default(), split: Default::default(), ..report.clone() }
}

/// A number that looks random.
pub fn mixed(number: u64) -> u64 {
    ruche_shared::stream::PositionStreams::new(number, 1).playout(2).state()
}

/// Invents results, which depend on the position alone, and answers the batch
/// that came last first.
pub struct Fake {
    pub roles: usize,
    pub waiting: Vec<Batch>,
}

impl Fake {
    pub fn new(image: &Image<'_>) -> Self {
        Self { roles: image.roles(), waiting: Vec::new() }
    }

    fn invent(&self, batch: &Batch) -> Finished {
        let words = batch.positions.len() / batch.count;
        let outcome = Outcome { scored: batch.playouts.into(), ..Outcome::default() };
        let score = |position: &[u32], role: usize| {
            let hash =
                position.iter().fold(role as u64, |hash, &word| mixed(hash ^ u64::from(word)));
            hash % (100 * u64::from(batch.playouts) + 1)
        };
        let positions = batch.positions.chunks(words);
        let scores =
            positions.flat_map(|position| (0..self.roles).map(move |role| score(position, role)));
        Finished {
            number: batch.number,
            outcomes: vec![outcome; batch.count],
            scores: scores.collect(),
        }
    }
}

impl Offload for Fake {
    fn submit(&mut self, batch: Batch) -> Result<(), OffloadError> {
        self.waiting.push(batch);
        Ok(())
    }

    fn collect(&mut self) -> Result<Finished, OffloadError> {
        let batch = self.waiting.pop().ok_or(OffloadError::Idle)?;
        Ok(self.invent(&batch))
    }
}

/// A position as its rules see it.
#[derive(Clone, Debug)]
pub struct View {
    /// For each role its legal moves.
    pub legal: Vec<Vec<u32>>,
    /// For each role its goal, if the game is over.
    pub goals: Option<Vec<u16>>,
}

/// The rules of a game, one position at a time.
pub struct Rules<'image> {
    image: Image<'image>,
}

impl<'image> Rules<'image> {
    pub fn new(image: &Image<'image>) -> Self {
        Self { image: *image }
    }

    pub fn view(&self, position: &[u32]) -> View {
        self.evaluate(position, |evaluator| {
            let legal = |role| {
                let moves = evaluator.legal_moves(role).iter().zip(0..);
                moves.filter(|(word, _)| !word.is_zero()).map(|(_, number)| number).collect()
            };
            let roles = 0..self.image.roles();
            let legal = roles.clone().map(legal).collect();
            let is_over = !evaluator.terminal().is_zero();
            if is_over {
                evaluator.goal();
            }
            let goals = roles.map(|role| evaluator.score(0, role)).collect::<Option<_>>();
            View { legal, goals: goals.filter(|_| is_over) }
        })
    }

    pub fn step(&self, position: &[u32], joint: &[u32]) -> Vec<u32> {
        self.evaluate(position, |evaluator| {
            for (role, &number) in joint.iter().enumerate() {
                evaluator.choose(0, role, number as usize).expect("a move of the game");
            }
            evaluator.next();
            let mut next = vec![0; position.len()];
            evaluator.store(0, &mut next).expect("a position of the game");
            next
        })
    }

    fn evaluate<R>(
        &self,
        position: &[u32],
        work: impl FnOnce(&mut Evaluator<'_, '_, OneLane>) -> R,
    ) -> R {
        let mut slots = vec![OneLane::ZERO; self.image.slots()];
        let mut evaluator = Evaluator::new(&self.image, &mut slots).expect("enough slots");
        evaluator.load(0, position).expect("a position of the game");
        evaluator.legal();
        work(&mut evaluator)
    }
}

/// Knows the best moves of a game for two in which one moves at a time.
pub struct Perfect<'image> {
    pub rules: Rules<'image>,
    known: HashMap<Vec<u32>, i32>,
}

impl<'image> Perfect<'image> {
    pub fn new(image: &Image<'image>) -> Self {
        Self { rules: Rules::new(image), known: HashMap::new() }
    }

    /// What the first role can reach, beyond what the second can.
    pub fn value(&mut self, position: &[u32]) -> i32 {
        if let Some(&value) = self.known.get(position) {
            return value;
        }
        let view = self.rules.view(position);
        let value = match &view.goals {
            Some(goals) => i32::from(goals[0]) - i32::from(goals[1]),
            None => {
                let values = self.values(position, &view);
                let values = values.iter().map(|&(_, value)| value);
                let best = if mover(&view) == 0 { values.max() } else { values.min() };
                best.expect("somebody can move")
            }
        };
        self.known.insert(position.to_vec(), value);
        value
    }

    /// All joint moves with their values.
    fn values(&mut self, position: &[u32], view: &View) -> Vec<(Vec<u32>, i32)> {
        let joints = joint_moves(view);
        let value = |joint: Vec<u32>| {
            let next = self.rules.step(position, &joint);
            (joint, self.value(&next))
        };
        joints.into_iter().map(value).collect()
    }

    /// The joint moves that are best for who moves.
    pub fn best(&mut self, position: &[u32]) -> Vec<Vec<u32>> {
        let view = self.rules.view(position);
        let value = self.value(position);
        let values = self.values(position, &view);
        values.into_iter().filter(|(_, other)| *other == value).map(|(joint, _)| joint).collect()
    }
}

/// Who has a choice, in a game where one moves at a time; the first role if
/// nobody has, unless it can only pass.
pub fn mover(view: &View) -> usize {
    view.legal.iter().position(|moves| moves.len() > 1).unwrap_or(0)
}

/// All combinations of the roles' moves.
pub fn joint_moves(view: &View) -> Vec<Vec<u32>> {
    view.legal.iter().fold(vec![Vec::new()], |joints, moves| {
        let longer = |joint: &Vec<u32>| -> Vec<Vec<u32>> {
            moves.iter().map(|&number| [&joint[..], &[number]].concat()).collect()
        };
        joints.iter().flat_map(longer).collect()
    })
}
