//! What must be so before an experiment is run, so that no mistake is found after hours.

use std::collections::BTreeSet;

use crate::method::{Method, Slot};
use crate::spec::{Experiment, On, PlotSpec, Row, Table};
use boughs::tree::transform::Pipeline;
use boughs_learn::error::{Error, ErrorKind, Result, require};

/// The x of plots over rows.
pub(crate) const AT: &str = "at";

impl Experiment {
    /// Checks everything that can be checked without data.
    ///
    /// # Errors
    /// If a name is used twice or for nothing, or a setting is none of its recipe.
    pub fn check(&self) -> Result<()> {
        require(!self.rows.is_empty(), "at least one row", "none")?;
        self.check_names()?;
        for row in &self.rows {
            self.check_row(row).map_err(|error| within(&format!("row `{}`", row.name), &error))?;
        }
        for table in &self.tables {
            let place = format!("table `{}`", table.title);
            self.check_table(table).map_err(|error| within(&place, &error))?;
        }
        for plot in &self.plots {
            self.check_plot(plot).map_err(|error| within(&format!("plot `{}`", plot.title), &error))?;
        }
        for choice in &self.choices {
            let place = format!("choice `{}`", choice.name);
            require(!choice.among.is_empty(), "rows to choose among", "none")
                .and_then(|()| self.check_rows(&choice.among))
                .map_err(|error| within(&place, &error))?;
        }
        for claim in &self.claims {
            let rows = claim.relation.rows();
            self.check_references(rows.into_iter())
                .map_err(|error| within(&format!("claim `{}`", claim.text), &error))?;
        }
        self.check_tested()?;
        self.order().map(drop)
    }

    /// Boosters of others leave no model behind.
    fn check_tested(&self) -> Result<()> {
        let tested = self.tested_rows();
        let external =
            tested.iter().find(|row| matches!(self.method(row), Method::Xgboost | Method::Lightgbm));
        let name = external.map_or("", |row| &row.name);
        require(external.is_none(), "rows with a model to score on the test data", format_args!("`{name}`"))
    }

    fn check_names(&self) -> Result<()> {
        let mut seen = BTreeSet::new();
        let choices = self.choices.iter().map(|choice| &choice.name);
        for name in self.rows.iter().map(|row| &row.name).chain(choices) {
            require(
                is_name(name),
                "a name of letters, digits, `-`, `.`, `+` and `_`",
                format_args!("`{name}`"),
            )?;
            require(seen.insert(name), "names that differ", format_args!("`{name}` twice"))?;
        }
        Ok(())
    }

    fn check_row(&self, row: &Row) -> Result<()> {
        let method = self.method(row);
        let is_derived = row.of.is_some();
        let needs_of = row.options.is_some() || row.at_most.is_some();
        require(!needs_of || is_derived, "`options` and `at-most` beside `of`", "them alone")?;
        let is_own = row.method.is_some() || !row.settings.is_empty() || row.from.is_some();
        require(!is_derived || !is_own, "no method, settings or `from` beside `of`", "one of them")?;
        let has_model = row.model.is_some();
        require(
            has_model == (method == Method::Model),
            "`model` for the method `model`, and only there",
            "otherwise",
        )?;
        let from = row.from.is_some();
        require(
            !from || matches!(method, Method::Conditional | Method::Words),
            "`from` for `conditional` or `words`",
            "it elsewhere",
        )?;
        require(
            from || method != Method::Words,
            "`from`, the transducer that words are compared with",
            "none",
        )?;
        let is_trained = !is_derived && method != Method::Model && method.slot() == Slot::Trees;
        require(
            is_trained || (row.silver.is_none() && !row.calibrate),
            "`silver` and `calibrate` for parsers that are trained",
            "them elsewhere",
        )?;
        if let Some(steps) = &self.data.pipeline {
            steps.parse::<Pipeline>()?;
        }
        self.check_rows(&self.dependencies(row))?;
        require(!is_derived || method.slot() == Slot::Trees, "`of` for parsers", "it elsewhere")?;
        let is_twice = row.of.as_ref().and_then(|of| self.row(of)).is_some_and(|of| of.of.is_some());
        require(!is_twice, "a row that is trained as `of`", "one that is `of` another")?;
        self.recipe(row, false)?;
        self.recipe(row, true).map(drop)
    }

    fn check_table(&self, table: &Table) -> Result<()> {
        require(!table.columns.is_empty(), "columns", "none")?;
        self.check_references(table.names())?;
        let known = |name: &String| table.columns.contains(name);
        for paper in &table.paper {
            let stray = paper.figures.keys().find(|name| !known(name));
            require(stray.is_none(), "figures of the paper that are columns", format_args!("{stray:?}"))?;
        }
        Ok(())
    }

    fn check_plot(&self, plot: &PlotSpec) -> Result<()> {
        self.check_rows(&plot.rows)?;
        if plot.margins.is_some() {
            let is_boosted =
                |name: &String| self.row(name).is_some_and(|row| self.method(row) == Method::Boosted);
            let is_sound = !plot.rows.is_empty() && plot.rows.iter().all(is_boosted) && plot.lines.is_empty();
            return require(is_sound, "boosted rows for `margins`, and no `lines`", "otherwise");
        }
        require(!plot.y.is_empty(), "figures upwards", "none")?;
        for line in &plot.lines {
            self.check_rows(&line.rows)?;
            let without = line.rows.iter().find(|name| self.row(name).is_some_and(|row| row.at.is_none()));
            require(without.is_none(), "rows with a place (`at`)", format_args!("{without:?}"))?;
        }
        let is_over_rows = plot.x == AT;
        require(is_over_rows == plot.rows.is_empty(), "`lines` for the x `at`, else `rows`", "otherwise")?;
        require(is_over_rows != plot.lines.is_empty(), "`lines` for the x `at`, else `rows`", "otherwise")
    }

    /// All of these are rows.
    fn check_rows(&self, names: &[String]) -> Result<()> {
        let unknown = names.iter().find(|name| self.row(name).is_none());
        require(unknown.is_none(), "names of rows", format_args!("`{}`", unknown.map_or("", |it| it)))
    }

    /// All of these are rows, parts of rows, or choices.
    fn check_references<'n>(&self, mut names: impl Iterator<Item = &'n str>) -> Result<()> {
        let unknown = names.find(|name| !self.references().contains(*name));
        require(unknown.is_none(), "names of rows or choices", format_args!("`{}`", unknown.unwrap_or("")))
    }

    /// All names that have results.
    fn references(&self) -> BTreeSet<String> {
        let choices = self.choices.iter().map(|choice| choice.name.clone());
        self.rows.iter().flat_map(|row| self.parts(row)).chain(choices).collect()
    }

    /// The names of the results of a row.
    pub(crate) fn parts(&self, row: &Row) -> Vec<String> {
        match self.method(row).parts() {
            [] => vec![row.name.clone()],
            parts => parts.iter().map(|part| format!("{}/{part}", row.name)).collect(),
        }
    }

    /// The rows that must be done before a row.
    pub fn dependencies(&self, row: &Row) -> Vec<String> {
        let limit = row.at_most.as_ref().map(|limit| &limit.row);
        row.from.iter().chain(&row.silver).chain(&row.of).chain(limit).cloned().collect()
    }

    /// The rows in an order in which each comes after those that it needs.
    ///
    /// # Errors
    /// If rows need each other.
    pub fn order(&self) -> Result<Vec<&Row>> {
        let mut done: Vec<&Row> = Vec::new();
        while done.len() < self.rows.len() {
            let is_done = |name: &String| done.iter().any(|row| row.name == *name);
            let is_next = |row: &&Row| !is_done(&row.name) && self.dependencies(row).iter().all(is_done);
            let next = self.rows.iter().find(is_next);
            let Some(next) = next else {
                let left = self.rows.iter().find(|row| !is_done(&row.name));
                let name = left.map_or("", |row| &row.name);
                return Err(Error::new(
                    ErrorKind::Argument,
                    format!("row `{name}` needs itself by way of others"),
                ));
            };
            done.push(next);
        }
        Ok(done)
    }

    /// Whether a row learns from sentences without trees.
    pub fn needs_sentences(&self) -> bool {
        self.rows.iter().any(|row| row.silver.is_some())
    }

    /// What the rows learn from.
    pub fn slots(&self) -> Vec<Slot> {
        let used = |slot: &Slot| self.rows.iter().any(|row| self.method(row).slot() == *slot);
        Slot::ALL.into_iter().filter(used).collect()
    }

    /// Of what test data are needed.
    pub fn tested_slots(&self) -> Vec<Slot> {
        let used: BTreeSet<Slot> =
            self.tested_rows().into_iter().map(|row| self.method(row).slot()).collect();
        used.into_iter().collect()
    }

    /// The rows that may be scored on the test data.
    fn tested_rows(&self) -> Vec<&Row> {
        let tested = self.tested();
        let chosen = self.choices.iter().filter(|choice| tested.contains(choice.name.as_str()));
        let chosen = chosen.flat_map(|choice| choice.among.iter().map(String::as_str));
        let names: BTreeSet<&str> = chosen.chain(tested.iter().copied()).collect();
        let is_tested = |row: &&Row| self.parts(row).iter().any(|part| names.contains(part.as_str()));
        self.rows.iter().filter(is_tested).collect()
    }

    /// The rows, parts of rows and choices that are scored on the test data.
    pub(crate) fn tested(&self) -> BTreeSet<&str> {
        let tables = self.tables.iter().filter(|table| table.on == On::Test);
        let claims = self.claims.iter().filter(|claim| claim.on == On::Test);
        tables.flat_map(Table::names).chain(claims.flat_map(|claim| claim.relation.rows())).collect()
    }
}

impl Table {
    /// The rows and choices that it is about.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().chain(self.against.iter().map(|against| &against.row)).map(String::as_str)
    }
}

/// The same error, with what it is about before it.
fn within(place: &str, error: &Error) -> Error {
    Error::new(ErrorKind::Argument, format!("{place}: {error}"))
}

fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-.+_".contains(&byte);
    !name.is_empty() && !name.starts_with('.') && name.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "title = \"x\"\n[base]\nmethod = \"pcfg\"\n";

    fn refusal(rest: &str) -> String {
        Experiment::parse(&format!("{HEAD}{rest}")).unwrap_err().to_string()
    }

    #[test]
    fn mistakes_are_named() {
        for (text, told) in [
            ("[[rows]]\nname = \"a/b\"", "a/b"),
            ("[[rows]]\nname = \"a\"\n[[rows]]\nname = \"a\"", "twice"),
            ("[[rows]]\nname = \"a\"\nsettings = { verticle = 2 }", "verticle"),
            ("[[rows]]\nname = \"a\"\nfrom = \"b\"", "`from`"),
            ("[[rows]]\nname = \"a\"\nof = \"b\"", "found `b`"),
            ("[[rows]]\nname = \"a\"\nsilver = \"b\"", "found `b`"),
            ("[[rows]]\nname = \"a\"\n[[rows]]\nname = \"b\"\nof = \"a\"\ncalibrate = true", "`calibrate`"),
            ("[[rows]]\nname = \"a\"\n[data]\npipeline = \"polish\"", "polish"),
            ("[[rows]]\nname = \"a\"\n[[tables]]\ntitle = \"t\"\nrows = [\"c\"]\ncolumns = [\"F1\"]", "`c`"),
            ("[[rows]]\nname = \"a\"\nsize = 3", "size"),
            (
                "[[rows]]\nname = \"a\"\nmethod = \"xgboost\"\n[[tables]]\ntitle = \"t\"\non = \"test\"\n\
                 rows = [\"a\"]\ncolumns = [\"log-loss\"]",
                "a model to score",
            ),
            (
                "[[rows]]\nname = \"a\"\n[[plots]]\ntitle = \"p\"\nx = \"at\"\ny = [\"F1\"]\nrows = [\"a\"]",
                "lines",
            ),
        ] {
            let error = refusal(text);
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn rows_come_after_those_that_they_need() {
        let text = "[[rows]]\nname = \"b\"\nof = \"a\"\n[[rows]]\nname = \"a\"";
        let experiment = Experiment::parse(&format!("{HEAD}{text}")).unwrap();
        let order: Vec<&str> = experiment.order().unwrap().iter().map(|row| row.name.as_str()).collect();
        assert_eq!(order, ["a", "b"]);
        let row = |name: &str, other: &str| {
            format!(
                "[[rows]]\nname = \"{name}\"\nof = \"t\"\nat-most = {{ figure = \"x\", row = \"{other}\" }}\n"
            )
        };
        let error = refusal(&format!("[[rows]]\nname = \"t\"\n{}{}", row("a", "b"), row("b", "a")));
        assert!(error.contains("needs itself"), "{error}");
        let error =
            refusal(&format!("[[rows]]\nname = \"t\"\n{}[[rows]]\nname = \"b\"\nof = \"a\"", row("a", "t")));
        assert!(error.contains("that is trained"), "{error}");
    }
}
