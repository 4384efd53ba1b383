//! What tests of several modules need: the gold tree as a guide, a small model; and tests on every tree there is.

#[path = "../../tests/common/treebanks.rs"]
mod treebanks;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::OnceLock;

use super::examples::{ExampleWeights, ExamplesBuilder};
use super::features::{FeatureLayout, Templates};
use super::gold::GoldTree;
use super::guide::{Guide, Scored, Workspace};
use super::model::{TransitionModel, action_name, actions, prepare};
use super::options::{Search, TransitionOptions};
use super::oracle::{GoldPath, Oracle};
use super::search::{Searcher, Task};
use super::state::{Action, Inference, ParserState, Scheme};
use super::strategy::Strategy;
use super::symbols::{Label, TOP_NAME, TransitionSymbols};
use crate::learn::{Job, L1Config, train_many};
use crate::model::{BitForest, Classifier, Forest};
use crate::rng::Rng;
use crate::tree::Tree;
use crate::tree::read::{Input, ReadOptions, TreebankReader};
use crate::tree::transform::{KeepOrDrop, Pipeline, TagSet, sentence_length};

/// Scores correct inferences +∞ and all others -∞.
#[derive(Debug, Clone)]
pub(super) struct OracleGuide<'g> {
    gold: &'g GoldTree,
    scheme: Scheme,
    oracle: Oracle<'g>,
    num_labels: u16,
}

impl<'g> OracleGuide<'g> {
    /// Follows a gold tree over so many labels.
    pub(super) fn new(gold: &'g GoldTree, scheme: Scheme, num_labels: usize) -> Self {
        Self { gold, scheme, oracle: Oracle::new(gold, scheme), num_labels: num_labels as u16 }
    }
}

impl Guide for OracleGuide<'_> {
    fn start(&mut self) {
        self.oracle = Oracle::new(self.gold, self.scheme);
    }

    fn score(&mut self, state: &ParserState, workspace: &mut Workspace, scored: &mut Vec<Scored>) {
        scored.clear();
        let (scheme, items, mut places) = (self.scheme, &workspace.items, Vec::new());
        scheme.places(state, items, &mut places);
        let correct = self.oracle.correct(state, items);
        let actions = (0..self.num_labels).map(|label| Action::Build(Label(label))).chain([Action::Shift]);
        for place in places {
            let legal = actions.clone().filter(|&action| scheme.is_legal(state, items, place, action));
            scored.extend(legal.map(|action| {
                let inference = Inference { place, action };
                let is_correct = correct.contains(&inference);
                Scored { inference, score: if is_correct { f64::INFINITY } else { f64::NEG_INFINITY } }
            }));
        }
    }
}

/// The short sentences of the sample treebank.
pub(super) fn sample() -> Vec<Tree> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sample");
    let trees = TreebankReader::open(vec![Input::Path(path)], ReadOptions::default()).expect("the sample");
    trees.map(|tree| tree.expect("a tree")).filter(|tree| sentence_length(tree) <= 12).collect()
}

/// A small model of the sample.
pub(super) fn trained() -> &'static TransitionModel {
    static TRAINED: OnceLock<TransitionModel> = OnceLock::new();
    TRAINED.get_or_init(|| {
        let scheme = Scheme { strategy: Strategy::RightToLeft, max_children: 5 };
        let pipeline = "tm06".parse::<Pipeline>().expect("a pipeline");
        let trees = prepare(&pipeline, &sample());
        let symbols = TransitionSymbols::collect(&trees, None, pipeline.settings.punctuation.clone());
        let templates = "kitchen-sink".parse::<Templates>().expect("a set");
        let layout = FeatureLayout::new(templates, &symbols).expect("few features");
        let mut builder = ExamplesBuilder::new(&symbols, &layout, scheme, 0).expect("few features");
        trees.iter().for_each(|tree| builder.push(tree).expect("few rows"));
        let examples = builder.finish();
        let actions = actions(&symbols, scheme);
        let targets =
            actions.iter().map(|&action| examples.target(action, ExampleWeights::PerState, &symbols));
        let targets: Vec<_> = targets.map(|target| target.expect("sound")).collect();
        let config = L1Config { final_penalty: 0.5, sample_size: 2_000, ..L1Config::default() };
        let jobs: Vec<_> = targets.iter().map(|target| Job { target, config, checkpoint: None }).collect();
        let learned = train_many(&examples.dataset, &jobs, 2 << 30, |_, _, _| ControlFlow::Continue(()));
        let ensembles = learned.expect("sound").into_iter().map(|it| it.ensemble);
        let label = |&action| action_name(&symbols, action).to_owned();
        let classifiers = actions.iter().map(label).zip(ensembles);
        let classifiers = classifiers.map(|(label, ensemble)| Classifier { label, ensemble });
        let forest = Forest::new(classifiers.collect()).expect("a forest");
        let bits = BitForest::new(&forest).expect("few conditions");
        TransitionModel { symbols, scheme, layout, forest, bits, pipeline }
    })
}

fn preprocessed() -> Vec<Tree> {
    let pipeline = "tm06".parse::<Pipeline>().expect("a pipeline");
    let mut trees = Vec::new();
    treebanks::for_every_tree(|tree| {
        let mut tree = tree.clone();
        if pipeline.apply(&mut tree) == KeepOrDrop::Keep && !tree.is_empty() {
            tree.set_root(TOP_NAME);
            trees.push(tree);
        }
    });
    trees
}

/// Rebuilds a tree; says whether the scheme allows every inference.
fn rebuild(
    tree: &Tree,
    scheme: Scheme,
    symbols: &TransitionSymbols,
    workspace: &mut Workspace,
) -> (Tree, bool) {
    let gold = GoldTree::new(tree, symbols).expect("all labels are known");
    workspace.items.start(symbols, &symbols.terminals(tree));
    let mut path = GoldPath::new(&gold, scheme, &workspace.items);
    let (mut rng, mut places, mut is_allowed) = (Rng::new(1), Vec::new(), true);
    loop {
        scheme.places(&path.state, &workspace.items, &mut places);
        for correct in path.correct() {
            is_allowed &= places.contains(&correct.place)
                && scheme.is_legal(&path.state, &workspace.items, correct.place, correct.action);
        }
        if path.step(workspace, symbols, &mut rng).is_none() {
            assert!(path.state.is_final(&workspace.items));
            return (workspace.items.to_tree(path.state.frontier[0], symbols, tree), is_allowed);
        }
    }
}

#[test]
fn every_tree_comes_back_under_every_strategy() {
    let trees = preprocessed();
    let symbols = TransitionSymbols::collect(&trees, None, TagSet::punctuation());
    let mut workspace = Workspace::default();
    for strategy in Strategy::ALL {
        // All that are not allowed have phrases of more than five children.
        for (max_children, least_percent) in [(5, 70), (100, 100)] {
            let scheme = Scheme { strategy, max_children };
            let mut num_allowed = 0;
            for tree in &trees {
                let (rebuilt, is_allowed) = rebuild(tree, scheme, &symbols, &mut workspace);
                assert_eq!(rebuilt.to_string(), tree.to_string());
                num_allowed += usize::from(is_allowed);
            }
            let is_enough = num_allowed * 100 >= trees.len() * least_percent;
            assert!(is_enough, "{strategy:?} {max_children}: {num_allowed} of {}", trees.len());
        }
    }
}

/// Parses a tree with itself as the guide; none if the scheme does not allow it.
fn found(
    tree: &Tree,
    searcher: &mut Searcher,
    workspace: &mut Workspace,
    scheme: Scheme,
    symbols: &TransitionSymbols,
) -> Option<Tree> {
    let gold = GoldTree::new(tree, symbols).expect("all labels are known");
    let terminals = symbols.terminals(tree);
    let mut guide = OracleGuide::new(&gold, scheme, symbols.labels.len());
    let searched = searcher.parse(&mut guide, workspace, &Task::new(scheme, symbols, &terminals));
    let path = searched.complete().filter(|path| path.cost == 0.0)?;
    Some(workspace.items.to_tree(path.root, symbols, tree))
}

#[test]
fn every_search_follows_the_oracle() {
    let trees = preprocessed();
    let symbols = TransitionSymbols::collect(&trees, None, TagSet::punctuation());
    let short: Vec<&Tree> = trees.iter().filter(|tree| tree.num_tokens() <= 15).step_by(50).collect();
    let mut workspace = Workspace::default();
    for search in [Search::Greedy, Search::AGENDA, Search::BEAM] {
        let mut searcher = Searcher::new(TransitionOptions { search, ..TransitionOptions::default() });
        for strategy in Strategy::ALL {
            let scheme = Scheme { strategy, max_children: 5 };
            let mut num_found = 0;
            for tree in &short {
                if let Some(found) = found(tree, &mut searcher, &mut workspace, scheme, &symbols) {
                    assert_eq!(found.to_string(), tree.to_string());
                    num_found += 1;
                }
            }
            assert!(num_found * 100 >= short.len() * 90, "{strategy:?}: {num_found} of {}", short.len());
        }
    }
}
