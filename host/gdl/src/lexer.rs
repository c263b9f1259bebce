//! Bytes to tokens. Nothing is assumed of the bytes: what is not UTF-8 is read
//! as Latin-1, so that old files keep their names, and a lone carriage return
//! ends a line as `\n` and `\r\n` do.

use std::borrow::Cow;

use crate::ast::Place;
use crate::diagnostic::Diagnostic;

/// A token and where it starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token<'a> {
    pub kind: TokenKind<'a>,
    pub place: Place,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind<'a> {
    Open,
    Close,
    Name(Cow<'a, str>),
}

/// Reads one token after the other.
pub(crate) struct Lexer<'a> {
    source: &'a [u8],
    offset: usize,
    place: Place,
}

/// Names are repeated in messages, so they must not be of any length.
const MAXIMUM_NAME_BYTES: usize = 1000;

impl<'a> Lexer<'a> {
    pub fn new(source: &'a [u8]) -> Self {
        let source = without_byte_order_mark(source);
        Lexer { source, offset: 0, place: Place { line: 1, column: 1 } }
    }

    fn rest(&self) -> &'a [u8] {
        &self.source[self.offset..]
    }

    fn peek(&self) -> Option<char> {
        first_character(self.rest()).map(|(character, _)| character)
    }

    fn advance(&mut self) {
        let Some((character, width)) = first_character(self.rest()) else { return };
        self.offset += width;
        if ends_line(character, self.rest()) {
            self.place = Place { line: self.place.line + 1, column: 1 };
        } else {
            self.place.column += 1;
        }
    }

    fn advance_while(&mut self, accept: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&accept) {
            self.advance();
        }
    }

    fn skip_blanks_and_comments(&mut self) {
        loop {
            self.advance_while(char::is_whitespace);
            if self.peek() != Some(';') {
                return;
            }
            self.advance_while(|character| character != '\n' && character != '\r');
        }
    }

    fn name(&mut self) -> Result<TokenKind<'a>, Diagnostic> {
        let (start, place) = (self.offset, self.place);
        self.advance_while(is_name_character);
        match &self.source[start..self.offset] {
            name if name.len() <= MAXIMUM_NAME_BYTES => Ok(TokenKind::Name(decode(name))),
            name => Err(long(name.len(), place)),
        }
    }

    fn parenthesis(&mut self, kind: TokenKind<'a>) -> TokenKind<'a> {
        self.advance();
        kind
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Result<Token<'a>, Diagnostic>;

    fn next(&mut self) -> Option<Self::Item> {
        self.skip_blanks_and_comments();
        let place = self.place;
        let kind = match self.peek()? {
            '(' => self.parenthesis(TokenKind::Open),
            ')' => self.parenthesis(TokenKind::Close),
            character if character.is_control() => return Some(Err(stray(character, place))),
            _ => match self.name() {
                Ok(name) => name,
                Err(error) => return Some(Err(error)),
            },
        };
        Some(Ok(Token { kind, place }))
    }
}

fn is_name_character(character: char) -> bool {
    !matches!(character, '(' | ')' | ';') && !character.is_whitespace() && !character.is_control()
}

fn stray(character: char, place: Place) -> Diagnostic {
    Diagnostic::error(
        place,
        format!("the control character U+{:04X} stands outside of a comment", u32::from(character)),
        "save the file as plain UTF-8 text without control characters",
    )
}

fn long(bytes: usize, place: Place) -> Diagnostic {
    Diagnostic::error(
        place,
        format!("a name of {bytes} bytes is too long; the limit is {MAXIMUM_NAME_BYTES}"),
        "check that the file is a game description, and shorten the name if it is",
    )
}

/// Some editors put the mark before UTF-8 text; it is no part of the text.
pub(crate) fn without_byte_order_mark(source: &[u8]) -> &[u8] {
    source.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(source)
}

/// The first character and how many bytes it takes.
pub(crate) fn first_character(bytes: &[u8]) -> Option<(char, usize)> {
    let first = *bytes.first()?;
    let width = match first {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => 1,
    };
    let decoded = bytes.get(..width).and_then(|encoded| std::str::from_utf8(encoded).ok());
    match decoded.and_then(|text| text.chars().next()) {
        Some(character) => Some((character, width)),
        None => Some((char::from(first), 1)),
    }
}

/// Whether `character`, which `rest` follows, ends a line.
pub(crate) fn ends_line(character: char, rest: &[u8]) -> bool {
    character == '\n' || (character == '\r' && rest.first() != Some(&b'\n'))
}

/// The text of bytes of which those that are not UTF-8 are Latin-1.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| decode_mixed(bytes).into(), Cow::Borrowed)
}

fn decode_mixed(mut bytes: &[u8]) -> String {
    let mut text = String::new();
    while let Some((character, width)) = first_character(bytes) {
        text.push(character);
        bytes = &bytes[width..];
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(source: &[u8]) -> Vec<(String, u32, u32)> {
        let text = |kind: TokenKind| match kind {
            TokenKind::Open => "(".to_owned(),
            TokenKind::Close => ")".to_owned(),
            TokenKind::Name(name) => name.into_owned(),
        };
        let row = |token: Token| (text(token.kind), token.place.line, token.place.column);
        Lexer::new(source).map(|token| row(token.unwrap())).collect()
    }

    fn names(source: &[u8]) -> Vec<String> {
        tokens(source).into_iter().map(|(text, _, _)| text).collect()
    }

    #[test]
    fn parentheses_need_no_space() {
        assert_eq!(names(b"(<=(p)q)("), ["(", "<=", "(", "p", ")", "q", ")", "("]);
    }

    #[test]
    fn odd_names_are_names() {
        let all = ["<", ">", "<=", "++", "-1", "?n++", "3d", "map+", "goal1-0", "\"a|b\""];
        assert_eq!(names(all.join(" ").as_bytes()), all);
    }

    #[test]
    fn comments_start_anywhere_and_end_with_the_line() {
        assert_eq!(names(b"a;b (\nc;\rd ;e\r\nf;"), ["a", "c", "d", "f"]);
    }

    #[test]
    fn every_kind_of_line_end_counts_once() {
        let places: Vec<(u32, u32)> =
            tokens(b"a\nb\r\nc\rd\r\r\n e").into_iter().map(|(_, l, c)| (l, c)).collect();
        assert_eq!(places, [(1, 1), (2, 1), (3, 1), (4, 1), (6, 2)]);
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(tokens("\t\u{FFFD}é x".as_bytes())[1], ("x".to_owned(), 1, 5));
        assert_eq!(tokens(b"\xE9\xFF x"), [("éÿ".to_owned(), 1, 1), ("x".to_owned(), 1, 4)]);
    }

    #[test]
    fn blanks_of_all_kinds_separate() {
        assert_eq!(names("\u{FEFF}a\x0Cb\x0Bc\u{A0}d\te".as_bytes()), ["a", "b", "c", "d", "e"]);
    }

    #[test]
    fn names_are_limited() {
        assert!(Lexer::new(&[b'x'; MAXIMUM_NAME_BYTES]).all(|token| token.is_ok()));
        assert!(Lexer::new(&[b'x'; MAXIMUM_NAME_BYTES + 1]).any(|token| token.is_err()));
    }

    #[test]
    fn control_characters_are_refused_outside_of_comments() {
        assert_eq!(names(b"a ; \x00\x01\n b"), ["a", "b"]);
        let error = Lexer::new(b"ab\x00").nth(1).unwrap().unwrap_err();
        assert_eq!((error.place.line, error.place.column), (1, 3));
        assert!(error.message.contains("U+0000"), "{}", error.message);
    }
}
