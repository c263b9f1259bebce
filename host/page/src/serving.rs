//! Who may ask for what. Everything lies below a token that nobody can guess; whoever does
//! not know it is refused, whatever it asks.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use ruche_ggp::Server;
use ruche_ggp::http::{Call, Closer, Reply, ServerLimits};
use serde_json::json;

use crate::PageError;
use crate::scene::{Scene, Spotted, record};
use crate::table::{Order, Shared};

/// Whoever listens for a page.
pub(crate) struct Listening {
    pub address: String,
    pub closer: Closer,
    pub thread: JoinHandle<()>,
}

/// What a page takes from outside: orders are short, and few look at it.
const LIMITS: ServerLimits = ServerLimits {
    body: 16 << 10,
    bodies: 1 << 20,
    time: Duration::from_secs(10),
    reading: 64,
    answering: 32,
};

/// How long whoever asks for news is kept waiting where there are none.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of a token.
const TOKEN: usize = 16;

/// Listens from now on.
pub(crate) fn listen(shared: &Arc<Shared>, host: &str, port: u16) -> Result<Listening, PageError> {
    let server = Server::bind(host, port, LIMITS)?;
    let token = token()?;
    let (address, closer) = (format!("http://{}/{token}/", server.address()), server.closer());
    let door = Door { shared: Arc::clone(shared), token };
    let serve = move || server.serve(move |call| door.answer(&call));
    let thread = std::thread::Builder::new().name("page".to_owned()).spawn(serve);
    Ok(Listening { address, closer, thread: thread.map_err(PageError::Thread)? })
}

/// A word that nobody can guess.
fn token() -> Result<String, PageError> {
    let mut bytes = [0; TOKEN];
    getrandom::fill(&mut bytes).map_err(PageError::Token)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

struct Door {
    shared: Arc<Shared>,
    token: String,
}

/// Nothing is kept, nothing is loaded from elsewhere, nobody else shows the page or learns
/// its address.
const HEADERS: &[(&str, &str)] = &[
    ("Cache-Control", "no-store"),
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
         connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("Referrer-Policy", "no-referrer"),
    ("X-Content-Type-Options", "nosniff"),
];

const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";

/// What the page consists of.
const ASSETS: &[(&str, &str, &[u8])] = &[
    ("", "text/html; charset=utf-8", include_bytes!("../assets/page.html")),
    ("page.css", "text/css; charset=utf-8", include_bytes!("../assets/page.css")),
    ("icon.svg", "image/svg+xml", include_bytes!("../assets/icon.svg")),
    ("page.js", SCRIPT, include_bytes!("../assets/page.js")),
    ("board.js", SCRIPT, include_bytes!("../assets/board.js")),
    ("analysis.js", SCRIPT, include_bytes!("../assets/analysis.js")),
    ("drawing.js", SCRIPT, include_bytes!("../assets/drawing.js")),
    ("server.js", SCRIPT, include_bytes!("../assets/server.js")),
];
const SCRIPT: &str = "text/javascript; charset=utf-8";

fn reply(status: &'static str, kind: &'static str, text: impl Into<Vec<u8>>) -> Reply {
    Reply { status, kind, headers: HEADERS, text: text.into() }
}

fn found(value: &impl serde::Serialize) -> Reply {
    match serde_json::to_vec(value) {
        Ok(text) => reply("200 OK", JSON, text),
        Err(error) => reply("500 Internal Server Error", TEXT, error.to_string()),
    }
}

fn missing() -> Reply {
    reply("404 Not Found", TEXT, "there is no such thing here")
}

impl Door {
    fn answer(&self, call: &Call) -> Reply {
        let (path, question) = call.target.split_once('?').unwrap_or((&call.target, ""));
        let Some(path) = self.known(path) else {
            let text = "this page has a token in its address: open the address that was printed";
            return reply("403 Forbidden", TEXT, text);
        };
        match (call.method.as_str(), path) {
            ("GET", "state") => self.state(number(question, "after")),
            ("GET", "position") => self.position(number(question, "ply")),
            ("GET", "record.json") => {
                record(&self.shared).map_or_else(missing, |text| reply("200 OK", JSON, text))
            }
            ("POST", "do") => self.follow(&call.text),
            ("GET", path) => asset(path),
            _ => reply("405 Method Not Allowed", TEXT, "ask by GET, order by POST"),
        }
    }

    /// What is asked for, by somebody who knows the token.
    fn known<'a>(&self, path: &'a str) -> Option<&'a str> {
        let (token, rest) = path.strip_prefix('/')?.split_once('/')?;
        let is_long = token.len() == self.token.len();
        // Every letter is looked at, so that nobody learns by the time where the first
        // difference is.
        let pairs = token.bytes().zip(self.token.bytes());
        let differs = pairs.fold(0, |differs, (one, other)| differs | (one ^ other));
        (is_long && differs == 0).then_some(rest)
    }

    /// How the game stands, as soon as that is something else than somebody knows.
    fn state(&self, known: Option<u64>) -> Reply {
        let scene = self
            .shared
            .wait(PATIENCE, |table| (Some(table.version) != known).then(|| Scene::new(table)));
        found(&scene.unwrap_or_else(|| self.shared.with(Scene::new)))
    }

    fn position(&self, ply: Option<u64>) -> Reply {
        let ply = ply.and_then(|ply| usize::try_from(ply).ok());
        let spotted = ply.and_then(|ply| Spotted::find(&self.shared, ply));
        spotted.map_or_else(missing, |spotted| found(&spotted.view()))
    }

    fn follow(&self, text: &str) -> Reply {
        let order: Order = match serde_json::from_str(text) {
            Ok(order) => order,
            Err(error) => return reply("400 Bad Request", TEXT, format!("no order: {error}")),
        };
        match self.shared.change(|table| table.follow(order)) {
            Ok(()) => found(&json!({})),
            // No fault of HTTP, which browsers would log as one.
            Err(error) => found(&json!({ "refused": error.to_string() })),
        }
    }
}

fn asset(path: &str) -> Reply {
    let asset = ASSETS.iter().find(|(name, _, _)| *name == path);
    asset.map_or_else(missing, |(_, kind, text)| reply("200 OK", kind, *text))
}

/// The number that a question has under a name.
fn number(question: &str, name: &str) -> Option<u64> {
    let mut pairs = question.split('&').filter_map(|pair| pair.split_once('='));
    pairs.find(|(key, _)| *key == name)?.1.parse().ok()
}
