//! `--method tagger`.

use std::ops::ControlFlow;

use anyhow::Result;
use boughs::tagger::{self, Accuracy, TaggedSentence, Tagger, TaggerConfig, TemplateSet};
use boughs::train::tagged_sentences;
use boughs::tree::Tree;
use clap::Args;

use super::TrainArgs;
use super::data::Data;
use crate::Outcome;
use crate::output::report;

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tagger")]
pub(super) struct TaggerArgs {
    /// Features of the tagger: extended, or ratnaparkhi for the classic of 1996, learned as there [default: extended]
    #[arg(long, value_name = "NAME", value_parser = |name: &str| name.parse::<TemplateSet>())]
    templates: Option<TemplateSet>,
}

pub(super) fn train(args: &TrainArgs) -> Result<Outcome> {
    let mut data = Data::read(args)?;
    data.limit(args.max_words);
    let config = match args.tagger.templates {
        Some(TemplateSet::Ratnaparkhi) => TaggerConfig::ratnaparkhi(),
        _ => TaggerConfig::default(),
    };
    let sentences = tagged_sentences(&data.train);
    if sentences.len() < data.train.len() {
        report(format_args!(
            "{} trees have words without a tag and are left out",
            data.train.len() - sentences.len()
        ));
    }
    let config = TaggerConfig { seed: args.seed, ..config };
    let tagger = tagger::train(&sentences, &config, |progress| {
        report(format_args!("pass {} of {}: loss {:.5}", progress.pass, progress.max_passes, progress.loss));
        ControlFlow::Continue(())
    })?;
    let mut about = args.about();
    about.settings.insert("training-sentences".to_owned(), sentences.len().to_string());
    if !data.dev.is_empty() {
        let accuracy = measure(&tagger, &data.dev);
        report(format_args!("development trees: {accuracy}"));
        about.settings.insert("dev-accuracy".to_owned(), format!("{:.4}", accuracy.percent()));
    }
    tagger.to_file(about)?.save(&args.out)?;
    report(format_args!("{}: written, {} weights", args.out.display(), tagger.num_weights()));
    Ok(data.outcome)
}

fn measure(tagger: &Tagger, trees: &[Tree]) -> Accuracy {
    let mut worker = tagger.worker();
    let mut accuracy = Accuracy::default();
    for sentence in trees.iter().map(TaggedSentence::from_tree) {
        let found = worker.tag(&sentence.words());
        for ((word, tag), &found) in sentence.tokens().zip(found) {
            accuracy.add(tagger.name(found) == tag, tagger.knows(word));
        }
    }
    accuracy
}
