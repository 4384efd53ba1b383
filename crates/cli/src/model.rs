//! The arguments by which verbs take a parser.

use std::path::PathBuf;

use anyhow::Result;
use boughs::model::ModelFile;
use boughs::parser::Parser;
use boughs::tagger::Tagger;
use clap::Args;

#[derive(Debug, Clone, Args)]
pub(crate) struct ParserArgs {
    /// The parser, a file written by `boughs train`
    #[arg(long, short, value_name = "MODEL")]
    model: PathBuf,

    /// Tag with this tagger, not with the one in the model
    #[arg(long, value_name = "MODEL")]
    tagger: Option<PathBuf>,
}

impl ParserArgs {
    pub(crate) fn load(&self) -> Result<Parser> {
        let parser = Parser::load(&self.model)?;
        let Some(path) = &self.tagger else { return Ok(parser) };
        let tagger = Tagger::from_file(&ModelFile::load(path)?).map_err(|error| error.in_file(path))?;
        Ok(parser.with_tagger(tagger))
    }
}
