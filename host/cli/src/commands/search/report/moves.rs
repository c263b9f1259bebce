//! The moves of a report as JSON: written one by one, with names that are borrowed.

use ruche_game::Names;
use ruche_search::{MoveReport, RoleReport};
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::full_joint;

/// What was found, with all moves.
#[derive(Serialize)]
pub struct Document<'a> {
    /// Everything else, an object.
    #[serde(flatten)]
    pub about: Value,
    pub moves: Moves<'a>,
}

/// The moves of all roles in the root position.
pub struct Moves<'a> {
    pub names: &'a Names,
    pub roles: &'a [RoleReport],
}

impl Serialize for Moves<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let roles = self.names.roles().iter().zip(self.roles).enumerate();
        serializer.collect_seq(roles.flat_map(|(number, (role, report))| {
            report.moves.iter().map(move |one| Move::new(self.names, number, role, one))
        }))
    }
}

#[derive(Serialize)]
struct Move<'a> {
    role: &'a str,
    r#move: &'a str,
    visits: u64,
    sum: u64,
    mean: f64,
    proven: Option<f64>,
    line: Line<'a>,
}

impl<'a> Move<'a> {
    fn new(names: &'a Names, number: usize, role: &'a str, one: &'a MoveReport) -> Self {
        let MoveReport { visits, sum, mean, proven, ref line, .. } = *one;
        let r#move = &names.moves(number)[one.number as usize];
        Self { role, r#move, visits, sum, mean, proven, line: Line(names, line) }
    }
}

/// Joint moves that follow each other.
struct Line<'a>(&'a Names, &'a [Vec<u32>]);

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.1.iter().map(|joint| Joint(self.0, joint)))
    }
}

/// What all roles do at once.
pub struct Joint<'a>(pub &'a Names, pub &'a [u32]);

impl Serialize for Joint<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(full_joint(self.0, self.1))
    }
}
