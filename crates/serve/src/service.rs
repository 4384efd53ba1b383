//! What all routes share.

use std::error::Error as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use axum::body::{Bytes, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use boughs::tree::Tree;
use http_body_util::LengthLimitError;
use serde::Serialize;
use tokio::time::timeout;

use crate::media::{self, Content};
use crate::metrics::Metrics;
use crate::models::{Models, NamedParser};
use crate::refusal::Refusal;
use crate::settings::{Limits, Settings};
use crate::team::{Bench, Team, Turn, answer};
use crate::training::Runs;

/// What a service has to offer.
#[derive(Debug, Default)]
pub struct Offer {
    /// The parsers; the first is for requests that name none.
    pub parsers: Vec<NamedParser>,
    /// Treebanks for the page.
    pub treebanks: Vec<NamedTreebank>,
    /// Runs of training that the page shows.
    pub runs: Arc<Runs>,
    /// Reports of experiments.
    pub reports: Vec<Report>,
}

/// A treebank with its name.
#[derive(Debug)]
pub struct NamedTreebank {
    /// By which the page asks for it.
    pub name: String,
    /// Its trees.
    pub trees: Vec<Tree>,
}

/// The report of an experiment, a page by itself.
#[derive(Debug)]
pub struct Report {
    /// By which the page asks for it.
    pub name: String,
    /// Where it is; it may change while the service runs.
    pub path: PathBuf,
}

/// What all routes share.
pub(crate) struct Service {
    pub(crate) models: Arc<Models>,
    pub(crate) team: Team,
    pub(crate) limits: Limits,
    pub(crate) token: Option<String>,
    pub(crate) metrics: Metrics,
    /// Whether only this machine can reach it.
    pub(crate) is_local: bool,
    pub(crate) is_ending: AtomicBool,
    /// How many sentences of a request are in the queue at a time.
    pub(crate) window: usize,
    pub(crate) treebanks: Vec<NamedTreebank>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) reports: Vec<Report>,
}

/// The body of a request, and what is known of it.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) content: Content,
    pub(crate) query: String,
    pub(crate) body: Bytes,
}

impl Service {
    pub(crate) fn new(settings: &Settings, offer: Offer) -> boughs::Result<Self> {
        let Offer { parsers, treebanks, runs, reports } = offer;
        let models = Arc::new(Models::new(parsers, &settings.limits)?);
        let team = Team::new(&models, settings.num_threads, settings.limits.max_requests)
            .map_err(|error| boughs::Error::io("start threads", error))?;
        Ok(Self {
            models,
            team,
            limits: settings.limits.clone(),
            token: settings.token.clone(),
            metrics: Metrics::default(),
            is_local: settings.host.is_loopback(),
            is_ending: AtomicBool::new(false),
            window: 4 * settings.num_threads.max(1),
            treebanks,
            runs,
            reports,
        })
    }

    /// Reads the body of a request, within the limits.
    pub(crate) async fn receive(&self, request: Request) -> Result<Received, Refusal> {
        let (head, body) = request.into_parts();
        let header = |name| head.headers.get(name).and_then(|value| value.to_str().ok());
        let length = header(CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
        if length.is_some_and(|length| length > self.limits.max_body as u64) {
            return Err(self.too_large());
        }
        let content = Content::of(header(CONTENT_TYPE));
        let query = head.uri.query().unwrap_or_default().to_owned();
        let read = timeout(self.limits.client_time, to_bytes(body, self.limits.max_body)).await;
        let body = read.map_err(|_| too_slow(self.limits.client_time))?.map_err(|error| {
            let is_too_large = error.source().is_some_and(<dyn std::error::Error>::is::<LengthLimitError>);
            if is_too_large { self.too_large() } else { Refusal::malformed("the body broke off") }
        })?;
        Ok(Received { content, query, body })
    }

    fn too_large(&self) -> Refusal {
        let most = self.limits.max_body;
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the request is larger than {most} bytes"))
            .hint("send less at a time, or start the service with a higher --max-body")
    }

    /// Reads a request and does something with it, in a thread of the team. The place that it has comes back, for what
    /// else there is to do.
    pub(crate) async fn begin<T: Send + 'static>(
        &self,
        request: Request,
        task: impl FnOnce(&mut Bench<'_>, Received) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<(Turn, T), Refusal> {
        let received = self.receive(request).await?;
        let turn = self.team.admit()?;
        let done = answer(turn.ask(move |bench| task(bench, received))).await?;
        Ok((turn, done))
    }
}

fn too_slow(time: Duration) -> Refusal {
    let message = format!("the request did not come within {} s", time.as_secs_f64());
    Refusal::new(StatusCode::REQUEST_TIMEOUT, message)
}

/// An answer of JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<Response, Refusal> {
    let text = serde_json::to_string(value).map_err(|_| Refusal::fault())?;
    Ok(json_text(text))
}

/// An answer that is JSON already.
pub(crate) fn json_text(text: String) -> Response {
    ([(CONTENT_TYPE, media::JSON)], text).into_response()
}
