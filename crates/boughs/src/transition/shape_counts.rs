//! Which rows of symbols training trees have: see [`Shapes`].

use std::sync::Arc;

use super::features::{FeatureLayout, PlaceView, Templates};
use super::gold::GoldTree;
use super::guide::Workspace;
use super::item::ItemId;
use super::oracle::GoldPath;
use super::shapes::{RowCounts, Shapes};
use super::state::{Action, Inference, Scheme};
use super::symbols::TransitionSymbols;
use crate::error::Result;
use crate::rng::Rng;
use crate::tree::Tree;

/// Symbols that know the rows that preprocessed trees have, on the path on which the `seed` leads through each, if
/// templates ask for any.
///
/// # Errors
/// If there are too many features.
pub(crate) fn with_shapes(
    mut symbols: TransitionSymbols,
    trees: &[Tree],
    templates: &Templates,
    scheme: Scheme,
    seed: u64,
) -> Result<TransitionSymbols> {
    if templates.asks_for_shapes() {
        let asked = templates.rows();
        symbols.shapes = Arc::new(Shapes::unknown(asked.len()));
        let layout = FeatureLayout::new(templates.clone(), &symbols)?;
        let mut counts = Counts { sets: vec![RowCounts::default(); asked.len()], ..Counts::default() };
        for (number, tree) in trees.iter().enumerate() {
            counts.add(tree, &symbols, &layout, scheme, Rng::stream(seed, number as u64));
        }
        let Counts { rules, paths, sets, .. } = counts;
        let sets = sets.into_iter().map(RowCounts::frequent).collect();
        symbols.shapes = Arc::new(Shapes { rules: rules.frequent(), paths: paths.frequent(), sets });
    }
    Ok(symbols)
}

#[derive(Default)]
struct Counts {
    rules: RowCounts,
    paths: RowCounts,
    sets: Vec<RowCounts>,
    workspace: Workspace,
}

impl Counts {
    /// Counts what a tree has, and what is around each of its correct inferences.
    fn add(
        &mut self,
        tree: &Tree,
        symbols: &TransitionSymbols,
        layout: &FeatureLayout,
        scheme: Scheme,
        mut rng: Rng,
    ) {
        let Some(gold) = GoldTree::new(tree, symbols).filter(|_| !tree.is_empty()) else { return };
        self.workspace.items.start(symbols, &symbols.terminals(tree));
        let mut path = GoldPath::new(&gold, scheme, &self.workspace.items);
        loop {
            let before = path.state.clone();
            let Some(Inference { place, action }) = path.step(&mut self.workspace, symbols, &mut rng) else {
                break;
            };
            let items = &self.workspace.items;
            // The phrase that was built, now on the frontier, knows its head.
            let head = match action {
                Action::Build(_) => items.get(path.state.frontier[place.start as usize]).head_child.into(),
                Action::Shift => 0,
            };
            let view = PlaceView { items, frontier: &before.frontier, place };
            for (counts, asked) in self.sets.iter_mut().zip(layout.templates.rows()) {
                counts.add(layout.row(view, head, asked));
            }
        }
        let items = &self.workspace.items;
        for id in (0..items.len() as u32).map(ItemId) {
            self.paths.add(items.path(id).collect());
            if !items.get(id).is_terminal() {
                self.rules.add(items.rule(id).collect());
            }
        }
    }
}
