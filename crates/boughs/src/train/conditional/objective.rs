//! What is minimised: minus the logarithm of the likelihood of the gold trees given their words.
//!
//! Sentences are worked on in shards of a fixed size, each with a table of its own for what is used; the tables are
//! added up in the order of the shards. So the number of threads does not change a bit, and a shard could as well be
//! worked on by another machine.

use serde::{Deserialize, Serialize};

use super::loglinear::LogLinear;
use super::sentences::PrunedSentence;
use crate::chart::{Chart, Scratch, SumSemiring, add_expected_counts, inside, outside};
use crate::learn::run::{Silent, Watch};
use crate::learn::shards::{Chunks, Sharded};
use crate::model::{Grammar, Level, ScoreTable, Symbol};
use crate::train::grammar::{GrammarTrees, LeafScores};
use crate::train::latent::{TreeScores, add_losses, expect, losses_of_trees};

/// Sentences of a shard.
const SHARD: usize = 256;

/// The objective of one stage.
pub(super) struct Objective<'o> {
    trees: &'o GrammarTrees,
    pub(super) sentences: Vec<PrunedSentence>,
    root: Symbol,
    /// The half of the factor of the squares of parameters.
    l2: f64,
    /// What the penalty draws each parameter to.
    origin: Vec<f64>,
    grammar: LogLinear,
    /// Where the numbers of each leaf's tag are among those of words and classes.
    leaf_places: Vec<usize>,
    /// How often each substate is in the gold trees.
    pub(super) weights: Vec<f64>,
    watch: Watch<'o>,
}

/// What the parses of some sentences use.
#[derive(Serialize, Deserialize)]
pub(super) struct ExpectedCounts {
    log_sum: f64,
    rules: Vec<f32>,
    words: Vec<f32>,
}

impl Sharded for Objective<'_> {
    /// The grammar without zeros.
    type Parameters = Grammar;
    type Partial = ExpectedCounts;

    fn num_shards(&self) -> usize {
        self.sentences.len().div_ceil(SHARD)
    }

    fn compute(&self, shard: usize, grammar: &Grammar) -> ExpectedCounts {
        let lexicon = &self.grammar.level.lexicon;
        let num_words = lexicon.of_words.values().len() + lexicon.of_classes.values().len();
        let mut counts = ExpectedCounts {
            log_sum: 0.0,
            rules: vec![0.0; grammar.values().len()],
            words: vec![0.0; num_words],
        };
        let (mut chart, mut scratch) = (Chart::default(), Scratch::default());
        for sentence in self.sentences.chunks(SHARD).nth(shard).unwrap_or_default() {
            self.add_sentence(grammar, sentence, &mut chart, &mut scratch, &mut counts);
        }
        counts
    }
}

impl<'o> Objective<'o> {
    pub(super) fn new(
        trees: &'o GrammarTrees,
        sentences: Vec<PrunedSentence>,
        grammar: LogLinear,
        l2: f64,
    ) -> Self {
        let leaf_places = leaf_places(trees, &grammar.level);
        let (root, origin) = (trees.symbols.root(), vec![0.0; grammar.num_parameters()]);
        let watch = Watch::new(&Silent);
        Self { trees, sentences, root, l2, origin, grammar, leaf_places, weights: Vec::new(), watch }
    }

    /// The same, computed by all processes of a run.
    pub(super) fn watched(self, watch: Watch<'o>) -> Self {
        Self { watch, ..self }
    }

    /// The same whose penalty draws θ itself to zero: the parameter of which is minus the centre.
    pub(super) fn around_zero(mut self) -> Self {
        self.origin = self.grammar.centre().iter().map(|centre| -centre).collect();
        self
    }

    /// The point that the optimizer sees, for which the penalty is that of its coordinates.
    pub(super) fn to_optimizer(&self, parameters: &[f64]) -> Vec<f64> {
        parameters.iter().zip(&self.origin).map(|(parameter, origin)| parameter - origin).collect()
    }

    /// The parameters of a point that the optimizer sees.
    pub(super) fn of_optimizer(&self, point: &[f64]) -> Vec<f64> {
        point.iter().zip(&self.origin).map(|(coordinate, origin)| coordinate + origin).collect()
    }

    /// The value at a point of the optimizer, and its derivatives.
    pub(super) fn evaluate(&mut self, point: &[f64], gradient: &mut [f64]) -> f64 {
        self.grammar.set(&self.of_optimizer(point));
        let (log_gold, mut uses) = self.gold();
        let (log_sum, all) = self.all();
        uses.iter_mut().zip(all).for_each(|(gold, all)| *gold = all - *gold);
        self.grammar.gather(&uses, gradient);
        let mut squares = 0.0;
        for (derivative, parameter) in gradient.iter_mut().zip(point) {
            squares += parameter * parameter;
            *derivative += 2.0 * self.l2 * parameter;
        }
        log_sum - log_gold + self.l2 * squares
    }

    /// The grammar of some parameters.
    pub(super) fn into_grammar(mut self, point: &[f64]) -> LogLinear {
        self.grammar.set(point);
        self.gold();
        self.grammar.level.weights = self.weights.iter().map(|&weight| weight as f32).collect();
        self.grammar
    }

    /// The logarithm of the sum of the derivations of the gold trees, and how often each number is used there.
    fn gold(&mut self) -> (f64, Vec<f64>) {
        let grammar = &self.grammar.level.grammar;
        let leaves = scores_of(self.trees, &self.grammar.level, &self.leaf_places);
        let counts = expect(self.trees, TreeScores { grammar, leaves: &leaves }, &self.watch);
        let mut uses = vec![0.0; self.grammar.num_numbers()];
        for ((uses, count), &value) in uses.iter_mut().zip(&counts.rules).zip(grammar.values()) {
            *uses = count * f64::from(value);
        }
        let first = grammar.values().len();
        for (leaf, &place) in self.leaf_places.iter().enumerate() {
            let range = leaves.starts[leaf] as usize..leaves.starts[leaf + 1] as usize;
            let uses = &mut uses[first + place..first + place + range.len()];
            uses.iter_mut().zip(&counts.leaves[range]).for_each(|(sum, count)| *sum += count);
        }
        self.weights = counts.substates;
        (counts.log_likelihood, uses)
    }

    /// The logarithm of the sum of all parses, and how often each number is used there.
    fn all(&self) -> (f64, Vec<f64>) {
        let sparse = self.grammar.level.grammar.without_small(f32::MIN_POSITIVE);
        let dense_places = dense_places(&sparse, &self.grammar.level.grammar);
        let first = self.grammar.level.grammar.values().len();
        let nothing = (0.0, vec![0.0; self.grammar.num_numbers()]);
        let (log_sum, mut total) = self.watch.sum(self, &sparse, nothing, |(log_sum, total), shard| {
            *log_sum += shard.log_sum;
            for (&place, &count) in dense_places.iter().zip(&shard.rules) {
                total[place as usize] += f64::from(count);
            }
            total[first..].iter_mut().zip(&shard.words).for_each(|(sum, &count)| *sum += f64::from(count));
        });
        for (sum, &value) in total.iter_mut().zip(self.grammar.level.grammar.values()) {
            *sum *= f64::from(value);
        }
        (log_sum, total)
    }

    fn add_sentence(
        &self,
        grammar: &Grammar,
        sentence: &PrunedSentence,
        chart: &mut Chart,
        scratch: &mut Scratch,
        counts: &mut ExpectedCounts,
    ) {
        self.fill_inside(grammar, sentence, chart, scratch);
        if !add_expected_counts(grammar, self.root, chart, scratch, &mut counts.rules) {
            counts.log_sum = f64::INFINITY;
            return;
        }
        let cell = chart.cell(chart.whole());
        if let Some(top) = chart.find(chart.whole(), self.root) {
            let value = f64::from(chart.total[top.start as usize]);
            counts.log_sum += value.ln() + f64::from(cell.exponent) * std::f64::consts::LN_2;
        }
        for span in chart.spans().take(sentence.leaves.len()) {
            let (table, row, first) = self.row(sentence.leaves[span.start as usize]);
            for (tag, places) in table.places(row) {
                let Some(entry) = chart.find(span, tag) else { continue };
                let range = chart.range(grammar, entry);
                let posteriors = chart.bottom[range.clone()].iter().zip(&chart.outer_bottom[range]);
                let words = &mut counts.words[first + places.start..first + places.end];
                words
                    .iter_mut()
                    .zip(posteriors)
                    .for_each(|(sum, (inside, outside))| *sum += inside * outside);
            }
        }
    }

    fn fill_inside(
        &self,
        grammar: &Grammar,
        sentence: &PrunedSentence,
        chart: &mut Chart,
        scratch: &mut Scratch,
    ) {
        sentence.mask.fill(grammar, chart);
        let score = |place: usize, sums: &mut [f32]| {
            let (table, row, _) = self.row(sentence.leaves[place]);
            for (tag, values) in table.get(row) {
                sums[grammar.substates(tag)].copy_from_slice(values);
            }
        };
        inside::<SumSemiring>(grammar, chart, scratch, None, score, |_, _| {});
    }

    /// What the objective would lose at a point if two substates were put together, for each pair at the place of the
    /// first; each pair alone, and at one node at a time (Petrov & Klein 2008, section 4.4): the loss in the gold
    /// trees, minus that in all parses, which is a gain.
    pub(super) fn losses(&mut self, point: &[f64]) -> Vec<f64> {
        self.grammar.set(point);
        self.gold();
        let leaves = scores_of(self.trees, &self.grammar.level, &self.leaf_places);
        let scores = TreeScores { grammar: &self.grammar.level.grammar, leaves: &leaves };
        let losses = losses_of_trees(self.trees, scores, &self.weights, &self.watch);
        let sparse = self.grammar.level.grammar.without_small(f32::MIN_POSITIVE);
        let compute = |shard: &[PrunedSentence]| self.shard_losses(&sparse, shard);
        let work = Chunks { items: &self.sentences, size: SHARD, compute };
        self.watch.sum(&work, &(), losses, |losses, shard| {
            losses.iter_mut().zip(shard).for_each(|(loss, gain)| *loss -= gain);
        })
    }

    fn shard_losses(&self, grammar: &Grammar, sentences: &[PrunedSentence]) -> Vec<f64> {
        let mut losses = vec![0.0; grammar.num_substates()];
        let (mut chart, mut scratch) = (Chart::default(), Scratch::default());
        for sentence in sentences {
            self.fill_inside(grammar, sentence, &mut chart, &mut scratch);
            if outside::<SumSemiring>(grammar, self.root, &mut chart, &mut scratch, 0.0, None) {
                self.add_chart_losses(grammar, &chart, &mut losses);
            }
        }
        losses
    }

    /// Symbols are nodes where a word or a binary rule has made them, and where a unary rule has; those between two
    /// unary rules are left out.
    fn add_chart_losses(&self, grammar: &Grammar, chart: &Chart, losses: &mut [f64]) {
        let mut above = Vec::new();
        for span in chart.spans() {
            for &entry in chart.entries(chart.cell(span)) {
                let (range, places) = (chart.range(grammar, entry), grammar.substates(entry.symbol));
                let (weights, losses) = (&self.weights[places.clone()], &mut losses[places]);
                let (bottom, total) = (&chart.bottom[range.clone()], &chart.total[range.clone()]);
                add_losses(bottom, &chart.outer_bottom[range.clone()], weights, losses);
                above.clear();
                above.extend(total.iter().zip(bottom).map(|(total, bottom)| (total - bottom).max(0.0)));
                add_losses(&above, &chart.outer[range], weights, losses);
            }
        }
    }

    /// Where the numbers of a leaf's word are: in which table, in which row, and where those of the table begin.
    fn row(&self, leaf: u32) -> (&ScoreTable, usize, usize) {
        row(self.trees, &self.grammar.level, leaf as usize)
    }
}

fn row<'l>(trees: &GrammarTrees, level: &'l Level, leaf: usize) -> (&'l ScoreTable, usize, usize) {
    let (leaf, lexicon) = (trees.leaves[leaf], &level.lexicon);
    match lexicon.class_share[leaf.word as usize] > 0.0 {
        true => (&lexicon.of_classes, leaf.class as usize, lexicon.of_words.values().len()),
        false => (&lexicon.of_words, leaf.word as usize, 0),
    }
}

/// The scores of the leaves of the training trees.
pub(super) fn leaf_scores(trees: &GrammarTrees, level: &Level) -> LeafScores {
    scores_of(trees, level, &leaf_places(trees, level))
}

fn scores_of(trees: &GrammarTrees, level: &Level, places: &[usize]) -> LeafScores {
    let mut leaves = LeafScores::zeros(trees, &level.grammar);
    let words = [level.lexicon.of_words.values(), level.lexicon.of_classes.values()].concat();
    for (leaf, &place) in places.iter().enumerate() {
        let range = leaves.starts[leaf] as usize..leaves.starts[leaf + 1] as usize;
        let length = range.len();
        leaves.values[range].copy_from_slice(&words[place..place + length]);
    }
    leaves
}

/// Where the numbers of each leaf's tag are among those of words and classes.
fn leaf_places(trees: &GrammarTrees, level: &Level) -> Vec<usize> {
    let place = |leaf: usize| {
        let (table, row, first) = row(trees, level, leaf);
        let found = table.places(row).find(|(tag, _)| *tag == trees.leaves[leaf].tag);
        debug_assert!(found.is_some(), "words have the tags that they were seen with");
        first + found.map_or(0, |(_, places)| places.start)
    };
    (0..trees.leaves.len()).map(place).collect()
}

/// Where each number of a grammar is in one with the same rules and all rows.
fn dense_places(sparse: &Grammar, dense: &Grammar) -> Vec<u32> {
    let mut places = Vec::with_capacity(sparse.values().len());
    for (index, rule) in sparse.rules().iter().enumerate() {
        let Some(start) = dense.find(rule.parent, rule.left, rule.right) else { continue };
        let start = dense.values_of(start).start;
        let (size, right) = (dense.size(rule.parent), rule.right.map_or(1, |right| dense.size(right)));
        for &[b, c] in sparse.row_indices(index) {
            let first = start + (usize::from(b) * right + usize::from(c)) * size;
            places.extend((first as u32..).take(size));
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::super::config::Start;
    use super::super::sentences::prune;
    use super::super::words::lexicon;
    use super::*;
    use crate::chart::ChartOptions;
    use crate::model::{GrammarModel, Splits, WordClasses};
    use crate::rng::Rng;
    use crate::train::latent::{MergeLoss, after_merge, origins_without, ranked};
    use crate::train::pcfg::{PcfgConfig, read_off};
    use crate::tree::{Binarization, Tree};

    fn trees() -> Vec<Tree> {
        [
            "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sleeps))))",
            "(TOP (S (NP (PRP he)) (VP (VBZ sees) (NP (DT the) (NN dog)) (PP (IN in) (NP (DT the) (NN park))))))",
            "(TOP (S (NP (PRP he)) (VP (VBZ sees) (NP (NP (DT a) (NN dog)) (PP (IN in) (NP (DT the) (NN park)))))))",
            "(TOP (NP (NN park)))",
        ]
        .map(|text| text.parse().unwrap())
        .to_vec()
    }

    fn base(trees: &[Tree]) -> GrammarModel {
        read_off(trees, &PcfgConfig::x_bar()).unwrap()
    }

    #[test]
    fn the_gradient_is_that_of_the_value() {
        let trees = trees();
        let base = base(&trees);
        let trees = GrammarTrees::new(&trees, &Binarization::x_bar(), &WordClasses::english()).unwrap();
        for (start, l2, is_at_zero) in
            [(Start::Base, 0.0, false), (Start::Scratch, 0.3, false), (Start::Base, 0.3, true)]
        {
            let level = Level { lexicon: lexicon(&trees, &base, start, 1), ..base.finest().clone() };
            let grammar = LogLinear::new(level);
            let point = vec![0.0; grammar.num_parameters()];
            let mut rng = Rng::new(7);
            let (grammar, point, splits) = grammar.split(&point, trees.symbols.root(), 0.5, &mut rng);
            let pruned = prune(&trees, &base, &grammar.level.grammar, &splits, &ChartOptions::exact());
            let sentences: Vec<PrunedSentence> = pruned.into_iter().flatten().collect();
            assert_eq!(sentences.len(), 4);
            let mut objective = Objective::new(&trees, sentences, grammar, l2);
            if is_at_zero {
                objective = objective.around_zero();
            }
            let point = objective.to_optimizer(&point);
            let mut gradient = vec![0.0; point.len()];
            let value = objective.evaluate(&point, &mut gradient);
            assert!(value > 0.1, "{value}");
            let mut unused = vec![0.0; point.len()];
            for index in 0..point.len() {
                let mut at = |step: f64| {
                    let mut point = point.clone();
                    point[index] += step;
                    objective.evaluate(&point, &mut unused)
                };
                let wanted = (at(0.02) - at(-0.02)) / 0.04;
                assert!((gradient[index] - wanted).abs() < 2e-3, "{index} {} {wanted}", gradient[index]);
            }
        }
    }

    #[test]
    fn the_penalty_draws_to_the_start_or_to_zero() {
        let trees = trees();
        let base = base(&trees);
        let trees = GrammarTrees::new(&trees, &Binarization::x_bar(), &WordClasses::english()).unwrap();
        let level = Level { lexicon: lexicon(&trees, &base, Start::Base, 1), ..base.finest().clone() };
        let grammar = LogLinear::new(level);
        let squares: f64 = grammar.centre().iter().map(|centre| centre * centre).sum();
        assert!(squares > 1.0, "{squares}");
        let value = |l2: f64, is_at_zero: bool| {
            let whole = grammar.level.grammar.sizes().iter().map(|&size| (0..size).collect()).collect();
            let pruned = prune(&trees, &base, &grammar.level.grammar, &whole, &ChartOptions::exact());
            let objective =
                Objective::new(&trees, pruned.into_iter().flatten().collect(), grammar.clone(), l2);
            let mut objective = if is_at_zero { objective.around_zero() } else { objective };
            let start = vec![0.0; grammar.num_parameters()];
            let point = objective.to_optimizer(&start);
            assert_eq!(objective.of_optimizer(&point), start);
            objective.evaluate(&point, &mut vec![0.0; point.len()])
        };
        let likelihood = value(0.0, false);
        assert!((value(0.5, false) - likelihood).abs() < 1e-9, "nothing has moved");
        assert!(
            (value(0.5, true) - likelihood - 0.5 * squares).abs() < 1e-6,
            "θ is the logarithm of a number"
        );
    }

    #[test]
    fn a_split_without_noise_changes_no_score() {
        let trees = trees();
        let base = base(&trees);
        let trees = GrammarTrees::new(&trees, &Binarization::x_bar(), &WordClasses::english()).unwrap();
        for start in [Start::Base, Start::Scratch] {
            let level = Level { lexicon: lexicon(&trees, &base, start, 1), ..base.finest().clone() };
            let whole = LogLinear::new(level);
            let value = |grammar: &LogLinear, point: &[f64], splits: &Splits| {
                let pruned = prune(&trees, &base, &grammar.level.grammar, splits, &ChartOptions::exact());
                let sentences: Vec<PrunedSentence> = pruned.into_iter().flatten().collect();
                let mut objective = Objective::new(&trees, sentences, grammar.clone(), 0.0);
                objective.evaluate(point, &mut vec![0.0; point.len()])
            };
            let point: Vec<f64> = (0..whole.num_parameters()).map(|place| (place as f64).sin()).collect();
            let nothing: Splits =
                whole.level.grammar.sizes().iter().map(|&size| (0..size).collect()).collect();
            let before = value(&whole, &point, &nothing);
            let (fine, fine_point, splits) = whole.split(&point, trees.symbols.root(), 0.0, &mut Rng::new(7));
            let after = value(&fine, &fine_point, &splits);
            assert!((before - after).abs() < 1e-3 * before.abs(), "{start:?}: {before} {after}");
        }
    }

    #[test]
    fn a_loss_is_what_merging_costs_where_a_symbol_is_once_in_a_tree() {
        let trees = trees();
        let base = base(&trees);
        let trees = GrammarTrees::new(&trees, &Binarization::x_bar(), &WordClasses::english()).unwrap();
        let whole = LogLinear::new(Level {
            lexicon: lexicon(&trees, &base, Start::Base, 1),
            ..base.finest().clone()
        });
        let point = vec![0.0; whole.num_parameters()];
        let (fine, point, splits) = whole.split(&point, trees.symbols.root(), 0.5, &mut Rng::new(7));
        let sentences = |grammar: &LogLinear, splits: &Splits| {
            let pruned = prune(&trees, &base, &grammar.level.grammar, splits, &ChartOptions::exact());
            pruned.into_iter().flatten().collect::<Vec<PrunedSentence>>()
        };
        let of_fine = sentences(&fine, &splits);
        let mut objective = Objective::new(&trees, of_fine, fine.clone(), 0.0);
        let losses = objective.losses(&point);
        let value = objective.evaluate(&point, &mut vec![0.0; point.len()]);
        let weights: Vec<f32> = objective.weights.iter().map(|&weight| weight as f32).collect();
        let symbol = trees.symbols.phrase("S").unwrap();
        let place = fine.level.grammar.substates(symbol).start;
        let undone: Vec<MergeLoss> = ranked(&trees.symbols, &fine.level.grammar, &losses)
            .into_iter()
            .filter(|loss| loss.symbol == symbol)
            .collect();
        let origins = origins_without(&fine.level.grammar, &undone);
        let (merged, merged_point) = fine.merged(&point, &origins, &weights);
        let mut splits = splits;
        after_merge(&mut splits, &origins);
        let of_merged = sentences(&merged, &splits);
        let mut objective = Objective::new(&trees, of_merged, merged, 0.0);
        let cost = objective.evaluate(&merged_point, &mut vec![0.0; merged_point.len()]) - value;
        assert!(cost.abs() > 1e-3 && (losses[place] - cost).abs() < 1e-4, "{} {cost}", losses[place]);
    }
}
