//! A parse as a line of JSON, for programs.

use std::fmt;

use serde::Serialize;

use super::{Parse, Status};
use crate::tree::NodeId;
use crate::tree::write::write_json_with;

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
}

#[derive(Serialize)]
struct TreeFields<'a> {
    #[serde(flatten)]
    record: ParseRecord<'a>,
    cost: Option<f64>,
}

#[derive(Serialize)]
struct NodeFields {
    confidence: Option<f64>,
}

impl ParseRecord<'_> {
    /// Writes the tree as [`write_json`](crate::tree::write::write_json) does, with the confidence in each phrase, and
    /// these fields and the cost at the end.
    ///
    /// # Errors
    /// Never: strings take all that is written.
    pub fn write_json(&self, parse: &Parse, out: &mut String) -> fmt::Result {
        let confidence = |id: NodeId| parse.confidences.get(id.index()).copied().flatten();
        let of_node = |id| NodeFields { confidence: confidence(id) };
        write_json_with(&parse.tree, of_node, TreeFields { record: *self, cost: parse.cost }, out)
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
        let record = ParseRecord { document: "d", sentence: 3, rank: 1, status: Status::Pruned };
        let mut line = String::new();
        record.write_json(&parse, &mut line).unwrap();
        let expected = concat!(
            r#"{"tokens":[{"word":"a","tag":"A"}],"#,
            r#""nodes":[{"label":"X","start":0,"end":1,"parent":null,"confidence":0.5}],"#,
            r#""document":"d","sentence":3,"rank":1,"status":"pruned","cost":1.5}"#,
        );
        assert_eq!(line, expected);
    }
}
