//! Encoders from the directories that everybody has: `config.json`, `vocab.txt` or `tokenizer.json`, and
//! `model.safetensors`.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use boughs_learn::error::require;
use boughs_learn::{Error, ErrorKind, Result};
use safetensors::Dtype;
use safetensors::tensor::TensorView;

use crate::config::Config;
use crate::encoder::{Encoder, WORDS};
use crate::tensors::TensorFile;
use crate::wordpiece::WordPiece;

/// Configurations and vocabularies beyond this are something else.
const MAX_TEXT: u64 = 1 << 28;

/// Reads an encoder and its vocabulary, with the first `layers` layers or all.
///
/// # Errors
/// If a file is missing, damaged or foreign, or they do not belong together.
pub fn read(directory: &Path, layers: Option<usize>) -> Result<(Encoder, WordPiece)> {
    let config = read_config(directory, layers)?;
    let vocabulary = read_vocabulary(directory)?;
    if vocabulary.len() > config.vocabulary {
        let expected = format!("a vocabulary of {} pieces as in config.json", config.vocabulary);
        let message = format!("expected {expected}, found {}", vocabulary.len());
        return Err(Error::new(ErrorKind::Mismatch, message)
            .hint("the files of the directory belong to different encoders")
            .in_file(directory));
    }
    Ok((read_weights(directory, config)?, vocabulary))
}

fn read_config(directory: &Path, layers: Option<usize>) -> Result<Config> {
    let path = directory.join("config.json");
    let mut config = Config::parse(&read_text(&path)?).map_err(|error| error.in_file(&path))?;
    if let Some(layers) = layers {
        let expected = format!("from 1 to {} layers, which the encoder has", config.layers);
        require((1..=config.layers).contains(&layers), expected, layers)?;
        config.layers = layers;
    }
    Ok(config)
}

/// Reads the vocabulary alone.
///
/// # Errors
/// If its file is missing, damaged or foreign.
pub fn read_vocabulary(directory: &Path) -> Result<WordPiece> {
    let [json, lines, settings] =
        ["tokenizer.json", "vocab.txt", "tokenizer_config.json"].map(|name| directory.join(name));
    if json.exists() {
        return WordPiece::from_tokenizer_json(&read_text(&json)?).map_err(|error| error.in_file(&json));
    }
    let settings = match settings.exists() {
        true => Some(read_text(&settings)?),
        false => None,
    };
    WordPiece::from_vocab_txt(&read_text(&lines)?, settings.as_deref()).map_err(|error| error.in_file(&lines))
}

fn read_weights(directory: &Path, config: Config) -> Result<Encoder> {
    let path = directory.join("model.safetensors");
    let file = File::open(&path).map_err(|error| missing(&path, error))?;
    let read = || {
        let mut file = TensorFile::open(BufReader::new(file))?;
        Encoder::with(config, |name, shape, values| file.read(name, shape, values))
    };
    read().map_err(|error| error.in_file(&path))
}

/// Writes an encoder and its vocabulary as others read them: `config.json`, `tokenizer.json` and
/// `model.safetensors`.
///
/// # Errors
/// If the vocabulary has a piece twice, or the operating system refuses.
pub fn write(directory: &Path, encoder: &Encoder, vocabulary: &WordPiece) -> Result<()> {
    let files = [
        ("config.json", encoder.config().to_json().into_bytes()),
        ("tokenizer.json", vocabulary.to_tokenizer_json()?.into_bytes()),
        ("model.safetensors", to_safetensors(encoder)?),
    ];
    for (name, content) in files {
        let path = directory.join(name);
        fs::write(&path, content).map_err(|error| Error::io(format!("write `{}`", path.display()), error))?;
    }
    Ok(())
}

fn to_safetensors(encoder: &Encoder) -> Result<Vec<u8>> {
    let bytes = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<_>>();
    let Config { vocabulary, hidden, .. } = *encoder.config();
    let words = (WORDS.to_owned(), vec![vocabulary, hidden], bytes(encoder.words()));
    let body = encoder.tensors().iter().map(|tensor| {
        (tensor.name.clone(), tensor.shape.clone(), bytes(&encoder.body()[tensor.range.clone()]))
    });
    let tensors: Vec<(String, Vec<usize>, Vec<u8>)> = [words].into_iter().chain(body).collect();
    let too_large = |error: safetensors::SafeTensorError| {
        Error::new(ErrorKind::TooLarge, format!("the encoder does not fit into a file: {error}"))
    };
    let views = tensors.iter().map(|(name, shape, data)| {
        Ok((name, TensorView::new(Dtype::F32, shape.clone(), data).map_err(too_large)?))
    });
    safetensors::serialize(views.collect::<Result<Vec<_>>>()?, None).map_err(too_large)
}

fn read_text(path: &Path) -> Result<String> {
    let length = fs::metadata(path).map_err(|error| missing(path, error))?.len();
    let expected = format!("`{}` of at most {MAX_TEXT} bytes", path.display());
    require(length <= MAX_TEXT, expected, length)?;
    fs::read_to_string(path).map_err(|error| missing(path, error))
}

fn missing(path: &Path, error: std::io::Error) -> Error {
    Error::io(format!("read `{}`", path.display()), error).hint(
        "the directory of an encoder has config.json, vocab.txt or tokenizer.json, and model.safetensors",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Batch;
    use crate::frozen::{Precision, Worker};
    use crate::testing::{made_up_vocabulary, random_encoder, tiny_config};

    fn write_to(directory: &tempfile::TempDir) -> Encoder {
        let encoder = random_encoder(&tiny_config(), 1);
        write(directory.path(), &encoder, &made_up_vocabulary(encoder.config())).unwrap();
        encoder
    }

    #[test]
    fn comes_back_as_it_was_written() {
        let directory = tempfile::tempdir().unwrap();
        let encoder = write_to(&directory);
        let (back, vocabulary) = read(directory.path(), None).unwrap();
        assert_eq!(
            (back.config(), back.words(), back.body()),
            (encoder.config(), encoder.words(), encoder.body())
        );
        assert_eq!(vocabulary.pieces(), made_up_vocabulary(encoder.config()).pieces());
    }

    #[test]
    fn first_layers() {
        let directory = tempfile::tempdir().unwrap();
        let encoder = write_to(&directory);
        let (short, _) = read(directory.path(), Some(1)).unwrap();
        assert_eq!(short.body(), &encoder.body()[..short.body().len()]);
        let error = read(directory.path(), Some(3)).unwrap_err();
        assert_eq!(error.to_string(), "expected from 1 to 2 layers, which the encoder has, found 3");
    }

    #[test]
    fn what_is_missing_is_said() {
        let directory = tempfile::tempdir().unwrap();
        let message = || read(directory.path(), None).unwrap_err().to_string();
        assert!(message().contains("config.json`: No such file"), "{}", message());
        write_to(&directory);
        fs::remove_file(directory.path().join("tokenizer.json")).unwrap();
        assert!(message().contains("vocab.txt`: No such file"), "{}", message());
        fs::write(directory.path().join("tokenizer.json"), "{}").unwrap();
        assert!(message().contains("tokenizer.json: expected a tokenizer"), "{}", message());
    }

    #[test]
    fn parts_of_different_encoders() {
        let directory = tempfile::tempdir().unwrap();
        write_to(&directory);
        let path = directory.path().join("config.json");
        let config = fs::read_to_string(&path).unwrap();
        let with = |from: &str, to: &str| {
            fs::write(&path, config.replace(from, to)).unwrap();
            read(directory.path(), None).unwrap_err().to_string()
        };
        assert!(with("\"num_hidden_layers\":2", "\"num_hidden_layers\":3").contains("encoder.layer.2."));
        assert!(
            with("\"vocab_size\":11", "\"vocab_size\":10").contains("expected a vocabulary of 10 pieces")
        );
        assert!(with("\"hidden_size\":8", "\"hidden_size\":16").contains("found [11, 8]"));
    }

    /// Every file cut off at some place, and with some byte changed: refused with a sentence, or read as something
    /// that can be used; the weights have no checksum.
    #[test]
    fn damaged_files_are_refused_or_of_use() {
        let directory = tempfile::tempdir().unwrap();
        write_to(&directory);
        for name in ["config.json", "tokenizer.json", "model.safetensors"] {
            let path = directory.path().join(name);
            let whole = fs::read(&path).unwrap();
            let step = 1 + whole.len() / 100;
            for cut in (0..whole.len()).step_by(step) {
                fs::write(&path, &whole[..cut]).unwrap();
                let message = read(directory.path(), None).unwrap_err().to_string();
                assert!(message.contains("expected") || message.contains("read"), "{name} {cut}: {message}");
            }
            for place in (0..whole.len()).step_by(step) {
                for byte in [0, b'9', b'"', b'}', 255] {
                    let mut damaged = whole.clone();
                    damaged[place] = byte;
                    fs::write(&path, &damaged).unwrap();
                    let Ok((encoder, vocabulary)) = read(directory.path(), None) else { continue };
                    let windows = vocabulary.windows(&["a", "b"], encoder.config().positions);
                    let batch = Batch::new(windows.ids.iter().map(Vec::as_slice), encoder.config()).unwrap();
                    let encoded = encoder.freeze(Precision::F32).encode(&batch, &mut Worker::default()).len();
                    assert_eq!(encoded, batch.num_rows() * encoder.config().hidden);
                }
            }
            fs::write(&path, whole).unwrap();
        }
        assert!(read(directory.path(), None).is_ok());
    }

    #[test]
    fn foreign_directories_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        write_to(&directory);
        let path = directory.path().join("config.json");
        for (model, expected) in [
            ("roberta", "expected the model type `bert`, found `roberta`"),
            ("gpt2", "expected the model type `bert`, found `gpt2`"),
        ] {
            let config = fs::read_to_string(&path).unwrap();
            fs::write(&path, config.replace("\"bert\"", &format!("\"{model}\""))).unwrap();
            assert!(read(directory.path(), None).unwrap_err().to_string().contains(expected));
            fs::write(&path, config).unwrap();
        }
        fs::write(
            directory.path().join("model.safetensors"),
            "PK\u{3}\u{4} a zip archive, as PyTorch writes",
        )
        .unwrap();
        assert!(
            read(directory.path(), None).unwrap_err().to_string().contains("model.safetensors: expected")
        );
    }
}
