//! Frozen encoders in model files.
//!
//! The array `encoder.settings` (JSON) has the shape, and what matrices are made of; `encoder.words`,
//! `encoder.positions`, `encoder.types` and `encoder.norm` are the embeddings; `encoder.layer1.qkv` and so on
//! are linear maps, with `.weight` and `.bias` behind their names, and layer norms, with `.gain` and
//! `.shift`. Weights of one byte have a scale per row: `.scales`.

use boughs_learn::Result;
use boughs_learn::model::{Array, ModelFile, damaged};
use serde::{Deserialize, Serialize};

use super::encoder::{FrozenEncoder, FrozenLayer, OwnedNorm, product};
use super::linear::FrozenLinear;
use super::stored::{Storage, StoredMatrix, floats, positions_as};
use crate::config::Config;

const SETTINGS: &str = "encoder.settings";
const WORDS: &str = "encoder.words";
const POSITIONS: &str = "encoder.positions";
const TYPES: &str = "encoder.types";
const NORM: &str = "encoder.norm";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct EncoderSettings {
    config: Config,
    storage: Storage,
}

impl FrozenEncoder {
    /// Puts the encoder into a file.
    ///
    /// # Errors
    /// If JSON cannot hold its shape.
    pub fn write(&self, file: &mut ModelFile) -> Result<()> {
        let settings = EncoderSettings { config: self.config.clone(), storage: self.storage };
        file.insert_json(SETTINGS, &settings)?;
        self.words.clone().write(file, WORDS);
        positions_as(&self.positions, self.storage.precision()).write(file, POSITIONS);
        file.insert(TYPES, Array::F32(self.types.clone()));
        self.norm.write(file, NORM);
        for (number, layer) in (1..).zip(&self.layers) {
            layer.write(file, &|part| format!("encoder.layer{number}.{part}"));
        }
        Ok(())
    }

    /// Takes an encoder out of a file.
    ///
    /// # Errors
    /// If it is not there, or damaged.
    pub fn read(file: &ModelFile) -> Result<Self> {
        let EncoderSettings { config, storage } = file.json(SETTINGS)?;
        config.check().map_err(damaged)?;
        let of_positions = if storage == Storage::F32 { Storage::F32 } else { Storage::F16 };
        let positions = StoredMatrix::read(file, POSITIONS, config.positions, config.hidden, of_positions)?;
        let layer = |number: usize| {
            FrozenLayer::read(file, &|part| format!("encoder.layer{number}.{part}"), &config, storage)
        };
        Ok(Self {
            words: StoredMatrix::read(file, WORDS, config.vocabulary, config.hidden, storage)?,
            positions: positions.to_floats(),
            types: floats(file, TYPES, config.types * config.hidden)?,
            norm: OwnedNorm::read(file, NORM, &config)?,
            layers: (1..=config.layers).map(layer).collect::<Result<_>>()?,
            product: product(storage),
            config,
            storage,
        })
    }
}

impl OwnedNorm {
    fn write(&self, file: &mut ModelFile, name: &str) {
        file.insert(&format!("{name}.gain"), Array::F32(self.gain.clone()));
        file.insert(&format!("{name}.shift"), Array::F32(self.shift.clone()));
    }

    fn read(file: &ModelFile, name: &str, config: &Config) -> Result<Self> {
        Ok(Self {
            gain: floats(file, &format!("{name}.gain"), config.hidden)?,
            shift: floats(file, &format!("{name}.shift"), config.hidden)?,
            epsilon: config.epsilon,
        })
    }
}

impl FrozenLayer {
    fn write(&self, file: &mut ModelFile, name: &dyn Fn(&str) -> String) {
        self.qkv.write(file, &name("qkv"));
        self.attention_output.write(file, &name("attention-output"));
        self.attention_norm.write(file, &name("attention-norm"));
        self.up.write(file, &name("up"));
        self.down.write(file, &name("down"));
        self.output_norm.write(file, &name("output-norm"));
    }

    fn read(
        file: &ModelFile,
        name: &dyn Fn(&str) -> String,
        config: &Config,
        storage: Storage,
    ) -> Result<Self> {
        let Config { hidden, intermediate, .. } = *config;
        let linear = |part, inputs, outputs| FrozenLinear::read(file, &name(part), inputs, outputs, storage);
        Ok(Self {
            qkv: linear("qkv", hidden, 3 * hidden)?,
            attention_output: linear("attention-output", hidden, hidden)?,
            attention_norm: OwnedNorm::read(file, &name("attention-norm"), config)?,
            up: linear("up", hidden, intermediate)?,
            down: linear("down", intermediate, hidden)?,
            output_norm: OwnedNorm::read(file, &name("output-norm"), config)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use boughs_learn::model::About;

    use super::*;
    use crate::batch::Batch;
    use crate::frozen::Worker;
    use crate::testing::{random_encoder, tiny_config};

    fn file_of(encoder: &FrozenEncoder) -> ModelFile {
        let mut file = ModelFile::new(About::new("example"));
        encoder.write(&mut file).unwrap();
        file
    }

    #[test]
    fn encoders_come_back_as_they_were() {
        let batch = Batch::new([&[1u32, 5, 7][..], &[3]], &tiny_config()).unwrap();
        for storage in [Storage::F32, Storage::F16, Storage::Int8] {
            let encoder = random_encoder(&tiny_config(), 1).freeze(storage.precision());
            let file = ModelFile::from_bytes(&file_of(&encoder).to_bytes().unwrap()).unwrap();
            let read = FrozenEncoder::read(&file).unwrap();
            let [mut before, mut after] = [Worker::default(), Worker::default()];
            assert_eq!(encoder.encode(&batch, &mut before), read.encode(&batch, &mut after));
            assert_eq!(file_of(&read), file);
            let exact = random_encoder(&tiny_config(), 1).freeze(Storage::F32.precision());
            assert_eq!(file_of(&exact.with_precision(storage.precision())), file);
        }
    }

    #[test]
    fn what_is_missing_or_too_short_is_refused() {
        let file = file_of(&random_encoder(&tiny_config(), 1).freeze(Storage::F32.precision()));
        for name in file.names() {
            let mut short = file.clone();
            short.insert(name, Array::F32(vec![0.0]));
            assert!(FrozenEncoder::read(&short).is_err(), "{name}");
        }
    }
}
