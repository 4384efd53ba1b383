//! Parts of a label: the category, then function tags and indices.

/// The category of a phrase label: `NP` of `NP-SBJ-1`, `VP` of `VP=2`, `ADVP` of `ADVP|PRT`. A label that starts
/// with one of these signs, such as `-LRB-`, is returned whole.
///
/// ```
/// use boughs::tree::base_label;
///
/// assert_eq!(base_label("NP-SBJ-1"), "NP");
/// assert_eq!(base_label("-LRB-"), "-LRB-");
/// ```
pub fn base_label(label: &str) -> &str {
    match label.find(['-', '=', '|']) {
        None | Some(0) => label,
        Some(end) => &label[..end],
    }
}
