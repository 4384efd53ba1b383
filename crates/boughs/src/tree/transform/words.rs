//! Words made more alike. Traces are not words, and stay.

use std::borrow::Cow;

use crate::tree::{TRACE_TAG, Tree};

/// Writes all words in lower case.
pub fn lowercase(tree: &mut Tree) {
    map_words(tree, |word| {
        let is_lower = word.chars().all(|c| c.is_ascii() && !c.is_ascii_uppercase());
        if is_lower { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) }
    });
}

/// Undoes the escapes of the Wall Street Journal's files: `1\/2` becomes `1/2`, `\*` becomes `*`. Doubled
/// escapes go at once.
pub fn unescape_slashes(tree: &mut Tree) {
    map_words(tree, without_escapes);
}

fn without_escapes(word: &str) -> Cow<'_, str> {
    if !word.contains('\\') {
        return Cow::Borrowed(word);
    }
    let mut plain = String::with_capacity(word.len());
    for c in word.chars() {
        if matches!(c, '/' | '*') {
            plain.truncate(plain.trim_end_matches('\\').len());
        }
        plain.push(c);
    }
    Cow::Owned(plain)
}

fn map_words(tree: &mut Tree, map: impl Fn(&str) -> Cow<'_, str>) {
    for index in 0..tree.num_tokens() {
        let token = tree.token(index);
        if token.tag != TRACE_TAG
            && let Cow::Owned(word) = map(token.word)
        {
            tree.set_word(index, &word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(transform: fn(&mut Tree), word: &str) -> String {
        let mut tree = Tree::flat([(word, "NN")].into_iter().collect());
        transform(&mut tree);
        tree.token(0).word.to_owned()
    }

    #[test]
    fn lower_case_of_all_alphabets() {
        for (word, lower) in [("The", "the"), ("ÉTÉ", "été"), ("1/2", "1/2")] {
            assert_eq!(applied(lowercase, word), lower);
        }
    }

    #[test]
    fn traces_stay() {
        let mut tree = Tree::flat([("*T*-1", TRACE_TAG)].into_iter().collect());
        lowercase(&mut tree);
        assert_eq!(tree.token(0).word, "*T*-1");
    }

    #[test]
    fn only_slashes_and_stars_are_unescaped() {
        for (word, plain) in
            [("1\\/2", "1/2"), ("\\*", "*"), ("a\\b", "a\\b"), ("\\\\/", "/"), ("\\*\\*", "**"), ("\\", "\\")]
        {
            assert_eq!(applied(unescape_slashes, word), plain);
        }
    }
}
