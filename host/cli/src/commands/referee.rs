//! `ruche referee`: lets players play a match by the clock.

use ruche_game::Game;
use ruche_referee::{End, FaultKind, Manager, MatchRecord, Ply};

use super::CommandError;
use crate::arguments::{Format, RefereeCommand};
use crate::interrupt::Interrupt;
use crate::output::{Align, Answer, print, table};
use crate::progress::Progress;

/// Plays a match and says how it went.
///
/// # Errors
/// If there is no such game, or somebody cannot play it.
pub fn run(command: &RefereeCommand) -> Result<Answer, CommandError> {
    let source = Game::source(&command.game)?;
    let progress = Progress::spinner(format!("compiling {}", command.game));
    let manager = Manager::new(&command.game, &source)?;
    drop(progress);
    if manager.rules().game().is_none() {
        eprintln!("ruche: {} is too large to compile: its rules are interpreted", command.game);
    }
    let interrupt = Interrupt::default();
    interrupt.listen(None)?;
    let progress = Progress::spinner("waiting for the players".to_owned());
    let mut watch = |ply: &Ply| progress.show(ply.ply, live(ply));
    let mut record =
        manager.run(&command.contenders, &command.settings, interrupt.stop(), &mut watch)?;
    drop(progress);
    record.players.clone_from(&command.texts);
    if let Some(path) = &command.output {
        record.write(path)?;
    }
    print(&match command.format {
        Format::Text => text(&record),
        Format::Json => record.text(),
    })?;
    Ok(interrupt.or(Answer::when(record.errors.is_empty() && record.end == End::Terminal)))
}

/// A line for those who wait.
fn live(ply: &Ply) -> String {
    let joint = ply.joint.as_ref().map_or("over".to_owned(), |joint| joint.join(" "));
    format!("{}  {joint}", ply.ply)
}

const ALIGN: [Align; 7] = [
    Align::Left,
    Align::Left,
    Align::Right,
    Align::Right,
    Align::Right,
    Align::Right,
    Align::Right,
];

fn text(record: &MatchRecord) -> String {
    let head = ["role", "player", "goal", "late", "illegal", "seconds a move", "longest"];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend((0..record.roles.len()).map(|role| row(record, role)));
    let plies = record.joints().len();
    let end = match record.end {
        End::Terminal => "over",
        End::Stuck => "a role has no legal move",
        End::Endless => "cut",
        End::Stopped => "stopped",
    };
    let faults = record.errors.iter().take(10).map(|fault| {
        let when = fault.ply.map_or("start".to_owned(), |ply| format!("move {}", ply + 1));
        format!("{when}, {}: {}\n", fault.role, fault.what)
    });
    format!(
        "{}, {}\n{plies} moves in {:.1} s: {end}\n\n{}{}",
        record.game,
        record.id,
        record.seconds,
        table(ALIGN, &rows),
        faults.collect::<String>()
    )
}

fn row(record: &MatchRecord, role: usize) -> [String; 7] {
    let name = &record.roles[role];
    let goal = record.goals.get(name).copied().flatten();
    let times: Vec<f64> =
        record.states.iter().filter_map(|ply| ply.times.get(role).copied()).collect();
    let mean = times.iter().sum::<f64>() / times.len().max(1) as f64;
    let count = |kind| record.count(name, kind);
    [
        name.clone(),
        record.players[role].clone(),
        goal.map_or("?".to_owned(), |goal| goal.to_string()),
        (count(FaultKind::Late) + count(FaultKind::Lost)).to_string(),
        count(FaultKind::Illegal).to_string(),
        format!("{mean:.2}"),
        format!("{:.2}", times.iter().copied().fold(0.0, f64::max)),
    ]
}
