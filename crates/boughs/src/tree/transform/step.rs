//! [`TransformStep`]: a transform by name, with its parameter.

use std::fmt;
use std::mem::discriminant;
use std::str::FromStr;

use crate::error::{Error, ErrorKind, Result};

/// One step of a [`Pipeline`](super::Pipeline), written `remove-traces` or `max-length=15`.
///
/// The order here is the one in which the steps fit together. Outer punctuation goes before the rest is
/// raised, though the papers list it after: the result is the same, and in between a root that held only
/// a sentence and its full stop can be taken off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransformStep {
    /// Drop sentences of more tokens than this; see [`sentence_length`](super::sentence_length).
    MaxLength(usize),
    /// See [`unescape_slashes`](super::unescape_slashes).
    UnescapeSlashes,
    /// See [`strip_functions`](super::strip_functions).
    StripFunctions,
    /// See [`strip_alternatives`](super::strip_alternatives).
    StripAlternatives,
    /// See [`remove_traces`](super::remove_traces).
    RemoveTraces,
    /// See [`Profile::map_labels`](crate::tree::profile::Profile::map_labels).
    MapLabels,
    /// See [`remove_tags`](super::remove_tags).
    RemoveTags(Vec<String>),
    /// See [`rename_tags`](super::rename_tags).
    RenameTags(Vec<(String, String)>),
    /// See [`splice`](super::splice).
    Splice(Vec<String>),
    /// See [`label_wh_phrases`](super::label_wh_phrases).
    LabelWhPhrases,
    /// See [`prt_to_advp`](super::prt_to_advp).
    PrtToAdvp,
    /// See [`remove_quotes`](super::remove_quotes).
    RemoveQuotes,
    /// See [`remove_outer_punctuation`](super::remove_outer_punctuation).
    RemoveOuterPunctuation,
    /// Give all trees a root of this label; `none` takes it off, unless it holds several phrases together.
    Root(String),
    /// See [`raise_punctuation`](super::raise_punctuation).
    RaisePunctuation,
    /// See [`remove_unary_to_self`](super::remove_unary_to_self).
    RemoveUnaryToSelf,
    /// See [`lowercase`](super::lowercase).
    Lowercase,
    /// Replace words that occur less often than this; see [`replace_rare`](super::replace_rare).
    ReplaceRare(u64),
}

impl TransformStep {
    /// All steps, with any parameter, as they are written, and what they do, in the order in which they fit together.
    pub const ALL: [(Self, &'static str, &'static str); 18] = [
        (
            Self::MaxLength(0),
            "max-length=N",
            "drop sentences of more than N tokens, punctuation counted, traces not",
        ),
        (Self::UnescapeSlashes, "unescape-slashes", "words: \\/ becomes /, \\* becomes *"),
        (Self::StripFunctions, "strip-functions", "labels: NP-SBJ-1 and NP=2 become NP"),
        (Self::StripAlternatives, "strip-alternatives", "labels: ADVP|PRT becomes ADVP"),
        (Self::RemoveTraces, "remove-traces", "remove tokens tagged -NONE-, and phrases left empty"),
        (Self::MapLabels, "map-labels", "labels: as the profile of the treebank maps them"),
        (
            Self::RemoveTags(Vec::new()),
            "remove-tags=TAG+TAG",
            "remove tokens with these tags, and phrases left empty",
        ),
        (
            Self::RenameTags(Vec::new()),
            "rename-tags=TAG>TAG",
            "give tokens with the first tag the second; `+` between pairs",
        ),
        (
            Self::Splice(Vec::new()),
            "splice=LABEL+LABEL",
            "take out phrases with these labels, and keep what they hold",
        ),
        (
            Self::LabelWhPhrases,
            "label-wh-phrases",
            "labels: NP over a relative or interrogative pronoun becomes WHNP",
        ),
        (Self::PrtToAdvp, "prt-to-advp", "labels: PRT becomes ADVP"),
        (Self::RemoveQuotes, "remove-quotes", "remove quotation marks, and phrases left empty"),
        (
            Self::RemoveOuterPunctuation,
            "remove-outer-punctuation",
            "remove punctuation at the beginning and the end of the sentence",
        ),
        (
            Self::Root(String::new()),
            "root=LABEL",
            "give all trees a root with this label; `root=none` takes it off",
        ),
        (Self::RaisePunctuation, "raise-punctuation", "move punctuation up from the edges of phrases"),
        (
            Self::RemoveUnaryToSelf,
            "remove-unary-to-self",
            "remove phrases over a phrase with the same label and tokens",
        ),
        (Self::Lowercase, "lowercase", "write words in lower case"),
        (
            Self::ReplaceRare(0),
            "replace-rare=N",
            "replace words that occur fewer than N times in the training trees",
        ),
    ];

    /// The place in the order in which the steps fit together.
    pub(super) fn rank(&self) -> usize {
        let is_same = |other: &Self| discriminant(other) == discriminant(self);
        Self::ALL.iter().position(|(step, ..)| is_same(step)).unwrap_or(Self::ALL.len())
    }
}

/// The name of a step, and whether a parameter follows it.
fn name_of(written: &'static str) -> (&'static str, bool) {
    written.split_once('=').map_or((written, false), |(name, _)| (name, true))
}

impl fmt::Display for TransformStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(Self::ALL[self.rank()].1).0)?;
        match self {
            Self::MaxLength(length) => write!(f, "={length}"),
            Self::RemoveTags(names) | Self::Splice(names) => write!(f, "={}", names.join("+")),
            Self::RenameTags(renamed) => {
                let pairs = renamed.iter().map(|(old, new)| format!("{old}>{new}"));
                write!(f, "={}", pairs.collect::<Vec<_>>().join("+"))
            }
            Self::Root(root) => write!(f, "={root}"),
            Self::ReplaceRare(count) => write!(f, "={count}"),
            _ => Ok(()),
        }
    }
}

impl FromStr for TransformStep {
    type Err = Error;

    fn from_str(written: &str) -> Result<Self> {
        let (name, value) = written.split_once('=').unwrap_or((written, ""));
        let wanted = (name, written.contains('='));
        let step = Self::ALL.into_iter().find(|&(_, known, _)| name_of(known) == wanted);
        Ok(match step.ok_or_else(|| no_such_step(written))?.0 {
            Self::MaxLength(_) => Self::MaxLength(number(written, value)?),
            Self::RemoveTags(_) => Self::RemoveTags(names(value)),
            Self::RenameTags(_) => Self::RenameTags(pairs(written, value)?),
            Self::Splice(_) => Self::Splice(names(value)),
            Self::Root(_) => Self::Root(value.to_owned()),
            Self::ReplaceRare(_) => Self::ReplaceRare(number(written, value)?),
            step => step,
        })
    }
}

/// The names of a list with `+` between them; commas stand between steps.
fn names(list: &str) -> Vec<String> {
    list.split('+').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The pairs of such a list.
fn pairs(written: &str, list: &str) -> Result<Vec<(String, String)>> {
    let pair = |pair: String| {
        let (old, new) = pair.split_once('>').filter(|(old, new)| !old.is_empty() && !new.is_empty())?;
        Some((old.to_owned(), new.to_owned()))
    };
    names(list).into_iter().map(pair).collect::<Option<_>>().ok_or_else(|| {
        Error::new(ErrorKind::Argument, format!("expected pairs such as `SU>.` in the step `{written}`"))
    })
}

fn number<N: FromStr>(written: &str, value: &str) -> Result<N> {
    value.parse().map_err(|_| {
        Error::new(ErrorKind::Argument, format!("expected a whole number in the step `{written}`"))
    })
}

fn no_such_step(written: &str) -> Error {
    let steps = TransformStep::ALL.map(|(_, written, _)| written).join(", ");
    Error::new(ErrorKind::Argument, format!("there is no step `{written}`"))
        .hint(format!("the steps are {steps}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_read_as_they_are_written() {
        for (rank, (_, written, _)) in TransformStep::ALL.iter().enumerate() {
            let written = written.replace("=N", "=7");
            let step: TransformStep = written.parse().expect("a step");
            assert_eq!(step.to_string(), written);
            assert_eq!(step.rank(), rank);
        }
        assert_eq!(
            "root=none".parse::<TransformStep>().expect("a step"),
            TransformStep::Root("none".to_owned())
        );
    }

    #[test]
    fn mistakes_are_explained() {
        for (written, message) in [
            ("remove-trace", "there is no step `remove-trace`"),
            ("max-length", "there is no step `max-length`"),
            ("lowercase=1", "there is no step `lowercase=1`"),
            ("max-length=x", "expected a whole number in the step `max-length=x`"),
        ] {
            assert_eq!(written.parse::<TransformStep>().expect_err("a mistake").message(), message);
        }
    }
}
