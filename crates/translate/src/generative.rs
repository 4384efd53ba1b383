//! The rival of the paper: a lexicalised top-down transducer that generates the target tree given the source tree.
//!
//! From the root down, a phrase chooses the order of its parts, and the part without the head gets the translation of its
//! own head word:
//!
//! > p = p(v|w) of the sentence's head · Π over phrases  p(order | labels, head words) · p(v' | w', v)
//!
//! where v is the translation of the phrase's head and v' that of its other part's, so that translations depend on one
//! another as words of the target language do. Estimates from few counts are drawn to those of fewer conditions:
//! (c + κ·p') / (n + κ).
//!
//! The counts are those of the most probable derivations, by Viterbi EM (Graehl and Knight 2004): what links leave open (which of
//! several linked words a word becomes, the order of phrases with an unlinked part) is decided by the model of the pass
//! before, with the same search that translates.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::context::Context;
use super::examples::AlignedPair;
use super::lexicon::{CandidateFilter, ERASED, Lexicon};
use super::search::{Choice, SearchLimits, search};
use super::transducer::{COPIED, Costs, Transducer, Weighed};
use crate::align::{BinaryNode, Order, Part, TreeAlignment};
use boughs::error::{Error, ErrorKind, Result};
use boughs::tree::heads::HeadRules;
use boughs_learn::vocab::Vocab;

/// The settings of [`train_generative`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GenerativeConfig {
    /// Passes of Viterbi EM. Default: 3.
    pub passes: u32,
    /// κ: with so many counts, an estimate has half of the weight; above 0. Default: 5.
    pub backoff: f64,
}

impl Default for GenerativeConfig {
    fn default() -> Self {
        Self { passes: 3, backoff: 5.0 }
    }
}

/// What the head of a sentence depends on, and a source word in order contexts that nobody has seen.
const NOTHING: u32 = u32::MAX - 1;

/// The counts of derivations. Keys are numbers of words and labels.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Counts {
    /// Of a word, the translation of the word that it depends on, and its own.
    pub(super) words: FxHashMap<[u32; 3], f64>,
    /// Of a label, those of its parts with the side of the head, and the head words of its parts; both orders.
    pub(super) orders: FxHashMap<[u32; 5], [f64; 2]>,
}

/// The model: the counts and their sums over conditions.
#[derive(Debug)]
pub(super) struct Generative {
    pub(super) labels: Vocab,
    pub(super) backoff: f64,
    pub(super) counts: Counts,
    pair_sums: FxHashMap<[u32; 2], f64>,
    governed_sums: FxHashMap<[u32; 2], f64>,
    word_sums: FxHashMap<u32, f64>,
    label_sums: FxHashMap<[u32; 3], [f64; 2]>,
    order_sum: [f64; 2],
}

/// The phrases of a sentence, ready for costs.
#[derive(Debug)]
pub(super) struct Places<'a> {
    model: &'a Generative,
    nodes: Vec<Place>,
}

#[derive(Debug)]
struct Place {
    /// The order costs.
    orders: [f64; 2],
    /// The source word of the part without the head.
    dependent: Option<u32>,
    is_head_left: bool,
}

impl Generative {
    pub(super) fn new(labels: Vocab, backoff: f64, counts: Counts) -> Self {
        let mut model = Self {
            labels,
            backoff,
            counts: Counts::default(),
            pair_sums: FxHashMap::default(),
            governed_sums: FxHashMap::default(),
            word_sums: FxHashMap::default(),
            label_sums: FxHashMap::default(),
            order_sum: [0.0; 2],
        };
        #[expect(clippy::iter_over_hash_type, reason = "sums of whole numbers do not depend on the order")]
        for (&[word, governor, target], count) in &counts.words {
            *model.pair_sums.entry([word, target]).or_default() += count;
            *model.governed_sums.entry([word, governor]).or_default() += count;
            *model.word_sums.entry(word).or_default() += count;
        }
        #[expect(clippy::iter_over_hash_type, reason = "sums of whole numbers do not depend on the order")]
        for (key, both) in &counts.orders {
            let sums = model.label_sums.entry([key[0], key[1], key[2]]).or_default();
            for order in 0..2 {
                sums[order] += both[order];
                model.order_sum[order] += both[order];
            }
        }
        Self { counts, ..model }
    }

    /// p(v|w).
    fn plain(&self, word: u32, target: u32) -> f64 {
        let sum = self.word_sums.get(&word).copied().unwrap_or(0.0);
        let count = self.pair_sums.get(&[word, target]).copied().unwrap_or(0.0);
        (count + 1e-3) / (sum + 1.0)
    }

    /// p(v'|w', v).
    fn governed(&self, word: u32, governor: u32, target: u32) -> f64 {
        let sum = self.governed_sums.get(&[word, governor]).copied().unwrap_or(0.0);
        let count = self.counts.words.get(&[word, governor, target]).copied().unwrap_or(0.0);
        (count + self.backoff * self.plain(word, target)) / (sum + self.backoff)
    }

    /// p(order | labels, head words), both.
    fn orders(&self, key: [u32; 5]) -> [f64; 2] {
        let total = |counts: [f64; 2]| counts[0] + counts[1];
        let by_label = self.label_sums.get(&[key[0], key[1], key[2]]).copied().unwrap_or_default();
        let by_words = self.counts.orders.get(&key).copied().unwrap_or_default();
        [0, 1].map(|order| {
            let plain = (self.order_sum[order] + 1.0) / (total(self.order_sum) + 2.0);
            let of_labels = (by_label[order] + self.backoff * plain) / (total(by_label) + self.backoff);
            (by_words[order] + self.backoff * of_labels) / (total(by_words) + self.backoff)
        })
    }

    /// The choices of a sentence; costs are those without governors, and corrected by the search.
    pub(super) fn weigh(&self, context: &Context<'_>, lexicon: &Lexicon) -> Weighed {
        let mut weighed = Weighed::default();
        for word in context.tree().words() {
            let source = lexicon.find(word);
            weighed.choices.push(match source {
                None => vec![COPIED],
                Some(source) => {
                    let choice = |&target: &u32| (target, -self.plain(source, target).ln());
                    lexicon.of(source).iter().map(choice).collect()
                }
            });
            weighed.sources.push(source);
        }
        weighed
    }

    /// The phrases of a sentence, whose words have these numbers.
    pub(super) fn places(&self, context: &Context<'_>, sources: &[Option<u32>]) -> Places<'_> {
        let place = |node: &BinaryNode| {
            let key = order_key(context, node, sources, |label| self.labels.get(label));
            let dependent = context.binary().head(if node.is_head_left { node.right } else { node.left });
            Place {
                orders: self.orders(key).map(|probability| -probability.ln()),
                dependent: sources[dependent as usize],
                is_head_left: node.is_head_left,
            }
        };
        Places { model: self, nodes: context.binary().nodes().iter().map(place).collect() }
    }
}

impl Places<'_> {
    /// What both orders of a phrase cost, given the translations of its parts' heads: the order, and what the
    /// dependent's translation costs more, or less, now that its governor is known.
    pub(super) fn cost(&self, node: usize, left: u32, right: u32) -> [f64; 2] {
        let place = &self.nodes[node];
        let Some(word) = place.dependent else { return place.orders };
        let (governor, target) = if place.is_head_left { (left, right) } else { (right, left) };
        let correction = (self.model.plain(word, target) / self.model.governed(word, governor, target)).ln();
        place.orders.map(|cost| cost + correction)
    }
}

fn order_key(
    context: &Context<'_>,
    node: &BinaryNode,
    sources: &[Option<u32>],
    mut number: impl FnMut(&str) -> Option<u32>,
) -> [u32; 5] {
    let mut label = |text: &str| number(text).unwrap_or(NOTHING);
    let parts = format!(
        "{} {} {}",
        context.part_label(node.left),
        context.part_label(node.right),
        if node.is_head_left { "left" } else { "right" }
    );
    let head = |part: Part| sources[context.binary().head(part) as usize].unwrap_or(NOTHING);
    let piece = if node.is_piece { "@" } else { "" };
    let own = format!("{piece}{}", boughs::tree::base_label(context.tree().label(node.phrase)));
    [label(&own), label(&parts), 0, head(node.left), head(node.right)]
}

/// Learns a generative transducer. `observe` hears the pass, from 1, and the mean cost of the derivations that it counted.
///
/// # Errors
/// If a setting is out of its range, or there are no pairs.
pub fn train_generative(
    pairs: &[AlignedPair],
    config: &GenerativeConfig,
    mut observe: impl FnMut(u32, f64),
) -> Result<Transducer> {
    if !(config.backoff > 0.0 && config.backoff.is_finite()) || pairs.is_empty() {
        return Err(Error::new(ErrorKind::Argument, "expected pairs to learn from, and a backoff above 0"));
    }
    let rules = HeadRules::english();
    let lexicon = Lexicon::new(pairs, &CandidateFilter::all());
    let mut model = Generative::new(Vocab::new(), config.backoff, Counts::default());
    for pass in 1..=config.passes.max(1) {
        let derive = |pair: &AlignedPair| derive(pair, &lexicon, &rules, &model);
        let derived: Vec<(f64, Vec<Event>)> = pairs.par_iter().map(derive).collect();
        observe(pass, derived.iter().map(|(cost, _)| cost).sum::<f64>() / pairs.len() as f64);
        let mut labels = Vocab::new();
        let counts = count(derived.into_iter().flat_map(|(_, events)| events), &mut labels);
        model = Generative::new(labels, config.backoff, counts);
    }
    Ok(Transducer { lexicon, rules, costs: Costs::Generative(model) })
}

/// A step of a derivation.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Event {
    /// A source word, the translation of the word that it depends on, and its own.
    Word([u32; 3]),
    /// The labels of a phrase and of its parts, the head words of its parts, and the order.
    Order { label: String, parts: String, heads: [u32; 2], order: Order },
}

/// Counts events; labels get numbers.
pub(super) fn count(events: impl IntoIterator<Item = Event>, labels: &mut Vocab) -> Counts {
    let mut counts = Counts::default();
    for event in events {
        match event {
            Event::Word(key) => *counts.words.entry(key).or_default() += 1.0,
            Event::Order { label, parts, heads, order } => {
                let key = [labels.intern(&label), labels.intern(&parts), 0, heads[0], heads[1]];
                counts.orders.entry(key).or_default()[usize::from(order == Order::Inverted)] += 1.0;
            }
        }
    }
    counts
}

/// The cost and the events of the most probable derivation of a pair that its links allow.
fn derive(pair: &AlignedPair, lexicon: &Lexicon, rules: &HeadRules, model: &Generative) -> (f64, Vec<Event>) {
    let context = Context::new(&pair.tree, rules);
    let sources: Vec<Option<u32>> = pair.tree.words().map(|word| lexicon.find(word)).collect();
    let choices = allowed(pair, lexicon, &sources, model);
    let observed = TreeAlignment::new(context.binary(), &pair.links);
    let places = model.places(&context, &sources);
    let cost = |node: usize, left: u32, right: u32| {
        let [straight, inverted] = places.cost(node, left, right);
        match observed.orders[node] {
            None => [straight, inverted],
            Some(Order::Straight) => [straight, f64::INFINITY],
            Some(Order::Inverted) => [f64::INFINITY, inverted],
        }
    };
    let best = search(context.binary(), &choices, cost, SearchLimits::default()).into_iter().next();
    let Some(best) = best else { return (0.0, Vec::new()) };
    let targets: Vec<u32> =
        choices.iter().zip(&best.words).map(|(choices, &word)| choices[word as usize].0).collect();
    (best.cost, events(&context, &sources, &targets, &best.orders, model))
}

/// What links allow words to become: any word linked with them, and nothing if they have no link of their own.
fn allowed(
    pair: &AlignedPair,
    lexicon: &Lexicon,
    sources: &[Option<u32>],
    model: &Generative,
) -> Vec<Vec<Choice>> {
    let mut targets: Vec<Vec<u32>> = vec![Vec::new(); sources.len()];
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
    let cost =
        |source: Option<u32>, target: u32| source.map_or(0.0, |source| -model.plain(source, target).ln());
    let choices = |(targets, &source): (&Vec<u32>, &Option<u32>)| {
        targets.iter().map(|&target| (target, cost(source, target))).collect()
    };
    targets.iter().zip(sources).map(choices).collect()
}

fn events(
    context: &Context<'_>,
    sources: &[Option<u32>],
    targets: &[u32],
    orders: &[Order],
    model: &Generative,
) -> Vec<Event> {
    let tree = context.binary();
    let mut events = Vec::new();
    let mut word = |index: u32, governor: u32| {
        if let Some(source) = sources[index as usize] {
            events.push(Event::Word([source, governor, targets[index as usize]]));
        }
    };
    if let Some(root) = tree.root() {
        word(tree.head(root), NOTHING);
    }
    for node in tree.nodes() {
        let dependent = if node.is_head_left { node.right } else { node.left };
        word(tree.head(dependent), targets[node.head as usize]);
    }
    for (node, &order) in tree.nodes().iter().zip(orders) {
        let mut names = Vec::new();
        let key = order_key(context, node, sources, |name| {
            names.push(name.to_owned());
            model.labels.get(name)
        });
        let parts = names.pop().unwrap_or_default();
        let label = names.pop().unwrap_or_default();
        events.push(Event::Order { label, parts, heads: [key[3], key[4]], order });
    }
    events
}

#[cfg(test)]
mod tests {
    use super::super::examples::tests::pair;
    use super::*;

    /// Two trees by hand: `a` governs in both, and depends on nothing.
    #[test]
    fn counts_are_those_of_the_best_derivations() {
        let pairs = [
            pair("(NP (JJ b) (NN a))", "x y", "0-1 1-0"),
            pair("(NP (JJ b) (NN a))", "y z", "0-0 1-1"),
            pair("(NP (JJ b) (NN a))", "x y", "0-1 1-0"),
        ];
        let transducer = train_generative(&pairs, &GenerativeConfig::default(), |_, _| {}).unwrap();
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

    /// The second word's links are open: what other pairs say decides.
    #[test]
    fn passes_decide_what_links_leave_open() {
        let mut pairs = vec![pair("(NP (JJ b) (NN a))", "x y", "0-1 1-0"); 4];
        let mut open = pair("(NP (JJ b) (NN a))", "x y w", "1-0");
        open.all_links = crate::align::parse_links("0-1 0-2 1-0", None).unwrap();
        pairs.push(open);
        let transducer = train_generative(&pairs, &GenerativeConfig::default(), |_, _| {}).unwrap();
        let Costs::Generative(model) = &transducer.costs else { panic!("a generative one") };
        let key = ["b", "x", "y"].map(|word| {
            let lexicon = &transducer.lexicon;
            if word == "b" { lexicon.source.get(word) } else { lexicon.target.get(word) }.unwrap()
        });
        assert_eq!(model.counts.words[&key], 5.0);
        let mut worker = transducer.worker(SearchLimits::default());
        let best = worker.translate(&"(NP (JJ b) (NN a))".parse().unwrap(), 1);
        assert_eq!(best[0].words.join(" "), "x y");
    }

    #[test]
    fn nothing_cannot_be_learned_from() {
        assert!(train_generative(&[], &GenerativeConfig::default(), |_, _| {}).is_err());
        let config = GenerativeConfig { backoff: 0.0, ..GenerativeConfig::default() };
        assert!(train_generative(&[pair("(X x)", "y", "")], &config, |_, _| {}).is_err());
    }
}
