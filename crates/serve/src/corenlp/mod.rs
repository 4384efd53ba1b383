//! `POST /`, as CoreNLP's server answers it for tokens, sentences, tags and trees, so that its clients need no change
//! but of the address.
//!
//! The text is the body, what is wanted stands in `properties`. `lemma` is taken, for many clients ask for it whether
//! they use it or not, but its field is left out. Offsets count UTF-16 units, as Java does.

mod properties;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use boughs::parser::Sentence;
use boughs::text::Language;
use boughs::tree::write::write_pretty;
use boughs::tree::{Tokens, Tree};
use serde_json::{Map, Value, json};

pub use properties::{Properties, Splitting};

use crate::answers::{Answers, SentenceTask};
use crate::media::{self, Content, unescaped};
use crate::refusal::Refusal;
use crate::request::check_length;
use crate::service::{Received, Service, json as answer_json};
use crate::team::Bench;

/// The root of CoreNLP's trees.
const ROOT: &str = "ROOT";

/// A text that is to be annotated.
struct Annotation {
    properties: Properties,
    text: String,
    sentences: Vec<Sentence>,
}

impl Annotation {
    fn read(received: &Received, language: Language, max_words: usize) -> Result<Self, Refusal> {
        let properties = Properties::read(&received.query)?;
        let text = str::from_utf8(&received.body).map_err(|_| Refusal::malformed("the body is not UTF-8"))?;
        // Programs that post forms, such as curl and wget, escape the text, or say that they do.
        let text = match received.content {
            Content::Form => unescaped(text).ok_or_else(|| Refusal::malformed("the body is not UTF-8"))?,
            _ => text.to_owned(),
        };
        let sentences = properties.sentences(&text, language);
        for (number, sentence) in (1..).zip(&sentences) {
            check_length(number, sentence.tokens().len(), max_words)?;
        }
        Ok(Self { properties, text, sentences })
    }
}

/// What is found of a sentence.
enum Found {
    Nothing,
    Tags(Vec<String>),
    Tree(Tree),
}

fn annotate_one(
    bench: &mut Bench<'_>,
    properties: &Properties,
    sentence: &Sentence,
) -> Result<Found, Refusal> {
    if !properties.wants_tags {
        return Ok(Found::Nothing);
    }
    let model = bench.models().find(None)?;
    match properties.wants_trees {
        true => Ok(Found::Tree(bench.parse(model, 1, sentence)?.tree().clone())),
        false => Ok(Found::Tags(bench.tag(model, sentence)?)),
    }
}

pub(crate) async fn annotate(
    State(service): State<Arc<Service>>,
    request: Request,
) -> Result<Response, Response> {
    annotated(&service, request).await.map_err(as_text)
}

/// Clients of CoreNLP show the body of what went wrong as it is.
fn as_text(refusal: Refusal) -> Response {
    let text = match &refusal.hint {
        Some(hint) => format!("{} ({hint})\n", refusal.message),
        None => format!("{}\n", refusal.message),
    };
    let mut response = refusal.into_response();
    *response.body_mut() = text.into();
    response.headers_mut().insert(CONTENT_TYPE, axum::http::HeaderValue::from_static(media::TEXT));
    response.headers_mut().remove(axum::http::header::CONTENT_LENGTH);
    response
}

async fn annotated(service: &Arc<Service>, request: Request) -> Result<Response, Refusal> {
    let max_words = service.limits.max_words;
    let (turn, annotation) = service
        .begin(request, move |bench, received| {
            Annotation::read(&received, bench.models().default_language(), max_words)
        })
        .await?;
    let num_words: usize = annotation.sentences.iter().map(|sentence| sentence.tokens().len()).sum();
    service.metrics.sentences.fetch_add(annotation.sentences.len() as u64, Ordering::Relaxed);
    service.metrics.words.fetch_add(num_words as u64, Ordering::Relaxed);
    let annotation = Arc::new(annotation);
    let of_tasks = Arc::clone(&annotation);
    let tasks = (0..annotation.sentences.len()).map(move |index| -> SentenceTask<Found> {
        let annotation = Arc::clone(&of_tasks);
        Box::new(move |bench| annotate_one(bench, &annotation.properties, &annotation.sentences[index]))
    });
    let found = Answers::new(turn, service.window, tasks).collect().await?;
    let mut offsets = Offsets::new(&annotation.text);
    let sentences = annotation.sentences.iter().zip(&found).enumerate();
    let sentences: Vec<Value> = sentences
        .map(|(index, (sentence, found))| record(&annotation, &mut offsets, index, sentence.tokens(), found))
        .collect();
    answer_json(&json!({ "sentences": sentences }))
}

fn record(
    annotation: &Annotation,
    offsets: &mut Offsets<'_>,
    index: usize,
    tokens: &Tokens,
    found: &Found,
) -> Value {
    let mut record = Map::from_iter([("index".to_owned(), json!(index))]);
    if let Found::Tree(tree) = found {
        record.insert("parse".to_owned(), json!(as_parse(tree)));
    }
    let tag = |index: usize| match found {
        Found::Nothing => None,
        Found::Tags(tags) => Some(tags[index].clone()),
        Found::Tree(tree) => Some(tree.token(index).tag.to_owned()),
    };
    let records = (0..tokens.len()).map(|index| token_record(annotation, offsets, tokens, index, tag(index)));
    record.insert("tokens".to_owned(), Value::Array(records.collect()));
    Value::Object(record)
}

/// A tree as CoreNLP writes it.
fn as_parse(tree: &Tree) -> String {
    let mut tree = tree.clone();
    if !tree.is_empty() {
        tree.set_root(ROOT);
    }
    let mut text = String::new();
    // Strings take all that is written.
    let _ = write_pretty(&tree, &mut text);
    text
}

fn token_record(
    annotation: &Annotation,
    offsets: &mut Offsets<'_>,
    tokens: &Tokens,
    index: usize,
    tag: Option<String>,
) -> Value {
    let (word, text) = (tokens.word(index), annotation.text.as_str());
    // All tokens are those of the text.
    let Some(place) = tokens.get(index).place else { return Value::Null };
    let (start, end) = (place.start as usize, place.end() as usize);
    let mut record = json!({
        "index": index + 1,
        "word": boughs::tree::escape::escape(word),
        "originalText": &text[start..end],
        "characterOffsetBegin": offsets.utf16(start),
        "characterOffsetEnd": offsets.utf16(end),
    });
    if annotation.properties.wants_codepoints {
        record["codepointOffsetBegin"] = json!(place.char_start);
        record["codepointOffsetEnd"] = json!(place.char_end());
    }
    if let Some(tag) = tag {
        record["pos"] = json!(tag);
    }
    record["before"] = json!(blanks_before(text, start));
    record["after"] = json!(blanks_after(text, end));
    record
}

fn blanks_before(text: &str, start: usize) -> &str {
    let before = &text[..start];
    &before[before.trim_end().len()..]
}

fn blanks_after(text: &str, end: usize) -> &str {
    let after = &text[end..];
    &after[..after.len() - after.trim_start().len()]
}

/// Places in UTF-16, in the order of the text.
struct Offsets<'t> {
    text: &'t str,
    byte: usize,
    units: usize,
}

impl<'t> Offsets<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, byte: 0, units: 0 }
    }

    /// The units before a byte, which must not be before the last that was asked for.
    fn utf16(&mut self, byte: usize) -> usize {
        self.units += self.text[self.byte..byte].encode_utf16().count();
        self.byte = byte;
        self.units
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_those_of_java() {
        let mut offsets = Offsets::new("aé𝄞b");
        assert_eq!([0, 1, 3, 7, 8].map(|byte| offsets.utf16(byte)), [0, 1, 2, 4, 5]);
    }

    #[test]
    fn blanks_stay_around_their_tokens() {
        let text = " a  b";
        assert_eq!((blanks_before(text, 1), blanks_after(text, 2), blanks_after(text, 5)), (" ", "  ", ""));
    }
}
