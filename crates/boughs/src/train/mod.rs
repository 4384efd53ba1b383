//! Recipes: from a treebank to a parser. The only part of the library that knows both ends.
//!
//! A recipe is its settings: [`TransitionConfig`], [`LatentConfig`], [`ConditionalConfig`], [`CrfConfig`],
//! [`PcfgConfig`], [`NeuralConfig`] and [`TaggerRecipe`] implement [`Recipe`], and [`run`] is the only loop.
//! Development scores come from the very parser that is written.
//!
//! ```
//! use boughs::train::{LatentConfig, run};
//! use boughs::treebank::sample;
//!
//! let (train, dev) = (sample("howto"), sample("news"));
//! let recipe = LatentConfig { max_rounds: 1, split_iterations: 5, ..LatentConfig::default() };
//! let trained = run(&recipe, &train, Some(&dev), Default::default())?.expect("nobody broke it off");
//! assert!(trained.steps[trained.best].scores.as_ref().is_some_and(|scores| scores.criterion > 30.0));
//! # Ok::<(), boughs::Error>(())
//! ```

mod case;
mod conditional;
mod crf;
mod grammar;
mod latent;
mod margins;
mod neural;
mod pcfg;
mod profile;
mod settings;
mod tagger;
mod tags;
#[cfg(test)]
mod testing;
mod transition;

pub use crate::learn::BoostingLearner;
pub use crate::learn::run::{
    Event, Figure, Observer, Recipe, Role, RunOptions, Scores, Silent, Step, Trained, Watch, from_toml,
    over_toml, remove_checkpoint, run, to_toml,
};
pub use conditional::{ConditionalConfig, ConditionalPreset, Penalty, PenaltyOrigin, Start, TrainingPruning};
pub use crf::{BaseGrammar, CrfConfig, CrfPreset, Loss, Optimizer};
use grammar::BinaryTrees;
pub use grammar::{Annotation, Annotations, LexiconConfig};
pub use latent::{LatentConfig, SPLITS_BY_ROUND, SymbolSplits};
pub use margins::{Margins, margins};
pub use neural::NeuralConfig;
pub use pcfg::PcfgConfig;
pub use profile::Profiled;
pub use settings::preset_note;
pub use tagger::TaggerRecipe;
pub use tags::{TagSource, tagged_sentences};
pub use transition::{EXAMPLES_BY_LABEL, Preset, TransitionConfig};

use crate::error::{Error, ErrorKind, Result};
use crate::model::{About, Array, ChartModel, GrammarModel, ModelFile};
use crate::parser::{Parser, describe_profile};
use crate::tagger::Tagger;

/// A parser of grammars, which knows the settings that it was trained with.
fn chart_parser(
    grammars: Vec<GrammarModel>,
    tagger: Option<Tagger>,
    settings: &impl Profiled,
) -> Result<Parser> {
    Ok(Parser::new(about(settings)?, ChartModel::new(grammars, None)?, tagger))
}

/// The description of a model that was trained with some settings.
fn about(settings: &impl Profiled) -> Result<About> {
    let mut about = About { config: to_toml(settings)?, ..About::new("") };
    describe_profile(settings.profile(), &mut about);
    Ok(about)
}

/// The grammar of a parser that has one.
fn only_grammar(parser: &Parser) -> Result<GrammarModel> {
    match parser.model().grammars() {
        [grammar] => Ok(grammar.clone()),
        _ => Err(Error::new(ErrorKind::Mismatch, "expected a parser with one grammar, found another kind")),
    }
}

/// Says in a model which symbols are split, and into how many substates, the most split first.
fn substates_of(parser: &mut Parser) {
    let of_grammar = |model: &GrammarModel| {
        let (symbols, grammar) = (model.symbols(), &model.finest().grammar);
        let mut split: Vec<(usize, &str)> =
            symbols.iter().map(|symbol| (grammar.size(symbol), symbols.name(symbol))).collect();
        split.retain(|&(size, _)| size > 1);
        split.sort_by_key(|&(size, name)| (std::cmp::Reverse(size), name));
        split.iter().map(|(size, name)| format!("{name} {size}")).collect::<Vec<_>>().join(", ")
    };
    let texts: Vec<String> = parser.model().grammars().iter().map(of_grammar).collect();
    if texts.iter().any(|text| !text.is_empty()) {
        parser.about_mut().settings.insert("substates-of".to_owned(), texts.join("; "));
    }
}

/// Puts a grammar into a checkpoint.
fn insert_grammar(file: &mut ModelFile, name: &str, grammar: &GrammarModel) -> Result<()> {
    file.insert(name, Array::U8(grammar.to_file(About::new(""))?.to_bytes()?));
    Ok(())
}

fn read_grammar(file: &ModelFile, name: &str) -> Result<GrammarModel> {
    GrammarModel::from_file(&ModelFile::from_bytes(file.u8s(name)?)?)
}

/// The grammars of a checkpoint whose names are a word and a number from 0 on.
fn read_grammars(file: &ModelFile, word: &str) -> Result<Vec<GrammarModel>> {
    let names = (0..).map(|number| format!("{word}{number}")).take_while(|name| file.has(name));
    names.map(|name| read_grammar(file, &name)).collect()
}
