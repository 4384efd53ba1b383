//! TIGER-XML: `<t>` for every token, `<nt>` for every node with an `<edge>` to each child.
//!
//! ```text
//! <s id="s1"><graph root="s1_500">
//!   <terminals><t id="s1_1" word="Ja" pos="PTKANT"/></terminals>
//!   <nonterminals><nt id="s1_500" cat="DL"><edge label="DH" idref="s1_1"/></nt></nonterminals>
//! </graph></s>
//! ```
//!
//! The trees are the same as from the export format: the root is `VROOT`, whether the file has a node of that name
//! or not, edge labels of phrases become function tags, and `--` is no value. Secondary edges and everything
//! else are passed over. A `<subcorpus>` in another file is an error that names the file, so
//! that no sentence is missed in silence. After an error the reader goes on with the next `<s>`.

use std::io::Read;

use quick_xml::events::BytesStart;
use rustc_hash::FxHashMap;

use super::graph::{GraphItem, ROOT_LABEL, SentenceGraph};
use super::message::{shorten, syntax};
use super::reader::TreeSource;
use super::xml::{RawSentence, XmlNames, XmlSentences};
use super::xml_tags::{TagVisitor, attribute, check_closed, read_tags, required};
use crate::error::{Error, Result};
use crate::tree::Tree;

pub(super) const TIGER_NAMES: XmlNames = XmlNames {
    sentence: "<s",
    sentence_end: "</s",
    tags: &["<s", "</s", "<corpus", "</corpus", "<subcorpus", "</subcorpus", "<body", "</body"],
    expected: "`<corpus>`, `<subcorpus>` or `<s>`",
    format: "a TIGER-XML file",
};

/// The sentences of a TIGER-XML file.
pub(super) struct TigerSentences<R> {
    sentences: XmlSentences<R>,
    found: RawSentence,
    attach_discontinuous: bool,
}

impl<R: Read> TigerSentences<R> {
    /// Decodes the stream as its XML declaration says, or takes it for UTF-8 if it is already decoded.
    pub(super) fn new(input: R, is_decoded: bool, attach_discontinuous: bool) -> Result<Self> {
        let sentences = XmlSentences::new(input, is_decoded, &TIGER_NAMES)?;
        Ok(Self { sentences, found: RawSentence::default(), attach_discontinuous })
    }
}

impl<R: Read> TreeSource for TigerSentences<R> {
    fn find(&mut self) -> Result<bool> {
        let found = self.sentences.next()?;
        Ok(found.map(|found| self.found = found).is_some())
    }

    fn read(&mut self) -> Result<Tree> {
        read_sentence(&self.found, self.attach_discontinuous)
    }
}

fn read_sentence(raw: &RawSentence, attach_discontinuous: bool) -> Result<Tree> {
    let mut sentence = TigerSentence::default();
    read_tags(raw, &mut sentence)?;
    check_closed(raw, &TIGER_NAMES, &sentence.id)?;
    sentence.tree(attach_discontinuous)
}

/// A sentence while it is read.
#[derive(Default)]
struct TigerSentence {
    id: String,
    root: Option<IdReference>,
    graph: SentenceGraph,
    items: FxHashMap<String, Vertex>,
    /// The `<nt>` in which edges stand.
    parent: Option<Vertex>,
    edges: Vec<ReferredEdge>,
}

/// What an id stands for; none is the root.
type Vertex = Option<GraphItem>;

struct IdReference {
    id: String,
    line: u64,
}

/// An edge before its child is known to exist.
struct ReferredEdge {
    parent: Vertex,
    label: String,
    child: IdReference,
}

impl TagVisitor for TigerSentence {
    fn open_tag(&mut self, tag: &BytesStart<'_>, line: u64) -> Result<()> {
        match tag.name().as_ref() {
            "s" => self.open_sentence(tag),
            "graph" => self.open_graph(tag, line),
            "t" => self.add_token(tag),
            "nt" => self.add_node(tag, line),
            "edge" => self.add_edge(tag, line),
            _ => Ok(()),
        }
    }

    fn close_tag(&mut self, name: &str) {
        if name == "nt" {
            self.parent = None;
        }
    }
}

impl TigerSentence {
    fn open_sentence(&mut self, tag: &BytesStart<'_>) -> Result<()> {
        self.id = attribute(tag, "id")?.unwrap_or_default();
        Ok(())
    }

    fn open_graph(&mut self, tag: &BytesStart<'_>, line: u64) -> Result<()> {
        self.root = attribute(tag, "root")?.map(|id| IdReference { id, line });
        Ok(())
    }

    fn add_token(&mut self, tag: &BytesStart<'_>) -> Result<()> {
        let word = required(tag, "word")?;
        if word.is_empty() {
            return Err(syntax("expected a word, found `word=\"\"`"));
        }
        let pos = attribute(tag, "pos")?.unwrap_or_default();
        let item = self.graph.token(&word, &pos);
        self.define(&required(tag, "id")?, Some(item))
    }

    fn add_node(&mut self, tag: &BytesStart<'_>, line: u64) -> Result<()> {
        let label = required(tag, "cat")?;
        let node = (label != ROOT_LABEL).then(|| self.graph.node(&label, line));
        self.parent = Some(node);
        self.define(&required(tag, "id")?, node)
    }

    fn add_edge(&mut self, tag: &BytesStart<'_>, line: u64) -> Result<()> {
        let Some(parent) = self.parent else {
            return Err(
                syntax("`<edge>` outside of `<nt>`").hint("an edge stands in the node it starts from")
            );
        };
        let label = attribute(tag, "label")?.unwrap_or_default();
        let child = IdReference { id: required(tag, "idref")?, line };
        self.edges.push(ReferredEdge { parent, label, child });
        Ok(())
    }

    fn define(&mut self, id: &str, vertex: Vertex) -> Result<()> {
        match self.items.insert(id.to_owned(), vertex) {
            None => Ok(()),
            Some(_) => Err(syntax(format!("the id `{}` is there twice in one sentence", shorten(id)))
                .hint("every token and node needs an id of its own")),
        }
    }

    fn tree(mut self, attach_discontinuous: bool) -> Result<Tree> {
        if let Some(root) = &self.root {
            self.resolve(root)?;
        }
        let mut has_parent = vec![false; self.graph.tokens.len() + self.graph.nodes.len()];
        for edge in std::mem::take(&mut self.edges) {
            let Some(child) = self.resolve(&edge.child)? else {
                return Err(edge.misplaced("is the root", "no edge may lead to it"));
            };
            let slot = match child {
                GraphItem::Token(index) => &mut has_parent[index],
                GraphItem::Node(index) => &mut has_parent[self.graph.tokens.len() + index],
            };
            if std::mem::replace(slot, true) {
                return Err(edge.misplaced("has two parents", "secondary edges are written `<secedge>`"));
            }
            let parent = match edge.parent {
                Some(GraphItem::Node(index)) => Some(index),
                _ => None,
            };
            self.graph.attach(child, parent, &edge.label);
        }
        self.graph.tree(&shorten(&self.id), attach_discontinuous)
    }

    fn resolve(&self, reference: &IdReference) -> Result<Vertex> {
        self.items.get(&reference.id).copied().ok_or_else(|| {
            syntax(format!("there is no `{}` in this sentence", shorten(&reference.id)))
                .hint("expected the id of a `<t>` or `<nt>`")
                .at_line(reference.line)
        })
    }
}

impl ReferredEdge {
    fn misplaced(&self, problem: &str, hint: &str) -> Error {
        syntax(format!("`{}` {problem}", shorten(&self.child.id))).hint(hint).at_line(self.child.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::tree::read::{Encoding, Format, ReadOptions, TreeReader};

    fn read_with(xml: &[u8], attach: bool) -> Vec<Result<String, String>> {
        TreeReader::new(xml, ReadOptions { attach_discontinuous: attach, ..Format::TigerXml.into() })
            .map(|tree| tree.map(|tree| tree.to_string()).map_err(|error| error.to_string()))
            .collect()
    }

    fn sentence(terminals: &str, nonterminals: &str) -> String {
        format!(
            "<s id=\"s1\">\n<graph>\n<terminals>{terminals}</terminals>\n\
             <nonterminals>{nonterminals}</nonterminals>\n</graph>\n</s>\n"
        )
    }

    fn one(terminals: &str, nonterminals: &str) -> String {
        let mut read = read_with(sentence(terminals, nonterminals).as_bytes(), false);
        assert_eq!(read.len(), 1, "{read:?}");
        read.remove(0).unwrap_or_else(|error| error)
    }

    const CORPUS: &str = r#"<?xml version="1.0" encoding="ISO-8859-1" standalone="yes"?>
<corpus id="demo"><head><annotation><feature name="word" domain="T"/></annotation></head>
<body>
<s id="s1">
  <graph root="s1_VROOT" discontinuous="false">
    <terminals>
      <t id="s1_1" word="Ein" lemma="ein" pos="ART" morph="--" />
      <t id="s1_2" word="B&quot;&#228;r" pos="NN"><secedge label="SB" idref="s1_500"/></t>
      <t id="s1_3" word="grü&amp;&gt;t" pos="VVFIN" />
      <t id="s1_4" word="." pos="--" />
    </terminals>
    <nonterminals>
      <nt id="s1_VROOT" cat="VROOT"><edge label="--" idref="s1_501"/><edge label="--" idref="s1_4"/></nt>
      <nt id="s1_501" cat="S">
        <edge label="SB" idref="s1_500" /> <edge label="HD" idref="s1_3" />
        <secedge label="X" idref="s1_1" />
      </nt>
      <nt id="s1_500" cat="NP"><edge label="NK" idref="s1_1"/><edge label="NK" idref="s1_2"/></nt>
    </nonterminals>
  </graph>
  <matches><match subgraph="s1_500"/></matches>
</s>
</body>
</corpus>
"#;

    #[test]
    fn a_corpus_in_latin1() {
        let latin1: Vec<u8> = CORPUS.chars().map(|c| u8::try_from(c).expect("latin1")).collect();
        let expected = "(VROOT (S (NP-SB (ART Ein) (NN B\"är)) (VVFIN grü&>t)) (_ .))";
        assert_eq!(read_with(&latin1, false), [Ok(expected.to_owned())]);
        let decoded = TreeReader::new(
            CORPUS.as_bytes(),
            ReadOptions { encoding: Encoding::Latin1, ..Format::TigerXml.into() },
        )
        .next()
        .expect("one");
        assert_eq!(decoded.expect("a tree").to_string(), expected);
    }

    #[test]
    fn the_root_is_vroot_without_a_node_of_that_name() {
        let terminals = "<t id='1' word='Geh' pos='VVIMP'/>";
        assert_eq!(one(terminals, ""), "(VROOT (VVIMP Geh))");
        assert_eq!(
            one(terminals, "<nt id='5' cat='S'><edge label='HD' idref='1'/></nt>"),
            "(VROOT (S (VVIMP Geh)))"
        );
        assert_eq!(one("", ""), "()");
        assert_eq!(read_with(b"<s/>", false), [Ok("()".to_owned())]);
    }

    #[test]
    fn gaps_are_refused_or_closed() {
        let xml = sentence(
            "<t id='1' word='Was' pos='PWS'/><t id='2' word='las' pos='VVFIN'/><t id='3' word='du' pos='PPER'/>",
            "\n<nt id='4' cat='S'><edge label='HD' idref='2'/><edge label='OC' idref='5'/></nt>\n\
             <nt id='5' cat='VP'><edge label='OA' idref='1'/><edge label='SB' idref='3'/></nt>",
        );
        let refused = read_with(xml.as_bytes(), false).remove(0).expect_err("a gap");
        let expected = "line 6: tree 1: `VP-OC` is discontinuous in sentence s1: token 2, `las`";
        assert!(refused.starts_with(expected), "{refused}");
        let closed = "(VROOT (S (VP-OC (PWS Was)) (VVFIN las) (PPER du)))";
        assert_eq!(read_with(xml.as_bytes(), true), [Ok(closed.to_owned())]);
    }

    #[test]
    fn malformed_sentences() {
        let t = "<t id='1' word='a' pos='X'/>";
        for (terminals, nonterminals, expected) in [
            ("<t id='1'/>", "", "line 3: tree 1: `<t>` without `word=`"),
            ("<t word='a'/>", "", "`<t>` without `id=`"),
            ("<t id='1' word=''/>", "", "expected a word, found `word=\"\"`"),
            ("<t id='1' word='a&b'/>", "", "line 3: tree 1: malformed XML: "),
            ("<t id='1' word='&nix;'/>", "", "malformed XML: "),
            ("<t id='1' id='2' word='a'/>", "", "malformed XML: "),
            ("<t id=1 word='a'/>", "", "malformed XML: "),
            ("<t id='1' word='a'>", "", "malformed XML: expected `</t>`, but `</terminals>` was found"),
            ("<t id='1' word='a", "", "malformed XML: "),
            ("<!-- ", "", "malformed XML: comment not closed"),
            (t, "<nt id='5'/>", "line 4: tree 1: `<nt>` without `cat=`"),
            (t, "<nt id='5' cat='S'/>", "line 4: tree 1: nothing below the node `S`"),
            (t, "<nt id='1' cat='S'/>", "the id `1` is there twice in one sentence"),
            (t, "<nt id='5' cat='S'><edge/></nt>", "`<edge>` without `idref=`"),
            (t, "<nt id='5' cat='S'><edge idref='7'/></nt>", "there is no `7` in this sentence"),
            (t, "<nt id='5' cat='S'><edge idref='1'/><edge idref='1'/></nt>", "`1` has two parents"),
            (t, "<nt id='5' cat='S'><edge idref='5'/></nt>", "`S` is its own ancestor"),
            (t, "<nt id='5' cat='VROOT'><edge idref='5'/></nt>", "`5` is the root"),
            (t, "<nt id='5' cat='S'/><edge idref='1'/>", "`<edge>` outside of `<nt>`"),
        ] {
            let found = one(terminals, nonterminals);
            assert!(found.contains(expected), "{found}");
        }
        let dangling_root = read_with(b"<s><graph root='x'></graph></s>", false);
        assert!(dangling_root[0].as_ref().expect_err("no root").contains("there is no `x`"));
    }

    #[test]
    fn reading_goes_on_after_an_error() {
        let bad = "<s><graph></s>\n<s id='2'><t id='1' word='a' pos='X'/>\n";
        let good = sentence("<t id='1' word='a' pos='X'/>", "");
        let found = read_with(format!("{bad}{good}").as_bytes(), false);
        assert!(found[0].as_ref().expect_err("mismatched").starts_with("line 1: tree 1: malformed XML"));
        assert!(found[1].as_ref().expect_err("open").starts_with("line 2: tree 2: sentence 2 is still open"));
        assert_eq!(found[2].as_deref(), Ok("(VROOT (X a))"));
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn other_encodings_are_named() {
        let xml = b"<s>\n<t id='1' word='\xDF'/></s>";
        let error = TreeReader::new(&xml[..], Format::TigerXml).next().expect("one").expect_err("latin1");
        assert_eq!((error.kind(), error.place().line), (ErrorKind::Encoding, Some(2)));
    }
}
