//! What boards look like. `RUCHE_GOLDEN=write cargo test -p ruche-picture --test golden`
//! writes the files anew; they are looked at before they are committed.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use ruche_game::Game;
use ruche_gdl::Description;
use ruche_ggp::scramble::Scrambler;
use ruche_picture::{Boards, Grid, Style};
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

/// Games of a corpus with boards of all kinds: pieces, holes, walls, several boards, three
/// dimensions, things without a fixed place, rules that are interpreted.
const OTHERS: [&str; 30] = [
    "3pConnectFour_v0",
    "4pttc_v0",
    "amazons_8x8_v0",
    "battlebrushes_v0",
    "biddingTicTacToe_v0",
    "blockerParallel_v0",
    "bomberman2p_v0",
    "breakthroughHoles_v0",
    "checkers_v0",
    "chess_v0",
    "copolymer_4_v0",
    "crossers3_v0",
    "dotsAndBoxes_v0",
    "endgame_v0",
    "englishDraughts_v0",
    "escortLatch_v0",
    "futoshiki4_v0",
    "hallway_v0",
    "hitori_v0",
    "knightsTour_v0",
    "linesOfAction_v0",
    "peg_v0",
    "pentago_v1",
    "queens_v0",
    "sheepAndWolf_v0",
    "shogi_ctk_v0",
    "skirmish_v0",
    "tictactoe_3d_small_2player_v0",
    "tron_10x10_v0",
    "ttcc4_v0",
];

#[test]
fn games_of_a_corpus_look_as_they_did() {
    for id in OTHERS {
        if let Some(source) = ruche_corpus::game(id) {
            check(id, &source);
        }
    }
}

#[test]
fn names_play_no_part() {
    for game in ["breakthrough", "connectfour", "eightpuzzle", "doubletictactoe"] {
        let source = ruche_games::find(game).unwrap().source;
        let scrambled = Scrambler::new(source, 1).scramble(source);
        let sides = |source: &str| {
            let description = Game::describe(game, source.as_bytes()).unwrap();
            let rules = Rules::load(game, source.as_bytes()).unwrap();
            let boards = Boards::find(&rules, Some(&description));
            let picture = boards.picture(&rules.initial(None).unwrap().fluents());
            let side = |grid: &Grid| (grid.columns.len(), grid.rows.len());
            picture.grids.iter().map(side).collect::<Vec<_>>()
        };
        assert_eq!(sides(source), sides(&scrambled), "{game}");
    }
}
