//! What a model is worth on some data.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::outcome::{Measurement, Units};
use boughs::eval::{Parameters, Scorer, SentenceScore, Totals};
use boughs::parser::{Model, Parser, Sentence, Worker};
use boughs::transition::explain::Explainer;
use boughs::tree::Tree;
use boughs_learn::error::Result;
use boughs_learn::run::Figure;
use boughs_translate::eval::{GtmMatch, GtmMatcher};
use boughs_translate::{AlignedPair, Transducer};

/// The figure that tells how often the greedy parse was the best, which takes another search.
pub(crate) const GREEDY: &str = "greedy";

/// A measure of a translation.
type Measure = fn(&GtmMatch) -> f64;

const MEASURES: [(&str, Measure); 3] =
    [("P", GtmMatch::precision), ("R", GtmMatch::recall), ("F1", GtmMatch::f1)];
const EXPONENTS: [f64; 2] = [1.0, 2.0];

/// Parses the words of trees as any other sentence and scores the result as [`Parser::evaluate`] does, also
/// sentence by sentence; `cut short` is the share of searches that a limit ended.
pub(crate) fn measure_parser(parser: &Parser, gold: &[Tree], with_greedy: bool) -> Result<Measurement> {
    let parse = |worker: &mut Worker<'_>, tree: &Tree| {
        let parsed = worker.parse(&sentence(parser, tree))?;
        let (is_failed, is_cut) = (parsed.status.is_fallback(), parsed.status.limit().is_some());
        Ok((parsed.tree().clone(), is_failed, is_cut))
    };
    let parsed = gold.par_iter().map_init(|| parser.worker(), parse);
    let parsed: Vec<(Tree, bool, bool)> = parsed.collect::<Result<_>>()?;
    let mut scorer = Scorer::new(Parameters::named("COLLINS").unwrap_or_default());
    let scores: Vec<SentenceScore> =
        gold.iter().zip(&parsed).map(|(gold, (tree, ..))| scorer.score(gold, tree)).collect();
    let mut figures = parse_figures(&scores);
    let count = |is_so: fn(&(Tree, bool, bool)) -> bool| parsed.iter().filter(|one| is_so(one)).count();
    figures.push(Figure::count("failed", count(|(_, is_failed, _)| *is_failed)));
    figures.push(Figure::new("cut short", percent(count(|(.., is_cut)| *is_cut), gold.len()), 1));
    if with_greedy {
        figures.extend(greedy_share(parser, gold)?.map(|share| Figure::new(GREEDY, share, 1)));
    }
    Ok(Measurement { figures, units: Units::of_brackets(scores.iter().map(|score| score.counts)) })
}

/// A sentence as the parser is to see it: with tags only if it cannot tag.
fn sentence(parser: &Parser, tree: &Tree) -> Sentence {
    let sentence = Sentence::from_tree(tree);
    if parser.can_tag() { sentence.without_tags() } else { sentence }
}

fn parse_figures(scores: &[SentenceScore]) -> Vec<Figure> {
    let mut totals = Totals::default();
    scores.iter().for_each(|score| totals.add(score));
    let found = totals.all.strict();
    let figures = [
        ("P", found.precision()),
        ("R", found.recall()),
        ("F1", found.f1()),
        ("exact", found.exact_match()),
        ("tags", found.tag_accuracy()),
    ];
    figures.map(|(name, value)| Figure::new(name, value.unwrap_or(0.0), 2)).into()
}

/// The share of sentences whose greedy parse was the best that was found, if the search of the parser knows.
fn greedy_share(parser: &Parser, gold: &[Tree]) -> Result<Option<f64>> {
    let (Model::Transition(model), Some(&options)) = (parser.model(), parser.options().transition()) else {
        return Ok(None);
    };
    let ask = |(worker, explainer): &mut (Worker<'_>, Explainer<'_>), tree: &Tree| {
        let tokens = worker.prepare(&sentence(parser, tree))?;
        Ok(explainer.explain(&tokens, None).greedy_was_best)
    };
    let start = || (parser.worker(), Explainer::new(model, options, 0));
    let found: Vec<Option<bool>> = gold.par_iter().map_init(start, ask).collect::<Result<_>>()?;
    let known: Vec<bool> = found.into_iter().flatten().collect();
    let num_best = known.iter().filter(|was_best| **was_best).count();
    Ok((!known.is_empty()).then(|| percent(num_best, known.len())))
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// Translates pairs and matches the words, with each exponent.
pub(crate) fn measure_transducer(transducer: &Transducer, pairs: &[AlignedPair]) -> Measurement {
    let translations: Vec<Vec<String>> = pairs
        .par_iter()
        .map_init(|| transducer.worker(), |worker, pair| worker.translate(&pair.tree, 1).swap_remove(0).words)
        .collect();
    let mut measured = Measurement::default();
    let mut numbers = BTreeMap::new();
    for exponent in EXPONENTS {
        let matcher = GtmMatcher::new(exponent);
        let scored = translations.par_iter().zip(pairs);
        let matches: Vec<GtmMatch> = scored.map(|(words, pair)| matcher.score(words, &pair.target)).collect();
        let mut total = GtmMatch::default();
        matches.iter().for_each(|&one| total += one);
        for (name, measure) in MEASURES {
            let name = format!("{name} e={exponent}");
            measured.figures.push(Figure {
                name: name.clone().into(),
                value: 100.0 * measure(&total),
                digits: 2,
            });
            numbers.insert(name, matches.iter().map(|one| 100.0 * measure(one)).collect());
        }
    }
    Measurement { units: Units::Numbers(numbers), ..measured }
}
