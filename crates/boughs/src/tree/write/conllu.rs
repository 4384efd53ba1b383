//! Dependencies from the heads of phrases, in CoNLL-U.

use std::borrow::Cow;
use std::fmt::{self, Write};

use super::table::cell;
use super::write_line;
use crate::tree::heads::{HeadRules, dependencies};
use crate::tree::transform::remove_traces;
use crate::tree::{TRACE_TAG, Tree};

/// Writes a sentence with its comments and one line a token, without the blank line that ends it.
///
/// Heads are those of the rules, and relations are not named: the word whose head is none is `root`, all others are
/// `dep`. Tags stand in column 5 (XPOS). Column 10 has `SpaceAfter=No` where two tokens are known to touch, and
/// `TokenRange=START:END`, the characters of a token in the original text, where they are known. The tree itself is in
/// the comment `# constituency`. Traces are left out, for they are no words.
///
/// # Errors
/// Never: strings take all that is written.
pub fn write_conllu(tree: &Tree, id: &str, rules: &HeadRules, out: &mut String) -> fmt::Result {
    let mut tree = Cow::Borrowed(tree);
    if tree.tokens().any(|token| token.tag == TRACE_TAG) {
        remove_traces(tree.to_mut());
    }
    writeln!(out, "# sent_id = {}", one_line(id))?;
    writeln!(out, "# text = {}", one_line(&tree.text(tree.whole())))?;
    out.write_str("# constituency = ")?;
    write_line(&tree, out)?;
    out.write_char('\n')?;
    for ((index, token), head) in tree.tokens().enumerate().zip(dependencies(&tree, rules)) {
        let (word, tag) = (cell(token.word), cell(token.tag));
        let (head, relation) = head.map_or((0, "root"), |head| (head + 1, "dep"));
        write!(out, "{}\t{word}\t_\t_\t{tag}\t_\t{head}\t{relation}\t_\t", index + 1)?;
        write_misc(&tree, index, out)?;
    }
    Ok(())
}

fn write_misc(tree: &Tree, index: usize, out: &mut String) -> fmt::Result {
    let touches = tree.sentence().touches(index);
    match (touches, tree.token(index).place) {
        (_, None) => out.write_str("_\n"),
        (touches, Some(place)) => {
            let space = if touches { "SpaceAfter=No|" } else { "" };
            writeln!(out, "{space}TokenRange={}:{}", place.char_start, place.char_end())
        }
    }
}

/// The text with one blank for each run of white space with a line end in it.
fn one_line(text: &str) -> Cow<'_, str> {
    match text.contains(['\n', '\r', '\t', '\u{B}', '\u{C}', '\u{85}', '\u{2028}', '\u{2029}']) {
        true => Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        false => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::TextSpan;

    fn written(tree: &Tree) -> String {
        let mut out = String::new();
        write_conllu(tree, "d-1", &HeadRules::english(), &mut out).expect("strings do not fail");
        out
    }

    #[test]
    fn heads_come_from_the_rules() {
        let mut tree: Tree = "(S (NP (DT The) (NN bough)) (VP (VBZ bends)) (. .))".parse().expect("a tree");
        for (index, start) in [0, 4, 10, 15].into_iter().enumerate() {
            let len = tree.word(index).len() as u32;
            tree.set_place(index, Some(TextSpan { start, char_start: start, len, char_len: len }));
        }
        let expected = "\
# sent_id = d-1
# text = The bough bends.
# constituency = (S (NP (DT The) (NN bough)) (VP (VBZ bends)) (. .))
1\tThe\t_\t_\tDT\t_\t2\tdep\t_\tTokenRange=0:3
2\tbough\t_\t_\tNN\t_\t3\tdep\t_\tTokenRange=4:9
3\tbends\t_\t_\tVBZ\t_\t0\troot\t_\tSpaceAfter=No|TokenRange=10:15
4\t.\t_\t_\t.\t_\t3\tdep\t_\tTokenRange=15:16
";
        assert_eq!(written(&tree), expected);
    }

    #[test]
    fn traces_are_no_words_and_lines_stay_whole() {
        let mut tree: Tree = "(S (NP (-NONE- *)) (VP (VB go) (ADVP (RB on))))".parse().expect("a tree");
        let rows = |tree: &Tree| written(tree).lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(rows(&tree), 2);
        tree.set_place(1, Some(TextSpan { start: 0, char_start: 0, len: 2, char_len: 2 }));
        tree.set_place(2, Some(TextSpan { start: 3, char_start: 3, len: 2, char_len: 2 }));
        tree.set_source("go\non", 0);
        assert!(written(&tree).contains("# text = go on\n"), "{}", written(&tree));
        assert_eq!(rows(&Tree::empty()), 0);
    }
}
