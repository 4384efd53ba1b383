//! Every form of bracket file found in the wild, and every way to get one wrong.

use boughs::tree::Tree;
use boughs::tree::read::{BlankLines, Format, ReadOptions, TreeReader};
use boughs::{Error, ErrorKind};

fn read(text: &str) -> Vec<Result<String, String>> {
    TreeReader::new(text.as_bytes(), Format::Bracket)
        .map(|tree| tree.map(|tree| tree.to_string()).map_err(|error| error.to_string()))
        .collect()
}

fn trees(text: &str) -> Vec<String> {
    read(text).into_iter().map(|tree| tree.unwrap_or_else(|error| panic!("{text:?}: {error}"))).collect()
}

fn only_error(text: &str) -> Error {
    let mut errors = TreeReader::new(text.as_bytes(), Format::Bracket).filter_map(Result::err);
    let error = errors.next().unwrap_or_else(|| panic!("{text:?} was read"));
    assert!(errors.next().is_none(), "{text:?} has more than one error");
    error
}

#[test]
fn roots() {
    for text in
        ["( (S (A a)))", "(TOP (S (A a)))", "(ROOT (S (A a)))", "(S1 (S (A a)))", "(S (A a))", "(A a)"]
    {
        assert_eq!(trees(text), [text]);
    }
    assert_eq!(trees("((S (A a)))"), ["( (S (A a)))"]);
    assert_eq!(trees("( (S (A a)) (NP (B b)))"), ["( (S (A a)) (NP (B b)))"]);
}

#[test]
fn layouts() {
    let tree = "(S (NP (A a) (B b)) (VP (C c)))";
    for text in [
        "(S (NP (A a) (B b)) (VP (C c)))",
        "(S(NP(A a)(B b))(VP(C c)))",
        "( S ( NP ( A a ) ( B b ) ) ( VP ( C c ) ) )",
        "(S\r\n\t(NP (A a)\r\n\t\t(B b))\r\n\t(VP (C c)))\r\n",
        "\n\n(S\n(NP (A a)\n(B b))\n(VP\n(C\nc)))\n\n",
    ] {
        assert_eq!(trees(text), [tree], "{text:?}");
    }
    assert_eq!(trees("(A a) (B b)(C c)\n(D d)"), ["(A a)", "(B b)", "(C c)", "(D d)"]);
}

#[test]
fn headers_and_comments() {
    let text = "*x*x*x*x*\n*x* Copyright (C) 1991 *x*\n*x*x*x*x*\n\n; (A not)\n% (A not)\n# id = 3\n(A a)\n; x\n(B b)\n";
    assert_eq!(trees(text), ["(A a)", "(B b)"]);
}

#[test]
fn brackets_in_words_are_unescaped_inside() {
    let tree: Tree = "(X (-LRB- -LRB-) (NN :-RRB-) (NN -LSB-1-RSB-))".parse().expect("a tree");
    assert_eq!(tree.words().collect::<Vec<_>>(), ["(", ":)", "[1]"]);
    assert_eq!(tree.token(0).tag, "-LRB-");
}

#[test]
fn words_that_look_like_something_else() {
    for text in ["(: ;)", "(. %)", "(# #)", "(, ,)", "(`` ``)", "(-NONE- *x*)", "(SYM \u{FEFF})", "(A ü)"] {
        assert_eq!(trees(text), [text]);
    }
}

#[test]
fn empty_trees() {
    for text in ["()", "(())", "( () )", "(TOP)", "(TOP )", "(ROOT ())", "( (TOP ))"] {
        assert_eq!(trees(text), ["()"], "{text:?}");
    }
}

#[test]
fn blank_lines_may_stand_for_trees() {
    let with = |text: &str| -> Vec<String> {
        TreeReader::new(
            text.as_bytes(),
            ReadOptions { blank_lines: BlankLines::AreEmptyTrees, ..Format::Bracket.into() },
        )
        .map(|tree| tree.expect("a tree").to_string())
        .collect()
    };
    assert_eq!(with("(A a)\n\n(B b)\n  \n\n"), ["(A a)", "()", "(B b)", "()", "()"]);
    assert_eq!(with("\n(A a)"), ["()", "(A a)"]);
    assert_eq!(with("(A a)\r\n\r\n(B b)\r\n"), ["(A a)", "()", "(B b)"]);
    assert_eq!(with(""), Vec::<String>::new());
}

#[test]
fn several_words_under_a_tag_are_one_token() {
    assert_eq!(trees("(NP (NNP New  York))"), ["(NP (NNP New\u{A0}York))"]);
}

#[test]
fn errors_say_where_and_what() {
    for (text, line, column, message) in [
        ("(A a)\nhello", 2, 1, "expected a tree, found `hello`"),
        ("(A a)\n ) x", 2, 2, "`)` closes nothing"),
        ("(S (A a)))", 1, 10, "`)` closes nothing"),
        ("(,)", 1, 1, "nothing in `(,)`"),
        ("(S (NP ) (A a))", 1, 4, "nothing in `(NP)`"),
        ("(S () (A a))", 1, 4, "nothing in `()`"),
        ("(hello)", 1, 1, "nothing in `(hello)`"),
        ("(S word (A a))", 1, 9, "expected `)`, found `(`: `S` holds a word and a bracket"),
        ("(S (A a) word)", 1, 10, "expected `(` or `)`, found the word `word`"),
        ("(A a", 1, 1, "1 bracket is still open where the file ends"),
        ("(S (NP (A a)", 1, 1, "2 brackets are still open where the file ends"),
        ("(S (NP (A", 1, 1, "2 brackets are still open where the file ends"),
        ("(", 1, 1, "1 bracket is still open where the file ends"),
        ("( (S (A a))\n( (S (B b)))", 1, 1, "1 bracket is still open where the next tree starts at line 2"),
        ("(TOP (S (A ü) x))", 1, 15, "expected `(` or `)`, found the word `x`"),
    ] {
        let error = only_error(text);
        assert_eq!(error.kind(), ErrorKind::Syntax, "{text:?}");
        assert_eq!(error.message(), message, "{text:?}");
        assert_eq!((error.place().line, error.place().column), (Some(line), Some(column)), "{text:?}");
    }
}

#[test]
fn bytes_that_are_not_utf8() {
    let errors: Vec<_> =
        TreeReader::new(&b"(A a)\n(S (A gr\xFC\xDFe))\n(B b)"[..], Format::Bracket).collect();
    assert_eq!(errors.len(), 3);
    let error = errors[1].as_ref().expect_err("not UTF-8");
    assert_eq!(error.kind(), ErrorKind::Encoding);
    assert_eq!(error.place().line, Some(2));
    assert!(errors[2].is_ok());
}

#[test]
fn reading_goes_on_after_an_error() {
    let good = |text: &str| -> Vec<String> { read(text).into_iter().filter_map(Result::ok).collect() };
    // The brackets balance: only the bad tree is lost, whatever the layout.
    assert_eq!(good("(S (A a) x (B b)) (C c)\n(D d)"), ["(C c)", "(D d)"]);
    // One too many on the line: it belongs to the tree before it.
    assert_eq!(good("(S (A a)))\n(B b)"), ["(B b)"]);
    // One too few, with roots and without.
    assert_eq!(good("( (S (A a))\n( (S (B b)))\n( (S (C c)))"), ["( (S (B b)))", "( (S (C c)))"]);
    assert_eq!(good("(S (A a)\n(S (B b))\n(S (C c))"), ["(S (B b))", "(S (C c))"]);
    // Once a bracket was missing, later losses are found at the next line.
    assert_eq!(good("(S (A a)\n(S (B b))\n(S (C c)\n(S (D d))"), ["(S (B b))", "(S (D d))"]);
    // Prose around trees.
    assert_eq!(good("Here is (A a) and (B b).\n(C c)"), ["(A a)", "(B b)", "(C c)"]);
}

#[test]
fn tree_numbers_count_bad_trees_too() {
    let numbers: Vec<_> = TreeReader::new(&b"(A a)\n(S (A a) x)\n(B )\n"[..], Format::Bracket)
        .filter_map(Result::err)
        .map(|error| error.place().tree)
        .collect();
    assert_eq!(numbers, [Some(2), Some(3)]);
}

#[test]
fn a_million_levels() {
    let depth = 1_000_000;
    let text = format!("{}(A a){}", "(X ".repeat(depth), ")".repeat(depth));
    let tree: Tree = text.parse().expect("a tree");
    assert_eq!(tree.num_nodes(), depth);
    assert_eq!(tree.to_string(), text);
}

#[test]
fn a_hundred_thousand_missing_brackets_take_linear_time() {
    let text = "(S (A a)\n".repeat(100_000);
    assert_eq!(read(&text).len(), 100_000);
}

/// Looking at the opening of the tree again for every line would take minutes.
#[test]
fn brackets_in_the_first_column_take_linear_time() {
    let text = format!("({}(S\n{}))", " ".repeat(4 << 20), "(X x)\n".repeat(100_000));
    let tree: Tree = text.parse().expect("a tree");
    assert_eq!(tree.num_tokens(), 100_000);
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_tree() {
    assert_eq!(trees("\u{FEFF}( (S (A a)))"), ["( (S (A a)))"]);
    let tree: Tree = "\u{FEFF}(A a)".parse().expect("a tree");
    assert_eq!(tree.to_string(), "(A a)");
    let error = only_error("\u{FEFF}(A )");
    assert_eq!((error.place().line, error.place().column), (Some(1), Some(1)));
}

#[test]
fn brackets_in_labels() {
    let tree: Tree = "(X-RRB-Y ($-LRB- -) (-LRB- -LRB-) (X-LCB- x))".parse().expect("a tree");
    let tags: Vec<_> = tree.tokens().map(|token| token.tag).collect();
    assert_eq!(tags, ["$(", "-LRB-", "X-LCB-"]);
    assert_eq!(tree.root().expect("a root").label, "X)Y");
    assert_eq!(tree.to_string(), "(X-RRB-Y ($-LRB- -) (-LRB- -LRB-) (X-LCB- x))");
}

#[test]
fn a_token_of_ten_megabytes() {
    let word = "x".repeat(10 << 20);
    let tree: Tree = format!("(S (NN {word}))").parse().expect("a tree");
    assert_eq!(tree.token(0).word.len(), word.len());
}

#[test]
fn punctuation_without_a_tag_is_its_own() {
    let tree: Tree = "(STA+fcl (P+v-fin Chove) (,) (H+n mar) (--) (.) («))".parse().expect("a tree");
    assert_eq!(tree.to_string(), "(STA+fcl (P+v-fin Chove) (, ,) (H+n mar) (: --) (. .) (« «))");
    // `_` is how a missing tag is written.
    let tree: Tree = "(S (A a) (_))".parse().expect("a tree");
    assert_eq!(tree.to_string().parse::<Tree>().expect("a tree"), tree);
    assert_eq!((tree.token(1).word, tree.token(1).tag), ("_", ""));
}
