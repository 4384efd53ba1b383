//! The XML of the Alpino Treebank of Dutch, and of the many that follow it: `<node>` in `<node>`.
//!
//! ```text
//! <alpino_ds id="1"><node begin="0" cat="top" end="2" rel="top">
//!   <node begin="0" end="1" pos="noun" rel="su" word="Zij"/>
//!   <node begin="1" end="2" pos="verb" rel="hd" word="leest"/>
//! </node></alpino_ds>
//! ```
//!
//! Words stand where `begin` says, in whatever order the nodes come. The relation of a phrase becomes a function tag
//! (`np-su`), that of a word is not kept; `hd` is the head. The node `top` is the root, `VROOT`. A node with an `index`
//! and nothing else says that a phrase has a second parent: it is passed over, and so is a phrase that holds nothing
//! else. Branches cross; [`ReadOptions::attach_discontinuous`](super::ReadOptions) makes them continuous as in the
//! other formats of graphs.

use std::io::Read;

use quick_xml::events::BytesStart;

use super::graph::{GraphItem, SentenceGraph};
use super::message::{shorten, syntax};
use super::reader::TreeSource;
use super::xml::{RawSentence, XmlNames, XmlSentences};
use super::xml_tags::{TagVisitor, attribute, check_closed, read_tags, required};
use crate::error::Result;
use crate::tree::Tree;

const ALPINO_NAMES: XmlNames = XmlNames {
    sentence: "<alpino_ds",
    sentence_end: "</alpino_ds",
    tags: &["<alpino_ds", "</alpino_ds", "<alpino", "</alpino", "<treebank", "</treebank"],
    expected: "`<alpino>`, `<treebank>` or `<alpino_ds>`",
    format: "an Alpino file",
};

/// The category of the root.
const TOP: &str = "top";

/// Whether the start of an XML file is of this format.
pub(super) fn is_alpino(start: &[u8]) -> bool {
    ["<alpino_ds", "<alpino "].iter().any(|tag| memchr::memmem::find(start, tag.as_bytes()).is_some())
}

/// The sentences of an Alpino file.
pub(super) struct AlpinoSentences<R> {
    sentences: XmlSentences<R>,
    found: RawSentence,
    attach_discontinuous: bool,
}

impl<R: Read> AlpinoSentences<R> {
    /// Decodes the stream as its XML declaration says, or takes it for UTF-8 if it is already decoded.
    pub(super) fn new(input: R, is_decoded: bool, attach_discontinuous: bool) -> Result<Self> {
        let sentences = XmlSentences::new(input, is_decoded, &ALPINO_NAMES)?;
        Ok(Self { sentences, found: RawSentence::default(), attach_discontinuous })
    }
}

impl<R: Read> TreeSource for AlpinoSentences<R> {
    fn find(&mut self) -> Result<bool> {
        let found = self.sentences.next()?;
        Ok(found.map(|found| self.found = found).is_some())
    }

    fn read(&mut self) -> Result<Tree> {
        let mut sentence = AlpinoSentence::default();
        read_tags(&self.found, &mut sentence)?;
        check_closed(&self.found, &ALPINO_NAMES, &sentence.id)?;
        sentence.tree(self.attach_discontinuous)
    }
}

/// A sentence while it is read.
#[derive(Default)]
struct AlpinoSentence {
    id: String,
    words: Vec<AlpinoWord>,
    phrases: Vec<AlpinoPhrase>,
    /// The nodes that are open; none for the root, and for what is no phrase.
    open: Vec<Option<usize>>,
}

struct AlpinoWord {
    begin: usize,
    word: String,
    tag: String,
    relation: String,
    parent: Option<usize>,
    line: u64,
}

struct AlpinoPhrase {
    label: String,
    relation: String,
    parent: Option<usize>,
    line: u64,
    has_words: bool,
}

impl TagVisitor for AlpinoSentence {
    fn open_tag(&mut self, tag: &BytesStart<'_>, line: u64) -> Result<()> {
        match tag.name().as_ref() {
            "alpino_ds" => self.id = attribute(tag, "id")?.unwrap_or_default(),
            "node" => {
                let node = self.add_node(tag, line)?;
                self.open.push(node);
            }
            _ => {}
        }
        Ok(())
    }

    fn close_tag(&mut self, name: &str) {
        if name == "node" {
            self.open.pop();
        }
    }
}

impl AlpinoSentence {
    /// Adds a word or a phrase; the place of the latter.
    fn add_node(&mut self, tag: &BytesStart<'_>, line: u64) -> Result<Option<usize>> {
        let parent = self.open.last().copied().flatten();
        if let Some(label) = attribute(tag, "cat")? {
            if label == TOP {
                return Ok(None);
            }
            let relation = attribute(tag, "rel")?.unwrap_or_default();
            self.phrases.push(AlpinoPhrase { label, relation, parent, line, has_words: false });
            return Ok(Some(self.phrases.len() - 1));
        }
        match attribute(tag, "word")? {
            Some(word) => self.add_word(tag, word, parent, line)?,
            None if attribute(tag, "index")?.is_some() => {}
            None => {
                return Err(syntax("`<node>` without `cat=`, `word=` or `index=`")
                    .hint("a phrase has `cat=`, a word has `word=`"));
            }
        }
        Ok(None)
    }

    fn add_word(
        &mut self,
        tag: &BytesStart<'_>,
        word: String,
        parent: Option<usize>,
        line: u64,
    ) -> Result<()> {
        let begin = required(tag, "begin")?;
        let begin = begin
            .parse()
            .map_err(|_| syntax(format!("expected a number in `begin=`, found `{}`", shorten(&begin))))?;
        if word.is_empty() {
            return Err(syntax("expected a word, found `word=\"\"`"));
        }
        let pos = attribute(tag, "pos")?.unwrap_or_default();
        let relation = attribute(tag, "rel")?.unwrap_or_default();
        self.words.push(AlpinoWord { begin, word, tag: pos, relation, parent, line });
        Ok(())
    }

    fn tree(mut self, attach_discontinuous: bool) -> Result<Tree> {
        self.words.sort_by_key(|word| word.begin);
        if let Some(pair) = self.words.windows(2).find(|pair| pair[0].begin == pair[1].begin) {
            return Err(syntax(format!(
                "two words, `{}` and `{}`, have `begin=\"{}\"`",
                shorten(&pair[0].word),
                shorten(&pair[1].word),
                pair[0].begin
            ))
            .hint("every word needs a place of its own")
            .at_line(pair[1].line));
        }
        self.mark_phrases_with_words();
        let mut graph = SentenceGraph::default();
        // Parents come before their children, so their places in the graph are known.
        let mut places = Vec::with_capacity(self.phrases.len());
        for phrase in &self.phrases {
            places.push(phrase.has_words.then(|| graph.node(&phrase.label, phrase.line)));
            if let Some(Some(item)) = places.last() {
                graph.attach(*item, place_of(phrase.parent, &places), &phrase.relation);
            }
        }
        for word in &self.words {
            let item = graph.token(&word.word, &word.tag);
            graph.attach(item, place_of(word.parent, &places), &word.relation);
        }
        graph.tree(&shorten(&self.id), attach_discontinuous)
    }

    /// A phrase that holds nothing but references to others is none of its own.
    fn mark_phrases_with_words(&mut self) {
        for word in &self.words {
            let mut above = word.parent;
            while let Some(phrase) = above.and_then(|place| self.phrases.get_mut(place)) {
                // What is above a marked one is marked.
                above = if std::mem::replace(&mut phrase.has_words, true) { None } else { phrase.parent };
            }
        }
    }
}

/// The node of the graph that a phrase became.
fn place_of(phrase: Option<usize>, places: &[Option<GraphItem>]) -> Option<usize> {
    match places[phrase?] {
        Some(GraphItem::Node(index)) => Some(index),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::read::{ReadOptions, TreeReader};

    fn read_with(xml: &[u8], attach: bool) -> Vec<Result<String, String>> {
        TreeReader::new(xml, ReadOptions { attach_discontinuous: attach, ..ReadOptions::default() })
            .map(|tree| tree.map(|tree| tree.to_string()).map_err(|error| error.to_string()))
            .collect()
    }

    fn one(nodes: &str) -> String {
        let xml = format!("<alpino_ds id=\"x\">\n<node cat='top' rel='top'>\n{nodes}</node></alpino_ds>\n");
        let mut read = read_with(xml.as_bytes(), false);
        assert_eq!(read.len(), 1, "{read:?}");
        read.remove(0).unwrap_or_else(|error| error)
    }

    const CORPUS: &str = r#"<?xml version="1.0" encoding="ISO-8859-1"?>
<alpino version="1.2">
<alpino_ds version="1.2" id="0001">
  <node begin="0" cat="top" end="6" id="0" rel="top">
    <node begin="5" end="6" pos="punct" rel="--" root="." word="."/>
    <node begin="0" cat="smain" end="5" rel="--">
      <node begin="1" end="2" pos="verb" rel="hd" root="heb" word="heeft"/>
      <node begin="2" end="3" index="1" pos="noun" rel="su" word="zij"/>
      <node begin="0" cat="ppart" end="5" rel="vc">
        <node begin="2" end="3" index="1" rel="su"/>
        <node begin="0" end="1" pos="noun" rel="obj1" word="Eén"/>
        <node begin="3" end="4" pos="adv" rel="mod" word="niet"/>
        <node begin="4" end="5" pos="verb" rel="hd" word="gelezen"/>
        <node cat="np" begin="2" end="3" rel="x"><node index="1" begin="2" end="3" rel="y"/></node>
      </node>
    </node>
  </node>
  <sentence>Eén heeft zij niet gelezen .</sentence>
  <comments><comment>x &apos; y</comment></comments>
</alpino_ds>
</alpino>
"#;

    #[test]
    fn crossing_branches_are_refused_or_made_continuous() {
        let latin1: Vec<u8> = CORPUS.chars().map(|c| u8::try_from(c).expect("latin1")).collect();
        let refused = read_with(&latin1, false).remove(0).expect_err("a gap");
        assert!(
            refused.starts_with("line 9: tree 1: `ppart-vc` is discontinuous in sentence 0001: token 2"),
            "{refused}"
        );
        let tree = "(VROOT (smain (noun Eén) (verb heeft) (noun zij) (ppart-vc (adv niet) (verb gelezen))) (punct .))";
        assert_eq!(read_with(&latin1, true), [Ok(tree.to_owned())]);
    }

    #[test]
    fn the_tags_tell_the_format() {
        let bare = "<alpino_ds><node begin='0' pos='adv' word='Ja'/></alpino_ds>";
        assert_eq!(read_with(bare.as_bytes(), false), [Ok("(VROOT (adv Ja))".to_owned())]);
        assert!(!is_alpino(b"<corpus><s/></corpus>"));
    }

    #[test]
    fn malformed_sentences() {
        for (nodes, expected) in [
            ("<node rel='x'/>", "line 3: tree 1: `<node>` without `cat=`, `word=` or `index=`"),
            ("\n<node word='a'/>", "line 4: tree 1: `<node>` without `begin=`"),
            ("<node begin='x' word='a'/>", "line 3: tree 1: expected a number in `begin=`, found `x`"),
            ("<node begin='1' word=''/>", "line 3: tree 1: expected a word"),
            (
                "<node begin='1' word='a'/>\n<node begin='1' word='b'/>",
                "line 4: tree 1: two words, `a` and `b`, have",
            ),
            ("<node begin='1' word='a'>", "line 3: tree 1: malformed XML"),
        ] {
            let error = one(nodes);
            assert!(error.starts_with(expected), "{nodes}: {error}");
        }
        assert_eq!(one("<node cat='np'><node index='1'/></node>"), "()");
        let open = read_with(b"<alpino><alpino_ds id='1'><node begin='0' word='a'/>", false);
        assert!(
            open[0].as_ref().is_err_and(|error| error.contains("close it with `</alpino_ds>`")),
            "{open:?}"
        );
        let twice = read_with(b"<alpino_ds/>\n</alpino_ds>", false);
        assert!(
            twice[1].as_ref().is_err_and(|error| error.contains("`</alpino_ds>` ends no sentence")),
            "{twice:?}"
        );
    }

    /// Marking all that is above each word would take minutes.
    #[test]
    fn deep_phrases_take_linear_time() {
        let depth = 20_000;
        let words: String = (0..depth).map(|place| format!("<node begin='{place}' word='a'/>")).collect();
        let xml = format!(
            "<alpino_ds>{}{words}{}</alpino_ds>",
            "<node cat='np'>".repeat(depth),
            "</node>".repeat(depth)
        );
        assert!(read_with(xml.as_bytes(), false)[0].is_ok());
    }
}
