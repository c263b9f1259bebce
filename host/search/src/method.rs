//! What a search method is, and how the list of them becomes [`Method`](crate::Method).

use ruche_game::Game;

use crate::Searcher;
use crate::report::SearchError;
use crate::settings::SearchSettings;

/// What a method says of itself, and how it starts.
pub trait SearchMethod: Searcher + Sized + 'static {
    /// What it is called.
    const NAME: &'static str;
    /// What it is, in a few words.
    const ABOUT: &'static str;

    /// A search from the initial position of a game, of which nothing is known yet.
    ///
    /// # Errors
    /// If the position has too many moves for the memory.
    fn new(game: &Game, settings: &SearchSettings) -> Result<Self, SearchError>;
}

/// Defines `Method` from the list of all: a module and the type in it for each. What a
/// method is called and does is said there and nowhere else.
macro_rules! methods {
    ($($module:ident::$Type:ident,)+) => {
        $(pub mod $module;)+
        $(pub use $module::$Type;)+

        /// A search method.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Method {
            $(#[doc = concat!("That of [`", stringify!($Type), "`](struct@", stringify!($Type), ").")] $Type,)+
        }

        impl ruche_shared::names::Named for Method {
            const KIND: &'static str = "method";
            const ALL: &'static [Self] = &[$(Method::$Type),+];

            fn name(self) -> &'static str {
                match self { $(Method::$Type => <$Type as SearchMethod>::NAME,)+ }
            }

            fn about(self) -> &'static str {
                match self { $(Method::$Type => <$Type as SearchMethod>::ABOUT,)+ }
            }
        }

        impl Method {
            /// A search by this method from the initial position of a game; none where the
            /// game is solved without one, and the settings allow it.
            ///
            /// # Errors
            /// If the position has too many moves for the memory.
            pub fn start(
                self,
                game: &ruche_game::Game,
                settings: &SearchSettings,
            ) -> Result<Box<dyn Searcher>, SearchError> {
                let searcher: Box<dyn Searcher> = match self {
                    $(Method::$Type => Box::new(<$Type as SearchMethod>::new(game, settings)?),)+
                };
                Ok(crate::sums::solved(searcher, game, settings))
            }
        }

        ruche_shared::named!(Method);
    };
}

pub(crate) use methods;
