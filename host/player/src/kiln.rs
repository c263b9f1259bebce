//! Rules become a game while a clock runs. Compiling cannot be stopped, but it ends by
//! itself: limits count its work. One game is compiled at a time, so that matches that were
//! given up cannot pile up.

use std::sync::{Mutex, PoisonError};

use ruche_game::{Game, GameError};

/// Compiles games, and keeps the last one: the same game comes again more often than not.
#[derive(Debug, Default)]
pub(crate) struct Kiln(Mutex<Option<(String, Game)>>);

impl Kiln {
    /// The game of these rules; nothing if nobody wants it any more when its turn comes.
    pub fn compile(
        &self,
        rules: &str,
        is_wanted: impl Fn() -> bool,
    ) -> Option<Result<Game, GameError>> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, game)) = &*last
            && known == rules
        {
            return Some(Ok(game.clone()));
        }
        if !is_wanted() {
            return None;
        }
        let compiled = Game::compile("the rules of the match", rules.as_bytes());
        if let Ok(game) = &compiled {
            *last = Some((rules.to_owned(), game.clone()));
        }
        Some(compiled)
    }
}
