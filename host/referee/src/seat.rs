//! How somebody is asked. Every seat has a thread, so that all are asked at the same time
//! and nobody waits for whoever is late.

use std::sync::mpsc::{Receiver, Sender};
use std::time::{Duration, Instant};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_arena::{Contestant, Offloads, Player, PlayerError, Seat as ArenaSeat, Turn};
use ruche_ggp::kif::plain;
use ruche_ggp::scramble::Scrambler;
use ruche_ggp::{Address, CallError, Message, Start, call};
use ruche_rules::Position;
use ruche_search::Stop;

use crate::contender::Contender;
use crate::record::FaultKind;

/// What a seat is asked.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    /// Its number among all that were asked.
    pub number: u64,
    pub question: Question,
    /// When the answer must be there.
    pub until: Instant,
}

#[derive(Clone, Debug)]
pub(crate) enum Question {
    Start,
    Play { last: Option<Vec<String>>, position: Position },
    Stop { last: Option<Vec<String>> },
    Abort,
}

/// What a seat says.
#[derive(Debug)]
pub(crate) struct Said {
    pub role: usize,
    pub number: u64,
    pub time: Duration,
    pub answer: Result<String, (FaultKind, String)>,
}

/// Somebody who plays a role.
pub(crate) struct Seat<'a> {
    pub role: usize,
    pub contender: &'a Contender,
    pub start: Start,
    pub scrambler: Option<&'a Scrambler>,
    pub seed: u64,
    pub stop: &'a Stop,
}

impl Seat<'_> {
    /// Answers questions until there are no more.
    pub fn run(&self, asks: &Receiver<Ask>, answers: &Sender<Said>) {
        let mut local = None;
        for Ask { number, question, until } in asks {
            let start = Instant::now();
            let answer = match self.contender {
                Contender::Remote(address) => self.call(address, &question, until),
                Contender::Local(contestant) => self.ask(contestant, &question, &mut local),
            };
            let said = Said { role: self.role, number, time: start.elapsed(), answer };
            if answers.send(said).is_err() {
                return;
            }
        }
    }

    fn call(
        &self,
        address: &Address,
        question: &Question,
        until: Instant,
    ) -> Result<String, (FaultKind, String)> {
        let id = self.start.id.clone();
        let message = match question {
            Question::Start => Message::Start(self.start.clone()),
            Question::Play { last, .. } => Message::Play { id, moves: last.clone() },
            Question::Stop { last } => Message::Stop { id, moves: last.clone() },
            Question::Abort => Message::Abort { id },
        };
        let message = self.scrambled(&message);
        let called = call(address, &message.to_string(), until).map_err(|error| {
            let kind = match error {
                CallError::Late { .. } => FaultKind::Late,
                _ => FaultKind::Lost,
            };
            (kind, error.to_string())
        })?;
        let text = plain(&called.text);
        Ok(self.scrambler.map_or(text.clone(), |scrambler| scrambler.restore(&text)))
    }

    fn scrambled(&self, message: &Message) -> Message {
        let Some(scrambler) = self.scrambler else { return message.clone() };
        let joint = |moves: &Option<Vec<String>>| {
            let moves = moves.as_ref()?;
            Some(moves.iter().map(|text| scrambler.scramble(text)).collect())
        };
        match message.clone() {
            Message::Start(start) => Message::Start(Start {
                role: scrambler.scramble(&start.role),
                rules: scrambler.scramble(&start.rules),
                ..start
            }),
            Message::Play { id, moves } => Message::Play { id, moves: joint(&moves) },
            Message::Stop { id, moves } => Message::Stop { id, moves: joint(&moves) },
            other => other,
        }
    }

    fn ask(
        &self,
        contestant: &Contestant,
        question: &Question,
        local: &mut Option<Local>,
    ) -> Result<String, (FaultKind, String)> {
        let Question::Play { position, .. } = question else { return Ok("ready".to_owned()) };
        let failed = |error: PlayerError| (FaultKind::Lost, error.to_string());
        if local.is_none() {
            *local = Some(self.local(contestant, position).map_err(failed)?);
        }
        match local.as_mut().map(|local| local.choose(self, position)) {
            Some(Ok(text)) => Ok(text),
            Some(Err(error)) => Err(failed(error)),
            None => Err(failed(PlayerError::Silent)),
        }
    }

    fn local(&self, contestant: &Contestant, position: &Position) -> Result<Local, PlayerError> {
        let state = position.state();
        Ok(match (contestant, state) {
            (Contestant::Legal, _) => Local::Legal,
            (Contestant::Search { .. }, Some(state)) => {
                let game = state.game();
                let offloads = Offloads::new(game).map_err(|_| PlayerError::Silent)?;
                let (role, seed) = (self.role, self.seed);
                let seat = ArenaSeat { game, offloads: &offloads, role, seed };
                Local::Player(contestant.player(&seat)?)
            }
            _ => Local::Random(Pcg64Mcg::seed_from_u64(self.seed)),
        })
    }
}

/// Somebody on this thread.
enum Local {
    Random(Pcg64Mcg),
    Legal,
    Player(Box<dyn Player>),
}

impl Local {
    fn choose(&mut self, seat: &Seat<'_>, position: &Position) -> Result<String, PlayerError> {
        let (role, legal) = (seat.role, position.legal(seat.role));
        match (self, position.state()) {
            (_, _) if legal.len() == 1 => Ok(legal[0].to_owned()),
            (Local::Random(random), _) => Ok(legal[random.random_range(0..legal.len())].to_owned()),
            (Local::Player(player), Some(state)) => {
                let turn = Turn { role, state, joints: &[], stop: seat.stop };
                let number = player.choose(&turn)?;
                Ok(state.game().names().moves(role)[number as usize].clone())
            }
            _ => Ok(legal[0].to_owned()),
        }
    }
}
