//! How sure a parser's classifiers are of what they were, or were not, taught (Turian & Melamed 2005, figure 5).

use super::TransitionConfig;
use super::tags::{at_most, retag};
use crate::error::{Error, ErrorKind, Result};
use crate::learn::{DatasetView, score_rows};
use crate::model::Ensemble;
use crate::parser::{Model, Parser};
use crate::transition::{
    Action, ExampleWeights, Examples, ExamplesBuilder, TransitionModel, action_name, actions, prepare,
};
use crate::tree::Tree;
use rayon::prelude::*;

/// Percentiles from 0 to 100.
pub const NUM_PERCENTILES: usize = 101;

/// The margins y·h of one classifier over the examples of some trees, those of correct and of incorrect
/// inferences apart: there are so few correct ones that nothing is seen of them otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct Margins {
    /// The name of its label.
    pub label: String,
    /// How many inferences are correct.
    pub num_correct: usize,
    /// Below the nth of these is n percent of the weight of the correct inferences; the first and the last
    /// are the extremes. Empty if there are none.
    pub correct: Vec<f64>,
    /// The same of the incorrect ones.
    pub incorrect: Vec<f64>,
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
    let one = |(&action, classifier): (&Action, &Ensemble)| {
        of_action(&examples, model, action, config.weights, classifier)
    };
    let ensembles: Vec<&Ensemble> = model.forest.classifiers().iter().map(|it| &it.ensemble).collect();
    let all: Result<Vec<Option<Margins>>> = actions.par_iter().zip(ensembles).map(one).collect();
    Ok(all?.into_iter().flatten().collect())
}

fn of_action(
    examples: &Examples,
    model: &TransitionModel,
    action: Action,
    weights: ExampleWeights,
    ensemble: &Ensemble,
) -> Result<Option<Margins>> {
    let target = examples.target(action, weights, &model.symbols)?;
    let scores = score_rows(&DatasetView::new(&examples.dataset, &target)?, ensemble);
    let of_class = |is_correct: bool| {
        let rows = target.used_rows().map(|row| row as usize);
        let rows = rows.filter(|&row| target.label(row) == Some(is_correct));
        let margin = |row: usize| {
            let bias = target.signed_bias(row);
            (scores[row] * bias.signum(), bias.abs())
        };
        let mut margins: Vec<(f64, f64)> = rows.map(margin).collect();
        margins.sort_by(|a, b| a.0.total_cmp(&b.0));
        margins
    };
    let (correct, incorrect) = (of_class(true), of_class(false));
    Ok((!correct.is_empty() || !incorrect.is_empty()).then(|| Margins {
        label: action_name(&model.symbols, action).to_owned(),
        num_correct: correct.len(),
        correct: percentiles(&correct),
        incorrect: percentiles(&incorrect),
    }))
}

/// The percentiles of values, in order, that have weights.
fn percentiles(sorted: &[(f64, f64)]) -> Vec<f64> {
    let total: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    if sorted.is_empty() {
        return Vec::new();
    }
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
        assert!(percentiles(&[]).is_empty());
    }
}
