//! An XML file cut into sentences, so that what is wrong in one does no harm to the next.
//!
//! The naive form is one XML parser over the whole file; it stops for good at the first tag that is
//! not closed. Here the stream is read up to each `>`, and only the tags of sentences (`<s>` and `</s>`) are looked
//! for, outside of comments; each sentence is then parsed on its own. Memory is that of one sentence.

use std::io::{BufRead, BufReader, Chain, Cursor, Read};

use encoding_rs_io::{DecodeReaderBytes, DecodeReaderBytesBuilder};

use super::message::{shorten, syntax};
use crate::error::{Error, ErrorKind, Result};

const COMMENT_START: &[u8] = b"<!--";
const COMMENT_END: &[u8] = b"-->";

/// An XML declaration ends well before this many bytes.
const DECLARATION_LIMIT: u64 = 1024;

type Stream<R> = BufReader<DecodeReaderBytes<Chain<Cursor<Vec<u8>>, R>, Vec<u8>>>;

/// How the tags begin that matter in a format.
pub(super) struct XmlNames {
    /// A sentence, as in `<s`.
    pub(super) sentence: &'static str,
    /// Its end, as in `</s`.
    pub(super) sentence_end: &'static str,
    /// These two, and what may stand around sentences.
    pub(super) tags: &'static [&'static str],
    /// What a file must have one of, for messages.
    pub(super) expected: &'static str,
    /// The format, for messages.
    pub(super) format: &'static str,
}

/// The sentences of a file.
pub(super) struct XmlSentences<R> {
    names: &'static XmlNames,
    stream: Stream<R>,
    /// What was read last: text and markup up to a `>`.
    piece: Vec<u8>,
    /// Whether `piece` is a comment.
    is_comment: bool,
    /// How much of `piece` is used up.
    used: usize,
    /// The line of the first byte that is not used up.
    line: u64,
    /// A `<corpus>` or the like, or a `<subcorpus>` at the top, that waits for its end.
    open_corpus: Option<&'static str>,
    /// Whether anything was found that belongs in such a file.
    is_corpus: bool,
}

/// A sentence from `<s …>` to `</s>`.
#[derive(Default)]
pub(super) struct RawSentence {
    pub(super) xml: Vec<u8>,
    /// The line of its first byte.
    pub(super) line: u64,
    /// If there is no `</s>`: what there is instead.
    pub(super) found_instead: Option<String>,
}

impl<R: Read> XmlSentences<R> {
    /// Decodes the stream as its XML declaration says, or takes it for UTF-8 if it is already decoded.
    pub(super) fn new(mut input: R, is_decoded: bool, names: &'static XmlNames) -> Result<Self> {
        let mut start = Vec::new();
        let cannot_read = |error| Error::io("read", error);
        input.by_ref().take(DECLARATION_LIMIT).read_to_end(&mut start).map_err(cannot_read)?;
        let encoding = if is_decoded { None } else { declared_encoding(&start)? };
        let stream = DecodeReaderBytesBuilder::new()
            .encoding(encoding)
            .utf8_passthru(true)
            .strip_bom(true)
            .build(Cursor::new(start).chain(input));
        Ok(Self {
            names,
            stream: BufReader::with_capacity(1 << 16, stream),
            piece: Vec::new(),
            is_comment: false,
            used: 0,
            line: 1,
            open_corpus: None,
            is_corpus: false,
        })
    }

    /// The next sentence.
    pub(super) fn next(&mut self) -> Result<Option<RawSentence>> {
        while let Some(tag) = self.next_tag(None)? {
            self.is_corpus |= !tag.ends_with("body");
            if tag == self.names.sentence {
                return self.read_sentence().map(Some);
            }
            let line = self.line;
            let mut text = Vec::new();
            self.take_tag(&mut text);
            self.pass_tag(tag, &String::from_utf8_lossy(&text)).map_err(|error| error.at_line(line))?;
        }
        self.check_end()
    }

    /// Notes what a tag between sentences means.
    fn pass_tag(&mut self, tag: &'static str, text: &str) -> Result<()> {
        let XmlNames { sentence, sentence_end, .. } = self.names;
        match tag {
            _ if tag == *sentence_end => {
                return Err(syntax(format!("`{sentence_end}>` ends no sentence"))
                    .hint(format!("is its `{sentence}>` missing?")));
            }
            "<body" | "</body" => {}
            "<subcorpus" => self.enter_subcorpus(text)?,
            "</subcorpus" if self.open_corpus != Some("subcorpus") => {}
            _ if tag.starts_with("</") => self.open_corpus = None,
            _ => self.open_corpus = tag.strip_prefix('<'),
        }
        Ok(())
    }

    /// Goes to the next tag that matters, which is not used up; what is passed over is added to `skipped`.
    fn next_tag(&mut self, mut skipped: Option<&mut Vec<u8>>) -> Result<Option<&'static str>> {
        loop {
            if let Some((start, tag)) = self.find_tag(self.used) {
                if let Some(skipped) = &mut skipped {
                    skipped.extend_from_slice(&self.piece[self.used..start]);
                }
                self.use_up(start);
                return Ok(Some(tag));
            }
            if let Some(skipped) = &mut skipped {
                skipped.extend_from_slice(&self.piece[self.used..]);
            }
            self.use_up(self.piece.len());
            if !self.read_piece()? {
                return Ok(None);
            }
        }
    }

    /// Reads up to a `>`, or over a whole comment; false at the end of the file.
    fn read_piece(&mut self) -> Result<bool> {
        self.piece.clear();
        self.used = 0;
        self.read_to_bracket()?;
        let text = self.piece.trim_ascii_start();
        self.is_comment = text.starts_with(COMMENT_START);
        if self.is_comment {
            let shortest = self.piece.len() - text.len() + COMMENT_START.len() + COMMENT_END.len();
            self.read_comment(shortest)?;
        }
        Ok(!self.piece.is_empty())
    }

    /// Reads on to the end of a comment; a piece that is shorter than `shortest` does not hold it.
    fn read_comment(&mut self, shortest: usize) -> Result<()> {
        while self.piece.len() < shortest || !self.piece.ends_with(COMMENT_END) {
            if self.read_to_bracket()? == 0 {
                break;
            }
        }
        Ok(())
    }

    fn read_to_bracket(&mut self) -> Result<usize> {
        self.stream.read_until(b'>', &mut self.piece).map_err(|error| Error::io("read", error))
    }

    /// The first tag in `piece[from..]` that matters.
    fn find_tag(&self, from: usize) -> Option<(usize, &'static str)> {
        if self.is_comment {
            return None;
        }
        find_tag(&self.piece, from, self.names.tags)
    }

    fn use_up(&mut self, end: usize) {
        let newlines = memchr::memchr_iter(b'\n', &self.piece[self.used..end]).count();
        self.line += newlines as u64;
        self.used = end;
    }

    /// Reads from `<s` to `</s>`, or to what shows that it is missing.
    fn read_sentence(&mut self) -> Result<RawSentence> {
        let mut sentence = RawSentence { line: self.line, ..RawSentence::default() };
        self.take_tag(&mut sentence.xml);
        if sentence.xml.ends_with(b"/>") {
            return Ok(sentence);
        }
        sentence.found_instead = match self.next_tag(Some(&mut sentence.xml))? {
            Some(tag) if tag == self.names.sentence_end => {
                self.take_tag(&mut sentence.xml);
                None
            }
            Some(_) => Some(format!("line {} starts something new", self.line)),
            None => {
                self.open_corpus = None;
                Some("the file ends".to_owned())
            }
        };
        Ok(sentence)
    }

    /// Uses up a tag; another that starts within it, because it is not closed, is left.
    fn take_tag(&mut self, xml: &mut Vec<u8>) {
        let end = self.find_tag(self.used + 1).map_or(self.piece.len(), |(start, _)| start);
        xml.extend_from_slice(&self.piece[self.used..end]);
        self.use_up(end);
    }

    fn enter_subcorpus(&mut self, tag: &str) -> Result<()> {
        if let Some(file) = attribute(tag, "external") {
            let message = format!("this part of the corpus is in another file, `{}`", shorten(file));
            return Err(syntax(message).hint("name the files of the parts instead of this one"));
        }
        if self.open_corpus.is_none() && !tag.ends_with("/>") {
            self.open_corpus = Some("subcorpus");
        }
        Ok(())
    }

    /// Complains once if the file cannot have been meant to end here.
    fn check_end(&mut self) -> Result<Option<RawSentence>> {
        if let Some(name) = self.open_corpus.take() {
            return Err(syntax(format!("the file ends before `</{name}>`"))
                .hint("is it complete?")
                .at_line(self.line));
        }
        if !std::mem::replace(&mut self.is_corpus, true) {
            let XmlNames { expected, format, .. } = self.names;
            return Err(
                syntax(format!("expected {expected}, found none of them")).hint(format!("is this {format}?"))
            );
        }
        Ok(None)
    }
}

fn find_tag(piece: &[u8], from: usize, tags: &[&'static str]) -> Option<(usize, &'static str)> {
    memchr::memchr_iter(b'<', piece.get(from..)?).find_map(|offset| {
        let start = from + offset;
        let rest = &piece[start..];
        let is_name = |name: &str| {
            rest.starts_with(name.as_bytes())
                && rest.get(name.len()).is_none_or(|&b| b.is_ascii_whitespace() || b == b'>' || b == b'/')
        };
        tags.iter().find(|name| is_name(name)).map(|&tag| (start, tag))
    })
}

/// The encoding that an XML declaration names; none for UTF-8.
fn declared_encoding(start: &[u8]) -> Result<Option<&'static encoding_rs::Encoding>> {
    let Some(declaration) = declaration(start) else {
        return Ok(None);
    };
    let Some(name) = attribute(declaration, "encoding") else {
        return Ok(None);
    };
    match encoding_rs::Encoding::for_label(name.as_bytes()) {
        // UTF-16 has a mark at its start and is decoded by now, or the declaration could not be read.
        Some(encoding) if encoding == encoding_rs::UTF_8 || !encoding.is_ascii_compatible() => Ok(None),
        Some(encoding) => Ok(Some(encoding)),
        None => {
            Err(Error::new(ErrorKind::Encoding, format!("the encoding `{}` is not known", shorten(name)))
                .hint("name another, e.g. latin1")
                .at_line(1))
        }
    }
}

fn declaration(start: &[u8]) -> Option<&str> {
    let rest = start.trim_ascii_start().strip_prefix(b"<?xml")?;
    let end = memchr::memmem::find(rest, b"?>")?;
    str::from_utf8(&rest[..end]).ok()
}

/// The value of an attribute in the text of a tag.
fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    tag.match_indices(name).find_map(|(start, _)| {
        let after_name = tag[start + name.len()..].trim_ascii_start();
        let value = after_name.strip_prefix('=')?.trim_ascii_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        value[1..].split(quote).next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::read::tiger::TIGER_NAMES;

    fn cut(xml: &[u8]) -> Vec<String> {
        let mut sentences = XmlSentences::new(xml, false, &TIGER_NAMES).expect("a known encoding");
        let mut found = Vec::new();
        loop {
            match sentences.next() {
                Ok(None) => return found,
                Ok(Some(raw)) => {
                    let xml = String::from_utf8_lossy(&raw.xml);
                    let instead = raw.found_instead.unwrap_or_default();
                    found.push(format!("{} {xml} {instead}", raw.line).trim().to_owned());
                }
                Err(error) => found.push(error.to_string()),
            }
        }
    }

    #[test]
    fn sentences_are_cut_out() {
        let xml = b"<?xml version='1.0'?>\n<corpus>\n<body><s id='>'>\n<t/></s><!-- <s>\n> -->\n<s/></body></corpus>";
        assert_eq!(cut(xml), ["3 <s id='>'>\n<t/></s>", "6 <s/>"]);
    }

    #[test]
    fn comments_end_where_xml_says() {
        assert_eq!(cut(b"<corpus><!--> <s/> --><s/><!---><s/>--><!----><s/></corpus>").len(), 2);
        assert_eq!(cut(b"<s/><!-- <s/>"), ["1 <s/>"]);
    }

    /// Looking at the blanks again for every `>` or `<` would take minutes.
    #[test]
    fn long_comments_and_lines_take_linear_time() {
        let blanks = " ".repeat(1 << 20);
        let brackets = format!("<s/>{blanks}<!--{}-->", ">".repeat(1 << 19));
        assert_eq!(cut(brackets.as_bytes()).len(), 1);
        let sentences = format!("<s/>{blanks}{}", "<s ".repeat(1 << 14));
        assert_eq!(cut(sentences.as_bytes()).len(), 1 + (1 << 14));
    }

    #[test]
    fn an_open_sentence_ends_where_another_starts() {
        let found = cut(b"<s><t <s>\n</s><s></body>");
        assert_eq!(
            found,
            ["1 <s><t  line 1 starts something new", "1 <s>\n</s>", "2 <s> line 2 starts something new"]
        );
        assert_eq!(cut(b"<s"), ["1 <s the file ends"]);
    }

    #[test]
    fn what_is_missing_is_reported_once() {
        assert_eq!(
            cut(b"<corpus>\n<s></s>\n"),
            ["2 <s></s>", "line 3: the file ends before `</corpus>` (is it complete?)"]
        );
        assert_eq!(cut(b"</s><s/>"), ["line 1: `</s>` ends no sentence (is its `<s>` missing?)", "1 <s/>"]);
        assert_eq!(cut(b"(S (NP a))").len(), 1);
        assert_eq!(cut(b"<subcorpus name='a'><s/></subcorpus>"), ["1 <s/>"]);
    }

    #[test]
    fn parts_in_other_files_are_named() {
        let found = cut(b"<corpus><subcorpus name='external'\n external = \"file:a.xml\"/><s/></corpus>");
        assert_eq!(
            found[0],
            "line 1: this part of the corpus is in another file, `file:a.xml` \
            (name the files of the parts instead of this one)"
        );
        assert_eq!(found[1..], ["2 <s/>"]);
    }

    #[test]
    fn the_declared_encoding_counts() {
        let latin1 = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><s>\xDF</s>";
        assert_eq!(cut(latin1), ["1 <s>ß</s>"]);
        assert_eq!(cut(b"<?xml version='1.0' encoding='utf-8'?><s>\xC3\x9F</s>"), ["1 <s>ß</s>"]);
        assert_eq!(cut(b"<?xml version='1.0' encoding='UTF-16'?><s>\xC3\x9F</s>"), ["1 <s>ß</s>"]);
        let error = XmlSentences::new(&b"<?xml encoding='klingon'?>"[..], false, &TIGER_NAMES)
            .err()
            .expect("unknown");
        assert_eq!(error.kind(), ErrorKind::Encoding);
        assert!(XmlSentences::new(&b"<?xml encoding='klingon'?>"[..], true, &TIGER_NAMES).is_ok());
    }
}
