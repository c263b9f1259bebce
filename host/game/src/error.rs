//! Why there is no game, or no such move.

use std::io;

use ruche_compiler::CompileError;
use ruche_compiler::symbols::SymbolError;
use ruche_shared::ImageError;
use thiserror::Error;

use crate::game::{LONGEST_FILE, bundled_names, suggestion};
use crate::names::NamesError;

/// Why there is no game.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GameError {
    /// Neither a bundled game nor a file.
    #[error(
        "`{name}` is neither a bundled game nor a file{}\n  bundled games: {}",
        suggestion(name),
        bundled_names()
    )]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// The file cannot be read.
    #[error("{file}: {source}: give a bundled name, a .kif file or an image")]
    Unreadable {
        /// The path.
        file: String,
        /// What the system says.
        source: io::Error,
    },
    /// The file is far too long.
    #[error("{file}: longer than {} MiB: this is no game", LONGEST_FILE >> 20)]
    TooLong {
        /// The path.
        file: String,
    },
    /// The description is wrong.
    #[error("{text}")]
    Description {
        /// Every finding, with its place in the text.
        text: String,
    },
    /// The description is right but cannot be compiled.
    #[error("{file}: {source}")]
    Compile {
        /// The path or name.
        file: String,
        /// Why not.
        source: CompileError,
    },
    /// The image is damaged or of another version.
    #[error("{file}: {source}")]
    Image {
        /// The path or name.
        file: String,
        /// Where and why.
        source: ImageError,
    },
    /// The names of an image are damaged.
    #[error("{file}: {source}")]
    Symbols {
        /// The path or name.
        file: String,
        /// Why.
        source: SymbolError,
    },
    /// The names belong to another image.
    #[error("{file}: {source}")]
    Names {
        /// The path or name.
        file: String,
        /// Why.
        source: NamesError,
    },
}

/// Why a state has no such successor, or there is no such state.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StateError {
    /// The position has another length than those of the game.
    #[error(
        "a position of {found} words, but those of this game have {needed}: it belongs to \
         another game"
    )]
    Position {
        /// Words of this game's positions.
        needed: usize,
        /// Words that were given.
        found: usize,
    },
    /// The game is over.
    #[error("the game is over: no move is played any more")]
    Over,
    /// There are more or fewer moves than roles.
    #[error("{found} moves for {roles} roles: give one for each")]
    Count {
        /// Roles of the game.
        roles: usize,
        /// Moves that were given.
        found: usize,
    },
    /// A move is not legal.
    #[error("move {number} is not legal for {role}")]
    Illegal {
        /// The name of the role.
        role: String,
        /// The number of the move.
        number: u32,
    },
}

/// Why moves that somebody wrote lead nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MovesError {
    /// The parentheses of a move do not match.
    #[error("move {number}, `{text}`: the parentheses do not match")]
    Parentheses {
        /// The number of the joint move, from 1.
        number: usize,
        /// The joint move.
        text: String,
    },
    /// The game is over before.
    #[error("move {number}, `{text}`: the game is over before it")]
    Over {
        /// The number of the joint move, from 1.
        number: usize,
        /// The joint move.
        text: String,
    },
    /// There are more or fewer moves than roles, and it is not clear whose.
    #[error(
        "move {number}, `{text}`: give a move for each of the roles {roles}, or only that of \
         the one role that has a choice"
    )]
    Count {
        /// The number of the joint move, from 1.
        number: usize,
        /// The joint move.
        text: String,
        /// All roles.
        roles: String,
    },
    /// A move is not legal.
    #[error("move {number}: `{text}` is not legal for {role}; legal are {legal}")]
    Illegal {
        /// The number of the joint move, from 1.
        number: usize,
        /// The move.
        text: String,
        /// The role.
        role: String,
        /// What is legal.
        legal: String,
    },
}
