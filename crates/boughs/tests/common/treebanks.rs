//! Real trees: the project's own sample, and the treebanks that lie beside the workspace on the developers' machines, which are
//! not part of the project.

use std::path::Path;

use boughs::tree::Tree;
use boughs::tree::read::{Input, ReadOptions, TreebankReader};

/// Calls `test` with every tree of the sample and of every treebank there is; says so if there is none.
#[expect(clippy::print_stderr, reason = "a test that tests nothing should say so")]
pub fn for_every_tree(mut test: impl FnMut(&Tree)) {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = workspace.join("../shared/data");
    let treebanks = ["craft", "gum", "wsj"].map(|name| data.join(name));
    let mut present: Vec<Input> =
        treebanks.into_iter().filter(|path| path.is_dir()).map(Input::Path).collect();
    if present.is_empty() {
        eprintln!("no treebanks at {}: only the sample is tested", data.display());
    }
    present.push(Input::Path(workspace.join("testdata/sample")));
    for tree in TreebankReader::open(present, ReadOptions::default()).expect("treebanks") {
        test(&tree.expect("a tree"));
    }
}
