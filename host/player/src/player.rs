//! What is answered to which message.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ruche_game::Game;
use ruche_ggp::kif::plain;
use ruche_ggp::{Message, Request, Start, Status};
use ruche_rules::Rules;
use ruche_rules::interpreter::STACK;

use crate::kiln::Kiln;
use crate::ledger::Heard;
use crate::pace::Pace;
use crate::settings::PlayerSettings;
use crate::table::{Order, Played, Table};
use crate::thinker::Thinker;

/// A player: one match at a time, whatever managers say.
#[derive(Debug)]
pub struct Player {
    settings: PlayerSettings,
    table: Mutex<Option<Arc<Table>>>,
    kiln: Arc<Kiln>,
    pace: Arc<Pace>,
}

const READY: &str = "ready";
const DONE: &str = "done";

/// The part of the start clock that is kept for interpretation, should compiling take
/// longer; at most a second.
const RESERVE: f64 = 0.25;

impl Player {
    /// A player that is available.
    #[must_use]
    pub fn new(settings: PlayerSettings) -> Self {
        let (kiln, pace) = (Arc::default(), Arc::default());
        Self { settings, table: Mutex::default(), kiln, pace }
    }

    /// The answer to a message that has just come.
    #[must_use]
    pub fn answer_now(&self, text: &str) -> String {
        self.answer(&Request { text: text.to_owned(), arrived: Instant::now() })
    }

    /// The answer to a message.
    #[must_use]
    pub fn answer(&self, request: &Request) -> String {
        self.pace.received(request.arrived.elapsed());
        match Message::parse(&request.text) {
            Ok(message) => self.reply(message, request.arrived),
            Err(error) => format!("not understood: {error}"),
        }
    }

    fn reply(&self, message: Message, arrived: Instant) -> String {
        match message {
            Message::Info => self.status().to_string(),
            Message::Preview { rules, .. } => self.preview(&rules),
            Message::Start(start) => self.start(start, arrived),
            Message::Play { id, moves } => match self.of(&id) {
                Some(table) => self.play(&table, moves.as_deref(), arrived),
                None => Status::Busy.to_string(),
            },
            Message::Stop { id, moves } => {
                if let Some(table) = self.of(&id) {
                    self.finish(&table, moves.as_deref());
                }
                DONE.to_owned()
            }
            Message::Abort { id } => {
                if let Some(table) = self.of(&id) {
                    self.tell(&format!("{id}: aborted"));
                    table.end();
                }
                DONE.to_owned()
            }
        }
    }

    /// Ends what is played.
    pub fn close(&self) {
        if let Some(table) = self.table().take() {
            table.end();
        }
    }

    fn tell(&self, text: &str) {
        (self.settings.tell)(text);
    }

    fn table(&self) -> MutexGuard<'_, Option<Arc<Table>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The match that is played, if it is this one.
    fn of(&self, id: &str) -> Option<Arc<Table>> {
        let table = self.table().clone();
        table.filter(|table| table.start.id == id && !table.is_over())
    }

    fn status(&self) -> Status {
        match self.table().as_ref().is_some_and(|table| !table.is_over()) {
            true => Status::Busy,
            false => Status::Available,
        }
    }

    /// Compiles ahead: the match will find the game.
    fn preview(&self, rules: &str) -> String {
        if self.status() == Status::Busy {
            return Status::Busy.to_string();
        }
        let (kiln, rules) = (Arc::clone(&self.kiln), plain(rules));
        let work = move || drop(kiln.compile(&rules, || true));
        // Without a thread it is compiled when the match begins.
        let _ = thread::Builder::new().name("compiler".to_owned()).spawn(work);
        READY.to_owned()
    }

    fn start(&self, start: Start, arrived: Instant) -> String {
        let table = match self.sit_down(&start) {
            Ok(Seat::Same(table)) => table,
            Ok(Seat::New(table)) => {
                self.tell(&format!("{}: playing {}", start.id, start.role));
                table
            }
            Ok(Seat::Taken) => return Status::Busy.to_string(),
            Err(error) => {
                self.tell(&format!("{}: {error}", start.id));
                return format!("these rules cannot be played: {error}");
            }
        };
        let until = arrived + start.start_clock - self.pace.margin(start.start_clock);
        let reserve = start.start_clock.mul_f64(RESERVE).min(Duration::from_secs(1));
        let is_ready = table.wait_ready(until - reserve.min(until - arrived));
        if !table.has_rules() && !table.is_over() {
            self.interpret(&table, until);
        }
        if !is_ready {
            self.tell(&format!("{}: still compiling when the clock ends", start.id));
        }
        match table.check_role() {
            Ok(()) => READY.to_owned(),
            Err(roles) => {
                table.end();
                format!("there is no role {}, but {}", start.role, roles.join(" "))
            }
        }
    }

    /// A place at the table, if it is free.
    fn sit_down(&self, start: &Start) -> Result<Seat, String> {
        let mut seat = self.table();
        if let Some(table) = seat.as_ref().filter(|table| !table.is_over()) {
            return Ok(match table.start == *start {
                true => Seat::Same(Arc::clone(table)),
                false => Seat::Taken,
            });
        }
        let rules = plain(&start.rules);
        Game::describe(&start.id, rules.as_bytes()).map_err(|error| error.to_string())?;
        let (orders, received) = channel();
        let table = Arc::new(Table::new(start.clone(), orders, self.settings.patience));
        self.spawn(&table, rules, received).map_err(|error| format!("no threads: {error}"))?;
        *seat = Some(Arc::clone(&table));
        Ok(Seat::New(table))
    }

    /// The threads of a match: one compiles, one thinks.
    fn spawn(
        &self,
        table: &Arc<Table>,
        rules: String,
        orders: std::sync::mpsc::Receiver<Order>,
    ) -> std::io::Result<()> {
        let (settings, pace) = (self.settings.clone(), Arc::clone(&self.pace));
        let thinker_table = Arc::clone(table);
        let think = move || Thinker::new(thinker_table, orders, settings, pace).run();
        // It may have to interpret rules.
        thread::Builder::new().name("thinker".to_owned()).stack_size(STACK).spawn(think)?;
        let (kiln, table) = (Arc::clone(&self.kiln), Arc::clone(table));
        let compile = move || {
            if let Some(result) = kiln.compile(&rules, || !table.is_over()) {
                table.order(Order::Compiled(Box::new(result)));
            }
        };
        thread::Builder::new().name("compiler".to_owned()).spawn(compile)?;
        Ok(())
    }

    /// Goes on without a compiled game.
    fn interpret(&self, table: &Table, until: Instant) {
        let rules = plain(&table.start.rules);
        let rules = Game::describe(&table.start.id, rules.as_bytes()).map_err(Into::into);
        let told = rules.and_then(|rules| Rules::interpreted(&rules));
        let told = told.and_then(|rules| table.set_rules(&rules, Some(until)));
        let id = &table.start.id;
        self.tell(&match told {
            Ok(()) => format!("{id}: the rules are interpreted for now"),
            Err(error) => format!("{id}: nothing is known of the game yet: {error}"),
        });
    }

    fn play(&self, table: &Table, moves: Option<&[String]>, arrived: Instant) -> String {
        let Played { text, heard, is_late } = table.play(moves, arrived, &self.pace);
        let id = &table.start.id;
        match heard {
            Heard::New { is_replaced: true } => {
                self.tell(&format!("{id}: the manager has played another move for us"));
            }
            Heard::Odd => self.tell(&format!("{id}: moves that are not legal were ignored")),
            _ => {}
        }
        if is_late {
            self.tell(&format!("{id}: answered {text} before the search was done"));
        }
        text
    }

    fn finish(&self, table: &Table, moves: Option<&[String]>) {
        let id = &table.start.id;
        self.tell(&match table.finish(moves) {
            Some((role, goals)) => {
                let goals: Vec<String> = goals.iter().map(|goals| format!("{goals:?}")).collect();
                format!("{id}: over, goals {}, ours is number {}", goals.join(" "), role + 1)
            }
            None => format!("{id}: over"),
        });
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.close();
    }
}

enum Seat {
    New(Arc<Table>),
    Same(Arc<Table>),
    Taken,
}
