//! Training examples: what words became and in which order phrases stand, with the features of each.

use super::context::Context;
use super::lexicon::{ERASED, Lexicon};
use crate::align::{Link, Order, Sentences, TreeAlignment};
use boughs::tree::Tree;
use boughs::tree::heads::HeadRules;
use boughs_learn::vocab::Vocab;

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

/// How features get their numbers.
pub(super) enum Numbering<'v> {
    /// New features get new numbers.
    Growing(&'v mut Vocab),
    /// New features are passed over.
    Fixed(&'v Vocab),
}

impl Numbering<'_> {
    pub(super) fn number(&mut self, name: &str) -> Option<u32> {
        match self {
            Self::Growing(vocab) => Some(vocab.intern(name)),
            Self::Fixed(vocab) => vocab.get(name),
        }
    }
}

/// The examples of some pairs.
#[derive(Debug, Default)]
pub(super) struct Examples {
    /// By word: its features.
    pub(super) word_rows: Sentences,
    /// By word: its number, and that of its translation. None if the lexicon does not have them.
    pub(super) words: Vec<(Option<u32>, Option<u32>)>,
    /// By phrase of known order: its features.
    pub(super) node_rows: Sentences,
    /// By phrase of known order.
    pub(super) orders: Vec<Order>,
}

impl Examples {
    pub(super) fn new(
        pairs: &[AlignedPair],
        lexicon: &Lexicon,
        rules: &HeadRules,
        numbering: &mut Numbering<'_>,
    ) -> Self {
        let mut examples = Self::default();
        pairs.iter().for_each(|pair| examples.add(pair, lexicon, rules, numbering));
        examples
    }

    fn add(
        &mut self,
        pair: &AlignedPair,
        lexicon: &Lexicon,
        rules: &HeadRules,
        numbering: &mut Numbering<'_>,
    ) {
        let mut context = Context::new(&pair.tree, rules);
        let mut shared = Vec::new();
        context.sentence_features(|name| shared.extend(numbering.number(name)));
        for (index, (word, translation)) in pair.words().enumerate() {
            let mut row = shared.clone();
            context.word_features(index, |name| row.extend(numbering.number(name)));
            self.word_rows.push(row);
            self.words.push((
                lexicon.find(word),
                translation.map_or(Some(ERASED), |word| lexicon.target.get(word)),
            ));
        }
        let alignment = TreeAlignment::new(context.binary(), &pair.links);
        for (index, order) in alignment.orders.into_iter().enumerate() {
            if let Some(order) = order {
                let mut row = shared.clone();
                context.node_features(index, |name| row.extend(numbering.number(name)));
                self.node_rows.push(row);
                self.orders.push(order);
            }
        }
    }

    /// Which candidate of a source word a word became; the first if it became none of them.
    pub(super) fn candidate(&self, lexicon: &Lexicon, source: u32, row: u32) -> u32 {
        let target = self.words[row as usize].1;
        let place = lexicon.of(source).iter().position(|&candidate| Some(candidate) == target);
        place.unwrap_or(0) as u32
    }

    /// By source word: the words that are examples of it and of one of its candidates.
    pub(super) fn by_source(&self, lexicon: &Lexicon) -> Vec<Vec<u32>> {
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
        let lexicon = Lexicon::new(&pairs, &Default::default());
        let mut vocab = Vocab::new();
        let examples =
            Examples::new(&pairs, &lexicon, &HeadRules::english(), &mut Numbering::Growing(&mut vocab));
        assert_eq!(examples.words.len(), 3);
        assert_eq!(examples.words[0].1, Some(ERASED));
        assert_eq!(examples.orders, [Order::Inverted]);
        assert_eq!(examples.by_source(&lexicon), [[0], [1], [2]]);
        let known = vocab.len();
        Examples::new(
            &[pair("(X (Y y))", "z", "")],
            &lexicon,
            &HeadRules::english(),
            &mut Numbering::Fixed(&vocab),
        );
        assert_eq!(vocab.len(), known);
    }
}
