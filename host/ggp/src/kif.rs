//! KIF text: names, and lists in parentheses. Nothing here recurses, so that any depth is
//! read in one pass, and nothing is kept but places in the text.

use std::borrow::Cow;

use thiserror::Error;

/// Why a text is no KIF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum KifError {
    /// A parenthesis is never closed.
    #[error("a parenthesis that is opened at byte {at} is never closed")]
    Open {
        /// Where it stands.
        at: usize,
    },
    /// A parenthesis closes nothing.
    #[error("the parenthesis at byte {at} closes nothing")]
    Close {
        /// Where it stands.
        at: usize,
    },
    /// There are more expressions than anybody needs.
    #[error("there are more than {most} expressions in a row")]
    Many {
        /// What is allowed.
        most: usize,
    },
}

/// A part of a text that cannot be cut further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Open,
    Close,
    Name(&'a str),
}

/// Tokens with their places; blanks and comments are between them.
fn tokens(text: &str) -> impl Iterator<Item = (usize, Token<'_>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += blank(&text[at..]);
        let rest = &text[at..];
        let (length, token) = match rest.chars().next()? {
            '(' => (1, Token::Open),
            ')' => (1, Token::Close),
            _ => {
                let end = rest.find(is_border).unwrap_or(rest.len());
                (end, Token::Name(&rest[..end]))
            }
        };
        let start = at;
        at += length;
        Some((start, token))
    })
}

fn is_border(letter: char) -> bool {
    letter.is_whitespace() || matches!(letter, '(' | ')' | ';')
}

/// The length of blanks and comments at the start.
fn blank(text: &str) -> usize {
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let Some(comment) = rest.strip_prefix(';') else { return text.len() - rest.len() };
        rest = &comment[comment.find(['\n', '\r']).unwrap_or(comment.len())..];
    }
}

/// Text of bytes: UTF-8, or else Latin-1, as old programs write it.
#[must_use]
pub fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|byte| char::from(*byte)).collect()),
    }
}

/// The expressions that stand in a row.
///
/// # Errors
/// If parentheses do not match, or there are more than `most`.
pub fn expressions(text: &str, most: usize) -> Result<Vec<&str>, KifError> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, token) in tokens(text) {
        let end = match token {
            Token::Open => {
                start = if depth == 0 { at } else { start };
                depth += 1;
                continue;
            }
            Token::Close => {
                depth = depth.checked_sub(1).ok_or(KifError::Close { at })?;
                at + 1
            }
            Token::Name(name) => {
                start = if depth == 0 { at } else { start };
                at + name.len()
            }
        };
        if depth == 0 {
            if found.len() == most {
                return Err(KifError::Many { most });
            }
            found.push(&text[start..end]);
        }
    }
    if depth == 0 { Ok(found) } else { Err(KifError::Open { at: start }) }
}

/// What stands between the parentheses of a list; nothing if it is a name.
#[must_use]
pub fn inside(expression: &str) -> Option<&str> {
    expression.strip_prefix('(')?.strip_suffix(')')
}

/// The same text on one line, without comments, with single blanks between the parts of a
/// list.
#[must_use]
pub fn plain(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for (_, token) in tokens(text) {
        if token != Token::Close && !line.is_empty() && !line.ends_with('(') {
            line.push(' ');
        }
        line.push_str(match token {
            Token::Open => "(",
            Token::Close => ")",
            Token::Name(name) => name,
        });
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn expressions_are_cut_at_the_outermost_level() {
        let text = " a (b (c) ; not ) here\n d)e()";
        assert_eq!(expressions(text, 9).unwrap(), ["a", "(b (c) ; not ) here\n d)", "e", "()"]);
        assert_eq!(expressions("", 9), Ok(vec![]));
    }

    #[test]
    fn what_does_not_match_is_named_by_its_place() {
        assert_eq!(expressions("a (b", 9), Err(KifError::Open { at: 2 }));
        assert_eq!(expressions("a ) b", 9), Err(KifError::Close { at: 2 }));
        assert_eq!(expressions("a b c", 2), Err(KifError::Many { most: 2 }));
    }

    #[test]
    fn plain_text_has_single_blanks_and_no_comments() {
        assert_eq!(plain("( ( Mark  1 1 );x\n noop )"), "((Mark 1 1) noop)");
        assert_eq!(plain("((a)(b))"), "((a) (b))");
    }

    #[test]
    fn deep_text_is_read_without_recursion() {
        let deep = "(".repeat(1_000_000) + &")".repeat(1_000_000);
        assert_eq!(expressions(&deep, 1).unwrap().len(), 1);
        assert_eq!(plain(&deep), deep);
    }

    #[test]
    fn bytes_that_are_not_unicode_are_latin() {
        assert_eq!(text_of(b"caf\xe9"), "café");
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_plain_text_stays_as_it_is(text in "[ab ();\n?é]{0,60}") {
            let once = plain(&text);
            prop_assert_eq!(&plain(&once), &once);
            let count = |text: &str| expressions(text, 1000).map(|found| found.len()).ok();
            prop_assert_eq!(count(&text), count(&once));
        }
    }
}
