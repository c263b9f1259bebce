//! Sums of impartial games need no search: what is said of them, and that nothing is said
//! of others.

use ruche_game::Game;
use ruche_offload::{Direct, DirectSettings};
use ruche_search::{
    Decompose, Limits, Method, Proofs, SearchOptions, SearchReport, SearchSettings, Stop,
};

fn settings(change: impl FnOnce(&mut SearchOptions)) -> SearchSettings {
    let mut options = SearchOptions::default();
    change(&mut options);
    options.check().expect("sound settings")
}

fn report(game: &Game, moves: &str, settings: &SearchSettings) -> SearchReport {
    let mut search = Method::Uct.start(game, settings).expect("a root");
    search.set_position(&game.after(moves).expect("legal moves")).expect("a state of it");
    let mut offload = Direct::new(game, DirectSettings::default()).expect("an engine");
    let limits = Limits::playouts(2_000_000);
    search.search(&mut offload, &limits, &Stop::default(), &mut |_| ()).expect("a report")
}

fn best(game: &Game, report: &SearchReport, role: usize) -> String {
    let best = report.best.as_ref().expect("the game goes on")[role];
    game.names().moves(role)[best as usize].clone()
}

fn proven(report: &SearchReport) -> Vec<Option<f64>> {
    report.roles.iter().map(|role| role.proven).collect()
}

#[test]
fn nim_is_solved_without_a_playout() {
    let game = Game::bundled("nim").expect("a bundled game");
    let found = report(&game, "", &settings(|_| ()));
    assert_eq!((found.playouts, found.is_complete), (0, true));
    assert_eq!(proven(&found), [Some(0.0), Some(100.0)]);
    let found = report(&game, "(leave a 0)", &settings(|_| ()));
    assert_eq!(proven(&found), [Some(0.0), Some(100.0)]);
    assert_eq!(best(&game, &found, 1), "(leave b 2)");
    let over = "(leave a 0); (leave b 0); (leave c 0); noop (leave d 0)";
    let found = report(&game, over, &settings(|_| ()));
    assert_eq!((found.best, found.sum), (None, None));
}

#[test]
fn every_move_is_worth_what_a_search_of_all_positions_says() {
    let game = Game::bundled("nim").expect("a bundled game");
    let searched = settings(|options| options.decompose = Decompose::Off);
    for moves in
        ["", "(leave a 6)", "(leave a 2); (leave b 3)", "(leave b 4); (leave c 0); (leave a 1)"]
    {
        let (solved, searched) =
            (report(&game, moves, &settings(|_| ())), report(&game, moves, &searched));
        assert!(solved.sum.is_some() && searched.sum.is_none() && searched.playouts > 0);
        assert!(searched.is_complete);
        assert_eq!(proven(&solved), proven(&searched), "{moves}");
        for (one, other) in solved.roles.iter().zip(&searched.roles) {
            for known in &other.moves {
                let same = one.moves.iter().find(|one| one.number == known.number);
                let proven = same.expect("the same moves").proven;
                assert!(known.proven.is_none() || known.proven == proven, "{moves}");
            }
        }
    }
}

#[test]
fn who_wants_no_proofs_or_no_parts_has_a_search() {
    let game = Game::bundled("nim").expect("a bundled game");
    let off = settings(|options| options.proofs = Proofs::Off);
    assert!(Method::Uct.start(&game, &off).expect("a root").report().sum.is_none());
    let other = Game::bundled("tictactoe").expect("a bundled game");
    let mut search = Method::Uct.start(&other, &settings(|_| ())).expect("a root");
    assert!(search.report().sum.is_none());
}

/// A number for each heap, and the one move of all that leaves nothing.
#[test]
fn games_of_the_corpus_have_their_one_right_move() {
    let games = [
        ("nim1_v0", vec![1, 5, 4, 2], [100.0, 0.0], Some("(reduce d 0)")),
        ("nim3_v0", vec![11, 12, 15, 25], [100.0, 0.0], Some("(reduce d 8)")),
        ("nim4_v0", vec![12, 12, 20, 20], [0.0, 100.0], None),
    ];
    for (id, numbers, goals, right) in games {
        let Some(source) = ruche_corpus::game(id) else { return };
        let game = Game::compile(id, &source).expect("sound rules");
        let found = report(&game, "", &settings(|_| ()));
        assert_eq!(proven(&found), goals.map(Some), "{id}");
        let winning = found.roles[0].moves.iter().filter(|one| one.proven == Some(100.0)).count();
        assert_eq!(winning, usize::from(right.is_some()), "{id}");
        if let Some(right) = right {
            assert_eq!(best(&game, &found, 0), right);
        }
        assert_eq!(found.sum.expect("a sum").numbers, numbers, "{id}");
    }
}
