//! What a person means.

/// What a person wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    Move(String),
    Hint,
    Analyse,
    Undo,
    Moves,
    Board,
    Save(String),
    Quit,
    /// Nobody knows; what to say about it.
    Unknown(String),
}

const HELP: &str = "\
the number of a move, its text, or a part that no other move has; Tab completes it
hint      what the engine would play
analyse   what it thinks of all moves
undo      takes back your last move
moves     lists the legal moves
board     shows the board again
save FILE writes a record
quit      ends the game
";

/// What a line means where these moves are legal.
pub fn understood(line: &str, legal: &[String]) -> Wish {
    let line = line.trim();
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "" => return Wish::Moves,
        "hint" => return Wish::Hint,
        "analyse" | "analyze" | "analysis" => return Wish::Analyse,
        "undo" | "back" => return Wish::Undo,
        "moves" | "legal" => return Wish::Moves,
        "board" | "show" => return Wish::Board,
        "save" if !rest.is_empty() => return Wish::Save(rest.trim().to_owned()),
        "quit" | "exit" | "q" => return Wish::Quit,
        "help" | "?" => return Wish::Unknown(HELP.to_owned()),
        _ => {}
    }
    by_text(line, legal).or_else(|| by_number(line, legal)).unwrap_or_else(|| unknown(line, legal))
}

fn by_number(line: &str, legal: &[String]) -> Option<Wish> {
    let number: usize = line.parse().ok()?;
    legal.get(number.checked_sub(1)?).cloned().map(Wish::Move)
}

/// A move by its text, or by its words without parentheses.
fn by_text(line: &str, legal: &[String]) -> Option<Wish> {
    let bare = bare(line);
    let found = legal.iter().find(|text| self::bare(text) == bare);
    found.cloned().map(Wish::Move)
}

fn bare(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_whitespace() || "()".contains(letter));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ").to_ascii_lowercase()
}

/// A part of a move that no other has, or what is wrong.
fn unknown(line: &str, legal: &[String]) -> Wish {
    let part = bare(line);
    let alike: Vec<&String> = legal.iter().filter(|text| bare(text).contains(&part)).collect();
    match &alike[..] {
        [only] => Wish::Move((*only).clone()),
        [] => Wish::Unknown(format!("`{line}` is no legal move: `moves` lists them\n")),
        several => {
            let shown: Vec<&str> = several.iter().take(12).map(|text| text.as_str()).collect();
            let more = if several.len() > 12 { "  …" } else { "" };
            Wish::Unknown(format!("which one? {}{more}\n", shown.join("  ")))
        }
    }
}

/// What can be typed instead of numbers and moves.
const WORDS: [&str; 7] = ["hint", "analyse", "undo", "moves", "board", "save", "quit"];

/// What a line may become: moves that begin with its words, and words that it begins.
pub fn completions(line: &str, legal: &[String]) -> Vec<String> {
    let typed = bare(line);
    // After a blank the last word is all of a word.
    let ends_word = line.ends_with(char::is_whitespace) && !typed.is_empty();
    let begins = |text: &str| {
        let rest = text.strip_prefix(&typed);
        rest.is_some_and(|rest| !ends_word || rest.is_empty() || rest.starts_with(' '))
    };
    let moves = legal.iter().filter(|text| begins(&bare(text))).cloned();
    let words = WORDS.into_iter().filter(|word| begins(word)).map(str::to_owned);
    moves.chain(words).collect()
}

/// Moves with their numbers, some on each line.
pub fn numbered(legal: &[String]) -> String {
    let entry = |(number, text): (usize, &String)| format!("{:>4} {text}", number + 1);
    let entries: Vec<String> = legal.iter().enumerate().map(entry).collect();
    let width = entries.iter().map(|entry| entry.chars().count()).max().unwrap_or(1) + 2;
    let columns = (96 / width).max(1);
    let line = |entries: &[String]| {
        let padded: String = entries.iter().map(|entry| format!("{entry:<width$}")).collect();
        padded.trim_end().to_owned() + "\n"
    };
    entries.chunks(columns).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_meant_by_number_text_or_part() {
        let legal = ["(drop 1)", "(drop 2)", "(turn left)"].map(str::to_owned);
        let said = |line: &str| understood(line, &legal);
        let is = |number: usize| Wish::Move(legal[number].clone());
        assert_eq!([said("(drop 2)"), said("drop 2"), said("2")], [is(1), is(1), is(1)]);
        assert_eq!([said("3"), said("left"), said("LEFT")], [is(2), is(2), is(2)]);
        assert_eq!([said("hint"), said("undo"), said("q")], [Wish::Hint, Wish::Undo, Wish::Quit]);
        assert_eq!(said("save x.json"), Wish::Save("x.json".to_owned()));
        assert!(matches!(said("drop"), Wish::Unknown(text) if text.contains("which one?")));
        assert!(matches!(said("9"), Wish::Unknown(text) if text.contains("no legal move")));
    }

    #[test]
    fn moves_and_words_are_completed() {
        let legal = ["(drop 1)", "(drop 11)", "(turn left)"].map(str::to_owned);
        let found = |line: &str| completions(line, &legal).join(" ");
        assert_eq!(found("dr"), "(drop 1) (drop 11)");
        assert_eq!([found("(drop 1"), found("(drop 1 ")], ["(drop 1) (drop 11)", "(drop 1)"]);
        assert_eq!(
            [found("(TU"), found("turn "), found("u")],
            ["(turn left)", "(turn left)", "undo"]
        );
        assert_eq!(found("left"), "", "a line is completed from its start");
        assert_eq!(completions("", &legal).len(), legal.len() + WORDS.len());
        for word in WORDS {
            assert!(HELP.lines().any(|line| line.starts_with(word)), "{word}");
            let line = if word == "save" { "save x" } else { word };
            assert!(
                !matches!(understood(line, &legal), Wish::Move(_) | Wish::Unknown(_)),
                "{word}"
            );
        }
    }
}
