//! A service on a free port, and a client that sends what it is told.
#![allow(clippy::allow_attributes, dead_code, reason = "every test file uses a part of it")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use boughs::parser::Parser;
use boughs::parser::built_in::ENGLISH_SMALL;
use boughs_serve::{NamedParser, NamedTreebank, Offer, Runs, Server, Settings, Stopper};
use serde_json::Value;

pub struct Running {
    pub address: SocketAddr,
    stopper: Stopper,
    thread: Option<JoinHandle<boughs::Result<()>>>,
}

/// What came back.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

pub fn parser() -> Parser {
    Parser::built_in(ENGLISH_SMALL).expect("it is built in")
}

/// The parser for English under two names, and two trees.
pub fn offer() -> Offer {
    let named = |name: &str| NamedParser { name: name.to_owned(), parser: parser() };
    let trees = ["(TOP (S (NP (NNS Oaks)) (VP (VBP grow)) (. .)))", "(TOP (NP (DT The) (NN elm)))"];
    let trees = trees.map(|tree| tree.parse().expect("a tree")).to_vec();
    Offer {
        parsers: vec![named("one"), named("two")],
        treebanks: vec![NamedTreebank { name: "trees".to_owned(), trees }],
        runs: Arc::new(Runs::default()),
        reports: Vec::new(),
    }
}

pub fn settings() -> Settings {
    Settings { port: 0, num_threads: 2, ..Settings::default() }
}

pub fn start(settings: &Settings) -> Running {
    start_with(settings, offer())
}

pub fn start_with(settings: &Settings, offer: Offer) -> Running {
    let server = Server::bind(settings, offer).expect("it listens");
    let (address, stopper) = (server.address().expect("an address"), server.stopper());
    Running { address, stopper, thread: Some(thread::spawn(|| server.run())) }
}

impl Running {
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        stream
    }

    /// Sends bytes, and reads until the other side closes.
    pub fn send(&self, bytes: &[u8]) -> Reply {
        let mut stream = self.connect();
        // The other side may have answered and closed before it has read everything.
        let _ = stream.write_all(bytes);
        read_reply(&mut stream)
    }

    pub fn get(&self, path: &str) -> Reply {
        self.request("GET", path, "", "")
    }

    pub fn text(&self, path: &str, text: &str) -> Reply {
        self.request("POST", path, "Content-Type: text/plain\r\n", text)
    }

    pub fn json(&self, path: &str, body: &Value) -> Reply {
        self.request("POST", path, "Content-Type: application/json\r\n", &body.to_string())
    }

    pub fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> Reply {
        self.send(request_text(method, path, headers, body).as_bytes())
    }

    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Ends it and waits for that.
    pub fn stop(mut self) {
        self.stopper.stop();
        let thread = self.thread.take().expect("it runs");
        thread.join().expect("it does not panic").expect("it ends well");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
    }
}

pub fn request_text(method: &str, path: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
    )
}

pub fn read_reply(stream: &mut TcpStream) -> Reply {
    let mut bytes = Vec::new();
    // A reset after the answer is no fault of the answer.
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8(bytes).expect("UTF-8");
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { joined(body) } else { body.to_owned() };
    Reply { status, head: head.to_owned(), body }
}

/// The chunks of a body as one.
fn joined(body: &str) -> String {
    let mut rest = body;
    let mut all = String::new();
    while let Some((length, behind)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).expect("a length");
        all.push_str(&behind[..length]);
        rest = behind.get(length + 2..).unwrap_or_default();
    }
    all
}
