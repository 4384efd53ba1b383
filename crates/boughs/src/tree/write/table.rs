//! Tokens and tags as a table in the ten columns of CoNLL-U.

use std::borrow::Cow;
use std::fmt::{self, Write};

use crate::tree::escape::{NO_BREAK_SPACE, replace_unfit};
use crate::tree::{NO_TAG, Tree};

/// Writes a line for every token with its number, word and tag (in column 5, XPOS), and the line end of each; the
/// blank line that ends the sentence is left to the caller. Phrases are lost, and a sentence without
/// tokens is no sentence when it is read again.
///
/// A tab or line end within a word becomes a no-break space; blanks, which CoNLL-U allows, stay.
///
/// # Errors
/// Never: strings take all that is written.
pub fn write_table(tree: &Tree, out: &mut String) -> fmt::Result {
    for (index, token) in tree.tokens().enumerate() {
        let (word, tag) = (cell(token.word), cell(token.tag));
        writeln!(out, "{}\t{word}\t_\t_\t{tag}\t_\t_\t_\t_\t_", index + 1)?;
    }
    Ok(())
}

pub(super) fn cell(text: &str) -> Cow<'_, str> {
    match text.trim_ascii() {
        "" => Cow::Borrowed(NO_TAG),
        _ => replace_unfit(text, |c| matches!(c, '\t' | '\n' | '\r'), NO_BREAK_SPACE),
    }
}

/// The same text without white space that could separate columns.
pub(super) fn fill_blanks(text: &str) -> Cow<'_, str> {
    replace_unfit(text, |c| c.is_ascii_whitespace() || c == '\u{B}', NO_BREAK_SPACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_columns() {
        let tree: Tree = "(S (NP (DT A) (NN tree)) (VP (_ grows)))".parse().expect("a tree");
        let mut out = String::new();
        write_table(&tree, &mut out).expect("strings do not fail");
        let expected = "\
1\tA\t_\t_\tDT\t_\t_\t_\t_\t_
2\ttree\t_\t_\tNN\t_\t_\t_\t_\t_
3\tgrows\t_\t_\t_\t_\t_\t_\t_\t_
";
        assert_eq!(out, expected);
    }

    #[test]
    fn words_stay_in_their_cell() {
        let tree = Tree::flat([("16 000", "CD"), ("a\tb\n", ""), ("", "X")].into_iter().collect());
        let mut out = String::new();
        write_table(&tree, &mut out).expect("strings do not fail");
        let words: Vec<&str> = out.lines().filter_map(|line| line.split('\t').nth(1)).collect();
        assert_eq!(words, ["16 000", "a\u{A0}b\u{A0}", "_"]);
    }
}
