//! Games that need no search: sums of impartial games are solved by the numbers of their
//! parts. Whatever is not proved to be such a sum is searched as before.

use std::hash::Hasher;
use std::time::{Duration, Instant};

use fnv::FnvHasher;
use ruche_decompose::{ImpartialSum, Standing};
use ruche_game::{Game, State, StateError};
use ruche_offload::Offload;

use crate::Searcher;
use crate::limits::{Limits, Stop};
use crate::report::{MoveReport, Progress, RoleReport, SearchError, SearchReport, SumReport};
use crate::settings::{Decompose, Proofs, SearchSettings};

/// A search that is only asked where the game is not solved.
pub(crate) fn solved(
    searcher: Box<dyn Searcher>,
    game: &Game,
    settings: &SearchSettings,
) -> Box<dyn Searcher> {
    let options = settings.options();
    let is_wanted = options.decompose == Decompose::On && options.proofs == Proofs::On;
    if !is_wanted || game.impartial_sum().is_none() {
        return searcher;
    }
    Box::new(Solved { report: report(&game.initial()), game: game.clone(), searcher, pause: None })
}

struct Solved {
    game: Game,
    searcher: Box<dyn Searcher>,
    /// What there is to say of the root, if it is solved.
    report: Option<SearchReport>,
    pause: Option<Duration>,
}

impl Searcher for Solved {
    fn set_position(&mut self, state: &State) -> Result<(), SearchError> {
        let (needed, found) = (self.game.image().initial().len(), state.position().len());
        if needed != found {
            return Err(StateError::Position { needed, found }.into());
        }
        self.report = report(state);
        match self.report {
            Some(_) => Ok(()),
            None => self.searcher.set_position(state),
        }
    }

    fn search(
        &mut self,
        offload: &mut dyn Offload,
        limits: &Limits,
        stop: &Stop,
        progress: &mut dyn FnMut(&Progress),
    ) -> Result<SearchReport, SearchError> {
        let Some(report) = &self.report else {
            return self.searcher.search(offload, limits, stop, progress);
        };
        let (needed, found) = (self.game.roles(), offload.attributes().columns.roles);
        if needed != found {
            return Err(SearchError::Roles { needed, found });
        }
        let proven = |role: &RoleReport| role.proven.unwrap_or_default();
        progress(&Progress {
            playouts: 0,
            time: report.time,
            best: report.best.clone().unwrap_or_default(),
            means: report.roles.iter().map(proven).collect(),
            best_score: None,
            report: self.pause.map(|_| Box::new(report.clone())),
        });
        Ok(report.clone())
    }

    fn report_every(&mut self, pause: Option<Duration>) {
        self.pause = pause;
        self.searcher.report_every(pause);
    }

    fn report(&mut self) -> SearchReport {
        self.report.clone().unwrap_or_else(|| self.searcher.report())
    }
}

/// What there is to say of a state in which the game goes on, if it is solved.
fn report(state: &State) -> Option<SearchReport> {
    let start = Instant::now();
    let sum = state.game().impartial_sum()?;
    if state.is_terminal() || state.stuck_role().is_some() {
        return None;
    }
    let standing = standing(sum, state)?;
    let roles = (0..2).map(|role| moves(sum, state, &standing, role));
    let roles: Vec<RoleReport> = roles.collect::<Option<_>>()?;
    let best = roles.iter().map(|role| Some(role.moves.first()?.number)).collect::<Option<_>>()?;
    let signature = signature(&roles);
    let found = SumReport { convention: sum.convention(), numbers: standing.numbers };
    Some(SearchReport {
        roles,
        best: Some(best),
        is_complete: true,
        sum: Some(found),
        time: start.elapsed(),
        signature,
        ..SearchReport::default()
    })
}

fn standing(sum: &ImpartialSum, state: &State) -> Option<Standing> {
    sum.standing(|fluent| state.holds(fluent))
}

/// The moves of a role, the best one first, with what they lead to.
fn moves(
    sum: &ImpartialSum,
    state: &State,
    standing: &Standing,
    role: usize,
) -> Option<RoleReport> {
    let other = 1 - role;
    let report = |&number: &u32| {
        // Who does not move has one choice: what it leads to is what the mover makes of it.
        let (goal, line) = if role == standing.mover {
            let mut joint = vec![number; 2];
            joint[other] = *state.legal(other).first()?;
            let next = state.play(&joint).ok()?;
            (goals(sum, &next)?[role], vec![joint])
        } else {
            (standing.goals[role], Vec::new())
        };
        Some(MoveReport { number, proven: Some(goal.into()), line, ..MoveReport::default() })
    };
    let mut moves: Vec<MoveReport> = state.legal(role).iter().map(report).collect::<Option<_>>()?;
    moves.sort_by(|one, other| other.proven.partial_cmp(&one.proven).expect("goals are numbers"));
    let best = moves.first().and_then(|best| best.proven);
    let proven = f64::from(standing.goals[role]);
    // What the numbers say must be what the best move does.
    (best == Some(proven)).then_some(RoleReport { moves, proven: Some(proven) })
}

/// What both roles get from a state on.
fn goals(sum: &ImpartialSum, state: &State) -> Option<[u16; 2]> {
    let promised = standing(sum, state)?.goals;
    match state.is_terminal() {
        true => (state.goals()? == promised).then_some(promised),
        false => Some(promised),
    }
}

fn signature(roles: &[RoleReport]) -> u64 {
    let mut hash = FnvHasher::default();
    for one in roles.iter().flat_map(|role| &role.moves) {
        hash.write(&one.number.to_le_bytes());
        hash.write(&one.proven.unwrap_or_default().to_bits().to_le_bytes());
    }
    hash.finish()
}
