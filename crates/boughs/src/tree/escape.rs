//! Brackets in words, which bracket files write as `-LRB-` and the like.
//!
//! Inside the program words are as in the text. The reader unescapes every name it knows, also within a
//! word (`:-RRB-` is `:)`); the writer escapes what a bracket file cannot hold, `(` and `)`, and by the
//! convention of the Penn Treebank `{` and `}`. Square brackets are unescaped but not escaped, since
//! treebanks write them as they are.
//!
//! Labels and tags may have brackets too: NEGRA's tag `$(` is written `$-LRB-` and read back; braces are left
//! alone. But a label that is nothing but such a name is one of its own: the Penn Treebank tags `(` as
//! `-LRB-`. So a label `(` is read back as `-LRB-`.
//!
//! A word or label that spells such a name out, or ends one begun before a bracket (`-LRB{`), is read back as
//! another: the convention has no escape for itself.

use std::borrow::Cow;

const NAMES: [(&str, char); 6] =
    [("-LRB-", '('), ("-RRB-", ')'), ("-LCB-", '{'), ("-RCB-", '}'), ("-LSB-", '['), ("-RSB-", ']')];
const NAME_LENGTH: usize = 5;

/// What is escaped in words.
const WORD_NAMES: &[(&str, char)] = NAMES.split_at(4).0;

/// What is escaped, and unescaped, in labels.
const LABEL_NAMES: &[(&str, char)] = NAMES.split_at(2).0;

/// What stands for a blank within a word.
pub(super) const NO_BREAK_SPACE: char = '\u{A0}';

/// The word that a bracket file writes as `written`.
pub fn unescape(written: &str) -> Cow<'_, str> {
    unescape_names(written, &NAMES)
}

/// The label or tag that a bracket file writes as `written`.
pub(super) fn unescape_label(written: &str) -> Cow<'_, str> {
    match written.len() {
        NAME_LENGTH => Cow::Borrowed(written),
        _ => unescape_names(written, LABEL_NAMES),
    }
}

fn unescape_names<'a>(written: &'a str, names: &[(&str, char)]) -> Cow<'a, str> {
    if written.len() < NAME_LENGTH || !written.contains("B-") {
        return Cow::Borrowed(written);
    }
    let mut word = String::with_capacity(written.len());
    let mut rest = written;
    while let Some(first) = rest.chars().next() {
        match names.iter().find(|(name, _)| rest.starts_with(name)) {
            Some(&(_, bracket)) => {
                word.push(bracket);
                rest = &rest[NAME_LENGTH..];
            }
            None => {
                word.push(first);
                rest = &rest[first.len_utf8()..];
            }
        }
    }
    Cow::Owned(word)
}

/// How a bracket file writes `word`. A blank within the word becomes a no-break space, and no word at all
/// an empty pair of quotation marks, since neither could be read back.
pub fn escape(word: &str) -> Cow<'_, str> {
    match word {
        "" => Cow::Borrowed("\"\""),
        _ => escape_names(word, WORD_NAMES),
    }
}

/// How a bracket file writes a label or tag: as it is, but for what would end it.
pub(super) fn escape_label(label: &str) -> Cow<'_, str> {
    escape_names(label, LABEL_NAMES)
}

fn escape_names<'a>(word: &'a str, names: &[(&str, char)]) -> Cow<'a, str> {
    let name = |c: char| names.iter().find(|(_, bracket)| *bracket == c).map(|(name, _)| name);
    let is_blank = |c: char| c.is_ascii_whitespace() || c == '\u{B}';
    if !word.contains(|c| is_blank(c) || name(c).is_some()) {
        return Cow::Borrowed(word);
    }
    let mut written = String::with_capacity(word.len() + NAME_LENGTH);
    for c in word.chars() {
        match name(c) {
            Some(name) => written.push_str(name),
            None if is_blank(c) => written.push(NO_BREAK_SPACE),
            None => written.push(c),
        }
    }
    Cow::Owned(written)
}

/// The text with another character for those that do not fit.
pub(crate) fn replace_unfit<'t>(text: &'t str, is_unfit: fn(char) -> bool, by: char) -> Cow<'t, str> {
    match text.contains(is_unfit) {
        true => Cow::Owned(text.replace(is_unfit, by.encode_utf8(&mut [0; 4]))),
        false => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_within_words() {
        for (written, word) in [
            (":-RRB-", ":)"),
            ("-LRB-s-RRB-", "(s)"),
            ("friend-LRB-s-RRB-", "friend(s)"),
            ("-LCB-", "{"),
            ("--LRB-", "-("),
            ("-LRB", "-LRB"),
            ("B-", "B-"),
        ] {
            assert_eq!(unescape(written), word);
            assert_eq!(escape(word), written);
        }
    }

    #[test]
    fn square_brackets_are_only_unescaped() {
        assert_eq!(unescape("-LSB-1-RSB-"), "[1]");
        assert_eq!(escape("[1]"), "[1]");
    }

    #[test]
    fn labels_keep_their_braces() {
        assert_eq!(escape_label("}(X"), "}-LRB-X");
        assert_eq!(escape_label(""), "");
    }

    #[test]
    fn names_within_labels() {
        for (written, label) in
            [("$-LRB-", "$("), ("X-RRB-Y-1", "X)Y-1"), ("X-LCB-", "X-LCB-"), ("--LRB-", "-(")]
        {
            assert_eq!(unescape_label(written), label);
            assert_eq!(escape_label(label), written);
        }
    }

    #[test]
    fn a_label_that_is_a_name_means_itself() {
        for (name, _) in NAMES {
            assert_eq!(unescape_label(name), name);
            assert_eq!(escape_label(name), name);
        }
    }

    #[test]
    fn blanks_cannot_split_a_word() {
        assert_eq!(escape("16 000"), "16\u{A0}000");
        assert_eq!(escape("a\tb\n"), "a\u{A0}b\u{A0}");
    }
}
