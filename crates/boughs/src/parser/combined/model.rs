//! Parsers in one file (kind `combined`): each as the bytes of its own model file, `parser-1` and so on.

use crate::error::{Error, ErrorKind, Result};
use crate::model::{About, Array, ModelFile, damaged, damaged_if};
use crate::neural::PhraseLabels;
use crate::parser::{Model, Parser};
use crate::tree::Tree;

/// The kind of these files.
pub const COMBINED_KIND: &str = "combined";

/// The most parsers that are put together.
const MOST_PARSERS: usize = 64;

/// Several parsers, and the labels that they are asked about.
#[derive(Debug, Clone)]
pub struct CombinedModel {
    pub(crate) parsers: Vec<Parser>,
    pub(crate) labels: PhraseLabels,
}

impl CombinedModel {
    /// Puts parsers together. `trees` tell which phrases are one above the other over the same words: only such
    /// chains are in a parse, and those that a neural parser has learned.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if there are fewer than two parsers, or one cannot tag, or there are no trees.
    pub fn new(parsers: Vec<Parser>, trees: &[Tree]) -> Result<Self> {
        let expected = |what: &str| Err(Error::new(ErrorKind::Argument, format!("expected {what}")));
        if !(2..=MOST_PARSERS).contains(&parsers.len()) {
            return expected(&format!("2 to {MOST_PARSERS} parsers, found {}", parsers.len()));
        }
        if !parsers.iter().all(Parser::can_tag) {
            return expected("parsers that find tags by themselves, found one without a tagger");
        }
        let (mut labels, _) = PhraseLabels::collect(trees)?;
        for parser in &parsers {
            match parser.model() {
                Model::Neural(model) => labels.extend(&model.labels)?,
                Model::Combined(_) => return expected("single parsers, found one that is itself several"),
                Model::Transition(_) | Model::Chart(_) => {}
            }
        }
        Ok(Self { parsers, labels })
    }

    /// The parsers.
    pub fn parsers(&self) -> &[Parser] {
        &self.parsers
    }

    /// The labels of phrases.
    pub fn labels(&self) -> Vec<&str> {
        self.labels.phrase_labels()
    }

    /// The parts of speech, as far as trees and neural parsers have them.
    pub fn tags(&self) -> impl Iterator<Item = &str> {
        self.labels.tags().iter()
    }

    /// Whether phrases may have a label.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if no parser knows it, or it is that of the root.
    pub fn check_label(&self, label: &str) -> Result<()> {
        self.labels.check(label)
    }

    /// The most tokens of a sentence that all parsers parse.
    pub(crate) fn max_length(&self) -> Option<usize> {
        self.parsers.iter().filter_map(|parser| parser.options().max_length).min()
    }

    /// The model as a file; kind and labels are filled in.
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn to_file(&self, about: About) -> Result<ModelFile> {
        let labels = self.labels().into_iter().map(str::to_owned).collect();
        let mut file = ModelFile::new(About { kind: COMBINED_KIND.to_owned(), labels, ..about });
        self.labels.write(&mut file)?;
        for (number, parser) in (1..).zip(&self.parsers) {
            file.insert(&name(number), Array::U8(parser.to_file()?.to_bytes()?));
        }
        Ok(file)
    }

    /// The model of a file.
    ///
    /// # Errors
    /// If it is of another kind, or its parts do not fit together.
    pub fn from_file(file: &ModelFile) -> Result<Self> {
        file.expect_kind(COMBINED_KIND, "put parsers together with `boughs model combine`")?;
        let labels = PhraseLabels::read(file)?;
        let numbers = (1..=MOST_PARSERS).take_while(|&number| file.has(&name(number)));
        let parsers: Vec<Parser> = numbers.map(|number| member(file, number)).collect::<Result<_>>()?;
        damaged_if(parsers.len() < 2, "it has fewer than two parsers")?;
        Ok(Self { parsers, labels })
    }
}

fn name(number: usize) -> String {
    format!("parser-{number}")
}

/// A parser of the file. None is itself several: what is read does not recurse.
fn member(file: &ModelFile, number: usize) -> Result<Parser> {
    let file = ModelFile::from_bytes(file.u8s(&name(number))?)?;
    damaged_if(file.about().kind == COMBINED_KIND, "a parser within it is itself several")?;
    Parser::from_file(&file).map_err(damaged)
}
