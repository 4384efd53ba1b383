//! The shape of an encoder: what `config.json` says, and within which limits it is believed.
//!
//! The file decides how much memory is taken, so every number in it has a limit, and what follows from them
//! all (the number of parameters) has one too. Fields that this crate does not use are ignored, as all
//! readers of this file do.

use boughs_learn::error::require;
use boughs_learn::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

/// Parameters that an encoder may have: 4 GiB of f32, four times the largest BERT.
const MAX_PARAMETERS: u64 = 1 << 30;

/// Which form of GELU stands between the two linear maps of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// `x Φ(x)`, by the error function.
    Gelu,
    /// Its approximation by a hyperbolic tangent (Hendrycks and Gimpel 2016).
    GeluTanh,
}

/// The shape of an encoder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Numbers in the vector of a piece.
    pub hidden: usize,
    /// Layers.
    pub layers: usize,
    /// Attention heads of a layer; they share `hidden` evenly.
    pub heads: usize,
    /// Numbers between the two linear maps of a layer.
    pub intermediate: usize,
    /// Pieces of the vocabulary.
    pub vocabulary: usize,
    /// Pieces of a sentence, at most.
    pub positions: usize,
    /// Kinds of segments; sentences are all of the first.
    pub types: usize,
    /// What stands between the two linear maps of a layer.
    pub activation: Activation,
    /// Added to the variance in layer norms.
    pub epsilon: f32,
    /// Part of the numbers that training leaves out, in rows and in attention.
    pub dropout: f32,
}

/// `config.json`, with the names and defaults of Hugging Face's `BertConfig`.
#[derive(Deserialize)]
struct ConfigFile {
    model_type: Option<String>,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    vocab_size: usize,
    #[serde(default = "default_positions")]
    max_position_embeddings: usize,
    #[serde(default = "default_types")]
    type_vocab_size: usize,
    #[serde(default = "default_activation")]
    hidden_act: String,
    #[serde(default = "default_epsilon")]
    layer_norm_eps: f32,
    #[serde(default = "default_dropout")]
    hidden_dropout_prob: f32,
    position_embedding_type: Option<String>,
}

fn default_positions() -> usize {
    512
}

fn default_types() -> usize {
    2
}

fn default_activation() -> String {
    "gelu".to_owned()
}

fn default_epsilon() -> f32 {
    1e-12
}

fn default_dropout() -> f32 {
    0.1
}

impl Config {
    /// Reads `config.json`.
    ///
    /// # Errors
    /// If it is not JSON, not that of a BERT-type encoder, or beyond the limits.
    pub fn parse(json: &str) -> Result<Self> {
        let file: ConfigFile = serde_json::from_str(json).map_err(|error| {
            foreign(format!("expected the configuration of a BERT-type encoder, found {error}"))
        })?;
        let model_type = file.model_type.as_deref().unwrap_or("bert");
        if model_type != "bert" {
            return Err(foreign(format!("expected the model type `bert`, found `{model_type}`")));
        }
        let positions = file.position_embedding_type.as_deref().unwrap_or("absolute");
        if positions != "absolute" {
            return Err(foreign(format!("expected positions of type `absolute`, found `{positions}`")));
        }
        let config = Self {
            hidden: file.hidden_size,
            layers: file.num_hidden_layers,
            heads: file.num_attention_heads,
            intermediate: file.intermediate_size,
            vocabulary: file.vocab_size,
            positions: file.max_position_embeddings,
            types: file.type_vocab_size,
            activation: activation(&file.hidden_act)?,
            epsilon: file.layer_norm_eps,
            dropout: file.hidden_dropout_prob,
        };
        config.check()?;
        Ok(config)
    }

    /// The text of `config.json`.
    pub(crate) fn to_json(&self) -> String {
        let activation = match self.activation {
            Activation::Gelu => "gelu",
            Activation::GeluTanh => "gelu_new",
        };
        serde_json::json!({
            "model_type": "bert",
            "hidden_size": self.hidden,
            "num_hidden_layers": self.layers,
            "num_attention_heads": self.heads,
            "intermediate_size": self.intermediate,
            "vocab_size": self.vocabulary,
            "max_position_embeddings": self.positions,
            "type_vocab_size": self.types,
            "hidden_act": activation,
            "layer_norm_eps": self.epsilon,
            "hidden_dropout_prob": self.dropout,
        })
        .to_string()
    }

    /// Checks the limits.
    ///
    /// # Errors
    /// If a number is out of its range, or there would be too many parameters.
    pub fn check(&self) -> Result<()> {
        in_range("hidden_size", self.hidden, 1..=1 << 14)?;
        in_range("num_hidden_layers", self.layers, 1..=1 << 10)?;
        in_range("num_attention_heads", self.heads, 1..=1 << 10)?;
        in_range("intermediate_size", self.intermediate, 1..=1 << 16)?;
        in_range("vocab_size", self.vocabulary, 1..=1 << 24)?;
        // Two of them mark start and end.
        in_range("max_position_embeddings", self.positions, 3..=1 << 20)?;
        in_range("type_vocab_size", self.types, 1..=1 << 10)?;
        let expected = format!("num_attention_heads that divide the hidden_size of {}", self.hidden);
        require(self.hidden.is_multiple_of(self.heads), expected, self.heads)?;
        require((0.0..=1e-2).contains(&self.epsilon), "layer_norm_eps from 0 to 0.01", self.epsilon)?;
        require((0.0..1.0).contains(&self.dropout), "hidden_dropout_prob in [0, 1)", self.dropout)?;
        let expected = format!("an encoder of at most {MAX_PARAMETERS} parameters");
        require(self.num_parameters() <= MAX_PARAMETERS, expected, self.num_parameters())
    }

    /// How many numbers are learned, embeddings included. It cannot overflow within the limits of each field.
    pub fn num_parameters(&self) -> u64 {
        let [hidden, intermediate] = [self.hidden as u64, self.intermediate as u64];
        let embeddings = (self.vocabulary + self.positions + self.types + 2) as u64 * hidden;
        let attention = 4 * hidden * (hidden + 1) + 2 * hidden;
        let feed_forward = 2 * hidden * intermediate + intermediate + hidden + 2 * hidden;
        embeddings + self.layers as u64 * (attention + feed_forward)
    }

    /// The width of an attention head.
    pub fn head_width(&self) -> usize {
        self.hidden / self.heads
    }
}

fn activation(name: &str) -> Result<Activation> {
    match name {
        "gelu" | "gelu_python" => Ok(Activation::Gelu),
        "gelu_new" | "gelu_fast" | "gelu_pytorch_tanh" => Ok(Activation::GeluTanh),
        other => Err(foreign(format!("expected the activation `gelu` or `gelu_new`, found `{other}`"))),
    }
}

fn in_range(name: &str, number: usize, range: std::ops::RangeInclusive<usize>) -> Result<()> {
    require(range.contains(&number), format!("{name} from {} to {}", range.start(), range.end()), number)
}

fn foreign(message: String) -> Error {
    Error::new(ErrorKind::Syntax, message)
        .hint("take the directory of a BERT-type encoder, such as MiniLM: config.json, vocab.txt, model.safetensors")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINILM: &str = r#"{"model_type": "bert", "hidden_act": "gelu", "hidden_size": 384, "intermediate_size": 1536,
        "layer_norm_eps": 1e-12, "max_position_embeddings": 512, "num_attention_heads": 12,
        "num_hidden_layers": 6, "type_vocab_size": 2, "vocab_size": 30522}"#;

    fn error(from: &str, to: &str) -> String {
        Config::parse(&MINILM.replacen(from, to, 1)).unwrap_err().to_string()
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".*", field in 0..12usize, number in proptest::num::u64::ANY) {
            let _ = Config::parse(&text);
            // Any number in the place of one of the file.
            let mut parts: Vec<String> = MINILM.split(", ").map(str::to_owned).collect();
            let part = field % parts.len();
            if let Some((name, _)) = parts[part].clone().split_once(": ") {
                parts[part] = format!("{name}: {number}");
            }
            if let Ok(config) = Config::parse(&parts.join(", ")) {
                proptest::prop_assert!(config.num_parameters() <= MAX_PARAMETERS);
            }
        }
    }

    #[test]
    fn minilm() {
        let config = Config::parse(MINILM).unwrap();
        assert_eq!((config.hidden, config.layers, config.head_width()), (384, 6, 32));
        assert_eq!(config.num_parameters(), 22_565_376);
        for activation in [Activation::Gelu, Activation::GeluTanh] {
            let config = Config { activation, ..config.clone() };
            assert_eq!(Config::parse(&config.to_json()).unwrap(), config);
        }
    }

    #[test]
    fn refusals_say_what_was_expected_and_found() {
        assert!(error("\"bert\"", "\"t5\"").starts_with("expected the model type `bert`, found `t5`"));
        assert!(error("\"gelu\"", "\"relu\"").contains("found `relu`"));
        assert_eq!(
            error(": 12", ": 7"),
            "expected num_attention_heads that divide the hidden_size of 384, found 7"
        );
        assert_eq!(error(": 6", ": 0"), "expected num_hidden_layers from 1 to 1024, found 0");
        assert!(error(": 6", ": -1").contains("invalid value"));
        assert!(error(": 30522", ": 16777216").starts_with("expected an encoder of at most"));
        assert!(error("\"hidden_size\": 384,", "").contains("missing field `hidden_size`"));
        assert!(error("{", "[").contains("expected the configuration"));
    }
}
