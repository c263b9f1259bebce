//! The page, in a real browser.

#[path = "page/browser.rs"]
mod browser;
mod support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use browser::{Browser, Look};
use serde_json::json;

const WALL: Look = Look { width: 1400, height: 900, scheme: "light" };
const PHONE: Look = Look { width: 360, height: 740, scheme: "dark" };

/// A page that is being served.
struct Served {
    process: Child,
    address: String,
}

impl Served {
    fn new(arguments: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_ruche"))
            .args(arguments)
            .arg("--page")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("ruche starts");
        let mut address = String::new();
        let mut output = BufReader::new(process.stdout.take().expect("a pipe"));
        output.read_line(&mut address).expect("an address");
        let address = address.trim().to_owned();
        assert!(address.starts_with("http://127.0.0.1:"), "{address}");
        Self { process, address }
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
    for game in ["tictactoe", "connectfour", "breakthrough", "othello"] {
        for look in [WALL, PHONE] {
            let served = Served::new(&["play", game, "--seconds", "0.2"]);
            let mut browser = Browser::open(&served.address, look);
            browser.wait("document.querySelector('#boards.mine .cell')");
            picture(&mut browser, &format!("{game}-{}-first", look.width));
            play(&mut browser);
            picture(&mut browser, &format!("{game}-{}-last", look.width));
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
