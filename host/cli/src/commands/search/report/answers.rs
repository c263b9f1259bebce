//! What a search has found out for sure, and how to mix moves.

use ruche_game::Names;
use ruche_search::{BestLine, RoleReport, SearchReport};
use serde_json::{Map, Value};

/// The goals that are proven and how roles should mix their moves, behind the best move.
pub fn text(names: &Names, report: &SearchReport) -> String {
    let mut text = String::new();
    if let Some(line) = &report.best_line {
        let moves: Vec<&str> = best_line(names, line).collect();
        text += &format!("\nbest score: {} by {}", line.score, moves.join("; "));
    }
    let goals: Vec<String> =
        proven(names, report).map(|(role, goal)| format!("{role} {goal}")).collect();
    if !goals.is_empty() {
        text += &format!("\nproven: {} if all play well", goals.join(", "));
    }
    if let Some(sum) = &report.sum {
        text += &format!("\nsolved without a search: {sum}");
    }
    if report.is_complete {
        text += "\nthe search is complete: nothing is left to find out";
    }
    if let Some(mixed) = &report.mixed {
        let value = |(role, value): (&String, &f64)| format!("{role} {value:.1}");
        let values: Vec<String> = names.roles().iter().zip(&mixed.values).map(value).collect();
        let gap = mixed.exploitability;
        text += &format!("\nmixed as above: {}; exploitable by {gap:.2}", values.join(", "));
    }
    text
}

/// The moves of the best line, in games for one.
pub fn best_line<'a>(names: &'a Names, line: &'a BestLine) -> impl Iterator<Item = &'a str> {
    line.moves.iter().map(|&number| names.moves(0)[number as usize].as_str())
}

/// Roles whose goal is proven.
fn proven<'a>(
    names: &'a Names,
    report: &'a SearchReport,
) -> impl Iterator<Item = (&'a String, f64)> {
    let roles = names.roles().iter().zip(&report.roles);
    roles.filter_map(|(role, report)| Some((role, report.proven?)))
}

/// Role and goal of all whose goal is proven; null if there are none.
pub fn proven_json(names: &Names, report: &SearchReport) -> Value {
    let goals: Map<String, Value> =
        proven(names, report).map(|(role, goal)| (role.clone(), goal.into())).collect();
    if goals.is_empty() { Value::Null } else { Value::Object(goals) }
}

/// How often each role plays each of its moves, where several choose at the same time.
pub fn mixed_json(names: &Names, report: &SearchReport) -> Value {
    let shares = |(number, report): (usize, &RoleReport)| {
        let name = |number: usize, index: u32| names.moves(number)[index as usize].clone();
        let share =
            |one: &ruche_search::MoveReport| Some((name(number, one.number), one.share?.into()));
        let shares: Option<Map<String, Value>> = report.moves.iter().map(share).collect();
        Some((names.roles()[number].clone(), shares?.into()))
    };
    let roles: Option<Map<String, Value>> = report.roles.iter().enumerate().map(shares).collect();
    roles.filter(|roles| !roles.is_empty()).map_or(Value::Null, Value::Object)
}
