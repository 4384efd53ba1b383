//! Training both models in both directions, and linking.

use serde::{Deserialize, Serialize};

use super::bitext::{Bitext, BitextSide, IdRows};
use super::dirichlet::Prior;
use super::hmm::{Hmm, HmmParameters};
use super::jumps::{JumpCounts, Jumps};
use super::links::Link;
use super::model1;
use super::symmetrize::Symmetrization;
use super::table::TranslationTable;
use boughs::error::{Error, ErrorKind, Result, require};
use boughs_learn::model::{About, ModelFile, damaged_if};
use boughs_learn::run::{Figure, Model, Recipe, Scores, Step, Watch, fingerprint};
use boughs_learn::shards::{Chunks, reduce};

/// Pairs of a shard.
const BLOCK: usize = 1024;

/// How words are aligned: the recipe of [`Directed`] links from a [`Bitext`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
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

/// The links of both directions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directed {
    about: About,
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

impl Model for Directed {
    fn to_file(&self) -> Result<ModelFile> {
        let mut file = ModelFile::new(About { kind: KIND.to_owned(), ..self.about.clone() });
        file.insert_json(LINKS, self)?;
        Ok(file)
    }

    fn from_file(file: &ModelFile) -> Result<Self> {
        file.expect_kind(KIND, "align the sentences anew")?;
        file.json(LINKS)
    }

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }
}

/// The kind of files of links, and their array.
const KIND: &str = "links";
const LINKS: &str = "links";

/// Alignment between two iterations: the model of one direction, and the links of the one before it.
#[derive(Debug)]
pub struct AlignState {
    num_pairs: usize,
    /// The pairs that are aligned.
    used: Vec<usize>,
    /// Their words, as source and target of a direction.
    sides: [IdRows; 2],
    /// Iterations of both directions that are done.
    num_done: usize,
    direction: Direction,
    forward: Option<Vec<Vec<Link>>>,
}

impl AlignConfig {
    /// Iterations of one direction.
    fn num_iterations(&self) -> usize {
        self.model1_iterations as usize + self.hmm_iterations as usize
    }
}

/// Every iteration is a step; the target is explained by the source first, then the source by the target.
impl Recipe for AlignConfig {
    type Data = Bitext;
    type State = AlignState;
    type Model = Directed;

    fn name(&self) -> &'static str {
        "align"
    }

    fn identity(&self, train: &Bitext, _: Option<&Bitext>) -> String {
        let sentence = |side: &BitextSide, pair| side.words(pair).collect::<Vec<_>>().join(" ");
        let pair = |pair| [&train.source, &train.target].map(|side| sentence(side, pair));
        fingerprint(self, (0..train.len()).flat_map(pair))
    }

    fn start(&self, bitext: &Bitext, _: &Watch<'_>) -> Result<AlignState> {
        self.check()?;
        let is_used = |index: &usize| {
            let lengths = 1..=self.max_words;
            let (num_source, num_target) = bitext.num_words(*index);
            lengths.contains(&num_source) && lengths.contains(&num_target)
        };
        let used: Vec<usize> = (0..bitext.len()).filter(is_used).collect();
        let sides = [&bitext.source, &bitext.target].map(|side| chosen(&side.sentences, &used));
        let direction = Direction::new(&sides, self);
        Ok(AlignState { num_pairs: bitext.len(), used, sides, num_done: 0, direction, forward: None })
    }

    fn step(&self, _: &Bitext, state: &mut AlignState, watch: &Watch<'_>) -> Result<Option<Step>> {
        let number = state.num_done % self.num_iterations();
        if number == 0 && state.num_done > 0 {
            let forward = state.links(self);
            state.turn(forward, self);
        }
        let (is_backward, is_hmm) = (state.forward.is_some(), number >= self.model1_iterations as usize);
        let first = if is_hmm { self.model1_iterations as usize } else { 0 };
        if number == first {
            let direction = if is_backward { "target to source" } else { "source to target" };
            watch.note(format_args!("{direction}, {}", if is_hmm { "HMM" } else { "model 1" }));
        }
        let log_likelihood = state.direction.iterate(&state.sides, self, is_hmm);
        state.num_done += 1;
        let num_left = 2 * self.num_iterations() - state.num_done;
        let loss = -log_likelihood / state.sides[1].num_ids().max(1) as f64;
        let figures = vec![
            Figure::count("iteration", number - first + 1),
            Figure::new("log-likelihood", log_likelihood, 0),
            // How many words it is as hard to choose among.
            Figure::new("perplexity", loss.exp(), 3),
        ];
        let phase = 2 * usize::from(is_backward) + usize::from(is_hmm);
        let step = Step::preparation(phase, figures);
        Ok(Some(Step { is_last: num_left == 0, num_left: Some(num_left), ..step }))
    }

    fn model(&self, state: &AlignState) -> Result<Directed> {
        let none_yet = || Error::new(ErrorKind::Argument, "expected both directions, found one");
        let forward = state.forward.clone().ok_or_else(none_yet)?;
        let mut backward = state.links(self);
        for links in &mut backward {
            links.iter_mut().for_each(|link| *link = link.swapped());
            links.sort_unstable();
        }
        let num_skipped = state.num_pairs - state.used.len();
        Ok(Directed { about: About::new(""), forward, backward, num_skipped })
    }

    /// There is nothing to measure links by: gold links are for [`ErrorRate`](super::ErrorRate).
    fn evaluate(&self, _: &mut AlignState, _: &Directed, _: &Bitext) -> Result<Scores> {
        Ok(Scores { criterion: 0.0, figures: Vec::new() })
    }

    fn patience(&self) -> usize {
        usize::MAX
    }

    fn save(&self, state: &AlignState, file: &mut ModelFile) -> Result<()> {
        let Direction { table, jumps, divergence } = &state.direction;
        let model = (&table.probabilities, &jumps.weights, divergence);
        file.insert_state("done", &(state.num_done, &state.forward, model))
    }

    fn restore(&self, state: &mut AlignState, file: &ModelFile) -> Result<()> {
        let (num_done, forward, (probabilities, weights, divergence)) = file.state("done")?;
        if let Some(forward) = forward {
            state.turn(forward, self);
        }
        state.num_done = num_done;
        let Direction { table, jumps, .. } = &mut state.direction;
        let sizes = (table.probabilities.len(), jumps.weights.len());
        (table.probabilities, jumps.weights) = (probabilities, weights);
        state.direction.divergence = divergence;
        let Direction { table, jumps, .. } = &state.direction;
        damaged_if((table.probabilities.len(), jumps.weights.len()) != sizes, "a table of other sentences")
    }
}

impl AlignState {
    /// Keeps the links of the first direction, and begins with the other one.
    fn turn(&mut self, forward: Vec<Vec<Link>>, config: &AlignConfig) {
        self.forward = Some(forward);
        self.sides.swap(0, 1);
        self.direction = Direction::new(&self.sides, config);
    }

    /// The links of this direction, for all pairs.
    fn links(&self, config: &AlignConfig) -> Vec<Vec<Link>> {
        let mut links = vec![Vec::new(); self.num_pairs];
        let found = self.direction.link(&self.sides, config);
        self.used.iter().zip(found).for_each(|(&index, found)| links[index] = found);
        links
    }
}

fn chosen(sentences: &IdRows, indices: &[usize]) -> IdRows {
    let mut chosen = IdRows::default();
    indices.iter().for_each(|&index| chosen.push(sentences.get(index).iter().copied()));
    chosen
}

/// One direction: the second side is explained by the first.
#[derive(Debug)]
struct Direction {
    table: TranslationTable,
    jumps: Jumps,
    /// How far the table is from its prior.
    divergence: f64,
}

impl Direction {
    fn new([source, target]: &[IdRows; 2], config: &AlignConfig) -> Self {
        let max_words = source.iter().map(<[u32]>::len).max().unwrap_or(0);
        let jumps = Jumps::new(max_words, config.uniform_share);
        Self { table: TranslationTable::uniform(source, target), jumps, divergence: 0.0 }
    }

    /// One iteration of EM. Returns the logarithm of the probability of all explained sentences, before it changed the
    /// model. With a prior it is the lower bound that training raises: less the divergence of the model from the
    /// prior. (The first iteration has no such model yet.)
    fn iterate(&mut self, sides: &[IdRows; 2], config: &AlignConfig, is_hmm: bool) -> f64 {
        let log_likelihood = match is_hmm {
            true => self.expect_hmm(sides, config.unlinked),
            false => self.expect_model1(sides),
        };
        let bound = log_likelihood - self.divergence;
        self.divergence = self.table.normalize(Prior::new(config.prior));
        bound
    }

    /// Adds the expected counts of model 1, and returns the log-likelihood.
    fn expect_model1(&self, [source, target]: &[IdRows; 2]) -> f64 {
        let mut log_likelihood = 0.0;
        let expect = |pairs: &[usize]| -> f64 {
            let mut cells = Vec::new();
            let expect =
                |&pair: &usize| model1::expect(&self.table, source.get(pair), target.get(pair), &mut cells);
            pairs.iter().map(expect).sum()
        };
        each_block(source.len(), expect, |sum| log_likelihood += sum);
        log_likelihood
    }

    /// Adds the expected counts of the HMM model, updates the jumps, and returns the log-likelihood.
    fn expect_hmm(&mut self, [source, target]: &[IdRows; 2], unlinked: f64) -> f64 {
        let transitions = self.jumps.all_transitions();
        let model = HmmParameters { table: &self.table, transitions: &transitions, unlinked };
        let (mut log_likelihood, mut counts) = (0.0, JumpCounts::new(transitions.len() - 1));
        let expect = |pairs: &[usize]| {
            let (mut hmm, mut counts) = (Hmm::default(), JumpCounts::new(transitions.len() - 1));
            let expect = |&pair: &usize| hmm.expect(model, source.get(pair), target.get(pair), &mut counts);
            (pairs.iter().map(expect).sum::<f64>(), counts)
        };
        each_block(source.len(), expect, |(sum, more)| {
            log_likelihood += sum;
            counts.merge(&more);
        });
        self.jumps.update(&counts, &transitions);
        log_likelihood
    }

    /// The most probable links of each pair.
    fn link(&self, [source, target]: &[IdRows; 2], config: &AlignConfig) -> Vec<Vec<Link>> {
        let transitions = self.jumps.all_transitions();
        let model =
            HmmParameters { table: &self.table, transitions: &transitions, unlinked: config.unlinked };
        let link = |hmm: &mut Hmm, pair: usize| {
            let best = hmm.best(model, source.get(pair), target.get(pair));
            let links = (0u32..).zip(best).filter_map(|(target, source)| Some(Link::new(source?, target)));
            let mut links: Vec<Link> = links.collect();
            links.sort_unstable();
            links
        };
        let mut all = Vec::new();
        let link_block = |pairs: &[usize]| {
            let mut hmm = Hmm::default();
            pairs.iter().map(|&pair| link(&mut hmm, pair)).collect::<Vec<_>>()
        };
        each_block(source.len(), link_block, |links| all.extend(links));
        all
    }
}

/// Computes something of each block of pairs, and adds it up in their order.
fn each_block<P: Send>(num_pairs: usize, compute: impl Fn(&[usize]) -> P + Sync, add: impl FnMut(P)) {
    let pairs: Vec<usize> = (0..num_pairs).collect();
    reduce(&Chunks { items: &pairs, size: BLOCK, compute }, &(), add);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::links::format_links;
    use boughs::error::ErrorKind;

    use super::*;
    use crate::testing;
    use boughs_learn::rng::Rng;
    use boughs_learn::run::{RunOptions, run};

    fn align_words(bitext: &Bitext, config: &AlignConfig) -> Result<Directed> {
        Ok(run(config, bitext, None, RunOptions::default())?.unwrap().model)
    }

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
            let directed = align_words(&bitext, &AlignConfig::default()).unwrap();
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
        let directed = align_words(&bitext(&pairs), &AlignConfig::default()).unwrap();
        assert_eq!(format_links(&directed.forward[0]), "0-0 1-2");
    }

    #[test]
    fn empty_and_long_sentences_get_no_links() {
        let config = AlignConfig { max_words: 2, ..AlignConfig::default() };
        let directed = align_words(&bitext(&[("a", ""), ("a", "x"), ("a a a", "x")]), &config).unwrap();
        assert_eq!(directed.num_skipped, 2);
        assert_eq!(directed.forward.iter().map(Vec::len).collect::<Vec<_>>(), [0, 1, 0]);
        let nothing = align_words(&Bitext::new(), &config).unwrap();
        assert!(nothing.forward.is_empty());
    }

    #[test]
    fn threads_and_interruptions_do_not_matter() {
        let (bitext, _) = toy(3000, |order| order.swap(0, 1));
        let config = AlignConfig { model1_iterations: 2, hmm_iterations: 2, ..AlignConfig::default() };
        testing::is_the_same_on_threads(&config, &bitext, None);
        testing::is_resumed_to_the_same_bytes(&config, &bitext, None);
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
            assert_eq!(align_words(&Bitext::new(), &bad).unwrap_err().kind(), ErrorKind::Argument);
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
            let steps = run(&config, &bitext, None, RunOptions::default()).unwrap().unwrap().steps;
            let has_model = |two: &&[Step]| prior == 0.0 || two[0].phase % 2 == 1 || two[0].get("iteration") > Some(1.0);
            for two in steps.windows(2).filter(|two| two[0].phase == two[1].phase).filter(has_model) {
                let [before, after] = [0, 1].map(|step: usize| two[step].get("log-likelihood").unwrap());
                let num_words = pairs.iter().map(|(source, target)| source.len() + target.len()).sum::<usize>();
                prop_assert!(after >= before - 1e-6 * num_words as f64, "{two:?}");
            }
        }
    }
}
