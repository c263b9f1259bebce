//! What those who answer messages and the one who thinks know of each other.

use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ruche_game::{Game, GameError};
use ruche_ggp::Start;
use ruche_rules::{Position, Rules, RulesError};
use ruche_search::Stop;

use crate::ledger::{Heard, Ledger};
use crate::pace::Pace;

/// What the one who thinks is told.
#[derive(Debug)]
pub(crate) enum Order {
    /// The rules are compiled, or cannot be.
    Compiled(Box<Result<Game, GameError>>),
    /// A move is needed.
    Think {
        /// In which turn.
        turn: usize,
        /// Until when.
        until: Instant,
    },
    /// The match is over.
    End,
}

/// A match, as all threads see it that have to do with it.
#[derive(Debug)]
pub(crate) struct Table {
    pub start: Start,
    inner: Mutex<Inner>,
    changed: Condvar,
    orders: Sender<Order>,
    /// Stops what is searched just now.
    stop: Mutex<Stop>,
    /// How long a manager may be silent beyond its clocks.
    patience: Duration,
}

#[derive(Debug)]
struct Inner {
    ledger: Option<Ledger>,
    is_ready: bool,
    is_over: bool,
    /// The best move so far, in which turn.
    suggestion: Option<(usize, String)>,
    /// When the manager was last heard.
    heard: Instant,
}

/// Moves that it may leave out before it is taken for lost.
const MISSED_MOVES: u32 = 10;

/// How long it may take to find out how a match has ended: its manager waits.
const LAST_LOOK: Duration = Duration::from_millis(500);

/// What is answered where nothing is known: most games have such a move.
const NOTHING: &str = "noop";

impl Table {
    pub fn new(start: Start, orders: Sender<Order>, patience: Duration) -> Self {
        let inner = Inner {
            ledger: None,
            is_ready: false,
            is_over: false,
            suggestion: None,
            heard: Instant::now(),
        };
        let (inner, stop) = (Mutex::new(inner), Mutex::default());
        Self { start, inner, changed: Condvar::new(), orders, stop, patience }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something is so, or the time is over.
    fn wait(&self, until: Instant, is_so: impl Fn(&Inner) -> bool) -> MutexGuard<'_, Inner> {
        let mut inner = self.inner();
        while !is_so(&inner) && !inner.is_over {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.changed.wait_timeout(inner, left);
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        inner
    }

    /// Tells the one who thinks, who stops what it does.
    pub fn order(&self, order: Order) {
        // Nobody listens any more if the match is over.
        let _ = self.orders.send(order);
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).request();
    }

    /// Stops what is searched from now on, when the next order comes. Orders that came
    /// before have to be looked for after this.
    pub fn next_stop(&self) -> Stop {
        let stop = Stop::default();
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner) = stop.clone();
        stop
    }

    /// The one who thinks can begin.
    pub fn set_ready(&self) {
        self.inner().is_ready = true;
        self.changed.notify_all();
    }

    /// Waits until the one who thinks can begin; whether it can.
    pub fn wait_ready(&self, until: Instant) -> bool {
        self.wait(until, |inner| inner.is_ready).is_ready
    }

    /// From now on these are the rules; the first time, for this role.
    ///
    /// # Errors
    /// If they say nothing about the position: those before are kept.
    pub fn set_rules(&self, rules: &Rules, until: Option<Instant>) -> Result<(), RulesError> {
        let mut inner = self.inner();
        match &mut inner.ledger {
            Some(ledger) => ledger.change_rules(rules)?,
            None => {
                let role = role_of(rules, &self.start.role).unwrap_or(usize::MAX);
                inner.ledger = Some(Ledger::new(rules.initial(until)?, role));
            }
        }
        self.changed.notify_all();
        Ok(())
    }

    pub fn has_rules(&self) -> bool {
        self.inner().ledger.is_some()
    }

    /// Whether the role of the match is one of the game; the roles that there are, if not.
    pub fn check_role(&self) -> Result<(), Vec<String>> {
        let inner = self.inner();
        let Some(ledger) = &inner.ledger else { return Ok(()) };
        let roles = ledger.position().rules().roles();
        if ledger.role() < roles.len() { Ok(()) } else { Err(roles.to_vec()) }
    }

    /// Our role and where the match stands, if it is known and in this turn.
    pub fn place(&self, turn: usize, until: Instant) -> Option<(usize, Position)> {
        let mut inner = self.inner();
        let ledger = inner.ledger.as_mut().filter(|ledger| ledger.turn() == turn)?;
        ledger.catch_up(until).ok()?;
        Some((ledger.role(), ledger.position().clone()))
    }

    /// Whether a move of this turn is still wanted.
    pub fn is_at(&self, turn: usize) -> bool {
        self.inner().ledger.as_ref().is_some_and(|ledger| ledger.turn() == turn)
    }

    /// The best move so far, should the time be over before there is an answer.
    pub fn suggest(&self, turn: usize, text: &str) {
        self.inner().suggestion = Some((turn, text.to_owned()));
    }

    /// The move of a turn.
    pub fn answer(&self, turn: usize, text: String) {
        let mut inner = self.inner();
        if let Some(ledger) = inner.ledger.as_mut().filter(|ledger| ledger.turn() == turn) {
            ledger.set_answer(text);
        }
        self.changed.notify_all();
    }

    /// Hears the last moves and waits for the next one, as long as the clock allows.
    pub fn play(&self, moves: Option<&[String]>, arrived: Instant, pace: &Pace) -> Played {
        let clock = self.start.play_clock;
        let margin = pace.margin(clock);
        let (until, last) = (arrived + clock - margin, arrived + clock - margin / 2);
        let mut inner = self.wait(until, |inner| inner.ledger.is_some());
        inner.heard = Instant::now();
        let Some(ledger) = &mut inner.ledger else {
            return Played { text: NOTHING.to_owned(), heard: Heard::Odd, is_late: true };
        };
        let heard = ledger.hear(moves, until);
        let turn = ledger.turn();
        if let Heard::New { is_replaced } = heard {
            if is_replaced {
                pace.replaced();
            }
            inner.suggestion = None;
            self.order(Order::Think { turn, until });
        } else if heard == Heard::Odd && ledger.answer().is_none() {
            self.order(Order::Think { turn, until });
        }
        self.answer_without_choice(&mut inner);
        drop(inner);
        let is_answered = |inner: &Inner| {
            let ledger = inner.ledger.as_ref();
            ledger.is_none_or(|ledger| ledger.turn() != turn || ledger.answer().is_some())
        };
        let mut inner = self.wait(last, is_answered);
        pace.woken(Instant::now().saturating_duration_since(last));
        let suggestion = inner.suggestion.take().filter(|(of, _)| *of == turn);
        let Some(ledger) = &mut inner.ledger else {
            return Played { text: NOTHING.to_owned(), heard, is_late: true };
        };
        let is_late = ledger.answer().is_none();
        let fallback = || suggestion.map(|(_, text)| text);
        let text = match ledger.answer() {
            Some(text) => text.to_owned(),
            None => fallback().unwrap_or_else(|| first_legal(ledger)),
        };
        if ledger.turn() == turn {
            ledger.set_answer(text.clone());
        }
        Played { text, heard, is_late }
    }

    /// Whoever has no choice need not think.
    fn answer_without_choice(&self, inner: &mut Inner) {
        let Some(ledger) = inner.ledger.as_mut().filter(|ledger| ledger.is_current()) else {
            return;
        };
        let (role, position) = (ledger.role(), ledger.position());
        if role < position.rules().roles().len()
            && let [only] = position.legal(role)[..]
        {
            let only = only.to_owned();
            ledger.set_answer(only);
        }
    }

    /// Hears the last moves; the goals, if the game is over with them.
    pub fn finish(&self, moves: Option<&[String]>) -> Option<(usize, Vec<Vec<u16>>)> {
        let mut inner = self.inner();
        let ledger = inner.ledger.as_mut();
        let goals = ledger.and_then(|ledger| {
            ledger.hear(moves, Instant::now() + LAST_LOOK);
            Some((ledger.role(), ledger.position().goals()?))
        });
        inner.is_over = true;
        drop(inner);
        self.end();
        goals
    }

    /// The match is over, for whatever reason.
    pub fn end(&self) {
        self.inner().is_over = true;
        self.changed.notify_all();
        self.order(Order::End);
    }

    pub fn is_over(&self) -> bool {
        self.inner().is_over
    }

    /// When the manager is taken for lost, if it says nothing until then.
    pub fn patience(&self) -> Instant {
        let clocks = self.start.start_clock + self.start.play_clock * MISSED_MOVES;
        self.inner().heard + clocks + self.patience
    }
}

/// What was answered, and how it came about.
pub(crate) struct Played {
    pub text: String,
    pub heard: Heard,
    /// Whether whoever thinks had nothing to say in time.
    pub is_late: bool,
}

fn first_legal(ledger: &Ledger) -> String {
    let legal = match ledger.role() < ledger.position().rules().roles().len() {
        true => ledger.position().legal(ledger.role()),
        false => Vec::new(),
    };
    legal.first().map_or(NOTHING, |text| text).to_owned()
}

/// The role of a name: as it is written, or else the only one in other capitals.
fn role_of(rules: &Rules, name: &str) -> Option<usize> {
    let roles = rules.roles();
    let mut alike = (0..roles.len()).filter(|role| roles[*role].eq_ignore_ascii_case(name));
    let exact = roles.iter().position(|role| role == name);
    exact.or_else(|| alike.next().filter(|_| alike.next().is_none()))
}
