//! `POST /eval`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use boughs::eval::{Mismatch, Parameters, Scorer, Totals, json as as_json};
use boughs::parser::Sentence;
use boughs::tree::Tree;
use boughs::tree::read::{ReadOptions, TreeReader};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answers::{Answers, SentenceTask};
use crate::media::Content;
use crate::models::ModelId;
use crate::refusal::Refusal;
use crate::request::check_length;
use crate::service::{Received, Service};
use crate::team::{Bench, answer};

/// Trees to score.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EvalRequest {
    /// The gold trees, in any format that boughs reads.
    gold: String,
    /// The trees to score, one for each gold tree. Without them the words of the gold trees are parsed.
    test: Option<String>,
    /// The parser for that.
    model: Option<String>,
}

/// Trees, and those to score, or what finds them.
struct EvalJob {
    gold: Vec<Tree>,
    test: Result<Vec<Tree>, ModelId>,
}

fn read(bench: &Bench<'_>, received: &Received, max_words: usize) -> Result<EvalJob, Refusal> {
    if received.content != Content::Json {
        return Err(Refusal::malformed("expected a body of application/json"));
    }
    let request: EvalRequest = serde_json::from_slice(&received.body)
        .map_err(|error| Refusal::malformed(format!("the body is not as expected: {error}")))?;
    let gold = trees("gold", &request.gold)?;
    for (number, tree) in (1..).zip(&gold) {
        check_length(number, tree.num_tokens(), max_words)?;
    }
    let test = match (request.test, request.model) {
        (Some(_), Some(_)) => return Err(Refusal::unfit("expected `test` or `model`, found both")),
        (Some(test), None) => Ok(trees("test", &test)?),
        (None, model) => Err(bench.models().find(model.as_deref())?),
    };
    Ok(EvalJob { gold, test })
}

fn trees(name: &str, text: &str) -> Result<Vec<Tree>, Refusal> {
    let trees = TreeReader::new(text.as_bytes(), ReadOptions::default()).collect::<Result<_, _>>();
    trees.map_err(|error: boughs::Error| Refusal::from(error.in_file(name)))
}

pub(super) async fn eval(State(service): State<Arc<Service>>, request: Request) -> Result<Response, Refusal> {
    let max_words = service.limits.max_words;
    let (turn, EvalJob { gold, test }) =
        service.begin(request, move |bench, received| read(bench, &received, max_words)).await?;
    let gold = Arc::new(gold);
    let test = match test {
        Ok(test) => test,
        Err(model) => {
            let words = Arc::clone(&gold);
            let can_tag = service.models.get(model).parser.can_tag();
            let tasks = (0..gold.len()).map(move |index| -> SentenceTask<Tree> {
                let gold = Arc::clone(&words);
                Box::new(move |bench| {
                    let sentence = Sentence::from_tree(&gold[index]);
                    let sentence = if can_tag { sentence.without_tags() } else { sentence };
                    Ok(bench.parse(model, 1, &sentence)?.tree().clone())
                })
            });
            Answers::new(turn, service.window, tasks).collect().await?
        }
    };
    let turn = service.team.admit()?;
    let scored = answer(turn.ask(move |_| Ok(score(&gold, &test).to_string()))).await?;
    Ok(crate::service::json_text(scored))
}

/// The scores of all sentences, each with the tree that was scored, and their sums.
fn score(gold: &[Tree], test: &[Tree]) -> Value {
    let mut scorer = Scorer::new(Parameters::named("COLLINS").unwrap_or_default());
    let mut totals = Totals::default();
    let mut sentences = Vec::new();
    for (index, gold) in gold.iter().enumerate() {
        let score = match test.get(index) {
            Some(test) => scorer.score(gold, test),
            None => scorer.score_missing(gold, Mismatch::NoTree),
        };
        totals.add(&score);
        let mut sentence = as_json::sentence(index as u64 + 1, &score);
        sentence["tree"] = json!(test.get(index).map(ToString::to_string));
        sentences.push(sentence);
    }
    let strict = totals.all.strict();
    json!({
        "precision": strict.precision(),
        "recall": strict.recall(),
        "f1": strict.f1(),
        "exact": strict.exact_match(),
        "settings": "COLLINS",
        "all": as_json::tally(&totals.all),
        "sentences": sentences,
    })
}
