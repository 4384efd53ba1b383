//! What a service is bound by.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

/// Where a service listens, who may ask, and how much.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The address. Default: 127.0.0.1, which only this machine can reach.
    pub host: IpAddr,
    /// The port; 0 for any that is free. Default: 9000, that of CoreNLP's server.
    pub port: u16,
    /// What a request must bring as `Authorization: Bearer TOKEN`. Default: nothing.
    pub token: Option<String>,
    /// Threads that parse. Default: 1.
    pub num_threads: usize,
    /// The bounds.
    pub limits: Limits,
}

/// How much is taken from a client, and for how long.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The most bytes of a request. Default: 1 MiB.
    pub max_body: usize,
    /// The most words of a sentence. Default: 500.
    pub max_words: usize,
    /// The time for a sentence, after which the best tree that was found is taken. Default: 10 s.
    pub sentence_time: Duration,
    /// The most requests that are worked on or wait; others are told to come again. Default: 256.
    pub max_requests: usize,
    /// The most connections; others wait to be accepted. Default: 1024.
    pub max_connections: usize,
    /// The time a client may take to send the head of a request, and again for the rest; to take a part of an answer;
    /// and to leave a connection unused. Default: 20 s.
    pub client_time: Duration,
    /// The most parses of a sentence. Default: 50.
    pub max_n_best: usize,
    /// The time for requests that were accepted when the service is asked to end. Default: 60 s.
    pub ending_time: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 9000,
            token: None,
            num_threads: 1,
            limits: Limits::default(),
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_body: 1 << 20,
            max_words: 500,
            sentence_time: Duration::from_secs(10),
            max_requests: 256,
            max_connections: 1024,
            client_time: Duration::from_secs(20),
            max_n_best: 50,
            ending_time: Duration::from_secs(60),
        }
    }
}
