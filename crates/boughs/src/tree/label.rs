//! Parts of a label: the category, then function tags and indices.

/// The signs that end a category: `NP-SBJ-1`, `VP=2`, `ADVP|PRT`.
const MARKS: [char; 3] = ['-', '=', '|'];

/// Divides a phrase label into its category and the rest: `NP` and `-SBJ-1`, `VP` and `=2`, `ADVP` and `|PRT`. A
/// label that starts with one of these signs, such as `-LRB-`, is all category.
///
/// ```
/// use boughs::tree::split_label;
///
/// assert_eq!(split_label("NP-SBJ-1"), ("NP", "-SBJ-1"));
/// assert_eq!(split_label("-LRB-"), ("-LRB-", ""));
/// ```
pub fn split_label(label: &str) -> (&str, &str) {
    match label.find(MARKS) {
        None | Some(0) => (label, ""),
        Some(end) => label.split_at(end),
    }
}

/// The category of a phrase label: `NP` of `NP-SBJ-1`. See [`split_label`].
pub fn base_label(label: &str) -> &str {
    split_label(label).0
}

/// The function tags of a phrase label, without indices and alternatives: `SBJ` of `NP-SBJ-1`.
///
/// ```
/// use boughs::tree::functions;
///
/// assert_eq!(functions("PP-LOC-CLR=2").collect::<Vec<_>>(), ["LOC", "CLR"]);
/// assert_eq!(functions("ADVP|PRT").count(), 0);
/// ```
pub fn functions(label: &str) -> impl Iterator<Item = &str> {
    let parts = split_label(label).1.split_inclusive(MARKS).zip(split_label(label).1.split(MARKS).skip(1));
    parts
        .filter(|(mark, part)| !mark.ends_with('|') && !part.is_empty() && !is_index(part))
        .map(|(_, part)| part)
}

fn is_index(part: &str) -> bool {
    part.bytes().all(|byte| byte.is_ascii_digit())
}
