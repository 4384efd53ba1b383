//! The treebanks that lie beside the workspace on the developers' machines; they are not part of the project.

use std::path::Path;

use boughs::tree::Tree;
use boughs::tree::read::{Input, ReadOptions, TreebankReader};

/// Calls `test` with every tree of every treebank; says so if there are none.
#[expect(clippy::print_stderr, reason = "a test that tests nothing should say so")]
pub fn for_every_tree(mut test: impl FnMut(&Tree)) {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let treebanks = ["craft", "gum", "wsj"].map(|name| data.join(name));
    let present: Vec<Input> = treebanks.into_iter().filter(|path| path.is_dir()).map(Input::Path).collect();
    if present.is_empty() {
        eprintln!("no treebanks at {}: nothing to test on", data.display());
        return;
    }
    for tree in TreebankReader::open(present, ReadOptions::default()).expect("treebanks") {
        test(&tree.expect("a tree"));
    }
}
