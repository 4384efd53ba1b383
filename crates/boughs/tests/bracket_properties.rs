//! What must hold for any bytes and for any tree; the fuzz targets in `fuzz/` check the same without end.

use boughs::tree::read::{BlankLines, BracketReader};
use boughs::tree::write::write_pretty;
use boughs::tree::{Tree, TreeBuilder};
use proptest::collection::vec;
use proptest::prelude::*;

/// Steps of building a tree: open a phrase, add a token, or close a phrase.
#[derive(Debug, Clone)]
enum Step {
    Open(String),
    Token(String, String),
    Close,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let label = "[A-Z@|^=+*-]{0,4}|\\PC{0,3}";
    let word = "[a-z(){}\\[\\]-]{1,5}|-LRB-x|\\PC{1,4}";
    let step = prop_oneof![
        3 => label.prop_map(Step::Open),
        4 => (word, "[A-Z.,:`'$#-]{1,4}|_").prop_map(|(word, tag)| Step::Token(word, tag)),
        3 => Just(Step::Close),
    ];
    vec(step, 0..40)
}

fn build(steps: &[Step]) -> Tree {
    let mut builder = TreeBuilder::new();
    for step in steps {
        match step {
            Step::Open(label) => builder.open(label),
            Step::Token(word, tag) => builder.token(word, tag),
            Step::Close if builder.depth() > 0 => {
                builder.close();
            }
            Step::Close => {}
        }
    }
    builder.finish().expect("small")
}

fn read_all(bytes: &[u8], blank_lines: BlankLines) -> (Vec<Tree>, usize) {
    let mut trees = Vec::new();
    let mut num_errors = 0;
    for tree in BracketReader::new(bytes).blank_lines(blank_lines) {
        match tree {
            Ok(tree) => trees.push(tree),
            Err(error) => {
                assert!(error.place().line.is_some(), "{error}");
                num_errors += 1;
            }
        }
    }
    (trees, num_errors)
}

/// Reading ends, and what was read can be written and read again.
fn check_bytes(bytes: &[u8]) {
    let (trees, num_errors) = read_all(bytes, BlankLines::AreEmptyTrees);
    assert!(trees.len() + num_errors <= bytes.len() + 1);
    for tree in trees {
        let text = tree.to_string();
        let again: Tree = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(again, tree, "{text}");
    }
}

/// A file of good trees with some bytes changed, removed or added.
fn damaged_file() -> impl Strategy<Value = Vec<u8>> {
    let line = steps().prop_map(|steps| build(&steps).to_string());
    (vec(line, 1..5), vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 0..4)).prop_map(
        |(lines, damage)| {
            let mut bytes = lines.join("\n").into_bytes();
            for (index, byte, kind) in damage {
                let at = index.index(bytes.len());
                match kind {
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, b"()\n "[usize::from(byte) % 4]),
                    _ if bytes.len() > 1 => {
                        bytes.remove(at);
                    }
                    _ => {}
                }
            }
            bytes
        },
    )
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(bytes in vec(any::<u8>(), 0..200)) {
        check_bytes(&bytes);
    }

    #[test]
    fn any_brackets_are_read_without_panic(text in "[()\\n A-Ca-c;*x%-]{0,80}") {
        check_bytes(text.as_bytes());
    }

    #[test]
    fn damaged_files_are_read_without_panic(bytes in damaged_file()) {
        check_bytes(&bytes);
    }

    #[test]
    fn trees_survive_writing_and_reading(steps in steps()) {
        // Reading joins the words of a token with no-break spaces and takes `_` for no tag.
        let once: Tree = build(&steps).to_string().parse().expect("own output");
        prop_assert_eq!(&once.to_string().parse::<Tree>().expect("own output"), &once);
        let mut pretty = String::new();
        write_pretty(&once, &mut pretty).expect("strings do not fail");
        prop_assert_eq!(&pretty.parse::<Tree>().expect("own output"), &once);
    }

    #[test]
    fn a_damaged_line_costs_no_other_tree_under_a_root(
        before in steps(), after in steps(), cut in any::<prop::sample::Index>()
    ) {
        let rooted = |steps: &[Step]| {
            let mut tree = build(steps);
            tree.set_root("TOP");
            tree
        };
        let (before, after) = (rooted(&before), rooted(&after));
        prop_assume!(!after.is_empty());
        let bad = "(TOP (S (NP (DT the) (NN cat)) (VP (VBD sat))))";
        let brackets: Vec<usize> = bad.match_indices(')').map(|(index, _)| index).collect();
        let mut bad = bad.to_owned();
        bad.remove(brackets[cut.index(brackets.len())]);
        let file = format!("{before}\n{bad}\n{after}\n");
        let (trees, num_errors) = read_all(file.as_bytes(), BlankLines::Skip);
        prop_assert_eq!(num_errors, 1);
        prop_assert_eq!(trees.len(), 2);
        prop_assert_eq!(trees[1].to_string(), after.to_string());
    }
}
