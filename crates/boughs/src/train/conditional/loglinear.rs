//! A grammar whose numbers are exponentials of parameters.

use crate::model::{Grammar, Level, ScoreTable, Splits, Symbol};
use crate::rng::Rng;
use crate::train::latent::{halves_of, split_grammar, with_all_rows};

/// A grammar with all rows, whose numbers above zero are `exp(centre + parameter)`: those of rules, then those of
/// words, then those of classes of words.
#[derive(Debug, Clone)]
pub(super) struct LogLinear {
    pub(super) level: Level,
    /// Which numbers have parameters.
    places: Vec<u32>,
    /// What parameters of zero stand for.
    centre: Vec<f64>,
}

impl LogLinear {
    /// The numbers of a grammar are the centres; where it has zeros, there is no parameter.
    pub(super) fn new(mut level: Level) -> Self {
        level.grammar = with_all_rows(&level.grammar);
        let numbers = numbers(&level);
        let places = (0..).zip(&numbers).filter(|(_, number)| **number > 0.0).map(|(place, _)| place);
        let places: Vec<u32> = places.collect();
        let centre = places.iter().map(|&place| f64::from(numbers[place as usize]).ln()).collect();
        Self { level, places, centre }
    }

    /// The same with all centres at zero.
    pub(super) fn around_zero(mut self) -> Self {
        self.centre.fill(0.0);
        self
    }

    /// What parameters of zero stand for.
    pub(super) fn centre(&self) -> &[f64] {
        &self.centre
    }

    pub(super) fn num_parameters(&self) -> usize {
        self.places.len()
    }

    /// How many numbers there are, with parameters or without.
    pub(super) fn num_numbers(&self) -> usize {
        let Level { grammar, lexicon, .. } = &self.level;
        grammar.values().len() + lexicon.of_words.values().len() + lexicon.of_classes.values().len()
    }

    /// Computes the grammar of some parameters.
    pub(super) fn set(&mut self, point: &[f64]) {
        let mut numbers = numbers(&self.level);
        for ((&place, centre), parameter) in self.places.iter().zip(&self.centre).zip(point) {
            numbers[place as usize] = (centre + parameter).exp() as f32;
        }
        let Level { grammar, lexicon, .. } = &mut self.level;
        let (of_rules, of_lexicon) = numbers.split_at(grammar.values().len());
        let (of_words, of_classes) = of_lexicon.split_at(lexicon.of_words.values().len());
        grammar.change_values(|values| values.copy_from_slice(of_rules));
        lexicon.of_words.values_mut().copy_from_slice(of_words);
        lexicon.of_classes.values_mut().copy_from_slice(of_classes);
    }

    /// The derivatives by the parameters, from how often each number is used.
    pub(super) fn gather(&self, uses: &[f64], gradient: &mut [f64]) {
        for (derivative, &place) in gradient.iter_mut().zip(&self.places) {
            *derivative = uses[place as usize];
        }
    }

    /// For each number of classes of words, what its parameter makes of the centre.
    pub(super) fn class_factors(&self, point: &[f64]) -> Vec<f32> {
        let length = self.level.lexicon.of_classes.values().len();
        let first = self.num_numbers() - length;
        let mut factors = vec![1.0; length];
        for (&place, parameter) in self.places.iter().zip(point) {
            if let Some(place) = (place as usize).checked_sub(first) {
                factors[place] = parameter.exp() as f32;
            }
        }
        factors
    }

    /// Splits every substate but the root's in two; parameters of the halves differ by at most `noise`. The grammar,
    /// its parameters, and what was split from what. A rule whose child is split stands for as many derivations as
    /// there are halves, so its centre is divided by their number: without noise every tree has the score that it had.
    /// (Until 2026-11-17 it was not, and every split doubled the weight of each further unary node.)
    pub(super) fn split(
        &self,
        point: &[f64],
        root: Symbol,
        noise: f64,
        rng: &mut Rng,
    ) -> (Self, Vec<f64>, Splits) {
        let halves = |symbol: Symbol| if symbol == root { 1 } else { 2 };
        let (level, origins) = split_level(&self.level, halves);
        let shares = child_shares(&level.grammar, halves);
        let mut of_place = vec![None; self.num_numbers()];
        for ((&place, &centre), &parameter) in self.places.iter().zip(&self.centre).zip(point) {
            of_place[place as usize] = Some((centre, parameter));
        }
        let mut fine = Self { level, places: Vec::new(), centre: Vec::new() };
        let mut fine_point = Vec::new();
        for (place, &origin) in (0..).zip(&origins) {
            let Some((centre, parameter)) = of_place[origin as usize] else { continue };
            fine.places.push(place);
            // Words have no children.
            fine.centre.push(centre - shares.get(place as usize).copied().unwrap_or(0.0));
            fine_point.push(parameter + noise * (2.0 * rng.unit() - 1.0));
        }
        let splits = halves_of(&fine.level.grammar, halves);
        (fine, fine_point, splits)
    }

    /// Puts substates together, weighted by how often they occur: the grammar and its parameters.
    pub(super) fn merged(&self, point: &[f64], origins: &Splits, weights: &[f32]) -> (Self, Vec<f64>) {
        let merged_at = |point: &[f64]| {
            let mut fine = self.clone();
            fine.set(point);
            fine.level.weights = weights.to_vec();
            fine.level.undo(origins)
        };
        let merged = Self::new(merged_at(&vec![0.0; point.len()]));
        let here = merged_at(point);
        let here = numbers(&Level { grammar: with_all_rows(&here.grammar), ..here });
        let parameter = |(&place, centre): (&u32, &f64)| {
            f64::from(here[place as usize].max(f32::MIN_POSITIVE)).ln() - centre
        };
        let point = merged.places.iter().zip(&merged.centre).map(parameter).collect();
        (merged, point)
    }
}

/// For each number of a split grammar the logarithm of how many choices of halves its children have.
fn child_shares(grammar: &Grammar, halves: impl Fn(Symbol) -> u16) -> Vec<f64> {
    let mut shares = vec![0.0; grammar.values().len()];
    for (index, rule) in grammar.rules().iter().enumerate() {
        let choices = halves(rule.left) * rule.right.map_or(1, &halves);
        shares[grammar.values_of(index)].fill(f64::from(choices).ln());
    }
    shares
}

fn numbers(level: &Level) -> Vec<f32> {
    let lexicon = &level.lexicon;
    [level.grammar.values(), lexicon.of_words.values(), lexicon.of_classes.values()].concat()
}

/// The grammar with `halves` substates for each, all alike, and the place that each number came from.
fn split_level(old: &Level, halves: impl Fn(Symbol) -> u16 + Copy) -> (Level, Vec<u32>) {
    let (grammar, mut origins) = split_grammar(&old.grammar, halves);
    let mut lexicon = old.lexicon.clone();
    let mut first = old.grammar.values().len() as u32;
    for (table, old) in
        [(&mut lexicon.of_words, &old.lexicon.of_words), (&mut lexicon.of_classes, &old.lexicon.of_classes)]
    {
        *table = split_table(old, halves, first, &mut origins);
        first += old.values().len() as u32;
    }
    let weights = vec![0.0; grammar.num_substates()];
    (Level { grammar, lexicon, weights }, origins)
}

fn split_table(
    old: &ScoreTable,
    halves: impl Fn(Symbol) -> u16,
    first: u32,
    origins: &mut Vec<u32>,
) -> ScoreTable {
    let mut table = ScoreTable::new();
    for index in 0..old.len() {
        let mut scores = Vec::new();
        for (tag, places) in old.places(index) {
            let halves = usize::from(halves(tag));
            let fine = 0..halves * places.len();
            scores.push((tag, vec![0.0; fine.len()]));
            origins.extend(fine.map(|sub| first + (places.start + sub / halves) as u32));
        }
        table.push(scores.iter().map(|(tag, values)| (*tag, &values[..])));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::pcfg::{PcfgConfig, read_off};

    #[test]
    fn what_was_split_can_be_put_together() {
        let trees = ["(TOP (S (NP (DT the) (NN dog)) (VP (VBZ sleeps))))", "(TOP (NP (NN dog)))"];
        let trees = trees.map(|text| text.parse().unwrap());
        let base = read_off(&trees, &PcfgConfig::default()).unwrap();
        let whole = LogLinear::new(base.finest().clone());
        let mut point: Vec<f64> = (0..whole.num_parameters()).map(|place| place as f64 / 10.0).collect();
        point[1] = 0.0;
        let (fine, fine_point, splits) = whole.split(&point, base.symbols().root(), 0.0, &mut Rng::new(1));
        let weights = vec![1.0; fine.level.grammar.num_substates()];
        let (merged, merged_point) = fine.merged(&fine_point, &splits, &weights);
        assert_eq!(merged.places, whole.places);
        for ((merged, parameter), place) in merged_point.iter().zip(&point).zip(0..) {
            assert!((merged - parameter).abs() < 1e-5, "{place}: {merged} {parameter}");
        }
        assert_eq!(merged_point[1], 0.0, "what was zero is exactly zero");
    }
}
