//! `ruche ugi`: the Universal Game Interface, for arenas that let engines play.

use std::io::{self, BufRead, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use ruche_game::{Game, State};
use ruche_search::{Limits, SearchReport, Stop};

use super::thinking::{Thinking, ThinkingError};
use super::{CommandError, load};
use crate::arguments::DoorCommand;
use crate::output::Answer;

/// Why a game is not played.
#[derive(Debug, thiserror::Error)]
pub enum UgiError {
    /// It is not for two.
    #[error("the Universal Game Interface is for two roles, and {game} has {roles}")]
    Roles {
        /// The game.
        game: String,
        /// How many it has.
        roles: usize,
    },
}

/// How long to think where nothing is said.
const USUAL_TIME: Duration = Duration::from_secs(1);
/// Moves that a clock shall be enough for.
const MOVES: u32 = 30;

/// A search that was asked for.
struct Job {
    state: State,
    limits: Limits,
    stop: Stop,
}

/// Answers until `quit`, or the input ends.
///
/// # Errors
/// If there is no such game, or it is not for two.
pub fn run(command: &DoorCommand) -> Result<Answer, CommandError> {
    let game = load(&command.game)?;
    if game.roles() != 2 {
        let error = UgiError::Roles { game: command.game.clone(), roles: game.roles() };
        return Err(error.into());
    }
    let (jobs, queue) = channel();
    thread::scope(|scope| {
        let own = game.clone();
        let thinker = scope.spawn(move || think(&own, command, &queue));
        let result = converse(&game, &jobs);
        drop(jobs);
        match thinker.join() {
            Ok(thought) => thought.map_err(CommandError::from).and(result.map_err(Into::into)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })?;
    Ok(Answer::Yes)
}

fn say(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush())
}

fn think(game: &Game, command: &DoorCommand, queue: &Receiver<Job>) -> Result<(), ThinkingError> {
    let mut thinking = Thinking::new(game, &command.settings, command.threads)?;
    for Job { state, limits, stop } in queue {
        let report = thinking.search(&state, &limits, &stop)?;
        // Nobody reads any more: the conversation ends too.
        if told(&state, &report).is_err() {
            break;
        }
    }
    Ok(())
}

fn told(state: &State, report: &SearchReport) -> io::Result<()> {
    let (Some(role), Some(best)) = (state.mover(), &report.best) else {
        return say("bestmove (none)");
    };
    let name = |number: u32| written(&state.game().names().moves(role)[number as usize]);
    if let Some(found) = report.roles[role].moves.iter().find(|it| it.number == best[role]) {
        let proven = found.proven.map_or(String::new(), |goal| format!(" proven {goal}"));
        let (nodes, time) = (report.playouts, report.time.as_millis());
        say(&format!("info nodes {nodes} time {time} mean {:.1}{proven}", found.mean))?;
    }
    say(&format!("bestmove {}", name(best[role])))
}

/// A move without blanks.
fn written(text: &str) -> String {
    text.replace(' ', ",")
}

fn converse(game: &Game, jobs: &Sender<Job>) -> io::Result<()> {
    let mut state = game.initial();
    let (mut stop, mut is_endless) = (Stop::default(), false);
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        match word {
            "ugi" => say(&format!(
                "id name Ruche {}\nid author Ruche\nugiok",
                env!("CARGO_PKG_VERSION")
            ))?,
            "isready" => say("readyok")?,
            "uginewgame" => state = game.initial(),
            "position" => match position(game, rest) {
                Ok(found) => state = found,
                Err(error) => say(&format!("info string {error}"))?,
            },
            "go" => {
                stop = Stop::default();
                let limits = limits(rest, state.mover() == Some(0));
                is_endless = limits == Limits::none();
                let job = Job { state: state.clone(), limits, stop: stop.clone() };
                if jobs.send(job).is_err() {
                    break;
                }
            }
            "stop" => stop.request(),
            "query" => say(&format!("response {}", response(&state, rest.trim())))?,
            "quit" => {
                stop.request();
                break;
            }
            "" | "setoption" => {}
            word => say(&format!("info string `{word}` is not known"))?,
        }
    }
    // Nobody is left who could stop it.
    if is_endless {
        stop.request();
    }
    Ok(())
}

fn position(game: &Game, text: &str) -> Result<State, String> {
    let text = text.trim();
    let rest = text.strip_prefix("startpos").ok_or("only `position startpos` is known")?.trim();
    let moves = match rest.strip_prefix("moves") {
        Some(moves) => moves,
        None if rest.is_empty() => "",
        None => return Err("`position startpos moves …` is how it is written".to_owned()),
    };
    let mut state = game.initial();
    for text in moves.split_whitespace() {
        let text = text.replace(',', " ");
        state = state.play_named(&text).map_err(|error| error.to_string())?;
    }
    Ok(state)
}

/// What `go` allows.
fn limits(text: &str, is_first: bool) -> Limits {
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |name: &str| -> Option<u64> {
        let at = words.iter().position(|word| *word == name)?;
        words.get(at + 1)?.parse().ok()
    };
    let (time, more) = if is_first { ("p1time", "p1inc") } else { ("p2time", "p2inc") };
    if words.contains(&"infinite") {
        return Limits::none();
    }
    if let Some(nodes) = number("nodes") {
        return Limits::playouts(nodes).check().unwrap_or_default();
    }
    let clock = number(time).map(|left| {
        let each = Duration::from_millis(left) / MOVES;
        let whole = each + Duration::from_millis(number(more).unwrap_or(0)).mul_f64(0.8);
        whole.min(Duration::from_millis(left).mul_f64(0.8))
    });
    let time = number("movetime").map(Duration::from_millis).or(clock);
    Limits::time(time.unwrap_or(USUAL_TIME))
}

fn response(state: &State, question: &str) -> String {
    match question {
        "gameover" => state.is_terminal().to_string(),
        "p1turn" => (state.mover() == Some(0)).to_string(),
        "result" => match state.goals().as_deref() {
            Some([one, other]) if one > other => "p1win",
            Some([one, other]) if one < other => "p2win",
            Some(_) => "draw",
            None => "none",
        }
        .to_owned(),
        _ => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_and_nodes_are_limits() {
        assert_eq!(limits("movetime 500", true), Limits::time(Duration::from_millis(500)));
        assert_eq!(limits("nodes 1000", true), Limits::playouts(1000));
        assert_eq!(limits("infinite", true), Limits::none());
        let clocks = "p1time 30000 p2time 60000 p1inc 100 p2inc 0";
        assert_eq!(limits(clocks, true), Limits::time(Duration::from_millis(1080)));
        assert_eq!(limits(clocks, false), Limits::time(Duration::from_millis(2000)));
        assert_eq!(limits("", true), Limits::time(USUAL_TIME));
    }

    #[test]
    fn positions_are_lists_of_moves_without_blanks() {
        let game = Game::bundled("connectfour").unwrap();
        let state = position(&game, "startpos moves (drop,4) (drop,4)").unwrap();
        assert_eq!(response(&state, "p1turn"), "true");
        assert_eq!(response(&state, "result"), "none");
        assert!(position(&game, "startpos moves (drop,9)").is_err());
        assert!(position(&game, "fen x").is_err());
    }
}
