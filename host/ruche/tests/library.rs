//! What a program that uses the library relies on.

use ruche::{
    ConnectSettings, Error, Game, Limits, Method, Named, Offload, PlayoutPolicy, Route, Search,
    SearchOptions, Stop, Topology, connect,
};

#[test]
fn a_search_finds_the_same_however_it_is_started() {
    let game = Game::bundled("breakthrough").unwrap();
    let one = Search::new(&game).playouts(20_000).seed(7).run().unwrap();
    assert_eq!(format!("{:016x}", one.report().signature), "f9d32986193cd5a3");
    let two = Search::new(&game).playouts(20_000).seed(7).threads(2).run().unwrap();
    assert_eq!(two.report().signature, one.report().signature);
    let topology = Topology { threads: 2, ..Topology::default() };
    let played = game.for_playouts(PlayoutPolicy::default());
    let mut offload = connect(Route::Inproc, &played, &ConnectSettings::new(topology, 7)).unwrap();
    let three = Search::new(&game).playouts(20_000).run_with(&mut *offload).unwrap();
    assert_eq!(three.report().signature, one.report().signature);
    assert_eq!(offload.attributes().clusters, 1);
}

#[test]
fn errors_are_errors_and_say_what_to_do() {
    let error = |result: Result<(), Error>| -> Box<dyn std::error::Error + Send + Sync> {
        result.unwrap_err().into()
    };
    let unknown = error(Game::bundled("ches").map(drop).map_err(Error::from));
    assert!(unknown.to_string().contains("bundled games"), "{unknown}");
    let game = Game::bundled("tictactoe").unwrap();
    let illegal = error(Search::new(&game).moves("(mark 4 4)").run().map(drop));
    assert!(illegal.to_string().contains("not legal for x;"), "{illegal}");
    let none = error(Search::new(&game).playouts(0).run().map(drop));
    assert!(none.to_string().contains("playouts: 0"), "{none}");
    let options = SearchOptions { batch: 0, ..SearchOptions::default() };
    let batch = error(Search::new(&game).options(options).run().map(drop));
    assert!(batch.to_string().contains("batch: 0"), "{batch}");
}

#[test]
fn a_finished_game_has_no_best_move() {
    let game = Game::bundled("tictactoe").unwrap();
    let line = "(mark 1 1); (mark 2 1); (mark 1 2); (mark 2 2); (mark 1 3)";
    let found = Search::from(&game.after(line).unwrap()).run().unwrap();
    assert_eq!(
        (found.best(), found.best_move(0), found.to_string().as_str()),
        (None, None, "the game is over")
    );
}

#[test]
fn a_session_keeps_its_tree_and_can_be_stopped() {
    let game = Game::bundled("connectfour").unwrap();
    let mut session = Search::new(&game).session().unwrap();
    let first = session.search(&Limits::playouts(50_000), &Stop::default()).unwrap();
    let state = game.initial().play(first.best().unwrap()).unwrap();
    session.set_position(&state).unwrap();
    let stop = Stop::default();
    stop.request();
    let kept = session.search(&Limits::none(), &stop).unwrap();
    assert!(kept.report().is_stopped && kept.playouts() > 1000, "{}", kept.playouts());
}

#[test]
fn methods_have_names() {
    assert_eq!("uct".parse::<Method>().unwrap(), Method::Uct);
    assert!(Method::ALL.iter().all(|method| !method.about().is_empty()));
    assert!("minimax".parse::<Method>().unwrap_err().to_string().contains("possible: uct"));
}
