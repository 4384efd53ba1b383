//! Export, TIGER-XML, Alpino XML, the Floresta and token tables: what holds for every input.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use boughs::tree::read::{Encoding, ExportVersion, Format, Input, ReadOptions, TreeReader, TreebankReader};
use boughs::tree::write::{write_export, write_table};
use boughs::tree::{Tree, TreeBuilder, is_root_label};
use proptest::prelude::*;
use proptest::sample::{Index, select};

const EXPORT: &str = "\
#FORMAT 3
#BOT ORIGIN
0\t--
#EOT ORIGIN
#BOS 1 %% first
Wer\tPWS\t--\tSB\t500
liest\tVVFIN\t--\tHD\t500
,\t$,\t--\t--\t0
lernt\tVVFIN\t--\tHD\t501
#500\tS\t--\tSB\t501
#501\tS\t--\t--\t0
#EOS 1
#BOS 2
Ja\tPTKANT\t--\t--\t0
#EOS 2
";

const TIGER: &str = r#"<?xml version="1.0" encoding="ISO-8859-1"?>
<corpus id="x"><body><subcorpus name="y">
<s id="s1"><graph root="s1_500"><terminals><t id="s1_1" word="Wer" pos="PWS"/><t id="s1_2" word="&lt;" pos="$("/>
<t id="s1_3" word="liest" pos="VVFIN"/></terminals><nonterminals>
<nt id="s1_500" cat="S"><edge label="HD" idref="s1_1"/><edge label="SB" idref="s1_3"/></nt></nonterminals></graph></s>
<s id="s2"><graph><terminals><t id="s2_1" word="Ja" pos="PTKANT"/></terminals></graph></s><!-- end -->
</subcorpus></body></corpus>
"#;

const ALPINO: &str = r#"<?xml version="1.0" encoding="ISO-8859-1"?>
<alpino version="1.2">
<alpino_ds id="1"><node begin="0" cat="top" rel="top"><node begin="2" pos="punct" rel="--" word="."/>
<node cat="smain" rel="--"><node begin="0" index="1" pos="noun" rel="su" word="Zij"/><node begin="1" pos="verb" rel="hd" word="leest"/>
<node cat="inf" rel="vc"><node index="1" rel="su"/><node begin="3" pos="adv" rel="mod" word="niet"/></node></node></node></alpino_ds>
</alpino>
"#;

const FLORESTA: &str = "\
#1 Ela lê {muito}.
(STA+fcl (SUBJ+pron-pers Ela)
         (P+v-fin lê) (ADVL+advp ({) (H+adv muito)
         (})) (.))

#2 Ana
(UTT+prop Ana
#3 Sim
(UTT+advp (H+adv Sim) (--))
";

const TABLE: &str = "\
# text = Vom Ast
1-2\tVom\t_\t_\t_\t_\t_\t_\t_\t_
1\tVon\t_\tADP\tAPPR\t_\t_\t_\t_\t_
2\tdem\t_\tDET\t_\t_\t_\t_\t_\t_
2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_

1\tAst\t_\tNOUN\tNN\t_\t_\t_\t_\t_
";

/// Reads to the end with every reader.
fn read_with_all(bytes: &[u8]) {
    for attach in [false, true] {
        for tree in
            TreeReader::new(bytes, ReadOptions { attach_discontinuous: attach, ..Format::Export.into() })
                .flatten()
        {
            check(&tree);
        }
        for format in [Format::TigerXml, Format::AlpinoXml] {
            let options = ReadOptions { attach_discontinuous: attach, ..format.into() };
            TreeReader::new(bytes, options).flatten().for_each(|tree| check(&tree));
        }
        let decoded = TreeReader::new(
            bytes,
            ReadOptions {
                encoding: Encoding::Latin1,
                attach_discontinuous: attach,
                ..Format::TigerXml.into()
            },
        );
        decoded.flatten().for_each(|tree| check(&tree));
    }
    TreeReader::new(bytes, Format::Table).flatten().for_each(|tree| check(&tree));
    TreeReader::new(bytes, Format::Sinica).flatten().for_each(|tree| check(&tree));
    TreeReader::new(bytes, Format::Floresta).flatten().for_each(|tree| check(&tree));
}

fn check(tree: &Tree) {
    let depths = tree.depths();
    assert!(tree.nodes().all(|node| !node.span.is_empty()));
    assert_eq!(depths.iter().filter(|&&depth| depth == 0).count(), usize::from(tree.num_nodes() > 0));
}

/// A piece of a file removed, doubled or replaced.
#[derive(Debug, Clone)]
struct Edit {
    start: Index,
    length: usize,
    with: Vec<u8>,
    doubled: bool,
}

fn edit() -> impl Strategy<Value = Edit> {
    let markup = select(vec![
        "<", ">", "<s", "</s>", "\"", "&", "\t", "\n", "#", "#EOS 1", "500", "0", "--", "\u{FF}",
    ]);
    let with =
        prop_oneof![markup.prop_map(|text| text.as_bytes().to_vec()), any::<[u8; 2]>().prop_map(Vec::from)];
    (any::<Index>(), 0usize..30, with, any::<bool>()).prop_map(|(start, length, with, doubled)| Edit {
        start,
        length,
        with,
        doubled,
    })
}

fn mutate(text: &str, edits: &[Edit]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for edit in edits {
        let start = edit.start.index(bytes.len() + 1);
        let end = (start + edit.length).min(bytes.len());
        let mut with = edit.with.clone();
        if edit.doubled {
            with.extend_from_slice(&bytes[start..end]);
            with.extend_from_slice(&bytes[start..end]);
        }
        bytes.splice(start..end, with);
    }
    bytes
}

#[derive(Debug, Clone)]
enum Step {
    Open(String),
    Token(String, String),
    Close,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let label = "([A-Z]{1,3}|)(-[A-Z0-9=]{1,3}){0,2}|-NONE-|A---|A-|VROOT|TOP";
    let word = "[^\\s\\p{C}#][^\\s\\p{C}]{0,5}|--|%%|#|#12|#x";
    prop::collection::vec(
        prop_oneof![
            label.prop_map(Step::Open),
            (word, "[A-Z$.,(]{0,3}").prop_map(|(word, tag)| Step::Token(word, tag)),
            Just(Step::Close),
        ],
        0..40,
    )
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

/// The tree as the export format has it.
fn rooted(mut tree: Tree) -> Tree {
    match tree.root() {
        Some(root) if is_root_label(root.label) => tree.set_label(root.id, "VROOT"),
        _ => tree.add_root("VROOT"),
    }
    tree
}

/// Parents of nodes (a node with a smaller number, or the root) and of tokens.
#[derive(Debug, Clone)]
struct Sketch {
    nodes: Vec<(Option<usize>, bool)>,
    tokens: Vec<(Option<usize>, bool)>,
}

fn sketch() -> impl Strategy<Value = Sketch> {
    let edges = |length| prop::collection::vec((any::<Index>(), any::<bool>()), length);
    (edges(1..7), edges(1..12)).prop_map(|(nodes, tokens)| {
        let num_nodes = nodes.len();
        let pick =
            |(index, is_head): (Index, bool), below: usize| (index.index(below + 1).checked_sub(1), is_head);
        let nodes = nodes.into_iter().enumerate().map(|(number, edge)| pick(edge, number)).collect();
        let mut tokens: Vec<_> = tokens.into_iter().map(|edge| pick(edge, num_nodes)).collect();
        // Every node has a token of its own, spread over the sentence.
        for node in 0..num_nodes {
            tokens.insert((node * 5) % (tokens.len() + 1), (Some(node), node % 3 == 0));
        }
        Sketch { nodes, tokens }
    })
}

impl Sketch {
    fn export(&self) -> String {
        let number = |parent: Option<usize>| parent.map_or(0, |parent| 500 + parent);
        let edge = |is_head: bool| if is_head { "HD" } else { "--" };
        let mut text = "#BOS 1\n".to_owned();
        for (index, &(parent, is_head)) in self.tokens.iter().enumerate() {
            writeln!(text, "w{index} T -- {} {}", edge(is_head), number(parent)).expect("a string");
        }
        for (index, &(parent, is_head)) in self.nodes.iter().enumerate() {
            writeln!(text, "#{} N{index} -- {} {}", 500 + index, edge(is_head), number(parent))
                .expect("a string");
        }
        text + "#EOS 1\n"
    }
}

/// A child as the slow reference sees it: its tokens, whether it is the head, and whether it was raised.
#[derive(Clone)]
struct Part {
    tokens: BTreeSet<usize>,
    is_head: bool,
    is_raised: bool,
}

/// The slow reference for raising: nodes from the highest number (children have higher numbers than their
/// parents) to the lowest, with sets of tokens in place of spans. Gives the tokens of every node.
fn raise_slowly(sketch: &Sketch) -> Vec<BTreeSet<usize>> {
    let mut parts: BTreeMap<usize, Vec<Part>> = BTreeMap::new();
    for (index, &(parent, is_head)) in sketch.tokens.iter().enumerate() {
        if let Some(parent) = parent {
            let part = Part { tokens: BTreeSet::from([index]), is_head, is_raised: false };
            parts.entry(parent).or_default().push(part);
        }
    }
    let mut yields = vec![BTreeSet::new(); sketch.nodes.len()];
    for node in (0..sketch.nodes.len()).rev() {
        let children = parts.remove(&node).expect("no node is without children");
        let kept = stay(&children);
        yields[node].clone_from(&kept);
        let (parent, is_head) = sketch.nodes[node];
        let Some(parent) = parent else { continue };
        let above = parts.entry(parent).or_default();
        for child in children.into_iter().filter(|child| child.tokens.is_disjoint(&kept)) {
            above.push(Part { is_head: false, is_raised: true, ..child });
        }
        above.push(Part { tokens: kept, is_head, is_raised: false });
    }
    yields
}

/// The tokens of the block of children that stays.
fn stay(children: &[Part]) -> BTreeSet<usize> {
    let all: BTreeSet<usize> = children.iter().flat_map(|child| child.tokens.clone()).collect();
    let mut blocks: Vec<BTreeSet<usize>> = Vec::new();
    for &token in &all {
        match blocks.last_mut().filter(|block| block.contains(&token.wrapping_sub(1))) {
            Some(block) => {
                block.insert(token);
            }
            None => blocks.push(BTreeSet::from([token])),
        }
    }
    let weight = |block: &BTreeSet<usize>| {
        let inside = || children.iter().filter(|child| child.tokens.is_subset(block));
        let own = inside().filter(|child| !child.is_raised).map(|child| child.tokens.len()).sum::<usize>();
        (inside().any(|child| child.is_head), own)
    };
    let best = blocks.iter().map(weight).max().expect("a block");
    blocks.iter().find(|block| weight(block) == best).expect("the best").clone()
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read_with_all(&bytes);
    }

    #[test]
    fn damaged_files_do_not_panic(edits in prop::collection::vec(edit(), 1..6)) {
        for text in [EXPORT, TIGER, ALPINO, FLORESTA, TABLE] {
            read_with_all(&mutate(text, &edits));
        }
    }

    #[test]
    fn export_round_trip(trees in prop::collection::vec(steps(), 1..4)) {
        let trees: Vec<Tree> = trees.iter().map(|steps| build(steps)).collect();
        for version in [ExportVersion::V3, ExportVersion::V4] {
            let mut text = version.header().to_owned() + "\n";
            for (number, tree) in trees.iter().enumerate() {
                write_export(tree, number as u64, version, &mut text).expect("a string");
                text.push('\n');
            }
            let read: Result<Vec<Tree>, _> = TreeReader::new(text.as_bytes(), Format::Export).collect();
            let expected: Vec<Tree> = trees.iter().cloned().map(rooted).collect();
            prop_assert_eq!(read.expect("what was written"), expected);
        }
    }

    #[test]
    fn table_round_trip(steps in steps()) {
        let tree = build(&steps);
        prop_assume!(!tree.is_empty());
        let mut text = String::new();
        write_table(&tree, &mut text).expect("a string");
        let read: Result<Vec<Tree>, _> = TreeReader::new(text.as_bytes(), Format::Table).collect();
        let flat = Tree::flat(tree.tokens().map(|token| (token.word, token.tag)).collect());
        prop_assert_eq!(read.expect("what was written"), vec![flat]);
    }

    #[test]
    fn raising_agrees_with_the_slow_reference(sketch in sketch()) {
        let text = sketch.export();
        let tree = TreeReader::new(text.as_bytes(), ReadOptions { attach_discontinuous: true, ..Format::Export.into() })
            .next()
            .expect("a sentence")
            .expect("a tree");
        let yields = raise_slowly(&sketch);
        prop_assert_eq!(tree.num_nodes(), sketch.nodes.len() + 1);
        for node in tree.nodes().skip(1) {
            let digits: String = node.label.chars().filter(char::is_ascii_digit).collect();
            let number: usize = digits.parse().expect("a number");
            let tokens: BTreeSet<usize> = node.span.range().collect();
            prop_assert_eq!(&tokens, &yields[number]);
        }
    }

    #[test]
    fn closing_gaps_changes_nothing_else(steps in steps()) {
        let mut text = String::new();
        write_export(&build(&steps), 1, ExportVersion::V4, &mut text).expect("a string");
        let refusing = TreeReader::new(text.as_bytes(), Format::Export).next().expect("one").expect("continuous");
        let closing = TreeReader::new(text.as_bytes(), ReadOptions { attach_discontinuous: true, ..Format::Export.into() }).next();
        prop_assert_eq!(closing.expect("one").expect("a tree"), refusing);
    }
}

#[test]
fn tags_with_brackets_survive_every_format() {
    let text = "#BOS 1\n(\t$(\t--\t--\t500\nja\tX)\t--\t--\t500\n#500\tS\t--\t--\t0\n#EOS 1";
    let tree = TreeReader::new(text.as_bytes(), Format::Export).next().expect("one").expect("a tree");
    let brackets = tree.to_string();
    assert_eq!(brackets, "(VROOT (S ($-LRB- -LRB-) (X-RRB- ja)))");
    let mut again = String::new();
    write_export(&brackets.parse().expect("a tree"), 1, ExportVersion::V3, &mut again).expect("a string");
    assert_eq!(again, text);
}

#[test]
fn byte_order_marks_are_skipped() {
    let export = "\u{FEFF}#BOS 1\na X -- -- 0\n#EOS 1\n";
    assert!(TreeReader::new(export.as_bytes(), Format::Export).next().expect("one").is_ok());
    let table =
        TreeReader::new("\u{FEFF}a\tX\n".as_bytes(), Format::Table).next().expect("one").expect("a tree");
    assert_eq!(table.word(0), "a");
    let json = TreeReader::new("\u{FEFF}{\"tokens\":[]}".as_bytes(), Format::Json).next().expect("one");
    assert_eq!(json.expect("a tree"), Tree::empty());
}

const DEEP: usize = 200_000;

#[test]
fn deep_export_trees() {
    let mut text = "#BOS 1\na X -- -- 500\nb X -- -- 0\nc X -- -- 500\n".to_owned();
    for number in 500..500 + DEEP {
        let parent = if number + 1 == 500 + DEEP { 0 } else { number + 1 };
        writeln!(text, "#{number} P -- -- {parent}").expect("a string");
    }
    text.push_str("#EOS 1\n");
    let refused = TreeReader::new(text.as_bytes(), Format::Export).next().expect("one").expect_err("a gap");
    assert_eq!(refused.place().line, Some(5));
    let tree =
        TreeReader::new(text.as_bytes(), ReadOptions { attach_discontinuous: true, ..Format::Export.into() })
            .next()
            .expect("one");
    let tree = tree.expect("a tree");
    assert_eq!(tree.num_nodes(), DEEP + 1);
    let mut again = String::new();
    write_export(&tree, 1, ExportVersion::V3, &mut again).expect("a string");
    assert_eq!(TreeReader::new(again.as_bytes(), Format::Export).next().expect("one").expect("a tree"), tree);
}

#[test]
fn deep_tiger_trees() {
    let mut text = "<s><t id='0' word='a' pos='X'/>".to_owned();
    for number in 1..=DEEP {
        write!(text, "<nt id='{number}' cat='P'><edge idref='{}'/></nt>", number - 1).expect("a string");
    }
    text.push_str("</s>");
    let tree = TreeReader::new(text.as_bytes(), Format::TigerXml).next().expect("one").expect("a tree");
    assert_eq!(tree.num_nodes(), DEEP + 1);
    let nested = "<s>".to_owned() + &"<x>".repeat(DEEP) + &"</x>".repeat(DEEP) + "</s>";
    let empty = TreeReader::new(nested.as_bytes(), Format::TigerXml).next().expect("one");
    assert_eq!(empty.expect("no tokens"), Tree::empty());
}

#[test]
fn long_sentences() {
    let rows = "a\tX\n".repeat(DEEP);
    let tree = TreeReader::new(rows.as_bytes(), Format::Table).next().expect("one").expect("a tree");
    assert_eq!(tree.num_tokens(), DEEP);
    let text = format!("#BOS 1\n{}#EOS 1\n", ", X -- -- 0\n".repeat(DEEP));
    let tree = TreeReader::new(text.as_bytes(), Format::Export).next().expect("one").expect("a tree");
    assert_eq!(tree.num_tokens(), DEEP);
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that checks nothing must say so")]
fn export_keeps_every_treebank_at_hand() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !data.is_dir() {
        eprintln!("{} is absent: nothing to check", data.display());
        return;
    }
    let mut trees =
        TreebankReader::open(vec![Input::Path(data)], ReadOptions::default()).expect("treebanks").flatten();
    let written: Vec<Tree> = trees.by_ref().step_by(10).collect();
    let mut text = String::new();
    for (number, tree) in written.iter().enumerate() {
        write_export(tree, number as u64, ExportVersion::V4, &mut text).expect("a string");
        text.push('\n');
    }
    let read: Result<Vec<Tree>, _> = TreeReader::new(text.as_bytes(), Format::Export).collect();
    let expected: Vec<Tree> = written.into_iter().map(rooted).collect();
    assert!(read.expect("what was written") == expected, "a tree has changed");
}

/// Trees, trees that cannot be read, and tokens of a treebank of another language; none if it is not there.
#[expect(clippy::print_stderr, reason = "a test that checks nothing must say so")]
fn read_language(name: &str) -> Option<(Vec<Tree>, usize, usize)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/languages").join(name);
    if !file.is_file() {
        eprintln!("{} is absent: nothing to check", file.display());
        return None;
    }
    let options = ReadOptions { attach_discontinuous: true, ..ReadOptions::default() };
    let results: Vec<_> = TreebankReader::open(vec![Input::Path(file)], options).expect("a file").collect();
    let num_bad = results.iter().filter(|tree| tree.is_err()).count();
    let trees: Vec<Tree> = results.into_iter().flatten().collect();
    let num_tokens = trees.iter().map(Tree::num_tokens).sum();
    Some((trees, num_bad, num_tokens))
}

/// The file has 9,369 sentences; in a few the brackets are broken.
#[test]
fn the_floresta_is_read_whole() {
    let Some((trees, num_bad, num_tokens)) = read_language("portuguese-floresta.ptb.gz") else { return };
    trees.iter().for_each(check);
    assert!(trees.len() > 9_340 && num_bad < 35, "{} trees, {num_bad} bad", trees.len());
    assert!(num_tokens > 200_000, "{num_tokens} tokens");
    assert!(
        trees.iter().flat_map(Tree::nodes).all(|node| !node.label.contains('+') || node.label.contains('['))
    );
    assert!(
        trees.iter().flat_map(Tree::tokens).all(|token| !token.word.contains(char::REPLACEMENT_CHARACTER))
    );
}

#[test]
fn alpino_is_read_whole() {
    let Some((trees, num_bad, num_tokens)) = read_language("dutch-alpino.xml.gz") else { return };
    trees.iter().for_each(check);
    assert_eq!((trees.len(), num_bad), (7_136, 0));
    assert!(num_tokens > 130_000, "{num_tokens} tokens");
}
