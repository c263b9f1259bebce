//! Interned names. A [`Symbol`] is an index into a [`Symbols`] table; the
//! keywords of GDL come first, at fixed indices, so that they can be compared
//! without a look-up.

use rustc_hash::FxHashMap;

/// An interned name: relation, function, constant or variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(u32);

macro_rules! keywords {
    ($($constant:ident = $text:literal),* $(,)?) => {
        /// The keywords, lower case, in the order of their indices.
        pub const KEYWORDS: &[&str] = &[$($text),*];
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Index { $($constant),* }
        impl Symbol {
            $(
                #[doc = concat!("The keyword `", $text, "`.")]
                pub const $constant: Symbol = Symbol(Index::$constant as u32);
            )*
        }
    };
}

keywords! {
    ROLE = "role",
    BASE = "base",
    INPUT = "input",
    INIT = "init",
    TRUE = "true",
    NEXT = "next",
    LEGAL = "legal",
    DOES = "does",
    GOAL = "goal",
    TERMINAL = "terminal",
    DISTINCT = "distinct",
    NOT = "not",
    OR = "or",
    IMPLIED_BY = "<=",
}

impl Symbol {
    /// The index in the table, dense from zero.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether it is one of the keywords.
    pub fn is_keyword(self) -> bool {
        self.index() < KEYWORDS.len()
    }
}

/// The table of names.
#[derive(Clone, Debug)]
pub struct Symbols {
    names: Vec<Box<str>>,
    by_name: FxHashMap<Box<str>, Symbol>,
}

impl Default for Symbols {
    fn default() -> Self {
        let mut symbols = Symbols { names: Vec::new(), by_name: FxHashMap::default() };
        for keyword in KEYWORDS {
            symbols.intern(keyword);
        }
        symbols
    }
}

impl Symbols {
    /// The names that mean the same in any case, in lower case.
    pub(crate) const FOLDED: [&str; 11] = [
        "role", "base", "input", "init", "true", "next", "legal", "does", "goal", "terminal",
        "random",
    ];

    /// The symbol of `name`, new if it was never seen.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.by_name.get(name) {
            return symbol;
        }
        let symbol = Symbol(u32::try_from(self.names.len()).expect("fewer names than input bytes"));
        self.names.push(name.into());
        self.by_name.insert(name.into(), symbol);
        symbol
    }

    /// The symbol of `name` if it was interned before.
    pub fn find(&self, name: &str) -> Option<Symbol> {
        self.by_name.get(name).copied()
    }

    /// The text of a symbol.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.index()]
    }

    /// Whether a symbol is a variable: its name starts with a question mark.
    pub fn is_variable(&self, symbol: Symbol) -> bool {
        self.name(symbol).starts_with('?')
    }

    /// How many symbols there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Never: the keywords are always there.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
