//! Experiments: rows that vary a recipe, run side by side, and a report beside the figures of a paper.
//!
//! The naive form is a shell script: a training for each row of a table, an evaluation for each cell, and
//! figures typed into a document. Nobody can say afterwards which settings, data and seed a cell has, and
//! what is interrupted starts anew. Here an [`Experiment`] is a text that says what is varied, measured,
//! compared, drawn and claimed; [`run`] makes everything that is missing in a directory, and writes the
//! report from what is there.
//!
//! - *Rows are tasks* ([`RowTask`]). A row needs the data and the models of the rows that it names, nothing
//!   else; which of them run at the same time, and on how many threads, changes no byte of the report.
//! - *Test data are scored once*, after all rows are done, by what the development data chose
//!   ([`spec::Choice`]).
//! - *Times stand apart*: everything but `times.json` and `times.md` is the same for every run.
//!
//! ```
//! use boughs_experiment::{Data, Experiment, RunSettings, Unwatched, run};
//!
//! let text = r#"
//!     title = "Does the parent help?"
//!     base = { method = "pcfg" }
//!     [[rows]]
//!     name = "plain"
//!     settings.vertical = 1
//!     [[rows]]
//!     name = "parent"
//!     settings.vertical = 2
//!     [[claims]]
//!     text = "It does."
//!     figure = "F1"
//!     relation.above = { row = "parent", other = "plain" }
//! "#;
//! let experiment = Experiment::parse(text)?;
//! let directory = std::env::temp_dir().join(format!("boughs-experiment-{}", std::process::id()));
//! let settings = RunSettings { is_quick: true, ..RunSettings::new(&directory) };
//! let data = Data::quick(&experiment)?;
//! let report = run("parent", text, &data, &settings, &Unwatched)?.expect("nobody broke it off");
//! assert_eq!(report.rows.len(), 2);
//! assert!(directory.join("report.html").exists());
//! # std::fs::remove_dir_all(&directory).unwrap();
//! # Ok::<(), boughs::Error>(())
//! ```

mod check;
mod clock;
pub mod compare;
mod data;
mod external;
mod measure;
mod method;
mod observe;
mod outcome;
pub mod plot;
mod recipe;
pub mod report;
mod results;
mod row;
mod run;
mod schedule;
mod shipped;
pub mod spec;
mod store;

pub use clock::RowTimes;
pub use data::{Data, DataFacts, PairText, Parts};
pub use method::{Method, Slot};
pub use observe::{ExperimentObserver, RowEvent, Unwatched};
pub use outcome::{Measurement, RowResult, Units};
pub use report::Report;
pub use row::{RowOutcome, RowTask};
pub use run::{RunSettings, run};
pub use shipped::{SHIPPED, shipped};
pub use spec::Experiment;
pub use store::Store;
