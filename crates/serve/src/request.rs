//! What is asked: sentences, and what to do with them.

use axum::http::StatusCode;
use boughs::parser::Sentence;
use boughs::span::Span;
use boughs::text::{Language, Tokenizer, Unit};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::media::{Content, pairs};
use crate::output::Format;
use crate::refusal::Refusal;

/// A request to parse, tag, split or explain.
///
/// As JSON it has these fields. A body of plain text is the text, and the query has the other fields, but for lines,
/// tokens and phrases.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SentenceRequest {
    /// Running text.
    pub text: Option<String>,
    /// Running text, each line one sentence.
    pub lines: Option<Vec<String>>,
    /// Sentences whose tokens are known.
    pub tokens: Option<Vec<Vec<GivenToken>>>,
    /// What ends a sentence of `text`.
    pub unit: GivenUnit,
    /// A name for the text, which comes back.
    pub document: Option<String>,
    /// The parser.
    pub model: Option<String>,
    /// Several parsers.
    pub models: Vec<String>,
    /// How many trees of a sentence.
    #[serde(deserialize_with = "whole_or_none")]
    pub n_best: Option<usize>,
    /// Phrases that must be in the tree.
    pub phrases: Vec<GivenPhrase>,
    /// The label of the phrase of the whole sentence.
    pub root: Option<String>,
    /// How trees come back.
    pub format: Format,
    /// How many alternatives an explanation names.
    #[serde(deserialize_with = "whole_or_none")]
    pub alternatives: Option<usize>,
}

/// A token that is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum GivenToken {
    /// A word; its tag is to be found.
    Word(String),
    /// A word and its tag.
    Tagged {
        /// The word.
        word: String,
        /// The tag.
        tag: String,
    },
}

/// What ends a sentence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GivenUnit {
    /// What the text shows.
    #[default]
    Text,
    /// The same; a line break is a blank.
    Wrapped,
    /// The same, and a line break.
    Paragraphs,
    /// A line break, and nothing else.
    Lines,
}

/// A phrase that must be in the tree of a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenPhrase {
    /// The number of the sentence, from 1.
    #[serde(default = "first", deserialize_with = "whole")]
    pub sentence: usize,
    /// Its first token, from 0.
    #[serde(deserialize_with = "whole")]
    pub start: u32,
    /// One past its last token.
    #[serde(deserialize_with = "whole")]
    pub end: u32,
    /// Its label; any if there is none.
    #[serde(default)]
    pub label: Option<String>,
}

/// A whole number that may be written as `3.0`, as some languages have no other numbers.
fn whole<'de, T: TryFrom<u64>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let number = serde_json::Number::deserialize(deserializer)?;
    let of_float =
        || number.as_f64().filter(|it| it.fract() == 0.0 && (0.0..1e15).contains(it)).map(|it| it as u64);
    let whole = number.as_u64().or_else(of_float).and_then(|whole| T::try_from(whole).ok());
    whole.ok_or_else(|| Error::custom(format_args!("expected a whole number, found {number}")))
}

fn whole_or_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    #[derive(Deserialize)]
    struct Whole(#[serde(deserialize_with = "whole")] usize);
    Ok(Option::<Whole>::deserialize(deserializer)?.map(|Whole(number)| number))
}

fn first() -> usize {
    1
}

impl GivenUnit {
    fn unit(self) -> Unit {
        match self {
            Self::Text => Unit::Text,
            Self::Wrapped => Unit::Wrapped,
            Self::Paragraphs => Unit::Paragraph,
            Self::Lines => Unit::Line,
        }
    }

    fn named(name: &str) -> Option<Self> {
        serde_json::from_value(name.into()).ok()
    }
}

impl SentenceRequest {
    /// Reads a request.
    ///
    /// # Errors
    /// If it is not of the form that its head says, or asks for what does not go together.
    pub fn read(content: Content, query: &str, body: &[u8]) -> Result<Self, Refusal> {
        let request = match content {
            Content::Json if !query.is_empty() => {
                return Err(Refusal::unfit("expected no query beside a body of JSON")
                    .hint("put its fields into the body"));
            }
            Content::Json => serde_json::from_slice(body)
                .map_err(|error| Refusal::malformed(format!("the body is not as expected: {error}")))?,
            Content::Text => Self::of_text(query, body)?,
            Content::Form | Content::Other => {
                let message = "expected a body of text/plain or application/json in UTF-8";
                return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)
                    .hint("with curl: -H 'Content-Type: text/plain'"));
            }
        };
        request.check()?;
        Ok(request)
    }

    fn of_text(query: &str, body: &[u8]) -> Result<Self, Refusal> {
        let text = str::from_utf8(body).map_err(|_| Refusal::malformed("the body is not UTF-8"))?;
        let mut request = Self { text: Some(text.to_owned()), ..Self::default() };
        let pairs = pairs(query).ok_or_else(|| Refusal::malformed("the query is not UTF-8"))?;
        for (name, value) in pairs {
            request.set(&name, value)?;
        }
        Ok(request)
    }

    fn set(&mut self, name: &str, value: String) -> Result<(), Refusal> {
        let cannot_be = |value: &str| Refusal::malformed(format!("`{name}` cannot be `{value}`"));
        let number = |value: &str| value.parse().map(Some).map_err(|_| cannot_be(value));
        match name {
            "unit" => self.unit = GivenUnit::named(&value).ok_or_else(|| cannot_be(&value))?,
            "format" => self.format = Format::named(&value).ok_or_else(|| cannot_be(&value))?,
            "document" => self.document = Some(value),
            "model" => self.models.push(value),
            "n_best" => self.n_best = number(&value)?,
            "alternatives" => self.alternatives = number(&value)?,
            "root" => self.root = Some(value),
            _ => {
                let known = "unit, format, document, model, n_best, alternatives, root";
                return Err(
                    Refusal::malformed(format!("there is no `{name}`")).hint(format!("there are {known}"))
                );
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), Refusal> {
        let given = [self.text.is_some(), self.lines.is_some(), self.tokens.is_some()];
        if given.iter().filter(|given| **given).count() != 1 {
            return Err(Refusal::unfit("expected one of `text`, `lines` and `tokens`"));
        }
        if self.unit != GivenUnit::Text && self.text.is_none() {
            return Err(Refusal::unfit("`unit` is for `text` only"));
        }
        if self.model.is_some() && !self.models.is_empty() {
            return Err(Refusal::unfit("expected `model` or `models`, found both"));
        }
        if self.n_best == Some(0) {
            return Err(Refusal::unfit("expected `n_best` of at least 1, found 0"));
        }
        Ok(())
    }

    /// The names of the parsers.
    pub(crate) fn model_names(&self) -> Vec<String> {
        self.model.iter().chain(&self.models).cloned().collect()
    }

    /// What is asked about, in order, with its constraints; texts are of this language.
    ///
    /// # Errors
    /// If a sentence has too many words, or a constraint is about none of them.
    pub fn sentences(&self, language: Language, max_words: usize) -> Result<Vec<Sentence>, Refusal> {
        let mut sentences = self.bare_sentences(language);
        for (number, sentence) in (1..).zip(&sentences) {
            check_length(number, sentence.tokens().len(), max_words)?;
        }
        for phrase in &self.phrases {
            constrain(&mut sentences, phrase)?;
        }
        if let Some(root) = &self.root {
            for sentence in &mut sentences {
                sentence.constraints.root = Some(root.as_str().into());
            }
        }
        Ok(sentences)
    }

    fn bare_sentences(&self, language: Language) -> Vec<Sentence> {
        let tokenizer = Tokenizer { unit: self.unit.unit(), language, ..Tokenizer::default() };
        if let Some(text) = &self.text {
            tokenizer.sentences(text).map(|sentence| Sentence::from_text(&sentence)).collect()
        } else if let Some(lines) = &self.lines {
            lines.iter().map(|line| Sentence::from_text(&tokenizer.tokenize(line))).collect()
        } else {
            let sentences = self.tokens.iter().flatten();
            sentences.map(|tokens| Sentence::new(tokens.iter().map(GivenToken::pair))).collect()
        }
    }
}

/// Whether a sentence is not too long.
pub(crate) fn check_length(number: usize, num_words: usize, max_words: usize) -> Result<(), Refusal> {
    match num_words > max_words {
        false => Ok(()),
        true => Err(Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("sentence {number} has {num_words} words, and at most {max_words} are taken"),
        )
        .hint("split it, or start the service with a higher --max-words")),
    }
}

impl GivenToken {
    fn pair(&self) -> (&str, &str) {
        match self {
            Self::Word(word) => (word, ""),
            Self::Tagged { word, tag } => (word, tag),
        }
    }
}

fn constrain(sentences: &mut [Sentence], phrase: &GivenPhrase) -> Result<(), Refusal> {
    let num_sentences = sentences.len();
    let place = phrase.sentence.checked_sub(1).filter(|&place| place < num_sentences);
    let sentence = place.map(|place| &mut sentences[place]).ok_or_else(|| {
        Refusal::unfit(format!("there is no sentence {}: there are {num_sentences}", phrase.sentence))
    })?;
    let num_words = sentence.tokens().len();
    if phrase.start >= phrase.end || phrase.end as usize > num_words {
        let GivenPhrase { start, end, .. } = phrase;
        return Err(Refusal::unfit(format!(
            "expected a phrase of tokens 0 to {num_words}, found {start} to {end}"
        ))
        .hint("`end` is one past the last token"));
    }
    sentence.constraints.require(Span::new(phrase.start, phrase.end), phrase.label.as_deref());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<SentenceRequest, Refusal> {
        SentenceRequest::read(Content::Json, "", json.as_bytes())
    }

    #[test]
    fn text_has_its_options_in_the_query() {
        let query = "unit=lines&format=brackets&n_best=3&model=a&model=b&root=S&document=my+text";
        let request = SentenceRequest::read(Content::Text, query, "Éric naps.\nHe does.".as_bytes()).unwrap();
        assert_eq!(request.model_names(), ["a", "b"]);
        assert_eq!((request.format, request.n_best), (Format::Brackets, Some(3)));
        assert_eq!(request.document.as_deref(), Some("my text"));
        let sentences = request.sentences(Language::default(), 9).unwrap();
        let words: Vec<_> = sentences.iter().map(|sentence| sentence.tokens().len()).collect();
        assert_eq!(words, [3, 3]);
        assert_eq!(sentences[1].constraints.root.as_deref(), Some("S"));
        assert_eq!(
            request.sentences(Language::default(), 2).unwrap_err().status,
            StatusCode::PAYLOAD_TOO_LARGE
        );
    }

    #[test]
    fn tokens_stay_as_they_are() {
        let request = read(r#"{"tokens": [["a b", {"word": "c", "tag": "NN"}], []]}"#).unwrap();
        let sentences = request.sentences(Language::default(), 9).unwrap();
        assert_eq!(sentences[0].tokens(), &[("a b", ""), ("c", "NN")].into_iter().collect());
        assert!(sentences[1].tokens().is_empty());
    }

    #[test]
    fn texts_have_the_language_of_the_parser() {
        let request = read(r#"{"text": "L'homme dort."}"#).unwrap();
        let words = |language| -> Vec<String> {
            let sentences = request.sentences(language, 9).unwrap();
            sentences[0].tokens().words().map(str::to_owned).collect()
        };
        assert_eq!(words(Language::French), ["L'", "homme", "dort", "."]);
        assert_eq!(words(Language::English), ["L'homme", "dort", "."]);
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        for (json, status) in [
            (r"{}", 422),
            (r#"{"text": "a", "lines": ["a"]}"#, 422),
            (r#"{"lines": ["a"], "unit": "lines"}"#, 422),
            (r#"{"text": "a", "model": "x", "models": ["y"]}"#, 422),
            (r#"{"text": "a", "n_best": 0}"#, 422),
            (r#"{"text": "a", "n_best": 1.5}"#, 400),
            (r#"{"text": "a", "n_best": -1}"#, 400),
            (r#"{"text": "a", "colour": 1}"#, 400),
            (r#"{"text": "a", "format": "klingon"}"#, 400),
            (r#"{"text": 1}"#, 400),
            (r#"{"text""#, 400),
        ] {
            assert_eq!(read(json).unwrap_err().status, status, "{json}");
        }
        for query in ["colour=1", "n_best=x", "unit=book", "format=%FF"] {
            let refused = SentenceRequest::read(Content::Text, query, b"a").unwrap_err();
            assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{query}");
        }
        assert_eq!(SentenceRequest::read(Content::Text, "", b"\xFF").unwrap_err().status, 400);
        assert_eq!(SentenceRequest::read(Content::Json, "n_best=1", b"{}").unwrap_err().status, 422);
        assert_eq!(SentenceRequest::read(Content::Form, "", b"a=b").unwrap_err().status, 415);
    }

    #[test]
    fn constraints_are_about_tokens_that_are_there() {
        for (phrase, is_good) in [
            (r#"{"start": 0, "end": 2, "label": "NP"}"#, true),
            (r#"{"start": 2.0, "end": 3e0, "label": null}"#, true),
            (r#"{"start": 2, "end": 2}"#, false),
            (r#"{"start": 0, "end": 4}"#, false),
            (r#"{"sentence": 2, "start": 0, "end": 1}"#, false),
            (r#"{"sentence": 0, "start": 0, "end": 1}"#, false),
        ] {
            let request = read(&format!(r#"{{"tokens": [["the", "dog", "naps"]], "phrases": [{phrase}]}}"#));
            assert_eq!(request.unwrap().sentences(Language::default(), 9).is_ok(), is_good, "{phrase}");
        }
    }
}
