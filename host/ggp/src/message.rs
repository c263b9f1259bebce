//! What a manager says to a player.

use std::fmt;
use std::time::Duration;

use thiserror::Error;

use crate::kif::{KifError, expressions, inside, plain};

/// A message of a manager. Names are as they were written; keywords may be in any case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Is anybody there?
    Info,
    /// A match begins.
    Start(Start),
    /// The last joint move, in the order of the roles; nothing at first. Choose the next.
    Play {
        /// Which match.
        id: String,
        /// What was played.
        moves: Option<Vec<String>>,
    },
    /// The last joint move, with which the game has ended.
    Stop {
        /// Which match.
        id: String,
        /// What was played.
        moves: Option<Vec<String>>,
    },
    /// The match ends without a result.
    Abort {
        /// Which match.
        id: String,
    },
    /// A game that may come later, and time to look at it.
    Preview {
        /// The rules, as text.
        rules: String,
        /// How long.
        clock: Duration,
    },
}

/// What a match begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// Names the match in all further messages.
    pub id: String,
    /// Whom to play.
    pub role: String,
    /// The rules, as text.
    pub rules: String,
    /// Time until the first move is asked for.
    pub start_clock: Duration,
    /// Time for each move.
    pub play_clock: Duration,
}

/// Why a text is no message.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MessageError {
    /// Parentheses do not match, or there are far too many words.
    #[error("a message in KIF is needed: {0}")]
    Kif(#[from] KifError),
    /// It is no single list.
    #[error("a message is one list such as (INFO) or (PLAY id NIL)")]
    Form,
    /// Nobody knows such a message.
    #[error("`{word}` is no message: possible are INFO, START, PLAY, STOP, ABORT and PREVIEW")]
    Unknown {
        /// Its first word, or the start of it.
        word: String,
    },
    /// It has too few or too many parts.
    #[error("{message} has {found} parts; it is written {form}")]
    Parts {
        /// The message.
        message: &'static str,
        /// How many there are.
        found: usize,
        /// How it should look.
        form: &'static str,
    },
    /// A name is needed where something else stands.
    #[error("the {what} `{found}` is no name of at most {MOST_NAME} bytes")]
    Name {
        /// Of what.
        what: &'static str,
        /// What stands there, or the start of it.
        found: String,
    },
    /// A list is needed where something else stands.
    #[error("the {what} `{found}` is no list in parentheses")]
    List {
        /// Of what.
        what: &'static str,
        /// What stands there, or the start of it.
        found: String,
    },
    /// A clock is no time.
    #[error("the clock `{found}` is no number of seconds from 0 to {MOST_SECONDS}")]
    Clock {
        /// What stands there, or the start of it.
        found: String,
    },
}

/// The longest name of a match or a role.
const MOST_NAME: usize = 1000;
/// No clock runs longer than a week.
const MOST_SECONDS: u32 = 7 * 24 * 60 * 60;
/// More parts has no message.
const MOST_PARTS: usize = 8;
/// More roles, and so more moves, has no game.
const MOST_MOVES: usize = 1000;

impl Message {
    /// Reads a message.
    ///
    /// # Errors
    /// If it is none; the error says what is wrong.
    pub fn parse(text: &str) -> Result<Self, MessageError> {
        let whole = expressions(text, MOST_PARTS)?;
        // Some managers ask for news without parentheses.
        let parts = match whole[..] {
            [list] if list.starts_with('(') => {
                expressions(inside(list).unwrap_or_default(), MOST_PARTS)?
            }
            [word] => vec![word],
            _ => return Err(MessageError::Form),
        };
        let (word, parts) = parts.split_first().ok_or(MessageError::Form)?;
        match word.to_ascii_lowercase().as_str() {
            "info" => count("INFO", "(INFO)", parts).map(|[]| Self::Info),
            "start" => start(parts).map(Self::Start),
            "play" => {
                let (id, moves) = turn("PLAY", "(PLAY id moves)", parts)?;
                Ok(Self::Play { id, moves })
            }
            "stop" => {
                let (id, moves) = turn("STOP", "(STOP id moves)", parts)?;
                Ok(Self::Stop { id, moves })
            }
            "abort" => {
                let [id] = count("ABORT", "(ABORT id)", parts)?;
                Ok(Self::Abort { id: name("match", id)? })
            }
            "preview" => {
                let [rules, clock] = count("PREVIEW", "(PREVIEW (rules) clock)", parts)?;
                Ok(Self::Preview { rules: list("rules", rules)?, clock: seconds(clock)? })
            }
            _ => Err(MessageError::Unknown { word: excerpt(word) }),
        }
    }

    /// The match that it is about, if it is about one.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Start(Start { id, .. })
            | Self::Play { id, .. }
            | Self::Stop { id, .. }
            | Self::Abort { id } => Some(id),
            Self::Info | Self::Preview { .. } => None,
        }
    }
}

fn start(parts: &[&str]) -> Result<Start, MessageError> {
    let form = "(START id role (rules) start-clock play-clock)";
    let [id, role, rules, start_clock, play_clock] = count("START", form, parts)?;
    Ok(Start {
        id: name("match", id)?,
        role: name("role", role)?,
        rules: list("rules", rules)?,
        start_clock: seconds(start_clock)?,
        play_clock: seconds(play_clock)?,
    })
}

/// The match and the moves of a `PLAY` or `STOP`.
fn turn(
    message: &'static str,
    form: &'static str,
    parts: &[&str],
) -> Result<(String, Option<Vec<String>>), MessageError> {
    let [id, moves] = count(message, form, parts)?;
    Ok((name("match", id)?, joint(moves)?))
}

fn joint(moves: &str) -> Result<Option<Vec<String>>, MessageError> {
    if moves.eq_ignore_ascii_case("nil") {
        return Ok(None);
    }
    let moves = expressions(&list("moves", moves)?, MOST_MOVES)?.into_iter().map(plain).collect();
    Ok(Some(moves).filter(|moves: &Vec<String>| !moves.is_empty()))
}

fn count<'a, const N: usize>(
    message: &'static str,
    form: &'static str,
    parts: &[&'a str],
) -> Result<[&'a str; N], MessageError> {
    let found = parts.len() + 1;
    parts.try_into().map_err(|_| MessageError::Parts { message, found, form })
}

fn name(what: &'static str, found: &str) -> Result<String, MessageError> {
    match found.starts_with('(') || found.len() > MOST_NAME {
        true => Err(MessageError::Name { what, found: excerpt(found) }),
        false => Ok(found.to_owned()),
    }
}

fn list(what: &'static str, found: &str) -> Result<String, MessageError> {
    let error = || MessageError::List { what, found: excerpt(found) };
    inside(found).map(str::to_owned).ok_or_else(error)
}

fn seconds(found: &str) -> Result<Duration, MessageError> {
    let number = found.parse().ok().filter(|found| (0.0..=f64::from(MOST_SECONDS)).contains(found));
    number.map(Duration::from_secs_f64).ok_or_else(|| MessageError::Clock { found: excerpt(found) })
}

/// As much of a text as a message about it may repeat.
fn excerpt(text: &str) -> String {
    text.chars().take(40).collect()
}

impl fmt::Display for Message {
    /// As it is sent: on one line.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Info => formatter.write_str("(INFO)"),
            Self::Start(Start { id, role, rules, start_clock, play_clock }) => {
                let (start, play) = (start_clock.as_secs_f64(), play_clock.as_secs_f64());
                write!(formatter, "(START {id} {role} ({}) {start} {play})", plain(rules))
            }
            Self::Play { id, moves } => write!(formatter, "(PLAY {id} {})", Joint(moves)),
            Self::Stop { id, moves } => write!(formatter, "(STOP {id} {})", Joint(moves)),
            Self::Abort { id } => write!(formatter, "(ABORT {id})"),
            Self::Preview { rules, clock } => {
                write!(formatter, "(PREVIEW ({}) {})", plain(rules), clock.as_secs_f64())
            }
        }
    }
}

struct Joint<'a>(&'a Option<Vec<String>>);

impl fmt::Display for Joint<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => formatter.write_str("NIL"),
            Some(moves) => write!(formatter, "({})", moves.join(" ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Message::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn keywords_are_read_in_any_case_and_blanks_do_not_matter() {
        for text in ["(INFO)", "( info )", " Info ", "(Info;\n)"] {
            assert_eq!(Message::parse(text), Ok(Message::Info), "{text}");
        }
        let play = Message::Play { id: "m.1".to_owned(), moves: None };
        for text in ["( PLAY m.1 NIL )", "(play m.1 nil)", "(Play m.1 ())"] {
            assert_eq!(Message::parse(text), Ok(play.clone()), "{text}");
        }
    }

    #[test]
    fn a_start_has_rules_and_clocks() {
        let text = "( START m1 Xplayer ( (role Xplayer) ; one\n (init (p 1)) ) 30 10 )";
        let Ok(Message::Start(start)) = Message::parse(text) else { panic!() };
        assert_eq!((start.id.as_str(), start.role.as_str()), ("m1", "Xplayer"));
        assert_eq!(plain(&start.rules), "(role Xplayer) (init (p 1))");
        assert_eq!([start.start_clock, start.play_clock].map(|it| it.as_secs()), [30, 10]);
    }

    #[test]
    fn what_is_written_is_read_again() {
        for text in [
            "(INFO)",
            "(START m r ((role r) (p (q 1))) 10 1.5)",
            "(PLAY m NIL)",
            "(PLAY m ((mark 1 1) noop))",
            "(STOP m (noop))",
            "(ABORT m)",
            "(PREVIEW ((role r)) 20)",
        ] {
            assert_eq!(Message::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_message_is_refused_with_what_is_wrong() {
        assert!(refused("").contains("one list"));
        assert!(refused("(play").contains("never closed"));
        assert!(refused("(fly m)").contains("`fly` is no message"));
        assert!(refused("(play m)").contains("(PLAY id moves)"));
        assert!(refused("(play (m) nil)").contains("no name"));
        assert!(refused("(play m noop)").contains("no list"));
        assert!(refused("(start m r rules 1 1)").contains("no list"));
        assert!(refused("(start m r (rules) -1 1)").contains("clock"));
        assert!(refused("(start m r (rules) NaN 1)").contains("clock"));
        assert!(refused("(start m r (rules) 1 inf)").contains("clock"));
        assert!(refused(&format!("(abort {})", "m".repeat(2000))).len() < 200);
        assert!(refused(&format!("(play m ({}))", "a ".repeat(2000))).contains("more than"));
    }
}
