//! Inside values without pruning: the kernel and nothing else.

use std::hint::black_box;

use boughs::chart::{Chart, Scratch, Semiring, inside};
use boughs::model::{GrammarModel, Symbol};
use boughs::tree::Tree;

/// The words of a tree alone.
pub fn words_of(mut tree: Tree) -> Tree {
    tree.retain_nodes(|_| false);
    (0..tree.num_tokens()).for_each(|index| tree.set_tag(index, ""));
    tree
}

/// Computes the inside values of the finest grammar for each sentence.
pub fn inside_of_all<S: Semiring>(model: &GrammarModel, sentences: &[Tree]) {
    let (level, symbols) = (model.finest(), model.symbols());
    let (mut chart, mut scratch) = (Chart::default(), Scratch::default());
    for tokens in sentences {
        let num_words = tokens.num_tokens();
        chart.clear(num_words);
        for span in chart.spans() {
            let may_be = |symbol: &Symbol| match symbols.is_tag(*symbol) {
                true => span.len() == 1,
                false => *symbol != symbols.root() || span.len() == num_words,
            };
            chart.fill(span, &level.grammar, symbols.iter().filter(may_be));
        }
        let score = |place: usize, sums: &mut [f32]| {
            level.lexicon.score(tokens.word(place), place == 0, |tag, values, factor| {
                let sums = &mut sums[level.grammar.substates(tag)];
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
            });
        };
        black_box(inside::<S>(&level.grammar, &mut chart, &mut scratch, None, score, |_, _| {}));
    }
}
