//! What a file that should be running text is instead, as its first bytes tell.

use boughs::error::{Error, ErrorKind};

/// The most bytes that are looked at, and how many are enough.
pub(crate) const MOST_BYTES: usize = 1 << 10;
pub(crate) const LEAST_BYTES: usize = 1 << 6;

/// Refuses what is no text, and, unless the user said what lines are, what is text with marks in it.
pub(crate) fn check_text(head: &[u8], is_sure: bool) -> boughs::Result<()> {
    let head = &head[..head.len().min(MOST_BYTES)];
    let found = no_text(head).or_else(|| if is_sure { None } else { marked_text(head) });
    found.map_or(Ok(()), |(what, advice)| {
        Err(Error::new(ErrorKind::Syntax, format!("expected running text, found {what}")).hint(advice))
    })
}

type Found = (&'static str, &'static str);

fn no_text(head: &[u8]) -> Option<Found> {
    if head.starts_with(b"PK\x03\x04") {
        return Some(("a zip archive, as .docx, .odt and .epub are", "save it as plain text"));
    }
    if head.starts_with(b"%PDF-") {
        return Some(("a PDF", "extract its text first, as with `pdftotext FILE - | boughs parse`"));
    }
    if head.starts_with(b"{\\rtf") {
        return Some(("an RTF document", "save it as plain text"));
    }
    let num_nuls = head.iter().filter(|byte| **byte == 0).count();
    // A stray one is a blank.
    (8 * num_nuls > head.len() && head.len() > 8)
        .then_some(("bytes that are no characters", "is it a text file?"))
}

fn marked_text(head: &[u8]) -> Option<Found> {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches(|c: char| c == '\u{FEFF}' || c.is_whitespace());
    let begins = |start: &str| text.get(..start.len()).is_some_and(|it| it.eq_ignore_ascii_case(start));
    if is_bracketed(text) {
        return Some(("what looks like trees in brackets", TREES));
    }
    if text.starts_with("#FORMAT") || text.starts_with("#BOS ") || begins("<corpus") || begins("{\"tokens\"")
    {
        return Some(("what looks like a treebank", TREES));
    }
    if begins("<!doctype html") || begins("<html") {
        return Some(("what looks like HTML", "--html strips the tags"));
    }
    if begins("<?xml") {
        let is_treebank =
            text.contains("<corpus") || text.contains("<alpino_ds") || text.contains("<treebank");
        return Some(match is_treebank {
            true => ("what looks like a treebank in XML", TREES),
            false => ("what looks like XML", HOW_TO_INSIST),
        });
    }
    let is_table = text
        .lines()
        .find(|line| !line.starts_with('#'))
        .is_some_and(|line| line.split('\t').count() == 10 && line.starts_with(|c: char| c.is_ascii_digit()));
    is_table.then_some(("what looks like CoNLL-U", "add --table"))
}

const TREES: &str = "add --trees to parse its words, or --wrapped if it is text all the same";
const HOW_TO_INSIST: &str = "strip the tags first, or add --wrapped if it is text all the same";

/// Whether a text begins as trees do: a bracket, perhaps a label in capitals, and the bracket of a child.
fn is_bracketed(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('(') else { return false };
    let label_len = inner.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(inner.len());
    let (label, rest) = inner.split_at(label_len);
    let child = rest.trim_start().strip_prefix('(');
    let has_child = child.is_some_and(|child| child.contains('(') || child.contains(')'));
    has_child && (label.is_empty() || label.starts_with(char::is_uppercase) || label.contains(['.', '-']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(head: &str) -> Option<String> {
        check_text(head.as_bytes(), false).err().map(|error| error.to_string())
    }

    #[test]
    fn treebanks_are_seen() {
        for head in [
            "( (S (NP (PRP It)) (VP (VBZ rains))))",
            "\u{FEFF}\n(TOP\n  (S (NP",
            "(S (NP (NN dog)))",
            "#FORMAT 4\n#BOS 1",
            "<?xml version=\"1.0\"?>\n<corpus id=\"x\">",
            "{\"tokens\":[]}",
        ] {
            assert!(told(head).is_some_and(|message| message.contains("--trees")), "{head}");
            assert!(check_text(head.as_bytes(), true).is_ok(), "{head}");
        }
        let table = format!("# text = It\n1\tIt{}", "\t_".repeat(8));
        assert!(told(&table).is_some_and(|message| message.contains("--table")));
    }

    #[test]
    fn documents_of_other_programs_are_seen() {
        for (head, part) in [
            ("PK\u{3}\u{4}...", ".docx"),
            ("%PDF-1.7", "pdftotext"),
            ("{\\rtf1", "plain text"),
            ("a\0\0\0b\0\0\0c", "no characters"),
            (" <!DOCTYPE html><html>", "--html"),
        ] {
            assert!(told(head).is_some_and(|message| message.contains(part)), "{head}");
        }
        assert!(check_text(b"PK\x03\x04", true).is_err());
    }

    #[test]
    fn text_is_text() {
        for head in [
            "",
            "It\0rains.",
            "(It rains.)",
            "(see (a) and (b))",
            "<3 you",
            "1\tone",
            "{x}",
            "# A title\n\nIt",
        ] {
            assert_eq!(told(head), None, "{head}");
        }
    }
}
