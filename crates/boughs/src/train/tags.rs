//! The tags that a parser learns from, and the tagger that comes with it.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::learn::run::Watch;
use crate::tagger::{self, Tagger, TaggerConfig, jackknife};
use crate::tree::transform::sentence_length;
use crate::tree::{TRACE_TAG, Tokens, Tree};

/// Which tags a parser learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TagSource {
    /// Those of the treebank. The model will need tagged input.
    Gold,
    /// Those of taggers that did not see the sentence; a tagger trained on all sentences is stored in the model.
    #[default]
    Jackknife,
    /// Those of the tagger that is stored in the model, which has seen the sentences (Turian & Melamed 2005,
    /// 2006).
    Tagger,
}

/// The trees of at most so many words.
pub(super) fn at_most(trees: &[Tree], max_words: Option<usize>) -> Vec<Tree> {
    let is_kept = |tree: &&Tree| max_words.is_none_or(|most| sentence_length(tree) <= most);
    trees.iter().filter(is_kept).cloned().collect()
}

/// A tagger that learns from all trees, and from other sentences.
///
/// # Errors
/// If there are no tags to learn from.
pub(super) fn tagger_for(
    trees: &[Tree],
    others: &[Tokens],
    config: &TaggerConfig,
    watch: &Watch<'_>,
) -> Result<Tagger> {
    let sentences = [tagged_sentences(trees), others.to_vec()].concat();
    tagger::train(&sentences, config, |progress| {
        let text = format_args!("tagger: pass {} of at most {}", progress.pass, progress.max_passes);
        // What is broken off here is broken off again before the first step.
        watch.progress(None, text)
    })
}

/// What a tagger learns from trees: the sentences that have a tag for every word.
pub fn tagged_sentences(trees: &[Tree]) -> Vec<Tokens> {
    let sentences = trees.iter().map(Tree::surface);
    sentences.filter(|sentence| sentence.iter().all(|token| !token.tag.is_empty())).collect()
}

/// Gives the words of trees the tags of a tagger.
pub(super) fn retag(tagger: &Tagger, trees: &mut [Tree]) {
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

/// Gives the words of trees the tags of taggers that did not learn from them, in so many folds, or fewer if there are
/// fewer trees. Taggers also learn from `others`, among which none of the trees should be.
///
/// # Errors
/// If there are too few trees, or a word of them has no tag.
pub(super) fn jackknife_tags(
    trees: &mut [Tree],
    others: &[Tokens],
    folds: usize,
    config: &TaggerConfig,
) -> Result<()> {
    let mut sentences: Vec<Tokens> = trees.iter().map(Tree::surface).collect();
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
    use super::*;

    fn trees(text: &str, number: usize) -> Vec<Tree> {
        vec![text.parse().unwrap(); number]
    }

    #[test]
    fn traces_keep_their_tag() {
        let mut found = trees("(S (XX a) (NP (-NONE- *)) (XX b))", 2);
        set_tags(&mut found[1], &["NN", "VB"]);
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
