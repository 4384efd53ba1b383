//! A parse as a line of JSON, for programs.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use super::{Parse, Status};
use crate::tree::NodeId;
use crate::tree::heads::HeadRules;
use crate::tree::write::{Place, write_json_with};

/// A parse with where its sentence comes from: the fields that follow those of the tree.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct ParseRecord<'a> {
    /// The document of the sentence.
    pub document: &'a str,
    /// The number of the sentence within its document, from 1.
    pub sentence: u64,
    /// 1 for the best parse of the sentence, 2 for the second best.
    pub rank: usize,
    /// How the parses of the sentence were found.
    #[serde(serialize_with = "by_name")]
    pub status: Status,
    /// The name of the parser, where there may be several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<&'a str>,
    /// Why the tree does not meet the constraints, if it does not and it is to be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmet: Option<&'a str>,
}

impl<'a> ParseRecord<'a> {
    /// The record of a parse of a sentence of a document.
    pub fn new(document: &'a str, sentence: u64, rank: usize, status: Status) -> Self {
        Self { document, sentence, rank, status, model: None, unmet: None }
    }
}

#[derive(Serialize)]
struct TreeFields<'a> {
    #[serde(flatten)]
    record: ParseRecord<'a>,
    cost: Option<f64>,
    #[serde(flatten)]
    place: Option<Place>,
    text: Cow<'a, str>,
}

#[derive(Serialize)]
struct NodeFields<'a> {
    confidence: Option<f64>,
    head: u32,
    text: Cow<'a, str>,
}

impl ParseRecord<'_> {
    /// Writes the tree as [`write_json`](crate::tree::write::write_json) does, with the confidence in each phrase, its
    /// head (a token) by these rules and its text, and at the end these fields, the cost, and the place and text of the
    /// sentence.
    ///
    /// # Errors
    /// Never: strings take all that is written.
    pub fn write_json(&self, parse: &Parse, rules: &HeadRules, out: &mut String) -> fmt::Result {
        let tree = &parse.tree;
        let heads = rules.heads(tree);
        let of_node = |id: NodeId| NodeFields {
            confidence: parse.confidence(id),
            head: heads[id.index()],
            text: tree.text(tree.span(id)),
        };
        let all = tree.whole();
        let place = tree.bytes(all).zip(tree.chars(all)).map(|(bytes, chars)| Place::new(bytes, chars));
        let of_tree = TreeFields { record: *self, cost: parse.cost, place, text: tree.text(all) };
        write_json_with(tree, of_node, of_tree, out)
    }
}

fn by_name<S: serde::Serializer>(status: &Status, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(status.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_the_parse_come_last() {
        let tree = "(X (A a))".parse().unwrap();
        let parse = Parse { tree, cost: Some(1.5), confidences: vec![Some(0.5)] };
        let record = ParseRecord::new("d", 3, 1, Status::Pruned);
        let mut line = String::new();
        record.write_json(&parse, &HeadRules::english(), &mut line).unwrap();
        let expected = concat!(
            r#"{"tokens":[{"word":"a","tag":"A"}],"#,
            r#""nodes":[{"label":"X","start":0,"end":1,"parent":null,"confidence":0.5,"head":0,"text":"a"}],"#,
            r#""document":"d","sentence":3,"rank":1,"status":"pruned","cost":1.5,"text":"a"}"#,
        );
        assert_eq!(line, expected);
    }
}
