//! Parsing over HTTP, and a web page to look at trees: `boughs serve`.
//!
//! The naive form is a handler that parses. Then a long text holds up everybody, a slow client holds a thread, and
//! whoever sends a gigabyte takes the memory. Here one thread does nothing but talk to the network; a fixed number of
//! threads parse, each with workers of its own; between them stands a queue that is fair to requests, and bounded. All
//! that a client can use up has a limit in [`Limits`].
//!
//! ```no_run
//! use boughs::parser::Parser;
//! use boughs_serve::{NamedParser, Offer, Server, Settings};
//!
//! let parser = Parser::load("my.model".as_ref())?;
//! let offer = Offer { parsers: vec![NamedParser { name: "mine".to_owned(), parser }], ..Offer::default() };
//! Server::bind(&Settings::default(), offer)?.run()?;
//! # Ok::<(), boughs::Error>(())
//! ```

mod answers;
mod connection;
mod corenlp;
mod media;
mod metrics;
mod models;
mod output;
mod queue;
mod refusal;
mod request;
mod routes;
mod server;
mod service;
mod settings;
mod team;
mod training;

pub use corenlp::{Properties, Splitting};
pub use media::Content;
pub use models::NamedParser;
pub use output::Format;
pub use refusal::Refusal;
pub use request::{GivenPhrase, GivenToken, GivenUnit, SentenceRequest};
pub use server::{Server, Stopper};
pub use service::{NamedTreebank, Offer, Report};
pub use settings::{Limits, Settings};
pub use training::{Run, Runs};
