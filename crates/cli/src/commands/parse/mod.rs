//! `boughs parse`: from text, tokens or trees to trees.

mod output;
mod summary;

use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use boughs::chart::{ChartOptions, Decoder};
use boughs::neural::NeuralOptions;
use boughs::parser::{EngineOptions, ParseOptions, Parsed, Parser, Sentence, Worker};
use boughs::transition::TransitionOptions;
use boughs::tree::draw::Drawing;
use boughs::tree::heads::HEAD_RULES;
use clap::Args;
use rayon::prelude::*;

use crate::chart::ChartArgs;
use crate::format::{FormatArgs, TreeWriter};
use crate::model::ParserArgs;
use crate::output::{self as target, write_whole};
use crate::reader::each_batch;
use crate::search::SearchArgs;
use crate::sentences::{Item, SentenceArgs};
use crate::shard::{InputHash, Shard, ShardWriter};
use crate::threads::ThreadArgs;
use crate::training::named_or_read;
use crate::{Outcome, interrupt, number};
use output::{Printed, print};
use summary::Summary;

/// Parse sentences
///
/// Running text is split into sentences and tokens, tagged and parsed. One tree comes out for each sentence, in order,
/// over the tokens of the input as they are; an empty line gives an empty tree, `()`. What could not be parsed as it
/// should is told on standard error: a sentence without a complete parse gets a tree all the same, made of what there
/// was, and the exit code is 1.
#[derive(Debug, Clone, Args)]
pub(crate) struct ParseArgs {
    #[command(flatten)]
    sentences: SentenceArgs,

    #[command(flatten)]
    format: FormatArgs,

    /// Rules for the heads of phrases, by name (english, any) or in a file [default: those of the model]
    #[arg(long, value_name = "RULES", help_heading = "Output")]
    head_rules: Option<PathBuf>,

    /// Write the N best parses of each sentence, the best first, and a blank line after them (not in JSON, which has
    /// their rank)
    #[arg(long, value_name = "N", help_heading = "Output", value_parser = number::within::<usize>(1..))]
    n_best: Option<usize>,

    /// Parse the Kth of N parts of the input into the file of -o; `boughs merge` puts the files of all parts together.
    /// Every part must be given the same input and options
    #[arg(long, value_name = "K/N", help_heading = "Output")]
    shard: Option<Shard>,

    /// Keep the phrases of the given trees (`--trees`): each must be in the result, with its label if it has one. The
    /// root, and punctuation at the edges of a phrase, do not count
    // Clap does not miss what is required if something is there that excludes it.
    #[arg(
        long,
        requires = "trees",
        conflicts_with_all = ["lines", "tokenized", "tagged", "table"],
        help_heading = "Constraints"
    )]
    keep_phrases: bool,

    /// The label that the phrase of the whole sentence, below the root, must have
    #[arg(long, value_name = "LABEL", help_heading = "Constraints")]
    root: Option<String>,

    /// Parse sentences of more than N tokens, punctuation counted, in parts that end at punctuation, and mark them
    /// [default: that of the model; 250 for grammars, 1000 for neural parsers, no limit for others]
    #[arg(long, value_name = "N", help_heading = "Long sentences", value_parser = number::within::<usize>(0..))]
    max_length: Option<usize>,

    /// Take the best that was found after so many seconds for a sentence. What depends on time may differ from run to
    /// run
    #[arg(long, value_name = "SECONDS", help_heading = "Long sentences", value_parser = number::parse_seconds)]
    timeout: Option<Duration>,

    #[command(flatten)]
    chart: ChartArgs,

    /// Parse every sentence a second time without pruning, and tell how many trees differ: those are errors of the
    /// search (slow; grammars only)
    #[arg(long, help_heading = "Grammars")]
    search_errors: bool,

    /// Take the tree with the fewest errors to be expected, not the likeliest
    #[arg(long, help_heading = "Neural parsers")]
    min_risk: bool,

    #[command(flatten)]
    parser: ParserArgs,

    #[command(flatten)]
    search: SearchArgs,

    #[command(flatten)]
    threads: ThreadArgs,

    /// Say nothing about single sentences on standard error
    #[arg(long, short)]
    quiet: bool,
}

impl ParseArgs {
    /// The parser with the options asked for, which must fit it.
    fn with_options(&self, parser: Parser) -> Result<Parser> {
        let own = parser.options().clone();
        if self.min_risk && !matches!(own.engine, EngineOptions::Neural(_)) {
            bail!("the model is no neural parser: leave out --min-risk")
        }
        let engine = match own.engine.clone() {
            EngineOptions::Chart(_) | EngineOptions::Neural(_) | EngineOptions::Combined(_)
                if self.search != SearchArgs::default() =>
            {
                let kind = match () {
                    () if own.chart().is_some() => "a grammar",
                    () if matches!(own.engine, EngineOptions::Neural(_)) => "a neural parser",
                    () => "several parsers",
                };
                let flags = self.search.given().join(", ");
                bail!(
                    "the model is {kind}, but options of a search are for boosted parsers: leave out {flags}"
                )
            }
            EngineOptions::Transition(_) | EngineOptions::Neural(_) | EngineOptions::Combined(_)
                if self.chart != ChartArgs::default() || self.search_errors =>
            {
                let mut flags = self.chart.given();
                flags.extend(self.search_errors.then_some("--search-errors"));
                bail!("the model has no grammar: leave out {}", flags.join(", "))
            }
            EngineOptions::Chart(chart) => EngineOptions::Chart(self.chart.options(chart)),
            EngineOptions::Transition(search) => EngineOptions::Transition(self.search.options(search)?),
            EngineOptions::Neural(neural) => {
                EngineOptions::Neural(NeuralOptions { min_risk: neural.min_risk || self.min_risk, ..neural })
            }
            EngineOptions::Combined(combined) => EngineOptions::Combined(combined),
        };
        let is_viterbi = matches!(&engine, EngineOptions::Chart(chart) if chart.decoder == Decoder::Viterbi);
        if is_viterbi && parser.model().grammars().len() > 1 {
            bail!(
                "the model is several grammars, which have no derivation in common: leave out --decoder viterbi"
            )
        }
        Ok(parser.with_options(ParseOptions {
            num_best: self.n_best.unwrap_or(own.num_best),
            max_length: self.max_length.or(own.max_length),
            timeout: self.timeout.or(own.timeout),
            confidence_curve: own.confidence_curve.clone(),
            engine,
        })?)
    }

    /// Adds the constraints on every tree.
    fn constrain(&self, item: &mut Item) {
        if let (true, Some(tree)) = (self.keep_phrases, &item.gold) {
            item.sentence = Sentence::from_partial_tree(tree.clone());
        }
        self.parser.take_tags(&mut item.sentence);
        if let Some(label) = &self.root {
            item.sentence.constraints.root = Some(label.as_str().into());
        }
    }
}

pub(crate) fn run(args: &ParseArgs) -> Result<Outcome> {
    args.search.options(TransitionOptions::default())?;
    args.format.check()?;
    let parser = args.with_options(args.parser.load()?)?;
    let exact = args.search_errors.then(|| without_pruning(&parser)).transpose()?;
    if let Some(label) = &args.root {
        parser.check_label(label).context("--root")?;
    }
    let pool = args.threads.pool()?;
    interrupt::end_between_writes()?;
    let rules = named_or_read(args.head_rules.as_deref(), &HEAD_RULES)?;
    let writer = args.format.writer(rules.unwrap_or_else(|| parser.heads()));
    let start = writer.start();
    let part = args.shard.map(|shard| Part::new(args, shard, &start)).transpose()?;
    write_whole(&start)?;
    let mut out = Out { summary: Summary::new(args.quiet, args.search_errors), drawings: Vec::new(), part };
    let pair = || Workers { usual: parser.worker(), exact: exact.as_ref().map(Parser::worker) };
    let workers = (0..pool.current_num_threads()).map(|_| Mutex::new(pair())).collect::<Vec<_>>();
    let input = Arc::new(Mutex::new(InputHash::default()));
    let all_sentences = Arc::clone(&input);
    let shard = args.shard;
    let is_wanted = move |item: &Item| {
        let Some(shard) = shard else { return true };
        lock(&all_sentences).add(&item.sentence);
        shard.holds(item.position)
    };
    let constraining = args.clone();
    let prepare = move |item: &mut Item| {
        constraining.constrain(item);
        is_wanted(item)
    };
    let sentences = args.sentences.for_profile(parser.profile());
    let read = each_batch(&sentences, prepare, |batch| {
        let jobs = Jobs { args, writer: &writer, workers: &workers, batch };
        let printed = pool.install(|| jobs.parse(parser.batch_size()));
        out.write(batch, printed)
    })?;
    write_whole(&writer.end(&out.drawings)?)?;
    if let Some(part) = out.part {
        let output = format!("{writer:?} {:?} {}", args.root, args.keep_phrases);
        part.finish(&parser, &output, &lock(&input))?;
    }
    Ok(read.max(out.summary.finish()))
}

/// What has been written, and what comes at the end.
struct Out {
    summary: Summary,
    /// Pictures, which wait for the end.
    drawings: Vec<Drawing>,
    part: Option<Part>,
}

impl Out {
    /// Writes what came of sentences up to the first that failed.
    fn write(&mut self, batch: &[Item], printed: Vec<Result<Printed>>) -> Result<()> {
        let mut text = String::new();
        for (item, printed) in batch.iter().zip(printed) {
            let mut printed = match printed {
                Ok(printed) => printed,
                Err(error) => {
                    write_whole(&text)?;
                    return Err(error.context(format!("{}: sentence {}", item.document, item.number)));
                }
            };
            text.push_str(&printed.written.text);
            if let Some(part) = &mut self.part {
                part.record.add(item.position, &printed.written.text);
            }
            self.drawings.append(&mut printed.written.drawings);
            self.summary.add(item, &printed);
        }
        Ok(write_whole(&text)?)
    }
}

/// The part of the input that is parsed, and the file that it goes to.
struct Part {
    path: PathBuf,
    record: ShardWriter,
}

impl Part {
    fn new(args: &ParseArgs, shard: Shard, start: &str) -> Result<Self> {
        if !args.format.to.has_parts() {
            bail!("--shard writes parts of a file, but pictures and pages are whole: take another --to");
        }
        let path = target::path().context("--shard writes a file: name it with -o FILE")?;
        Ok(Self { path, record: ShardWriter::new(shard, start) })
    }

    /// Writes the record, when the file is complete: where there is a record, there is a file.
    fn finish(self, parser: &Parser, output: &str, input: &InputHash) -> Result<()> {
        target::complete()?;
        self.record.finish(&self.path, parser.to_file()?.checksum()?, output, input)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What parses the sentences of a thread.
struct Workers<'p> {
    usual: Worker<'p>,
    /// The same without pruning, if wanted.
    exact: Option<Worker<'p>>,
}

fn without_pruning(parser: &Parser) -> Result<Parser> {
    let chart = parser.options().chart().cloned().unwrap_or_default();
    let ChartOptions { thresholds, beam, .. } = ChartOptions::exact();
    let engine = EngineOptions::Chart(ChartOptions { thresholds, beam, ..chart });
    Ok(parser.clone().with_engine(engine)?)
}

/// Sentences to parse.
struct Jobs<'a, 'p> {
    args: &'a ParseArgs,
    writer: &'a TreeWriter,
    /// One for each thread.
    workers: &'a [Mutex<Workers<'p>>],
    batch: &'a [Item],
}

impl Jobs<'_, '_> {
    /// Parses them in all threads of the pool, so many together.
    fn parse(&self, batch_size: usize) -> Vec<Result<Printed>> {
        let Self { args, writer, workers, batch } = *self;
        let print_one = |workers: &mut Workers<'_>, index: usize, parsed: boughs::Result<Parsed>| {
            let (item, parsed) = (&batch[index], parsed?);
            let mut printed = print(args, writer, item, &parsed)?;
            if let Some(exact) = &mut workers.exact {
                let exact = exact.parse(&item.sentence)?;
                let best = |parsed: &Parsed| parsed.parses.first().map(|parse| parse.tree.clone());
                printed.is_search_error = best(&exact) != best(&parsed);
            }
            Ok(printed)
        };
        let parse = |indices: &[usize]| {
            // Every thread has its own worker, which remembers much from one sentence to the next.
            let worker = &workers[rayon::current_thread_index().unwrap_or(0)];
            let mut worker = lock(worker);
            let sentences: Vec<&Sentence> = indices.iter().map(|&index| &batch[index].sentence).collect();
            let parsed: Vec<_> = match worker.usual.parse_batch(&sentences) {
                Ok(parsed) => parsed.into_iter().map(Ok).collect(),
                // One by one, so that it is known which of them it was.
                Err(_) => sentences.iter().map(|sentence| worker.usual.parse(sentence)).collect(),
            };
            let both = indices.iter().zip(parsed);
            both.map(|(&index, parsed)| (index, print_one(&mut worker, index, parsed))).collect()
        };
        let order = longest_first(batch);
        let chunks: Vec<Vec<_>> = order.par_chunks(batch_size).with_max_len(1).map(parse).collect();
        let mut printed: Vec<_> = chunks.into_iter().flatten().collect();
        printed.sort_unstable_by_key(|&(index, _)| index);
        printed.into_iter().map(|(_, printed)| printed).collect()
    }
}

/// So that no thread is left alone with a long sentence at the end.
fn longest_first(batch: &[Item]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..batch.len()).collect();
    order.sort_by_key(|&index| Reverse(batch[index].num_words()));
    order
}
