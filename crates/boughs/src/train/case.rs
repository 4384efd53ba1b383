//! Sentences in other cases, so that a parser is used to headlines and capitals.

use std::borrow::Cow;

use crate::neural::as_in_text;
use crate::rng::Rng;
use crate::tree::Tree;

/// The case that a sentence is shown in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Case {
    #[default]
    AsWritten,
    Lower,
    /// Every word is capitalised.
    Title,
    Upper,
}

impl Case {
    /// Another case for a share of all sentences.
    pub(super) fn draw(rng: &mut Rng, share: f32) -> Self {
        if rng.unit() >= f64::from(share) {
            return Self::AsWritten;
        }
        [Self::Lower, Self::Title, Self::Upper][rng.below(3) as usize]
    }

    /// A word in this case. What treebanks write in their own way, such as brackets, stays as it is.
    pub(super) fn of(self, word: &str) -> Cow<'_, str> {
        if self == Self::AsWritten || as_in_text(word) != word {
            return Cow::Borrowed(word);
        }
        Cow::Owned(match self {
            Self::AsWritten => word.to_owned(),
            Self::Lower => word.to_lowercase(),
            Self::Title => capitalized(word),
            Self::Upper => word.to_uppercase(),
        })
    }
}

/// Shows a share of trees in another case.
pub(super) fn recase(trees: &mut [Tree], rng: &mut Rng, share: f32) {
    for tree in trees {
        let case = Case::draw(rng, share);
        for token in 0..tree.num_tokens() {
            let word = case.of(tree.word(token)).into_owned();
            tree.set_word(token, &word);
        }
    }
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_all_cases() {
        let in_case =
            |case: Case| ["Mary", "n't", "-LRB-", "élan", "3rd"].map(|word| case.of(word).into_owned());
        assert_eq!(in_case(Case::AsWritten), ["Mary", "n't", "-LRB-", "élan", "3rd"]);
        assert_eq!(in_case(Case::Lower), ["mary", "n't", "-LRB-", "élan", "3rd"]);
        assert_eq!(in_case(Case::Title), ["Mary", "N't", "-LRB-", "Élan", "3rd"]);
        assert_eq!(in_case(Case::Upper), ["MARY", "N'T", "-LRB-", "ÉLAN", "3RD"]);
    }

    #[test]
    fn trees_in_another_case() {
        let gold: Tree = "(S (NP (NNP Mary)) (VP (VBD slept)) (-RRB- -RRB-))".parse().unwrap();
        let mut trees = vec![gold.clone(); 50];
        recase(&mut trees, &mut Rng::stream(3, 4), 1.0);
        let words = |tree: &Tree| tree.words().collect::<Vec<_>>().join(" ");
        let mut found: Vec<String> = trees.iter().map(words).collect();
        found.sort();
        found.dedup();
        assert_eq!(found, ["MARY SLEPT )", "Mary Slept )", "mary slept )"]);
        recase(&mut trees, &mut Rng::stream(3, 4), 0.0);
        assert!(trees.iter().all(|tree| tree.tokens().zip(gold.tokens()).all(|(a, b)| a.tag == b.tag)));
    }

    #[test]
    fn as_many_as_asked_for() {
        let mut rng = Rng::stream(1, 2);
        let drawn: Vec<Case> = (0..4000).map(|_| Case::draw(&mut rng, 0.3)).collect();
        let count = |case: Case| drawn.iter().filter(|other| **other == case).count();
        assert!((2700..2900).contains(&count(Case::AsWritten)), "{}", count(Case::AsWritten));
        for case in [Case::Lower, Case::Title, Case::Upper] {
            assert!((340..460).contains(&count(case)), "{case:?} {}", count(case));
        }
        assert!((0..100).all(|_| Case::draw(&mut rng, 0.0) == Case::AsWritten));
    }
}
