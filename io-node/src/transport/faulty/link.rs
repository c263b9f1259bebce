//! One direction of one connection, and what it does to frames.

use std::time::Duration;

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

/// How probable each fault is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// A frame, and those behind it, takes up to [`longest_delay`](Self::longest_delay)
    /// more.
    pub delay: f64,
    /// The longest delay.
    pub longest_delay: Duration,
    /// A frame does not wait for those before it.
    pub reorder: f64,
    /// A frame never arrives.
    pub drop: f64,
    /// A frame arrives twice.
    pub duplicate: f64,
    /// A frame loses its end.
    pub truncate: f64,
    /// One to four bits of a frame are flipped.
    pub flip: f64,
    /// A cluster dies, at some time during the simulation.
    pub kill: f64,
    /// The death of a cluster is noticed by the transport.
    pub notice: f64,
}

impl Faults {
    /// The same faults of frames, but nobody dies.
    #[must_use]
    pub fn without_deaths(self) -> Self {
        Self { kill: 0.0, ..self }
    }
}

/// A line keeps frames in order unless a fault says otherwise.
#[derive(Clone, Debug, Default)]
pub struct FaultyLine {
    last_arrival: Duration,
}

impl FaultyLine {
    /// What arrives of a frame that is sent now, and when.
    pub fn pass(
        &mut self,
        frame: Vec<u8>,
        now: Duration,
        faults: &Faults,
        chance: &mut Pcg64Mcg,
    ) -> Vec<(Duration, Vec<u8>)> {
        let copies = match (chance.random_bool(faults.drop), chance.random_bool(faults.duplicate)) {
            (true, _) => 0,
            (false, twice) => 1 + usize::from(twice),
        };
        let mut arrive =
            |frame| (self.arrival(now, faults, chance), damaged(frame, faults, chance));
        vec![frame; copies].into_iter().map(&mut arrive).collect()
    }

    fn arrival(&mut self, now: Duration, faults: &Faults, chance: &mut Pcg64Mcg) -> Duration {
        let mut arrival = now + Duration::from_micros(chance.random_range(1..=20));
        if chance.random_bool(faults.delay) {
            let longest = faults.longest_delay.as_micros() as u64;
            arrival += Duration::from_micros(chance.random_range(0..=longest));
        }
        if chance.random_bool(faults.reorder) {
            return arrival;
        }
        self.last_arrival = self.last_arrival.max(arrival);
        self.last_arrival
    }
}

fn damaged(mut frame: Vec<u8>, faults: &Faults, chance: &mut Pcg64Mcg) -> Vec<u8> {
    if chance.random_bool(faults.truncate) && !frame.is_empty() {
        frame.truncate(chance.random_range(0..frame.len()));
    }
    if chance.random_bool(faults.flip) && !frame.is_empty() {
        for _ in 0..chance.random_range(1..=4) {
            let bit = chance.random_range(0..frame.len() * 8);
            frame[bit / 8] ^= 1 << (bit % 8);
        }
    }
    frame
}
