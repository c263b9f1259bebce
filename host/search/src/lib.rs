//! The search tree: which positions to play from, and what their playouts say.
//!
//! ```text
//!            ┌────────── selection ──────────┐
//!  descents ─▶ uct ─▶ out of the tree ─▶ expansion (64 lanes) ─▶ leaves ─ submit ─▶ offload
//!      ▲                                                                              │
//!      └───────────────────────────── backup ◀────────────────────────────── collect ─┘
//! ```
//!
//! | module | question it answers |
//! |---|---|
//! | [`offload`] | what does the search ask of whoever plays? |
//! | [`settings`] | how large are batches, when does it stop? |
//! | [`search`] | which batch is selected, waited for, backed up when? |
//! | `selection`, `descent` | which positions are played from next? |
//! | `uct` | which move looks most promising? |
//! | `expansion`, `lanes`, `transpose` | what do moves lead to? |
//! | `tree`, `zobrist` | what is known of a position? |
//! | [`report`], `summary` | what has been found out? |
//!
//! Nothing here knows a cluster, a thread, a rank or a socket, and nothing
//! depends on them: with the same settings and the same run seed every machine
//! builds the same tree, bit for bit.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use ruche_search::{Direct, DirectSettings, Search, SearchBudget, SearchOptions};
//! use ruche_shared::Image;
//!
//! let game = ruche_games::find("tictactoe").ok_or("no such game")?;
//! let (description, _) = ruche_gdl::load(game.source.as_bytes()).map_err(|_| "bad rules")?;
//! let compiled = ruche_compiler::compile(&description, &Default::default())?;
//! let words: Vec<u32> = bytemuck::pod_collect_to_vec(compiled.image());
//! let image = Image::parse(bytemuck::cast_slice(&words))?;
//!
//! let budget = SearchBudget::Playouts(2000);
//! let settings = SearchOptions { budget, ..SearchOptions::default() }.check()?;
//! let mut search = Search::new(&image, image.initial(), settings)?;
//! let mut offload = Direct::new(&image, DirectSettings { seed: 7, ..Default::default() })?;
//! let report = search.run(&mut offload, |progress| println!("{}", progress.playouts))?;
//! assert_eq!(report.playouts, 2000);
//! # Ok(())
//! # }
//! ```

mod choice;
mod descent;
mod expansion;
mod lanes;
pub mod offload;
pub mod report;
pub mod search;
mod selection;
pub mod settings;
mod summary;
mod transpose;
mod tree;
mod uct;
mod zobrist;

pub use offload::{Batch, Checking, Direct, DirectSettings, Finished, Offload, OffloadError};
pub use report::{MoveReport, Progress, RoleReport, SearchError, SearchReport, TimeSplit};
pub use search::Search;
pub use settings::{Order, SearchBudget, SearchOptions, SearchSettings, SettingsError};
