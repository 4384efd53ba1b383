//! `boughs tokenize`: running text to sentences and tokens.

use std::io::{self, Write};

use anyhow::Result;
use boughs::text::{SentenceRecord, TextSentence};
use clap::Args;

use crate::Outcome;
use crate::output::{is_watched, stdout};
use crate::text::TextArgs;

/// Split running text into sentences and tokens
///
/// Writes one sentence a line, its tokens separated by blanks. Tokens are those of the Penn Treebank (`do n't`, `$
/// 5`, `U.S.`), but never changed: each is a slice of the text. Sentences end at the latest at a blank line, or after
/// 64 KiB.
#[derive(Debug, Args)]
pub(crate) struct TokenizeArgs {
    #[command(flatten)]
    text: TextArgs,

    /// Write one JSON object a sentence, with the bytes and characters of its tokens in the file
    #[arg(long, conflicts_with = "offsets")]
    json: bool,

    /// Write one token a line, after file, number of the sentence, its bytes and its characters; separated by tabs,
    /// below a line of names
    #[arg(long)]
    offsets: bool,
}

pub(crate) fn run(args: &TokenizeArgs) -> Result<Outcome> {
    let mut out = stdout();
    let is_watched = is_watched();
    if args.offsets {
        writeln!(out, "document\tsentence\tbyte_start\tbyte_end\tchar_start\tchar_end\ttoken")?;
    }
    let outcome = args.text.each_sentence(|document, number, sentence| {
        match (args.json, args.offsets) {
            (true, _) => write_json(document, number, sentence, &mut out)?,
            (_, true) => write_offsets(document, number, sentence, &mut out)?,
            _ => write_line(sentence, &mut out)?,
        }
        if is_watched {
            out.flush()?;
        }
        Ok(())
    })?;
    out.flush()?;
    Ok(outcome)
}

fn write_line(sentence: &TextSentence<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut separator: &[u8] = b"";
    for token in sentence.tokens() {
        out.write_all(separator)?;
        out.write_all(token.text.as_bytes())?;
        separator = b" ";
    }
    out.write_all(b"\n")
}

fn write_json(document: &str, number: u64, sentence: &TextSentence<'_>, out: &mut impl Write) -> Result<()> {
    serde_json::to_writer(&mut *out, &SentenceRecord::new(document, number, sentence))?;
    Ok(out.write_all(b"\n")?)
}

fn write_offsets(
    document: &str,
    number: u64,
    sentence: &TextSentence<'_>,
    out: &mut impl Write,
) -> io::Result<()> {
    for token in sentence.tokens() {
        let (bytes, chars) = (token.span.bytes(), token.span.chars());
        write!(out, "{document}\t{number}\t{}\t{}\t", bytes.start, bytes.end)?;
        writeln!(out, "{}\t{}\t{}", chars.start, chars.end, token.text)?;
    }
    Ok(())
}
