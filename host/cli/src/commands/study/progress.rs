//! How far a study is: a bar on a terminal, else a line now and then.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use ruche_report::Sample;
use ruche_study::study::StudyProgress;

use crate::progress::Progress;

/// Between two lines, where there is no terminal.
const PAUSE: Duration = Duration::from_secs(10);

/// Shows progress on stderr.
#[derive(Default)]
pub struct Watcher {
    bar: Option<Progress>,
    /// Samples that were there at the start.
    found: usize,
    start: Option<Instant>,
    told: Option<Instant>,
}

impl Watcher {
    /// Tells how far the study is.
    pub fn show(&mut self, at: &StudyProgress<'_>) {
        match at.sample {
            None => self.begin(at),
            Some(sample) => self.go_on(at, sample),
        }
    }

    fn begin(&mut self, at: &StudyProgress<'_>) {
        (self.found, self.start, self.told) = (at.done, Some(Instant::now()), Some(Instant::now()));
        if at.done > 0 {
            eprintln!("ruche: {} of {} samples are there already", at.done, at.all);
        }
        if io::stderr().is_terminal() && at.done < at.all {
            let missing = (at.all - at.done) as u64;
            self.bar = Some(Progress::bar("measuring".to_owned(), missing));
        }
    }

    fn go_on(&mut self, at: &StudyProgress<'_>, sample: &Sample) {
        let taken = at.done - self.found;
        match &self.bar {
            Some(bar) => bar.show(taken as u64, in_short(sample)),
            None if self.told.is_some_and(|told| told.elapsed() >= PAUSE) => {
                self.told = Some(Instant::now());
                let time = self.start.map_or(Duration::ZERO, |start| start.elapsed());
                let left = time.mul_f64((at.all - at.done) as f64 / taken.max(1) as f64);
                eprintln!("ruche: {} of {} samples, {} s left", at.done, at.all, left.as_secs());
            }
            None => {}
        }
    }
}

fn in_short(sample: &Sample) -> String {
    let point = &sample.point;
    format!("{} {}×{} {}", point.game, point.clusters, point.threads, point.strategy)
}
