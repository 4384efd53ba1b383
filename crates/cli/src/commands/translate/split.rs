//! `boughs translate split`: train, tune, dev and test from one corpus of sentence pairs.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use boughs::treebank::{PartSize, SplitPart, part_sizes};
use boughs_translate::align::{PairFilter, Rejection, SentenceGroups, Tokens, split};
use clap::Args;

use crate::Outcome;
use crate::bitext::{BitextArgs, FilterArgs, Source};
use crate::input::require_rereadable;
use crate::number;
use crate::output::{counted, report};
use crate::part_file::{PartFile, check_paths};

/// Divide sentence pairs at random into parts that share no sentence
///
/// For example: boughs translate split all.en all.fr --part train=rest --part tune=1000 --part dev=1000 --part test=5% --out-dir parts
///
/// The parts of two files, as all.en and all.fr, are train.en and train.fr and so on; those of a file of pairs are train.tsv and so on. Pairs that have
/// a sentence in common, on either side and whatever its case, go to the same part. Lines are written as they were read, in the order of the input; trees
/// one a line. The input is read twice, and only some 100 bytes a pair are kept in memory; so name files, standard input will not do.
#[derive(Debug, Clone, Args)]
pub(crate) struct SplitArgs {
    #[command(flatten)]
    pairs: BitextArgs,

    /// A part and its size: a number of pairs (dev=300), a share (dev=10%) or what is left (train=rest); repeat for each part
    #[arg(long, short, value_name = "NAME=SIZE", required = true)]
    part: Vec<SplitPart>,

    #[command(flatten)]
    filter: FilterArgs,

    /// The random seed: the same seed gives the same parts
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::within::<u64>(0..))]
    seed: u64,

    /// Where to write the parts; it is made if it does not exist
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    out_dir: PathBuf,

    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &SplitArgs) -> Result<Outcome> {
    args.pairs.files().try_for_each(require_rereadable)?;
    let paths = args.paths();
    let inputs: Vec<PathBuf> = args.pairs.files().filter_map(|path| fs::canonicalize(path).ok()).collect();
    check_paths(&paths.concat(), &inputs, args.force)?;
    let survey = args.survey()?;
    survey.report(&args.filter.filter());
    let sizes = part_sizes(survey.num_kept(), &args.part)?;
    let rest = args.part.iter().position(|part| part.size == PartSize::Rest);
    let Survey { is_kept, groups, .. } = survey;
    let slots = split(&groups.firsts(), &sizes, rest, args.seed);
    fs::create_dir_all(&args.out_dir).with_context(|| format!("cannot make {}", args.out_dir.display()))?;
    args.write(&paths, &is_kept, &slots)?;
    args.report(&paths, &sizes, &slots);
    Ok(Outcome::Complete)
}

impl SplitArgs {
    /// The files of each part.
    fn paths(&self) -> Vec<Vec<PathBuf>> {
        let endings = endings(&self.pairs);
        let path = |part: &SplitPart, ending: &String| self.out_dir.join(format!("{}.{ending}", part.name));
        self.part.iter().map(|part| endings.iter().map(|ending| path(part, ending)).collect()).collect()
    }

    fn survey(&self) -> Result<Survey> {
        let filter = self.filter.filter();
        let mut survey = Survey::default();
        self.pairs.each_pair(|source, target| {
            let source = self.pairs.source_words(&source, Tokens::English);
            let target = self.pairs.target_words(target);
            survey.add(&filter, &source, &target);
            Ok(())
        })?;
        if survey.is_kept.is_empty() {
            bail!("{}: expected sentence pairs, found none", self.pairs.source.display());
        }
        Ok(survey)
    }

    fn write(&self, paths: &[Vec<PathBuf>], is_kept: &[bool], slots: &[Option<usize>]) -> Result<()> {
        let create = |paths: &Vec<PathBuf>| paths.iter().map(|path| PartFile::create(path)).collect();
        let mut files = paths.iter().map(create).collect::<Result<Vec<Vec<PartFile>>>>()?;
        let (mut is_kept, mut slots) = (is_kept.iter(), slots.iter());
        self.pairs.each_pair(|source, target| {
            let slot = match is_kept.next() {
                Some(true) => slots.next().copied().flatten(),
                Some(false) => None,
                None => bail!("the files changed while they were read, and nothing was written"),
            };
            slot.map_or(Ok(()), |part| write_pair(&mut files[part], &source, target))
        })?;
        if is_kept.next().is_some() {
            bail!("the files changed while they were read, and nothing was written");
        }
        files.into_iter().flatten().try_for_each(PartFile::finish)
    }

    fn report(&self, paths: &[Vec<PathBuf>], sizes: &[usize], slots: &[Option<usize>]) {
        let count = |wanted: Option<usize>| slots.iter().filter(|&&slot| slot == wanted).count();
        for (part, (paths, &size)) in paths.iter().zip(sizes).enumerate() {
            let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            let found = count(Some(part));
            let fewer = match self.part[part].size {
                PartSize::Rest => String::new(),
                _ if found == size => String::new(),
                _ => format!(", of {size} asked for, because pairs with a common sentence stay together"),
            };
            report(format_args!("{}: {}{fewer}", names.join(" and "), counted(found as u64, "pair")));
        }
        if count(None) > 0 {
            report(format_args!("{} in no part", counted(count(None) as u64, "pair")));
        }
    }
}

fn write_pair(files: &mut [PartFile], source: &Source<'_>, target: &str) -> Result<()> {
    match files {
        [both] => writeln!(both.out, "{source}\t{target}")?,
        [first, second] => {
            writeln!(first.out, "{source}")?;
            writeln!(second.out, "{target}")?;
        }
        _ => {}
    }
    Ok(())
}

/// What one reading of the pairs found.
#[derive(Default)]
struct Survey {
    is_kept: Vec<bool>,
    /// Of the pairs that are kept.
    groups: SentenceGroups,
    num_short: u64,
    num_long: u64,
    num_uneven: u64,
}

impl Survey {
    fn add(&mut self, filter: &PairFilter, source: &[String], target: &[String]) {
        let rejection = filter.rejection(source.len(), target.len());
        self.is_kept.push(rejection.is_none());
        match rejection {
            Some(Rejection::Short) => self.num_short += 1,
            Some(Rejection::Long) => self.num_long += 1,
            Some(Rejection::Uneven) => self.num_uneven += 1,
            None => self.groups.push(source.iter().map(String::as_str), target.iter().map(String::as_str)),
        }
    }

    fn num_kept(&self) -> usize {
        self.is_kept.iter().filter(|&&is_kept| is_kept).count()
    }

    fn report(&self, filter: &PairFilter) {
        let num_pairs = self.is_kept.len();
        report(format_args!(
            "{} of {num_pairs} pairs kept; left out: {} with fewer than {} words on a side, {} with more than {}, {} with a side more than {} times as long",
            self.num_kept(),
            self.num_short,
            filter.min_words,
            self.num_long,
            filter.max_words,
            self.num_uneven,
            filter.max_ratio
        ));
    }
}

/// How the names of the parts end: as those of the input, if these tell the sides apart.
fn endings(pairs: &BitextArgs) -> Vec<String> {
    let endings: Vec<Option<String>> = pairs.files().map(ending).collect();
    match endings.as_slice() {
        [only] => vec![only.clone().unwrap_or_else(|| "tsv".to_owned())],
        [Some(source), Some(target)] if source != target => vec![source.clone(), target.clone()],
        _ => vec!["source".to_owned(), "target".to_owned()],
    }
}

/// What is behind the last dot of a file's name, `.gz` left aside.
fn ending(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    Path::new(name).extension().map(|ending| ending.to_string_lossy().into_owned())
}
