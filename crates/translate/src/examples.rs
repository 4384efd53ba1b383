//! Training examples: what words became and in which order phrases stand, with the features of each.

use serde::Serialize;

use super::context::Context;
use super::lexicon::{BilingualLexicon, ERASED};
use crate::align::{Bitext, IdRows, Link, PartOrder, TreeAlignment, format_links, one_to_one};
use boughs::tree::Tree;
use boughs_learn::run::fingerprint;

/// A source tree, its translation, and links between their words.
#[derive(Debug, Clone)]
pub struct AlignedPair {
    /// The source.
    pub tree: Tree,
    /// The words of the translation.
    pub target: Vec<String>,
    /// Links of which no two share a word: what the words become.
    pub links: Vec<Link>,
    /// All links; the generative transducer chooses among them.
    pub all_links: Vec<Link>,
}

impl AlignedPair {
    /// The pairs of a bitext with their source trees and links; `strong` links, if there are any, are preferred.
    pub fn all(trees: Vec<Tree>, bitext: &Bitext, links: Vec<Vec<Link>>, strong: &[Vec<Link>]) -> Vec<Self> {
        let pair = |(index, (tree, all_links)): (usize, (Tree, Vec<Link>))| {
            let target: Vec<String> = bitext.target.words(index).map(str::to_owned).collect();
            let strong = strong.get(index).map_or(&[][..], Vec::as_slice);
            let links = one_to_one(strong, &all_links, tree.num_tokens(), target.len());
            Self { tree, target, links, all_links }
        };
        trees.into_iter().zip(links).enumerate().map(pair).collect()
    }

    /// Each source word with the word that it became, if it became one.
    pub(super) fn words(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let mut targets = vec![None; self.tree.num_tokens()];
        for link in &self.links {
            if let Some(target) = targets.get_mut(link.source as usize) {
                *target = self.target.get(link.target as usize).map(String::as_str);
            }
        }
        self.tree.words().zip(targets)
    }
}

/// What a run depends on, as a short name: settings and pairs.
pub(super) fn identity(
    settings: &impl Serialize,
    train: &[AlignedPair],
    dev: Option<&[AlignedPair]>,
) -> String {
    let pair = |AlignedPair { tree, target, links, all_links }: &AlignedPair| {
        format!("{tree}\t{}\t{}\t{}\n", target.join(" "), format_links(links), format_links(all_links))
    };
    let text = |pairs: Option<&[AlignedPair]>| pairs.into_iter().flatten().map(pair).collect::<String>();
    fingerprint(settings, [text(Some(train)), text(dev)])
}

/// The examples of some pairs.
#[derive(Debug, Default)]
pub(super) struct ChoiceExamples {
    /// By word: its features.
    pub(super) word_rows: IdRows,
    /// By word: its number, and that of its translation. None if the lexicon does not have them.
    pub(super) words: Vec<(Option<u32>, Option<u32>)>,
    /// By phrase of known order: its features.
    pub(super) node_rows: IdRows,
    /// By phrase of known order.
    pub(super) orders: Vec<PartOrder>,
}

impl ChoiceExamples {
    /// The examples of pairs; `number` says which number a feature has, if any.
    pub(super) fn new(
        pairs: &[AlignedPair],
        lexicon: &BilingualLexicon,
        mut number: impl FnMut(&str) -> Option<u32>,
    ) -> Self {
        let mut examples = Self::default();
        for pair in pairs {
            let mut context = Context::new(&pair.tree);
            let orders = TreeAlignment::new(&context.binary, &pair.links).orders;
            let [word_rows, node_rows] = context.rows(|node| orders[node].is_some(), &mut number);
            word_rows.into_iter().for_each(|row| examples.word_rows.push(row));
            node_rows.into_iter().for_each(|row| examples.node_rows.push(row));
            examples.orders.extend(orders.into_iter().flatten());
            examples.words.extend(pair.words().map(|(word, translation)| {
                let target = translation.map_or(Some(ERASED), |word| lexicon.target.get(word));
                (lexicon.find(word), target)
            }));
        }
        examples
    }

    /// Which candidate of a source word a word became; the first if it became none of them.
    pub(super) fn candidate(&self, lexicon: &BilingualLexicon, source: u32, row: u32) -> u32 {
        let target = self.words[row as usize].1;
        let place = lexicon.of(source).iter().position(|&candidate| Some(candidate) == target);
        place.unwrap_or(0) as u32
    }

    /// By source word: the words that are examples of it and of one of its candidates.
    pub(super) fn by_source(&self, lexicon: &BilingualLexicon) -> Vec<Vec<u32>> {
        let mut rows = vec![Vec::new(); lexicon.num_words()];
        for (row, &word) in (0u32..).zip(&self.words) {
            if let (Some(source), Some(target)) = word
                && lexicon.of(source).contains(&target)
            {
                rows[source as usize].push(row);
            }
        }
        rows
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::align::parse_links;
    use boughs_learn::vocab::Vocab;

    /// A pair from text.
    pub(in super::super) fn pair(tree: &str, target: &str, links: &str) -> AlignedPair {
        let links = parse_links(links, None).unwrap();
        AlignedPair {
            tree: tree.parse().unwrap(),
            target: target.split_whitespace().map(str::to_owned).collect(),
            all_links: links.clone(),
            links,
        }
    }

    #[test]
    fn words_and_phrases_of_known_order_are_examples() {
        let pairs = [pair("(NP (DT a) (JJ white) (NN dog))", "chien blanc", "1-1 2-0")];
        let lexicon = BilingualLexicon::new(&pairs, &Default::default());
        let mut vocab = Vocab::new();
        let examples = ChoiceExamples::new(&pairs, &lexicon, |name| Some(vocab.intern(name)));
        assert_eq!(examples.words.len(), 3);
        assert_eq!(examples.words[0].1, Some(ERASED));
        assert_eq!(examples.orders, [PartOrder::Inverted]);
        assert_eq!(examples.by_source(&lexicon), [[0], [1], [2]]);
        let others = [pair("(X (Y y))", "z", "")];
        let unknown = ChoiceExamples::new(&others, &lexicon, |name| vocab.get(name));
        assert_eq!((unknown.words[0], unknown.word_rows.len()), ((None, Some(ERASED)), 1));
    }
}
