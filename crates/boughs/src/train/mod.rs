//! Recipes: from a treebank to a model. The only part of the library that knows both ends.

pub mod history;
