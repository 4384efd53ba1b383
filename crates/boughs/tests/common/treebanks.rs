//! Real trees: the project's own sample, and the treebanks that lie beside the workspace on the developers' machines, which are
//! not part of the project.

use std::path::Path;

use boughs::tree::Tree;
use boughs::tree::read::{Input, ReadOptions, TreebankReader};

/// Calls `test` with every tree of the sample and of every treebank there is; says so if there is none.
#[expect(clippy::print_stderr, reason = "a test that tests less than it could should say so")]
pub fn for_every_tree(mut test: impl FnMut(&Tree)) {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = workspace.join("../shared/data");
    let mut treebanks = vec![Input::Path(workspace.join("crates/boughs/data/sample"))];
    if data.is_dir() {
        treebanks.push(Input::Path(data));
    } else {
        eprintln!("no treebanks at {}: only the sample is tested", data.display());
    }
    for tree in TreebankReader::open(treebanks, ReadOptions::default()).expect("treebanks") {
        test(&tree.expect("a tree"));
    }
}
