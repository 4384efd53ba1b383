//! Requests that are not answered, and why.

use axum::http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use boughs::Error;
use serde_json::json;

use crate::media::JSON;

/// Why a request is not answered, and what to do about it.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The status of the answer.
    pub status: StatusCode,
    /// What was expected, and what was found.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), hint: None }
    }

    /// The request breaks the rules of its form.
    pub(crate) fn malformed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    /// The request is well formed, but asks for what cannot be.
    pub(crate) fn unfit(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, message)
    }

    /// The request was good, and we failed.
    pub(crate) fn fault() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "the parser failed on this request")
            .hint("this is a fault of boughs: please report it with the sentence")
    }

    #[must_use]
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub(crate) fn to_json(&self) -> serde_json::Value {
        match &self.hint {
            Some(hint) => json!({ "error": self.message, "hint": hint }),
            None => json!({ "error": self.message }),
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let refusal = Self::unfit(error.message());
        match error.remedy() {
            Some(hint) => refusal.hint(hint),
            None => refusal,
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = (self.status, [(CONTENT_TYPE, JSON)], self.to_json().to_string()).into_response();
        let headers = response.headers_mut();
        match self.status {
            StatusCode::TOO_MANY_REQUESTS => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            StatusCode::UNAUTHORIZED => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            // What is left of its body is not read.
            StatusCode::PAYLOAD_TOO_LARGE | StatusCode::REQUEST_TIMEOUT => {
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            _ => {}
        }
        response
    }
}
