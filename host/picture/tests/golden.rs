//! What boards look like. `RUCHE_GOLDEN=write cargo test -p ruche-picture --test golden`
//! writes the files anew; they are looked at before they are committed.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use ruche_game::Game;
use ruche_gdl::Description;
use ruche_picture::{Boards, Style};
use ruche_rules::{Position, Rules};

/// The first moves, in which every role plays its middle one, to this ply.
const PLIES: [usize; 2] = [0, 7];

fn text(name: &str, source: &[u8]) -> String {
    let description: Description = Game::describe(name, source).unwrap();
    let rules = Rules::load(name, source).unwrap();
    let boards = Boards::find(&rules, Some(&description));
    let mut position = rules.initial(None).unwrap();
    let mut text = String::new();
    for ply in 0..=PLIES[1] {
        if PLIES.contains(&ply) {
            let picture = boards.picture(&position.fluents());
            text += &format!("--- {name}, after {ply} moves\n{}", picture.text(Style::Plain));
        }
        match next(&position) {
            Some(next) => position = next,
            None => break,
        }
    }
    text
}

fn next(position: &Position) -> Option<Position> {
    if position.is_terminal() || position.stuck_role().is_some() {
        return None;
    }
    let roles = 0..position.rules().roles().len();
    let middle = |role| {
        let mut legal = position.legal(role);
        legal.sort_unstable();
        legal[legal.len() / 2].to_owned()
    };
    position.play(&roles.map(middle).collect::<Vec<_>>(), None).ok()
}

fn check(name: &str, source: &[u8]) {
    let path: PathBuf =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.txt"));
    let found = text(name, source);
    if env::var_os("RUCHE_GOLDEN").is_some_and(|value| value == "write") {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &found).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(found, expected, "{name} looks otherwise: {}", path.display());
}

#[test]
fn bundled_games_look_as_they_did() {
    for game in ruche_games::all() {
        check(game.name, game.source.as_bytes());
    }
}
