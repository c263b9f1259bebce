//! From what people call a game to an image with its names.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use ruche_compiler::symbols::SymbolError;
use ruche_compiler::{Options, Report, SymbolTable};
use ruche_decompose::{Decomposition, ImpartialSum};
use ruche_gdl::{Description, Diagnostic};
use ruche_shared::image::{Code, Image, MAGIC, Section};
use self_cell::self_cell;

use crate::error::{GameError, MovesError, StateError};
use crate::focus::PutOff;
use crate::inside;
use crate::moves;
use crate::names::Names;
use crate::state::State;
use crate::tactics::{self, PlayoutPolicy};

/// Files that are longer are not read: nothing that long is a game.
pub(crate) const LONGEST_FILE: u64 = 256 << 20;

/// Stands for a game that comes on standard input.
const STANDARD_INPUT: &str = "-";

self_cell! {
    /// An image with the bytes that it borrows: the image and behind it the symbol part,
    /// in words, so that it is aligned.
    struct OwnedImage {
        owner: Box<[u32]>,

        #[covariant]
        dependent: Image,
    }
}

/// A game: its circuit, its names, and what is known about both. Clones are the same
/// game and cost a counter.
#[derive(Clone)]
pub struct Game(Arc<Parts>);

struct Parts {
    name: String,
    image: OwnedImage,
    /// Bytes of image and symbol part.
    length: usize,
    names: Names,
    has_names: bool,
    report: Report,
    is_compiled: bool,
    warnings: Vec<String>,
    /// The rules, if it comes from rules.
    rules: Option<Box<[u8]>>,
    /// The same game for playouts that see ahead, once somebody has asked for it.
    tactical: OnceLock<Option<Game>>,
    /// The same game for playouts that leave parts of it alone, and what they leave alone.
    focused: OnceLock<Option<(Game, PutOff)>>,
    /// The games inside of it, once somebody has asked for them.
    parts: OnceLock<Option<Decomposition>>,
    impartial_sum: OnceLock<Option<ImpartialSum>>,
}

impl Game {
    /// A bundled game, a description in a file or an image in a file.
    ///
    /// # Errors
    /// If there is none, or it is wrong.
    pub fn load(name: &str) -> Result<Self, GameError> {
        let bytes = Self::source(name)?;
        match bytes.starts_with(&MAGIC) {
            true => Self::of_image(name, &bytes),
            false => Self::compile(name, &bytes),
        }
    }

    /// A game that comes with Ruche.
    ///
    /// # Errors
    /// If there is none of this name; the error lists those that there are.
    pub fn bundled(name: &str) -> Result<Self, GameError> {
        let game = ruche_games::find(name);
        let game = game.ok_or_else(|| GameError::Unknown { name: name.to_owned() })?;
        Self::compile(name, game.source.as_bytes())
    }

    /// What stands behind a name: the text of a bundled game, or the bytes of a file; what
    /// comes on standard input for `-`.
    ///
    /// # Errors
    /// If there is neither.
    pub fn source(name: &str) -> Result<Vec<u8>, GameError> {
        match ruche_games::find(name) {
            Some(game) => Ok(game.source.as_bytes().to_vec()),
            None => read(name),
        }
    }

    /// The checked description that a text in GDL is, for whoever looks at rules or at
    /// stages of their compilation.
    ///
    /// # Errors
    /// If it is no sound description; the error tells every finding with its place.
    pub fn describe(name: &str, source: &[u8]) -> Result<Description, GameError> {
        describe(name, source).map(|(description, _)| description)
    }

    /// Compiles a description in GDL. The name is for messages.
    ///
    /// # Errors
    /// If it is no sound game; the error tells every finding with its place.
    pub fn compile(name: &str, source: &[u8]) -> Result<Self, GameError> {
        let (description, findings) = describe(name, source)?;
        let compiled = ruche_compiler::compile(&description, &Options::default())
            .map_err(|source| GameError::Compile { file: name.to_owned(), source })?;
        let findings = findings.iter().map(|finding| finding.render(name, source));
        let odd = compiled.warnings.iter().map(|warning| format!("{name}: warning: {warning}\n"));
        let warnings = findings.chain(odd).collect();
        let rules = Some(source.into());
        Self::new(name, &compiled.file, Some(compiled.report), warnings, rules)
    }

    /// A game from the bytes of an image, with or without the symbol part behind it. What
    /// has no names is called by its number. The name is for messages.
    ///
    /// # Errors
    /// If the bytes are damaged or of another version.
    pub fn of_image(name: &str, bytes: &[u8]) -> Result<Self, GameError> {
        Self::new(name, bytes, None, Vec::new(), None)
    }

    /// The game that playouts by this policy are played in: the same positions, moves, ends
    /// and goals, but with `tactical` fewer moves are legal. It is this game itself where
    /// there is nothing to be seen ahead.
    #[must_use]
    pub fn for_playouts(&self, policy: PlayoutPolicy) -> Self {
        match policy {
            PlayoutPolicy::Uniform => self.clone(),
            PlayoutPolicy::Tactical => {
                let tactical = self.0.tactical.get_or_init(|| tactics::compile(self));
                tactical.as_ref().unwrap_or(self).clone()
            }
        }
    }

    /// As [`for_playouts`](Self::for_playouts), if tactical playouts may leave parts of the
    /// game alone: moves of a part that the rules prove, or moves that change no part, are
    /// only legal where their role has no other one, if all roles did better so in random
    /// games ([`put_off`](Self::put_off)).
    #[must_use]
    pub fn for_focused_playouts(&self, policy: PlayoutPolicy) -> Self {
        match (policy, self.focused()) {
            (PlayoutPolicy::Tactical, Some((focused, _))) => focused.clone(),
            _ => self.for_playouts(policy),
        }
    }

    /// The moves that focused playouts put off, if there are any.
    #[must_use]
    pub fn put_off(&self) -> Option<&PutOff> {
        self.focused().map(|(_, put_off)| put_off)
    }

    fn focused(&self) -> Option<&(Self, PutOff)> {
        let find = || {
            let put_off = inside::put_off(self)?;
            Some((tactics::compile_focused(self, put_off.moves())?, put_off))
        };
        self.0.focused.get_or_init(find).as_ref()
    }

    /// The games inside of it, by its rules; nothing if it comes without rules, or is so
    /// large that it would take long to find out.
    #[must_use]
    pub fn parts(&self) -> Option<&Decomposition> {
        self.0.parts.get_or_init(|| inside::parts(self)).as_ref()
    }

    /// The sum of impartial games that it is proved to be, if it is one.
    #[must_use]
    pub fn impartial_sum(&self) -> Option<&ImpartialSum> {
        self.0.impartial_sum.get_or_init(|| inside::impartial_sum(self)).as_ref()
    }

    /// What its rules say, if it comes with them.
    #[must_use]
    pub fn description(&self) -> Option<Description> {
        Self::describe(self.name(), self.rules()?).ok()
    }

    /// The rules that it was compiled from.
    pub(crate) fn rules(&self) -> Option<&[u8]> {
        self.0.rules.as_deref()
    }

    fn new(
        name: &str,
        bytes: &[u8],
        report: Option<Report>,
        warnings: Vec<String>,
        rules: Option<Box<[u8]>>,
    ) -> Result<Self, GameError> {
        let file = || name.to_owned();
        let owner: Vec<u32> = bytemuck::pod_collect_to_vec(bytes);
        let image = OwnedImage::try_new(owner.into_boxed_slice(), |words| {
            Image::parse(&bytemuck::cast_slice(words)[..bytes.len()])
        });
        let image = image.map_err(|source| GameError::Image { file: file(), source })?;
        let parsed = image.borrow_dependent();
        let table = match SymbolTable::parse(&bytes[parsed.length()..]) {
            Err(SymbolError::Missing) => None,
            table => Some(table.map_err(|source| GameError::Symbols { file: file(), source })?),
        };
        let has_names = table.is_some();
        let table = table.unwrap_or_else(|| Names::numbers(parsed));
        let names = Names::new(parsed, table)
            .map_err(|source| GameError::Names { file: file(), source })?;
        let is_compiled = report.is_some();
        let report = report.unwrap_or_else(|| report_of(parsed));
        let (name, length) = (file(), bytes.len());
        let tactical = OnceLock::new();
        let parts = Parts {
            name,
            image,
            length,
            names,
            has_names,
            report,
            is_compiled,
            warnings,
            rules,
            tactical,
            focused: OnceLock::new(),
            parts: OnceLock::new(),
            impartial_sum: OnceLock::new(),
        };
        Ok(Self(Arc::new(parts)))
    }

    /// The name or path that it was found under.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Its circuit.
    #[must_use]
    pub fn image(&self) -> &Image<'_> {
        self.0.image.borrow_dependent()
    }

    /// The bytes of the image, without names: what clusters are sent.
    #[must_use]
    pub fn image_bytes(&self) -> &[u8] {
        &self.file()[..self.image().length()]
    }

    /// The image and behind it the symbol part: what stands in a file.
    #[must_use]
    pub fn file(&self) -> &[u8] {
        &bytemuck::cast_slice(self.0.image.borrow_owner())[..self.0.length]
    }

    /// What roles, moves and fluents are called.
    #[must_use]
    pub fn names(&self) -> &Names {
        &self.0.names
    }

    /// Whether it came with names; without, things are called by their numbers.
    #[must_use]
    pub fn has_names(&self) -> bool {
        self.0.has_names
    }

    /// The number of roles.
    #[must_use]
    pub fn roles(&self) -> usize {
        self.image().roles()
    }

    /// What the compiler, or the image, says about its size.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.0.report
    }

    /// Whether it was compiled just now: only then are clauses and seconds known.
    #[must_use]
    pub fn is_compiled(&self) -> bool {
        self.0.is_compiled
    }

    /// What is odd about it, ready to be shown.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.0.warnings
    }

    /// Where it starts.
    #[must_use]
    pub fn initial(&self) -> State {
        State::new(self, self.image().initial().into())
    }

    /// The state of a position.
    ///
    /// # Errors
    /// If the position is of another game.
    pub fn state(&self, position: &[u32]) -> Result<State, StateError> {
        let (needed, found) = (self.image().initial().len(), position.len());
        match needed == found {
            true => Ok(State::new(self, position.into())),
            false => Err(StateError::Position { needed, found }),
        }
    }

    /// The state after joint moves that are separated by semicolons, such as
    /// `(mark 1 1) noop; noop (mark 2 2)`. A single move is enough where only one role
    /// has a choice.
    ///
    /// # Errors
    /// If a move is not legal; the error says which and what is.
    pub fn after(&self, moves: &str) -> Result<State, MovesError> {
        moves::after(self, moves)
    }

    /// Whether both are the same game, and not only equal ones.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Game {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Game({}, {:08x})", self.name(), self.image().checksum())
    }
}

/// The names of all bundled games.
pub(crate) fn bundled_names() -> String {
    let names: Vec<&str> = ruche_games::all().iter().map(|game| game.name).collect();
    names.join(" ")
}

/// Points to a bundled name that was perhaps meant.
pub(crate) fn suggestion(name: &str) -> String {
    let found = ruche_games::meant(name);
    found.map(|game| format!(": did you mean {}?", game.name)).unwrap_or_default()
}

fn describe(name: &str, source: &[u8]) -> Result<(Description, Vec<Diagnostic>), GameError> {
    ruche_gdl::load(source)
        .map_err(|findings| GameError::Description { text: render(&findings, name, source) })
}

fn render(findings: &[Diagnostic], file: &str, source: &[u8]) -> String {
    let text: String = findings.iter().map(|finding| finding.render(file, source)).collect();
    text.trim_end().to_owned()
}

fn read(name: &str) -> Result<Vec<u8>, GameError> {
    let path = Path::new(name);
    if name != STANDARD_INPUT && !path.exists() {
        return Err(GameError::Unknown { name: name.to_owned() });
    }
    let mut bytes = Vec::new();
    let read = match name {
        STANDARD_INPUT => io::stdin().take(LONGEST_FILE + 1).read_to_end(&mut bytes),
        _ => File::open(path).and_then(|file| file.take(LONGEST_FILE + 1).read_to_end(&mut bytes)),
    };
    read.map_err(|source| GameError::Unreadable { file: name.to_owned(), source })?;
    match bytes.len() as u64 > LONGEST_FILE {
        true => Err(GameError::TooLong { file: name.to_owned() }),
        false => Ok(bytes),
    }
}

/// What an image tells about itself; clauses and seconds stay unknown.
fn report_of(image: &Image<'_>) -> Report {
    let code: [Code<'_>; 3] = Section::ALL.map(|section| image.code(section));
    let [legal, goal, next] = code.map(|code| code.tally());
    Report {
        roles: image.roles(),
        fluents: image.fluents(),
        moves: image.moves(),
        gates_legal: legal.gates,
        gates_next: next.gates,
        gates_goal: goal.gates,
        strata: legal.strata + goal.strata + next.strata,
        slots: image.slots(),
        bytecode_bytes: code.iter().map(Code::bytes).sum(),
        image_bytes: image.length(),
        ..Report::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_free_to_go<T: Clone + Send + Sync + 'static>(_: &T) {}

    #[test]
    fn a_game_goes_wherever_it_is_needed() {
        let game = Game::bundled("tictactoe").unwrap();
        is_free_to_go(&game);
        let clone = game.clone();
        let elsewhere = std::thread::spawn(move || clone.image().checksum());
        assert_eq!(elsewhere.join().unwrap(), game.image().checksum());
        assert!(game.is(&game.clone()));
    }

    #[test]
    fn a_file_is_the_same_game_and_an_image_alone_has_numbers_for_names() {
        let game = Game::bundled("nim").unwrap();
        let again = Game::of_image("nim.ruche", game.file()).unwrap();
        assert_eq!(again.file(), game.file());
        assert_eq!(again.names().moves(0), game.names().moves(0));
        assert!(again.has_names() && !again.is_compiled() && game.is_compiled());
        let bare = Game::of_image("bare", game.image_bytes()).unwrap();
        assert!(!bare.has_names());
        assert_eq!(bare.names().moves(1)[2], "move2");
        assert_eq!(
            bare.initial().fluents().len(),
            bare.names().true_in(bare.image().initial()).len()
        );
    }

    #[test]
    fn what_is_no_game_is_refused_by_name() {
        let text = |result: Result<Game, GameError>| result.unwrap_err().to_string();
        assert!(text(Game::load("break")).contains("did you mean breakthrough?"));
        assert!(text(Game::bundled("chess")).contains("bundled games: blocker breakthrough"));
        assert!(text(Game::of_image("x", b"RUCHrubbish")).starts_with("x: "));
        let error = text(Game::compile("mine.kif", b"(role white)\n(legal white"));
        assert!(error.starts_with("mine.kif:2:"), "{error}");
        let game = Game::bundled("nim").unwrap();
        let damaged = &game.file()[..game.file().len() - 3];
        assert!(text(Game::of_image("x", damaged)).contains("symbol part is cut short"));
    }
}
