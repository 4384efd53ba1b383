//! Training both models in both directions, and linking.

use std::ops::Range;

use rayon::prelude::*;

use super::bitext::{Bitext, IdRows};
use super::dirichlet::Prior;
use super::hmm::{Hmm, HmmParameters};
use super::jumps::{JumpCounts, Jumps};
use super::links::Link;
use super::model1;
use super::symmetrize::Symmetrization;
use super::table::TranslationTable;
use boughs::error::{Result, require};

/// Pairs whose sums are taken one after the other, so that they do not depend on the number of threads.
const PAIRS_AT_ONCE: usize = 1024;

/// Blocks of pairs whose counts of jumps are kept until they are added up: up to two megabytes each.
const BLOCKS_AT_ONCE: usize = 64;

/// The settings of [`align_words`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlignConfig {
    /// EM iterations of model 1. Default: 5.
    pub model1_iterations: u32,
    /// EM iterations of the HMM model. Default: 5.
    pub hmm_iterations: u32,
    /// The probability that a word has no link, in the HMM model; above 0 and below 1. Default: 0.2.
    pub unlinked: f64,
    /// The weight of the sparse prior on the translations of a word, from 0 (no prior) to 1 (not sparse). Default: 0.1.
    pub prior: f64,
    /// The uniform share of the HMM model's transitions; above 0 and below 1. Default: 0.2.
    pub uniform_share: f64,
    /// Pairs with more words on a side get no links; at most 500. Default: 200.
    pub max_words: usize,
}

impl Default for AlignConfig {
    fn default() -> Self {
        Self {
            model1_iterations: 5,
            hmm_iterations: 5,
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
        require(self.model1_iterations >= 1, "at least one iteration of model 1", self.model1_iterations)
    }
}

/// The two models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlignModel {
    /// IBM model 1.
    Model1,
    /// The HMM model.
    Hmm,
}

/// Where training stands after an iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Iteration {
    /// Whether the target is explained by the source, or the source by the target.
    pub is_forward: bool,
    /// The model.
    pub model: AlignModel,
    /// The number of the iteration, from 1.
    pub number: u32,
    /// The logarithm of the probability of all explained sentences, before the iteration changed the model. With a
    /// prior it is the lower bound that training raises: less the divergence of the model from the prior. (The first
    /// iteration has no such model yet.)
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
    /// Pairs that got no links, because a side is empty or too long.
    pub num_skipped: usize,
}

impl Directed {
    /// The links of each pair, made symmetric.
    pub fn symmetrize(&self, how: Symmetrization) -> Vec<Vec<Link>> {
        let pairs = self.forward.iter().zip(&self.backward);
        pairs.map(|(forward, backward)| how.apply(forward, backward)).collect()
    }
}

/// Links the words of each pair, by models trained on all of them. `observe` sees every iteration.
///
/// # Errors
/// If a setting is out of its range.
pub fn align_words(
    bitext: &Bitext,
    config: &AlignConfig,
    mut observe: impl FnMut(&Iteration),
) -> Result<Directed> {
    config.check()?;
    let is_used = |index: &usize| {
        let lengths = 1..=config.max_words;
        let (num_source, num_target) = bitext.num_words(*index);
        lengths.contains(&num_source) && lengths.contains(&num_target)
    };
    let used: Vec<usize> = (0..bitext.len()).filter(is_used).collect();
    let [source, target] = [bitext.source(), bitext.target()].map(|side| chosen(side.sentences(), &used));
    let mut align = |is_forward: bool| {
        let (source, target) = if is_forward { (&source, &target) } else { (&target, &source) };
        let found = Direction { source, target, config, is_forward }.align(&mut observe);
        let mut links = vec![Vec::new(); bitext.len()];
        used.iter().zip(found).for_each(|(&index, found)| links[index] = found);
        links
    };
    let forward = align(true);
    let mut backward = align(false);
    for links in &mut backward {
        links.iter_mut().for_each(|link| *link = link.swapped());
        links.sort_unstable();
    }
    Ok(Directed { forward, backward, num_skipped: bitext.len() - used.len() })
}

fn chosen(sentences: &IdRows, indices: &[usize]) -> IdRows {
    let mut chosen = IdRows::default();
    indices.iter().for_each(|&index| chosen.push(sentences.get(index).iter().copied()));
    chosen
}

/// One direction: the target is explained by the source.
struct Direction<'a> {
    source: &'a IdRows,
    target: &'a IdRows,
    config: &'a AlignConfig,
    is_forward: bool,
}

impl Direction<'_> {
    fn align(&self, observe: &mut impl FnMut(&Iteration)) -> Vec<Vec<Link>> {
        let mut table = TranslationTable::uniform(self.source, self.target);
        let prior = Prior::new(self.config.prior);
        let mut observe = |model, number, log_likelihood| {
            let (is_forward, num_words) = (self.is_forward, self.target.num_ids());
            observe(&Iteration { is_forward, model, number, log_likelihood, num_words });
        };
        let mut divergence = 0.0;
        for number in 1..=self.config.model1_iterations {
            observe(AlignModel::Model1, number, self.expect_model1(&table) - divergence);
            divergence = table.normalize(prior);
        }
        let max_words = self.source.iter().map(<[u32]>::len).max().unwrap_or(0);
        let mut jumps = Jumps::new(max_words, self.config.uniform_share);
        for number in 1..=self.config.hmm_iterations {
            observe(AlignModel::Hmm, number, self.expect_hmm(&table, &mut jumps) - divergence);
            divergence = table.normalize(prior);
        }
        self.link(&table, &jumps)
    }

    /// Adds the expected counts of model 1, and returns the log-likelihood.
    fn expect_model1(&self, table: &TranslationTable) -> f64 {
        let mut log_likelihood = 0.0;
        let expect = |cells: &mut Vec<usize>, pairs: Range<usize>| -> f64 {
            pairs.map(|pair| model1::expect(table, self.source.get(pair), self.target.get(pair), cells)).sum()
        };
        self.each_block(Vec::new, expect, |sum| log_likelihood += sum);
        log_likelihood
    }

    /// Adds the expected counts of the HMM model, updates the jumps, and returns the log-likelihood.
    fn expect_hmm(&self, table: &TranslationTable, jumps: &mut Jumps) -> f64 {
        let transitions = jumps.all_transitions();
        let model = HmmParameters { table, transitions: &transitions, unlinked: self.config.unlinked };
        let (mut log_likelihood, mut counts) = (0.0, JumpCounts::new(transitions.len() - 1));
        let expect = |hmm: &mut Hmm, pairs: Range<usize>| {
            let mut counts = JumpCounts::new(transitions.len() - 1);
            let expect = |pair| hmm.expect(model, self.source.get(pair), self.target.get(pair), &mut counts);
            (pairs.map(expect).sum::<f64>(), counts)
        };
        self.each_block(Hmm::default, expect, |(sum, more)| {
            log_likelihood += sum;
            counts.merge(&more);
        });
        jumps.update(&counts, &transitions);
        log_likelihood
    }

    fn link(&self, table: &TranslationTable, jumps: &Jumps) -> Vec<Vec<Link>> {
        let transitions = jumps.all_transitions();
        let model = HmmParameters { table, transitions: &transitions, unlinked: self.config.unlinked };
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

    /// Works on blocks of pairs side by side, and adds up what comes of them in their order.
    fn each_block<W, S: Send>(
        &self,
        scratch: impl Fn() -> W + Sync + Send,
        work: impl Fn(&mut W, Range<usize>) -> S + Sync + Send,
        mut add: impl FnMut(S),
    ) {
        let num_pairs = self.source.len();
        let num_blocks = num_pairs.div_ceil(PAIRS_AT_ONCE);
        for first in (0..num_blocks).step_by(BLOCKS_AT_ONCE) {
            let blocks = (first..(first + BLOCKS_AT_ONCE).min(num_blocks)).into_par_iter();
            let pairs =
                blocks.map(|block| block * PAIRS_AT_ONCE..((block + 1) * PAIRS_AT_ONCE).min(num_pairs));
            let sums: Vec<S> = pairs.map_init(&scratch, &work).collect();
            sums.into_iter().for_each(&mut add);
        }
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
            let directed = pool
                .install(|| align_words(&bitext, &AlignConfig::default(), |iteration| seen.push(*iteration)));
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
            AlignConfig { model1_iterations: 0, ..config },
        ] {
            assert_eq!(align_words(&Bitext::new(), &bad, |_| {}).unwrap_err().kind(), ErrorKind::Argument);
        }
    }

    proptest! {
        #[test]
        fn no_iteration_lowers_the_likelihood_or_its_bound(
            pairs in prop::collection::vec((prop::collection::vec(0u32..6, 1..6), prop::collection::vec(0u32..6, 1..6)), 1..30),
            prior in prop_oneof![Just(0.0), Just(0.01), Just(0.1), Just(0.5)],
        ) {
            let mut bitext = Bitext::new();
            let names: Vec<String> = (0..6).map(|word| format!("w{word}")).collect();
            for (source, target) in &pairs {
                let name = |word: &u32| names[*word as usize].as_str();
                bitext.push(source.iter().map(name), target.iter().map(name));
            }
            let config = AlignConfig { model1_iterations: 6, hmm_iterations: 8, prior, ..AlignConfig::default() };
            let mut seen: Vec<Iteration> = Vec::new();
            align_words(&bitext, &config, |iteration| seen.push(*iteration)).unwrap();
            let is_like = |two: &&[Iteration]| two[0].model == two[1].model && two[0].is_forward == two[1].is_forward;
            let has_model = |two: &&[Iteration]| prior == 0.0 || two[0].model == AlignModel::Hmm || two[0].number > 1;
            for two in seen.windows(2).filter(is_like).filter(has_model) {
                let tolerance = 1e-6 * two[0].num_words as f64;
                prop_assert!(two[1].log_likelihood >= two[0].log_likelihood - tolerance, "{two:?}");
            }
        }
    }
}
