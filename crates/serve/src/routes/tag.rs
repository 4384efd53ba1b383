//! `POST /tag` and `POST /tokenize`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use boughs::parser::Sentence;
use boughs::span::TextSpan;
use boughs::text::Language;
use boughs::tree::Tokens;
use serde::Serialize;

use super::parse::DOCUMENT;
use crate::answers::{Answers, SentenceTask};
use crate::models::{ModelId, Models};
use crate::refusal::Refusal;
use crate::request::SentenceRequest;
use crate::service::{Received, Service, json};
use crate::settings::Limits;

#[derive(Serialize)]
struct Sentences<'a> {
    sentences: Vec<SentenceRecord<'a>>,
}

#[derive(Serialize)]
struct SentenceRecord<'a> {
    document: &'a str,
    sentence: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    text: String,
    tokens: Vec<TokenRecord<'a>>,
}

/// A token with its bytes and characters, if it is one of a text.
#[derive(Serialize)]
struct TokenRecord<'a> {
    word: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<&'a str>,
    #[serde(flatten)]
    place: Option<PlaceRecord>,
}

#[derive(Serialize)]
struct PlaceRecord {
    byte_start: u64,
    byte_end: u64,
    char_start: u64,
    char_end: u64,
}

impl From<TextSpan> for PlaceRecord {
    fn from(span: TextSpan) -> Self {
        let (bytes, chars) = (span.bytes(), span.chars());
        Self { byte_start: bytes.start, byte_end: bytes.end, char_start: chars.start, char_end: chars.end }
    }
}

fn token_records<'a>(tokens: &'a Tokens, tags: Option<&'a [String]>) -> Vec<TokenRecord<'a>> {
    let record = |(index, token): (usize, boughs::tree::Token<'a>)| TokenRecord {
        word: token.word,
        tag: tags.map(|tags| tags[index].as_str()),
        place: token.place.map(PlaceRecord::from),
    };
    tokens.iter().enumerate().map(record).collect()
}

/// Refuses what is asked about trees.
fn only_sentences(request: &SentenceRequest) -> Result<(), Refusal> {
    let others = [
        ("n_best", request.n_best.is_some()),
        ("phrases", !request.phrases.is_empty()),
        ("root", request.root.is_some()),
        ("alternatives", request.alternatives.is_some()),
        ("format", request.format != Default::default()),
    ];
    match others.iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => Err(Refusal::unfit(format!("there are no trees here for `{name}`"))),
        None => Ok(()),
    }
}

struct TagJob {
    sentences: Vec<Sentence>,
    models: Vec<ModelId>,
    document: String,
}

impl TagJob {
    fn new(request: &SentenceRequest, models: &Models, limits: &Limits) -> Result<Self, Refusal> {
        only_sentences(request)?;
        let ids = models.find_all(&request.model_names())?;
        Ok(Self {
            sentences: request.sentences(models.text_language(&ids), limits.max_words)?,
            models: ids,
            document: request.document.clone().unwrap_or_else(|| DOCUMENT.to_owned()),
        })
    }
}

pub(super) async fn tag(State(service): State<Arc<Service>>, request: Request) -> Result<Response, Refusal> {
    let (turn, job) = service.begin_job(request, TagJob::new, |job: &TagJob| &job.sentences).await?;
    let job = Arc::new(job);
    let pairs: Vec<(usize, ModelId)> = (0..job.sentences.len())
        .flat_map(|index| job.models.iter().map(move |&model| (index, model)))
        .collect();
    let of_tasks = Arc::clone(&job);
    let tasks = pairs.clone().into_iter().map(move |(index, model)| -> SentenceTask<Vec<String>> {
        let job = Arc::clone(&of_tasks);
        Box::new(move |bench| bench.tag(model, &job.sentences[index]))
    });
    let tags = Answers::new(turn, service.window, tasks).collect().await?;
    let record = |(&(index, model), tags): (&(usize, ModelId), &'_ Vec<String>)| {
        let tokens = job.sentences[index].tokens();
        json_sentence(&job.document, index, Some(&service.models.get(model).name), tokens, Some(tags))
    };
    let sentences: Vec<serde_json::Value> = pairs.iter().zip(&tags).map(record).collect();
    json(&serde_json::json!({ "sentences": sentences }))
}

fn json_sentence(
    document: &str,
    index: usize,
    model: Option<&str>,
    tokens: &Tokens,
    tags: Option<&[String]>,
) -> serde_json::Value {
    serde_json::json!(sentence_record(document, index, model, tokens, tags))
}

fn sentence_record<'a>(
    document: &'a str,
    index: usize,
    model: Option<&'a str>,
    tokens: &'a Tokens,
    tags: Option<&'a [String]>,
) -> SentenceRecord<'a> {
    let whole = boughs::span::Span::new(0, tokens.len() as u32);
    SentenceRecord {
        document,
        sentence: index as u64 + 1,
        model,
        text: tokens.text(whole).into_owned(),
        tokens: token_records(tokens, tags),
    }
}

pub(super) async fn tokenize(
    State(service): State<Arc<Service>>,
    request: Request,
) -> Result<Response, Refusal> {
    let max_words = service.limits.max_words;
    let split = move |language: Language, Received { content, query, body }: Received| {
        let request = SentenceRequest::read(content, &query, &body)?;
        only_sentences(&request)?;
        if request.tokens.is_some() || !request.model_names().is_empty() {
            return Err(Refusal::unfit("expected `text` or `lines`, and no model"));
        }
        let sentences = request.sentences(language, max_words)?;
        let document = request.document.as_deref().unwrap_or(DOCUMENT);
        let record = |(index, sentence): (usize, _)| {
            sentence_record(document, index, None, Sentence::tokens(sentence), None)
        };
        let sentences = sentences.iter().enumerate().map(record).collect();
        serde_json::to_string(&Sentences { sentences }).map_err(|_| Refusal::fault())
    };
    let (_turn, text) = service
        .begin(request, move |bench, received| split(bench.models().default_language(), received))
        .await?;
    Ok(crate::service::json_text(text))
}
