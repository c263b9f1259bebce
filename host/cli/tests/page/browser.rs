//! A browser without a window, told what to do over a pipe: Chromium's own protocol, one
//! JSON object behind the other with a zero byte between them.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The browser reads orders from its third and writes answers to its fourth file; a shell
/// makes these of its first two.
const START: &str = "exec chromium \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1";

const OPTIONS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
    // Nothing but this machine is reached.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/// How long something that is waited for may take: other tests have the machine too.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Browser {
    process: Child,
    orders: ChildStdin,
    answers: Receiver<Value>,
    number: u64,
    session: Option<String>,
    /// Errors and warnings on the console.
    pub complaints: Vec<String>,
    _profile: tempfile::TempDir,
}

/// How a page is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub width: u32,
    pub height: u32,
    pub scheme: &'static str,
}

impl Browser {
    /// Whether there is a browser; where there is none, that is said.
    pub fn is_here() -> bool {
        let found = Command::new("sh").args(["-c", "command -v chromium"]).output();
        let is_here = found.is_ok_and(|output| output.status.success());
        if !is_here {
            eprintln!("skipped: there is no chromium here");
        }
        is_here
    }

    /// Opens a page.
    pub fn open(address: &str, look: Look) -> Self {
        let profile = tempfile::tempdir().expect("a folder");
        let folder = format!("--user-data-dir={}", profile.path().display());
        let mut process = Command::new("sh")
            .args(["-c", START, "sh"])
            .args(OPTIONS)
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a browser");
        let orders = process.stdin.take().expect("a pipe");
        let mut pipe = BufReader::new(process.stdout.take().expect("a pipe"));
        let (told, answers) = channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            while pipe.read_until(0, &mut bytes).is_ok_and(|count| count > 0) {
                let message = serde_json::from_slice(bytes.strip_suffix(&[0]).unwrap_or(&bytes));
                if message.is_ok_and(|message| told.send(message).is_err()) {
                    return;
                }
                bytes.clear();
            }
        });
        let mut browser = Self {
            process,
            orders,
            answers,
            number: 0,
            session: None,
            complaints: Vec::new(),
            _profile: profile,
        };
        browser.visit(address, look);
        browser
    }

    fn visit(&mut self, address: &str, look: Look) {
        let target = self.order("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let session = self.order("Target.attachToTarget", target);
        self.session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log"] {
            self.order(&format!("{domain}.enable"), json!({}));
        }
        let Look { width, height, scheme } = look;
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.order("Emulation.setDeviceMetricsOverride", size);
        let scheme = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.order("Emulation.setEmulatedMedia", json!({ "features": [scheme] }));
        self.order("Page.navigate", json!({ "url": address }));
    }

    /// Does something, and waits until it is done.
    pub fn order(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let mut order = json!({ "id": self.number, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            order["sessionId"] = json!(session);
        }
        self.orders.write_all(format!("{order}\0").as_bytes()).expect("a browser that listens");
        loop {
            let answer = self.answers.recv_timeout(PATIENCE).expect("a browser that answers");
            if answer["id"] == self.number {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.note(&answer);
        }
    }

    /// Keeps what is wrong.
    fn note(&mut self, event: &Value) {
        let parameters = &event["params"];
        let is_wrong = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => {
                matches!(parameters["type"].as_str(), Some("error" | "warning"))
            }
            Some("Log.entryAdded") => {
                matches!(parameters["entry"]["level"].as_str(), Some("error" | "warning"))
            }
            _ => false,
        };
        if is_wrong {
            self.complaints.push(parameters.to_string());
        }
    }

    /// The value of an expression of JavaScript.
    pub fn value(&mut self, expression: &str) -> Value {
        let order =
            json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let result = self.order("Runtime.evaluate", order);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        let until = Instant::now() + PATIENCE;
        while self.value(&format!("Boolean({expression})")) != json!(true) {
            if Instant::now() >= until {
                let page = self.value("document.body?.innerText");
                panic!("never true: {expression}\n{page}\n{:?}", self.complaints);
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Clicks into the middle of the first element of a selector, with a real mouse.
    pub fn click(&mut self, selector: &str) {
        let place = self.value(&format!(
            "(() => {{ const it = document.querySelector({selector:?}); if (!it) return null; \
             it.scrollIntoView({{ block: 'center' }}); const box = it.getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ));
        assert!(place.is_array(), "nothing is {selector}");
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({
                "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1,
            });
            self.order("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses a key.
    pub fn press(&mut self, key: &str) {
        let text = if key == "Enter" { "\r" } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            let event = json!({ "type": kind, "key": key, "code": key, "text": text });
            self.order("Input.dispatchKeyEvent", event);
        }
    }

    /// A picture of what is seen, as PNG.
    pub fn picture(&mut self) -> Vec<u8> {
        let shot = self.order("Page.captureScreenshot", json!({ "format": "png" }));
        decoded(shot["data"].as_str().expect("a picture"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends when nobody tells it anything any more; this is faster.
        let _ = self.orders.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let until = Instant::now() + Duration::from_secs(5);
        while Instant::now() < until && matches!(self.process.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(20));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The bytes of a text in base 64.
fn decoded(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let values = text.bytes().filter_map(|it| LETTERS.iter().position(|known| *known == it));
    let values: Vec<usize> = values.collect();
    let group = |group: &[usize]| -> Vec<u8> {
        let whole = (0..4).fold(0, |all, at| all << 6 | group.get(at).copied().unwrap_or(0));
        (0..group.len() - 1).map(|at| (whole >> (16 - 8 * at)) as u8).collect()
    };
    values.chunks(4).filter(|it| it.len() > 1).flat_map(group).collect()
}
