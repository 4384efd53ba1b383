//! What holds for every text: tokens are slices, nothing but blanks is lost, and streams are read as texts are.

use std::io::{BufRead, BufReader, Read};

use boughs::text::{
    MAX_SENTENCE_BYTES, SentenceReader, Style, TextSentence, Tokenizer, Unit, is_blank, penn_form,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

const FRAGMENTS: [&str; 64] = [
    " ",
    " ",
    " ",
    "\n",
    "\n\n",
    "\r\n",
    "\u{A0}",
    "\u{2029}",
    ".",
    ".",
    "..",
    "...",
    "?",
    "!",
    ",",
    ";",
    ":",
    "'",
    "\"",
    "’",
    "“",
    "”",
    "-",
    "--",
    "—",
    "\u{2010}",
    "(",
    ")",
    "[",
    "]",
    "$",
    "%",
    "/",
    "&",
    "+",
    "@",
    "#",
    "don't",
    "cannot",
    "Mr",
    "U.S",
    "Inc",
    "The",
    "word",
    "non-native",
    "'tis",
    "12",
    "3.5",
    "1,000",
    "http://",
    "www.",
    "example.org",
    "a@b.org",
    ":)",
    "°C",
    "👨‍👩‍👧",
    "🇫🇷",
    "漢字。",
    "e\u{301}",
    "\u{FEFF}",
    "\0",
    "I",
    "J.",
    "e.g.",
];

fn text() -> impl Strategy<Value = String> {
    let fragment = prop_oneof![4 => select(&FRAGMENTS[..]).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    vec(fragment, 0..60).prop_map(|fragments| fragments.concat())
}

fn options() -> impl Strategy<Value = Tokenizer> {
    let settings = (
        select(vec![Style::Old, Style::New]),
        select(vec![Unit::Text, Unit::Wrapped, Unit::Paragraph, Unit::Line]),
    );
    settings.prop_map(|(style, unit)| Tokenizer { style, unit, ..Tokenizer::default() })
}

/// Checks that the tokens are slices of the text, in order, with blanks between them, and that nothing else is
/// missing.
fn check_rebuilds(text: &str, sentences: &[TextSentence<'_>]) {
    let mut rebuilt = 0;
    for sentence in sentences {
        assert!(sentence.text().len() <= MAX_SENTENCE_BYTES || !text.contains(' '));
        assert_eq!(&text[sentence.start() as usize..sentence.end() as usize], sentence.text());
        for token in sentence.tokens() {
            let (start, end) = (token.span.start as usize, token.span.end() as usize);
            assert!(start < end, "an empty token");
            assert_eq!(&text[start..end], token.text);
            assert!(text[rebuilt..start].chars().all(is_blank), "lost {:?}", &text[rebuilt..start]);
            assert!(!token.text.chars().any(is_blank), "a blank in {:?}", token.text);
            rebuilt = end;
        }
    }
    assert!(text[rebuilt..].chars().all(is_blank), "lost {:?}", &text[rebuilt..]);
}

/// A stream that gives a few bytes at a time.
struct Trickle<'b> {
    bytes: &'b [u8],
    step: usize,
}

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = self.step.min(buffer.len());
        self.bytes.read(&mut buffer[..len])
    }
}

fn trickle(bytes: &[u8], step: usize) -> impl BufRead + '_ {
    BufReader::with_capacity(step, Trickle { bytes, step })
}

proptest! {
    #[test]
    fn tokens_and_blanks_rebuild_the_text(text in text(), options in options()) {
        let tokenizer = options;
        let sentences: Vec<_> = tokenizer.sentences(&text).collect();
        check_rebuilds(&text, &sentences);
        check_rebuilds(&text, &[tokenizer.tokenize(&text)]);
        if options.unit == Unit::Line {
            prop_assert_eq!(sentences.len(), text.split_terminator('\n').count());
        } else {
            prop_assert!(sentences.iter().all(|sentence| sentence.num_tokens() > 0));
        }
    }

    #[test]
    fn streams_are_read_as_texts(text in text(), options in options(), step in 1usize..9) {
        let expected: Vec<_> = options.sentences(&text).map(TextSentence::into_owned).collect();
        let read: Result<Vec<_>, _> = SentenceReader::new(trickle(text.as_bytes(), step), options).collect();
        prop_assert_eq!(read.expect("UTF-8"), expected);
    }

    #[test]
    fn any_bytes_are_read(bytes in vec(any::<u8>(), 0..200), options in options(), step in 1usize..9) {
        let reader = SentenceReader::new(trickle(&bytes, step), options).lossy();
        let read: Vec<_> = reader.map(|sentence| sentence.expect("lossy reading does not fail")).collect();
        let text = String::from_utf8_lossy(&bytes);
        let expected: Vec<_> = options.sentences(&text).collect();
        prop_assert_eq!(read, expected);
        let strict: Result<Vec<_>, _> = SentenceReader::new(&bytes[..], options).collect();
        prop_assert_eq!(strict.is_ok(), std::str::from_utf8(&bytes).is_ok());
    }

    #[test]
    fn forms_are_those_of_tokens_without_blanks(text in text()) {
        let sentence = Tokenizer::default().tokenize(&text);
        prop_assert_eq!(sentence.penn_forms().len(), sentence.num_tokens());
        for token in sentence.tokens() {
            prop_assert!(!penn_form(token.text).is_empty());
        }
    }
}

#[test]
fn long_texts_are_cut() {
    for text in
        ["x".repeat(200_000), "word ".repeat(40_000), "\u{3000}".repeat(50_000) + "a", "Mr. ".repeat(40_000)]
    {
        let sentences: Vec<_> = boughs::text::sentences(&text).collect();
        check_rebuilds(&text, &sentences);
        assert!(sentences.iter().all(|sentence| sentence.text().len() <= MAX_SENTENCE_BYTES));
    }
}
