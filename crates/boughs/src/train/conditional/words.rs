//! Which words have parameters of their own, and which those of their class.

use super::config::Start;
use crate::model::{Grammar, GrammarLexicon, GrammarModel, ScoreTable, Symbol};
use crate::train::grammar::GrammarTrees;

/// A tag that a word was not seen with, and that is less likely than this, has no parameter.
const SMALLEST_SHARE: f32 = 1e-3;

/// The words of a log-linear grammar: each has numbers of its own or none, then those of its class are taken.
///
/// Rare words stand for the unknown ones, so that the weights of classes are learned, and so that training does not
/// rely on rare words as if all were as well known as its own: with parameters for every word seen twice, tags on
/// other trees get worse with every stage.
pub(super) fn lexicon(trees: &GrammarTrees, base: &GrammarModel, start: Start, rare: u32) -> GrammarLexicon {
    let has_own: Vec<bool> = trees.word_counts.iter().map(|&count| count > rare).collect();
    let (of_words, of_classes) = match start {
        Start::Base => (base_words(base, &has_own), base.finest().lexicon.of_classes.clone()),
        Start::Scratch => seen(trees, &has_own, &base.finest().grammar),
    };
    let class_share = has_own.iter().map(|&has_own| f32::from(u8::from(!has_own))).collect();
    GrammarLexicon { class_share, of_words, of_classes, ..base.finest().lexicon.clone() }
}

/// A model to which words without numbers of their own are unknown, as they are in training. With one that knows them,
/// only their own tags would be left after pruning; then nothing is learned of the others, and on other sentences
/// unknown words get whatever tag has grown strong elsewhere.
pub(super) fn with_unknown_words(model: &GrammarModel, learned: &GrammarLexicon) -> GrammarModel {
    let is_unknown = |word: usize| learned.class_share[word] > 0.0;
    model.clone().with_lexicons(|lexicon| {
        let mut of_words = ScoreTable::new();
        for word in 0..lexicon.of_words.len() {
            let scores = lexicon.of_words.get(word).filter(|_| !is_unknown(word));
            of_words.push(scores);
        }
        let shares = lexicon.class_share.iter().enumerate();
        let class_share = shares.map(|(word, &share)| if is_unknown(word) { 1.0 } else { share }).collect();
        GrammarLexicon { of_words, class_share, ..lexicon.clone() }
    })
}

/// The scores of words in the grammar to start from.
fn base_words(base: &GrammarModel, has_own: &[bool]) -> ScoreTable {
    let mut table = ScoreTable::new();
    for (word, &has_own) in has_own.iter().enumerate() {
        let scores = if has_own { base_scores(base, word) } else { Vec::new() };
        table.push(scores.iter().map(|(tag, values)| (*tag, &values[..])));
    }
    table
}

/// The tags that a word was seen with or is likely to have, with scores of their substates.
fn base_scores(base: &GrammarModel, word: usize) -> Vec<(Symbol, Vec<f32>)> {
    let level = base.finest();
    let (grammar, lexicon) = (&level.grammar, &level.lexicon);
    let mut sums = vec![0.0; grammar.num_substates()];
    lexicon.score(lexicon.words.name(word as u32), false, |tag, values, factor| {
        let sums = &mut sums[grammar.substates(tag)];
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
    });
    let tags = (0..base.symbols().num_tags() as u16).map(Symbol);
    let likelihood = |tag: Symbol| {
        let range = grammar.substates(tag);
        sums[range.clone()]
            .iter()
            .zip(&level.weights[range])
            .map(|(score, weight)| score * weight)
            .sum::<f32>()
    };
    let total: f32 = tags.clone().map(likelihood).sum();
    let is_seen = |tag: Symbol| lexicon.of_words.get(word).any(|(seen, _)| seen == tag);
    let is_likely = |tag: &Symbol| likelihood(*tag) >= SMALLEST_SHARE * total || is_seen(*tag);
    tags.filter(is_likely).map(|tag| (tag, sums[grammar.substates(tag)].to_vec())).collect()
}

/// The tags that words, or the classes of those without own parameters, are seen with, all alike.
fn seen(trees: &GrammarTrees, has_own: &[bool], grammar: &Grammar) -> (ScoreTable, ScoreTable) {
    let mut of_words: Vec<Vec<Symbol>> = vec![Vec::new(); has_own.len()];
    let mut of_classes: Vec<Vec<Symbol>> = vec![Vec::new(); trees.classes.len()];
    let mut of_all = Vec::new();
    for leaf in &trees.leaves {
        match has_own[leaf.word as usize] {
            true => of_words[leaf.word as usize].push(leaf.tag),
            false => {
                of_classes[leaf.class as usize].push(leaf.tag);
                of_all.push(leaf.tag);
            }
        }
    }
    // The first class stands for those that were not seen.
    if let Some(first) = of_classes.first_mut() {
        *first = of_all;
    }
    (table(of_words, grammar), table(of_classes, grammar))
}

fn table(tags: Vec<Vec<Symbol>>, grammar: &Grammar) -> ScoreTable {
    let mut table = ScoreTable::new();
    let ones = vec![1.0; grammar.sizes().iter().copied().max().map_or(0, usize::from)];
    for mut tags in tags {
        tags.sort_unstable();
        tags.dedup();
        table.push(tags.into_iter().map(|tag| (tag, &ones[..grammar.size(tag)])));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::WordClasses;
    use crate::train::pcfg::{PcfgConfig, read_off};
    use crate::tree::{Binarization, Tree};

    #[test]
    fn rare_words_are_like_unknown_ones_of_their_class() {
        let trees: Vec<Tree> = ["(TOP (S (NP (NN rain)) (VP (VBZ falls))))", "(TOP (NP (NN rain)))"]
            .map(|text| text.parse().unwrap())
            .to_vec();
        let base = read_off(&trees, &PcfgConfig::default()).unwrap();
        let trees = GrammarTrees::new(&trees, &Binarization::x_bar(), &WordClasses::english()).unwrap();
        let learned = lexicon(&trees, &base, Start::Base, 1);
        let unknowing = with_unknown_words(&base, &learned);
        let scores = |model: &GrammarModel, word: &str| {
            let mut scores = Vec::new();
            let lexicon = &model.finest().lexicon;
            lexicon.score(word, false, |tag, values, factor| scores.push((tag, values.to_vec(), factor)));
            scores
        };
        assert_eq!(scores(&unknowing, "rain"), scores(&base, "rain"));
        assert_eq!(scores(&unknowing, "falls"), scores(&base, "calls"));
        assert_ne!(scores(&base, "falls"), scores(&base, "calls"));
    }
}
