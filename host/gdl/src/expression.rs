//! Tokens to nested lists, without recursion.

use crate::ast::Place;
use crate::diagnostic::Diagnostic;
use crate::lexer::{Lexer, Token, TokenKind};
use crate::symbol::{Symbol, Symbols};

/// How deep parentheses may nest.
pub const MAXIMUM_DEPTH: usize = 200;

/// A name or a list in parentheses.
#[derive(Debug)]
pub(crate) enum Expression {
    Name(Symbol, Place),
    List(Vec<Expression>, Place),
}

impl Expression {
    pub fn place(&self) -> Place {
        match self {
            Expression::Name(_, place) | Expression::List(_, place) => *place,
        }
    }
}

/// A list whose closing parenthesis was not read yet.
struct Unfinished {
    items: Vec<Expression>,
    place: Place,
}

/// Reads one expression of the outermost level after the other.
pub(crate) struct Reader<'a> {
    tokens: Lexer<'a>,
    unfinished: Vec<Unfinished>,
    /// Where a list started that has a rule inside: most likely it should have
    /// been closed before.
    suspect: Option<Place>,
    /// A closing parenthesis that has no opening one.
    surplus: Option<Place>,
}

impl<'a> Reader<'a> {
    pub fn new(source: &'a [u8]) -> Self {
        Reader { tokens: Lexer::new(source), unfinished: Vec::new(), suspect: None, surplus: None }
    }

    /// The next expression; nothing at the end of the source.
    pub fn next(&mut self, symbols: &mut Symbols) -> Result<Option<Expression>, Diagnostic> {
        while let Some(token) = self.tokens.next().transpose()? {
            if let Some(whole) = self.accept(token, symbols)? {
                return Ok(Some(whole));
            }
        }
        match self.unfinished.last() {
            Some(list) => Err(unclosed(self.suspect.unwrap_or(list.place))),
            None => Ok(None),
        }
    }

    /// A warning about closing parentheses after everything else.
    pub fn surplus_warning(&self) -> Option<Diagnostic> {
        let message = "the last `)` of the file closes nothing and is ignored";
        self.surplus.map(|place| Diagnostic::warning(place, message, "remove it"))
    }

    fn accept(
        &mut self,
        token: Token,
        symbols: &mut Symbols,
    ) -> Result<Option<Expression>, Diagnostic> {
        match token.kind {
            TokenKind::Open => self.open(token.place).map(|()| None),
            TokenKind::Close => Ok(self.close(token.place)),
            TokenKind::Name(name) => self.name(&name, token.place, symbols),
        }
    }

    fn open(&mut self, place: Place) -> Result<(), Diagnostic> {
        self.refuse_after_surplus()?;
        if self.unfinished.len() == MAXIMUM_DEPTH {
            return Err(self.suspect.map_or_else(|| too_deep(place), unclosed));
        }
        self.unfinished.push(Unfinished { items: Vec::new(), place });
        Ok(())
    }

    fn close(&mut self, place: Place) -> Option<Expression> {
        match self.unfinished.pop() {
            Some(list) => self.add(Expression::List(list.items, list.place)),
            None => {
                self.surplus.get_or_insert(place);
                None
            }
        }
    }

    fn name(
        &mut self,
        name: &str,
        place: Place,
        symbols: &mut Symbols,
    ) -> Result<Option<Expression>, Diagnostic> {
        self.refuse_after_surplus()?;
        if name == "?" {
            return Err(nameless(place));
        }
        let symbol = symbols.intern(folded(name));
        self.suspect = self.suspect.or_else(|| self.list_around_rule(symbol));
        Ok(self.add(Expression::Name(symbol, place)))
    }

    /// Where the list around starts if `symbol` begins a rule inside of it.
    fn list_around_rule(&self, symbol: Symbol) -> Option<Place> {
        match self.unfinished.as_slice() {
            [.., around, rule] if symbol == Symbol::IMPLIED_BY && rule.items.is_empty() => {
                Some(around.place)
            }
            _ => None,
        }
    }

    /// Puts a finished expression into the list around it, or gives it back if
    /// there is none.
    fn add(&mut self, expression: Expression) -> Option<Expression> {
        match self.unfinished.last_mut() {
            Some(list) => {
                list.items.push(expression);
                None
            }
            None => {
                self.suspect = None;
                Some(expression)
            }
        }
    }

    fn refuse_after_surplus(&self) -> Result<(), Diagnostic> {
        match self.surplus {
            Some(place) => Err(Diagnostic::error(
                place,
                "this `)` closes nothing",
                "remove it, or open its parenthesis before it",
            )),
            None => Ok(()),
        }
    }
}

/// The reference folds the case of these names wherever they stand, even inside
/// of terms; of `not`, `or` and `distinct` it does not.
fn folded(name: &str) -> &str {
    let spelled = |keyword: &&&str| keyword.eq_ignore_ascii_case(name);
    Symbols::FOLDED.iter().find(spelled).copied().unwrap_or(name)
}

fn unclosed(place: Place) -> Diagnostic {
    Diagnostic::error(
        place,
        "this `(` is never closed",
        "add the missing `)` where the list that starts here ends",
    )
}

fn too_deep(place: Place) -> Diagnostic {
    Diagnostic::error(
        place,
        format!("parentheses nest deeper than {MAXIMUM_DEPTH}"),
        "look for a missing `)` before this place, or name the inner terms by relations",
    )
}

fn nameless(place: Place) -> Diagnostic {
    Diagnostic::error(place, "a variable needs a name", "put a name behind the `?`, as in `?x`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Result<(usize, Option<Diagnostic>), Diagnostic> {
        let mut symbols = Symbols::default();
        let mut reader = Reader::new(source.as_bytes());
        let mut count = 0;
        while reader.next(&mut symbols)?.is_some() {
            count += 1;
        }
        Ok((count, reader.surplus_warning()))
    }

    fn error_column(source: &str) -> u32 {
        read(source).unwrap_err().place.column
    }

    #[test]
    fn lists_and_names_are_counted_at_the_outermost_level() {
        assert_eq!(read("(a (b) c) d ()"), Ok((3, None)));
    }

    #[test]
    fn surplus_parentheses_at_the_end_are_only_warned_of() {
        let (count, warning) = read("(a) ) ) ; end").unwrap();
        assert_eq!((count, warning.unwrap().place.column), (1, 5));
    }

    #[test]
    fn surplus_parentheses_elsewhere_are_errors() {
        assert_eq!(error_column("(a)) (b)"), 4);
        assert_eq!(error_column(") a"), 1);
    }

    #[test]
    fn the_unclosed_parenthesis_is_named() {
        assert_eq!(error_column("(a) (b (c) (d"), 12);
        assert_eq!(error_column("(a) (b (c) (d)"), 5);
    }

    #[test]
    fn a_rule_inside_of_a_list_betrays_the_unclosed_parenthesis() {
        assert_eq!(error_column("(a) (<= (b) (c) (<= (d) (e)) (f)"), 5);
        assert_eq!(error_column("(a) (<= (b) (c (<= (d) (e)) (f (g)"), 13);
    }

    #[test]
    fn depth_is_limited() {
        let nested = |depth| "(".repeat(depth) + &")".repeat(depth);
        assert!(read(&nested(MAXIMUM_DEPTH)).is_ok());
        assert_eq!(error_column(&nested(MAXIMUM_DEPTH + 1)), MAXIMUM_DEPTH as u32 + 1);
    }

    #[test]
    fn a_lone_question_mark_is_refused() {
        assert_eq!(error_column("(p ?)"), 4);
    }

    #[test]
    fn only_the_keywords_that_the_reference_folds_are_folded() {
        for (name, expected) in
            [("ROLE", "role"), ("Terminal", "terminal"), ("RanDom", "random"), ("Or", "Or")]
        {
            assert_eq!(folded(name), expected);
        }
    }
}
