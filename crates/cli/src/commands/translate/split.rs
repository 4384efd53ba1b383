//! `boughs translate split`: train, dev and test from one corpus of sentence pairs.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use boughs::treebank::{PartSize, SplitPart, part_sizes};
use boughs_translate::align::{PairFilter, Rejection, SentenceGroups, Tokenization, split};
use clap::Args;

use crate::bitext::{BitextArgs, FilterArgs};
use crate::input::require_rereadable;
use crate::output::{counted, report};
use crate::part_file::{PartFile, check_paths};
use crate::{Outcome, number};

/// Divide sentence pairs at random into parts that share no sentence
///
/// For example: boughs translate split all.en all.fr --part train=rest --part dev=1000 --part test=5% --out-dir parts
///
/// The parts of two files, as all.en and all.fr, are train.en and train.fr and so on; those of a file of pairs are
/// train.tsv and so on. Pairs that have a sentence in common, on either side and whatever its case, go to the same
/// part. Lines are written as they were read, in the order of the input; trees one a line. The input is read twice,
/// and only some 100 bytes a pair are kept in memory; so name files, standard input will not do.
#[derive(Debug, Clone, Args)]
pub(crate) struct BitextSplitArgs {
    #[command(flatten)]
    pairs: BitextArgs,

    /// A part and its size: a number of pairs (dev=300), a share (dev=10%) or what is left (train=rest); repeat for
    /// each part
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

pub(crate) fn run(args: &BitextSplitArgs) -> Result<Outcome> {
    let files = args.pairs.files();
    files.iter().try_for_each(|path| require_rereadable(path))?;
    let paths = args.paths(&files);
    let inputs: Vec<PathBuf> = files.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    check_paths(&paths.concat(), &inputs, args.force)?;
    let survey = args.survey(&files)?;
    survey.report(&args.filter.filter());
    let sizes = part_sizes(survey.count(None), &args.part)?;
    let rest = args.part.iter().position(|part| part.size == PartSize::Rest);
    let slots = split(&survey.groups.firsts(), &sizes, rest, args.seed);
    fs::create_dir_all(&args.out_dir).with_context(|| format!("cannot make {}", args.out_dir.display()))?;
    args.write(&files, &paths, &survey.rejections, &slots)?;
    args.report(&paths, &sizes, &slots);
    Ok(Outcome::Complete)
}

impl BitextSplitArgs {
    /// The files of each part.
    fn paths(&self, files: &[PathBuf]) -> Vec<Vec<PathBuf>> {
        let endings = endings(files);
        let path = |part: &SplitPart, ending: &String| self.out_dir.join(format!("{}.{ending}", part.name));
        self.part.iter().map(|part| endings.iter().map(|ending| path(part, ending)).collect()).collect()
    }

    fn survey(&self, files: &[PathBuf]) -> Result<Survey> {
        let filter = self.filter.filter();
        let mut survey = Survey::default();
        self.pairs.each_pair(files, |source, target| {
            let words = self.pairs.words(&source, target, Tokenization::English);
            let rejection = filter.rejection(words[0].len(), words[1].len());
            if rejection.is_none() {
                let [source, target] = words.each_ref().map(|words| words.iter().map(String::as_str));
                survey.groups.push(source, target);
            }
            survey.rejections.push(rejection);
            Ok(())
        })?;
        Ok(survey)
    }

    fn write(
        &self,
        files: &[PathBuf],
        paths: &[Vec<PathBuf>],
        rejections: &[Option<Rejection>],
        slots: &[Option<usize>],
    ) -> Result<()> {
        let create = |paths: &Vec<PathBuf>| paths.iter().map(|path| PartFile::create(path)).collect();
        let mut parts = paths.iter().map(create).collect::<Result<Vec<Vec<PartFile>>>>()?;
        let (mut rejections, mut slots) = (rejections.iter(), slots.iter());
        let changed = "the files changed while they were read, and nothing was written";
        self.pairs.each_pair(files, |source, target| {
            let rejection = rejections.next().context(changed)?;
            let slot = if rejection.is_none() { slots.next().copied().flatten() } else { None };
            match slot.map(|part| parts[part].as_mut_slice()) {
                Some([both]) => writeln!(both.out, "{source}\t{target}")?,
                Some([first, second]) => {
                    writeln!(first.out, "{source}")?;
                    writeln!(second.out, "{target}")?;
                }
                _ => {}
            }
            Ok(())
        })?;
        if rejections.next().is_some() {
            bail!(changed);
        }
        parts.into_iter().flatten().try_for_each(PartFile::finish)
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

/// What one reading of the pairs found.
#[derive(Default)]
struct Survey {
    /// By pair.
    rejections: Vec<Option<Rejection>>,
    /// Of the pairs that are kept.
    groups: SentenceGroups,
}

impl Survey {
    fn count(&self, rejection: Option<Rejection>) -> usize {
        self.rejections.iter().filter(|&&other| other == rejection).count()
    }

    fn report(&self, filter: &PairFilter) {
        let [short, long, uneven] = [Rejection::Short, Rejection::Long, Rejection::Uneven]
            .map(|rejection| self.count(Some(rejection)));
        let PairFilter { min_words, max_words, max_ratio } = filter;
        report(format_args!(
            "{} of {} pairs kept; left out: {short} with fewer than {min_words} words on a side, {long} with more than {max_words}, {uneven} with a side more than {max_ratio} times as long",
            self.count(None),
            self.rejections.len()
        ));
    }
}

/// How the names of the parts end: as those of the input, if these tell the sides apart.
fn endings(files: &[PathBuf]) -> Vec<String> {
    let endings: Vec<Option<String>> = files.iter().map(|path| ending(path)).collect();
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
