//! How sure a parser's classifiers are of what they were, or were not, taught (Turian & Melamed 2005, figure 5).

use super::TransitionConfig;
use super::tags::{at_most, retag};
use crate::error::{Error, ErrorKind, Result};
use crate::learn::{DatasetView, score_rows};
use crate::model::Ensemble;
use crate::parser::{Model, Parser};
use crate::transition::{Action, Examples, ExamplesBuilder, TransitionModel, action_name, actions, prepare};
use crate::tree::Tree;
use rayon::prelude::*;

/// Percentiles from 0 to 100.
pub const NUM_PERCENTILES: usize = 101;

/// The margins y·h of one classifier over the examples of some trees.
#[derive(Debug, Clone, PartialEq)]
pub struct Margins {
    /// The name of its label.
    pub label: String,
    /// The weight of the correct inferences among the examples.
    pub positive_weight: f64,
    /// Below the nth of these is n percent of the weight; the first and the last are the extremes.
    pub percentiles: Vec<f64>,
}

/// The margins of every classifier of a transition parser that has examples in these trees, as it was at a penalty.
/// The tags of the trees are those of the parser's tagger, if it has one.
///
/// # Errors
/// If there are too many examples, or the parser is of another kind.
pub fn margins(
    trees: &[Tree],
    parser: &Parser,
    penalty: f64,
    config: &TransitionConfig,
) -> Result<Vec<Margins>> {
    let Model::Transition(model) = parser.model() else {
        return Err(Error::new(ErrorKind::Mismatch, "expected a transition parser, found another kind"));
    };
    let model = &model.at(penalty)?;
    let mut trees = at_most(trees, config.max_words);
    if let Some(tagger) = parser.tagger() {
        retag(tagger, &mut trees);
    }
    let trees = &trees[..];
    let mut builder = ExamplesBuilder::new(&model.symbols, &model.layout, model.scheme, config.seed)?;
    for tree in &prepare(&model.pipeline, trees) {
        builder.push(tree)?;
    }
    let examples = builder.finish();
    let actions = actions(&model.symbols, model.scheme);
    let one = |(&action, classifier): (&Action, &Ensemble)| of_action(&examples, model, action, classifier);
    let ensembles: Vec<&Ensemble> = model.forest.classifiers().iter().map(|it| &it.ensemble).collect();
    let all: Result<Vec<Option<Margins>>> = actions.par_iter().zip(ensembles).map(one).collect();
    Ok(all?.into_iter().flatten().collect())
}

fn of_action(
    examples: &Examples,
    model: &TransitionModel,
    action: Action,
    ensemble: &Ensemble,
) -> Result<Option<Margins>> {
    let target = examples.target(action, &model.symbols)?;
    let scores = score_rows(&DatasetView::new(&examples.dataset, &target)?, ensemble);
    let margin = |row: u32| {
        let bias = target.signed_bias(row as usize);
        (scores[row as usize] * bias.signum(), bias.abs())
    };
    let mut margins: Vec<(f64, f64)> = target.used_rows().map(margin).collect();
    margins.sort_by(|a, b| a.0.total_cmp(&b.0));
    let positive = (0..target.num_rows()).map(|row| target.signed_bias(row).max(0.0)).sum();
    Ok((!margins.is_empty()).then(|| Margins {
        label: action_name(&model.symbols, action).to_owned(),
        positive_weight: positive,
        percentiles: percentiles(&margins),
    }))
}

/// The percentiles of values, in order, that have weights.
fn percentiles(sorted: &[(f64, f64)]) -> Vec<f64> {
    let total: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    let (mut below, mut place) = (0.0, 0);
    let mut percentile = |percent: usize| {
        let wanted = total * percent as f64 / (NUM_PERCENTILES - 1) as f64;
        while place + 1 < sorted.len() && below + sorted[place].1 < wanted {
            below += sorted[place].1;
            place += 1;
        }
        sorted[place].0
    };
    (0..NUM_PERCENTILES).map(&mut percentile).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_count() {
        let found = percentiles(&[(-1.0, 1.0), (2.0, 3.0)]);
        assert_eq!((found[0], found[25], found[26], found[100]), (-1.0, -1.0, 2.0, 2.0));
        assert_eq!(percentiles(&[(7.0, 0.1)]), vec![7.0; NUM_PERCENTILES]);
    }
}
