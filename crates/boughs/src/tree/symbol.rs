//! The names that binarised trees give to their phrases; the scheme is in [`binarize`](mod@super::binarize).

use std::borrow::Cow;

const INTERMEDIATE: char = '@';
const JOIN: char = '+';
const ESCAPE: char = '\\';
/// What begins the part of a name that the inverse cuts: an ancestor, or a child remembered.
const ANNOTATIONS: [char; 4] = ['^', '|', '<', '>'];

fn is_special(c: char) -> bool {
    matches!(c, INTERMEDIATE | JOIN | ESCAPE) || ANNOTATIONS.contains(&c)
}

/// Appends a label so that no character of it can be taken for one of the scheme.
pub(super) fn push_escaped(symbol: &mut String, label: &str) {
    for c in label.chars() {
        if is_special(c) {
            symbol.push(ESCAPE);
        }
        symbol.push(c);
    }
}

/// Appends the next label of a unary chain.
pub(super) fn push_joined(symbol: &mut String, label: &str) {
    symbol.push(JOIN);
    push_escaped(symbol, label);
}

/// Begins the name of an intermediate phrase.
pub(super) fn push_intermediate(symbol: &mut String) {
    symbol.push(INTERMEDIATE);
}

/// Whether a name in a binarised tree is that of an intermediate phrase, which the original tree does not have.
pub fn is_intermediate(symbol: &str) -> bool {
    symbol.starts_with(INTERMEDIATE)
}

/// The labels that a name stands for, the topmost first; none for an intermediate phrase.
pub(crate) fn labels(symbol: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let chain = (!is_intermediate(symbol)).then(|| before_annotation(symbol));
    let mut rest = chain;
    std::iter::from_fn(move || {
        let chain = rest?;
        let end = find_bare(chain, |c| c == JOIN);
        rest = end.map(|end| &chain[end + JOIN.len_utf8()..]);
        Some(unescaped(&chain[..end.unwrap_or(chain.len())]))
    })
}

/// A name without what it remembers.
pub(crate) fn before_annotation(symbol: &str) -> &str {
    let end = find_bare(symbol, |c| ANNOTATIONS.contains(&c));
    &symbol[..end.unwrap_or(symbol.len())]
}

/// Where the first such character is that is not escaped.
fn find_bare(symbol: &str, is_wanted: impl Fn(char) -> bool) -> Option<usize> {
    let mut escaped = false;
    symbol.char_indices().find_map(|(index, c)| {
        let bare = !std::mem::take(&mut escaped);
        escaped = bare && c == ESCAPE;
        (bare && is_wanted(c)).then_some(index)
    })
}

/// An escape at the very end, which no binarisation writes, stands for itself.
fn unescaped(part: &str) -> Cow<'_, str> {
    if !part.contains(ESCAPE) {
        return Cow::Borrowed(part);
    }
    let mut label = String::with_capacity(part.len());
    let mut chars = part.chars();
    while let Some(c) = chars.next() {
        label.push(if c == ESCAPE { chars.next().unwrap_or(c) } else { c });
    }
    Cow::Owned(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(symbol: &str) -> Vec<String> {
        labels(symbol).map(Cow::into_owned).collect()
    }

    #[test]
    fn labels_of_a_name() {
        for (symbol, labels) in [
            ("NP", vec!["NP"]),
            ("", vec![""]),
            ("NP^S^VP", vec!["NP"]),
            ("S+VP^S+SBAR", vec!["S", "VP"]),
            ("+S+", vec!["", "S", ""]),
            (r"ADVP\|PRT^\^", vec!["ADVP|PRT"]),
            (r"\@NP", vec!["@NP"]),
            ("@NP|DT>JJ", vec![]),
        ] {
            assert_eq!(read(symbol), labels, "{symbol}");
        }
    }

    #[test]
    fn names_of_another_scheme_do_no_harm() {
        assert_eq!(read(r"NP\"), [r"NP\"]);
        assert_eq!(read("NP|<DT-JJ>"), ["NP"]);
        assert_eq!(read("^"), [""]);
        assert_eq!(read(r"N\P"), ["NP"]);
    }
}
