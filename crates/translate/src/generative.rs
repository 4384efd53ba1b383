//! What the paper compares with: a lexicalised top-down transducer that generates the target tree given the source
//! tree.
//!
//! From the root down, a phrase chooses the order of its parts, and the part without the head gets the translation of
//! its own head word:
//!
//! > p = p(v|w) of the sentence's head · Π over phrases  p(order | labels, head words) · p(v' | w', v)
//!
//! where v is the translation of the phrase's head and v' that of its other part's. So translations depend on one
//! another as words of the target language do. Estimates from few counts are drawn to those of fewer conditions: (c +
//! κ·p') / (n + κ).
//!
//! The counts are those of the most probable derivations, by Viterbi EM (Graehl and Knight 2004). What links leave
//! open (which of several linked words a word becomes, the order of phrases with an unlinked part) is decided by the
//! model of the iteration before, with the same search that translates.

use std::hash::Hash;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::context::Context;
use super::examples::{AlignedPair, identity};
use super::file::{insert_counts, read_counts};
use super::lexicon::{BilingualLexicon, CandidateFilter, ERASED};
use super::search::{Choice, SearchLimits, TreeDerivation, search};
use super::transducer::{Costs, PAIRS_OF_SHARD, Transducer, TranslationPreset, about};
use crate::align::{BinaryNode, BinaryPart, BinaryTree, PartOrder, TreeAlignment};
use boughs::error::{Result, require};
use boughs_learn::model::ModelFile;
use boughs_learn::run::{Figure, Recipe, Scores, Step, Watch};
use boughs_learn::shards::{Chunks, reduce};
use boughs_learn::vocab::Vocab;

/// How a generative transducer is learned: a recipe.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct GenerativeConfig {
    /// The paper whose settings these are, but for what was changed. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<TranslationPreset>,
    /// Iterations of Viterbi EM; at least 1. Default: 3.
    pub iterations: usize,
    /// κ: with so many counts, an estimate has half of the weight; above 0. Default: 5.
    pub backoff: f64,
    /// Which translations a word may have; others are not counted. Default: all that were seen.
    pub candidates: CandidateFilter,
    /// How the transducer searches.
    pub search: SearchLimits,
}

impl Default for GenerativeConfig {
    fn default() -> Self {
        let candidates = CandidateFilter::all();
        Self { preset: None, iterations: 3, backoff: 5.0, candidates, search: SearchLimits::default() }
    }
}

impl GenerativeConfig {
    /// The rival of the paper, in the same transducer: its filter leaves out examples before any training.
    pub fn twm06() -> Self {
        let preset = Some(TranslationPreset::Twm06);
        Self { preset, candidates: CandidateFilter::twm06(), ..Self::default() }
    }
}

/// What the head of a sentence depends on; and a label or source word that was never seen.
const NOTHING: u32 = u32::MAX - 1;

/// A label, the labels of its parts with the side of the head, 0, and the head words of its parts.
pub(super) type OrderKey = [u32; 5];

/// The counts of derivations. Keys are numbers of words and labels.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct DerivationCounts {
    /// Of a word, the translation of the word that it depends on, and its own.
    pub(super) words: FxHashMap<[u32; 3], f64>,
    /// Of both orders.
    pub(super) orders: FxHashMap<OrderKey, [f64; 2]>,
}

/// The model: the counts and their sums over conditions.
#[derive(Debug, Default)]
pub(super) struct Generative {
    pub(super) labels: Vocab,
    pub(super) backoff: f64,
    pub(super) counts: DerivationCounts,
    pair_sums: FxHashMap<[u32; 2], f64>,
    governed_sums: FxHashMap<[u32; 2], f64>,
    word_sums: FxHashMap<u32, f64>,
    label_sums: FxHashMap<[u32; 2], [f64; 2]>,
    order_sum: [f64; 2],
}

fn get<K: Copy + Eq + Hash, V: Copy + Default>(map: &FxHashMap<K, V>, key: K) -> V {
    map.get(&key).copied().unwrap_or_default()
}

impl Generative {
    pub(super) fn new(labels: Vocab, backoff: f64, counts: DerivationCounts) -> Self {
        let mut model = Self { labels, backoff, ..Self::default() };
        #[expect(clippy::iter_over_hash_type, reason = "sums of whole numbers do not depend on the order")]
        for (&[word, governor, target], count) in &counts.words {
            *model.pair_sums.entry([word, target]).or_default() += count;
            *model.governed_sums.entry([word, governor]).or_default() += count;
            *model.word_sums.entry(word).or_default() += count;
        }
        #[expect(clippy::iter_over_hash_type, reason = "sums of whole numbers do not depend on the order")]
        for (key, both) in &counts.orders {
            let sums = model.label_sums.entry([key[0], key[1]]).or_default();
            for order in 0..2 {
                sums[order] += both[order];
                model.order_sum[order] += both[order];
            }
        }
        Self { counts, ..model }
    }

    /// p(v|w).
    fn plain(&self, word: u32, target: u32) -> f64 {
        (get(&self.pair_sums, [word, target]) + 1e-3) / (get(&self.word_sums, word) + 1.0)
    }

    /// p(v'|w', v).
    fn governed(&self, word: u32, governor: u32, target: u32) -> f64 {
        let sum = get(&self.governed_sums, [word, governor]);
        let count = get(&self.counts.words, [word, governor, target]);
        (count + self.backoff * self.plain(word, target)) / (sum + self.backoff)
    }

    /// p(order | labels, head words), both.
    fn orders(&self, key: OrderKey) -> [f64; 2] {
        let total = |counts: [f64; 2]| counts[0] + counts[1];
        let by_label = get(&self.label_sums, [key[0], key[1]]);
        let by_words = get(&self.counts.orders, key);
        [0, 1].map(|order| {
            let plain = (self.order_sum[order] + 1.0) / (total(self.order_sum) + 2.0);
            let of_labels = (by_label[order] + self.backoff * plain) / (total(by_label) + self.backoff);
            (by_words[order] + self.backoff * of_labels) / (total(by_words) + self.backoff)
        })
    }

    /// What translations of a word cost, without its governor; the search corrects that.
    pub(super) fn choices(&self, source: u32, targets: &[u32]) -> Vec<Choice> {
        targets.iter().map(|&target| (target, -self.plain(source, target).ln())).collect()
    }

    /// The keys of all phrases of a sentence, whose words have these numbers.
    pub(super) fn order_keys(&self, context: &Context<'_>, sources: &[Option<u32>]) -> Vec<OrderKey> {
        order_keys(context, sources, |label| self.labels.get(label))
    }

    /// What both orders of a phrase cost, given the translations of its parts' heads: the order, and what the
    /// dependent's translation costs more, or less, now that its governor is known.
    pub(super) fn order_costs(
        &self,
        tree: &BinaryTree,
        sources: &[Option<u32>],
        keys: &[OrderKey],
    ) -> impl Fn(usize, u32, u32) -> [f64; 2] {
        let place = |(node, &key): (&BinaryNode, &OrderKey)| {
            let dependent = sources[tree.head(node.dependent()) as usize];
            (self.orders(key).map(|probability| -probability.ln()), dependent, node.is_head_left)
        };
        let places: Vec<_> = tree.nodes.iter().zip(keys).map(place).collect();
        move |node, left, right| {
            let (orders, dependent, is_head_left) = places[node];
            let Some(word) = dependent else { return orders };
            let (governor, target) = if is_head_left { (left, right) } else { (right, left) };
            let correction = (self.plain(word, target) / self.governed(word, governor, target)).ln();
            orders.map(|cost| cost + correction)
        }
    }
}

fn order_keys(
    context: &Context<'_>,
    sources: &[Option<u32>],
    mut number: impl FnMut(&str) -> Option<u32>,
) -> Vec<OrderKey> {
    let head = |part: BinaryPart| sources[context.binary.head(part) as usize].unwrap_or(NOTHING);
    let key = |(index, node): (u32, &BinaryNode)| {
        let [left, right] = [node.left, node.right].map(|part| context.part_label(part));
        let side = if node.is_head_left { "left" } else { "right" };
        let labels = [context.part_label(BinaryPart::Node(index)), format!("{left} {right} {side}")];
        let [label, parts] = labels.map(|label| number(&label).unwrap_or(NOTHING));
        [label, parts, 0, head(node.left), head(node.right)]
    };
    (0u32..).zip(&context.binary.nodes).map(key).collect()
}

/// A model between two iterations, and the pairs that it learns from.
#[derive(Debug)]
pub struct GenerativeState {
    lexicon: BilingualLexicon,
    pairs: Vec<LinkedPair>,
    model: Generative,
    num_done: usize,
}

/// Every iteration is a step; the last one gives the model.
impl Recipe for GenerativeConfig {
    type Data = [AlignedPair];
    type State = GenerativeState;
    type Model = Transducer;

    fn name(&self) -> &'static str {
        "generative"
    }

    fn identity(&self, train: &[AlignedPair], dev: Option<&[AlignedPair]>) -> String {
        identity(self, train, dev)
    }

    fn start(&self, pairs: &[AlignedPair], _: &Watch<'_>) -> Result<GenerativeState> {
        require(self.backoff > 0.0 && self.backoff.is_finite(), "a backoff above 0", self.backoff)?;
        require(self.iterations > 0, "at least one iteration", self.iterations)?;
        require(!pairs.is_empty(), "pairs to learn from", "none")?;
        let lexicon = BilingualLexicon::new(pairs, &self.candidates);
        let mut labels = Vocab::new();
        let pairs = pairs.iter().map(|pair| LinkedPair::new(pair, &lexicon, &mut labels)).collect();
        let model = Generative::new(labels, self.backoff, DerivationCounts::default());
        Ok(GenerativeState { lexicon, pairs, model, num_done: 0 })
    }

    fn step(&self, _: &[AlignedPair], state: &mut GenerativeState, _: &Watch<'_>) -> Result<Option<Step>> {
        let GenerativeState { lexicon, pairs, model, num_done } = state;
        let (mut cost, mut counts) = (0.0, DerivationCounts::default());
        let derive = |pairs: &[LinkedPair]| pairs.iter().map(|pair| pair.derive(model)).collect::<Vec<_>>();
        let work = Chunks { items: pairs, size: PAIRS_OF_SHARD, compute: derive };
        let mut derived = pairs.iter();
        reduce(&work, &(), |derivations| {
            // The derivations come first: at their end, a pair taken before would be lost.
            for (derivation, pair) in derivations.into_iter().zip(derived.by_ref()) {
                cost += derivation.cost;
                pair.count(&derivation, lexicon, &mut counts);
            }
        });
        *num_done += 1;
        let figures =
            vec![Figure::count("iteration", *num_done), Figure::new("cost", cost / pairs.len() as f64, 3)];
        *model = Generative::new(std::mem::take(&mut model.labels), self.backoff, counts);
        let num_left = self.iterations.saturating_sub(*num_done);
        let step = if num_left == 0 { Step::candidate(0, figures) } else { Step::preparation(0, figures) };
        Ok(Some(Step { is_last: num_left == 0, num_left: Some(num_left), ..step }))
    }

    fn model(&self, state: &GenerativeState) -> Result<Transducer> {
        let Generative { labels, backoff, counts, .. } = &state.model;
        let costs = Costs::Generative(Generative::new(labels.clone(), *backoff, counts.clone()));
        let about = about(self, self.preset, &Self::twm06())?;
        Ok(Transducer { about, lexicon: state.lexicon.clone(), costs, search: self.search })
    }

    fn evaluate(&self, _: &mut GenerativeState, model: &Transducer, dev: &[AlignedPair]) -> Result<Scores> {
        Ok(model.evaluate(dev))
    }

    fn patience(&self) -> usize {
        usize::MAX
    }

    fn save(&self, state: &GenerativeState, file: &mut ModelFile) -> Result<()> {
        insert_counts(file, &state.model.counts)?;
        file.insert_state("done", &state.num_done)
    }

    fn restore(&self, state: &mut GenerativeState, file: &ModelFile) -> Result<()> {
        let labels = std::mem::take(&mut state.model.labels);
        state.model = Generative::new(labels, self.backoff, read_counts(file)?);
        state.num_done = file.state("done")?;
        Ok(())
    }
}

/// A pair as numbers, and what its links allow.
#[derive(Debug)]
struct LinkedPair {
    tree: BinaryTree,
    /// By source word: its number, and what it may become.
    sources: Vec<Option<u32>>,
    targets: Vec<Vec<u32>>,
    /// By phrase: its key, and the order that links show.
    keys: Vec<OrderKey>,
    orders: Vec<Option<PartOrder>>,
}

impl LinkedPair {
    fn new(pair: &AlignedPair, lexicon: &BilingualLexicon, labels: &mut Vocab) -> Self {
        let context = Context::new(&pair.tree);
        let sources: Vec<Option<u32>> = pair.tree.words().map(|word| lexicon.find(word)).collect();
        Self {
            tree: context.binary.clone(),
            targets: allowed(pair, lexicon),
            keys: order_keys(&context, &sources, |label| Some(labels.intern(label))),
            orders: TreeAlignment::new(&context.binary, &pair.links).orders,
            sources,
        }
    }

    /// The most probable derivation that the links allow; an empty one if there is none.
    fn derive(&self, model: &Generative) -> TreeDerivation {
        let choices = |(source, targets): (&Option<u32>, &Vec<u32>)| match *source {
            Some(source) => model.choices(source, targets),
            None => targets.iter().map(|&target| (target, 0.0)).collect(),
        };
        let choices: Vec<Vec<Choice>> = self.sources.iter().zip(&self.targets).map(choices).collect();
        let costs = model.order_costs(&self.tree, &self.sources, &self.keys);
        let cost = |node: usize, left: u32, right: u32| {
            let [straight, inverted] = costs(node, left, right);
            match self.orders[node] {
                None => [straight, inverted],
                Some(PartOrder::Straight) => [straight, f64::INFINITY],
                Some(PartOrder::Inverted) => [f64::INFINITY, inverted],
            }
        };
        search(&self.tree, &choices, cost, SearchLimits::default()).into_iter().next().unwrap_or_default()
    }

    fn count(&self, derivation: &TreeDerivation, lexicon: &BilingualLexicon, counts: &mut DerivationCounts) {
        if derivation.words.is_empty() {
            return;
        }
        let target = |word: u32| self.targets[word as usize][derivation.words[word as usize] as usize];
        let mut count = |word: u32, governor: u32| {
            let source = self.sources[word as usize];
            if let Some(source) = source.filter(|&source| lexicon.of(source).contains(&target(word))) {
                *counts.words.entry([source, governor, target(word)]).or_default() += 1.0;
            }
        };
        if let Some(root) = self.tree.root {
            count(self.tree.head(root), NOTHING);
        }
        for ((node, &key), &order) in self.tree.nodes.iter().zip(&self.keys).zip(&derivation.orders) {
            count(self.tree.head(node.dependent()), target(node.head));
            counts.orders.entry(key).or_default()[usize::from(order == PartOrder::Inverted)] += 1.0;
        }
    }
}

/// What links allow words to become: any word linked with them, and nothing if they have no link of their own.
fn allowed(pair: &AlignedPair, lexicon: &BilingualLexicon) -> Vec<Vec<u32>> {
    let mut targets: Vec<Vec<u32>> = vec![Vec::new(); pair.tree.num_tokens()];
    for link in pair.links.iter().chain(&pair.all_links) {
        let target = pair.target.get(link.target as usize).and_then(|word| lexicon.target.get(word));
        if let (Some(targets), Some(target)) = (targets.get_mut(link.source as usize), target)
            && !targets.contains(&target)
        {
            targets.push(target);
        }
    }
    for (word, targets) in targets.iter_mut().enumerate() {
        if !pair.links.iter().any(|link| link.source as usize == word) {
            targets.push(ERASED);
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::super::examples::tests::pair;
    use super::*;
    use crate::testing::{self, train};
    use boughs_learn::run::Silent;

    /// Two trees by hand: `a` governs in both, and depends on nothing.
    #[test]
    fn counts_are_those_of_the_best_derivations() {
        let pairs = [
            pair("(NP (JJ b) (NN a))", "x y", "0-1 1-0"),
            pair("(NP (JJ b) (NN a))", "y z", "0-0 1-1"),
            pair("(NP (JJ b) (NN a))", "x y", "0-1 1-0"),
        ];
        let transducer = train(&GenerativeConfig::default(), &pairs[..], None).model;
        let Costs::Generative(model) = &transducer.costs else { panic!("a generative one") };
        let source = |word| transducer.lexicon.source.get(word).unwrap();
        let target = |word| transducer.lexicon.target.get(word).unwrap();
        let (a, b) = (source("a"), source("b"));
        let (x, y, z) = (target("x"), target("y"), target("z"));
        let count = |key| model.counts.words.get(&key).copied().unwrap_or(0.0);
        assert_eq!(count([a, NOTHING, x]), 2.0);
        assert_eq!(count([a, NOTHING, z]), 1.0);
        assert_eq!((count([b, x, y]), count([b, z, y])), (2.0, 1.0));
        let orders: Vec<[f64; 2]> = model.counts.orders.values().copied().collect();
        assert_eq!(orders, [[1.0, 2.0]]);
        assert!((model.governed(b, x, y) - (2.0 + 5.0 * 3.001 / 4.0) / 7.0).abs() < 1e-12);
    }

    /// A translation that the filter leaves out is never chosen, and its examples are not counted.
    #[test]
    fn the_filter_of_the_paper_holds_for_the_generative_one() {
        let mut pairs = vec![pair("(NP (JJ b) (NN a))", "y x", "0-0 1-1"); 20];
        pairs.extend(vec![pair("(NP (JJ b) (NN c))", "z v", "0-0 1-1"); 4]);
        let tree = "(NP (JJ b) (NN c))".parse().unwrap();
        let translated = |config: &GenerativeConfig| {
            let transducer = train(config, &pairs[..], None).model;
            let Costs::Generative(model) = &transducer.costs else { panic!("a generative one") };
            (transducer.worker().translate(&tree, 1).swap_remove(0).words.join(" "), model.counts.words.len())
        };
        assert_eq!(translated(&GenerativeConfig::default()), ("z v".to_owned(), 4));
        assert_eq!(translated(&GenerativeConfig::twm06()), ("y v".to_owned(), 3));
    }

    /// More pairs than a shard has, of different lengths: each is counted by its own derivation.
    #[test]
    fn pairs_beyond_the_first_shard_are_counted() {
        let short = vec![pair("(NN a)", "x", "0-0"); PAIRS_OF_SHARD];
        let long = vec![pair("(NP (JJ b) (NN c))", "y z", "0-0 1-1"); 3];
        let transducer = train(&GenerativeConfig::default(), &[short, long].concat()[..], None).model;
        let Costs::Generative(model) = &transducer.costs else { panic!("a generative one") };
        let mut counts: Vec<f64> = model.counts.words.values().copied().collect();
        counts.sort_by(f64::total_cmp);
        assert_eq!(counts, [3.0, 3.0, PAIRS_OF_SHARD as f64]);
    }

    /// The second word's links are open: what other pairs say decides.
    #[test]
    fn passes_decide_what_links_leave_open() {
        let mut pairs = vec![pair("(NP (JJ b) (NN a))", "x y", "0-1 1-0"); 4];
        let mut open = pair("(NP (JJ b) (NN a))", "x y w", "1-0");
        open.all_links = crate::align::parse_links("0-1 0-2 1-0", None).unwrap();
        pairs.push(open);
        let transducer = train(&GenerativeConfig::default(), &pairs[..], None).model;
        let Costs::Generative(model) = &transducer.costs else { panic!("a generative one") };
        let key = ["b", "x", "y"].map(|word| {
            let lexicon = &transducer.lexicon;
            if word == "b" { lexicon.source.get(word) } else { lexicon.target.get(word) }.unwrap()
        });
        assert_eq!(model.counts.words[&key], 5.0);
        let mut worker = transducer.worker();
        let best = worker.translate(&"(NP (JJ b) (NN a))".parse().unwrap(), 1);
        assert_eq!(best[0].words.join(" "), "x y");
    }

    #[test]
    fn threads_and_interruptions_do_not_matter() {
        let mut pairs = vec![pair("(NP (JJ b) (NN a))", "x y", "0-1 1-0"); 70];
        pairs.extend(vec![pair("(NP (NN b) (NN a))", "z x", "0-0 1-1"); 70]);
        testing::is_the_same_on_threads(&GenerativeConfig::default(), &pairs[..], Some(&pairs));
        testing::is_resumed_to_the_same_bytes(&GenerativeConfig::default(), &pairs[..], Some(&pairs));
    }

    #[test]
    fn nothing_cannot_be_learned_from() {
        let watch = Watch::new(&Silent);
        assert!(GenerativeConfig::default().start(&[], &watch).is_err());
        let config = GenerativeConfig { backoff: 0.0, ..GenerativeConfig::default() };
        assert!(config.start(&[pair("(X x)", "y", "")], &watch).is_err());
    }
}
