//! Real trees: the project's own sample, and the treebanks that lie beside the workspace on the developers' machines,
//! which are not part of the project.

use std::path::Path;

use boughs::tree::Tree;
use boughs::tree::read::{Input, ReadOptions, TreebankReader};

/// Calls `test` with every tree of the sample and of every treebank there is; says so if there is none.
#[expect(clippy::print_stderr, reason = "a test that tests less than it could should say so")]
pub fn for_every_tree(mut test: impl FnMut(&Tree)) {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = workspace.join("../shared/data");
    let mut treebanks = vec![Input::Path(workspace.join("crates/boughs/data/sample"))];
    // Beside treebanks of English there are texts, and treebanks in formats that we do not read.
    for name in ["wsj", "gum", "craft", "masc"].map(|name| data.join(name)) {
        match name.is_dir() {
            true => treebanks.push(Input::Path(name)),
            false => eprintln!("no treebank at {}: it is not tested", name.display()),
        }
    }
    for tree in TreebankReader::open(treebanks, ReadOptions::default()).expect("treebanks") {
        test(&tree.expect("a tree"));
    }
}
