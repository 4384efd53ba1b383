//! The routes, and what is checked before each.

mod eval;
mod explain;
mod parse;
mod state;
mod tag;
mod treebank;

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, HOST, HeaderMap,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use crate::corenlp;
use crate::refusal::Refusal;
use crate::service::Service;

/// Nothing from elsewhere: no script, no style, no font, no request.
const POLICY: &str = "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; \
                      frame-ancestors 'none'; form-action 'self'";

/// Routes that need no token: those that say nothing, and the page, which asks for one.
const OPEN: [&str; 6] = ["/", "/live", "/ready", "/app.js", "/page.css", "/openapi.json"];

/// All routes, as metrics name them.
const ROUTES: [&str; 20] = [
    "/",
    "/live",
    "/ready",
    "/metrics",
    "/openapi.json",
    "/models",
    "/parse",
    "/tag",
    "/tokenize",
    "/explain",
    "/eval",
    "/search",
    "/treebanks",
    "/treebank",
    "/training",
    "/training/events",
    "/reports",
    "/report",
    "/app.js",
    "/page.css",
];

pub(crate) fn router(service: &Arc<Service>) -> Router {
    Router::new()
        .route("/", get(state::page).post(corenlp::annotate))
        .route("/app.js", get(state::script))
        .route("/page.css", get(state::style))
        .route("/openapi.json", get(state::description))
        .route("/live", get(state::live))
        .route("/ready", get(state::readiness))
        .route("/metrics", get(state::metrics))
        .route("/models", get(state::models))
        .route("/parse", post(parse::parse))
        .route("/tag", post(tag::tag))
        .route("/tokenize", post(tag::tokenize))
        .route("/explain", post(explain::explain))
        .route("/eval", post(eval::eval))
        .route("/search", post(treebank::search))
        .route("/treebanks", get(treebank::treebanks))
        .route("/treebank", get(treebank::trees))
        .route("/training", get(state::training))
        .route("/training/events", get(state::training_events))
        .route("/reports", get(state::reports))
        .route("/report", get(state::report))
        .fallback(no_such_route)
        .method_not_allowed_fallback(no_such_method)
        .layer(from_fn_with_state(Arc::clone(service), guard))
        .with_state(Arc::clone(service))
}

async fn no_such_route(request: Request) -> Refusal {
    Refusal::new(StatusCode::NOT_FOUND, format!("there is no {}", request.uri().path()))
        .hint("/openapi.json says what there is")
}

async fn no_such_method(request: Request) -> Refusal {
    let message = format!("{} does not take {}", request.uri().path(), request.method());
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, message).hint("/openapi.json says what there is")
}

/// What is checked before every request, and said with every answer.
async fn guard(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let path = request.uri().path();
    let route = ROUTES.into_iter().find(|route| *route == path).unwrap_or("other");
    let mut response = match check(&service, &request) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if service.is_ending.load(Ordering::Relaxed) {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    service.metrics.add(route, response.status(), started.elapsed());
    response
}

fn check(service: &Service, request: &Request) -> Result<(), Refusal> {
    if service.is_local && !names_this_machine(request.headers()) {
        return Err(Refusal::new(StatusCode::FORBIDDEN, "the request names another host than this machine")
            .hint("a page from elsewhere may be behind it; ask for localhost"));
    }
    let Some(token) = &service.token else { return Ok(()) };
    let is_open = OPEN.contains(&request.uri().path()) && request.method() != "POST";
    match is_open || has_token(request.headers(), token) {
        true => Ok(()),
        false => Err(Refusal::new(StatusCode::UNAUTHORIZED, "the request lacks the token of this service")
            .hint("send it as `Authorization: Bearer TOKEN`")),
    }
}

/// Whether `Host` is an address or `localhost`. Any page may make a name of its own point to this machine, and then
/// read what is answered.
fn names_this_machine(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(HOST) else { return true };
    let Ok(host) = host.to_str() else { return false };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok()
}

/// Compares all bytes, so that the time tells nothing.
fn has_token(headers: &HeaderMap, token: &str) -> bool {
    let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let Some(given) = given.and_then(|value| value.strip_prefix("Bearer ")) else { return false };
    let differences = given.bytes().zip(token.bytes()).fold(0, |sum, (one, other)| sum | (one ^ other));
    given.len() == token.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_are_not_this_machine() {
        for (host, is_ours) in [
            ("localhost:9000", true),
            ("LOCALHOST", true),
            ("127.0.0.1:9000", true),
            ("[::1]:9000", true),
            ("evil.example:9000", false),
            ("localhost.evil.example", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(HOST, host.parse().unwrap())]);
            assert_eq!(names_this_machine(&headers), is_ours, "{host}");
        }
    }

    #[test]
    fn only_the_whole_token_is_the_token() {
        for (given, is_good) in [
            ("Bearer secret", true),
            ("Bearer secre", false),
            ("Bearer secret1", false),
            ("secret", false),
            ("Bearer ", false),
        ] {
            let headers = HeaderMap::from_iter([(AUTHORIZATION, given.parse().unwrap())]);
            assert_eq!(has_token(&headers, "secret"), is_good, "{given}");
        }
    }
}
