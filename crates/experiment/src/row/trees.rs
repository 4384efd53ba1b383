//! Rows that are parsers.

use std::borrow::Cow;

use super::{Course, MODEL, RESULT, RowOutcome, RowTask, no_recipe};
use crate::data::{Data, filled};
use crate::measure::{GREEDY, measure_parser};
use crate::method::{Method, Slot};
use crate::outcome::{MarginCurve, Measurement, RowResult, figure_of_step};
use crate::recipe::RowRecipe;
use crate::spec::{AtMost, MarginsOf};
use crate::store::row_file;
use boughs::parser::{EngineOptions, Model, ParseOptions, Parsed, Parser, built_in};
use boughs::train::{
    ConditionalConfig, EXAMPLES_BY_LABEL, NeuralConfig, TransitionConfig, margins, over_toml, to_toml,
};
use boughs::tree::Tree;
use boughs_learn::error::{Error, ErrorKind, Result};
use boughs_learn::run::{Figure, Step};

impl RowTask<'_> {
    pub(super) fn run_trees(&self, data: &Data) -> Result<RowOutcome> {
        let trees = filled(data.trees.as_ref(), Slot::Trees)?;
        if self.row.of.is_some() || self.experiment.method(self.row) == Method::Model {
            let course = self.derived_course()?;
            return Ok(self.done(course, self.measure_trees(&self.parser()?, &trees.dev)?));
        }
        let Some(train) = self.learned_trees(data, &trees.train)? else {
            return Ok(RowOutcome::Skipped("the row whose parses it learns from was skipped".to_owned()));
        };
        let (train, dev) = (&train[..], &trees.dev[..]);
        let trained = match self.recipe()? {
            RowRecipe::Boosted(recipe) => {
                self.train(&*recipe, train, dev)?.map(|it| self.with_margins(it, train, &recipe)).transpose()
            }
            RowRecipe::Latent(recipe) => self.train(&*recipe, train, dev),
            RowRecipe::Conditional(recipe) => self.train(&self.with_base(*recipe)?, train, dev),
            RowRecipe::Crf(recipe) => self.train(&*recipe, train, dev),
            RowRecipe::Pcfg(recipe) => self.train(&*recipe, train, dev),
            RowRecipe::Neural(recipe) => match with_encoder(*recipe, data) {
                Some(recipe) => self.train(&recipe, train, dev),
                None => {
                    return Ok(RowOutcome::Skipped(
                        "there is no encoder: name one with --encoder".to_owned(),
                    ));
                }
            },
            other => return Err(no_recipe(&other)),
        };
        let Some((mut parser, course)) = trained? else { return Ok(RowOutcome::Interrupted) };
        if self.row.calibrate {
            parser = parser.calibrated(dev)?;
            parser.save(&self.path(MODEL)?)?;
        }
        Ok(self.done(course, self.measure_trees(&parser, dev)?))
    }

    /// The trees to learn from, and after them what the model of another row finds in sentences without trees, if the
    /// row asks for that; nothing if there is no such model.
    fn learned_trees<'d>(&self, data: &'d Data, train: &'d [Tree]) -> Result<Option<Cow<'d, [Tree]>>> {
        let Some(teacher) = &self.row.silver else { return Ok(Some(Cow::Borrowed(train))) };
        if self.named_model(teacher).is_none() && !self.store.row_path(teacher, MODEL)?.is_file() {
            return Ok(None);
        }
        let parsed = self.parser_of(teacher)?.parse_words_of(&data.sentences)?;
        let silver = parsed.iter().filter(|parsed| !parsed.status.is_fallback()).map(Parsed::tree);
        Ok(Some(train.iter().chain(silver).cloned().collect()))
    }

    pub(super) fn test_trees(&self, data: &Data) -> Result<Vec<Measurement>> {
        let test = filled(data.trees.as_ref().and_then(|trees| trees.test.as_ref()), Slot::Trees)?;
        Ok(vec![self.measure_trees(&self.parser()?, test)?])
    }

    fn measure_trees(&self, parser: &Parser, gold: &[Tree]) -> Result<Measurement> {
        let columns = self.experiment.tables.iter().flat_map(|table| &table.columns);
        let mut asked = columns.chain(self.experiment.claims.iter().map(|claim| &claim.figure));
        let mut measured = measure_parser(parser, gold, asked.any(|name| name == GREEDY))?;
        measured.figures.extend(example_figures(parser));
        Ok(measured)
    }

    /// The same with the margins that plots ask for, early and late.
    fn with_margins(
        &self,
        (parser, course): (Parser, Course),
        train: &[Tree],
        recipe: &TransitionConfig,
    ) -> Result<(Parser, Course)> {
        let of_row = self.experiment.plots.iter().filter(|plot| plot.rows.contains(&self.row.name));
        let asked: Vec<&MarginsOf> = of_row.filter_map(|plot| plot.margins.as_ref()).collect();
        let kept = course.kept.and_then(|kept| course.steps.get(kept));
        let steps = course.steps.first().into_iter().chain(kept);
        let mut penalties: Vec<f64> = steps.filter_map(|step| step.get("penalty")).collect();
        penalties.dedup();
        let mut curves = Vec::new();
        for penalty in penalties.into_iter().filter(|_| !asked.is_empty()) {
            for found in margins(train, &parser, penalty, recipe)? {
                for of in asked.iter().filter(|of| of.label == found.label) {
                    let percentiles = if of.correct { &found.correct } else { &found.incorrect };
                    curves.push(MarginCurve { of: (*of).clone(), penalty, percentiles: percentiles.clone() });
                }
            }
        }
        Ok((parser, Course { margins: curves, ..course }))
    }

    /// The parser of a row that was run, or of a row that needs none.
    fn parser(&self) -> Result<Parser> {
        let name = self.row.of.as_ref().unwrap_or(&self.row.name);
        let parser = self.parser_of(name)?;
        let parser = match &self.row.at_most {
            Some(limit) => {
                let place = self.step_within(limit)?;
                cut(&parser, self.steps_of(name)?.get(place).and_then(|step| step.get("penalty")))?
            }
            None => parser,
        };
        match &self.row.options {
            Some(options) => with_options(parser, options),
            None => Ok(parser),
        }
    }

    /// The parser that a row trained, or that it names.
    fn parser_of(&self, row: &str) -> Result<Parser> {
        match self.named_model(row) {
            Some(name) if built_in::NAMES.contains(&name) => Parser::built_in(name),
            Some(path) => Parser::load(path.as_ref()),
            None => Parser::from_file(&self.model_of(row)?),
        }
    }

    /// The model that a row names in place of training one.
    fn named_model(&self, row: &str) -> Option<&str> {
        self.experiment.row(row).and_then(|row| row.model.as_deref())
    }

    /// The steps of the row whose model this is, as far as its model goes.
    fn derived_course(&self) -> Result<Course> {
        let Some(of) = &self.row.of else {
            return Ok(Course::default());
        };
        let (steps, kept) = (self.steps_of(of)?, self.result_of(of)?.kept);
        match &self.row.at_most {
            Some(limit) => Ok(Course { steps, kept: Some(self.step_within(limit)?), ..Course::default() }),
            None => Ok(Course { steps, kept, ..Course::default() }),
        }
    }

    fn result_of(&self, row: &str) -> Result<RowResult> {
        let results: Option<Vec<RowResult>> = self.store.read(&row_file(row, RESULT))?;
        results.and_then(|results| results.into_iter().next()).ok_or_else(|| {
            Error::new(
                ErrorKind::Mismatch,
                format!("expected the row `{row}` to be done, found no result of it"),
            )
        })
    }

    fn steps_of(&self, row: &str) -> Result<Vec<Step>> {
        Ok(self.result_of(row)?.steps)
    }

    /// The best step of the row whose model this is that keeps to a limit.
    fn step_within(&self, AtMost { figure, row }: &AtMost) -> Result<usize> {
        let missing = |of: &str| {
            let message = format!("expected steps with the figure `{figure}` of row `{of}`, found none");
            Error::new(ErrorKind::Argument, message)
        };
        let last = self.steps_of(row)?.last().and_then(|step| figure_of_step(step, figure));
        let most = last.ok_or_else(|| missing(row))?;
        let of = self.row.of.as_deref().unwrap_or_default();
        let RowResult { steps, kept, .. } = self.result_of(of)?;
        let num_in_model = kept.map_or(0, |kept| kept + 1).min(steps.len());
        best_within(&steps[..num_in_model], figure, most).ok_or_else(|| missing(of))
    }

    fn with_base(&self, recipe: ConditionalConfig) -> Result<ConditionalConfig> {
        let Some(from) = &self.row.from else { return Ok(recipe) };
        let parser = Parser::from_file(&self.model_of(from)?)?;
        match parser.model().grammars() {
            [grammar] => Ok(ConditionalConfig { base: Some(grammar.clone()), ..recipe }),
            other => {
                let message = format!("expected one grammar in the row `{from}`, found {}", other.len());
                Err(Error::new(ErrorKind::Argument, message))
            }
        }
    }
}

/// The best step that has no more of a figure, the first of equals; the first step if all have more.
fn best_within(steps: &[Step], figure: &str, most: f64) -> Option<usize> {
    let criterion =
        |place: usize| steps[place].scores.as_ref().map_or(f64::NEG_INFINITY, |scores| scores.criterion);
    let is_within = |place: &usize| figure_of_step(&steps[*place], figure).is_some_and(|it| it <= most);
    let within = (0..steps.len()).rev().filter(is_within);
    let best = within.max_by(|&one, &other| criterion(one).total_cmp(&criterion(other)));
    best.or((!steps.is_empty()).then_some(0))
}

/// The recipe with an encoder; nothing if neither it nor the data name one.
fn with_encoder(recipe: NeuralConfig, data: &Data) -> Option<NeuralConfig> {
    if !recipe.encoder.as_os_str().is_empty() {
        return Some(recipe);
    }
    Some(NeuralConfig { encoder: data.encoder.clone()?, ..recipe })
}

/// What a boosted parser has learned from: `examples NP`, and which percent of these was correct, `correct
/// NP`.
fn example_figures(parser: &Parser) -> Vec<Figure> {
    let counts = parser.about().settings.get(EXAMPLES_BY_LABEL).map_or("", String::as_str);
    let of_label = |text: &str| {
        let (label, counts) = text.split_once(' ')?;
        let (correct, all) = counts.split_once(" of ")?;
        let (correct, all): (f64, f64) = (correct.parse().ok()?, all.parse().ok()?);
        let figure =
            |name: &str, value, digits| Figure { name: format!("{name} {label}").into(), value, digits };
        Some([figure("examples", all, 0), figure("correct", 100.0 * correct / all.max(1.0), 2)])
    };
    counts.split(", ").filter_map(of_label).flatten().collect()
}

/// A transition parser as it was at a penalty.
fn cut(parser: &Parser, penalty: Option<f64>) -> Result<Parser> {
    match (parser.model(), penalty) {
        (Model::Transition(model), Some(penalty)) => {
            let model = model.at(penalty)?;
            Parser::new(parser.about().clone(), model, parser.tagger().cloned())
                .with_options(parser.options().clone())
        }
        _ => Err(Error::new(ErrorKind::Argument, "expected a boosted parser for `at-most`, found another")),
    }
}

fn with_options(parser: Parser, options: &toml::Table) -> Result<Parser> {
    let text = to_toml(options)?;
    let engine = match &parser.options().engine {
        EngineOptions::Transition(own) => EngineOptions::Transition(over_toml(own, &text)?),
        EngineOptions::Chart(own) => EngineOptions::Chart(over_toml(own, &text)?),
        EngineOptions::Neural(own) => EngineOptions::Neural(over_toml(own, &text)?),
        EngineOptions::Combined(own) => EngineOptions::Combined(over_toml(own, &text)?),
    };
    let options = ParseOptions { engine, ..parser.options().clone() };
    parser.with_options(options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use boughs_learn::run::Scores;

    fn step(splits: usize, criterion: f64) -> Step {
        let scores = Some(Scores { criterion, figures: Vec::new() });
        Step { scores, ..Step::candidate(0, vec![Figure::count("splits", splits)]) }
    }

    #[test]
    fn the_best_step_within_a_limit() {
        let steps = [step(10, 70.0), step(20, 80.0), step(30, 80.0), step(40, 90.0)];
        let best = |most| best_within(&steps, "splits", most);
        assert_eq!([best(35.0), best(40.0), best(15.0)], [Some(1), Some(3), Some(0)]);
        assert_eq!(best(5.0), Some(0), "none keeps to it");
        assert_eq!(best_within(&[], "splits", 5.0), None);
    }
}
