//! The page, in a real browser.

#[path = "page/browser.rs"]
mod browser;
mod support;

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use browser::{Browser, Look};
use serde_json::json;

const WALL: Look = Look { width: 1400, height: 900, scheme: "light" };
const PHONE: Look = Look { width: 360, height: 740, scheme: "dark" };
const DARK_WALL: Look = Look { scheme: "dark", ..WALL };
const LIGHT_PHONE: Look = Look { scheme: "light", ..PHONE };

/// A page that is being served, or a player; it ends with its test, also if that fails.
struct Served {
    process: Child,
    address: String,
    /// Nobody reads on, but whoever writes must not find it closed.
    _output: BufReader<Box<dyn Read>>,
}

impl Served {
    fn new(arguments: &[&str]) -> Self {
        Self::start(&[arguments, &["--page"]].concat())
    }

    fn start(arguments: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_ruche"))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("ruche starts");
        // A game says it on stdout, all others on stderr: a search has its result there.
        let output: Box<dyn Read> = match arguments[0] {
            "play" => Box::new(process.stdout.take().expect("a pipe")),
            _ => Box::new(process.stderr.take().expect("a pipe")),
        };
        let mut line = String::new();
        let mut output = BufReader::new(output);
        output.read_line(&mut line).expect("an address");
        let address = line.split_whitespace().last().unwrap_or_default().to_owned();
        assert!(address.starts_with("http://127.0.0.1:"), "{line}");
        Self { process, address, _output: output }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Writes a picture where somebody wants to look at it.
fn picture(browser: &mut Browser, name: &str) {
    if let Some(folder) = std::env::var_os("RUCHE_PICTURES") {
        let path = std::path::Path::new(&folder).join(format!("{name}.png"));
        std::fs::write(path, browser.picture()).expect("a picture");
    }
}

/// Pixels by which the page is wider than what is seen of it.
const OVERFLOW: &str =
    "document.documentElement.scrollWidth - document.documentElement.clientWidth";

/// Plays a game to its end by clicks: any cell that may be clicked, and then a target.
fn play(browser: &mut Browser) {
    loop {
        browser.wait(
            "!document.getElementById('verdict').hidden || \
             document.querySelector('#boards.mine .target, #boards.mine .source')",
        );
        if browser.value("document.getElementById('verdict').hidden") == json!(false) {
            return;
        }
        let before = browser.value("document.querySelectorAll('#moves li').length");
        if browser.value("document.querySelector('.target') === null") == json!(true) {
            browser.click(".source");
            browser.wait("document.querySelector('.target')");
        }
        browser.click(".target");
        browser.wait(&format!("document.querySelectorAll('#moves li').length > {before}"));
    }
}

#[test]
fn a_game_is_played_by_clicks() {
    if !Browser::is_here() {
        return;
    }
    for (game, looks) in [
        ("tictactoe", &[WALL, DARK_WALL, PHONE, LIGHT_PHONE][..]),
        ("connectfour", &[WALL, PHONE]),
        ("breakthrough", &[DARK_WALL, LIGHT_PHONE]),
        ("othello", &[WALL, LIGHT_PHONE]),
    ] {
        for &look in looks {
            let served = Served::new(&["play", game, "--seconds", "0.2"]);
            let mut browser = Browser::open(&served.address, look);
            browser.wait("document.querySelector('#boards.mine .cell')");
            assert_eq!(browser.value(OVERFLOW), json!(0), "{game} is wider than {look:?}");
            picture(&mut browser, &format!("{game}-{}-{}-first", look.width, look.scheme));
            play(&mut browser);
            picture(&mut browser, &format!("{game}-{}-{}-last", look.width, look.scheme));
            assert!(browser.complaints.is_empty(), "{game}: {:?}", browser.complaints);
        }
    }
}

#[test]
fn a_game_is_played_with_keys_alone() {
    if !Browser::is_here() {
        return;
    }
    let served = Served::new(&["play", "tictactoe", "--role", "both"]);
    let mut browser = Browser::open(&served.address, WALL);
    browser.wait("document.querySelector('.cell[tabindex=\"0\"]')");
    browser.value("document.querySelector('.cell[tabindex=\"0\"]').focus()");
    browser.press("Enter");
    browser.wait("document.querySelectorAll('#moves li').length === 1");
    assert_eq!(browser.value("document.activeElement.dataset.cell"), json!("0 0 2"));
    browser.press("ArrowRight");
    browser.press("ArrowDown");
    browser.press("Enter");
    browser.wait("document.querySelectorAll('#moves li').length === 2");
    let label = browser.value("document.activeElement.getAttribute('aria-label')");
    assert_eq!(label, json!("2 2: o"));
    browser.press("u");
    browser.wait("document.querySelectorAll('#moves li').length === 1");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn thoughts_are_shown_while_the_engine_thinks() {
    if !Browser::is_here() {
        return;
    }
    for look in [WALL, PHONE, DARK_WALL, LIGHT_PHONE] {
        let served = Served::new(&["play", "breakthrough", "--role", "black", "--seconds", "30"]);
        let mut browser = Browser::open(&served.address, look);
        browser.wait("document.querySelectorAll('#bars .bar').length >= 3");
        let first_paint = browser.value("Number(document.body.dataset.painted)");
        println!("first paint beside a running search at {} px: {first_paint} ms", look.width);
        assert!(first_paint.as_f64().unwrap() < 20_000.0, "{first_paint}");
        let seen = "document.querySelector('#figures dd').textContent";
        let before = browser.value(seen);
        browser.wait(&format!("{seen} !== {before}"));
        browser.wait("document.querySelectorAll('.expected .step').length >= 2");
        browser.wait("document.querySelector('#clusters .state').textContent.includes('playouts')");
        browser.wait("parseFloat(document.querySelector('#clusters .fill').style.width) > 5");
        picture(&mut browser, &format!("thinking-{}-{}", look.width, look.scheme));
        browser.click("#now");
        browser.wait("document.querySelectorAll('#moves li').length === 1");
        browser.wait("document.querySelector('#boards.mine .source')");
        browser.click("#analyse");
        browser.wait("document.querySelector('#analysis.running')");
        browser.wait("document.querySelector('#analysis-title').textContent === 'Analysis'");
        picture(&mut browser, &format!("thinking-along-{}-{}", look.width, look.scheme));
        assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
    }
}

#[test]
fn a_game_that_was_played_is_looked_at() {
    if !Browser::is_here() {
        return;
    }
    let record = support::path("looked-at.json");
    let record = record.to_str().unwrap();
    support::ruche(&["referee", "connectfour", "legal", "random", "-o", record]);
    let served = Served::new(&["play", "connectfour", "--seconds", "0.2", "--record", record]);
    let mut browser = Browser::open(&served.address, WALL);
    let discs = "document.querySelectorAll('.disc').length";
    browser.wait(&format!("{discs} > 6"));
    let all = browser.value("Number(document.getElementById('slider').max)");
    assert_eq!(browser.value(discs), all);
    picture(&mut browser, "replay-1400");
    browser.press("Home");
    browser.wait(&format!("{discs} === 0"));
    browser.press("ArrowRight");
    browser.press("ArrowRight");
    browser.wait(&format!("{discs} === 2"));
    browser.click("#analyse");
    browser.wait("document.querySelectorAll('#bars .bar').length === 7");
    picture(&mut browser, "replay-analysed-1400");
    browser.click("#here");
    browser.wait("document.querySelector('#boards.mine .target')");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

#[test]
fn a_search_is_watched() {
    if !Browser::is_here() {
        return;
    }
    let moves = "(place 3 4); (place 3 5)";
    let search = ["search", "othello", "--seconds", "60", "--clusters", "2", "--moves", moves];
    let served = Served::new(&search);
    let mut browser = Browser::open(&served.address, WALL);
    browser.wait("document.querySelectorAll('#bars .bar').length >= 3");
    browser.wait("document.querySelectorAll('#clusters li').length === 2");
    assert_eq!(
        browser.value("document.getElementById('status').textContent"),
        json!("a search is running")
    );
    assert_eq!(browser.value("document.querySelector('.target, .source')"), json!(null));
    assert_eq!(browser.value("document.getElementById('choices').hidden"), json!(true));
    let seen = "document.querySelector('#figures dd').textContent";
    let before = browser.value(seen);
    browser.wait(&format!("{seen} !== {before}"));
    picture(&mut browser, "search-1400");
    browser.click("#previous");
    browser.wait("document.querySelectorAll('.disc').length === 5");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

/// Pictures to look at, of boards of all kinds: where somebody wants them.
#[test]
fn boards_of_all_kinds_are_drawn() {
    if !Browser::is_here() {
        return;
    }
    const LARGE: Look = Look { width: 2560, height: 1440, scheme: "dark" };
    for (game, cells) in [("hex", 81), ("nim", 0), ("eightpuzzle", 9), ("domineering", 64)] {
        let served = Served::new(&["play", game, "--seconds", "0.3"]);
        for look in [WALL, LARGE] {
            let mut browser = Browser::open(&served.address, look);
            browser.wait("document.querySelector('#beside li, .cell')");
            assert_eq!(browser.value("document.querySelectorAll('.cell').length"), json!(cells));
            browser.click("#analyse");
            browser.wait("document.querySelector('.bar')");
            picture(&mut browser, &format!("{game}-{}", look.width));
            if game == "eightpuzzle" {
                // The four beside the blank, and the blank itself.
                assert_eq!(browser.value("document.querySelectorAll('.target').length"), json!(5));
            }
            browser.click("#analyse");
            browser.wait("!document.getElementById('analyse').checked");
            assert!(browser.complaints.is_empty(), "{game}: {:?}", browser.complaints);
        }
    }
}

#[test]
fn a_player_elsewhere_takes_a_role() {
    if !Browser::is_here() {
        return;
    }
    let player = Served::start(&["player", "--port", "0"]);
    let served = Served::new(&["play", "tictactoe", "--role", "both", "--seconds", "1"]);
    let mut browser = Browser::open(&served.address, WALL);
    browser.wait("document.querySelectorAll('#players select').length === 3");
    browser.value(
        "(() => { const select = document.querySelectorAll('#players select')[1]; \
         select.value = ''; select.dispatchEvent(new Event('change')); })()",
    );
    browser.wait("document.activeElement.id === 'address-1'");
    let address = &player.address;
    browser.order("Input.insertText", json!({ "text": address }));
    browser.press("Enter");
    browser.wait(&format!("document.getElementById('players').textContent.includes({address:?})"));
    browser.click(".target");
    browser.wait("document.querySelectorAll('#moves li').length === 2");
    browser.wait("document.querySelector('#boards.mine .target')");
    picture(&mut browser, "elsewhere-1400");
    assert!(browser.complaints.is_empty(), "{:?}", browser.complaints);
}

/// What `toolchain/page-picture` shows in the README.
#[test]
#[ignore = "makes a picture, which is for people to judge"]
fn connect_four_poses() {
    const SMALL: Look = Look { width: 1180, height: 760, scheme: "light" };
    let moves = "(drop 4); (drop 4); (drop 4); (drop 3)";
    let served = Served::new(&[
        "play",
        "connectfour",
        "--role",
        "yellow",
        "--seconds",
        "20",
        "--moves",
        moves,
    ]);
    let mut browser = Browser::open(&served.address, SMALL);
    browser.wait("document.querySelectorAll('.expected .step').length >= 4");
    std::thread::sleep(std::time::Duration::from_secs(3));
    picture(&mut browser, "page");
}
