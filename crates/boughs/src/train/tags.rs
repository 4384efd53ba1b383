//! The tags that a parser learns from: those of the tagger that it will work with, not those of the treebank.

use crate::error::Result;
use crate::tagger::{TaggedSentence, Tagger, TaggerConfig, jackknife};
use crate::tree::{TRACE_TAG, Tree};
use rayon::prelude::*;

/// What a tagger learns from trees: the sentences that have a tag for every word.
pub fn tagged_sentences(trees: &[Tree]) -> Vec<TaggedSentence> {
    let sentences = trees.iter().map(TaggedSentence::from_tree);
    sentences.filter(|sentence| sentence.tags().iter().all(|tag| !tag.is_empty())).collect()
}

/// Gives the words of trees the tags of a tagger.
pub fn retag(tagger: &Tagger, trees: &mut [Tree]) {
    trees.par_iter_mut().for_each_init(
        || tagger.worker(),
        |worker, tree| {
            let words: Vec<String> = words(tree).map(|(_, word)| word.to_owned()).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let tags: Vec<&str> = worker.tag(&words).iter().map(|&tag| tagger.name(tag)).collect();
            set_tags(tree, &tags);
        },
    );
}

/// Gives the words of trees the tags of taggers that did not learn from them, in so many folds, or fewer if there are fewer
/// trees. Taggers also learn from `others`, among which none of the trees should be.
///
/// # Errors
/// If there are too few trees, or a word of them has no tag.
pub fn jackknife_tags(
    trees: &mut [Tree],
    others: &[TaggedSentence],
    folds: usize,
    config: &TaggerConfig,
) -> Result<()> {
    let mut sentences: Vec<TaggedSentence> = trees.iter().map(TaggedSentence::from_tree).collect();
    sentences.extend_from_slice(others);
    let tags = jackknife(&sentences, folds.min(sentences.len()), config)?;
    for (tree, tags) in trees.iter_mut().zip(&tags) {
        set_tags(tree, &tags.iter().map(String::as_str).collect::<Vec<_>>());
    }
    Ok(())
}

/// The words of a tree, with their places among its tokens.
fn words(tree: &Tree) -> impl Iterator<Item = (usize, &str)> {
    let tokens = tree.tokens().enumerate().filter(|(_, token)| token.tag != TRACE_TAG);
    tokens.map(|(index, token)| (index, token.word))
}

fn set_tags(tree: &mut Tree, tags: &[&str]) {
    let places: Vec<usize> = words(tree).map(|(index, _)| index).collect();
    for (index, tag) in places.into_iter().zip(tags) {
        tree.set_tag(index, tag);
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::tagger::train;

    fn trees(text: &str, number: usize) -> Vec<Tree> {
        vec![text.parse().unwrap(); number]
    }

    #[test]
    fn traces_keep_their_tag() {
        let sentences = tagged_sentences(&trees("(S (NN a) (VB b))", 12));
        let tagger = train(&sentences, &TaggerConfig::default(), |_| ControlFlow::Continue(())).unwrap();
        let mut found = trees("(S (XX a) (NP (-NONE- *)) (XX b))", 2);
        retag(&tagger, &mut found);
        assert_eq!(found[1].to_string(), "(S (NN a) (NP (-NONE- *)) (VB b))");
    }

    #[test]
    fn folds_do_not_learn_from_themselves() {
        let mut found = trees("(S (NN a))", 1);
        let others = tagged_sentences(&trees("(S (VB a))", 12));
        jackknife_tags(&mut found, &others, 10, &TaggerConfig::default()).unwrap();
        assert_eq!(found[0].to_string(), "(S (VB a))");
        assert!(
            jackknife_tags(&mut found, &[], 10, &TaggerConfig::default()).is_err(),
            "one tree has no other"
        );
    }

    #[test]
    fn sentences_without_tags_teach_nothing() {
        let empty = "(S (_ a) (VB b))".parse().unwrap();
        assert!(tagged_sentences(&[empty]).is_empty());
    }
}
