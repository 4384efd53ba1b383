//! Whose fault a wrong parse is: that of the search, which has not found something better, or that of the guide, which
//! does not think the gold tree better.

use std::cmp::Ordering;

use super::outcome::ParsePath;
use super::total::{AdditiveTotal, MaxMinTotal, Total};
use super::{Aggregator, SearchConfig, Searcher, Task};
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
    /// The guide does not find the gold tree better.
    Model,
    /// The same, but only because of what the [cascade](crate::transition::Cascade) set aside: by full scores it is better.
    Cascade,
    /// No path leads to the gold tree: it breaks the rules of the scheme, or the constraints.
    Rules,
}

/// A parse compared with the gold tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnosis {
    /// Whose fault it is.
    pub fault: ParseFault,
    /// The best path to the gold tree, if there is one.
    pub gold: Option<ParsePath>,
}

impl Aggregator {
    /// Which of two parses is better: that is the lesser.
    pub fn compare(self, one: &ParsePath, other: &ParsePath) -> Ordering {
        match self {
            Self::Additive => total::<AdditiveTotal>(one).cmp(&total(other)),
            Self::MaxMin => total::<MaxMinTotal>(one).cmp(&total(other)),
        }
    }
}

fn total<T: Total>(parse: &ParsePath) -> T {
    parse.steps.iter().fold(T::empty(), |total, step| total.plus(step.scored.score))
}

/// Compares a parse with the gold tree. The workspace must still be as the search left it that has found the parse.
///
/// Where a tree has several paths, they are searched with the usual limits for the best, and `Model` may stand for
/// `Search` if that is not enough.
pub fn diagnose(
    guide: &mut dyn Guide,
    workspace: &mut Workspace,
    task: &Task<'_>,
    aggregator: Aggregator,
    gold: &GoldTree,
    found: &ParsePath,
) -> Diagnosis {
    let gold = best_path(guide, workspace, task, aggregator, gold);
    let fault = match &gold {
        None => ParseFault::Rules,
        Some(gold) if gold.root == found.root => ParseFault::None,
        Some(gold) if found.is_fallback || aggregator.compare(gold, found).is_lt() => ParseFault::Search,
        Some(_) => ParseFault::Model,
    };
    Diagnosis { fault, gold }
}

/// The best path to a tree, if there is one, among the items that are there.
fn best_path(
    guide: &mut dyn Guide,
    workspace: &mut Workspace,
    task: &Task<'_>,
    aggregator: Aggregator,
    tree: &GoldTree,
) -> Option<ParsePath> {
    let mut searcher = Searcher::new(SearchConfig { aggregator, ..SearchConfig::default() });
    let mut faithful = Faithful { guide, oracle: Oracle::new(tree, task.scheme) };
    let outcome = searcher.search_items(&mut faithful, workspace, task);
    outcome.parses.into_iter().find(|parse| !parse.is_fallback)
}

/// Whether a guide finds one tree better than another, both by the best path to them. The workspace must hold the sentence.
pub fn prefers(
    guide: &mut dyn Guide,
    workspace: &mut Workspace,
    task: &Task<'_>,
    aggregator: Aggregator,
    [one, other]: [&GoldTree; 2],
) -> bool {
    guide.start(workspace);
    let [one, other] = [one, other].map(|tree| best_path(guide, workspace, task, aggregator, tree));
    one.zip(other).is_some_and(|(one, other)| aggregator.compare(&one, &other).is_lt())
}

/// A guide that makes no mistakes.
struct Faithful<'a> {
    guide: &'a mut dyn Guide,
    oracle: Oracle<'a>,
}

impl Guide for Faithful<'_> {
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
    use crate::transition::output::to_tree;
    use crate::transition::strategy::Strategy;
    use crate::tree::Tree;

    #[test]
    fn the_fault_is_the_models_if_it_prefers_another_tree_and_the_searchs_otherwise() {
        let mut counts = [0; 5];
        for (index, game) in games().enumerate() {
            let sentence = sentence(game.terminals.iter().map(|terminal| terminal.is_punctuation));
            let mut trees = Vec::new();
            game.follow_all_paths(|items, root, _| {
                trees.push((shape(items, root), to_tree(items, root, &game.symbols, &sentence)));
            });
            if trees.is_empty() {
                continue;
            }
            let (tree, gold) = &trees[index * 31 % trees.len()];
            for aggregator in [Aggregator::Additive, Aggregator::MaxMin] {
                let (outcome, mut workspace) = game.parse(config(Search::Greedy, aggregator));
                let found = outcome.best();
                let gold = GoldTree::new(gold, &game.symbols).expect("known labels");
                let mut guide = game.guide.clone();
                let diagnosis = diagnose(&mut guide, &mut workspace, &game.task(), aggregator, &gold, found);
                let all = game.all_parses(aggregator);
                let (_, best) = all.iter().find(|(other, _)| other == tree).expect("the gold tree is there");
                let fault = match shape(&workspace.items, found.root) == *tree {
                    true => ParseFault::None,
                    false if found.is_fallback => ParseFault::Search,
                    false if compare(aggregator, best, &scores(&outcome, 0)).is_lt() => ParseFault::Search,
                    false => ParseFault::Model,
                };
                assert_eq!(diagnosis.fault, fault);
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
        let (outcome, mut workspace) = game.parse(SearchConfig::default());
        let (mut guide, task, found) = (game.guide.clone(), game.task(), outcome.best());
        let diagnosis = diagnose(&mut guide, &mut workspace, &task, Aggregator::Additive, &gold, found);
        assert_eq!(diagnosis, Diagnosis { fault: ParseFault::Rules, gold: None });
    }

    fn sentence(is_punctuation: impl Iterator<Item = bool>) -> Tree {
        let tokens: String = is_punctuation.map(|is| if is { "(, x)" } else { "(N x)" }).collect();
        format!("(TOP {tokens})").parse().expect("a tree")
    }
}
