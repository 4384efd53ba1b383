//! Tokens as treebanks write them.

use std::borrow::Cow;

/// How the Penn Treebank writes a token: quotation marks as ```` `` ```` and `''`, apostrophes and dots from the
/// typewriter, dashes as `--`. Brackets are left to the writer of bracket files.
///
/// A straight quotation mark alone does not show whether it opens; it is taken to close. [`TextSentence::penn_forms`]
/// looks at its neighbours.
///
/// ```
/// use boughs::text::penn_form;
///
/// assert_eq!(penn_form("“"), "``");
/// assert_eq!(penn_form("n’t"), "n't");
/// assert_eq!(penn_form("bough"), "bough");
/// ```
///
/// [`TextSentence::penn_forms`]: super::TextSentence::penn_forms
pub fn penn_form(token: &str) -> Cow<'_, str> {
    if token.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Cow::Borrowed(token);
    }
    match token {
        "“" | "«" | "„" => Cow::Borrowed("``"),
        "”" | "»" | "\"" => Cow::Borrowed("''"),
        "‘" | "‹" | "‚" => Cow::Borrowed("`"),
        "’" | "›" => Cow::Borrowed("'"),
        "…" => Cow::Borrowed("..."),
        "—" | "–" | "―" => Cow::Borrowed("--"),
        _ if token.contains('’') => Cow::Owned(token.replace('’', "'")),
        _ => Cow::Borrowed(token),
    }
}

/// What a straight quotation mark is, given whether it opens.
pub(super) fn penn_quote(token: &str, opens: bool) -> Option<&'static str> {
    match (token, opens) {
        ("\"", true) => Some("``"),
        ("\"", false) => Some("''"),
        ("'", true) => Some("`"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_treebanks_write_stays() {
        for token in ["``", "''", "`", "'", "--", "...", "n't", "$", "(", "U.S.", "café", "-", ""] {
            assert_eq!(penn_form(token), token);
        }
    }
}
