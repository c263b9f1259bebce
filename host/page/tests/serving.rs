//! What a page answers to whom.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;

use ruche_game::Game;
use ruche_page::{Mode, Page, Seat, Setup};
use ruche_picture::Boards;
use ruche_rules::Rules;
use ruche_search::{Limits, Stop};
use serde_json::{Value, json};

fn setup(game: &str, seats: &[&str]) -> Setup {
    let source = Game::source(game).unwrap();
    let rules = Rules::load(game, &source).unwrap();
    let description = Game::describe(game, &source).unwrap();
    let limits = Limits::playouts(100);
    Setup {
        game: game.to_owned(),
        boards: Arc::new(Boards::find(&rules, Some(&description))),
        rules,
        joints: Vec::new(),
        seats: seats.iter().map(|text| Seat::parse(text, limits).unwrap()).collect(),
        names: Vec::new(),
        limits,
        mode: Mode::Play,
    }
}

struct Client {
    place: String,
    path: String,
}

impl Client {
    fn new(page: &Page) -> Self {
        let address = page.address().strip_prefix("http://").unwrap();
        let (place, path) = address.split_once('/').unwrap();
        Self { place: place.to_owned(), path: format!("/{path}") }
    }

    fn raw(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.place).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn get(&self, what: &str) -> String {
        self.raw(&format!("GET {}{what} HTTP/1.1\r\nHost: x\r\n\r\n", self.path))
    }

    fn json(&self, what: &str) -> Value {
        let answer = self.get(what);
        assert!(answer.starts_with("HTTP/1.0 200"), "{what}: {answer}");
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    /// What is wrong with an order, or nothing.
    fn order(&self, order: &Value) -> String {
        let (path, text) = (&self.path, order.to_string());
        let length = text.len();
        let answer =
            self.raw(&format!("POST {path}do HTTP/1.1\r\nContent-Length: {length}\r\n\r\n{text}"));
        let text = answer.split_once("\r\n\r\n").unwrap().1;
        match serde_json::from_str::<Value>(text) {
            Ok(answer) => answer["refused"].as_str().unwrap_or_default().to_owned(),
            Err(_) => text.to_owned(),
        }
    }

    fn wait(&self, is_so: impl Fn(&Value) -> bool) -> Value {
        let mut state = self.json("state");
        while !is_so(&state) {
            state = self.json(&format!("state?after={}", state["version"]));
        }
        state
    }
}

#[test]
fn whoever_does_not_know_the_token_is_refused() {
    let page = Page::open(setup("tictactoe", &["person", "person"]), "127.0.0.1", 0).unwrap();
    let client = Client::new(&page);
    assert!(client.get("").contains("<!doctype html>"));
    let other: String = client.path.chars().map(|it| if it == '/' { it } else { '0' }).collect();
    for path in ["/", "/state", "/page.js", &other, &format!("{other}state"), "", "/x/../state"] {
        let answer = client.raw(&format!("GET {path} HTTP/1.1\r\n\r\n"));
        assert!(answer.contains(" 403 ") || answer.contains(" 400 "), "{path}: {answer}");
        assert!(!answer.contains("version"), "{path}: {answer}");
    }
    let answer = client.raw("POST /do HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}");
    assert!(answer.contains(" 403 "), "{answer}");
    assert!(client.get("nothing").contains(" 404 "));
    assert!(client.get("position?ply=9").contains(" 404 "));
    let long = format!("POST {}do HTTP/1.1\r\nContent-Length: 99999\r\n\r\n", client.path);
    assert!(client.raw(&long).contains(" 413 "));
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    let page = Page::open(setup("tictactoe", &["person", "person"]), "127.0.0.1", 0).unwrap();
    let client = Client::new(&page);
    for asset in ["", "page.css", "page.js", "board.js", "analysis.js", "drawing.js", "server.js"] {
        let text = client.get(asset);
        let (head, text) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("default-src 'none'"), "{asset}: {head}");
        assert!(head.contains("Referrer-Policy: no-referrer"), "{asset}: {head}");
        let text = text.replace("http://www.w3.org/2000/svg", "").replace("http://127.0.0.1", "");
        assert!(!text.contains("http://") && !text.contains("https://"), "{asset}");
    }
}

#[test]
fn moves_are_made_by_number_and_taken_back() {
    let page = Page::open(setup("tictactoe", &["person", "person"]), "127.0.0.1", 0).unwrap();
    let client = Client::new(&page);
    let go = |ply: u64, branch: u64, role: u64, number: u64| {
        client.order(
            &json!({ "do": "move", "ply": ply, "branch": branch, "role": role, "number": number }),
        )
    };
    assert_eq!(client.json("state")["waits"], json!([true, false]));
    assert_eq!(go(0, 0, 0, 4), "");
    assert_eq!(go(0, 0, 0, 4), "the game is elsewhere by now");
    assert_eq!(go(1, 0, 1, 99), "there is no such move");
    assert_eq!(go(1, 0, 9, 0), "there is no such role");
    let state = client.json("state");
    assert_eq!(state["moves"], json!([["(mark 2 2)", null]]));
    let view = client.json("position?ply=1");
    assert_eq!(view["played"], json!([{ "grid": 0, "column": 1, "row": 1 }]));
    assert_eq!(view["legal"][1].as_array().unwrap().len(), 8);
    assert_eq!(client.order(&json!({ "do": "back", "ply": 0 })), "");
    let state = client.json("state");
    assert_eq!((&state["ply"], &state["branch"]), (&json!(0), &json!(1)));
    assert_eq!(go(0, 0, 0, 4), "the game is elsewhere by now");
    assert!(client.order(&json!({ "do": "dance" })).contains("no order"));
    assert!(client.order(&json!({ "do": "back", "ply": 5 })).contains("no such position"));
    assert!(client.order(&json!({ "do": "seconds", "seconds": -1.0 })).contains("0.05 s"));
    assert!(client.order(&json!({ "do": "seat", "role": 0, "player": "me" })).contains("`me`"));
    assert_eq!(page.played().1, ["person", "person"]);
}

#[test]
fn others_play_until_the_game_is_over() {
    let page = Page::open(setup("tictactoe", &["random", "legal"]), "127.0.0.1", 0).unwrap();
    let (client, stop) = (Client::new(&page), Stop::default());
    thread::scope(|scope| {
        scope.spawn(|| page.drive(None, &stop));
        let state = client.wait(|state| state["is_over"] == json!(true));
        assert!(state["ply"].as_u64().unwrap() >= 5);
        assert!(state["goals"].is_array());
        let record = client.json("record.json");
        assert_eq!(record["players"], json!(["random", "legal"]));
        assert_eq!(record["end"], json!("terminal"));
        stop.request();
    });
}

#[test]
fn a_player_that_cannot_be_reached_pauses_the_game() {
    let seats = ["http://127.0.0.1:1", "person"];
    let page = Page::open(setup("tictactoe", &seats), "127.0.0.1", 0).unwrap();
    let (client, stop) = (Client::new(&page), Stop::default());
    thread::scope(|scope| {
        scope.spawn(|| page.drive(None, &stop));
        let state = client.wait(|state| state["trouble"].is_string());
        assert!(state["trouble"].as_str().unwrap().contains("cannot be reached"), "{state}");
        assert_eq!(state["is_paused"], json!(true));
        stop.request();
    });
}
