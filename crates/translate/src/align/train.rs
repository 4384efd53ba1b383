//! Training both models in both directions, and linking.

use std::ops::Range;

use rayon::prelude::*;

use super::bitext::{Bitext, Sentences};
use super::dirichlet::Prior;
use super::hmm::{Hmm, Parameters};
use super::jumps::{JumpCounts, Jumps};
use super::links::Link;
use super::model1;
use super::symmetrize::Symmetrization;
use super::table::Table;
use boughs::error::{Result, require};

/// Pairs whose sums are taken one after the other, so that they do not depend on the number of threads.
const PAIRS_AT_ONCE: usize = 1024;

/// Blocks of pairs whose counts of jumps are kept until they are added up: up to two megabytes each.
const BLOCKS_AT_ONCE: usize = 64;

/// The settings of [`align_words`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlignConfig {
    /// Passes of model 1. Default: 5.
    pub model1_passes: u32,
    /// Passes of the HMM model. Default: 5.
    pub hmm_passes: u32,
    /// The probability that a word has no link, in the HMM model; above 0 and below 1. Default: 0.2.
    pub unlinked: f64,
    /// The weight of the sparse prior on the translations of a word, from 0, which is none, to 1, which is not sparse. Default: 0.1.
    pub prior: f64,
    /// The uniform share of the HMM model's transitions; above 0 and below 1. Default: 0.2.
    pub uniform_share: f64,
    /// Pairs with more words on a side get no links; at most 500. Default: 200.
    pub max_words: usize,
}

impl Default for AlignConfig {
    fn default() -> Self {
        Self {
            model1_passes: 5,
            hmm_passes: 5,
            unlinked: 0.2,
            prior: 0.1,
            uniform_share: 0.2,
            max_words: 200,
        }
    }
}

impl AlignConfig {
    /// The transitions of so long sentences already take a third of a gigabyte.
    const MOST_WORDS: usize = 500;

    /// Checks every setting.
    ///
    /// # Errors
    /// If one is out of its range.
    pub fn check(&self) -> Result<()> {
        let is_share = |value: f64| value > 0.0 && value < 1.0;
        require(is_share(self.unlinked), "a probability of no link between 0 and 1", self.unlinked)?;
        require((0.0..=1.0).contains(&self.prior), "a weight of the prior from 0 to 1", self.prior)?;
        require(is_share(self.uniform_share), "a uniform share between 0 and 1", self.uniform_share)?;
        let max_words = self.max_words;
        require(max_words <= Self::MOST_WORDS, "at most 500 words in a sentence", max_words)?;
        require(self.model1_passes >= 1, "at least one pass of model 1", self.model1_passes)
    }
}

/// The two models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Model {
    /// IBM model 1.
    Model1,
    /// The HMM model.
    Hmm,
}

/// Where training stands after a pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Iteration {
    /// Whether the target is explained by the source, or the source by the target.
    pub is_forward: bool,
    /// The model.
    pub model: Model,
    /// The pass, from 1.
    pub pass: u32,
    /// The logarithm of the probability of all explained sentences, before the pass changed the model; with a prior, the lower
    /// bound of it that training raises, less the divergence of the model from the prior. (The first pass has no such model yet.)
    pub log_likelihood: f64,
    /// The number of words explained.
    pub num_words: usize,
}

impl Iteration {
    /// How many words it is as hard to choose among: e to the power of the mean loss.
    pub fn perplexity(&self) -> f64 {
        (-self.log_likelihood / self.num_words.max(1) as f64).exp()
    }
}

/// The links of both directions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directed {
    /// By pair: each target word has one link at most.
    pub forward: Vec<Vec<Link>>,
    /// By pair: each source word has one link at most.
    pub backward: Vec<Vec<Link>>,
    /// The numbers of source and target words, by pair.
    lengths: Vec<(u32, u32)>,
    /// Pairs that got no links, because a side is empty or too long.
    pub num_skipped: usize,
}

impl Directed {
    /// The links of each pair, made symmetric.
    pub fn symmetrize(&self, how: Symmetrization) -> Vec<Vec<Link>> {
        let pairs = self.forward.iter().zip(&self.backward).zip(&self.lengths);
        pairs
            .map(|((forward, backward), &(num_source, num_target))| {
                how.apply(forward, backward, num_source as usize, num_target as usize)
            })
            .collect()
    }
}

/// Links the words of each pair, by models trained on all of them.
///
/// # Errors
/// If a setting is out of its range.
pub fn align_words(
    bitext: &Bitext,
    config: &AlignConfig,
    mut observe: impl FnMut(&Iteration),
) -> Result<Directed> {
    config.check()?;
    let (source, target) = (bitext.source().sentences(), bitext.target().sentences());
    let is_used = |index: usize| {
        let lengths = [source.get(index).len(), target.get(index).len()];
        lengths.iter().all(|length| (1..=config.max_words).contains(length))
    };
    let used: Vec<usize> = (0..bitext.len()).filter(|&index| is_used(index)).collect();
    let mut directed = Directed {
        forward: vec![Vec::new(); bitext.len()],
        backward: vec![Vec::new(); bitext.len()],
        lengths: (0..bitext.len())
            .map(|index| (source.get(index).len() as u32, target.get(index).len() as u32))
            .collect(),
        num_skipped: bitext.len() - used.len(),
    };
    let forward = Direction { source: &chosen(source, &used), target: &chosen(target, &used), config };
    let backward = Direction { source: forward.target, target: forward.source, config };
    for (links, &index) in forward.align(|iteration| observe(&iteration)).into_iter().zip(&used) {
        directed.forward[index] = links;
    }
    let backward = backward.align(|iteration| observe(&Iteration { is_forward: false, ..iteration }));
    for (links, &index) in backward.into_iter().zip(&used) {
        directed.backward[index] = links.into_iter().map(Link::swapped).collect();
        directed.backward[index].sort_unstable();
    }
    Ok(directed)
}

fn chosen(sentences: &Sentences, indices: &[usize]) -> Sentences {
    let mut chosen = Sentences::default();
    indices.iter().for_each(|&index| chosen.push(sentences.get(index).iter().copied()));
    chosen
}

/// One direction: the target is explained by the source.
struct Direction<'a> {
    source: &'a Sentences,
    target: &'a Sentences,
    config: &'a AlignConfig,
}

impl Direction<'_> {
    fn align(&self, mut observe: impl FnMut(Iteration)) -> Vec<Vec<Link>> {
        let mut table = Table::uniform(self.source, self.target);
        let prior = Prior::new(self.config.prior);
        let mut observe = |model, pass, log_likelihood| {
            let num_words = self.target.num_words();
            observe(Iteration { is_forward: true, model, pass, log_likelihood, num_words });
        };
        let mut divergence = 0.0;
        for pass in 1..=self.config.model1_passes {
            observe(Model::Model1, pass, self.pass_of_model1(&table) - divergence);
            divergence = table.normalize(prior);
        }
        let max_words = self.source.iter().map(<[u32]>::len).max().unwrap_or(0);
        let mut jumps = Jumps::new(max_words, self.config.uniform_share);
        for pass in 1..=self.config.hmm_passes {
            observe(Model::Hmm, pass, self.pass_of_hmm(&table, &mut jumps) - divergence);
            divergence = table.normalize(prior);
        }
        self.link(&table, &jumps)
    }

    fn pass_of_model1(&self, table: &Table) -> f64 {
        let pass = |cells: &mut Vec<usize>, pairs: Range<usize>| -> f64 {
            pairs
                .map(|index| model1::expect(table, self.source.get(index), self.target.get(index), cells))
                .sum()
        };
        let sums: Vec<f64> = self.blocks().map_init(Vec::new, pass).collect();
        sums.iter().sum()
    }

    fn pass_of_hmm(&self, table: &Table, jumps: &mut Jumps) -> f64 {
        let transitions = jumps.all_transitions();
        let model = Parameters { table, transitions: &transitions, unlinked: self.config.unlinked };
        let max_words = transitions.len() - 1;
        let pass = |hmm: &mut Hmm, pairs: Range<usize>| {
            let mut counts = JumpCounts::new(max_words);
            let log_likelihood: f64 = pairs
                .map(|index| hmm.expect(model, self.source.get(index), self.target.get(index), &mut counts))
                .sum();
            (log_likelihood, counts)
        };
        let mut counts = JumpCounts::new(max_words);
        let mut log_likelihood = 0.0;
        for batch in self.batches() {
            let sums: Vec<(f64, JumpCounts)> = batch.map_init(Hmm::default, pass).collect();
            sums.iter().for_each(|(_, more)| counts.merge(more));
            log_likelihood += sums.iter().map(|(log_likelihood, _)| log_likelihood).sum::<f64>();
        }
        jumps.update(&counts, &transitions);
        log_likelihood
    }

    fn link(&self, table: &Table, jumps: &Jumps) -> Vec<Vec<Link>> {
        let transitions = jumps.all_transitions();
        let model = Parameters { table, transitions: &transitions, unlinked: self.config.unlinked };
        let link = |hmm: &mut Hmm, index: usize| {
            let best = hmm.best(model, self.source.get(index), self.target.get(index));
            let links =
                (0u32..).zip(best).filter_map(|(target, source)| Some(Link { source: source?, target }));
            let mut links: Vec<Link> = links.collect();
            links.sort_unstable();
            links
        };
        (0..self.source.len()).into_par_iter().map_init(Hmm::default, link).collect()
    }

    /// The pairs in blocks of a fixed size.
    fn blocks(&self) -> impl IndexedParallelIterator<Item = Range<usize>> {
        self.some_blocks(0..self.source.len().div_ceil(PAIRS_AT_ONCE))
    }

    /// The blocks, some at a time: for what is too large to have of each.
    fn batches(&self) -> impl Iterator<Item = impl IndexedParallelIterator<Item = Range<usize>>> {
        let num_blocks = self.source.len().div_ceil(PAIRS_AT_ONCE);
        (0..num_blocks)
            .step_by(BLOCKS_AT_ONCE)
            .map(move |first| self.some_blocks(first..(first + BLOCKS_AT_ONCE).min(num_blocks)))
    }

    fn some_blocks(&self, blocks: Range<usize>) -> impl IndexedParallelIterator<Item = Range<usize>> + use<> {
        let num_pairs = self.source.len();
        blocks
            .into_par_iter()
            .map(move |block| block * PAIRS_AT_ONCE..((block + 1) * PAIRS_AT_ONCE).min(num_pairs))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::links::format_links;
    use boughs::error::ErrorKind;

    use super::*;
    use boughs_learn::rng::Rng;

    fn bitext(pairs: &[(&str, &str)]) -> Bitext {
        let mut bitext = Bitext::new();
        for (source, target) in pairs {
            bitext.push(source.split_whitespace(), target.split_whitespace());
        }
        bitext
    }

    /// Sentences over a vocabulary in which word n is translated by word n, in another order.
    fn toy(num_pairs: usize, reorder: impl Fn(&mut Vec<usize>)) -> (Bitext, Vec<Vec<Link>>) {
        let mut rng = Rng::new(7);
        let (mut bitext, mut gold) = (Bitext::new(), Vec::new());
        for _ in 0..num_pairs {
            let mut words: Vec<usize> = (0..30).collect();
            rng.shuffle(&mut words);
            words.truncate(3 + rng.below(6) as usize);
            let mut order: Vec<usize> = (0..words.len()).collect();
            reorder(&mut order);
            let source: Vec<String> = words.iter().map(|word| format!("s{word}")).collect();
            let target: Vec<String> = order.iter().map(|&index| format!("t{}", words[index])).collect();
            bitext.push(source.iter().map(String::as_str), target.iter().map(String::as_str));
            let mut links: Vec<Link> =
                (0u32..).zip(&order).map(|(target, &source)| Link::new(source as u32, target)).collect();
            links.sort_unstable();
            gold.push(links);
        }
        (bitext, gold)
    }

    #[test]
    fn known_alignments_are_recovered() {
        let keep: fn(&mut Vec<usize>) = |_| {};
        let reverse: fn(&mut Vec<usize>) = |order| order.reverse();
        let swap: fn(&mut Vec<usize>) = |order| order.swap(0, 1);
        for reorder in [keep, reverse, swap] {
            let (bitext, gold) = toy(200, reorder);
            let directed = align_words(&bitext, &AlignConfig::default(), |_| {}).unwrap();
            assert_eq!(directed.symmetrize(Symmetrization::Intersection), gold);
        }
    }

    #[test]
    fn words_that_translate_nothing_have_no_link() {
        let mut pairs = Vec::new();
        for (one, other) in [("a", "b"), ("b", "c"), ("c", "a"), ("a", "c"), ("b", "a"), ("c", "b")] {
            pairs.push((format!("{one} {other}"), format!("{one} uh {other}")));
        }
        let pairs: Vec<(&str, &str)> =
            pairs.iter().map(|(one, other)| (one.as_str(), other.as_str())).collect();
        let directed = align_words(&bitext(&pairs), &AlignConfig::default(), |_| {}).unwrap();
        assert_eq!(format_links(&directed.forward[0]), "0-0 1-2");
    }

    #[test]
    fn empty_and_long_sentences_get_no_links() {
        let config = AlignConfig { max_words: 2, ..AlignConfig::default() };
        let directed =
            align_words(&bitext(&[("a", ""), ("a", "x"), ("a a a", "x")]), &config, |_| {}).unwrap();
        assert_eq!(directed.num_skipped, 2);
        assert_eq!(directed.forward.iter().map(Vec::len).collect::<Vec<_>>(), [0, 1, 0]);
        let nothing = align_words(&Bitext::new(), &config, |_| {}).unwrap();
        assert!(nothing.forward.is_empty());
    }

    #[test]
    fn threads_do_not_matter() {
        let (bitext, _) = toy(3000, |order| order.swap(0, 1));
        let align = |num_threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build().unwrap();
            let mut seen = Vec::new();
            let directed =
                pool.install(|| align_words(&bitext, &AlignConfig::default(), |pass| seen.push(*pass)));
            (directed.unwrap(), seen)
        };
        assert_eq!(align(1), align(3));
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let config = AlignConfig::default();
        for bad in [
            AlignConfig { unlinked: 1.0, ..config },
            AlignConfig { prior: -0.1, ..config },
            AlignConfig { prior: f64::NAN, ..config },
            AlignConfig { uniform_share: 0.0, ..config },
            AlignConfig { max_words: 501, ..config },
            AlignConfig { model1_passes: 0, ..config },
        ] {
            assert_eq!(align_words(&Bitext::new(), &bad, |_| {}).unwrap_err().kind(), ErrorKind::Argument);
        }
    }

    proptest! {
        #[test]
        fn no_pass_lowers_the_likelihood_or_its_bound(
            pairs in prop::collection::vec((prop::collection::vec(0u32..6, 1..6), prop::collection::vec(0u32..6, 1..6)), 1..30),
            prior in prop_oneof![Just(0.0), Just(0.01), Just(0.1), Just(0.5)],
        ) {
            let mut bitext = Bitext::new();
            let names: Vec<String> = (0..6).map(|word| format!("w{word}")).collect();
            for (source, target) in &pairs {
                let name = |word: &u32| names[*word as usize].as_str();
                bitext.push(source.iter().map(name), target.iter().map(name));
            }
            let config = AlignConfig { model1_passes: 6, hmm_passes: 8, prior, ..AlignConfig::default() };
            let mut seen: Vec<Iteration> = Vec::new();
            align_words(&bitext, &config, |iteration| seen.push(*iteration)).unwrap();
            let is_like = |two: &&[Iteration]| two[0].model == two[1].model && two[0].is_forward == two[1].is_forward;
            let has_model = |two: &&[Iteration]| prior == 0.0 || two[0].model == Model::Hmm || two[0].pass > 1;
            for two in seen.windows(2).filter(is_like).filter(has_model) {
                let tolerance = 1e-6 * two[0].num_words as f64;
                prop_assert!(two[1].log_likelihood >= two[0].log_likelihood - tolerance, "{two:?}");
            }
        }
    }
}
