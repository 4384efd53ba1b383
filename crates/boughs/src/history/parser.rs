//! From a tagged sentence to a tree over all of its tokens.

use super::guide::Workspace;
use super::model::{Model, ModelGuide};
use super::output::to_tree;
use super::search::{SearchConfig, greedy};
use crate::tree::Tree;

/// Parses with a model, in memory of its own: one for each thread.
#[derive(Debug)]
pub struct Parser<'m> {
    model: &'m Model,
    guide: ModelGuide<'m>,
    workspace: Workspace,
    search: SearchConfig,
}

/// A tree, and how it was found.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// The tree over all tokens of the sentence.
    pub tree: Tree,
}

impl<'m> Parser<'m> {
    /// A parser that searches in this way.
    pub fn new(model: &'m Model, search: SearchConfig) -> Self {
        Self { model, guide: ModelGuide::new(model), workspace: Workspace::default(), search }
    }

    /// Parses the tokens of a tree by their tags; its phrases are not looked at.
    pub fn parse(&mut self, sentence: &Tree) -> Parsed {
        let _ = &self.search;
        let mut prepared = sentence.clone();
        prepared.retain_nodes(|_| false);
        let record = self.model.pipeline.prepare(&mut prepared);
        if prepared.is_empty() {
            return Parsed { tree: record.flat() };
        }
        let terminals = self.model.symbols.terminals(&prepared);
        let root =
            greedy(&mut self.guide, &mut self.workspace, self.model.scheme, &self.model.symbols, &terminals);
        let Some(root) = root else { return Parsed { tree: record.flat() } };
        let tree = to_tree(&self.workspace.items, root, &self.model.symbols, &prepared);
        Parsed { tree: record.restore(&tree).unwrap_or_else(|_| record.flat()) }
    }
}
