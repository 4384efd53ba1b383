//! [`ChartModel`]: what a chart parser has learned, and its file.
//!
//! Grammars that differ in nothing but the noise of their splits err differently: the product of their posteriors is
//! better than each of them (Petrov 2010, "Products of Random Latent Variable Grammars"). A single grammar is a
//! product of one. Features are a layer above a grammar.
//!
//! In a file (kind `chart`) the arrays of the first grammar stand behind `grammar1_`, those of the second behind
//! `grammar2_`, and so on (`grammar/file.rs`); those of features behind `crf_` and `span_` (`crf/file.rs`). What else
//! is to be known is a JSON object in the array `settings` (u8).

use serde::{Deserialize, Serialize};

use super::crf::CrfSettings;
use super::grammar::GrammarSettings;
use super::{About, CrfFeatures, GrammarModel, ModelFile, Symbols, damaged};
use crate::error::{Error, ErrorKind, Result};
use crate::vocab::Vocab;

/// The kind of these files.
pub const CHART_KIND: &str = "chart";

const SETTINGS: &str = "settings";

/// One or more grammars with the same symbols, and the same substates of these in the coarsest grammar; a single one
/// may have features.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartModel {
    grammars: Vec<GrammarModel>,
    features: Option<CrfFeatures>,
}

/// What is to be known beside the arrays.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ChartSettings {
    grammars: Vec<GrammarSettings>,
    features: Option<CrfSettings>,
}

impl ChartModel {
    /// More grammars than anyone has the time for; a bound for what a damaged file can ask for.
    pub const MOST_GRAMMARS: usize = 16;

    /// A model of these parts.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`] if there is no grammar or more than [`MOST_GRAMMARS`](Self::MOST_GRAMMARS), one does not
    /// go with the first, there are several with features, or too many symbols that features speak of.
    pub fn new(grammars: Vec<GrammarModel>, features: Option<CrfFeatures>) -> Result<Self> {
        let mismatch = |message: String| Error::new(ErrorKind::Mismatch, message);
        if !(1..=Self::MOST_GRAMMARS).contains(&grammars.len()) {
            let (most, found) = (Self::MOST_GRAMMARS, grammars.len());
            return Err(mismatch(format!("expected 1 to {most} grammars, found {found}")));
        }
        if features.is_some() && grammars.len() > 1 {
            let message = format!("expected one grammar below the features, found {}", grammars.len());
            return Err(mismatch(message).hint("combine grammars without features"));
        }
        let num_substates = grammars[0].finest().grammar.num_substates();
        if features.as_ref().is_some_and(|it| it.is_annotated) && num_substates > usize::from(u16::MAX) {
            let message = format!("expected at most 65535 annotated symbols, found {num_substates}");
            return Err(mismatch(message).hint("annotate less, or make the horizontal memory smaller"));
        }
        let mut others = (2..).zip(&grammars[1..]);
        let differing = others.find_map(|(number, other)| Some((number, difference(&grammars[0], other)?)));
        match differing {
            Some((number, difference)) => Err(mismatch(format!(
                "expected grammars of the same trees, but grammar {number} has {difference} than the first"
            ))
            .hint("train them on the same trees with the same options, with another --seed each")),
            None => Ok(Self { grammars, features }),
        }
    }

    /// The grammars; there is at least one.
    pub fn grammars(&self) -> &[GrammarModel] {
        &self.grammars
    }

    /// The features, if there are any.
    pub fn features(&self) -> Option<&CrfFeatures> {
        self.features.as_ref()
    }

    /// The symbols, which all grammars have in common.
    pub fn symbols(&self) -> &Symbols {
        self.grammars[0].symbols()
    }

    /// The model as a file; kind and labels are filled in.
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn to_file(&self, about: About) -> Result<ModelFile> {
        to_file(&self.grammars, self.features.as_ref(), about)
    }

    /// The model of a file.
    ///
    /// # Errors
    /// If it is of another kind, or its parts do not fit together.
    pub fn from_file(file: &ModelFile) -> Result<Self> {
        file.expect_kind(CHART_KIND, "train one with `boughs train`")?;
        let settings: ChartSettings = file.json(SETTINGS)?;
        let numbered = (1..=Self::MOST_GRAMMARS + 1).zip(&settings.grammars);
        let read = |(number, settings)| GrammarModel::read(file, &prefix(number), settings);
        let grammars = numbered.map(read).collect::<Result<Vec<_>>>()?;
        let features = settings.features.map(|settings| CrfFeatures::read(file, &settings)).transpose()?;
        Self::new(grammars, features).map_err(damaged)
    }
}

impl From<GrammarModel> for ChartModel {
    fn from(grammar: GrammarModel) -> Self {
        Self { grammars: vec![grammar], features: None }
    }
}

impl GrammarModel {
    /// The grammar as the file of a [`ChartModel`].
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn to_file(&self, about: About) -> Result<ModelFile> {
        to_file(std::slice::from_ref(self), None, about)
    }

    /// The only grammar of the file of a [`ChartModel`].
    ///
    /// # Errors
    /// If it is of another kind, its parts do not fit together, or it has several grammars or features.
    pub fn from_file(file: &ModelFile) -> Result<Self> {
        let ChartModel { mut grammars, features } = ChartModel::from_file(file)?;
        match (grammars.pop(), grammars.len(), features) {
            (Some(grammar), 0, None) => Ok(grammar),
            (_, num_others, features) => {
                let with = if features.is_some() { "with" } else { "without" };
                let found = format!("{} {with} features", num_others + 1);
                let message = format!("expected one grammar without features, found {found}");
                Err(Error::new(ErrorKind::Mismatch, message)
                    .hint("name a model of one latent or plain grammar"))
            }
        }
    }
}

fn to_file(grammars: &[GrammarModel], features: Option<&CrfFeatures>, about: About) -> Result<ModelFile> {
    let symbols = grammars[0].symbols();
    let labels: Vocab = symbols.iter().flat_map(|it| symbols.labels(it)).map(AsRef::as_ref).collect();
    let labels = labels.iter().map(str::to_owned).collect();
    let mut file = ModelFile::new(About { kind: CHART_KIND.to_owned(), labels, ..about });
    let settings = ChartSettings {
        grammars: (1..)
            .zip(grammars)
            .map(|(number, grammar)| grammar.write(&mut file, &prefix(number)))
            .collect::<Result<_>>()?,
        features: features.map(|features| features.write(&mut file)).transpose()?,
    };
    file.insert_json(SETTINGS, &settings)?;
    Ok(file)
}

/// What keeps two grammars from parsing together.
fn difference(first: &GrammarModel, other: &GrammarModel) -> Option<&'static str> {
    let [(names, sizes, max_chain), others] = [first, other].map(|model| {
        let grammar = &model.levels()[0].grammar;
        (model.symbols(), grammar.sizes(), grammar.max_chain())
    });
    match others {
        (its_names, _, _) if its_names != names => Some("other symbols"),
        (_, its_sizes, _) if its_sizes != sizes => Some("other substates before any splits"),
        (_, _, its_max_chain) if its_max_chain != max_chain => {
            Some("longer or shorter chains of unary rules")
        }
        _ => None,
    }
}

/// What the names of the arrays of a grammar begin with.
fn prefix(number: usize) -> String {
    format!("grammar{number}_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Array;
    use crate::model::{
        CrfObjective, CrfTemplates, FeatureWeights, ForestThresholds, Grammar, GrammarLexicon, Level,
        Property, RuleBlock, ScoreTable, SpanClassifier, Symbol, WordClasses, WordForms,
    };

    fn grammar(phrase: &str, value: f32) -> GrammarModel {
        grammar_with(phrase, value, [1, 1, 1], 2)
    }

    fn grammar_with(phrase: &str, value: f32, sizes: [u16; 3], max_chain: usize) -> GrammarModel {
        let names = |names: &[&str]| names.iter().copied().collect();
        let symbols = Symbols::new(names(&["x"]), names(&["TOP", phrase])).unwrap();
        let block = |parent, left| RuleBlock {
            parent: Symbol(parent),
            left: Symbol(left),
            right: None,
            rows: vec![[0, 0]],
            values: vec![value; usize::from(sizes[usize::from(parent)])],
        };
        let mut of_words = ScoreTable::new();
        of_words.push([(Symbol(0), &[1.0][..])]);
        let of_classes = of_words.clone();
        let lexicon = GrammarLexicon {
            words: std::sync::Arc::new(names(&["a"])),
            classes: names(&["UNK-"]),
            classifier: WordClasses::plain(),
            class_share: vec![0.0],
            of_words,
            of_classes,
        };
        let grammar = Grammar::new(sizes.to_vec(), vec![block(1, 2), block(2, 0)], max_chain);
        let weights = vec![1.0; grammar.num_substates()];
        GrammarModel::new(symbols, Level { grammar, lexicon, weights }, Vec::new())
    }

    fn two() -> ChartModel {
        ChartModel::new(vec![grammar("NP", 0.5), grammar("NP", 0.25)], None).unwrap()
    }

    fn features(templates: &str) -> CrfFeatures {
        let templates: CrfTemplates = templates.parse().unwrap();
        let weights = FeatureWeights::from_iter([(1 << 40, 0.5), (1 << 50, -2.0)]);
        let has_classifier = templates.asks_for(Property::SpanClassifier);
        let classifier =
            SpanClassifier { templates: templates.clone(), bias: -0.1, weights: weights.clone() };
        CrfFeatures {
            templates,
            forms: WordForms::new([("a", 3)], 1).with_clusters("a\t01\n").unwrap(),
            thresholds: ForestThresholds { phrases: -5.25, rules: -0.1 },
            is_annotated: false,
            objective: CrfObjective::Margin,
            base_weight: 0.3,
            weights,
            span_classifier: has_classifier.then_some(classifier),
        }
    }

    #[test]
    fn models_come_back() {
        let of_features =
            |templates| ChartModel::new(vec![grammar("NP", 0.5)], Some(features(templates))).unwrap();
        let models =
            [grammar("NP", 0.5).into(), two(), of_features("rule"), of_features("any span-classifier")];
        for model in models {
            let bytes = model.to_file(About::new("")).unwrap().to_bytes().unwrap();
            let file = ModelFile::from_bytes(&bytes).unwrap();
            let read = ChartModel::from_file(&file).unwrap();
            assert_eq!(read, model);
            assert_eq!(read.to_file(About::new("")).unwrap().to_bytes().unwrap(), bytes);
            let is_single = model.grammars().len() == 1 && model.features().is_none();
            assert_eq!(GrammarModel::from_file(&file).is_ok(), is_single);
        }
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        for (other, difference) in [
            (grammar("VP", 0.5), "grammar 2 has other symbols than the first"),
            (grammar_with("NP", 0.5, [1, 1, 2], 2), "other substates before any splits"),
            (grammar_with("NP", 0.5, [1, 1, 1], 3), "longer or shorter chains"),
        ] {
            let message = ChartModel::new(vec![grammar("NP", 0.5), other], None).unwrap_err().to_string();
            assert!(message.contains(difference), "{message}");
        }
        for number in [0, ChartModel::MOST_GRAMMARS + 1] {
            assert!(ChartModel::new(vec![grammar("NP", 0.5); number], None).is_err());
        }
        let several = ChartModel::new(two().grammars, Some(features("rule"))).unwrap_err().to_string();
        assert!(several.contains("expected one grammar below the features, found 2"), "{several}");
    }

    #[test]
    fn damaged_files_are_refused() {
        let read = |file: &ModelFile| ChartModel::from_file(file).unwrap_err().to_string();
        let mut file = two().to_file(About::new("")).unwrap();
        file.insert("grammar2_rules", Array::U8(vec![1, 2, 3]));
        read(&file);
        let mut file = two().to_file(About::new("")).unwrap();
        file.insert(SETTINGS, Array::U8(br#"{"grammars":[],"features":null}"#.to_vec()));
        assert!(read(&file).contains("expected 1 to 16 grammars, found 0"));
        file.insert(SETTINGS, Array::U8(br#"{"grammars":[{}],"features":null}"#.to_vec()));
        assert!(read(&file).contains("missing field"));
        let old = read(&ModelFile::new(About::new("grammars")));
        assert!(old.contains("expected a model of kind `chart`, found one of kind `grammars`"), "{old}");
        let parts = ChartModel::new(vec![grammar("NP", 0.5)], Some(features("any span-classifier"))).unwrap();
        for name in ["span_weights", "crf_features", "crf_weights", "crf_frequent"] {
            let mut file = parts.to_file(About::new("")).unwrap();
            file.insert(name, Array::I16(vec![1]));
            assert!(ChartModel::from_file(&file).is_err(), "{name}");
        }
    }
}
