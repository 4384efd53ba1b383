//! What clients cannot do to a service.

mod common;

use std::io::{Read, Write};
use std::thread;
use std::time::{Duration, Instant};

use boughs_serve::{Limits, Settings};
use common::{Reply, read_reply, request_text, settings, start};
use serde_json::json;

fn limited(limits: Limits) -> Settings {
    Settings { limits, ..settings() }
}

#[test]
fn bodies_are_bounded() {
    let service = start(&limited(Limits { max_body: 1000, max_words: 10, ..Limits::default() }));
    let long = "a ".repeat(600);
    assert_eq!(service.text("/parse", &long).status, 413);
    let mut chunked =
        "POST /parse HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".to_owned();
    for _ in 0..3 {
        chunked.push_str(&format!("1c2\r\n{}\r\n", "b".repeat(0x1c2)));
    }
    assert_eq!(service.send((chunked + "0\r\n\r\n").as_bytes()).status, 413);
    let claims = "POST /parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\nabc";
    assert_eq!(service.send(claims.as_bytes()).status, 413);
    let many_words = service.text("/parse", "We saw one two three four five six seven eight nine oaks.");
    assert_eq!(many_words.status, 413);
    assert!(
        many_words.json()["error"].as_str().is_some_and(|error| error.contains("13 words")),
        "{many_words:?}"
    );
    assert_eq!(service.send(b"POST /parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\n\xFF\xFE").status, 400);
    assert_eq!(service.text("/parse", "It rains.").status, 200);
    service.stop();
}

#[test]
fn too_many_requests_are_told_to_come_again() {
    let limits = Limits { max_requests: 1, ..Limits::default() };
    let service = start(&Settings { num_threads: 1, ..limited(limits) });
    let lines = vec!["The old oak in the park behind the house grows slowly, and we like it."; 300];
    let long = json!({ "lines": lines, "format": "ndjson" }).to_string();
    let head = "Content-Type: application/json\r\n";
    let mut first = service.connect();
    first.write_all(request_text("POST", "/parse", head, &long).as_bytes()).expect("sent");
    let mut begun = [0; 12];
    first.read_exact(&mut begun).expect("an answer begins");
    let second = service.text("/parse", "It rains.");
    assert_eq!((second.status, second.header("retry-after")), (429, Some("1")));
    assert_eq!(service.get("/live").status, 200);
    // Whoever goes makes room for others.
    drop(first);
    let deadline = Instant::now() + Duration::from_secs(20);
    while service.text("/parse", "It rains.").status != 200 {
        assert!(Instant::now() < deadline, "the place is never free again");
        thread::sleep(Duration::from_millis(50));
    }
    service.stop();
}

#[test]
fn short_requests_do_not_wait_for_long_ones() {
    let service = start(&Settings { num_threads: 1, ..settings() });
    let lines = vec!["The old oak in the park behind the house grows slowly, and we like it."; 400];
    let long = json!({ "lines": lines, "format": "ndjson" });
    let address = service.address;
    thread::scope(|scope| {
        let long = scope.spawn(|| {
            let reply = service.json("/parse", &long);
            (reply.body.lines().count(), Instant::now())
        });
        thread::sleep(Duration::from_millis(100));
        assert_eq!(service.text("/parse", "It rains.").status, 200);
        let short_done = Instant::now();
        let (num_lines, long_done) = long.join().expect("it is answered");
        assert_eq!(num_lines, 400);
        assert!(short_done < long_done, "{address}");
    });
    service.stop();
}

#[test]
fn who_stalls_is_cut_off() {
    let service = start(&limited(Limits { client_time: Duration::from_millis(400), ..Limits::default() }));
    for half in [
        "POST /par",
        "POST /parse HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
        "POST /parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf a requ",
        "",
    ] {
        let mut stream = service.connect();
        stream.write_all(half.as_bytes()).expect("sent");
        let started = Instant::now();
        let Reply { status, .. } = read_reply(&mut stream);
        assert!([0, 408].contains(&status), "{half}: {status}");
        assert!(started.elapsed() < Duration::from_secs(10), "{half}");
    }
    service.stop();
}

#[test]
fn who_takes_no_answer_is_cut_off() {
    let limits = Limits { client_time: Duration::from_millis(500), max_body: 8 << 20, ..Limits::default() };
    let service = start(&limited(limits));
    // More than the buffers of both sides take.
    let lines = vec!["Oak."; 60_000];
    let body = json!({ "lines": lines, "format": "ndjson" }).to_string();
    let mut stream = service.connect();
    let head = "Content-Type: application/json\r\n";
    stream.write_all(request_text("POST", "/parse", head, &body).as_bytes()).expect("sent");
    let deadline = Instant::now() + Duration::from_secs(120);
    let is_cut_off = || service.get("/metrics").body.lines().any(|line| line == "boughs_cut_off_total 1");
    while !is_cut_off() {
        assert!(Instant::now() < deadline, "it waits for ever: {}", service.get("/metrics").body);
        thread::sleep(Duration::from_millis(200));
    }
    assert!(service.get("/metrics").body.contains("boughs_requests_in_flight 0"));
    drop(stream);
    service.stop();
}

#[test]
fn only_those_with_the_token_are_answered() {
    let service = start(&Settings { token: Some("oak and elm".to_owned()), ..settings() });
    assert_eq!(service.text("/parse", "It rains.").status, 401);
    assert_eq!(service.get("/models").status, 401);
    assert_eq!(service.get("/metrics").status, 401);
    assert_eq!(service.text("/", "It rains.").status, 401);
    assert_eq!((service.get("/").status, service.get("/live").status), (200, 200));
    let with = |token: &str| {
        service.request("POST", "/parse", &format!("Authorization: Bearer {token}\r\n"), "It rains.")
    };
    assert_eq!((with("oak").status, with("oak and elm").status), (401, 200));
    service.stop();
}

#[test]
fn names_of_other_hosts_are_refused() {
    let service = start(&settings());
    let request =
        "POST /parse HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\nContent-Length: 1\r\n\r\na";
    assert_eq!(service.send(request.as_bytes()).status, 403);
    service.stop();
}

#[test]
fn what_was_accepted_is_answered_at_the_end() {
    let service = start(&settings());
    let stopper = service.stopper();
    let ask = || {
        let lines = vec!["The old oak in the park behind the house grows slowly."; 20];
        service.json("/parse", &json!({ "lines": lines }))
    };
    thread::scope(|scope| {
        let asked: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        thread::sleep(Duration::from_millis(30));
        stopper.stop();
        for reply in asked {
            let reply = reply.join().expect("it is answered");
            assert_eq!((reply.status, reply.json()["parses"].as_array().map(Vec::len)), (200, Some(20)));
        }
    });
    let address = service.address;
    service.stop();
    assert!(std::net::TcpStream::connect(address).is_err());
}
