//! `POST /explain`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use boughs::parser::{ExplainedStep, Sentence};
use serde::Serialize;

use crate::answers::{Answers, SentenceTask};
use crate::models::{ModelId, Models};
use crate::output::Format;
use crate::refusal::Refusal;
use crate::request::{SentenceRequest, check_length};
use crate::service::{Service, json};
use crate::settings::Limits;

/// Alternatives if the request does not say how many.
const ALTERNATIVES: usize = 2;

/// The most of them.
const MAX_ALTERNATIVES: usize = 20;

struct ExplainJob {
    sentences: Vec<Sentence>,
    model: ModelId,
    alternatives: usize,
}

#[derive(Serialize)]
struct Explanation {
    sentence: u64,
    steps: Vec<ExplainedStep>,
}

impl ExplainJob {
    fn new(request: &SentenceRequest, models: &Models, limits: &Limits) -> Result<Self, Refusal> {
        let names = request.model_names();
        if names.len() > 1 || request.n_best.is_some() || request.format != Format::Json {
            return Err(Refusal::unfit(
                "expected one model, and no `n_best` or `format`: the best tree is explained",
            ));
        }
        let alternatives = request.alternatives.unwrap_or(ALTERNATIVES);
        if alternatives > MAX_ALTERNATIVES {
            return Err(Refusal::unfit(format!("expected at most {MAX_ALTERNATIVES} `alternatives`")));
        }
        let model = models.find(names.first().map(String::as_str))?;
        let parser = &models.get(model).parser;
        for label in request.phrases.iter().filter_map(|phrase| phrase.label.as_ref()).chain(&request.root) {
            parser.check_label(label)?;
        }
        // What is parsed in parts has no reasons as a whole.
        let max_words = parser.options().max_length.unwrap_or(limits.max_words).min(limits.max_words);
        let sentences = request.sentences(parser.text_language(), limits.max_words)?;
        for (number, sentence) in (1..).zip(&sentences) {
            check_length(number, sentence.tokens().len(), max_words)?;
        }
        Ok(Self { sentences, model, alternatives })
    }
}

pub(super) async fn explain(
    State(service): State<Arc<Service>>,
    request: Request,
) -> Result<Response, Refusal> {
    let (turn, job) = service.begin_job(request, ExplainJob::new, |job: &ExplainJob| &job.sentences).await?;
    let num_sentences = job.sentences.len();
    let job = Arc::new(job);
    let tasks = (0..num_sentences).map(move |index| -> SentenceTask<Explanation> {
        let job = Arc::clone(&job);
        Box::new(move |bench| {
            let parser = &bench.models().get(job.model).parser;
            let steps = boughs::parser::explain(parser, &job.sentences[index], job.alternatives)?;
            Ok(Explanation { sentence: index as u64 + 1, steps })
        })
    });
    let sentences = Answers::new(turn, service.window, tasks).collect().await?;
    json(&serde_json::json!({ "sentences": sentences }))
}
