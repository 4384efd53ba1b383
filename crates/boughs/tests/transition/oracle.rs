//! The oracle rebuilds every gold tree, under every strategy.

use boughs::transition::search::{LabelConstraints, Search, SearchConfig, Searcher, Task};
use boughs::transition::{
    GoldTree, HeadTable, Items, OracleGuide, Scheme, Strategy, Symbols, TOP_NAME, Workspace, to_tree,
};
use boughs::tree::Tree;
use boughs::tree::transform::{KeepOrDrop, Pipeline, TagSet};
use boughs_learn::rng::Rng;

use crate::treebanks::for_every_tree;

fn preprocessed() -> Vec<Tree> {
    let pipeline = Pipeline::named("tm06").expect("a pipeline");
    let mut trees = Vec::new();
    for_every_tree(|tree| {
        let mut tree = tree.clone();
        if pipeline.apply(&mut tree) == KeepOrDrop::Keep && !tree.is_empty() {
            tree.set_root(TOP_NAME);
            trees.push(tree);
        }
    });
    trees
}

/// Rebuilds a tree; says whether the scheme allows every inference.
fn rebuild(tree: &Tree, scheme: Scheme, symbols: &Symbols, heads: &mut HeadTable) -> (Tree, bool) {
    let gold = GoldTree::new(tree, symbols).expect("all labels are known");
    let mut items = Items::default();
    items.start(symbols, &symbols.terminals(tree));
    let mut path = gold.walk(scheme);
    let (mut rng, mut places, mut is_allowed) = (Rng::new(1), Vec::new(), true);
    loop {
        scheme.places(path.state(), &items, &mut places);
        for correct in path.correct() {
            is_allowed &= places.contains(&correct.place)
                && scheme.is_legal(path.state(), &items, correct.place, correct.action);
        }
        if path.step(&mut items, symbols, heads, &mut rng).is_none() {
            let root = path.root().expect("the tree is complete");
            assert!(path.state().is_final(&items));
            return (to_tree(&items, root, symbols, tree), is_allowed);
        }
    }
}

#[test]
fn every_tree_comes_back_under_every_strategy() {
    let trees = preprocessed();
    let symbols = Symbols::collect(&trees, None, TagSet::punctuation());
    let mut heads = HeadTable::default();
    for strategy in Strategy::ALL {
        // All that are not allowed have phrases of more than five children.
        for (max_children, least_percent) in [(5, 70), (100, 100)] {
            let scheme = Scheme { strategy, max_children };
            let mut num_allowed = 0;
            for tree in &trees {
                let (rebuilt, is_allowed) = rebuild(tree, scheme, &symbols, &mut heads);
                assert_eq!(rebuilt.to_string(), tree.to_string());
                num_allowed += usize::from(is_allowed);
            }
            let is_enough = num_allowed * 100 >= trees.len() * least_percent;
            assert!(is_enough, "{strategy} {max_children}: {num_allowed} of {}", trees.len());
        }
    }
}

/// Parses a tree with itself as the guide; nothing if the scheme does not allow it.
fn found(
    tree: &Tree,
    searcher: &mut Searcher,
    workspace: &mut Workspace,
    scheme: Scheme,
    symbols: &Symbols,
) -> Option<Tree> {
    let gold = GoldTree::new(tree, symbols).expect("all labels are known");
    let (terminals, constraints) = (symbols.terminals(tree), LabelConstraints::default());
    let task = Task {
        scheme,
        symbols,
        terminals: &terminals,
        constraints: &constraints,
        deadline: None,
        rival: None,
    };
    let mut guide = OracleGuide::new(&gold, scheme, symbols.labels().len());
    let outcome = searcher.parse(&mut guide, workspace, &task).expect("the sentence is not empty");
    let parse = outcome.best();
    (parse.cost == 0.0 && !parse.is_fallback).then(|| to_tree(&workspace.items, parse.root, symbols, tree))
}

#[test]
fn every_search_follows_the_oracle() {
    let trees = preprocessed();
    let symbols = Symbols::collect(&trees, None, TagSet::punctuation());
    let short: Vec<&Tree> = trees.iter().filter(|tree| tree.num_tokens() <= 15).step_by(50).collect();
    let mut workspace = Workspace::default();
    for search in [Search::Greedy, Search::AGENDA, Search::BEAM] {
        let mut searcher = Searcher::new(SearchConfig { search, ..SearchConfig::default() });
        for strategy in Strategy::ALL {
            let scheme = Scheme { strategy, max_children: 5 };
            let mut num_found = 0;
            for tree in &short {
                if let Some(found) = found(tree, &mut searcher, &mut workspace, scheme, &symbols) {
                    assert_eq!(found.to_string(), tree.to_string());
                    num_found += 1;
                }
            }
            assert!(num_found * 100 >= short.len() * 90, "{strategy}: {num_found} of {}", short.len());
        }
    }
}
