//! The arguments by which verbs take a parser, and the parsers inside the program: `@english` and `@english-small`.

use std::mem;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use boughs::model::ModelFile;
use boughs::parser::built_in::{self, DEFAULT, ENGLISH};
use boughs::parser::{EngineOptions, Model, Parser, Sentence, WordTagger, profile_of, tagger_of};
use boughs::tagger::Tagger;
use boughs::transition::TransitionOptions;
use boughs::tree::profile::Profile;
use clap::Args;

use crate::number;
use crate::output::report;

#[derive(Debug, Clone, Args)]
pub(crate) struct ParserArgs {
    /// The parser: a file written by `boughs train`, or `@english` or `@english-small`, which are built in
    #[arg(long, short, value_name = "MODEL", default_value = DEFAULT)]
    model: PathBuf,

    /// Tag with this tagger, not with the one in the model. Grammars tag for themselves and use its posteriors
    /// (--tagger-weight)
    #[arg(long, value_name = "MODEL")]
    tagger: Option<PathBuf>,

    /// Choose among the N likeliest ways to tag a sentence [default: 4]
    #[arg(long, value_name = "N", help_heading = "Boosted parsers", value_parser = number::within::<usize>(1..))]
    taggings: Option<usize>,

    /// Forget the tags of the input and tag anew
    #[arg(long, help_heading = "Input")]
    retag: bool,
}

impl ParserArgs {
    /// Takes the tags of a sentence away, if they are not wanted.
    pub(crate) fn take_tags(&self, sentence: &mut Sentence) {
        if self.retag {
            *sentence = mem::take(sentence).without_tags();
        }
    }

    pub(crate) fn load(&self) -> Result<Parser> {
        let parser = load_parser(&self.model)?;
        let parser = match &self.tagger {
            None => parser,
            Some(_) if matches!(parser.model(), Model::Neural(_) | Model::Combined(_)) => {
                bail!("the model tags for itself: leave out --tagger")
            }
            Some(path) => parser.with_tagger(load_tagger(path)?),
        };
        let Some(num_taggings) = self.taggings else { return Ok(parser) };
        let Some(search) = parser.options().transition().copied() else {
            bail!("the model tags for itself: leave out --taggings")
        };
        let engine = EngineOptions::Transition(TransitionOptions { num_taggings, ..search });
        Ok(parser.with_engine(engine)?)
    }
}

/// Whether somebody means the parser that ships.
fn is_english(name: &str) -> bool {
    let name = name.trim_start_matches('@').to_lowercase();
    ["english", "en", "eng", "english.model"].contains(&name.as_str())
}

/// A parser, or the one that is built in.
pub(crate) fn load_parser(path: &Path) -> Result<Parser> {
    let file = load_file(path)?;
    let kind = file.about().kind.as_str();
    if kind == "tagger" {
        bail!(
            "{0}: a tagger, not a parser: `boughs tag -m {0}` tags, and `boughs parse --tagger {0}` parses with its tags",
            path.display()
        )
    }
    Ok(Parser::from_file(&file).map_err(|error| error.in_file(path))?)
}

/// A tagger, or the one in a parser.
pub(crate) fn load_tagger(path: &Path) -> Result<Tagger> {
    Ok(tagger_of(&load_file(path)?).map_err(|error| error.in_file(path))?)
}

/// What tags words, a tagger, the one in a parser, or a parser that tags for itself, and the profile of its treebank.
pub(crate) fn load_word_tagger(path: &Path) -> Result<(WordTagger, Profile)> {
    let file = load_file(path)?;
    let profile = profile_of(file.about());
    Ok((WordTagger::from_file(&file).map_err(|error| error.in_file(path))?, profile))
}

/// A model file, or one that is built in. A file of such a name is `./@english`.
pub(crate) fn load_file(path: &Path) -> Result<ModelFile> {
    let Some(name) = path.to_str() else { return Ok(ModelFile::load(path)?) };
    if let Some(file) = built_in::model_file(name) {
        if name == DEFAULT && name != ENGLISH {
            report(format_args!(
                "this build is without `{ENGLISH}`, which is more accurate: `{name}` takes its place"
            ));
        }
        return Ok(file?);
    }
    if is_english(name) && !path.is_file() {
        bail!("there is no model file `{name}`; did you mean `{ENGLISH}`, which is built in?")
    }
    Ok(ModelFile::load(path)?)
}
