//! [`Pipeline`]: steps in order, and the named ones of the papers.

use std::fmt;
use std::str::FromStr;

use super::{
    Counting, KnownWords, Record, TagSet, TransformStep, WordCounts, label_wh_phrases, lowercase,
    prt_to_advp, raise_punctuation, remove_outer_punctuation, remove_quotes, remove_tags, remove_traces,
    remove_unary_to_self, rename_tags, replace_rare, sentence_length, splice, strip_alternatives,
    strip_functions, unescape_slashes,
};
use crate::error::{Error, Result};
use crate::tree::profile::Profile;
use crate::tree::{Tree, is_root_label};

/// The named pipelines: name, what it is, steps. Tagging, which the papers list among the steps, changes no
/// tree and is left to the tagger.
pub const PIPELINES: [(&str, &str, &str); 4] = [
    (
        "tm06",
        "preprocessing of Turian & Melamed (2006), table 1",
        "strip-functions,strip-alternatives,remove-traces,prt-to-advp,remove-quotes,\
         remove-outer-punctuation,raise-punctuation,remove-unary-to-self,lowercase",
    ),
    (
        "tm05",
        "preprocessing of Turian & Melamed (2005), table 3: the same with rare words replaced",
        "strip-functions,strip-alternatives,remove-traces,prt-to-advp,remove-quotes,\
         remove-outer-punctuation,raise-punctuation,remove-unary-to-self,lowercase,replace-rare=5",
    ),
    (
        "english",
        "treebanks of English in one style: no labels of document structure, no marks of annotators, WHNP",
        "strip-functions,strip-alternatives,remove-traces,remove-tags=CODE,rename-tags=SU>.,\
         splice=CAPTION+CIT+HEADING+TITLE,label-wh-phrases",
    ),
    ("eval", "only what scoring ignores anyway: function tags and traces", "strip-functions,remove-traces"),
];

/// What several steps need to know.
#[derive(Debug, Clone)]
pub struct TransformSettings {
    /// The conventions of the treebank: what a trace is, whether tags have functions, which categories are mapped.
    pub profile: Profile,
    /// The tags of punctuation, quotation marks included.
    pub punctuation: TagSet,
    /// The tags of quotation marks.
    pub quotes: TagSet,
    /// The word that stands for rare ones.
    pub unknown: String,
    /// How words are counted.
    pub counting: Counting,
    /// The words that are not rare; without it none is.
    pub vocabulary: Option<KnownWords>,
}

impl Default for TransformSettings {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            punctuation: TagSet::punctuation(),
            quotes: TagSet::quotes(),
            unknown: "UNK".to_owned(),
            counting: Counting::Tokens,
            vocabulary: None,
        }
    }
}

/// Steps to be done one after the other. It is written as it is read, `step,step,…`.
///
/// ```
/// use boughs::tree::Tree;
/// use boughs::tree::transform::{Pipeline, KeepOrDrop};
///
/// let pipeline = "remove-traces,strip-functions,max-length=3".parse::<Pipeline>()?;
/// let mut tree: Tree = "(S (NP-SBJ (-NONE- *)) (VP (VB Go)) (. !))".parse()?;
/// assert_eq!(pipeline.apply(&mut tree), KeepOrDrop::Keep);
/// assert_eq!(tree.to_string(), "(S (VP (VB Go)) (. !))");
/// # Ok::<(), boughs::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Pipeline {
    steps: Vec<TransformStep>,
    /// What several steps need to know.
    pub settings: TransformSettings,
}

/// Whether a sentence stays in the treebank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum KeepOrDrop {
    /// It stays.
    Keep,
    /// It is longer than a limit allows; the steps after the limit were not done.
    Drop,
}

impl Pipeline {
    /// These steps in this order.
    pub fn new(steps: impl IntoIterator<Item = TransformStep>) -> Self {
        Self { steps: steps.into_iter().collect(), settings: TransformSettings::default() }
    }

    /// The steps in order.
    pub fn steps(&self) -> &[TransformStep] {
        &self.steps
    }

    /// Adds a step where it fits: before those that come later in the order of [`TransformStep`]. A step of the same
    /// name is replaced.
    pub fn insert(&mut self, step: TransformStep) {
        let rank = step.rank();
        self.steps.retain(|other| other.rank() != rank);
        let place = self.steps.iter().position(|other| other.rank() > rank);
        self.steps.insert(place.unwrap_or(self.steps.len()), step);
    }

    /// Changes a tree for training or scoring.
    pub fn apply(&self, tree: &mut Tree) -> KeepOrDrop {
        self.apply_steps(&self.steps, tree)
    }

    /// Prepares a sentence for a parser, and remembers how to complete the tree that the parser gives. No
    /// sentence is dropped: what is too long for a parser, the parser has to say.
    pub fn prepare(&self, tree: &mut Tree) -> Record {
        Record::around(tree, |tree| {
            for step in &self.steps {
                let _ = self.apply_step(step, tree);
            }
        })
    }

    /// The count below which words are replaced, if there is such a step.
    pub fn min_count(&self) -> Option<u64> {
        self.steps.iter().find_map(|step| match step {
            TransformStep::ReplaceRare(count) => Some(*count),
            _ => None,
        })
    }

    /// Counts the words of a training tree as the step that replaces rare ones would see them.
    pub fn count_words(&self, mut tree: Tree, counts: &mut WordCounts) {
        let is_replacement = |step: &TransformStep| matches!(step, TransformStep::ReplaceRare(_));
        let end = self.steps.iter().position(is_replacement).unwrap_or(self.steps.len());
        if self.apply_steps(&self.steps[..end], &mut tree) == KeepOrDrop::Keep {
            counts.add(&tree);
        }
    }

    fn apply_steps(&self, steps: &[TransformStep], tree: &mut Tree) -> KeepOrDrop {
        let keeps = steps.iter().all(|step| self.apply_step(step, tree) == KeepOrDrop::Keep);
        if keeps { KeepOrDrop::Keep } else { KeepOrDrop::Drop }
    }

    fn apply_step(&self, step: &TransformStep, tree: &mut Tree) -> KeepOrDrop {
        let settings = &self.settings;
        match step {
            TransformStep::MaxLength(length) if sentence_length(tree) > *length => return KeepOrDrop::Drop,
            TransformStep::MaxLength(_) => {}
            TransformStep::UnescapeSlashes => unescape_slashes(tree),
            TransformStep::StripFunctions => {
                settings.profile.strip_tags(tree);
                strip_functions(tree);
            }
            TransformStep::StripAlternatives => strip_alternatives(tree),
            TransformStep::RemoveTraces => {
                settings.profile.mark_traces(tree);
                remove_traces(tree);
            }
            TransformStep::MapLabels => settings.profile.map_labels(tree),
            TransformStep::RemoveTags(tags) => remove_tags(tree, tags),
            TransformStep::RenameTags(renamed) => rename_tags(tree, renamed),
            TransformStep::Splice(categories) => splice(tree, categories),
            TransformStep::LabelWhPhrases => label_wh_phrases(tree),
            TransformStep::PrtToAdvp => prt_to_advp(tree),
            TransformStep::RemoveQuotes => remove_quotes(tree, &settings.quotes),
            TransformStep::RemoveOuterPunctuation => remove_outer_punctuation(tree, &settings.punctuation),
            TransformStep::Root(label) if label == "none" => tree.strip_root(),
            // A label outside the conventions is not known for a root, and must not be added twice.
            TransformStep::Root(label)
                if !is_root_label(label) && tree.root().is_some_and(|root| root.label == label) => {}
            TransformStep::Root(label) => tree.set_root(label),
            TransformStep::RaisePunctuation => raise_punctuation(tree, &settings.punctuation),
            TransformStep::RemoveUnaryToSelf => remove_unary_to_self(tree),
            TransformStep::Lowercase => lowercase(tree),
            TransformStep::ReplaceRare(_) => {
                if let Some(vocabulary) = &settings.vocabulary {
                    replace_rare(tree, vocabulary, &settings.unknown);
                }
            }
        }
        KeepOrDrop::Keep
    }
}

impl FromStr for Pipeline {
    type Err = Error;

    /// Reads `step,step,…`, or takes the pipeline of that name among [`PIPELINES`].
    ///
    /// # Errors
    /// [`ErrorKind::Argument`](crate::ErrorKind::Argument) if there is no such step.
    fn from_str(steps: &str) -> Result<Self> {
        let known = PIPELINES.iter().find(|(name, _, _)| *name == steps);
        let written = known.map_or(steps, |(_, _, steps)| steps).split(',').map(str::trim);
        Ok(Self::new(written.filter(|step| !step.is_empty()).map(str::parse).collect::<Result<Vec<_>>>()?))
    }
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<String> = self.steps.iter().map(TransformStep::to_string).collect();
        f.write_str(&steps.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Tree {
        text.parse().expect("a tree")
    }

    #[test]
    fn named_pipelines_are_written_as_they_are_read() {
        for (name, _, steps) in PIPELINES {
            assert_eq!(name.parse::<Pipeline>().expect("a name").to_string(), steps);
        }
        assert!("tm07".parse::<Pipeline>().is_err());
        assert!("".parse::<Pipeline>().expect("no steps").steps().is_empty());
    }

    #[test]
    fn steps_are_inserted_where_they_fit() {
        let mut pipeline = "strip-functions,raise-punctuation".parse::<Pipeline>().expect("steps");
        for step in ["root=TOP", "max-length=9", "lowercase", "root=ROOT"] {
            pipeline.insert(step.parse().expect("a step"));
        }
        assert_eq!(
            pipeline.to_string(),
            "max-length=9,strip-functions,root=ROOT,raise-punctuation,lowercase"
        );
    }

    #[test]
    fn the_table_of_2006() {
        let mut tree = tree(
            "( (S (`` ``) (NP-SBJ-1 (NP (NNP Kim)) (, ,)) \
             (VP (VBD ran) (ADVP|PRT (RP off)) (NP (-NONE- *T*-1))) (. .) ('' '')))",
        );
        assert_eq!("tm06".parse::<Pipeline>().expect("a name").apply(&mut tree), KeepOrDrop::Keep);
        assert_eq!(tree.to_string(), "( (S (NP (NNP kim)) (, ,) (VP (VBD ran) (ADVP (RP off)))))");
    }

    #[test]
    fn rare_words_are_counted_as_they_will_be_seen() {
        let mut pipeline = "max-length=2,lowercase,replace-rare=2".parse::<Pipeline>().expect("steps");
        assert_eq!(pipeline.min_count(), Some(2));
        let mut counts = WordCounts::new(pipeline.settings.counting);
        for text in ["(X (A The) (A cat))", "(X (A the))", "(X (A cat) (A cat) (A cat))"] {
            pipeline.count_words(tree(text), &mut counts);
        }
        pipeline.settings.vocabulary = Some(counts.vocabulary(2));
        let mut tree = tree("(X (A THE) (A cat))");
        assert_eq!(pipeline.apply(&mut tree), KeepOrDrop::Keep);
        assert_eq!(tree.to_string(), "(X (A the) (A UNK))");
    }

    #[test]
    fn long_sentences_are_dropped_but_always_prepared() {
        let pipeline = "max-length=1,lowercase".parse::<Pipeline>().expect("steps");
        let mut long = tree("(X (A A) (A B))");
        assert_eq!(pipeline.apply(&mut long), KeepOrDrop::Drop);
        pipeline.prepare(&mut long);
        assert_eq!(long.to_string(), "(X (A a) (A b))");
    }
}
