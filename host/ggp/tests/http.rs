//! Both ends of the protocol's HTTP, over loopback.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ruche_ggp::http::{Call, Closer, Reply, ServerLimits};
use ruche_ggp::{Address, CallError, Server, call};

struct Running {
    place: SocketAddr,
    closer: Closer,
    thread: Option<thread::JoinHandle<()>>,
    asked: Arc<AtomicUsize>,
}

impl Running {
    /// A server that says in capitals what it is told; `(sleep)` takes a while.
    fn new(limits: ServerLimits) -> Self {
        let server = Server::bind("127.0.0.1", 0, limits).unwrap();
        let (place, closer) = (server.address(), server.closer());
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let answer = move |request: ruche_ggp::Request| {
            count.fetch_add(1, Ordering::Relaxed);
            if request.text == "(sleep)" {
                thread::sleep(Duration::from_millis(500));
            }
            request.text.to_uppercase()
        };
        let thread = Some(thread::spawn(move || server.run(answer)));
        Self { place, closer, thread, asked }
    }

    fn address(&self) -> Address {
        format!("http://{}", self.place).parse().unwrap()
    }

    fn call(&self, text: &str) -> Result<String, CallError> {
        let until = Instant::now() + Duration::from_secs(30);
        call(&self.address(), text, until).map(|called| called.text)
    }

    /// What comes back for these bytes.
    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.place).unwrap();
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.closer.close();
        self.thread.take().unwrap().join().unwrap();
    }
}

#[test]
fn a_text_is_asked_and_answered() {
    let server = Running::new(ServerLimits::default());
    assert_eq!(server.call("(info)").unwrap(), "(INFO)");
    let long = "x".repeat(800_000);
    assert_eq!(server.call(&long).unwrap(), long.to_uppercase());
}

#[test]
fn requests_of_other_programs_are_read() {
    let server = Running::new(ServerLimits::default());
    for request in [
        "POST / HTTP/1.0\nContent-length: 3\n\nabc",
        "POST /x HTTP/1.1\r\nHost: x\r\nCONTENT-LENGTH:3\r\n\r\nabcdef",
        "POST / HTTP/1.1\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\nabc",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n",
    ] {
        assert!(server.raw(request.as_bytes()).ends_with("ABC"), "{request}");
    }
}

#[test]
fn a_list_of_the_old_version_ends_where_its_parentheses_do() {
    let server = Running::new(ServerLimits::default());
    let old = |text: &str| format!("POST / HTTP/1.0\r\n\r\n{text}");
    let list = "(play m ; a comment with )\n ((mark 1 1) noop))";
    assert!(server.raw(old(list).as_bytes()).ends_with(&list.to_uppercase()));
    let mut stream = TcpStream::connect(server.place).unwrap();
    stream.write_all(old("info").as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.ends_with("INFO"), "{answer}");
    let long = Running::new(ServerLimits { body: 1000, ..ServerLimits::default() });
    assert!(long.raw(old(&"(".repeat(100_000)).as_bytes()).contains("413"));
}

/// What a caller makes of an answer of these bytes, after which the connection stays open.
fn called(answer: &'static str) -> Result<String, CallError> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut stream = listener.accept().unwrap().0;
            stream.write_all(answer.as_bytes()).unwrap();
            // Until whoever called hangs up.
            let _ = stream.read_to_end(&mut Vec::new());
        });
        call(&address, "(info)", Instant::now() + Duration::from_secs(30)).map(|called| called.text)
    })
}

#[test]
fn answers_of_other_programs_are_read() {
    for answer in [
        "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\ncontent-length: 6\r\n\r\nready\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n2\r\nre\r\n3\r\nady\r\n0\r\n\r\n",
        "HTTP/1.0 202 Accepted\nContent-Length: 7\n\n ready\n",
    ] {
        assert_eq!(called(answer).unwrap(), "ready", "{answer}");
    }
    for answer in [
        "HTTP/1.1 500 No\r\nContent-Length: 5\r\n\r\nready",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nready\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\nready",
    ] {
        let error = called(answer).unwrap_err();
        assert!(matches!(error, CallError::Form { .. }), "{answer}: {error}");
    }
}

#[test]
fn what_is_no_request_is_refused_by_name() {
    let server = Running::new(ServerLimits::default());
    let refused = |bytes: &[u8]| server.raw(bytes);
    assert!(refused(b"GET / HTTP/1.1\r\n\r\n").contains("400"));
    assert!(refused(b"\x00\x01\x02\r\n\r\n").contains("400"));
    assert!(refused(b"POST / HTTP/1.1\r\n\r\n").contains("411"));
    assert!(refused(b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n").contains("411"));
    assert!(refused(b"POST / HTTP/1.1\r\nContent-Length: 100000000\r\n\r\n").contains("413"));
    let chunk = |text: &str| format!("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n{text}");
    assert!(refused(chunk("fffffff\r\n").as_bytes()).contains("413"));
    assert!(refused(chunk("many\r\n").as_bytes()).contains("400"));
    assert!(refused(chunk(&"1".repeat(500)).as_bytes()).contains("400"));
    let endless = format!("POST / HTTP/1.1\r\nX: {}", "y".repeat(20_000));
    assert!(refused(endless.as_bytes()).contains("413"));
    assert_eq!(server.asked.load(Ordering::Relaxed), 0);
    assert_eq!(server.call("a").unwrap(), "A");
}

#[test]
fn whoever_is_slow_is_cut_off_and_disturbs_nobody() {
    let time = Duration::from_millis(300);
    let server = Running::new(ServerLimits { time, ..ServerLimits::default() });
    let mut slow = TcpStream::connect(server.place).unwrap();
    slow.write_all(b"POST / HTTP/1.0\r\nContent-Length: 99\r\n\r\n").unwrap();
    for _ in 0..100 {
        // Each byte comes in time, the text never does.
        if slow.write_all(b"x").is_err() {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.call("a").unwrap(), "A");
    let mut answer = String::new();
    let _ = slow.read_to_string(&mut answer);
    assert!(answer.is_empty() || answer.contains("408"), "{answer}");
    assert_eq!(server.asked.load(Ordering::Relaxed), 1, "the slow one was never heard");
}

#[test]
fn a_crowd_of_silent_connections_keeps_nobody_out() {
    let server = Running::new(ServerLimits { reading: 16, ..ServerLimits::default() });
    let crowd: Vec<TcpStream> =
        (0..200).filter_map(|_| TcpStream::connect(server.place).ok()).collect();
    for _ in 0..20 {
        assert_eq!(server.call("a").unwrap(), "A");
    }
    drop(crowd);
    assert_eq!(server.call("b").unwrap(), "B");
}

#[test]
fn too_many_that_are_answered_are_told_so() {
    let server = Running::new(ServerLimits { answering: 1, ..ServerLimits::default() });
    thread::scope(|scope| {
        let sleeper = scope.spawn(|| server.call("(sleep)"));
        while server.asked.load(Ordering::Relaxed) == 0 {
            thread::yield_now();
        }
        let refused = server.call("a").unwrap_err().to_string();
        assert!(refused.contains("503"), "{refused}");
        assert_eq!(sleeper.join().unwrap().unwrap(), "(SLEEP)");
    });
    assert_eq!(server.call("a").unwrap(), "A");
}

#[test]
fn long_texts_share_their_room() {
    let limits = ServerLimits { bodies: 100_000, ..ServerLimits::default() };
    let server = Running::new(limits);
    let refused = server.call(&"x".repeat(1 << 20)).unwrap_err().to_string();
    assert!(refused.contains("503") || refused.contains("hung up"), "{refused}");
    assert!(server.call(&"x".repeat(150_000)).is_ok(), "room is given back");
}

#[test]
fn a_call_ends_when_its_time_is_over() {
    let server = Running::new(ServerLimits::default());
    let until = Instant::now() + Duration::from_millis(50);
    let late = call(&server.address(), "(sleep)", until);
    assert!(matches!(late, Err(CallError::Late { .. })), "{late:?}");
    let nobody: Address = "http://127.0.0.1:1".parse().unwrap();
    let error = call(&nobody, "(info)", Instant::now() + Duration::from_secs(5)).unwrap_err();
    assert!(error.to_string().contains("is the player running?"), "{error}");
}

#[test]
fn whatever_is_asked_for_is_served_with_its_kind() {
    let server = Server::bind("127.0.0.1", 0, ServerLimits::default()).unwrap();
    let (place, closer) = (server.address(), server.closer());
    let thread = thread::spawn(move || {
        server.serve(|Call { method, target, text, .. }| Reply {
            status: "200 OK",
            kind: "text/html; charset=utf-8",
            headers: &[("X-Sort", "none")],
            text: format!("{method} {target} {text}").into_bytes(),
        });
    });
    let asked = |bytes: &str| {
        let mut stream = TcpStream::connect(place).unwrap();
        stream.write_all(bytes.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let answer = asked("GET /a?b=1 HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.0 200 OK\r\nContent-Type: text/html"), "{answer}");
    assert!(answer.contains("\r\nX-Sort: none\r\n\r\n"), "{answer}");
    assert!(answer.ends_with("GET /a?b=1 "), "{answer}");
    let answer = asked("POST /do HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}");
    assert!(answer.ends_with("POST /do {}"), "{answer}");
    assert!(asked("PUT / HTTP/1.1\r\nContent-Length: 0\r\n\r\n").contains(" 400 "));
    assert!(asked("GET / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n").contains(" 413 "));
    closer.close();
    thread.join().unwrap();
}
