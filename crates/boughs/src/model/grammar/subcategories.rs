//! What the latent subcategories of a symbol stand for: their likeliest words, and the rules that tell them apart.

use super::{Grammar, GrammarModel, GrammarRule, Symbol};

/// A latent subcategory of a symbol.
#[derive(Debug, Clone, PartialEq)]
pub struct Subcategory {
    /// Its share of the occurrences of the symbol in the training trees.
    pub share: f64,
    /// Of a tag, the words that occur most often with it, the most frequent first.
    pub words: Vec<String>,
    /// Of a phrase, the rules that speak most for it, the strongest first.
    pub rules: Vec<TellingRule>,
}

/// A rule that one subcategory has more often than the others.
#[derive(Debug, Clone, PartialEq)]
pub struct TellingRule {
    /// What is below, as `DT NN`.
    pub children: String,
    /// Its share of the rules of this subcategory.
    pub share: f64,
    /// Its share of the rules of all of them.
    pub mean: f64,
}

impl GrammarModel {
    /// The subcategories of a symbol in the finest grammar, each with at most so many words or rules.
    pub fn subcategories(&self, symbol: Symbol, most: usize) -> Vec<Subcategory> {
        let level = self.finest();
        let weights = &level.weights[level.grammar.substates(symbol)];
        let total: f64 = weights.iter().copied().map(f64::from).sum();
        let (mut words, mut rules) = (self.words_of(symbol, most), self.rules_of(symbol, most));
        let share = |weight: f32| if total > 0.0 { f64::from(weight) / total } else { 0.0 };
        let one = |(substate, &weight): (usize, &f32)| Subcategory {
            share: share(weight),
            words: words.get_mut(substate).map(std::mem::take).unwrap_or_default(),
            rules: rules.get_mut(substate).map(std::mem::take).unwrap_or_default(),
        };
        weights.iter().enumerate().map(one).collect()
    }

    /// For each substate of a tag its words. How often a word has the tag is known to the coarsest grammar, and to the
    /// finest how the substates share it: scores of a log-linear grammar cannot be compared between words.
    fn words_of(&self, tag: Symbol, most: usize) -> Vec<Vec<String>> {
        let (coarsest, finest) = (&self.levels()[0].lexicon, self.finest());
        let weights = &finest.weights[finest.grammar.substates(tag)];
        let mut words: Vec<Vec<(f32, u32)>> = vec![Vec::new(); weights.len()];
        for word in 0..finest.lexicon.of_words.len() {
            let scores = finest.lexicon.of_words.get(word).find(|(other, _)| *other == tag);
            let often = coarsest.of_words.get(word).find(|(other, _)| *other == tag);
            let (Some((_, scores)), Some((_, often))) = (scores, often) else { continue };
            let parts: Vec<f32> = scores.iter().zip(weights).map(|(score, weight)| score * weight).collect();
            let all: f32 = parts.iter().sum();
            for (words, part) in words.iter_mut().zip(parts).filter(|(_, part)| *part > 0.0) {
                words.push((often.iter().sum::<f32>() * part / all, word as u32));
            }
        }
        let names = |mut words: Vec<(f32, u32)>| {
            words.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            words.iter().take(most).map(|(_, word)| finest.lexicon.words.name(*word).to_owned()).collect()
        };
        words.into_iter().map(names).collect()
    }

    /// For each substate of a phrase the rules that tell it from the others: those with the largest part in the
    /// divergence of its rules from those of all, p ln (p / mean).
    fn rules_of(&self, phrase: Symbol, most: usize) -> Vec<Vec<TellingRule>> {
        let level = self.finest();
        let places = level.grammar.substates(phrase);
        let mut shares = rule_shares(&level.grammar, phrase);
        let mut totals = vec![0.0; places.len()];
        for (_, values) in &shares {
            totals.iter_mut().zip(values).for_each(|(total, value)| *total += value);
        }
        for (_, values) in &mut shares {
            values.iter_mut().zip(&totals).for_each(|(value, total)| *value /= total.max(f64::MIN_POSITIVE));
        }
        let weights = &level.weights[places];
        let total: f64 = weights.iter().copied().map(f64::from).sum::<f64>().max(f64::MIN_POSITIVE);
        let mean = |values: &[f64]| {
            values.iter().zip(weights).map(|(value, &weight)| value * f64::from(weight)).sum::<f64>() / total
        };
        let means: Vec<f64> = shares.iter().map(|(_, values)| mean(values)).collect();
        let of_substate = |substate: usize| {
            let mut rules: Vec<(f64, TellingRule)> = Vec::new();
            for ((children, values), &mean) in shares.iter().zip(&means) {
                let share = values[substate];
                if share > mean && mean > 0.0 {
                    let children = self.children(*children);
                    rules.push((share * (share / mean).ln(), TellingRule { children, share, mean }));
                }
            }
            rules.sort_by(|a, b| b.0.total_cmp(&a.0));
            rules.into_iter().take(most).map(|(_, rule)| rule).collect()
        };
        (0..totals.len()).map(of_substate).collect()
    }

    fn children(&self, (left, right): Children) -> String {
        let right = right.map(|right| format!(" {}", self.symbols().name(right))).unwrap_or_default();
        format!("{}{right}", self.symbols().name(left))
    }
}

/// What is below a phrase.
type Children = (Symbol, Option<Symbol>);

/// For each rule of a phrase, and each of its substates, the sum over the substates of the children.
fn rule_shares(grammar: &Grammar, phrase: Symbol) -> Vec<(Children, Vec<f64>)> {
    let is_own = |(_, rule): &(usize, &GrammarRule)| rule.parent == phrase;
    let sums = |(index, rule): (usize, &GrammarRule)| {
        let mut sums = vec![0.0; grammar.size(phrase)];
        for (_, values) in grammar.rows(index) {
            sums.iter_mut().zip(values).for_each(|(sum, &value)| *sum += f64::from(value));
        }
        ((rule.left, rule.right), sums)
    };
    grammar.rules().iter().enumerate().filter(is_own).map(sums).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{GrammarLexicon, Level, RuleBlock, ScoreTable, Symbols, WordClasses};

    /// Two tags, of which the second is split in two: one half has `dog`, the other `dogs`; and a phrase in two, of
    /// which one half has the first tag before the second.
    fn model() -> GrammarModel {
        let symbols =
            Symbols::new(["DT", "NN"].into_iter().collect(), ["TOP", "NP"].into_iter().collect()).unwrap();
        let block = |parent, left, right: Option<u16>, rows: Vec<[u16; 2]>, values| RuleBlock {
            parent: Symbol(parent),
            left: Symbol(left),
            right: right.map(Symbol),
            rows,
            values,
        };
        let blocks = vec![
            block(3, 0, Some(1), vec![[0, 0], [0, 1]], vec![0.5, 0.0, 0.25, 0.0]),
            block(3, 1, None, vec![[0, 0], [1, 0]], vec![0.125, 0.0, 0.125, 1.0]),
            block(2, 3, None, vec![[0, 0], [1, 0]], vec![0.5, 0.5]),
        ];
        let grammar = Grammar::new(vec![1, 2, 1, 2], blocks, 1);
        let (mut of_words, mut of_classes) = (ScoreTable::new(), ScoreTable::new());
        of_words.push([(Symbol(0), &[1.0][..])]);
        of_words.push([(Symbol(1), &[0.75, 0.0][..])]);
        of_words.push([(Symbol(1), &[0.25, 1.0][..])]);
        of_classes.push([(Symbol(1), &[0.5, 0.5][..])]);
        let lexicon = GrammarLexicon {
            words: Arc::new(["the", "dog", "dogs"].into_iter().collect()),
            classes: ["UNK-"].into_iter().collect(),
            classifier: WordClasses::english(),
            class_share: vec![0.0; 3],
            of_words,
            of_classes,
        };
        let weights = vec![3.0, 3.0, 1.0, 4.0, 3.0, 1.0];
        let splits = vec![vec![vec![0], vec![0, 0], vec![0], vec![0, 0]]];
        GrammarModel::new(symbols, Level { grammar, lexicon, weights }, splits)
    }

    #[test]
    fn tags_have_words() {
        let found = model().subcategories(Symbol(1), 5);
        assert_eq!(found.iter().map(|it| it.share).collect::<Vec<_>>(), [0.75, 0.25]);
        assert_eq!(found[0].words, ["dog", "dogs"]);
        assert_eq!(found[1].words, ["dogs"]);
        assert!(found.iter().all(|it| it.rules.is_empty()));
    }

    #[test]
    fn phrases_have_rules_that_tell_them_apart() {
        let found = model().subcategories(Symbol(3), 5);
        let names = |place: usize| found[place].rules.iter().map(|it| &it.children[..]).collect::<Vec<_>>();
        assert_eq!((names(0), names(1)), (vec!["DT NN"], vec!["NN"]));
        let TellingRule { share, mean, .. } = found[0].rules[0];
        // Three of four NP are of the first kind, and three quarters of its rules are this one.
        assert!((share - 0.75).abs() < 0.02 && (mean - 0.5625).abs() < 0.02, "{share} {mean}");
    }
}
