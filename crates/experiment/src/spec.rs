//! What an experiment is: a TOML text.
//!
//! ```toml
//! title = "Does splitting help?"
//!
//! [base]
//! method = "latent"
//!
//! [[rows]]
//! name = "one-round"
//! settings = { max-rounds = 1 }
//!
//! [[rows]]
//! name = "two-rounds"
//! settings = { max-rounds = 2 }
//!
//! [[tables]]
//! title = "Rounds of splitting"
//! rows = ["one-round", "two-rounds"]
//! columns = ["F1", "exact"]
//! against = { row = "one-round", figure = "F1" }
//! ```

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use crate::method::Method;
use boughs::train::Preset;
use boughs_learn::error::Result;
use boughs_learn::run::from_toml;

/// An experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Experiment {
    /// What it is about, in a line.
    pub title: String,
    /// What it repeats, and where it differs from that.
    #[serde(default)]
    pub about: String,
    /// Which of the data are used.
    #[serde(default)]
    pub data: DataSpec,
    /// What rows vary.
    pub base: Base,
    /// What is run.
    pub rows: Vec<Row>,
    /// Rows of which the development data choose one.
    #[serde(default)]
    pub choices: Vec<Choice>,
    /// What is shown of the rows, beside the figures of the paper.
    #[serde(default)]
    pub tables: Vec<Table>,
    /// What is drawn.
    #[serde(default)]
    pub plots: Vec<PlotSpec>,
    /// What the paper says, as relations between rows.
    #[serde(default)]
    pub claims: Vec<Claim>,
    /// What is different at toy size.
    #[serde(default)]
    pub quick: Quick,
}

/// Which of the data are used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DataSpec {
    /// What is done to the trees to learn from and to choose by, as `boughs treebank clean --pipeline` or `--steps` has
    /// it; test trees stay as they are. Default: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pipeline: Option<String>,
    /// Longer sentences of treebanks are left out: of training by the recipe, of all that is measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_words: Option<usize>,
    /// The fewest words of a side of a sentence pair. Default: 5, as in Turian, Wellington & Melamed (2006).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_pair_words: Option<usize>,
}

/// The recipe that rows vary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Base {
    /// How rows are made that do not say so.
    pub method: Method,
    /// Whose settings a boosted parser starts from: `tm05` or `tm06`. Default: the best that we know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// The settings that all rows of this method share.
    #[serde(default)]
    pub settings: toml::Table,
}

/// Something to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Row {
    /// Its name, also that of its directory: letters, digits, `-`, `.`, `+` and `_`.
    pub name: String,
    /// Its name for people. Default: the name.
    #[serde(default)]
    pub title: String,
    /// How it is made. Default: as the base says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<Method>,
    /// Settings in place of those of the base.
    #[serde(default)]
    pub settings: toml::Table,
    /// The row whose grammar a conditional grammar starts from, or whose transducer `words` looks at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The row whose model parses sentences without trees (`--sentences`): what it finds is learned from after the
    /// trees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silver: Option<String>,
    /// Whether confidences are made to say how often phrases of the development trees are right. Neural parsers always
    /// are.
    #[serde(default)]
    pub calibrate: bool,
    /// The row whose model this is, seen in another way: nothing is trained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// How the model of `of` parses here: options in place of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<toml::Table>,
    /// The model of `of` is cut at the best step that has no more of a figure than another row reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<AtMost>,
    /// The model file of the method `model`, or `@english`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Which step is kept. Default: the best on the development data.
    #[serde(default)]
    pub keep: Keep,
    /// Where the row stands in plots over rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
}

/// Which step of a run is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// The best on the development data.
    #[default]
    Best,
    /// The last, whatever it is worth.
    Last,
}

/// A limit that another row sets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AtMost {
    /// The figure of steps that is limited.
    pub figure: String,
    /// The row whose last step sets the limit.
    pub row: String,
}

/// Rows of which the development data choose one: what the test data are scored by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Choice {
    /// Its name, which stands for the row chosen.
    pub name: String,
    /// Its name for people. Default: the name.
    #[serde(default)]
    pub title: String,
    /// The rows.
    pub among: Vec<String>,
    /// The figure of the development data that decides: the highest, and the first of equals.
    pub figure: String,
}

/// Which data something is measured on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum On {
    /// The development data, which also choose.
    #[default]
    Dev,
    /// The test data.
    Test,
}

/// A table of rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// What readers should know.
    #[serde(default)]
    pub note: String,
    /// Which data.
    #[serde(default)]
    pub on: On,
    /// The rows, or choices, in order.
    pub rows: Vec<String>,
    /// Figures: of the measurement, or of the step that was kept.
    pub columns: Vec<String>,
    /// What all rows are compared with, by a test of significance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Against>,
    /// The paper's figures of rows of the table, and of systems that it compares with.
    #[serde(default)]
    pub paper: Vec<PaperRow>,
}

/// What the rows of a table are compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Against {
    /// The row, or choice.
    pub row: String,
    /// The figure.
    pub figure: String,
}

/// Figures of a paper.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PaperRow {
    /// The row of the table, or the name of a system that is not among them.
    pub row: String,
    /// By column.
    pub figures: BTreeMap<String, f64>,
}

/// A picture: of the steps of rows, of rows at their places, or of margins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct PlotSpec {
    /// What it shows.
    pub title: String,
    /// The figure from left to right, of each step; `at` for the places of rows.
    #[serde(default)]
    pub x: String,
    /// What that figure is, in words. Default: its name.
    #[serde(default)]
    pub x_label: String,
    /// The figures upwards.
    #[serde(default)]
    pub y: Vec<String>,
    /// Whether equal ratios are equally far apart from left to right.
    #[serde(default)]
    pub log_x: bool,
    /// The rows whose steps are drawn, a line for each figure.
    #[serde(default)]
    pub rows: Vec<String>,
    /// Lines through rows at their places.
    #[serde(default)]
    pub lines: Vec<RowLine>,
    /// In place of figures: how sure a classifier of the rows is, after the first step and after the one that
    /// was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margins: Option<MarginsOf>,
}

/// Margins of a classifier over the training examples (Turian & Melamed 2005, figure 5).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MarginsOf {
    /// Its label.
    pub label: String,
    /// Whether those of correct inferences, or those of incorrect ones.
    pub correct: bool,
}

/// A line through rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RowLine {
    /// Its name.
    pub name: String,
    /// The rows that it goes through.
    pub rows: Vec<String>,
}

/// Something that a paper says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Claim {
    /// In our words.
    pub text: String,
    /// Which data.
    #[serde(default)]
    pub on: On,
    /// The figure that it is about.
    pub figure: String,
    /// What must be so.
    pub relation: Relation,
}

/// What a claim says about rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", rename_all_fields = "kebab-case")]
pub enum Relation {
    /// One has more than the other.
    Above {
        /// The one.
        row: String,
        /// The other.
        other: String,
        /// Whether the paper found the difference to be significant; then it must be here.
        #[serde(default)]
        significant: bool,
        /// So many times as much, at least. Default: 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        factor: Option<f64>,
    },
    /// There is no significant difference.
    Level {
        /// The one.
        row: String,
        /// The other.
        other: String,
    },
    /// The figure of a row is in a range.
    Within {
        /// The row.
        row: String,
        /// At least.
        low: f64,
        /// At most.
        high: f64,
    },
}

impl Relation {
    /// The rows that it is about.
    pub fn rows(&self) -> Vec<&str> {
        match self {
            Self::Above { row, other, .. } | Self::Level { row, other } => vec![row, other],
            Self::Within { row, .. } => vec![row],
        }
    }
}

/// What is different at toy size, on data that are built in.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Quick {
    /// Longer sentences are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_words: Option<usize>,
    /// By method: settings in place of those of rows.
    pub settings: BTreeMap<Method, toml::Table>,
}

impl Experiment {
    /// Reads an experiment, and checks it.
    ///
    /// # Errors
    /// If the text is no TOML, has a field that there is not, or speaks of rows that there are not.
    pub fn parse(text: &str) -> Result<Self> {
        let experiment: Self = from_toml(text)?;
        experiment.check()?;
        Ok(experiment)
    }

    /// The row of a name.
    pub fn row(&self, name: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// How a row is made.
    pub fn method(&self, row: &Row) -> Method {
        match &row.of {
            Some(of) => self.row(of).map_or(self.base.method, |of| self.method_of_trained(of)),
            None => self.method_of_trained(row),
        }
    }

    fn method_of_trained(&self, row: &Row) -> Method {
        row.method.unwrap_or(self.base.method)
    }

    /// The name of a row, of a part of one, or of a choice, for people.
    pub fn title<'e>(&'e self, name: &'e str) -> &'e str {
        let choice = self.choices.iter().find(|choice| choice.name == name).map(|it| (&it.name, &it.title));
        let titled = choice.or_else(|| self.row(name).map(|row| (&row.name, &row.title)));
        match titled {
            Some((_, title)) if !title.is_empty() => title,
            Some((name, _)) => name,
            None => name.split_once('/').map_or(name, |(_, part)| part),
        }
    }
}
