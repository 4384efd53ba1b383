//! What a service has done, as Prometheus reads it.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;

use crate::team::Team;

/// The upper bounds of the times that requests are counted by, in seconds.
const BOUNDS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 2.5, 10.0];

#[derive(Debug, Default)]
pub(crate) struct Metrics {
    requests: Mutex<BTreeMap<(&'static str, u16), u64>>,
    times: Mutex<Times>,
    pub(crate) sentences: AtomicU64,
    pub(crate) words: AtomicU64,
    pub(crate) connections: AtomicU64,
    pub(crate) open_connections: AtomicU64,
    pub(crate) cut_off: AtomicU64,
}

#[derive(Debug, Default, Clone, Copy)]
struct Times {
    counts: [u64; BOUNDS.len() + 1],
    sum: f64,
}

impl Metrics {
    /// Counts a request by its route, what came of it, and the time until its answer began.
    pub(crate) fn add(&self, route: &'static str, status: StatusCode, time: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        *requests.entry((route, status.as_u16())).or_default() += 1;
        drop(requests);
        let seconds = time.as_secs_f64();
        let place = BOUNDS.iter().position(|&bound| seconds <= bound).unwrap_or(BOUNDS.len());
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        times.counts[place] += 1;
        times.sum += seconds;
    }

    /// Everything, in the text format of Prometheus.
    pub(crate) fn text(&self, team: &Team) -> String {
        let mut out = String::new();
        // Strings take all that is written.
        let _ = self.write(team, &mut out);
        out
    }

    fn write(&self, team: &Team, out: &mut String) -> fmt::Result {
        head(out, "boughs_requests_total", "counter", "Requests, by route and status")?;
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for ((route, status), number) in requests {
            writeln!(out, "boughs_requests_total{{route=\"{route}\",status=\"{status}\"}} {number}")?;
        }
        self.write_times(out)?;
        let of = |number: &AtomicU64| number.load(Ordering::Relaxed);
        for (name, help, number) in [
            ("boughs_sentences_total", "Sentences asked for", of(&self.sentences)),
            ("boughs_words_total", "Words of these sentences", of(&self.words)),
            ("boughs_connections_total", "Connections", of(&self.connections)),
            (
                "boughs_cut_off_total",
                "Connections of clients that did not take their answer",
                of(&self.cut_off),
            ),
        ] {
            head(out, name, "counter", help)?;
            writeln!(out, "{name} {number}")?;
        }
        for (name, help, number) in [
            ("boughs_open_connections", "Connections that are open", of(&self.open_connections)),
            ("boughs_requests_in_flight", "Requests that are worked on or wait", team.num_requests() as u64),
            ("boughs_queue_length", "Tasks that wait for a thread", team.num_tasks() as u64),
        ] {
            head(out, name, "gauge", help)?;
            writeln!(out, "{name} {number}")?;
        }
        Ok(())
    }

    fn write_times(&self, out: &mut String) -> fmt::Result {
        let name = "boughs_request_seconds";
        let times = *self.times.lock().unwrap_or_else(PoisonError::into_inner);
        head(out, name, "histogram", "Time until an answer began")?;
        let mut number = 0;
        for (bound, count) in BOUNDS.iter().zip(times.counts) {
            number += count;
            writeln!(out, "{name}_bucket{{le=\"{bound}\"}} {number}")?;
        }
        let number: u64 = times.counts.iter().sum();
        writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {number}")?;
        writeln!(out, "{name}_sum {}\n{name}_count {number}", times.sum)
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) -> fmt::Result {
    writeln!(out, "# HELP {name} {help}.\n# TYPE {name} {kind}")
}
