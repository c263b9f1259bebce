//! A host that follows a script and takes notes.

use std::collections::VecDeque;
use std::time::Duration;

use ruche_shared::WordWidth;
use ruche_shared::wire::control::{self, Load, Loss, Mode, Refusal, Sharing};
use ruche_shared::wire::results::{self, Columns};
use ruche_shared::wire::{Frame, Header, Kind};
use zerocopy::IntoBytes;

use super::cluster::{expected_result, fake_image, fake_position};
use super::plan::{BatchPlan, FaultPlan};
use crate::{Statistics, frames};

/// The run of all simulations.
const RUN: u32 = 1;
/// How often a host asks again where frames can be lost.
const TRIES: u32 = 6;

/// How a simulation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Why it ended early, if it did.
    pub error: Option<String>,
    /// For each batch what came of each position.
    pub results: Vec<Vec<Option<Vec<u64>>>>,
    /// Results that came more than once.
    pub doubled: u64,
    /// Clusters that the host was told are lost.
    pub losses: u64,
    /// When it ended.
    pub ended: Duration,
    /// What the node did.
    pub statistics: Statistics,
}

impl Outcome {
    /// Positions with a result.
    #[must_use]
    pub fn finished(&self) -> usize {
        self.results.iter().flatten().flatten().count()
    }

    /// The first position whose result is wrong, or missing without an error.
    #[must_use]
    pub fn first_mistake(&self, plan: &FaultPlan) -> Option<String> {
        let mut number = 0;
        for (batch, (plan_of_batch, results)) in plan.batches.iter().zip(&self.results).enumerate()
        {
            for (position, result) in results.iter().enumerate() {
                let right = expected_result(
                    plan.seed,
                    number,
                    plan_of_batch.playouts,
                    plan.roles,
                    plan.fluents,
                );
                number += 1;
                match result {
                    None if self.error.is_some() => {}
                    Some(result) if *result == right => {}
                    _ => return Some(format!("batch {batch}, position {position}: {result:?}")),
                }
            }
        }
        None
    }
}

/// Loads a game, sends its batches, and keeps what comes back.
#[derive(Debug)]
pub struct FakeHost<'a> {
    plan: &'a FaultPlan,
    outbox: VecDeque<Vec<u8>>,
    is_ready: bool,
    /// Batches that were sent, the first ones of the plan.
    sent: usize,
    outcome: Outcome,
    heard: Duration,
    tries: u32,
}

impl<'a> FakeHost<'a> {
    /// A host that is about to load the game.
    #[must_use]
    pub fn new(plan: &'a FaultPlan) -> Self {
        let outcome = Outcome {
            error: None,
            results: plan.batches.iter().map(|it| vec![None; it.positions as usize]).collect(),
            doubled: 0,
            losses: 0,
            ended: Duration::ZERO,
            statistics: Statistics::default(),
        };
        let outbox = VecDeque::from([load_frame(plan)]);
        let (heard, tries) = (Duration::ZERO, 0);
        Self { plan, outbox, is_ready: false, sent: 0, outcome, heard, tries }
    }

    /// The next frame that it sends.
    pub fn next_frame(&mut self) -> Option<Vec<u8>> {
        self.outbox.pop_front()
    }

    /// Whether it has all, or gave up.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let is_complete = |batch: usize| self.outcome.results[batch].iter().all(Option::is_some);
        self.outcome.error.is_some()
            || (self.is_ready && (0..self.plan.batches.len()).all(is_complete))
    }

    /// When it asks again, if it does.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Duration> {
        let rounds = self.plan.settings.clusters as u32 + 8;
        let patience = self.plan.sharing.deadline * rounds;
        self.plan.host_faults.map(|_| self.heard + patience)
    }

    /// Asks again for all that is missing.
    pub fn on_tick(&mut self, now: Duration) {
        self.heard = now;
        self.tries += 1;
        if self.tries > TRIES {
            self.fail("the I/O node does not answer");
        } else if self.is_ready {
            let open = (0..self.sent).filter(|batch| !self.has(*batch));
            self.outbox = open.map(|batch| work_frame(self.plan, batch)).collect();
        } else {
            self.outbox = VecDeque::from([load_frame(self.plan)]);
        }
    }

    /// A frame came. One that was damaged is dropped.
    pub fn on_frame(&mut self, frame: &[u8], now: Duration) {
        let Ok(Frame { header, kind, payload }) = Frame::parse(frame) else { return };
        self.heard = now;
        match kind {
            Kind::Ready => self.is_ready = true,
            Kind::Done => self.on_done(&header, payload),
            Kind::Lost => self.on_lost(payload),
            Kind::Refused => self.on_refused(&header, payload),
            _ => self.fail("a frame came that no I/O node sends"),
        }
        self.send_more();
    }

    /// How it ended.
    #[must_use]
    pub fn into_outcome(self, ended: Duration, statistics: Statistics) -> Outcome {
        Outcome { ended, statistics, ..self.outcome }
    }

    /// Gives up.
    pub fn fail(&mut self, why: &str) {
        self.outcome.error.get_or_insert_with(|| why.to_owned());
    }

    fn on_done(&mut self, header: &Header, payload: &[u8]) {
        let columns = Columns { roles: self.plan.roles, further: 0 };
        let Ok(numbers) = results::parse(header, payload, columns) else {
            return self.fail("a Done frame makes no sense");
        };
        let Some(batch) = self.outcome.results.get_mut(header.batch as usize) else {
            return self.fail("a Done frame is of no batch");
        };
        let news = numbers.chunks_exact(columns.numbers());
        for (place, result) in batch.iter_mut().skip(header.first as usize).zip(news) {
            let result = result.iter().map(|number| number.get()).collect();
            self.outcome.doubled += u64::from(place.replace(result).is_some());
        }
        self.tries = 0;
    }

    fn on_lost(&mut self, payload: &[u8]) {
        self.outcome.losses += 1;
        match control::unpack::<Loss>(payload, Kind::Lost) {
            Ok(loss) if loss.left == 0 => self.fail(&format!("no cluster is left: {}", loss.text)),
            Ok(_) => {}
            Err(error) => self.fail(&error.to_string()),
        }
    }

    fn on_refused(&mut self, header: &Header, payload: &[u8]) {
        // Where frames are damaged some are refused because of that, and asked for
        // again.
        if header.run == RUN || self.plan.host_faults.is_none() {
            let refusal = control::unpack::<Refusal>(payload, Kind::Refused);
            let why = refusal.map_or_else(|error| error.to_string(), |it| it.to_string());
            self.fail(&why);
        }
    }

    fn send_more(&mut self) {
        let open = (0..self.sent).filter(|batch| !self.has(*batch)).count();
        let room = self.plan.window.max(1).saturating_sub(open);
        let last = (self.sent + room).min(self.plan.batches.len());
        if self.is_ready && self.sent < last {
            self.outbox.extend((self.sent..last).map(|batch| work_frame(self.plan, batch)));
            self.sent = last;
        }
    }

    fn has(&self, batch: usize) -> bool {
        self.outcome.results[batch].iter().all(Option::is_some)
    }
}

fn load_frame(plan: &FaultPlan) -> Vec<u8> {
    fake_load(RUN, plan.seed, plan.roles, plan.fluents, plan.sharing)
}

fn work_frame(plan: &FaultPlan, batch: usize) -> Vec<u8> {
    let before = plan.batches[..batch].iter();
    let number: u64 = before.map(|batch| u64::from(batch.positions)).sum();
    let BatchPlan { positions: count, playouts } = plan.batches[batch];
    let batch = batch as u64;
    let header = Header { run: RUN, batch, count, playouts, ..Header::new(Kind::Work) };
    fake_work(header, number, plan.fluents)
}

/// A `Load` frame with the image of a game without rules.
#[must_use]
pub fn fake_load(run: u32, seed: u64, roles: usize, fluents: usize, sharing: Sharing) -> Vec<u8> {
    let image = fake_image(roles, fluents);
    let load = Load {
        width: WordWidth::SixtyFour,
        cores: 1,
        strategy: Default::default(),
        mode: Mode::PerCore,
        seed,
        ply_limit: 100,
        split_least: 0,
        image_bytes: image.len() as u32,
        further_columns: 0,
        sharing,
    };
    frames::load(run, &load, &image)
}

/// A `Work` frame with [`fake_position`]s, as many as its header says.
#[must_use]
pub fn fake_work(header: Header, number: u64, fluents: usize) -> Vec<u8> {
    let numbers = number..number + u64::from(header.count);
    let positions: Vec<u32> = numbers.flat_map(|it| fake_position(it, fluents)).collect();
    frames::frame(header, &[number.as_bytes(), positions.as_bytes()])
}
