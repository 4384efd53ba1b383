//! Whose fault a wrong parse is: that of the search, which has not found something better, or that of the guide, whose
//! scores do not make the gold tree better.

use super::searched::{ParsePath, Searched};
use super::total::{AdditiveTotal, MaxMinTotal, Total};
use super::{Aggregator, Searcher, Task, TransitionOptions};
use crate::transition::gold::GoldTree;
use crate::transition::guide::{Guide, Scored, Workspace};
use crate::transition::oracle::Oracle;
use crate::transition::state::ParserState;

/// Whose fault a parse is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ParseFault {
    /// Nobody's: it is the gold tree.
    None,
    /// The gold tree is better, but was not found.
    Search,
    /// By the scores of the model the gold tree is not better.
    Model,
    /// No path leads to the gold tree: it breaks the rules of the scheme, or the constraints.
    Rules,
}

impl Aggregator {
    /// Whether one path is better than another.
    fn prefers(self, one: &ParsePath, other: &ParsePath) -> bool {
        match self {
            Self::Additive => total::<AdditiveTotal>(one) < total(other),
            Self::MaxMin => total::<MaxMinTotal>(one) < total(other),
        }
    }
}

fn total<T: Total>(path: &ParsePath) -> T {
    path.steps.iter().fold(T::default(), |total, step| total.plus(step.scored.score))
}

/// What a tree is judged by.
pub(crate) struct Judge<'a> {
    /// Scores inferences.
    pub(crate) guide: &'a mut dyn Guide,
    /// Holds the items of the sentence.
    pub(crate) workspace: &'a mut Workspace,
    /// The sentence.
    pub(crate) task: &'a Task<'a>,
    /// What makes a path good.
    pub(crate) aggregator: Aggregator,
}

impl Judge<'_> {
    /// Compares the best parse found with the gold tree; also gives the best path to the gold tree, if there is one.
    /// The workspace must still be as that search left it.
    ///
    /// Where a tree has several paths, they are searched with the usual limits for the best, and `Model` may stand for
    /// `Search` if that is not enough.
    pub(crate) fn diagnose(
        &mut self,
        gold: &GoldTree,
        searched: &Searched,
    ) -> (ParseFault, Option<ParsePath>) {
        let gold = self.best_path(gold);
        let is_same = |gold: &ParsePath| searched.parses.first().is_some_and(|found| found.root == gold.root);
        let is_missed = |gold| searched.complete().is_none_or(|found| self.aggregator.prefers(gold, found));
        let fault = match &gold {
            None => ParseFault::Rules,
            Some(gold) if is_same(gold) => ParseFault::None,
            Some(gold) if is_missed(gold) => ParseFault::Search,
            Some(_) => ParseFault::Model,
        };
        (fault, gold)
    }

    /// The best path to a tree, if there is one, among the items that are there.
    fn best_path(&mut self, tree: &GoldTree) -> Option<ParsePath> {
        let Self { guide, workspace, task, aggregator } = self;
        let options = TransitionOptions { aggregator: *aggregator, ..TransitionOptions::default() };
        let mut on_path = GoldPathGuide { guide: *guide, oracle: Oracle::new(tree, task.scheme) };
        Searcher::new(options).search_items(&mut on_path, workspace, task).complete().cloned()
    }
}

/// A guide that leaves out the inferences that do not lead to the gold tree.
struct GoldPathGuide<'a> {
    guide: &'a mut dyn Guide,
    oracle: Oracle<'a>,
}

impl Guide for GoldPathGuide<'_> {
    fn score(&mut self, state: &ParserState, workspace: &mut Workspace, scored: &mut Vec<Scored>) {
        self.guide.score(state, workspace, scored);
        let correct = self.oracle.correct(state, &workspace.items);
        scored.retain(|scored| correct.contains(&scored.inference));
    }
}

#[cfg(test)]
mod tests {
    use super::super::Search;
    use super::super::reference::{Game, compare, config, games, scores, shape};
    use super::*;
    use crate::transition::strategy::Strategy;
    use crate::tree::Tree;

    #[test]
    fn the_fault_is_the_models_if_it_prefers_another_tree_and_the_searchs_otherwise() {
        let mut counts = [0; 4];
        for (index, game) in games().enumerate() {
            let sentence = sentence(game.terminals.iter().map(|terminal| terminal.is_punctuation));
            let mut trees = Vec::new();
            game.follow_all_paths(|items, root, _| {
                trees.push((shape(items, root), items.to_tree(root, &game.symbols, &sentence)));
            });
            if trees.is_empty() {
                continue;
            }
            let (tree, gold) = &trees[index * 31 % trees.len()];
            for aggregator in [Aggregator::Additive, Aggregator::MaxMin] {
                let (searched, mut workspace) = game.parse(config(Search::Greedy, aggregator));
                let found = &searched.parses[0];
                let gold = GoldTree::new(gold, &game.symbols).expect("known labels");
                let mut guide = game.guide.clone();
                let task = &game.task();
                let mut judge = Judge { guide: &mut guide, workspace: &mut workspace, task, aggregator };
                let (diagnosed, _) = judge.diagnose(&gold, &searched);
                let all = game.all_parses(aggregator);
                let (_, best) = all.iter().find(|(other, _)| other == tree).expect("the gold tree is there");
                let fault = match shape(&workspace.items, found.root) == *tree {
                    true => ParseFault::None,
                    false if searched.status.is_fallback() => ParseFault::Search,
                    false if compare(aggregator, best, &scores(&searched, 0)).is_lt() => ParseFault::Search,
                    false => ParseFault::Model,
                };
                assert_eq!(diagnosed, fault);
                counts[fault as usize] += 1;
            }
        }
        assert!(counts[..3].iter().all(|&count| count > 5), "{counts:?}");
    }

    #[test]
    fn a_tree_with_too_large_a_phrase_is_against_the_rules() {
        let game = Game::new(0, Strategy::LeftToRight, "N N N N N N", 2, usize::MAX);
        let flat: Tree = "(TOP (A (N x) (N x) (N x) (N x) (N x) (N x)))".parse().expect("a tree");
        let gold = GoldTree::new(&flat, &game.symbols).expect("known labels");
        let (searched, mut workspace) = game.parse(TransitionOptions::default());
        let (mut guide, task, aggregator) = (game.guide.clone(), &game.task(), Aggregator::Additive);
        let mut judge = Judge { guide: &mut guide, workspace: &mut workspace, task, aggregator };
        assert_eq!(judge.diagnose(&gold, &searched), (ParseFault::Rules, None));
    }

    fn sentence(is_punctuation: impl Iterator<Item = bool>) -> Tree {
        let tokens: String = is_punctuation.map(|is| if is { "(, x)" } else { "(N x)" }).collect();
        format!("(TOP {tokens})").parse().expect("a tree")
    }
}
