//! Grammars that did not see some of the trees.

use std::ops::ControlFlow;

use super::config::BaseGrammar;
use crate::error::Result;
use crate::model::{GrammarModel, Symbol, Symbols};
use crate::train::{latent, pcfg};
use crate::tree::Tree;
pub(super) use crate::treebank::folds_of;

/// The trees of all parts but one; of all if there is only one.
pub(super) fn trees_without(trees: &[Tree], fold: usize, num_folds: usize) -> Vec<Tree> {
    let folds = folds_of(trees, num_folds);
    let kept = trees.iter().zip(folds).filter(|(_, it)| num_folds == 1 || *it != fold);
    kept.map(|(tree, _)| tree.clone()).collect()
}

/// Trains a grammar; nothing if the observer broke off.
///
/// # Errors
/// If there is nothing to learn from, or a setting is out of its range.
pub(super) fn train_grammar(
    trees: &[Tree],
    base: &BaseGrammar,
    mut observe: impl FnMut() -> ControlFlow<()>,
) -> Result<Option<GrammarModel>> {
    match base {
        BaseGrammar::Plain(config) => pcfg::train(trees, config).map(Some),
        BaseGrammar::Latent(config) => {
            let mut is_broken = false;
            let trained = latent::train(trees, &[], config, None, |_| {
                let flow = observe();
                is_broken |= flow.is_break();
                flow
            })?;
            Ok((!is_broken).then_some(trained.model))
        }
    }
}

/// For each symbol the one of the same name among others. What the others do not have stays without a match and becomes the root, which is nowhere but at
/// the top, so that no gold tree has it elsewhere.
pub(super) fn renaming(from: &Symbols, to: &Symbols) -> Vec<Symbol> {
    let same = |symbol: Symbol| match from.is_tag(symbol) {
        true => to.tag(from.name(symbol)),
        false => to.phrase(from.name(symbol)),
    };
    from.iter().map(|symbol| same(symbol).unwrap_or(to.root())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tree_is_left_out_once() {
        let trees: Vec<Tree> = (0..7).map(|number| format!("(S (NN {number}))").parse().unwrap()).collect();
        for num_folds in 2..=7 {
            let mut left_out = vec![0; trees.len()];
            for fold in 0..num_folds {
                let kept = trees_without(&trees, fold, num_folds);
                for (tree, times) in trees.iter().zip(&mut left_out) {
                    *times += usize::from(!kept.contains(tree));
                }
            }
            assert_eq!(left_out, [1; 7], "{num_folds}");
        }
        assert_eq!(trees_without(&trees, 0, 1), trees);
    }
}
