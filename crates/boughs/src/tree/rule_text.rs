//! Texts of rules, classes and templates: one a line, with comments.

use crate::error::{Error, Result};

/// Calls `read` with the number of each line and the line, but for blank ones and those that start with `#`. An error
/// that names no line is about this one.
pub(crate) fn for_each_line<'t>(
    text: &'t str,
    mut read: impl FnMut(u64, &'t str) -> Result<()>,
) -> Result<()> {
    let lines = (1..).zip(text.trim_start_matches('\u{FEFF}').lines());
    for (number, line) in lines.filter(|(_, line)| !matches!(line.trim_start().as_bytes(), [] | [b'#', ..])) {
        let at_line = |error: Error| if error.place().line.is_some() { error } else { error.at_line(number) };
        read(number, line).map_err(at_line)?;
    }
    Ok(())
}

/// The text of this name among `texts`, or what is given, if that is a text.
pub(crate) fn named_text<'t>(texts: &[(&str, &'t str)], name_or_text: &'t str) -> &'t str {
    texts.iter().find(|(name, _)| *name == name_or_text).map_or(name_or_text, |(_, text)| text)
}

/// The name of this text among `texts`, or the text.
pub(crate) fn name_or_text<'t>(texts: &[(&'t str, &str)], text: &'t str) -> &'t str {
    texts.iter().find(|(_, known)| *known == text).map_or(text, |(name, _)| name)
}
