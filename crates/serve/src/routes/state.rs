//! What a service tells about itself, its page, and what the page watches.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use serde_json::json;
use tokio::time::{Interval, interval};

use crate::media::{self, pairs};
use crate::models::Model;
use crate::refusal::Refusal;
use crate::service::{Service, json as answer_json};
use crate::team::{Answer, Turn, answer};

/// How often the page learns what is new.
const TICK: Duration = Duration::from_millis(500);

fn file(kind: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, kind)], text).into_response()
}

pub(super) async fn page() -> Response {
    file(media::HTML, include_str!("../../page/index.html"))
}

pub(super) async fn script() -> Response {
    let text = concat!(
        include_str!("../../page/tree.js"),
        include_str!("../../page/parse.js"),
        include_str!("../../page/treebank.js"),
        include_str!("../../page/training.js"),
        include_str!("../../page/start.js"),
    );
    file(media::SCRIPT, text)
}

pub(super) async fn style() -> Response {
    file(media::CSS, include_str!("../../page/page.css"))
}

pub(super) async fn description() -> Response {
    file(media::JSON, include_str!("../../page/openapi.json"))
}

/// It runs.
pub(super) async fn live() -> Response {
    file(media::TEXT, "live\n")
}

/// It takes requests. Models are loaded before it listens.
pub(super) async fn readiness(State(service): State<Arc<Service>>) -> Response {
    match service.is_ending.load(Ordering::Relaxed) {
        false => file(media::TEXT, "ready\n"),
        true => (StatusCode::SERVICE_UNAVAILABLE, file(media::TEXT, "ending\n")).into_response(),
    }
}

pub(super) async fn metrics(State(service): State<Arc<Service>>) -> Response {
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(CONTENT_TYPE, kind)], service.metrics.text(&service.team)).into_response()
}

pub(super) async fn models(State(service): State<Arc<Service>>) -> Result<Response, Refusal> {
    answer_json(&json!({ "models": service.models.iter().map(Model::record).collect::<Vec<_>>() }))
}

/// The runs of training, with their steps.
pub(super) async fn training(State(service): State<Arc<Service>>) -> Result<Response, Refusal> {
    let turn = service.team.admit()?;
    let runs = Arc::clone(&service.runs);
    let text = answer(turn.ask(move |_| Ok(runs.to_json()))).await?;
    Ok(crate::service::json_text(text))
}

/// The same, again whenever something changes.
pub(super) async fn training_events(State(service): State<Arc<Service>>) -> Response {
    let events = TrainingEvents { service, clock: interval(TICK), asked: None, last: String::new() };
    ([(CONTENT_TYPE, media::EVENTS)], Body::new(events)).into_response()
}

/// Events for a browser; they end with the service. Files are read by the team, as a request of its own each time.
struct TrainingEvents {
    service: Arc<Service>,
    clock: Interval,
    asked: Option<(Turn, Answer<String>)>,
    last: String,
}

impl TrainingEvents {
    /// What there is now, once it is known.
    fn poll_runs(&mut self, context: &mut Context<'_>) -> Poll<String> {
        loop {
            if let Some((_, answer)) = &mut self.asked {
                let answered = ready!(Pin::new(answer).poll(context));
                self.asked = None;
                if let Ok(Ok(runs)) = answered {
                    return Poll::Ready(runs);
                }
            }
            ready!(self.clock.poll_tick(context));
            // If there is no place for it, there is a next time.
            self.asked = self.service.team.admit().ok().map(|turn| {
                let runs = Arc::clone(&self.service.runs);
                let answer = turn.ask(move |_| Ok(runs.to_json()));
                (turn, answer)
            });
        }
    }
}

impl hyper::body::Body for TrainingEvents {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        loop {
            let now = ready!(self.poll_runs(context));
            if self.service.is_ending.load(Ordering::Relaxed) {
                return Poll::Ready(None);
            }
            if now != self.last {
                let event = format!("data: {now}\n\n");
                self.last = now;
                return Poll::Ready(Some(Ok(Frame::data(event.into()))));
            }
        }
    }
}

/// The reports of experiments.
pub(super) async fn reports(State(service): State<Arc<Service>>) -> Result<Response, Refusal> {
    answer_json(&json!({ "reports": service.reports.iter().map(|report| &report.name).collect::<Vec<_>>() }))
}

/// One of them. Its file was named when the service was started; a request can only choose among names.
pub(super) async fn report(
    State(service): State<Arc<Service>>,
    request: Request,
) -> Result<Response, Refusal> {
    let query = pairs(request.uri().query().unwrap_or_default()).unwrap_or_default();
    let name = query.into_iter().find(|(key, _)| key == "name").map(|(_, name)| name);
    let name = name.ok_or_else(|| Refusal::malformed("expected a `name`"))?;
    let report = service.reports.iter().find(|report| report.name == name).ok_or_else(|| {
        Refusal::new(StatusCode::NOT_FOUND, format!("there is no report `{name}`")).hint("see /reports")
    })?;
    let path = report.path.clone();
    let turn = service.team.admit()?;
    let text = turn.ask(move |_| {
        std::fs::read_to_string(&path).map_err(|_| {
            Refusal::new(StatusCode::NOT_FOUND, "the report is gone").hint("run the experiment again")
        })
    });
    let text = answer(text).await?;
    // Reports have their style in themselves, and no script.
    let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
    Ok(([(CONTENT_TYPE, media::HTML), (CONTENT_SECURITY_POLICY, policy)], text).into_response())
}
