//! What must hold for any bytes and for any tree; the fuzz targets in `fuzz/` check the same without end.

#[path = "common/random_tree.rs"]
#[expect(dead_code, reason = "each test uses its part of what is shared")]
mod random_tree;

use boughs::tree::Tree;
use boughs::tree::escape::{escape, unescape};
use boughs::tree::read::{BlankLines, Format, ReadOptions, TreeReader};
use boughs::tree::write::write_pretty;
use proptest::collection::vec;
use proptest::prelude::*;
use random_tree::random_tree_of;

fn trees() -> impl Strategy<Value = Tree> {
    let label = "[A-Z@|^=+*-]{0,4}|[A-Z$()-]{1,3}|-[LR]RB-|\\PC{0,3}";
    let word = "[a-z(){}\\[\\]-]{1,5}|-LRB-x|\\PC{1,4}";
    random_tree_of(40, label, word, "[A-Z.,:`'$#()-]{1,4}|-LRB-|_")
}

fn read_all(bytes: &[u8], blank_lines: BlankLines) -> (Vec<Tree>, usize) {
    let mut trees = Vec::new();
    let mut num_errors = 0;
    for tree in TreeReader::new(bytes, ReadOptions { blank_lines, ..Format::Bracket.into() }) {
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
    for tree in trees.into_iter().filter(|tree| tree.words().all(|word| unescape(&escape(word)) == word)) {
        let text = tree.to_string();
        let again: Tree = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(again, tree, "{text}");
    }
}

/// A file of good trees with some bytes changed, removed or added.
fn damaged_file() -> impl Strategy<Value = Vec<u8>> {
    let line = trees().prop_map(|tree| tree.to_string());
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
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

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
    fn trees_survive_writing_and_reading(tree in trees()) {
        // Reading joins the words of a token with no-break spaces and takes `_` for no tag.
        let once: Tree = tree.to_string().parse().expect("own output");
        prop_assume!(once.words().all(|word| unescape(&escape(word)) == word));
        prop_assert_eq!(&once.to_string().parse::<Tree>().expect("own output"), &once);
        let mut pretty = String::new();
        write_pretty(&once, &mut pretty).expect("strings do not fail");
        prop_assert_eq!(&pretty.parse::<Tree>().expect("own output"), &once);
    }

    #[test]
    fn text_survives_reading_and_writing(
        label in "[A-Z$]{0,2}(-[LRCS][RC]B-|-|B|LRB){0,3}X?", word in "[a-z]{1,3}(-[LR][RC]B-){0,2}"
    ) {
        let text = format!("(S{label} (N n) (T{label} {word}))");
        prop_assert_eq!(text.parse::<Tree>().expect("a tree").to_string(), text);
    }

    #[test]
    fn a_damaged_line_costs_no_other_tree_under_a_root(
        before in trees(), mut after in trees(), cut in any::<prop::sample::Index>()
    ) {
        after.set_root("TOP");
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
