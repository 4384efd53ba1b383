//! Vocabularies from files: `tokenizer.json`, or the older `vocab.txt` with `tokenizer_config.json`.

use boughs_learn::{Error, ErrorKind, Result};
use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::{CONTINUATION, Normalization, WordPiece};

/// Characters of the longest run that is cut, unless a file says otherwise.
const MAX_CHARS: usize = 100;

/// What is read of `tokenizer.json`.
#[derive(Deserialize)]
struct TokenizerFile {
    normalizer: NormalizerPart,
    pre_tokenizer: TypedPart,
    model: ModelPart,
}

#[derive(Deserialize)]
struct TypedPart {
    r#type: String,
}

#[derive(Deserialize)]
struct NormalizerPart {
    r#type: String,
    #[serde(default = "yes")]
    clean_text: bool,
    #[serde(default = "yes")]
    handle_chinese_chars: bool,
    strip_accents: Option<bool>,
    #[serde(default = "yes")]
    lowercase: bool,
}

#[derive(Deserialize)]
struct ModelPart {
    r#type: Option<String>,
    vocab: FxHashMap<String, u32>,
    continuing_subword_prefix: Option<String>,
    max_input_chars_per_word: Option<usize>,
}

/// What is read of `tokenizer_config.json`.
#[derive(Deserialize)]
struct SettingsFile {
    #[serde(default = "yes")]
    do_lower_case: bool,
    #[serde(default = "yes")]
    tokenize_chinese_chars: bool,
    strip_accents: Option<bool>,
}

fn yes() -> bool {
    true
}

impl WordPiece {
    /// Reads `tokenizer.json`.
    ///
    /// # Errors
    /// If it is something else, or another kind of tokenizer.
    pub fn from_tokenizer_json(json: &str) -> Result<Self> {
        let file: TokenizerFile = serde_json::from_str(json).map_err(|error| {
            let message = format!("expected a tokenizer of a BERT-type encoder, found {error}");
            Error::new(ErrorKind::Syntax, message).hint("remove the file if there is a vocab.txt beside it")
        })?;
        let kind = file.model.r#type.as_deref().unwrap_or("WordPiece");
        expect("a model of type", "WordPiece", kind)?;
        expect("a normalizer of type", "BertNormalizer", &file.normalizer.r#type)?;
        expect("a pre-tokenizer of type", "BertPreTokenizer", &file.pre_tokenizer.r#type)?;
        let prefix = file.model.continuing_subword_prefix.as_deref().unwrap_or(CONTINUATION);
        expect("continuations marked by", CONTINUATION, prefix)?;
        let normalization = Normalization {
            clean: file.normalizer.clean_text,
            isolate_chinese: file.normalizer.handle_chinese_chars,
            strip_accents: file.normalizer.strip_accents.unwrap_or(file.normalizer.lowercase),
            lowercase: file.normalizer.lowercase,
        };
        let max_chars = file.model.max_input_chars_per_word.unwrap_or(MAX_CHARS);
        Self::new(in_order(&file.model.vocab)?, normalization, max_chars)
    }

    /// The text of `tokenizer.json`.
    ///
    /// # Errors
    /// If a piece stands twice in the vocabulary, which that file cannot say.
    pub(crate) fn to_tokenizer_json(&self) -> Result<String> {
        let (normalization, max_chars) = self.settings();
        let pieces = self.pieces();
        if let Some(id) = pieces.iter().position(String::is_empty) {
            let message =
                format!("expected pieces that differ, found the one with the id {id} a second time");
            return Err(Error::new(ErrorKind::Argument, message));
        }
        let vocab: serde_json::Map<String, serde_json::Value> =
            pieces.into_iter().zip((0..).map(|id: u32| id.into())).collect();
        let json = serde_json::json!({
            "normalizer": {
                "type": "BertNormalizer",
                "clean_text": normalization.clean,
                "handle_chinese_chars": normalization.isolate_chinese,
                "strip_accents": normalization.strip_accents,
                "lowercase": normalization.lowercase,
            },
            "pre_tokenizer": { "type": "BertPreTokenizer" },
            "model": {
                "type": "WordPiece",
                "unk_token": "[UNK]",
                "continuing_subword_prefix": CONTINUATION,
                "max_input_chars_per_word": max_chars,
                "vocab": vocab,
            },
        });
        Ok(json.to_string())
    }

    /// Reads `vocab.txt`, a piece a line, and `tokenizer_config.json` if there is one.
    ///
    /// # Errors
    /// If the settings are not JSON, or special pieces are missing.
    pub fn from_vocab_txt(vocabulary: &str, settings: Option<&str>) -> Result<Self> {
        let settings: SettingsFile = serde_json::from_str(settings.unwrap_or("{}")).map_err(|error| {
            let message = format!("expected the settings of a tokenizer as JSON, found {error}");
            Error::new(ErrorKind::Syntax, message).in_file("tokenizer_config.json")
        })?;
        let normalization = Normalization {
            clean: true,
            isolate_chinese: settings.tokenize_chinese_chars,
            strip_accents: settings.strip_accents.unwrap_or(settings.do_lower_case),
            lowercase: settings.do_lower_case,
        };
        Self::new(vocabulary.lines().map(str::trim_end), normalization, MAX_CHARS)
    }
}

fn expect(what: &str, expected: &str, found: &str) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    let message = format!("expected {what} `{expected}`, found `{found}`");
    Err(Error::new(ErrorKind::Mismatch, message).hint("only tokenizers of BERT-type encoders are known"))
}

/// The pieces in order of their ids, which must be 0, 1, 2 and so on.
fn in_order(vocabulary: &FxHashMap<String, u32>) -> Result<Vec<&str>> {
    let mut pieces: Vec<(u32, &str)> = vocabulary.iter().map(|(piece, &id)| (id, piece.as_str())).collect();
    pieces.sort_unstable();
    let gap = pieces.iter().zip(0..).find(|((id, _), number)| id != number);
    if let Some(((id, piece), number)) = gap {
        let message =
            format!("expected a piece with the id {number}, found `{piece}` with the id {id} in its place");
        return Err(Error::new(ErrorKind::Syntax, message).hint("the file is damaged: fetch it again"));
    }
    Ok(pieces.into_iter().map(|(_, piece)| piece).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FILE: &str = r###"{"normalizer": {"type": "BertNormalizer", "strip_accents": null, "lowercase": false},
        "pre_tokenizer": {"type": "BertPreTokenizer"}, "decoder": {"type": "WordPiece"},
        "model": {"type": "WordPiece", "continuing_subword_prefix": "##", "max_input_chars_per_word": 50,
                  "vocab": {"[SEP]": 2, "[UNK]": 0, "[CLS]": 1, "##b": 3}}}"###;

    fn error(from: &str, to: &str) -> String {
        WordPiece::from_tokenizer_json(&FILE.replacen(from, to, 1)).unwrap_err().to_string()
    }

    #[test]
    fn both_kinds_of_files() {
        let json = WordPiece::from_tokenizer_json(FILE).unwrap();
        let text = "[UNK]\n[CLS]\r\n[SEP]\n##b\n";
        let lines = WordPiece::from_vocab_txt(text, Some(r#"{"do_lower_case": false}"#)).unwrap();
        assert_eq!((json.len(), json.max_chars), (4, 50));
        assert_eq!((&json.starts, &json.continuations), (&lines.starts, &lines.continuations));
        assert_eq!(json.normalization, lines.normalization);
        assert!(!json.normalization.strip_accents);
        assert!(WordPiece::from_vocab_txt(text, None).unwrap().normalization.lowercase);
    }

    #[test]
    fn refusals() {
        assert!(error("\"type\": \"WordPiece\", \"con", "\"type\": \"BPE\", \"con").contains("found `BPE`"));
        assert!(
            error("BertNormalizer", "NFKC").starts_with("expected a normalizer of type `BertNormalizer`")
        );
        assert!(error("\"##b\": 3", "\"##b\": 4").contains("id 3, found `##b` with the id 4"));
        assert!(error("\"##b\": 3", "\"##b\": 2").contains("expected a piece with the id 3"));
        assert!(error("model", "modle").contains("missing field `model`"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".*") {
            let _ = WordPiece::from_tokenizer_json(&text);
            let _ = WordPiece::from_vocab_txt(&text, Some(&text));
        }
    }
}
