//! The head of inference, its maps laid out as those of the encoder are.

use boughs_encoder::ops::norm::Norm;
use boughs_encoder::{FrozenLinear, Precision, Storage};
use serde::{Deserialize, Serialize};

use super::input::{HeadBatch, gather};
use super::layout::{HeadSizes, NetworkLayout, Part};
use super::mlp::{EPSILON, Mlp, MlpTrace};
use super::network::Network;
use super::{Head, HeadLayout};
use crate::error::Result;
use crate::model::{Array, ModelFile, damaged};
use crate::neural::search::SpanScores;

/// A head that only infers.
#[derive(Debug, Clone)]
pub(crate) struct FrozenHead {
    sizes: HeadSizes,
    spans: FrozenNetwork,
    words: FrozenNetwork,
}

#[derive(Debug, Clone)]
struct FrozenNetwork {
    pairs: FrozenLinear,
    offset: Vec<f32>,
    gain: Vec<f32>,
    shift: Vec<f32>,
    out: FrozenLinear,
}

/// Memory of inference.
#[derive(Debug, Default)]
pub(crate) struct HeadWorker {
    gathered: Vec<f32>,
    fenceposts: Vec<f32>,
    mlp: MlpTrace,
}

impl Head {
    /// Makes a head for inference.
    pub(crate) fn freeze(&self, precision: Precision) -> FrozenHead {
        let freeze = |layout: &NetworkLayout| {
            let at = |part: &Part| &self.values[part.range.clone()];
            FrozenNetwork {
                pairs: FrozenLinear::new(at(&layout.pairs), at(&layout.offset), precision),
                offset: at(&layout.offset).to_vec(),
                gain: at(&layout.gain).to_vec(),
                shift: at(&layout.shift).to_vec(),
                out: FrozenLinear::new(at(&layout.weight), at(&layout.bias), precision),
            }
        };
        let HeadLayout { spans, words } = &self.layout;
        FrozenHead { sizes: self.sizes, spans: freeze(spans), words: freeze(words) }
    }
}

impl FrozenHead {
    /// The nearest head of another precision.
    pub(crate) fn with_precision(&self, precision: Precision) -> Self {
        let convert = |network: &FrozenNetwork| FrozenNetwork {
            pairs: network.pairs.with_precision(precision),
            out: network.out.with_precision(precision),
            ..network.clone()
        };
        Self { sizes: self.sizes, spans: convert(&self.spans), words: convert(&self.words) }
    }

    /// The scores of the spans of each sentence, given the rows of the encoder.
    pub(crate) fn score_spans(
        &self,
        batch: &HeadBatch,
        rows: &[f32],
        worker: &mut HeadWorker,
    ) -> Vec<SpanScores> {
        let HeadWorker { gathered, fenceposts, mlp } = worker;
        let (network, width) = (self.spans.borrow(), self.sizes.hidden);
        gather(&batch.fenceposts, rows, self.sizes.encoder, gathered);
        network.combine(gathered, batch.fenceposts.len(), fenceposts);
        let known = |places: std::ops::Range<usize>| &fenceposts[places.start * width..places.end * width];
        batch.fenceposts().map(|places| network.score_spans(known(places), mlp)).collect()
    }

    /// The scores of tags, a row per word of all sentences.
    pub(crate) fn score_tags(&self, batch: &HeadBatch, rows: &[f32], worker: &mut HeadWorker) -> Vec<f32> {
        let HeadWorker { gathered, mlp, .. } = worker;
        let network = self.words.borrow();
        gather(&batch.words, rows, self.sizes.encoder, gathered);
        network.combine(gathered, batch.words.len(), &mut mlp.rows);
        let mut scores = vec![0.0; batch.words.len() * self.sizes.tags];
        network.mlp.forward(mlp, &mut scores);
        scores
    }

    /// Puts the head into a file: `spans.…` and `words.…`.
    pub(crate) fn write(&self, file: &mut ModelFile) -> Result<()> {
        file.insert_json(SETTINGS, &HeadSettings { hidden: self.sizes.hidden })?;
        self.spans.write(file, "spans");
        self.words.write(file, "words");
        Ok(())
    }

    /// Takes a head out of a file, for so many numbers of the encoder, labels and tags.
    pub(crate) fn read(
        file: &ModelFile,
        [encoder, labels, tags]: [usize; 3],
        storage: Storage,
    ) -> Result<Self> {
        let HeadSettings { hidden } = file.json(SETTINGS)?;
        if !(1..=MAX_HIDDEN).contains(&hidden) {
            return Err(damaged(format_args!("a head of width {hidden}")));
        }
        let sizes = HeadSizes { encoder, hidden, labels, tags };
        let HeadLayout { spans, words } = HeadLayout::new(sizes);
        Ok(Self {
            sizes,
            spans: FrozenNetwork::read(file, "spans", &spans, storage)?,
            words: FrozenNetwork::read(file, "words", &words, storage)?,
        })
    }
}

/// The widest head that makes sense; a bound for what a damaged file can ask for.
pub(crate) const MAX_HIDDEN: usize = 1 << 13;

const SETTINGS: &str = "head.settings";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct HeadSettings {
    hidden: usize,
}

impl FrozenNetwork {
    fn borrow(&self) -> Network<'_, &FrozenLinear> {
        let norm = Norm { gain: &self.gain, shift: &self.shift, epsilon: EPSILON };
        Network { pairs: &self.pairs, offset: &self.offset, mlp: Mlp { norm, out: &self.out } }
    }

    fn arrays(&self) -> [(&'static str, &Vec<f32>); 3] {
        [("offset", &self.offset), ("gain", &self.gain), ("shift", &self.shift)]
    }

    fn write(&self, file: &mut ModelFile, name: &str) {
        self.pairs.write(file, &format!("{name}.pairs"));
        self.out.write(file, &format!("{name}.out"));
        for (part, values) in self.arrays() {
            file.insert(&format!("{name}.{part}"), Array::F32(values.clone()));
        }
    }

    fn read(file: &ModelFile, name: &str, layout: &NetworkLayout, storage: Storage) -> Result<Self> {
        let linear = |part: &str, weight: &Part, bias: &Part| {
            let name = format!("{name}.{part}");
            FrozenLinear::read(file, &name, weight.width, bias.range.len(), storage)
        };
        let values = |part: &str, at: &Part| {
            let name = format!("{name}.{part}");
            let values = file.f32s(&name)?;
            match values.len() == at.range.len() && values.iter().all(|value| value.is_finite()) {
                true => Ok(values.to_vec()),
                false => Err(damaged(format_args!("`{name}` is not {} finite numbers", at.range.len()))),
            }
        };
        Ok(Self {
            pairs: linear("pairs", &layout.pairs, &layout.offset)?,
            offset: values("offset", &layout.offset)?,
            gain: values("gain", &layout.gain)?,
            shift: values("shift", &layout.shift)?,
            out: linear("out", &layout.weight, &layout.bias)?,
        })
    }
}
