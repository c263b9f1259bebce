//! `ruche play`: a person plays in a terminal.

mod asking;
mod engine;
mod input;
mod page;

use ruche_picture::{Boards, Style};
use ruche_referee::{MatchRecord, Notes};
use ruche_rules::{Position, Rules};

use super::{CommandError, show};
use crate::arguments::PlayCommand;
use crate::output::{Answer, print};
use asking::Asking;
use engine::{Engine, EngineError};
use input::{Wish, understood};

/// Why nobody plays.
#[derive(Debug, thiserror::Error)]
pub enum PlayCommandError {
    /// There is no such role.
    #[error("--role {role}: the roles are {roles}; or `both`, or `none`")]
    Role {
        /// What was typed.
        role: String,
        /// What there is.
        roles: String,
    },
    /// The record is of another game.
    #[error(
        "--record: a game of {found} was played there, but the roles of {game} are {roles}: give \
         the game of the record"
    )]
    Record {
        /// The game.
        game: String,
        /// Its roles.
        roles: String,
        /// Those of the record.
        found: String,
    },
    /// There is no engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Plays until the game is over, or the person has enough.
///
/// # Errors
/// If there is no such game, role or move.
pub fn run(command: &PlayCommand) -> Result<Answer, CommandError> {
    if let Some(place) = &command.page {
        return page::run(command, place);
    }
    let (rules, description) = show::load(&command.game)?;
    let persons = persons(command.role.as_deref(), rules.roles())?;
    let engine = Engine::new(&rules, command).map_err(PlayCommandError::from)?;
    let mut positions = vec![rules.initial(None)?];
    for joint in rules.joints(&command.moves)? {
        let next = positions[positions.len() - 1].play(&joint, None)?;
        positions.push(next);
    }
    let boards = Boards::find(&rules, description.as_ref());
    let (style, joints) = (show::style(), rules.joints(&command.moves)?);
    let asking = Asking::new();
    let mut game = Table { command, boards, persons, engine, asking, positions, joints, style };
    game.play()?;
    if let Some(path) = &command.output {
        game.record()?.write(path)?;
    }
    Ok(Answer::Yes)
}

/// Whether a person plays a role, for each role.
fn persons(role: Option<&str>, roles: &[String]) -> Result<Vec<bool>, PlayCommandError> {
    let Some(role) = role else { return Ok((0..roles.len()).map(|role| role == 0).collect()) };
    match role {
        "both" | "all" => Ok(vec![true; roles.len()]),
        "none" => Ok(vec![false; roles.len()]),
        role if roles.iter().any(|known| known == role) => {
            Ok(roles.iter().map(|known| known == role).collect())
        }
        _ => Err(PlayCommandError::Role { role: role.to_owned(), roles: roles.join(", ") }),
    }
}

/// A game under way.
struct Table<'a> {
    command: &'a PlayCommand,
    boards: Boards,
    persons: Vec<bool>,
    engine: Engine,
    asking: Asking,
    /// All positions so far, the present one last.
    positions: Vec<Position>,
    joints: Vec<Vec<String>>,
    style: Style,
}

/// What is done next.
enum Next {
    Play(Vec<String>),
    Again,
    Leave,
}

impl Table<'_> {
    fn position(&self) -> &Position {
        &self.positions[self.positions.len() - 1]
    }

    fn rules(&self) -> &Rules {
        self.position().rules()
    }

    fn play(&mut self) -> Result<(), CommandError> {
        loop {
            print(&self.picture())?;
            let position = self.position();
            if position.is_terminal() || position.stuck_role().is_some() {
                return Ok(print(&self.end())?);
            }
            loop {
                match self.joint()? {
                    Next::Again => continue,
                    Next::Leave => return Ok(()),
                    Next::Play(joint) if joint.is_empty() => break,
                    Next::Play(joint) => {
                        let next = self.position().play(&joint, None)?;
                        self.positions.push(next);
                        self.joints.push(joint);
                        break;
                    }
                }
            }
        }
    }

    fn picture(&self) -> String {
        let picture = self.boards.picture(&self.position().fluents());
        format!("\n{}", picture.text(self.style))
    }

    fn end(&self) -> String {
        let Some(goals) = self.position().goals() else {
            return "a role has no legal move: the game cannot go on\n".to_owned();
        };
        let goal = |(role, goals): (&String, &Vec<u16>)| {
            let goals: Vec<String> = goals.iter().map(ToString::to_string).collect();
            format!("{role}: {}", goals.join(", "))
        };
        let goals: Vec<String> = self.rules().roles().iter().zip(&goals).map(goal).collect();
        format!("over: {}\n", goals.join("   "))
    }

    /// A move for each role: persons are asked, the engine thinks for the others.
    fn joint(&mut self) -> Result<Next, CommandError> {
        let mut joint = Vec::new();
        for role in 0..self.persons.len() {
            let legal: Vec<String> =
                self.position().legal(role).into_iter().map(str::to_owned).collect();
            let text = match &legal[..] {
                [only] => only.clone(),
                legal if self.persons[role] => match self.ask(role, legal)? {
                    Some(Next::Play(mut chosen)) if chosen.len() == 1 => chosen.remove(0),
                    Some(next) => return Ok(next),
                    None => return Ok(Next::Leave),
                },
                _ => self.answer(role)?,
            };
            joint.push(text);
        }
        Ok(Next::Play(joint))
    }

    /// What the engine plays, with what it expects.
    fn answer(&mut self, role: usize) -> Result<String, CommandError> {
        let position = self.position().clone();
        let thought = self.engine.think(&position, role).map_err(PlayCommandError::from)?;
        print(&format!("{}: {}\n", self.rules().roles()[role], thought.text()))?;
        Ok(thought.best)
    }

    /// What a person wants; nothing at the end of the input.
    fn ask(&mut self, role: usize, legal: &[String]) -> Result<Option<Next>, CommandError> {
        let prompt = format!("{} ({} moves, help)> ", self.rules().roles()[role], legal.len());
        match self.asking.line(&prompt, legal)? {
            Some(line) => self.follow(role, legal, &line).map(Some),
            None => Ok(None),
        }
    }

    fn follow(&mut self, role: usize, legal: &[String], line: &str) -> Result<Next, CommandError> {
        let position = self.position().clone();
        match understood(line, legal) {
            Wish::Move(text) => return Ok(Next::Play(vec![text])),
            Wish::Quit => return Ok(Next::Leave),
            Wish::Undo => return self.undo(),
            Wish::Hint => {
                let thought = self.engine.think(&position, role).map_err(PlayCommandError::from)?;
                print(&format!("{}\n", thought.text()))?;
            }
            Wish::Analyse => {
                let thought = self.engine.think(&position, role).map_err(PlayCommandError::from)?;
                print(&thought.table())?;
            }
            Wish::Moves => print(&input::numbered(legal))?,
            Wish::Board => print(&self.picture())?,
            Wish::Save(path) => match self.record()?.write(path.as_ref()) {
                Ok(()) => print(&format!("written to {path}\n"))?,
                Err(error) => print(&format!("{error}\n"))?,
            },
            Wish::Unknown(text) => print(&text)?,
        }
        Ok(Next::Again)
    }

    /// Back to where a person chose before.
    fn undo(&mut self) -> Result<Next, CommandError> {
        let chooses = |position: &Position| {
            (0..self.persons.len()).any(|role| self.persons[role] && position.legal(role).len() > 1)
        };
        let before = &self.positions[..self.positions.len() - 1];
        let Some(place) = before.iter().rposition(chooses) else {
            print("there is nothing to take back\n")?;
            return Ok(Next::Again);
        };
        self.positions.truncate(place + 1);
        self.joints.truncate(place);
        Ok(Next::Play(Vec::new()))
    }

    fn record(&self) -> Result<MatchRecord, CommandError> {
        let player = |person: &bool| if *person { "person" } else { "engine" }.to_owned();
        let players = self.persons.iter().map(player).collect();
        let notes = Notes { game: self.command.game.clone(), players };
        Ok(MatchRecord::of_moves(self.rules(), &self.joints, notes)?)
    }
}
