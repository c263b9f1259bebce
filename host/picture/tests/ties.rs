//! Which cells moves of bundled games mean.

use ruche_game::Game;
use ruche_picture::{Boards, Cell, Tie};
use ruche_rules::{Position, Rules};

struct Seen {
    boards: Boards,
    position: Position,
}

fn seen(game: &str, moves: &str) -> Seen {
    let source = Game::source(game).unwrap();
    let rules = Rules::load(game, &source).unwrap();
    let boards = Boards::find(&rules, Some(&Game::describe(game, &source).unwrap()));
    let position = rules.after(&rules.joints(moves).unwrap(), None).unwrap();
    Seen { boards, position }
}

impl Seen {
    fn tie(&self, text: &str) -> Tie {
        let joint = self.position.joint(text).unwrap();
        let next = self.position.play(&joint, None).unwrap();
        let [before, after] =
            [&self.position, &next].map(|place| self.boards.picture(&place.fluents()));
        before.tie(text, Some(&after))
    }
}

fn cell(column: usize, row: usize) -> Cell {
    Cell { grid: 0, column, row }
}

#[test]
fn a_move_that_names_a_cell_means_it() {
    assert_eq!(seen("tictactoe", "").tie("(mark 3 1)").cells, [cell(2, 0)]);
    assert_eq!(seen("othello", "").tie("(place 3 4)").cells, [cell(2, 3)]);
    assert_eq!(seen("hex", "").tie("(place 9 1)").cells, [cell(8, 0)]);
}

#[test]
fn a_move_that_names_two_cells_leads_from_one_to_the_other() {
    let tie = seen("breakthrough", "").tie("(move 2 2 3 3)");
    assert_eq!((tie.cells, tie.strip), (vec![cell(1, 1), cell(2, 2)], vec![]));
}

#[test]
fn a_move_that_names_a_column_means_where_something_falls_and_the_column() {
    let tie = seen("connectfour", "(drop 4)").tie("(drop 4)");
    assert_eq!(tie.cells, [cell(3, 1)]);
    let column: Vec<Cell> = [0, 2, 3, 4, 5].map(|row| cell(3, row)).into();
    assert_eq!(tie.strip, column);
}

#[test]
fn a_move_that_names_nothing_is_known_by_what_it_changes() {
    let tie = seen("eightpuzzle", "").tie("up");
    let mut cells = [tie.cells, tie.strip].concat();
    cells.sort_unstable();
    assert_eq!(cells, [cell(1, 0), cell(1, 1)]);
}

#[test]
fn names_have_to_do_where_nobody_knows_what_comes() {
    let seen = seen("breakthrough", "");
    let picture = seen.boards.picture(&seen.position.fluents());
    assert_eq!(picture.tie("(move 2 2 3 3)", None).cells, [cell(1, 1), cell(2, 2)]);
    assert_eq!(picture.tie("noop", None), Tie::default());
}

#[test]
fn a_move_is_on_the_board_that_it_names_although_another_moves_elsewhere() {
    let seen = seen("doubletictactoe", "");
    let joint = seen.position.joint("(mark west 1 1) (mark east 1 1)").unwrap();
    let next = seen.position.play(&joint, None).unwrap();
    let [before, after] =
        [&seen.position, &next].map(|place| seen.boards.picture(&place.fluents()));
    let grid_of = |text: &str| before.tie(text, Some(&after)).cells[0].grid;
    assert_eq!(before.grids[grid_of(&joint[0])].title, "cell west");
    assert_eq!(before.grids[grid_of(&joint[1])].title, "cell east");
}
