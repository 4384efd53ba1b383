//! What features are called, from a file of the user's.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// The names of features; one without a name is called by its number.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Names(HashMap<u32, String>);

impl Names {
    pub(super) fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text, &path.display().to_string())
    }

    /// Lines of number and name, blank ones passed over. xgboost's feature maps have a type in a third column.
    fn parse(text: &str, file: &str) -> Result<Self> {
        let mut names = HashMap::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let separator = if line.contains('\t') { '\t' } else { ' ' };
            let parsed = line.split_once(separator).and_then(|(number, name)| {
                let name = name.split('\t').next()?.trim();
                Some((number.trim().parse::<u32>().ok()?, name.to_owned()))
            });
            let Some((number, name)) = parsed else {
                bail!("{file}:{}: expected a feature's number and its name, found `{line}`", index + 1);
            };
            names.insert(number, name);
        }
        Ok(Self(names))
    }

    pub(super) fn name(&self, feature: u32) -> String {
        self.0.get(&feature).cloned().unwrap_or_else(|| feature.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_names() {
        let names = Names::parse("3\tword=the\ti\n\n17 tag of head\n", "x").unwrap();
        assert_eq!([3, 17, 4].map(|feature| names.name(feature)), ["word=the", "tag of head", "4"]);
        let error = Names::parse("0 a\nb 1\n", "x").unwrap_err();
        assert_eq!(error.to_string(), "x:2: expected a feature's number and its name, found `b 1`");
    }
}
