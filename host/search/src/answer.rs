//! What whoever plays has answered, before anybody believes it.

use std::time::Duration;

use ruche_offload::{Finished, Offload, OffloadError, Results, Tally};

use crate::limits::Stop;
use crate::report::{SearchError, SearchReport};

/// How long to wait until looking again whether somebody wants to stop.
pub(crate) const GLANCE: Duration = Duration::from_millis(100);

/// Why a search stops early.
pub(crate) enum Failure {
    Offload(OffloadError),
    Answer { batch: u64, reason: String },
}

impl From<OffloadError> for Failure {
    fn from(error: OffloadError) -> Self {
        Failure::Offload(error)
    }
}

impl Failure {
    /// The same for whoever has called, with what was found out before.
    pub(crate) fn with(self, report: SearchReport) -> SearchError {
        let report = Box::new(report);
        match self {
            Failure::Offload(source) => SearchError::Offload { source, report },
            Failure::Answer { batch, reason } => SearchError::Answer { batch, reason, report },
        }
    }
}

/// What came of a batch; nothing if somebody wants to stop before. Answers to batches that
/// nobody waits for any more are dropped.
pub(crate) fn wait(
    offload: &mut dyn Offload,
    stop: &Stop,
    number: u64,
) -> Result<Option<Finished>, Failure> {
    loop {
        match offload.collect_within(GLANCE)? {
            Some(finished) if finished.number == number => return Ok(Some(finished)),
            Some(finished) if finished.number < number => {}
            Some(Finished { number: batch, .. }) => {
                return Err(Failure::Answer { batch, reason: String::from("it is not under way") });
            }
            None if stop.is_requested() => return Ok(None),
            None => {}
        }
    }
}

/// Refuses an answer that has not something sensible for each position, and says why.
pub(crate) fn check(
    results: &Results,
    count: usize,
    roles: usize,
    playouts: u32,
) -> Result<(), String> {
    let wrong = Err;
    let found = results.columns().roles;
    if results.len() != count || found != roles {
        return wrong(format!(
            "{} results of {found} roles for {count} positions and {roles} roles",
            results.len()
        ));
    }
    if let Some(place) = (0..count).find(|index| !is_sensible(&results.tally(*index), playouts)) {
        return wrong(format!(
            "position {place} of the batch has not {playouts} sensible playouts"
        ));
    }
    let is_no_playout = |index: &usize| {
        let best = results.best(*index);
        best.is_some_and(|best| {
            best.playout >= playouts.into() || best.goal > results.scores(*index)[0]
        })
    };
    if let Some(place) = (0..count).find(is_no_playout) {
        return wrong(format!("the best playout of position {place} is none of its {playouts}"));
    }
    let most = u64::from(playouts) * u64::from(u16::MAX);
    match (0..count).find(|index| results.scores(*index).iter().any(|score| *score > most)) {
        Some(place) => {
            wrong(format!("a score of position {place} is more than {playouts} playouts can have"))
        }
        None => Ok(()),
    }
}

/// Whether these are as many playouts, and not more plies than they can have.
fn is_sensible(tally: &Tally, playouts: u32) -> bool {
    let ways = [tally.scored, tally.unscored, tally.stuck, tally.endless];
    let most_plies = u64::from(playouts) * u64::from(u32::MAX);
    ways.into_iter().try_fold(0_u64, u64::checked_add) == Some(playouts.into())
        && tally.plies <= most_plies
}
