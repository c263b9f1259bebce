//! `ruche match`: which of two settings plays better?

mod report;

use ruche_arena::{Log, Match, MatchError, Standing, Verdict};
use ruche_game::{Game, GameError};

use super::CommandError;
use crate::arguments::MatchCommand;
use crate::interrupt::Interrupt;
use crate::output::{Answer, print};
use crate::progress::Progress;
use report::Report;

/// Plays a match, or goes on with one.
///
/// # Errors
/// If a game cannot be loaded, a contestant cannot play it, or the file of games is that of
/// another match.
pub fn run(command: &MatchCommand) -> Result<Answer, CommandError> {
    let games: Result<Vec<Game>, GameError> =
        command.games.iter().map(|name| super::load(name)).collect();
    let contest = Match::new(games?, command.contestants.clone(), command.settings)?;
    let log = command.output.as_deref().map(|path| Log::open(path, &contest.header()));
    let mut log = log.transpose().map_err(MatchError::from)?.unwrap_or_default();
    let interrupt = Interrupt::default();
    interrupt.listen(None)?;
    let standing = watch(&contest, &mut log, &interrupt)?;
    let is_stopped = interrupt.stop().is_requested() && !standing.is_decided();
    let report = Report { command, contest: &contest, standing: &standing, is_stopped };
    print(&report.text_or_json())?;
    report.complaints().iter().for_each(|complaint| eprintln!("ruche: {complaint}"));
    Ok(interrupt.or(Answer::when(standing.verdict != Some(Verdict::Rejected))))
}

/// Plays with a live line about it.
fn watch(contest: &Match, log: &mut Log, interrupt: &Interrupt) -> Result<Standing, MatchError> {
    let live = Progress::bar("playing".to_owned(), contest.planned());
    let mut tell = |played: u64, standing: &Standing| live.show(played, report::live(standing));
    contest.run(log, interrupt.stop(), &mut tell)
}
