//! `boughs model`: what model files are, and what can be made of them.

pub(super) mod calibrate;
pub(super) mod combine;
pub(super) mod convert;
pub(super) mod describe;
pub(super) mod splits;
pub(super) mod subcategories;

use std::path::PathBuf;

use anyhow::Result;
use boughs::model::{About, ModelFile};
use boughs::parser::{Model, Parser, built_in};
use clap::Args;
use serde::Serialize;

use crate::Outcome;
use crate::model::load_file;
use crate::output::print;

verbs! {
    /// Look at model files, or put them together
    ModelCommand {
        Info(InfoArgs) => info,
        Calibrate(calibrate::CalibrateArgs) => calibrate::run,
        Combine(combine::CombineArgs) => combine::run,
        Convert(convert::ConvertArgs) => convert::run,
        Describe(describe::DescribeArgs) => describe::run,
        Splits(splits::SplitsArgs) => splits::run,
        Subcategories(subcategories::SubcategoriesArgs) => subcategories::run,
    }
}

/// Tell what a model is: kind, labels, parts of speech, data and licence, settings and results of training, checksum
///
/// The whole file is read and its checksum compared: a damaged one is refused.
#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// A file written by `boughs train` or `boughs learn train`; `@english` is the parser that is built in
    #[arg(value_name = "MODEL", default_value = built_in::DEFAULT)]
    model: PathBuf,

    /// Print one JSON object, with all of what is known
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Info<'a> {
    file: String,
    bytes: usize,
    checksum: String,
    #[serde(flatten)]
    about: About,
    /// Of a parser; the labels of a tagger are its parts of speech.
    tags: Vec<&'a str>,
    arrays: Vec<&'a str>,
}

fn info(args: &InfoArgs) -> Result<Outcome> {
    let file = load_file(&args.model)?;
    let parser = Parser::from_file(&file).ok();
    let info = Info {
        file: args.model.display().to_string(),
        bytes: file.to_bytes()?.len(),
        checksum: file.checksum()?,
        about: about(&file, parser.as_ref()),
        tags: parser.as_ref().map(Parser::tags).unwrap_or_default(),
        arrays: file.names().collect(),
    };
    print(if args.json { serde_json::to_string(&info)? + "\n" } else { text(&info) })
}

/// What is known of a model, with the labels of phrases only: a parser has classifiers that are none of a label.
fn about(file: &ModelFile, parser: Option<&Parser>) -> About {
    let about = file.about().clone();
    match parser.map(Parser::model) {
        Some(Model::Transition(model)) => {
            About { labels: model.labels().map(str::to_owned).collect(), ..about }
        }
        _ => about,
    }
}

fn text(info: &Info<'_>) -> String {
    let About { kind, name, version, labels, data, seed, tool, config, settings } = &info.about;
    let mut text = String::new();
    let mut line = |name: &str, value: &str| match value {
        "" => {}
        value => text.push_str(&format!("{name:<20} {value}\n")),
    };
    line("file", &info.file);
    line("kind", kind);
    line("name", name);
    line("version", version);
    line("made by", tool);
    line("data", data);
    line("labels", &format!("{}: {}", labels.len(), labels.join(" ")));
    if !info.tags.is_empty() {
        line("parts of speech", &format!("{}: {}", info.tags.len(), info.tags.join(" ")));
    }
    line("seed", &seed.to_string());
    for (name, value) in settings {
        match value.contains('\n') {
            // Templates are texts of their own; --json has them.
            true => line(name, &format!("{} lines", value.lines().count())),
            false => line(name, value),
        }
    }
    config.lines().for_each(|setting| line("config", setting));
    line("arrays", &info.arrays.join(" "));
    line("bytes", &info.bytes.to_string());
    line("checksum", &info.checksum);
    text
}
