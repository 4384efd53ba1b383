//! `boughs model combine`: several grammars in one model.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use boughs::model::{About, GrammarModel, GrammarProduct};
use boughs::parser::{Parser, ParserModel};
use boughs::tagger::Tagger;
use clap::Args;

use crate::Outcome;
use crate::model::load_file;
use crate::output::report;

/// Put grammars together that parse better than each of them
///
/// Grammars that were trained on the same trees with another --seed err differently. Together they take a rule for as likely as the product of what each
/// thinks of it. Two of them bring most, and take about twice the time.
#[derive(Debug, Args)]
pub(crate) struct CombineArgs {
    /// Files written by `boughs train --method latent` or `--method pcfg` from the same trees, or by this command; the tagger of the first that has one is kept
    #[arg(value_name = "MODEL", num_args = 2.., required = true)]
    models: Vec<PathBuf>,

    /// Write the model here
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
}

pub(super) fn run(args: &CombineArgs) -> Result<Outcome> {
    let (mut grammars, mut tagger, mut about) = (Vec::new(), None, None);
    for path in &args.models {
        let parser = Parser::from_file(&load_file(path)?).map_err(|error| error.in_file(path))?;
        grammars.extend(grammars_of(&parser, path)?);
        tagger = tagger.or_else(|| parser.tagger().cloned());
        about.get_or_insert_with(|| parser.about().clone());
    }
    let about = describe(about.unwrap_or_else(|| About::new("")), &grammars, tagger.as_ref());
    let num_grammars = grammars.len();
    let product = GrammarProduct::new(grammars)?;
    Parser::new(about, product, tagger).to_file()?.save(&args.out)?;
    report(format_args!("{}: written, {num_grammars} grammars", args.out.display()));
    Ok(Outcome::Complete)
}

fn grammars_of(parser: &Parser, path: &Path) -> Result<Vec<GrammarModel>> {
    match parser.model() {
        ParserModel::Grammar(grammar) => Ok(vec![grammar.as_ref().clone()]),
        ParserModel::Product(product) => Ok(product.grammars().to_vec()),
        ParserModel::History(_) | ParserModel::Anchored(_) => bail!(
            "{}: expected a grammar without features, found a parser of another kind: name files of `boughs train --method latent` or `--method pcfg`",
            path.display()
        ),
    }
}

/// What is known of the first holds for all, but for the settings of its training.
fn describe(about: About, grammars: &[GrammarModel], tagger: Option<&Tagger>) -> About {
    let rules: Vec<String> =
        grammars.iter().map(|grammar| grammar.finest().grammar.num_nonzero().to_string()).collect();
    let mut settings = vec![("grammars", grammars.len().to_string()), ("rules", rules.join(" "))];
    settings.extend(tagger.map(|_| ("tagger", "of one of the models".to_owned())));
    let settings = settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    About { settings, ..about }
}
