//! Words that begin sentences more often than they are part of a name, when they have a capital.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// Whether the word, as written, more likely begins a sentence than goes on with a name after an abbreviation.
pub(super) fn is_starter(word: &str) -> bool {
    STARTERS.contains(word)
}

static STARTERS: LazyLock<FxHashSet<&str>> = LazyLock::new(|| WORDS.split(' ').collect());

const WORDS: &str = "\
    A About According Additionally After All Also Although Among An And Another Any As At Because Before \
    Besides Both But By Can Consequently Despite Do Does Due During Each Earlier Either Even Every Few \
    Finally First For From Further Furthermore Given He Hence Her Here His How However I If In Indeed \
    Instead Is It Its Last Later Many Maybe Meanwhile More Moreover Most Mr Mrs Ms Much My Neither \
    Nevertheless Nonetheless Nor Not Now Of On Once One Only Or Other Others Our Perhaps Several She \
    Similarly Since So Some Still Such That The Their Then There Therefore These They This Those Though Thus \
    To Today Two Under Unfortunately Unless Unlike Until Was We Well Were What When Where Whether Which \
    While Who Why With Yet You Your";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starters_are_sorted() {
        assert!(WORDS.split(' ').is_sorted() && STARTERS.len() == 129);
        assert!(is_starter("The") && !is_starter("the") && !is_starter("Senate") && !is_starter(""));
    }
}
