//! The games that come with Ruche. Each is a GDL file of its own that begins
//! with its rules in words; here they are found by name.

/// One bundled game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BundledGame {
    /// What a person types: lower case, no spaces.
    pub name: &'static str,
    /// The name in print.
    pub title: &'static str,
    /// The description in GDL.
    pub source: &'static str,
}

macro_rules! games {
    ($list:ident: $($name:literal = $title:literal),* $(,)?) => {
        const $list: &[BundledGame] = &[$(
            BundledGame {
                name: $name,
                title: $title,
                source: include_str!(concat!("../kif/", $name, ".kif")),
            },
        )*];
    };
}

games! {
    GAMES:
    "blocker" = "Blocker",
    "breakthrough" = "Breakthrough",
    "connectfour" = "Connect Four",
    "domineering" = "Domineering",
    "doubletictactoe" = "Double Tic-tac-toe",
    "eightpuzzle" = "Eight Puzzle",
    "hex" = "Hex",
    "nim" = "Nim",
    "nonogram" = "Nonogram",
    "othello" = "Othello",
    "sudoku" = "Sudoku",
    "tictactoe" = "Tic-tac-toe",
}

// For studies only: they would tell nothing new in a list of games.
games! {
    VARIANTS:
    "tictactoe9" = "Tic-tac-toe to a full board",
}

/// All bundled games, by name.
pub fn all() -> &'static [BundledGame] {
    GAMES
}

/// The game of exactly this name, or a variant that [`all`] does not list.
pub fn find(name: &str) -> Option<&'static BundledGame> {
    GAMES.iter().chain(VARIANTS).find(|game| game.name == name)
}

/// The bundled game that somebody meant who typed something else, if one is close.
pub fn meant(typed: &str) -> Option<&'static BundledGame> {
    let name = closest(typed, GAMES.iter().map(|game| game.name))?;
    find(name)
}

/// The name that somebody meant who typed something else: one that begins with it or the
/// other way round, else the one with the fewest typing errors, if these are few.
pub fn closest<'a>(typed: &str, names: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let typed = plain(typed);
    if typed.is_empty() {
        return None;
    }
    let is_begun = |name: &&str| name.starts_with(&typed) || typed.starts_with(*name);
    if let Some(name) = names.clone().find(is_begun) {
        return Some(name);
    }
    let with_errors = names.map(|name| (strsim::osa_distance(&typed, &plain(name)), name));
    let is_close = |(errors, name): &(usize, &str)| *errors <= (name.len() / 4).max(1);
    with_errors.filter(is_close).min_by_key(|(errors, _)| *errors).map(|(_, name)| name)
}

/// What remains if people agree on nothing but letters: no case, no signs, no folder, no
/// extension, and numbers in words.
fn plain(typed: &str) -> String {
    const DIGITS: [&str; 10] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let name = typed.rsplit('/').next().unwrap_or(typed).trim_end_matches(".kif");
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    let word = |letter: char| match letter.to_digit(10) {
        Some(digit) => DIGITS[digit as usize].to_owned(),
        None => letter.to_lowercase().to_string(),
    };
    letters.map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_errors_are_understood() {
        let pairs = [
            ("breaktrough", "breakthrough"),
            ("connect4", "connectfour"),
            ("Connect-Four", "connectfour"),
            ("8puzzle", "eightpuzzle"),
            ("tic-tac", "tictactoe"),
            ("otehllo", "othello"),
            ("games/hex.kif", "hex"),
        ];
        for (typed, name) in pairs {
            assert_eq!(meant(typed).map(|game| game.name), Some(name), "{typed}");
        }
        for typed in ["", "-", "chess", "checkers", "nothing.kif", "go"] {
            assert_eq!(meant(typed), None, "{typed}");
        }
    }

    #[test]
    fn names_are_sorted_and_unique() {
        assert!(all().windows(2).all(|pair| pair[0].name < pair[1].name));
    }

    #[test]
    fn every_game_is_found_by_its_name_only() {
        for game in all() {
            assert_eq!(find(game.name), Some(game));
        }
        assert_eq!(find("Tictactoe"), None);
        assert_eq!(find(""), None);
    }

    #[test]
    fn every_file_begins_with_its_title_and_rules() {
        for game in all() {
            let mut lines = game.source.lines();
            assert_eq!(lines.next(), Some(format!(";;; {}", game.title).as_str()));
            let comments = lines.take_while(|line| line.starts_with(";;;")).count();
            assert!(comments > 5, "{} says too little about its rules", game.name);
        }
    }
}
