//! `POST /search`, and the treebanks that the service was given: `GET /treebanks`, `GET /treebank`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use boughs::tree::search::{Hit, TreePattern};
use boughs::tree::{NodeId, Tree};
use serde::Deserialize;
use serde_json::json;

use crate::media::{Content, pairs};
use crate::refusal::Refusal;
use crate::service::{Received, Service, json as answer_json, json_text};
use crate::team::answer;

/// The most trees of an answer.
const MAX_TREES: usize = 1000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SearchRequest {
    /// A pattern of TGrep2 or Tregex.
    pattern: String,
    /// Trees in brackets.
    trees: Vec<String>,
}

pub(super) async fn search(
    State(service): State<Arc<Service>>,
    request: Request,
) -> Result<Response, Refusal> {
    let (_turn, text) = service.begin(request, |_, received| find(&received)).await?;
    Ok(json_text(text))
}

/// For each tree the nodes that the pattern fits: tokens from and to, and whether it is a phrase, by its place.
fn find(received: &Received) -> Result<String, Refusal> {
    if received.content != Content::Json {
        return Err(Refusal::malformed("expected a body of application/json"));
    }
    let SearchRequest { pattern, trees } = serde_json::from_slice(&received.body)
        .map_err(|error| Refusal::malformed(format!("the body is not as expected: {error}")))?;
    let pattern: TreePattern = pattern.parse()?;
    let mut hits = Vec::with_capacity(trees.len());
    for (number, tree) in (1..).zip(&trees) {
        let tree: Tree = tree.parse().map_err(|error: boughs::Error| error.in_tree(number))?;
        hits.push(pattern.matches(&tree).map(|hit| place(&tree, hit)).collect::<Vec<_>>());
    }
    Ok(json!({ "hits": hits }).to_string())
}

fn place(tree: &Tree, hit: Hit) -> serde_json::Value {
    let of_phrase = |id: NodeId| {
        let span = tree.span(id);
        json!({ "start": span.start, "end": span.end, "node": id.index() })
    };
    match hit {
        Hit::Phrase(id) => of_phrase(id),
        Hit::Tag(index) | Hit::Word(index) => json!({ "start": index, "end": index + 1, "node": null }),
    }
}

pub(super) async fn treebanks(State(service): State<Arc<Service>>) -> Result<Response, Refusal> {
    let treebanks = service.treebanks.iter();
    let treebanks: Vec<_> =
        treebanks.map(|treebank| json!({ "name": treebank.name, "trees": treebank.trees.len() })).collect();
    answer_json(&json!({ "treebanks": treebanks }))
}

/// Some trees of a treebank, in brackets.
pub(super) async fn trees(
    State(service): State<Arc<Service>>,
    request: Request,
) -> Result<Response, Refusal> {
    let (mut name, mut start, mut count) = (None, 0, MAX_TREES);
    let query = pairs(request.uri().query().unwrap_or_default());
    for (key, value) in query.ok_or_else(|| Refusal::malformed("the query is not UTF-8"))? {
        let number = || value.parse().map_err(|_| Refusal::malformed(format!("`{key}` cannot be `{value}`")));
        match key.as_str() {
            "name" => name = Some(value),
            "start" => start = number()?,
            "count" => count = number()?.min(MAX_TREES),
            _ => return Err(Refusal::malformed(format!("there is no `{key}`"))),
        }
    }
    let name = name.ok_or_else(|| Refusal::malformed("expected a `name`"))?;
    let place = service.treebanks.iter().position(|treebank| treebank.name == name);
    let place = place.ok_or_else(|| {
        Refusal::new(StatusCode::NOT_FOUND, format!("there is no treebank `{name}`")).hint("see /treebanks")
    })?;
    let turn = service.team.admit()?;
    let of_task = Arc::clone(&service);
    let text = turn.ask(move |_| {
        let trees = &of_task.treebanks[place].trees;
        let some: Vec<String> = trees.iter().skip(start).take(count).map(ToString::to_string).collect();
        Ok(json!({ "total": trees.len(), "start": start, "trees": some }).to_string())
    });
    Ok(json_text(answer(text).await?))
}
