//! How a match goes.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ruche_arena::Contestant;
use ruche_game::{Game, GameError};
use ruche_ggp::Start;
use ruche_ggp::kif::{plain, text_of};
use ruche_ggp::scramble::Scrambler;
use ruche_rules::{Position, Rules, RulesError};
use ruche_search::Stop;
use thiserror::Error;

use crate::contender::Contender;
use crate::record::{End, Fault, FaultKind, MatchRecord, Ply};
use crate::seat::{Ask, Question, Said, Seat};

/// Clocks, and what else a match needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchSettings {
    /// Time before the first move.
    pub start_clock: Duration,
    /// Time for each move.
    pub play_clock: Duration,
    /// From which moves are drawn that replace others.
    pub seed: u64,
    /// After how many joint moves a match is cut.
    pub ply_limit: u64,
    /// Whether players over HTTP see other names than those of the rules.
    pub scrambles: bool,
}

impl Default for MatchSettings {
    fn default() -> Self {
        Self {
            start_clock: Duration::from_secs(10),
            play_clock: Duration::from_secs(5),
            seed: 0,
            ply_limit: 1000,
            scrambles: false,
        }
    }
}

/// Why there is no match.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RefereeError {
    /// There are no rules to play by.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// Too few or too many players.
    #[error("one player for each role is needed, in this order: {roles}; {found} are given")]
    Players {
        /// The roles.
        roles: String,
        /// How many there are.
        found: usize,
    },
    /// Players elsewhere need the rules.
    #[error("{game} is an image: players over HTTP need its rules, so give the .kif file")]
    Image {
        /// The game.
        game: String,
    },
    /// Our search needs a compiled game.
    #[error(
        "{game} is too large to be compiled, so that our search cannot play it here: let \
         `ruche player` play, which interprets it"
    )]
    Interpreted {
        /// The game.
        game: String,
    },
}

impl From<GameError> for RefereeError {
    fn from(error: GameError) -> Self {
        RulesError::from(error).into()
    }
}

/// A game manager for one game.
#[derive(Clone, Debug)]
pub struct Manager {
    game: String,
    rules: Rules,
    /// The rules as players elsewhere get them.
    text: Option<String>,
}

/// Time beyond the clock for whoever answers at its last moment; what comes then is late,
/// but heard.
const LAST_MOMENT: Duration = Duration::from_millis(20);

/// How long players have to say that they have heard of the end.
const FAREWELL: Duration = Duration::from_secs(2);

impl Manager {
    /// A manager for rules in GDL, or an image of them.
    ///
    /// # Errors
    /// If they are no game.
    pub fn new(game: &str, source: &[u8]) -> Result<Self, RefereeError> {
        let is_image = source.starts_with(&ruche_shared::image::MAGIC);
        let rules = match is_image {
            true => Rules::compiled(Game::of_image(game, source)?),
            false => Rules::load(game, source)?,
        };
        let text = (!is_image).then(|| plain(&text_of(source)));
        Ok(Self { game: game.to_owned(), rules, text })
    }

    /// The rules of the game.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Lets these play, one for each role. Every state is told as it comes.
    ///
    /// # Errors
    /// If they are too many or too few, or somebody cannot play this game.
    pub fn run(
        &self,
        contenders: &[Contender],
        settings: &MatchSettings,
        stop: &Stop,
        watch: &mut dyn FnMut(&Ply),
    ) -> Result<MatchRecord, RefereeError> {
        self.check(contenders)?;
        let text = self.text.clone().unwrap_or_default();
        let scrambler = settings.scrambles.then(|| Scrambler::new(&text, settings.seed));
        let id = id_of(&self.game);
        let (answers, said) = channel();
        thread::scope(|scope| {
            let mut seats = Vec::new();
            for (role, contender) in contenders.iter().enumerate() {
                let (asks, asked) = channel();
                let seat = Seat {
                    role,
                    contender,
                    start: Start {
                        id: id.clone(),
                        role: self.rules.roles()[role].clone(),
                        rules: text.clone(),
                        start_clock: settings.start_clock,
                        play_clock: settings.play_clock,
                    },
                    scrambler: scrambler.as_ref(),
                    seed: settings.seed.wrapping_add(role as u64 + 1),
                    stop,
                };
                let answers = answers.clone();
                scope.spawn(move || seat.run(&asked, &answers));
                seats.push(asks);
            }
            let players = contenders.iter().map(ToString::to_string).collect();
            let random = Pcg64Mcg::seed_from_u64(settings.seed);
            let (errors, states) = (Vec::new(), Vec::new());
            let course = Course {
                manager: self,
                settings,
                stop,
                seats,
                said,
                random,
                errors,
                states,
                asked: 0,
            };
            course.run(id, players, watch)
        })
    }

    fn check(&self, contenders: &[Contender]) -> Result<(), RefereeError> {
        let (roles, found) = (self.rules.roles(), contenders.len());
        if roles.len() != found {
            return Err(RefereeError::Players { roles: roles.join(" "), found });
        }
        let is_remote = |it: &Contender| matches!(it, Contender::Remote(_));
        let searches = |it: &Contender| matches!(it, Contender::Local(Contestant::Search { .. }));
        if self.text.is_none() && contenders.iter().any(is_remote) {
            return Err(RefereeError::Image { game: self.game.clone() });
        }
        if self.rules.game().is_none() && contenders.iter().any(searches) {
            return Err(RefereeError::Interpreted { game: self.game.clone() });
        }
        Ok(())
    }
}

/// A name for a match that no other has.
fn id_of(game: &str) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let name = game.rsplit('/').next().unwrap_or_default();
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("ruche.{name}.{}", now.as_micros())
}

/// A match under way.
struct Course<'a> {
    manager: &'a Manager,
    settings: &'a MatchSettings,
    stop: &'a Stop,
    seats: Vec<Sender<Ask>>,
    said: Receiver<Said>,
    random: Pcg64Mcg,
    errors: Vec<Fault>,
    states: Vec<Ply>,
    asked: u64,
}

impl Course<'_> {
    fn run(
        mut self,
        id: String,
        players: Vec<String>,
        watch: &mut dyn FnMut(&Ply),
    ) -> Result<MatchRecord, RefereeError> {
        let begin = Instant::now();
        self.start();
        let played = self.play(watch);
        let last = self.states.iter().rev().find_map(|ply| ply.joint.clone());
        let question = match played {
            Ok(End::Terminal | End::Stuck) => Question::Stop { last },
            _ => Question::Abort,
        };
        self.ask(&question, FAREWELL);
        let end = played?;
        let manager = self.manager;
        let goals = self.states.last().and_then(|ply| ply.goals.clone());
        let unknown = || manager.rules.roles().iter().map(|role| (role.clone(), None)).collect();
        Ok(MatchRecord {
            id,
            game: manager.game.clone(),
            roles: manager.rules.roles().to_vec(),
            players,
            start_clock: self.settings.start_clock.as_secs_f64(),
            play_clock: self.settings.play_clock.as_secs_f64(),
            seed: self.settings.seed,
            end,
            goals: goals.unwrap_or_else(unknown),
            errors: self.errors,
            seconds: begin.elapsed().as_secs_f64(),
            states: self.states,
        })
    }

    /// Asks all; what each has said in time.
    fn ask(&mut self, question: &Question, clock: Duration) -> Vec<Option<Said>> {
        self.asked += 1;
        let until = Instant::now() + clock;
        let ask = Ask { number: self.asked, question: question.clone(), until };
        for seat in &self.seats {
            // A seat that has failed says nothing, which is late.
            let _ = seat.send(ask.clone());
        }
        let mut answers: Vec<Option<Said>> = self.seats.iter().map(|_| None).collect();
        while answers.iter().any(Option::is_none) {
            let left = (until + LAST_MOMENT).saturating_duration_since(Instant::now());
            let Ok(said) = self.said.recv_timeout(left) else { break };
            if said.number == self.asked {
                let role = said.role;
                answers[role] = Some(said);
            }
        }
        answers
    }

    fn start(&mut self) {
        let answers = self.ask(&Question::Start, self.settings.start_clock);
        for (role, said) in answers.into_iter().enumerate() {
            let fault = match said.map(|said| said.answer) {
                Some(Ok(text)) if text.eq_ignore_ascii_case("ready") => continue,
                Some(Ok(text)) => (FaultKind::Unready, format!("it has answered: {text}")),
                Some(Err((FaultKind::Lost, what))) => (FaultKind::Lost, what),
                Some(Err((_, what))) => (FaultKind::Unready, what),
                None => (FaultKind::Unready, "no answer within the start clock".to_owned()),
            };
            self.note(None, role, fault);
        }
    }

    fn note(&mut self, ply: Option<u64>, role: usize, (kind, what): (FaultKind, String)) {
        let role = self.manager.rules.roles()[role].clone();
        let what: String = what.chars().take(300).collect();
        self.errors.push(Fault { ply, role, kind, what });
    }

    /// From the first move to the last.
    fn play(&mut self, watch: &mut dyn FnMut(&Ply)) -> Result<End, RulesError> {
        let mut position = self.manager.rules.initial(None)?;
        let mut last = None;
        for ply in 0.. {
            let end = self.end(&position, ply);
            let mut state = told(&position, ply);
            if end.is_none() {
                let (joint, times) = self.joint(&position, ply, last);
                (state.joint, state.times) = (Some(joint.clone()), times);
                last = Some(joint);
            }
            watch(&state);
            self.states.push(state);
            if let Some(end) = end {
                return Ok(end);
            }
            position = position.play(last.as_deref().unwrap_or_default(), None)?;
        }
        Ok(End::Endless)
    }

    fn end(&self, position: &Position, ply: u64) -> Option<End> {
        if position.is_terminal() {
            return Some(End::Terminal);
        }
        if position.stuck_role().is_some() {
            return Some(End::Stuck);
        }
        if self.stop.is_requested() {
            return Some(End::Stopped);
        }
        (ply >= self.settings.ply_limit).then_some(End::Endless)
    }

    /// The moves of all roles; where somebody has none, a random one.
    fn joint(
        &mut self,
        position: &Position,
        ply: u64,
        last: Option<Vec<String>>,
    ) -> (Vec<String>, Vec<f64>) {
        let question = Question::Play { last, position: position.clone() };
        let clock = self.settings.play_clock;
        let answers = self.ask(&question, clock);
        let mut times = Vec::new();
        let mut joint = Vec::new();
        for (role, said) in answers.into_iter().enumerate() {
            let time = said.as_ref().map_or(clock, |said| said.time);
            times.push((time.as_secs_f64() * 1e4).round() / 1e4);
            joint.push(match judged(position, role, said, clock) {
                Ok(text) => text,
                Err(fault) => {
                    self.note(Some(ply), role, fault);
                    let legal = position.legal(role);
                    legal[self.random.random_range(0..legal.len())].to_owned()
                }
            });
        }
        (joint, times)
    }
}

/// The legal move that somebody has played in time.
fn judged(
    position: &Position,
    role: usize,
    said: Option<Said>,
    clock: Duration,
) -> Result<String, (FaultKind, String)> {
    let said = said.ok_or((FaultKind::Late, "no move within the play clock".to_owned()))?;
    let text = said.answer?;
    if said.time > clock {
        return Err((FaultKind::Late, format!("{text}, after {:?}", said.time)));
    }
    let meant = position.meant(role, &text).map(str::to_owned);
    meant.ok_or_else(|| (FaultKind::Illegal, format!("`{text}` is not legal")))
}

/// What is written down of a state.
pub(crate) fn told(position: &Position, ply: u64) -> Ply {
    let texts = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let roles = || position.rules().roles().iter().cloned().enumerate();
    let is_over = position.is_terminal();
    let legal = |role: usize| {
        let mut legal = texts(position.legal(role));
        legal.sort();
        legal
    };
    let goals = position.goals().unwrap_or_default();
    let only = |role: usize| if let [goal] = goals[role][..] { Some(goal) } else { None };
    let several = |role: usize| goals[role].iter().map(ToString::to_string).collect();
    let unsound: BTreeMap<String, Vec<String>> = roles()
        .filter(|(role, _)| is_over && only(*role).is_none())
        .map(|(role, name)| (name, several(role)))
        .collect();
    Ply {
        playout: 0,
        ply,
        state: texts(position.fluents()),
        terminal: is_over,
        legal: (!is_over).then(|| roles().map(|(role, name)| (name, legal(role))).collect()),
        joint: None,
        times: Vec::new(),
        goals: is_over.then(|| roles().map(|(role, name)| (name, only(role))).collect()),
        goals_raw: Some(unsound).filter(|unsound| !unsound.is_empty()),
    }
}
