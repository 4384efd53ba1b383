//! Random trees, for property tests.

use boughs::tree::{Tree, TreeBuilder};
use proptest::collection::vec;
use proptest::prelude::*;

/// A step in building a tree.
#[derive(Debug, Clone)]
enum Build {
    Open(String),
    Token(String, String),
    Close,
}

/// Trees of up to `size` phrases and tokens, the empty tree and the bare token included. Every shape may come up:
/// unary chains, flat phrases, phrases over one token, several phrases at the top.
pub fn random_tree(
    size: usize,
    label: impl Strategy<Value = String> + 'static,
) -> impl Strategy<Value = Tree> {
    let label = label.boxed();
    random_tree_of(size, label.clone(), "[a-c.,]{1,3}", label)
}

/// The same with given words and tags.
pub fn random_tree_of(
    size: usize,
    label: impl Strategy<Value = String>,
    word: impl Strategy<Value = String>,
    tag: impl Strategy<Value = String>,
) -> impl Strategy<Value = Tree> {
    let build = prop_oneof![
        3 => label.prop_map(Build::Open),
        4 => (word, tag).prop_map(|(word, tag)| Build::Token(word, tag)),
        2 => Just(Build::Close),
    ];
    vec(build, 0..size).prop_map(|steps| build_tree(&steps))
}

fn build_tree(steps: &[Build]) -> Tree {
    let mut builder = TreeBuilder::new();
    for step in steps {
        match step {
            Build::Open(label) => builder.open(label),
            Build::Token(word, tag) => builder.token(word, tag),
            Build::Close if builder.depth() > 0 => {
                builder.close();
            }
            Build::Close => {}
        }
    }
    builder.finish().expect("a small tree")
}
