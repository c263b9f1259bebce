//! A naive GDL interpreter, the yardstick of the tests. It shares nothing with
//! the compiler but the parser: the rules are evaluated bottom-up, clause by
//! clause, until nothing new follows, for every state anew.
//!
//! Any description that is safe and stratified once its variables are replaced
//! has its standard meaning here. Of what is not stratified nothing holds.

mod clause;
mod database;
mod program;
mod terms;

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use ruche_gdl::{Description, Place, Symbol};

use database::Database;
use program::{Program, Relation};
use terms::Terms;
pub use terms::Value;

/// Why a description cannot be interpreted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Error {
    /// A variable of the rule is bound by no positive condition.
    Unsafe(Place),
    /// The `or`s of the rule multiply to too many conjunctions.
    TooManyBranches(Place),
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (place, what) = match self {
            Error::Unsafe(place) => (place, "has a variable that nothing binds"),
            Error::TooManyBranches(place) => (place, "has too many branches"),
        };
        write!(formatter, "the rule in line {} {what}", place.line)
    }
}

impl std::error::Error for Error {}

/// The fluents that are true.
pub type State = BTreeSet<Value>;

/// A game that can be played.
pub struct Interpreter {
    program: Program,
    terms: RefCell<Terms>,
    keywords: Keywords,
    /// What holds in every state.
    constant: Database,
    /// For each component whether it is part of `constant`.
    is_constant: Vec<bool>,
    roles: Vec<Value>,
}

/// The relations with a meaning of their own, as far as they are mentioned.
struct Keywords {
    role: Option<Relation>,
    init: Option<Relation>,
    fluent: Option<Relation>,
    does: Option<Relation>,
    legal: Option<Relation>,
    next: Option<Relation>,
    goal: Option<Relation>,
    terminal: Option<Relation>,
}

impl Keywords {
    fn new(program: &Program) -> Self {
        Keywords {
            role: program.relation(Symbol::ROLE, 1),
            init: program.relation(Symbol::INIT, 1),
            fluent: program.relation(Symbol::TRUE, 1),
            does: program.relation(Symbol::DOES, 2),
            legal: program.relation(Symbol::LEGAL, 2),
            next: program.relation(Symbol::NEXT, 1),
            goal: program.relation(Symbol::GOAL, 2),
            terminal: program.relation(Symbol::TERMINAL, 0),
        }
    }

    fn asked_for(&self) -> [Option<Relation>; 6] {
        [self.role, self.init, self.legal, self.next, self.goal, self.terminal]
    }
}

impl Interpreter {
    /// Takes a parsed description.
    ///
    /// # Errors
    /// When a rule is not safe.
    pub fn new(description: &Description) -> Result<Self, Error> {
        let mut terms = Terms::new(description.symbols.clone());
        let program = Program::new(description, &mut terms)?;
        let keywords = Keywords::new(&program);
        let changing = program.depending_on(&[keywords.fluent, keywords.does]);
        let constant = |component: &program::Component| {
            component.relations.iter().all(|relation| !changing[*relation])
        };
        let is_constant = program.components.iter().map(constant).collect();
        let empty = Database::new(&program);
        let terms = RefCell::new(terms);
        let roles = Vec::new();
        let mut game =
            Interpreter { program, terms, keywords, constant: empty, is_constant, roles };
        game.derive_constants();
        game.roles = column(&game.constant, game.keywords.role, 0).collect();
        Ok(game)
    }

    fn derive_constants(&mut self) {
        let mut database = self.constant.clone();
        for number in self.program.needed_for(&self.keywords.asked_for()) {
            if self.is_constant[number] {
                let component = &self.program.components[number];
                database.complete(component, &mut self.terms.borrow_mut());
            }
        }
        self.constant = database;
    }

    /// The roles in the order of the description.
    pub fn roles(&self) -> &[Value] {
        &self.roles
    }

    /// The state in which the game begins.
    pub fn initial(&self) -> State {
        column(&self.constant, self.keywords.init, 0).collect()
    }

    /// A look at a state.
    pub fn position(&self, state: &State) -> Position<'_> {
        let mut database = self.constant.clone();
        if let Some(fluent) = self.keywords.fluent {
            for value in state {
                database.insert(fluent, [*value].into());
            }
        }
        Position { game: self, database, complete: self.is_constant.clone() }
    }

    /// The legal moves of a role, sorted.
    pub fn legal(&self, state: &State, role: Value) -> Vec<Value> {
        self.position(state).legal(role)
    }

    /// The state after these moves, one for each role in order.
    pub fn next(&self, state: &State, moves: &[Value]) -> State {
        self.position(state).next(moves)
    }

    /// Whether the game is over.
    pub fn terminal(&self, state: &State) -> bool {
        self.position(state).terminal()
    }

    /// The goal values of a role, sorted; in a good game there is one.
    pub fn goals(&self, state: &State, role: Value) -> Vec<Value> {
        self.position(state).goals(role)
    }

    /// The text of a term, with single spaces.
    pub fn text(&self, value: Value) -> String {
        self.terms.borrow().text(value)
    }

    /// The texts of terms, sorted.
    pub fn texts(&self, values: impl IntoIterator<Item = Value>) -> Vec<String> {
        let mut texts: Vec<String> = values.into_iter().map(|value| self.text(value)).collect();
        texts.sort();
        texts
    }

    /// The ground term with this text, if it is one.
    pub fn read(&self, text: &str) -> Option<Value> {
        self.terms.borrow_mut().read(text)
    }
}

/// A state with all that was derived from it so far.
#[derive(Clone)]
pub struct Position<'a> {
    game: &'a Interpreter,
    database: Database,
    complete: Vec<bool>,
}

impl Position<'_> {
    /// The legal moves of a role, sorted.
    pub fn legal(&mut self, role: Value) -> Vec<Value> {
        self.values_of(self.game.keywords.legal, role)
    }

    /// The goal values of a role, sorted.
    pub fn goals(&mut self, role: Value) -> Vec<Value> {
        self.values_of(self.game.keywords.goal, role)
    }

    /// Whether the game is over.
    pub fn terminal(&mut self) -> bool {
        let terminal = self.game.keywords.terminal;
        self.derive(terminal);
        terminal.is_some_and(|relation| self.database.rows(relation).next().is_some())
    }

    /// The state after these moves, one for each role in order.
    pub fn next(&self, moves: &[Value]) -> State {
        let mut after = self.clone();
        if let Some(does) = self.game.keywords.does {
            for (role, played) in self.game.roles.iter().zip(moves) {
                after.database.insert(does, [*role, *played].into());
            }
        }
        after.derive(self.game.keywords.next);
        column(&after.database, self.game.keywords.next, 0).collect()
    }

    fn values_of(&mut self, relation: Option<Relation>, role: Value) -> Vec<Value> {
        self.derive(relation);
        let rows = relation.into_iter().flat_map(|relation| self.database.rows(relation));
        let mut values: Vec<Value> = rows.filter(|row| row[0] == role).map(|row| row[1]).collect();
        values.sort();
        values
    }

    fn derive(&mut self, target: Option<Relation>) {
        for number in self.game.program.needed_for(&[target]) {
            if !self.complete[number] {
                let component = &self.game.program.components[number];
                self.database.complete(component, &mut self.game.terms.borrow_mut());
                self.complete[number] = true;
            }
        }
    }
}

fn column(
    database: &Database,
    relation: Option<Relation>,
    at: usize,
) -> impl Iterator<Item = Value> {
    relation.into_iter().flat_map(|relation| database.rows(relation)).map(move |row| row[at])
}
