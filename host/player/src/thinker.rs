//! What is done with the time: thinking when it is asked for, and on the others' time.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use ruche_game::{Game, GameError};
use ruche_rules::{Position, Rules};
use ruche_search::SearchError;

use crate::guessing::Guessing;
use crate::pace::Pace;
use crate::searching::Searching;
use crate::settings::PlayerSettings;
use crate::table::{Order, Table};

/// Thinks for one match, on a thread of its own.
pub(crate) struct Thinker {
    pub table: Arc<Table>,
    pub orders: Receiver<Order>,
    pub settings: PlayerSettings,
    pub pace: Arc<Pace>,
    searching: Option<Searching>,
    /// What nobody searches just now: clusters may be lost, and others there.
    lost: Option<Game>,
    guessing: Option<Guessing>,
}

/// How long to think ahead until looking how large the tree has become.
const GLANCE: Duration = Duration::from_millis(500);
/// The part of the play clock that it may take to move the root.
const ROOT_SHARE: f64 = 0.15;
/// Moves of thinking ahead for a manager that says nothing.
const MOST_PONDERED: u32 = 3;

impl Thinker {
    pub fn new(
        table: Arc<Table>,
        orders: Receiver<Order>,
        settings: PlayerSettings,
        pace: Arc<Pace>,
    ) -> Self {
        Self { table, orders, settings, pace, searching: None, lost: None, guessing: None }
    }

    /// Until the match is over, or its manager is lost.
    pub fn run(mut self) {
        while let Some(order) = self.next() {
            match order {
                Order::Compiled(result) => self.compiled(*result),
                Order::Think { turn, until } => self.think(turn, until),
                Order::End => return,
            }
        }
        (self.settings.tell)("the manager says nothing any more: the match is given up");
        self.table.end();
    }

    /// The next order; nothing if there will be none. Meanwhile it thinks ahead.
    fn next(&mut self) -> Option<Order> {
        let mut pondered = Duration::ZERO;
        let longest = self.table.start.play_clock.mul_f64(ROOT_SHARE);
        let most = self.table.start.start_clock + self.table.start.play_clock * MOST_PONDERED;
        loop {
            let stop = self.table.next_stop();
            match self.orders.try_recv() {
                Ok(order) => return Some(order),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => {}
            }
            let ponders = self.settings.ponders && pondered < most;
            let searching = self.searching.as_mut().filter(|_| ponders);
            let searching = searching.filter(|searching| searching.is_worth_it(longest));
            let Some(searching) = searching else { break };
            let start = Instant::now();
            if let Err(error) = searching.ponder(GLANCE.min(most), &stop) {
                self.lose(&error);
            }
            pondered += start.elapsed();
        }
        loop {
            let left = self.table.patience().saturating_duration_since(Instant::now());
            match self.orders.recv_timeout(left) {
                Ok(order) => return Some(order),
                Err(RecvTimeoutError::Disconnected) => return None,
                // Somebody may have been heard meanwhile.
                Err(RecvTimeoutError::Timeout) if left.is_zero() => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn compiled(&mut self, result: Result<Game, GameError>) {
        match result {
            Ok(game) => self.begin(&game),
            Err(error) => (self.settings.tell)(&format!(
                "{error}\nthe rules are interpreted instead: slower, but legal"
            )),
        }
        self.table.set_ready();
    }

    /// Begins to search, where the match stands.
    fn begin(&mut self, game: &Game) {
        let tell = Arc::clone(&self.settings.tell);
        let is_late = self.table.has_rules();
        if let Err(error) = self.table.set_rules(&Rules::compiled(game.clone()), None) {
            return tell(&format!("the compiled rules disagree: {error}"));
        }
        if is_late {
            tell("the rules are compiled by now: the search goes on from here");
        }
        self.lost = Some(game.clone());
        self.begin_again();
    }

    /// The search has failed; the next move begins another.
    fn lose(&mut self, error: &SearchError) {
        (self.settings.tell)(&format!("the search has failed: {error}"));
        self.lost = self.searching.take().map(|searching| searching.game().clone());
    }

    /// Begins to search what nobody does. The next move tries again what has failed.
    fn begin_again(&mut self) {
        let Some(game) = self.lost.take() else { return };
        match Searching::new(&game, &self.settings) {
            Ok(searching) => {
                self.searching = Some(searching);
                if let Some(parts) = self.settings.search.options().parts_in_use(&game) {
                    (self.settings.tell)(&format!("games inside the game: {parts}"));
                }
            }
            Err(error) => {
                (self.settings.tell)(&format!("nobody can search this game now: {error}"));
                self.lost = Some(game);
            }
        }
    }

    fn think(&mut self, turn: usize, until: Instant) {
        self.begin_again();
        let Some((role, position)) = self.table.place(turn, until) else {
            // Who had no choice was answered for at once, and the match may have gone on.
            if self.table.is_at(turn) {
                (self.settings.tell)("there was no time to find out what is legal");
            }
            return;
        };
        if position.is_terminal() || position.rules().roles().len() <= role {
            return;
        }
        let text = self.search(turn, (role, &position), until);
        let text = text.or_else(|| self.guess(turn, (role, &position), until));
        let text = text.or_else(|| position.legal(role).first().map(|text| (*text).to_owned()));
        if let Some(text) = text {
            self.pace.answered(Instant::now().saturating_duration_since(until));
            self.table.answer(turn, text.clone());
            self.tell_of(turn, &text);
            self.look_ahead(role, &text);
        }
    }

    /// Says how much of what a move is based on was known before it was asked for.
    fn tell_of(&mut self, turn: usize, text: &str) {
        let thought = self.searching.as_mut().and_then(Searching::take_thought);
        let Some(thought) = thought else { return };
        let share = 100.0 * thought.known as f64 / thought.playouts.max(1) as f64;
        let (id, move_number) = (&self.table.start.id, turn + 1);
        let came = if thought.is_expected { "expected" } else { "unexpected" };
        (self.settings.tell)(&format!(
            "{id}: move {move_number}, {text}: {} playouts, {share:.0} % of them from before, \
             position {came}",
            thought.playouts
        ));
    }

    /// Goes to where the match will be, if that is known already: the root is moved on the
    /// others' time.
    fn look_ahead(&mut self, role: usize, text: &str) {
        let Some(searching) = self.searching.as_mut().filter(|_| self.settings.ponders) else {
            return;
        };
        let number = searching.game().names().find_move(role, text);
        let next = number.and_then(|number| searching.follower(role, number as u32));
        if let Some(next) = next
            && let Err(error) = searching.set_position(&next)
        {
            self.lose(&error);
        }
    }

    /// What the search says, where there is one.
    fn search(
        &mut self,
        turn: usize,
        (role, position): (usize, &Position),
        until: Instant,
    ) -> Option<String> {
        let (state, stop) = (position.state()?, self.table.next_stop());
        let searching = self.searching.as_mut().filter(|known| known.game().is(state.game()))?;
        let names = state.game().names().moves(role);
        let table = Arc::clone(&self.table);
        let mut tell = |number: u32| table.suggest(turn, &names[number as usize]);
        if let Some(number) = searching.expected(state, role) {
            tell(number);
        }
        let found = searching
            .set_position(state)
            .and_then(|()| searching.think(role, until, &stop, &mut tell));
        match found {
            Ok(number) => number.map(|number| names[number as usize].clone()),
            Err(error) => {
                self.lose(&error);
                let best = error.report().and_then(|report| report.best.as_ref());
                best.map(|best| names[best[role] as usize].clone())
            }
        }
    }

    /// What random games by interpretation say.
    fn guess(
        &mut self,
        turn: usize,
        (role, position): (usize, &Position),
        until: Instant,
    ) -> Option<String> {
        let interpreter = position.rules().interpreter()?;
        if self.guessing.is_none() {
            self.guessing = Guessing::new(interpreter).ok();
        }
        let table = Arc::clone(&self.table);
        let mut tell = |text: &str| table.suggest(turn, text);
        self.guessing.as_mut()?.think(position, role, until, &mut tell)
    }
}
