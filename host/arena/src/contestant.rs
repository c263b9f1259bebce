//! Who is compared: a text such as `exploration=1.4,batch=64` becomes somebody who can sit
//! down at a game.

use std::fmt;
use std::time::Duration;

use ruche_game::{Game, PlayoutPolicy};
use ruche_ggp::{Address, AddressError};
use ruche_offload::{Direct, DirectSettings};
use ruche_playouts::PlayoutsError;
use ruche_search::quantity::{number, seconds};
use ruche_search::{
    Clock, Decompose, Limits, LimitsError, Method, OptionError, SearchOptions, SearchSettings,
    SettingsError,
};
use ruche_shared::names::Named;
use thiserror::Error;

use crate::player::{Legal, Player, PlayerError, Random, Remote, Searching};

/// A way to play.
#[derive(Clone, Debug, PartialEq)]
pub enum Contestant {
    /// Our own search, with this much for each move.
    Search {
        /// By which method.
        method: Method,
        /// How to search.
        settings: SearchSettings,
        /// How long.
        limits: Limits,
    },
    /// A player elsewhere, by the protocol of General Game Playing.
    Remote {
        /// Where.
        address: Address,
        /// Time for each move.
        play_clock: Duration,
    },
    /// Any legal move.
    Random,
    /// The first legal move.
    Legal,
}

/// Whoever plays for searches, by each policy of playouts.
#[derive(Debug)]
pub struct Offloads {
    focused: Direct,
    tactical: Direct,
    uniform: Direct,
}

impl Offloads {
    /// Those of a game.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn new(game: &Game) -> Result<Self, PlayoutsError> {
        let by = |policy, decompose| {
            let options = SearchOptions { policy, decompose, ..SearchOptions::default() };
            Direct::new(&options.game_of_playouts(game), DirectSettings::default())
        };
        Ok(Self {
            focused: by(PlayoutPolicy::Tactical, Decompose::On)?,
            tactical: by(PlayoutPolicy::Tactical, Decompose::Off)?,
            uniform: by(PlayoutPolicy::Uniform, Decompose::Off)?,
        })
    }

    fn by(&self, options: &SearchOptions) -> &Direct {
        match (options.policy, options.decompose) {
            (PlayoutPolicy::Tactical, Decompose::On) => &self.focused,
            (PlayoutPolicy::Tactical, Decompose::Off) => &self.tactical,
            (PlayoutPolicy::Uniform, _) => &self.uniform,
        }
    }
}

/// Where a player sits down.
#[derive(Clone, Copy, Debug)]
pub struct Seat<'a> {
    /// The game.
    pub game: &'a Game,
    /// Whoever plays for searches; each takes one with a seed of its own from it.
    pub offloads: &'a Offloads,
    /// The role to play.
    pub role: usize,
    /// From which the player draws whatever it draws.
    pub seed: u64,
}

/// Time of a player elsewhere for a move, where moves are limited by playouts.
const PLAY_CLOCK: Duration = Duration::from_secs(1);

const DEFAULT: &str = "default";
const RANDOM: &str = "random";
const LEGAL: &str = "legal";
const METHOD: &str = "method";
const PLAYOUTS: &str = "playouts";
const SECONDS: &str = "seconds";
const THREAD_SECONDS: &str = "thread-seconds";

/// Why a text is no contestant.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ContestantError {
    /// An address was meant.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// A part of it is no setting.
    #[error(
        "`{part}` is neither {DEFAULT}, {RANDOM}, {LEGAL}, http://HOST:PORT nor KEY=VALUE{}",
        suggestion(part, &names().chain(keys()).collect::<Vec<_>>())
    )]
    Form {
        /// The part.
        part: String,
    },
    /// There is no such setting.
    #[error(
        "there is no setting `{key}`{}; possible: {}",
        suggestion(key, &keys().collect::<Vec<_>>()),
        keys().collect::<Vec<_>>().join(", ")
    )]
    Unknown {
        /// What was typed.
        key: String,
    },
    /// A setting is there twice.
    #[error("{key} is set twice: leave one away")]
    Twice {
        /// Which.
        key: String,
    },
    /// More than one of playouts, seconds and seconds of a thread.
    #[error(
        "{PLAYOUTS}, {SECONDS} and {THREAD_SECONDS} limit the same move: leave all but one away"
    )]
    TwoLimits,
    /// A method that searches on several threads.
    #[error(
        "{METHOD}={0} has several threads, whose time {THREAD_SECONDS} cannot tell: give {SECONDS}"
    )]
    Threads(Method),
    /// A setting cannot have this value.
    #[error("{key}={text}: {wanted}")]
    Value {
        /// Which.
        key: &'static str,
        /// What was typed.
        text: String,
        /// What should be.
        wanted: String,
    },
    /// The settings together make no sense.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The limits make no sense.
    #[error(transparent)]
    Limits(#[from] LimitsError),
}

/// What is no list of settings.
fn names() -> impl Iterator<Item = &'static str> {
    [DEFAULT, RANDOM, LEGAL].into_iter()
}

fn keys() -> impl Iterator<Item = &'static str> {
    [METHOD].into_iter().chain(SearchOptions::keys()).chain([PLAYOUTS, SECONDS, THREAD_SECONDS])
}

fn suggestion(typed: &str, known: &[&'static str]) -> String {
    let found = ruche_games::closest(typed, known.iter().copied());
    found.map(|name| format!(": did you mean {name}?")).unwrap_or_default()
}

/// A search whose settings are being read.
#[derive(Default)]
struct Draft {
    method: Method,
    options: SearchOptions,
    limits: Option<Limits>,
    keys: Vec<String>,
}

impl Draft {
    fn read(&mut self, part: &str) -> Result<(), ContestantError> {
        let form = || ContestantError::Form { part: part.to_owned() };
        let (key, text) = part.split_once('=').ok_or_else(form)?;
        if self.keys.iter().any(|known| known == key) {
            return Err(ContestantError::Twice { key: key.to_owned() });
        }
        self.keys.push(key.to_owned());
        let wrong = |key, wanted| ContestantError::Value { key, text: text.to_owned(), wanted };
        match key {
            METHOD => {
                let method = Method::of_name(text);
                self.method = method.map_err(|error| wrong(METHOD, error.to_string()))?;
                Ok(())
            }
            PLAYOUTS => {
                let playouts = number(text).ok_or("give a whole number, such as 20000 or 20k");
                let playouts = playouts.map_err(|wanted| wrong(PLAYOUTS, wanted.to_owned()))?;
                self.limit(Limits::playouts(playouts))
            }
            SECONDS => {
                self.limit(Limits::time(seconds(text).map_err(|wanted| wrong(SECONDS, wanted))?))
            }
            THREAD_SECONDS => {
                let time = seconds(text).map_err(|wanted| wrong(THREAD_SECONDS, wanted))?;
                self.limit(Limits::thread_time(time))
            }
            key => self.options.set(key, text).map_err(|error| match error {
                OptionError::Unknown { key } => ContestantError::Unknown { key },
                OptionError::Value { key, text, wanted } => {
                    ContestantError::Value { key, text, wanted }
                }
            }),
        }
    }

    fn limit(&mut self, limits: Limits) -> Result<(), ContestantError> {
        match self.limits.replace(limits) {
            None => Ok(()),
            Some(_) => Err(ContestantError::TwoLimits),
        }
    }
}

impl Contestant {
    /// The contestant of a text: `default`, `random`, `legal`, `http://HOST:PORT` for a player
    /// elsewhere, or settings of our search such
    /// as `exploration=1.4,batch=64`. What limits a move is `usual`, unless `playouts=…`,
    /// `seconds=…` or `thread-seconds=…` says otherwise.
    ///
    /// # Errors
    /// If there is no such setting, or it makes no sense.
    pub fn parse(text: &str, usual: Limits) -> Result<Self, ContestantError> {
        if Address::is_meant(text) {
            let play_clock = usual.time.unwrap_or(PLAY_CLOCK);
            return Ok(Contestant::Remote { address: text.parse()?, play_clock });
        }
        let mut draft = Draft::default();
        match text {
            RANDOM => return Ok(Contestant::Random),
            LEGAL => return Ok(Contestant::Legal),
            DEFAULT => {}
            text => text.split(',').try_for_each(|part| draft.read(part.trim()))?,
        }
        let limits = draft.limits.unwrap_or(usual).check()?;
        if draft.method == Method::Root && limits.clock == Clock::Thread {
            return Err(ContestantError::Threads(draft.method));
        }
        Ok(Contestant::Search { method: draft.method, settings: draft.options.check()?, limits })
    }

    /// Whether the same seed makes it play the same moves: with equal playouts, but not in
    /// equal time.
    #[must_use]
    pub fn is_reproducible(&self) -> bool {
        match self {
            Contestant::Search { limits, .. } => limits.time.is_none(),
            Contestant::Random | Contestant::Legal => true,
            Contestant::Remote { .. } => false,
        }
    }

    /// Whether it can play one game at a time only.
    #[must_use]
    pub fn is_single(&self) -> bool {
        matches!(self, Contestant::Remote { .. })
    }

    /// Somebody who plays a role of a game.
    ///
    /// # Errors
    /// If the game is too large for the settings.
    pub fn player(&self, seat: &Seat<'_>) -> Result<Box<dyn Player>, PlayerError> {
        Ok(match self {
            Contestant::Search { method, settings, limits } => {
                let offload = seat.offloads.by(settings.options()).seeded(seat.seed);
                Box::new(Searching::new(seat.game, (*method, settings), *limits, offload)?)
            }
            Contestant::Remote { address, play_clock } => {
                Box::new(Remote::new(address, seat.game, (seat.role, *play_clock), seat.seed)?)
            }
            Contestant::Random => Box::new(Random::new(seat.seed)),
            Contestant::Legal => Box::new(Legal),
        })
    }
}

impl fmt::Display for Contestant {
    /// Everything that how it plays depends on, as it would be typed.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contestant::Remote { address, .. } => address.fmt(formatter),
            Contestant::Random => formatter.write_str(RANDOM),
            Contestant::Legal => formatter.write_str(LEGAL),
            Contestant::Search { method, settings, limits } => {
                write!(formatter, "{METHOD}={method},{}", settings.options())?;
                let Limits { playouts, time, clock } = limits;
                playouts.map_or(Ok(()), |playouts| write!(formatter, ",{PLAYOUTS}={playouts}"))?;
                let time = time.as_ref().map(Duration::as_secs_f64);
                let seconds = match clock {
                    Clock::Wall => SECONDS,
                    Clock::Thread => THREAD_SECONDS,
                };
                time.map_or(Ok(()), |time| write!(formatter, ",{seconds}={time}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Limits = Limits::playouts(1000);

    fn parse(text: &str) -> Result<Contestant, ContestantError> {
        Contestant::parse(text, USUAL)
    }

    #[test]
    fn a_text_sets_what_it_names_and_nothing_else() {
        let options = SearchOptions { exploration: 1.4, batch: 64, ..Default::default() };
        let settings = options.check().unwrap();
        let expected = Contestant::Search { method: Method::Uct, settings, limits: USUAL };
        assert_eq!(parse("exploration=1.4,batch=64"), Ok(expected.clone()));
        assert_eq!(parse("method=uct, batch=64, exploration=1.4"), Ok(expected));
        assert_eq!(parse("default"), parse("exploration=0.175"));
        assert_eq!(
            (parse("random"), parse("legal")),
            (Ok(Contestant::Random), Ok(Contestant::Legal))
        );
    }

    #[test]
    fn a_contestant_may_have_limits_of_its_own() {
        let limits = |text| match parse(text) {
            Ok(Contestant::Search { limits, .. }) => limits,
            _ => panic!("{text}"),
        };
        assert_eq!(limits("default"), USUAL);
        assert_eq!(limits("playouts=2k"), Limits::playouts(2000));
        assert_eq!(limits("seconds=0.5"), Limits::time(Duration::from_millis(500)));
        assert_eq!(limits("thread-seconds=2"), Limits::thread_time(Duration::from_secs(2)));
        assert!(parse("playouts=2k").unwrap().is_reproducible());
        assert!(!parse("seconds=1").unwrap().is_reproducible());
    }

    #[test]
    fn what_is_printed_is_the_same_contestant() {
        for text in ["default", "random", "legal", "memory=256,seconds=0.25", "thread-seconds=2"] {
            let contestant = parse(text).unwrap();
            assert_eq!(Contestant::parse(&contestant.to_string(), Limits::none()), Ok(contestant));
        }
    }

    #[test]
    fn a_text_that_means_nothing_is_refused_with_what_was_perhaps_meant() {
        let refused = |text| parse(text).unwrap_err().to_string();
        assert!(refused("exploratoin=1").contains("`exploratoin`: did you mean exploration?"));
        assert!(refused("depth=1").contains("possible: method, batch, "));
        assert!(refused("defualt").contains("did you mean default?"));
        assert!(refused("").contains("KEY=VALUE"));
        assert!(refused("batch=1,batch=2").contains("batch is set twice"));
        assert!(refused("playouts=1k,seconds=1").contains("limit the same move"));
        assert!(refused("playouts=0").starts_with("playouts: 0 is not in 1 to"));
        assert!(refused("playouts=many").starts_with("playouts=many: give a whole number"));
        assert!(refused("seconds=-1").contains("give a number of seconds"));
        assert!(refused("method=mcts").contains("possible: uct"));
        assert!(refused("batch=0").starts_with("batch: 0 is not in"));
        assert!(refused("exploration=NaN").contains("0 to 1000"));
    }
}
