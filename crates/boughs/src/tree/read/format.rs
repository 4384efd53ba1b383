//! Which format a file has: its ending tells, or a line of it.

use std::path::Path;

use super::floresta::is_floresta;
use super::sinica::is_sinica;

/// A format that trees, or tokens, can be read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Penn-style brackets.
    Bracket,
    /// JSON lines, as [`write_json`](crate::tree::write::write_json) writes them.
    Json,
    /// NEGRA export, version 3 or 4.
    Export,
    /// TIGER-XML.
    TigerXml,
    /// A table of tokens: CoNLL-U, words and tags, or words.
    Table,
    /// The Sinica Treebank of Chinese.
    Sinica,
    /// The Floresta of Portuguese.
    Floresta,
    /// The XML of the Alpino Treebank of Dutch.
    AlpinoXml,
}

/// The endings of files that are read when a directory is named, in any case and also before `.gz`.
pub const TREEBANK_EXTENSIONS: [&str; 18] = [
    "mrg", "prd", "psd", "ptb", "parse", "parsed", "tree", "trees", "brackets", "bracket", "penn", "export",
    "negra", "xml", "conllu", "conll", "jsonl", "ndjson",
];

pub(super) fn has_treebank_ending(path: &Path) -> bool {
    ending(path).is_some_and(|ending| TREEBANK_EXTENSIONS.contains(&ending.as_str()))
}

/// The format that the ending of a file's name tells; of most the first lines must tell.
pub(super) fn format_by_name(path: &Path) -> Option<Format> {
    match ending(path)?.as_str() {
        "mrg" => Some(Format::Bracket),
        "export" | "negra" => Some(Format::Export),
        // Or Alpino's; what is in it tells.
        "xml" => Some(Format::TigerXml),
        "conllu" | "conll" => Some(Format::Table),
        "jsonl" | "ndjson" => Some(Format::Json),
        _ => None,
    }
}

/// The ending of a file's name in lower case, `.gz` left out.
fn ending(path: &Path) -> Option<String> {
    let ending = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
    match ending(path)?.as_str() {
        "gz" => ending(Path::new(path.file_stem()?)),
        other => Some(other.to_owned()),
    }
}

/// The format of which a line is typical; none for blank lines and comments.
pub(super) fn format_by_line(line: &[u8]) -> Option<Format> {
    const EXPORT_MARKS: [&[u8]; 3] = [b"#FORMAT", b"#BOT", b"#BOS"];
    let line = line.trim_ascii_start();
    match line.first()? {
        b'(' if is_floresta(line) => Some(Format::Floresta),
        b'(' => Some(Format::Bracket),
        b'{' if !line.starts_with(b"{\t") => Some(Format::Json),
        b'<' => Some(Format::TigerXml),
        b'#' if EXPORT_MARKS.iter().any(|mark| line.starts_with(mark)) => Some(Format::Export),
        b'#' if is_sinica(line) => Some(Format::Sinica),
        b'#' if line.starts_with(b"# ") => None,
        b'%' | b';' | b'*' if line.get(1) != Some(&b'\t') => None,
        _ if line.contains(&b'\t') => Some(Format::Table),
        b'#' => None,
        _ => Some(Format::Bracket),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_format() {
        for (name, format) in [
            ("a.mrg", Some(Format::Bracket)),
            ("negra.EXPORT.gz", Some(Format::Export)),
            ("tiger.xml", Some(Format::TigerXml)),
            ("de-ud-dev.conllu", Some(Format::Table)),
            ("a.jsonl", Some(Format::Json)),
            ("a.parse", None),
            ("a.txt", None),
        ] {
            assert_eq!(format_by_name(Path::new(name)), format);
        }
    }

    #[test]
    fn endings_tell_treebanks() {
        assert!(has_treebank_ending(Path::new("a.ndjson.gz")));
        assert!(has_treebank_ending(Path::new("wsj_0001.MRG")));
        assert!(!has_treebank_ending(Path::new("readme.txt")));
    }
}
