//! From what a person calls a game to an image with its names.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use ruche_cli::names::{Names, NamesError};
use ruche_compiler::symbols::SymbolError;
use ruche_compiler::{CompileError, Options, Report, SymbolTable};
use ruche_gdl::Diagnostic;
use ruche_shared::image::{Code, Image, ImageError, MAGIC, Section};

/// Files that are longer are not read: nothing that long is a game.
const LONGEST_FILE: u64 = 256 << 20;

/// Why there is no game.
#[derive(Debug, thiserror::Error)]
pub enum GameError {
    /// Neither a bundled game nor a file.
    #[error(
        "`{name}` is neither a bundled game nor a file{}\n  bundled games: {}",
        suggestion(name),
        bundled_names()
    )]
    Unknown {
        /// What the person typed.
        name: String,
    },
    /// The file cannot be read.
    #[error("{file}: {error}: give a bundled name, a .kif file or an image")]
    Unreadable {
        /// The path.
        file: String,
        /// What the system says.
        error: io::Error,
    },
    /// The file is far too long.
    #[error("{file}: longer than {} MiB: this is no game", LONGEST_FILE >> 20)]
    TooLong {
        /// The path.
        file: String,
    },
    /// The description is wrong; the text has every finding.
    #[error("{0}")]
    Description(String),
    /// The description is right but cannot be compiled.
    #[error("{file}: {error}")]
    Compile {
        /// The path or name.
        file: String,
        /// Why not.
        error: CompileError,
    },
    /// The image is damaged or of another version.
    #[error("{file}: {error}")]
    Image {
        /// The path or name.
        file: String,
        /// Where and why.
        error: ImageError,
    },
    /// The names of an image are damaged.
    #[error("{file}: {error}")]
    Symbols {
        /// The path or name.
        file: String,
        /// Why.
        error: SymbolError,
    },
    /// The names belong to another image.
    #[error("{file}: {error}")]
    Names {
        /// The path or name.
        file: String,
        /// Why.
        error: NamesError,
    },
}

fn bundled_names() -> String {
    let names: Vec<&str> = ruche_games::all().iter().map(|game| game.name).collect();
    names.join(" ")
}

/// Points to a bundled name that was perhaps meant.
fn suggestion(name: &str) -> String {
    let plain = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
    let wanted = plain(name);
    let is_close =
        |candidate: &str| candidate.starts_with(&wanted) || wanted.starts_with(candidate);
    let found = ruche_games::all().iter().find(|game| !wanted.is_empty() && is_close(game.name));
    found.map(|game| format!(": did you mean {}?", game.name)).unwrap_or_default()
}

/// A game, compiled or loaded.
#[derive(Debug)]
pub struct Game {
    /// What the person typed.
    pub name: String,
    /// What the compiler or the image says about its size.
    pub report: Report,
    /// Whether it was compiled just now: only then are clauses and seconds known.
    pub is_compiled: bool,
    /// What was odd about it, ready to be shown.
    pub warnings: Vec<String>,
    /// Image and symbol part, padded to whole words so that the image is
    /// aligned.
    words: Vec<u32>,
    /// Bytes of image and symbol part.
    length: usize,
}

impl Game {
    /// Finds, reads and compiles what the person calls a game.
    ///
    /// # Errors
    /// If there is none, or it is wrong.
    pub fn load(name: &str) -> Result<Self, GameError> {
        if let Some(game) = ruche_games::find(name) {
            return Self::compile(name, game.source.as_bytes());
        }
        let bytes = read(name)?;
        if bytes.starts_with(&MAGIC) {
            Self::of_image(name, &bytes)
        } else {
            Self::compile(name, &bytes)
        }
    }

    fn compile(name: &str, source: &[u8]) -> Result<Self, GameError> {
        let (description, findings) = ruche_gdl::load(source)
            .map_err(|findings| GameError::Description(render(&findings, name, source)))?;
        let file = || name.to_owned();
        let compiled = ruche_compiler::compile(&description, &Options::default())
            .map_err(|error| GameError::Compile { file: file(), error })?;
        let findings = findings.iter().map(|finding| finding.render(name, source));
        let odd = compiled.warnings.iter().map(|warning| format!("{name}: warning: {warning}\n"));
        let game = Self {
            name: file(),
            report: compiled.report,
            is_compiled: true,
            warnings: findings.chain(odd).collect(),
            words: aligned(&compiled.file),
            length: compiled.file.len(),
        };
        game.image()?;
        Ok(game)
    }

    fn of_image(name: &str, bytes: &[u8]) -> Result<Self, GameError> {
        let mut game = Self {
            name: name.to_owned(),
            report: Report::default(),
            is_compiled: false,
            warnings: Vec::new(),
            words: aligned(bytes),
            length: bytes.len(),
        };
        game.report = report_of(&game.image()?);
        Ok(game)
    }

    /// The image and behind it the symbol part.
    pub fn file(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.length]
    }

    /// The image.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn image(&self) -> Result<Image<'_>, GameError> {
        let file = || self.name.clone();
        Image::parse(self.file()).map_err(|error| GameError::Image { file: file(), error })
    }

    /// The names of the image.
    ///
    /// # Errors
    /// If the file has none, or they are damaged.
    pub fn names(&self, image: &Image<'_>) -> Result<Names, GameError> {
        let file = || self.name.clone();
        let table = SymbolTable::parse(&self.file()[image.length()..])
            .map_err(|error| GameError::Symbols { file: file(), error })?;
        Names::new(image, table).map_err(|error| GameError::Names { file: file(), error })
    }
}

/// The same bytes at a 4-byte boundary.
fn aligned(bytes: &[u8]) -> Vec<u32> {
    let mut words = vec![0; bytes.len().div_ceil(size_of::<u32>())];
    bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
    words
}

fn render(findings: &[Diagnostic], file: &str, source: &[u8]) -> String {
    findings
        .iter()
        .map(|finding| finding.render(file, source))
        .collect::<String>()
        .trim_end()
        .to_owned()
}

fn read(name: &str) -> Result<Vec<u8>, GameError> {
    let path = Path::new(name);
    if !path.exists() {
        return Err(GameError::Unknown { name: name.to_owned() });
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LONGEST_FILE + 1).read_to_end(&mut bytes))
        .map_err(|error| GameError::Unreadable { file: name.to_owned(), error })?;
    if bytes.len() as u64 > LONGEST_FILE {
        return Err(GameError::TooLong { file: name.to_owned() });
    }
    Ok(bytes)
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
