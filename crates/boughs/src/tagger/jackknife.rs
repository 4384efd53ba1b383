//! Jack-knifing: tags for the training data of a parser by taggers that did not see them.
//!
//! A parser that learns from gold tags trusts tags too much; one that learns from the tags of a tagger trained on the
//! same sentences does so too. So the sentences are cut into folds, and each fold is tagged by a tagger trained on
//! the others.

use rayon::prelude::*;
use std::ops::ControlFlow;

use super::{TaggerConfig, train};
use crate::error::{Error, ErrorKind, Result};
use crate::tree::Tokens;

/// Tags every sentence by a tagger trained on the sentences of other folds; sentence `i` is in fold `i mod folds`.
/// Folds are trained in parallel, and their number alone decides the result.
///
/// # Errors
/// If there are fewer than two folds, or fewer sentences than folds, or [`train`] fails on a part.
pub fn jackknife(sentences: &[Tokens], folds: usize, config: &TaggerConfig) -> Result<Vec<Vec<String>>> {
    if folds < 2 || sentences.len() < folds {
        let message = format!(
            "expected 2 folds or more, and a sentence for each, found {folds} folds and {} sentences",
            sentences.len()
        );
        return Err(Error::new(ErrorKind::Argument, message).hint("10 folds are usual"));
    }
    let parts: Vec<Vec<Vec<String>>> = (0..folds)
        .into_par_iter()
        .map(|fold| tag_fold(sentences, folds, fold, config))
        .collect::<Result<_>>()?;
    let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
    Ok((0..sentences.len()).filter_map(|index| parts[index % folds].next()).collect())
}

fn tag_fold(
    sentences: &[Tokens],
    folds: usize,
    fold: usize,
    config: &TaggerConfig,
) -> Result<Vec<Vec<String>>> {
    let others = sentences.iter().enumerate().filter(|(index, _)| index % folds != fold);
    let tagger = train(others.map(|(_, sentence)| sentence), config, |_| ControlFlow::Continue(()))?;
    let mut worker = tagger.worker();
    let mut tag = |sentence: &Tokens| {
        worker
            .tag(&sentence.words().collect::<Vec<_>>())
            .iter()
            .map(|&tag| tagger.name(tag).to_owned())
            .collect()
    };
    Ok(sentences.iter().skip(fold).step_by(folds).map(&mut tag).collect())
}
