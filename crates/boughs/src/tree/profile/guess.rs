//! Which profile a treebank has, by its labels and tags.

use std::collections::BTreeSet;

use super::{PROFILES, Profile, before, fits};
use crate::tree::{Tree, base_label, is_root_label};

/// So many of the tokens and of the phrases have names that the profile knows.
const ENOUGH: f64 = 0.6;
/// So many different tags must be known; a letter or two may be a tag of any treebank.
const LEAST_TAGS: usize = 3;
/// A treebank of fewer tokens says too little to be called unknown.
const LEAST_TOKENS: usize = 100;

/// What was guessed.
#[derive(Debug, Clone, PartialEq)]
pub struct Guess {
    /// The profile.
    pub profile: Profile,
    /// The share of the names in the trees that it knows; none if no profile knows them.
    pub share: Option<f64>,
}

impl Guess {
    /// The profile of trees as they were read. Where no profile knows their names it is `generic`, of which nothing is
    /// learned yet; of a few trees it is that of the Penn Treebank.
    pub fn of(trees: &[Tree]) -> Self {
        let shipped = PROFILES.iter().filter_map(|(name, _)| Profile::named(name));
        let mut best: Option<(f64, Profile)> = None;
        for profile in shipped {
            let share = share_known(&profile, trees);
            // Not `>=`: of equal ones the first is taken.
            if share > best.as_ref().map_or(0.0, |(share, _)| *share) {
                best = Some((share, profile));
            }
        }
        match best {
            Some((share, profile)) if share >= ENOUGH => Self { profile, share: Some(share) },
            _ if trees.iter().map(Tree::num_tokens).sum::<usize>() < LEAST_TOKENS => {
                Self { profile: Profile::default(), share: None }
            }
            _ => Self { profile: Profile::generic(), share: None },
        }
    }
}

/// The share of known tags, or of known labels if that is smaller.
fn share_known(profile: &Profile, trees: &[Tree]) -> f64 {
    let known = &profile.fields.known;
    let knows = |patterns: &[String], name: &str| patterns.iter().any(|pattern| fits(pattern, name));
    let tag_of = |tag| before(tag, &profile.fields.tag_separators).0;
    let tags: Vec<&str> = trees.iter().flat_map(Tree::tokens).map(|token| tag_of(token.tag)).collect();
    let different: BTreeSet<&str> = tags.iter().copied().filter(|tag| knows(&known.tags, tag)).collect();
    if !profile.is_default() && different.len() < LEAST_TAGS {
        return 0.0;
    }
    let tags = tags.iter().map(|tag| different.contains(tag));
    let labels = trees.iter().flat_map(Tree::nodes).filter(|node| !is_root_label(node.label));
    let labels = labels.map(|node| knows(&known.labels, base_label(node.label)));
    share(tags).min(share(labels))
}

fn share(are_known: impl Iterator<Item = bool>) -> f64 {
    let (mut known, mut all) = (0_u64, 0_u64);
    for is_known in are_known {
        known += u64::from(is_known);
        all += 1;
    }
    // Without phrases, or without tokens, nothing speaks against it.
    if all == 0 { 1.0 } else { known as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(text: &str) -> String {
        Guess::of(&[text.parse().expect("a tree")]).profile.name().to_owned()
    }

    #[test]
    fn names_tell_the_treebank() {
        for (name, tree) in [
            ("english-penn", "(S (NP-SBJ (DT The) (NN dog)) (VP (VBZ sleeps)) (. .))"),
            (
                "spanish-cess",
                "(S (sn-SUJ (espec.ms (da0ms0 El)) (grup.nom.ms (ncms000 perro))) (grup.verb (vmip3s0 duerme)) (Fp .))",
            ),
            ("german-tiger", "(VROOT (S (NP-SB (ART Der) (NN Hund)) (VVFIN schläft)) ($. .))"),
            ("portuguese-floresta", "(fcl-STA (np-SUBJ (art O) (n cão)) (v-fin dorme) (. .))"),
            ("dutch-alpino", "(VROOT (smain (np-su (det De) (noun hond)) (verb slaapt)) (punct .))"),
            ("swedish-smultron", "(VROOT (S (NP-SB (PM Anna)) (VBFIN sover)) (DL .))"),
            ("chinese-sinica", "(TOP (S (NP-agent (Nhaa 他)) (VA4 睡)) (PERIODCATEGORY 。))"),
        ] {
            assert_eq!(guess(tree), name);
        }
    }

    #[test]
    fn unknown_names_are_generic_once_there_are_enough_of_them() {
        assert_eq!(guess("(XYZ (Q1 a) (Q2 b))"), "english-penn");
        assert_eq!(guess(&format!("(XYZ {})", "(Q1 a) ".repeat(LEAST_TOKENS))), "generic");
        assert_eq!(guess("(S (NP (A a) (A b)))"), "english-penn", "too little is Chinese here");
        assert_eq!(guess("()"), "english-penn");
    }
}
