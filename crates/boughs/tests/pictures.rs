//! What holds of every picture and of JSON, whatever the tree.

use boughs::span::TextSpan;
use boughs::tree::draw::{TextOptions, write_svg, write_text};
use boughs::tree::read::{Format, TreeReader};
use boughs::tree::write::{write_json, write_latex};
use boughs::tree::{Tree, TreeBuilder};
use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;

/// A step of building a tree.
#[derive(Debug, Clone)]
enum Step {
    Open(String),
    Token(String, String, Option<TextSpan>),
    Close,
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[A-Z]{1,4}(-[A-Z]{3})?(-[0-9])?",
        1 => Just(String::new()),
        1 => any::<String>(),
        1 => r"[\\{}\[\]&%$#_~^,=<>|'\x00-\x1F]{1,6}",
    ]
}

/// Words are never empty, whatever they are read from.
fn word() -> impl Strategy<Value = String> {
    name().prop_map(|name| if name.is_empty() { "x".to_owned() } else { name })
}

fn bytes() -> impl Strategy<Value = Option<TextSpan>> {
    proptest::option::of((0..u64::from(u32::MAX), any::<u32>(), 0..u64::from(u32::MAX), any::<u32>()))
        .prop_map(|span| {
            span.map(|(start, len, char_start, char_len)| TextSpan { start, char_start, len, char_len })
        })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        name().prop_map(Step::Open),
        (word(), name(), bytes()).prop_map(|(word, tag, bytes)| Step::Token(word, tag, bytes)),
        Just(Step::Close),
    ]
}

fn tree() -> impl Strategy<Value = Tree> {
    proptest::collection::vec(step(), 0..60).prop_map(|steps| {
        let mut builder = TreeBuilder::new();
        for step in steps {
            match step {
                Step::Open(label) => builder.open(&label),
                Step::Token(word, tag, bytes) => builder.token_at(&word, &tag, bytes),
                Step::Close if builder.depth() > 0 => {
                    builder.close();
                }
                Step::Close => {}
            }
        }
        builder.finish().expect("small")
    })
}

fn text(tree: &Tree, max_width: usize) -> String {
    let options = TextOptions { max_width, ..TextOptions::default() };
    let mut picture = String::new();
    write_text(tree, &options, &mut picture).expect("strings do not fail");
    picture
}

fn svg(tree: &Tree) -> String {
    let mut picture = String::new();
    write_svg(tree, &mut picture).expect("strings do not fail");
    picture
}

/// Checks that an SVG document is well-formed and without odd numbers.
fn check_xml(document: &str) {
    let mut reader = Reader::from_str(document);
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Eof => return,
            Event::Start(element) | Event::Empty(element) => {
                for attribute in element.attributes() {
                    let value = attribute.expect("an attribute").value;
                    assert!(!value.contains("NaN") && !value.contains("inf"));
                }
            }
            _ => {}
        }
    }
}

/// Whether XML 1.0 can hold a character.
fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Whether a picture has the character as it is.
fn is_shown(c: char) -> bool {
    is_xml(c) && !c.is_control()
}

fn num_unescaped(latex: &str, brace: char) -> usize {
    let mut count = 0;
    let mut chars = latex.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                chars.next();
            }
            _ => count += usize::from(c == brace),
        }
    }
    count
}

proptest! {
    #[test]
    fn json_is_read_back(trees in proptest::collection::vec(tree(), 0..4)) {
        let mut lines = String::new();
        for tree in &trees {
            write_json(tree, &mut lines).expect("strings do not fail");
            lines.push('\n');
        }
        prop_assert_eq!(lines.lines().count(), trees.len());
        let read: Vec<Tree> = TreeReader::new(lines.as_bytes(), Format::Json).collect::<Result<_, _>>().expect("trees");
        prop_assert_eq!(read, trees);
    }

    #[test]
    fn json_reader_never_panics(bytes in any::<Vec<u8>>(), text in r#"[\[\]{}",:0-9a-z\n ]{0,40}"#) {
        TreeReader::new(&bytes[..], Format::Json).for_each(drop);
        TreeReader::new(text.as_bytes(), Format::Json).for_each(drop);
    }

    #[test]
    fn svg_is_well_formed(tree in tree()) {
        let picture = svg(&tree);
        prop_assert!(picture.chars().all(is_xml));
        check_xml(&picture);
    }

    #[test]
    fn latex_braces_balance(tree in tree()) {
        let mut latex = String::new();
        write_latex(&tree, &mut latex).expect("strings do not fail");
        prop_assert_eq!(num_unescaped(&latex, '{'), num_unescaped(&latex, '}'));
        for special in "%#$&~^_".chars() {
            prop_assert!(special == '~' || num_unescaped(&latex, special) == 0, "{}", special);
        }
    }

    #[test]
    fn every_text_has_every_word(tree in tree(), max_width in 0..300usize) {
        let picture = text(&tree, max_width);
        for word in tree.words().filter(|word| word.chars().all(is_shown)) {
            prop_assert!(picture.contains(word));
        }
        prop_assert!(picture.ends_with('\n'));
    }

    #[test]
    fn no_two_words_of_an_upright_drawing_touch(words in proptest::collection::vec("[a-zé上]{1,9}", 1..30)) {
        let tree = Tree::flat(words.iter().map(|word| (word.as_str(), "T")).collect());
        let picture = text(&tree, 10_000);
        let last: Vec<&str> = picture.lines().last().unwrap_or_default().split_whitespace().collect();
        prop_assert_eq!(last, words);
    }
}

#[test]
fn a_wide_tree() {
    let num_words = 50_000;
    let tree = Tree::flat((0..num_words).map(|_| ("word", "T")).collect());
    assert_eq!(text(&tree, 80).lines().count(), num_words);
    let picture = svg(&tree);
    check_xml(&picture);
    assert_eq!(picture.matches(">word</text>").count(), num_words);
}

#[test]
fn the_sample_is_drawn_within_its_strips() {
    let news = include_str!("../data/sample/news.mrg");
    for tree in TreeReader::new(news.as_bytes(), Format::Bracket) {
        let tree = tree.expect("a tree");
        check_xml(&svg(&tree));
        let words: Vec<&str> = tree.words().collect();
        let picture = text(&tree, 10_000);
        let last: Vec<&str> = picture.lines().last().unwrap_or_default().split_whitespace().collect();
        assert_eq!(last, words);
    }
}
