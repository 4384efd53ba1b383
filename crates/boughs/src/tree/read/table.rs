//! Token tables: a line for every token, a blank line after every sentence. They give trees without phrases.
//!
//! The first row of a file tells which of three layouts it has, by the number of columns between tabs:
//! - ten: CoNLL-U (and CoNLL-X). The word is in column 2; the tag in column 5 (XPOS), or if there is none, in column 4
//!   (UPOS). Multi-word ranges (`1-2`) and empty nodes (`1.1`) are passed over;
//! - two: word and tag;
//! - one: words.
//!
//! If a CoNLL-U sentence has its text in a comment before it, `# text = …`, and that consists of its words with
//! nothing but white space between them, the tokens know their place in it
//! ([`Token::bytes`](crate::tree::Token::bytes)). Otherwise, as in sentences with multi-word ranges, whose words are
//! not those of the text, no token does.
//!
//! `_` is no tag. A line that starts with `# ` is a comment. So is any line that starts with `#` in CoNLL-U, and
//! before the first row if it has no tab; elsewhere a `#` may start a word. After an error the reader goes on with
//! the next sentence.

use std::io::Read;

use super::lines::Lines;
use super::message::{shorten, syntax};
use super::reader::TreeSource;
use crate::error::{Error, Result};
use crate::span::TextSpan;
use crate::tree::{NO_TAG, Tree, TreeBuilder};

/// The sentences of a table.
pub(super) struct TokenTable<R> {
    lines: Lines<R>,
    /// The number of columns, once a row has told.
    width: Option<usize>,
    builder: TreeBuilder,
    /// The text of the sentence, if a comment has it.
    text: Option<String>,
}

/// The numbers of columns that a table may have.
const WORDS: usize = 1;
const WORDS_AND_TAGS: usize = 2;
const CONLLU: usize = 10;

impl<R: Read> TreeSource for TokenTable<R> {
    /// Goes to before the next row; false at the end of the file.
    fn find(&mut self) -> Result<bool> {
        self.text = None;
        while self.lines.advance()? {
            if self.lines.is_blank() {
                self.text = None;
            } else if self.is_comment() {
                self.note_text();
            } else {
                self.lines.unread();
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads, whatever is wrong, to the blank line.
    fn read(&mut self) -> Result<Tree> {
        self.builder.clear();
        let mut last_id = 0;
        let mut fault = None;
        while self.lines.advance()? && !self.lines.is_blank() {
            if fault.is_none() && !self.is_comment() {
                let line = self.lines.number;
                fault = self.read_row(&mut last_id).err().map(|error| error.at_line(line));
            }
        }
        let mut tree = fault.map_or_else(|| self.builder.finish(), Err)?;
        if let Some(text) = self.text.as_deref().filter(|_| self.width == Some(CONLLU)) {
            align(&mut tree, text);
        }
        Ok(tree)
    }
}

impl<R: Read> TokenTable<R> {
    pub(super) fn new(input: R) -> Self {
        Self { lines: Lines::new(input), width: None, builder: TreeBuilder::new(), text: None }
    }

    fn is_comment(&self) -> bool {
        let line = &self.lines.line;
        line.starts_with(b"# ")
            || line.starts_with(b"#")
                && match self.width {
                    Some(width) => width == CONLLU,
                    None => !line.contains(&b'\t'),
                }
    }

    /// Keeps the text of the sentence, if this comment has it.
    fn note_text(&mut self) {
        if let Some(text) = str::from_utf8(&self.lines.line).ok().and_then(text_in_comment) {
            self.text = Some(text.to_owned());
        }
    }

    fn read_row(&mut self, last_id: &mut u64) -> Result<()> {
        let line = self.lines.text()?;
        let columns: Vec<&str> = line.split('\t').collect();
        check_width(self.width, columns.len())?;
        self.width = Some(columns.len());
        let (word, tag) = match columns.len() {
            WORDS if columns[0].trim_ascii().contains(' ') => {
                return Err(several_words(columns[0]));
            }
            WORDS => (columns[0], NO_TAG),
            WORDS_AND_TAGS => (columns[0], columns[1]),
            _ => match token_id(columns[0], *last_id)? {
                None => return Ok(()),
                Some(id) => {
                    *last_id = id;
                    (columns[1], if is_none(columns[4]) { columns[3] } else { columns[4] })
                }
            },
        };
        if word.trim_ascii().is_empty() {
            return Err(syntax("expected a word, found an empty column")
                .hint("a blank line, without tabs, ends a sentence"));
        }
        self.builder.token(word, if is_none(tag) { "" } else { tag });
        Ok(())
    }
}

/// A line of words in a table of one column is a line of another format.
fn several_words(line: &str) -> Error {
    syntax(format!("expected one word a line, found `{}`", shorten(line)))
        .hint("columns are separated by one tab; is this a table?")
}

/// The text in `# text = …`.
fn text_in_comment(comment: &str) -> Option<&str> {
    let value = comment.strip_prefix('#')?.trim_ascii_start().strip_prefix("text")?;
    value.trim_ascii_start().strip_prefix('=').map(str::trim_ascii)
}

/// Gives the tokens their places in the text, if it consists of them.
fn align(tree: &mut Tree, text: &str) {
    let Some(places) = places(tree, text) else { return };
    for (index, place) in places.into_iter().enumerate() {
        tree.set_place(index, Some(place));
    }
    tree.set_source(text, 0);
}

fn places(tree: &Tree, text: &str) -> Option<Vec<TextSpan>> {
    let mut rest = text;
    let (mut counted, mut char_start) = (0, 0);
    let mut places = Vec::with_capacity(tree.num_tokens());
    for word in tree.words() {
        let next = rest.trim_start();
        rest = next.strip_prefix(word)?;
        let start = text.len() - next.len();
        char_start += text[counted..start].chars().count() as u64;
        counted = start;
        let char_len = u32::try_from(word.chars().count()).ok()?;
        places.push(TextSpan {
            start: start as u64,
            char_start,
            len: u32::try_from(word.len()).ok()?,
            char_len,
        });
    }
    rest.trim_start().is_empty().then_some(places)
}

fn check_width(known: Option<usize>, found: usize) -> Result<()> {
    let expected = match known {
        Some(width) if width == found => return Ok(()),
        Some(width) => format!("{width} columns as in the first row of the file"),
        None if matches!(found, WORDS | WORDS_AND_TAGS | CONLLU) => return Ok(()),
        None => "10 columns (CoNLL-U), 2 (word, tag) or 1 (word)".to_owned(),
    };
    Err(syntax(format!("expected {expected}, found {found}")).hint("columns are separated by one tab"))
}

/// The number of a token; none for a multi-word range or an empty node.
fn token_id(field: &str, last: u64) -> Result<Option<u64>> {
    if field.split_once(['-', '.']).is_some_and(|(one, other)| is_number(one) && is_number(other)) {
        return Ok(None);
    }
    match field.parse() {
        Ok(id) if is_number(field) && id > last => Ok(Some(id)),
        Ok(id) if is_number(field) => {
            Err(syntax(format!("expected token {}, found {id}", last.saturating_add(1)))
                .hint("is a blank line missing before it?"))
        }
        _ => Err(not_an_id(field)),
    }
}

fn not_an_id(field: &str) -> Error {
    syntax(format!("expected the number of a token in column 1, found `{}`", shorten(field)))
        .hint("a row of ten columns is CoNLL-U: number, word, lemma, UPOS, XPOS and so on")
}

fn is_number(field: &str) -> bool {
    !field.is_empty() && field.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_none(tag: &str) -> bool {
    tag.is_empty() || tag == NO_TAG
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::tree::read::{Format, TreeReader};

    fn read(text: &str) -> Vec<Result<String, String>> {
        TreeReader::new(text.as_bytes(), Format::Table)
            .map(|tree| tree.map(|tree| tree.to_string()).map_err(|error| error.to_string()))
            .collect()
    }

    fn one(text: &str) -> String {
        let mut read = read(text);
        assert_eq!(read.len(), 1, "{read:?}");
        read.remove(0).unwrap_or_else(|error| error)
    }

    #[test]
    fn lines_of_words_are_no_table() {
        let error = TreeReader::new(&b"(S (NN a))\n"[..], Format::Table)
            .next()
            .expect("an item")
            .expect_err("brackets");
        assert!(error.message().starts_with("expected one word a line, found `(S (NN a))`"), "{error}");
    }

    #[test]
    fn conllu() {
        let text = "\
# sent_id = 1
# text = Vom Baum\tfiel sie.
1-2\tVom\t_\t_\t_\t_\t_\t_\t_\t_
1\tVon\tvon\tADP\tAPPR\t_\t3\tcase\t_\t_
2\tdem\tder\tDET\t_\t_\t3\tdet\t_\t_
3\tBaum\tBaum\t_\t_\t_\t4\tobl\t_\tSpaceAfter=No
3.1\tx\t_\t_\tX\t_\t_\t_\t_\t_
#comment
4\t_\t_\t_\t_\t_\t0\troot\t_\t_
";
        assert_eq!(one(text), "( (APPR Von) (DET dem) (_ Baum) (_ _))");
    }

    #[test]
    fn the_text_tells_where_tokens_stand() {
        let places = |text: &str, words: &[&str]| {
            let rows: Vec<_> = words
                .iter()
                .enumerate()
                .map(|(i, w)| format!("{}\t{w}{}\n", i + 1, "\t_".repeat(8)))
                .collect();
            let file = format!("{text}\n{}\n", rows.concat());
            let tree =
                TreeReader::new(file.as_bytes(), Format::Table).next().expect("one").expect("a sentence");
            tree.tokens()
                .map(|token| token.place.map(|p| (p.start, p.end(), p.char_start, p.char_end())))
                .collect::<Vec<_>>()
        };
        let found = places("# text = Größe  16 000, ja!", &["Größe", "16 000", ",", "ja", "!"]);
        assert_eq!(
            found,
            [(0, 7, 0, 5), (9, 15, 7, 13), (15, 16, 13, 14), (17, 19, 15, 17), (19, 20, 17, 18)].map(Some)
        );
        for (text, words) in [
            ("# text = Vom Von dem", ["Von", "dem"]),
            ("# text = a b c", ["a", "b"]),
            ("# text = a", ["a", "b"]),
            ("# text_en = a b", ["a", "b"]),
            ("# text = a b\n", ["a", "b"]),
        ] {
            assert_eq!(places(text, &words), [None, None], "{text}");
        }
    }

    #[test]
    fn words_and_tags() {
        let text = "# text = x\n#\t#\n#tree\tNN\r\n16 000\tCD\nb\t_\n \n\n\nx\t\n";
        let expected = ["( (# #) (NN #tree) (CD 16\u{A0}000) (_ b))", "(_ x)"];
        assert_eq!(read(text), expected.map(|text| Ok(text.to_owned())));
    }

    #[test]
    fn words() {
        assert_eq!(one("# comment\nThe\ncat\n#\n"), "( (_ The) (_ cat) (_ #))");
        assert!(read("").is_empty());
        assert!(read("\n# only a comment\n\n").is_empty());
    }

    #[test]
    fn errors_name_the_line_and_reading_goes_on() {
        let text = "a\tX\nb\tY\tz\nc\tZ\n\nd\tX\n\n\tX\n";
        let found = read(text);
        assert_eq!(
            found[0].as_ref().expect_err("too wide"),
            "line 2: tree 1: expected 2 columns as in the first row of the file, found 3 \
             (columns are separated by one tab)"
        );
        assert_eq!(found[1].as_deref(), Ok("(X d)"));
        assert!(found[2].as_ref().expect_err("no word").starts_with("line 7: tree 3: expected a word"));
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn malformed_rows() {
        let wide = |id: &str| format!("{id}\tw{}\n", "\t_".repeat(8));
        for (text, expected) in [
            ("a\tb\tc\n".to_owned(), "expected 10 columns (CoNLL-U), 2 (word, tag) or 1 (word), found 3"),
            (wide("x"), "expected the number of a token in column 1, found `x`"),
            (wide("-1"), "found `-1`"),
            (wide("+1"), "found `+1`"),
            (wide("99999999999999999999"), "found `99999999999999999999`"),
            (wide("1") + &wide("1"), "line 2: tree 1: expected token 2, found 1"),
            (
                wide("18446744073709551615") + &wide("1"),
                "line 2: tree 1: expected token 18446744073709551615",
            ),
        ] {
            assert!(one(&text).contains(expected), "{}", one(&text));
        }
    }

    #[test]
    fn other_encodings_are_named() {
        let error =
            TreeReader::new(&b"Stra\xDFe\tNN\n"[..], Format::Table).next().expect("one").expect_err("latin1");
        assert_eq!(error.kind(), ErrorKind::Encoding);
        assert_eq!(error.place().line, Some(1));
    }
}
