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

#[cfg(test)]
mod tests {
    use super::*;

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
