//! A player elsewhere, by the protocol of General Game Playing.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_game::{Game, State};
use ruche_ggp::kif::{plain, text_of};
use ruche_ggp::{Address, CallError, Message, Start, call};
use ruche_shared::image::MAGIC;

use super::{Player, PlayerError, Turn};
use crate::record::Faults;

/// Time before the first move: long enough to compile most games.
const START_CLOCK: Duration = Duration::from_secs(20);
/// How long it may take to say that a match is over.
const FAREWELL: Duration = Duration::from_secs(2);

/// Plays what somebody elsewhere answers. Moves that come late or are not legal are
/// replaced by random ones, as game managers do.
pub(crate) struct Remote {
    address: Address,
    id: String,
    role: usize,
    play_clock: Duration,
    /// Joint moves that it was told of; nothing before it was asked for the first time.
    told: Option<usize>,
    random: Pcg64Mcg,
    faults: Faults,
}

impl Remote {
    /// Begins a match.
    pub(crate) fn new(
        address: &Address,
        game: &Game,
        (role, play_clock): (usize, Duration),
        seed: u64,
    ) -> Result<Self, PlayerError> {
        let source = Game::source(game.name()).ok().filter(|source| !source.starts_with(&MAGIC));
        let source = source.ok_or(PlayerError::NoRules { address: address.to_string() })?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let start = Start {
            id: format!("ruche.{}.{role}", now.as_nanos()),
            role: game.names().roles()[role].clone(),
            rules: plain(&text_of(&source)),
            start_clock: START_CLOCK,
            play_clock,
        };
        let id = start.id.clone();
        let until = Instant::now() + START_CLOCK;
        let answer = call(address, &Message::Start(start).to_string(), until).map_err(Box::new)?;
        let random = Pcg64Mcg::seed_from_u64(seed);
        let (address, told, faults) = (address.clone(), None, Faults::default());
        match answer.text.eq_ignore_ascii_case("ready") {
            true => Ok(Self { address, id, role, play_clock, told, random, faults }),
            false => {
                let answer = answer.text.chars().take(100).collect();
                Err(PlayerError::Unready { address: address.to_string(), answer })
            }
        }
    }

    /// The answer to the last of these joint moves; those before are told one by one.
    fn ask(&mut self, joints: &[Vec<String>]) -> Result<Option<String>, CallError> {
        let mut answer = None;
        for count in self.told.map_or(0, |told| told + 1)..=joints.len() {
            let moves = count.checked_sub(1).map(|last| joints[last].clone());
            let message = Message::Play { id: self.id.clone(), moves };
            let until = Instant::now() + self.play_clock;
            self.told = Some(count);
            answer = match call(&self.address, &message.to_string(), until) {
                Ok(called) => Some(plain(&called.text)),
                Err(CallError::Late { .. }) => None,
                Err(error) => return Err(error),
            };
        }
        Ok(answer)
    }
}

/// The number of a legal move by its text, whatever its capitals are.
fn number(state: &State, role: usize, text: &str) -> Option<u32> {
    let mut legal = state.legal(role).iter().zip(state.legal_names(role));
    legal.find(|(_, name)| name.eq_ignore_ascii_case(text)).map(|(number, _)| *number)
}

impl Player for Remote {
    fn choose(&mut self, turn: &Turn<'_>) -> Result<u32, PlayerError> {
        let names = turn.state.game().names();
        let spell = |joint: &Vec<u32>| {
            let move_of =
                |(role, number): (usize, &u32)| names.moves(role)[*number as usize].clone();
            joint.iter().enumerate().map(move_of).collect()
        };
        let joints: Vec<Vec<String>> = turn.joints.iter().map(spell).collect();
        let answer = self.ask(&joints).map_err(Box::new)?;
        let legal = turn.state.legal(self.role);
        let found = answer.as_deref().map(|text| number(turn.state, self.role, text));
        self.faults.late += u64::from(found.is_none());
        self.faults.illegal += u64::from(found == Some(None));
        let chosen = found.flatten();
        Ok(chosen.unwrap_or_else(|| legal[self.random.random_range(0..legal.len())]))
    }

    fn faults(&self) -> Faults {
        self.faults
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        let message = Message::Abort { id: self.id.clone() };
        // Whoever does not hear it finds out by itself.
        let _ = call(&self.address, &message.to_string(), Instant::now() + FAREWELL);
    }
}
