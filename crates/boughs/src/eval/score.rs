//! [`Scorer`]: what a tree shares with the gold tree of the same sentence.
//!
//! The rules are EVALB's, but for three that make it lose or gain brackets by accident:
//!
//! - Which words are left out is decided by the gold tags for both trees, so that a mistagged comma is no
//!   error. Only if the words differ does each tree decide for itself, as in EVALB; so a parser that drops
//!   punctuation is scored all the same.
//! - Traces, function tags and roots (`TOP`, `ROOT`, `S1`, `VROOT` or nothing) never count.
//! - A sentence that cannot be compared is not forgotten: its score has the gold brackets and no match.

use std::fmt;

use super::Parameters;
use super::brackets::{Bracket, Crossing, Matcher, num_same_spans};
use super::labels::{Convention, LabelId, LabelTable};
use super::totals::Brackets;
use crate::tree::{TRACE_TAG, Tree};

/// The score of one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentenceScore {
    /// Whether the two trees could be compared.
    pub verdict: Verdict,
    /// Whether the tags of the test tree would leave out other words than the gold tags. EVALB goes by each
    /// tree's own and drops most such sentences.
    pub mistagged: bool,
    /// The length of the sentence: gold words, punctuation included and traces not.
    pub length: u32,
    /// The gold words that count.
    pub words: u64,
    /// Words with the right tag.
    pub tags: u64,
    /// Labelled brackets.
    pub counts: Brackets,
    /// Matched brackets whatever their labels.
    pub unlabeled: u64,
    /// Test brackets that cross a gold bracket.
    pub crossing: u64,
    /// The brackets of each label that occurs, in the order of the ids; equal labels share one.
    pub labels: Vec<(LabelId, Brackets)>,
}

/// Whether two trees could be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    Scored,
    /// Yes, but the sentence has no words that count. EVALB skips it, and so do [`Totals`](super::Totals).
    NoWords,
    /// No: the counts are those of the gold tree, with nothing matched.
    Error(Mismatch),
}

impl Verdict {
    /// One word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Scored => "scored",
            Self::NoWords => "no-words",
            Self::Error(_) => "error",
        }
    }
}

/// Why two trees cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mismatch {
    /// There is no test tree, or it is empty.
    NoTree,
    /// The test tree cannot be read; this is why.
    Unreadable(String),
    /// The sentences are not of the same length.
    Length {
        /// Words of the gold tree.
        gold: usize,
        /// Words of the test tree.
        test: usize,
    },
    /// A word is not the same.
    Word {
        /// The number of the word, counted from 1.
        number: usize,
        /// The word in the gold tree.
        gold: String,
        /// The word in the test tree.
        test: String,
    },
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTree => f.write_str("no tree to score"),
            Self::Unreadable(why) => f.write_str(why),
            Self::Length { gold, test } => write!(f, "expected {gold} words as in gold, found {test}"),
            Self::Word { number, gold, test } => {
                write!(f, "word {number}: expected `{gold}` as in gold, found `{test}`")
            }
        }
    }
}

/// Compares trees. It keeps the labels it has seen, so that [`LabelId`]s agree over all its scores.
pub struct Scorer {
    labels: LabelTable,
    gold: ScoredSide,
    test: ScoredSide,
    matcher: Matcher,
    crossing: Crossing,
    by_label: ByLabel,
    /// Of the last test tree, the brackets that are right.
    right: Vec<bool>,
}

/// One of the two trees, without what does not count; the memory is used again for the next.
#[derive(Default)]
struct ScoredSide {
    /// The tokens that are no traces.
    tokens: Vec<SideToken>,
    /// The tags of the words that count.
    tags: Vec<LabelId>,
    /// For each token of the tree, and its end, the number of words before it that count.
    positions: Vec<i32>,
    brackets: Vec<Bracket>,
    /// The place of each bracket among the nodes of the tree.
    nodes: Vec<usize>,
    spans: Vec<(i32, i32)>,
}

struct SideToken {
    index: usize,
    tag: LabelId,
    counts: bool,
}

impl Scorer {
    /// A scorer by these settings, of which `DEBUG`, `MAX_ERROR`, `CUTOFF_LEN` and `QUOTE_LABEL` have no
    /// meaning here.
    pub fn new(parameters: Parameters) -> Self {
        let labels = LabelTable::new(parameters, Convention::AnyTreebank);
        Self {
            by_label: ByLabel::new(&labels),
            labels,
            gold: ScoredSide::default(),
            test: ScoredSide::default(),
            matcher: Matcher::default(),
            crossing: Crossing::default(),
            right: Vec::new(),
        }
    }

    /// Compares the tree of a parser with the gold tree.
    pub fn score(&mut self, gold: &Tree, test: &Tree) -> SentenceScore {
        self.gold.read_tokens(gold, &mut self.labels);
        self.test.read_tokens(test, &mut self.labels);
        match self.align(gold, test) {
            Err(mismatch) => self.lost(gold, mismatch),
            Ok(mistagged) => SentenceScore { mistagged, ..self.compare(gold, test) },
        }
    }

    /// The score of a sentence without a tree to compare.
    pub fn score_missing(&mut self, gold: &Tree, why: Mismatch) -> SentenceScore {
        self.gold.read_tokens(gold, &mut self.labels);
        self.lost(gold, why)
    }

    /// The phrases that count of the tree scored last, as places among its nodes in pre-order, and whether the gold
    /// tree has them.
    pub fn phrases(&self) -> impl Iterator<Item = (usize, bool)> {
        self.test.nodes.iter().copied().zip(self.right.iter().copied())
    }

    /// The name of a label in a score; labels that the settings take as equal are named together.
    pub fn label_name(&self, id: LabelId) -> String {
        let names = self.by_label.members(id, &self.labels);
        names.map(|name| String::from_utf8_lossy(self.labels.name(name))).collect::<Vec<_>>().join("/")
    }

    /// Decides which tokens count on both sides, and says whether the test tags would decide otherwise;
    /// fails if the words differ.
    fn align(&mut self, gold: &Tree, test: &Tree) -> Result<bool, Mismatch> {
        let Some(mismatch) = self.first_difference(gold, test, |_| true) else {
            let mut mistagged = false;
            for (one, other) in self.gold.tokens.iter().zip(&mut self.test.tokens) {
                mistagged |= other.counts != one.counts;
                other.counts = one.counts;
            }
            return Ok(mistagged);
        };
        match self.first_difference(gold, test, |token| token.counts) {
            None => Ok(false),
            Some(_) if test.is_empty() => Err(Mismatch::NoTree),
            Some(_) => Err(mismatch),
        }
    }

    fn first_difference(
        &self,
        gold: &Tree,
        test: &Tree,
        counts: impl Fn(&SideToken) -> bool,
    ) -> Option<Mismatch> {
        let counting = |side: &ScoredSide| side.tokens.iter().filter(|token| counts(token)).count();
        let (num_gold, num_test) = (counting(&self.gold), counting(&self.test));
        if num_gold != num_test {
            return Some(Mismatch::Length { gold: num_gold, test: num_test });
        }
        let ours = self.gold.tokens.iter().filter(|token| counts(token));
        let theirs = self.test.tokens.iter().filter(|token| counts(token));
        ours.zip(theirs).zip(1..).find_map(|((one, other), number)| {
            let (one, other) = (gold.word(one.index), test.word(other.index));
            let same = self.labels.same_word(one.as_bytes(), other.as_bytes());
            (!same).then(|| Mismatch::Word { number, gold: one.to_owned(), test: other.to_owned() })
        })
    }

    /// Compares the brackets of two trees whose tokens have been read.
    fn compare(&mut self, gold: &Tree, test: &Tree) -> SentenceScore {
        self.gold.read_brackets(gold, &mut self.labels);
        self.test.read_brackets(test, &mut self.labels);
        let (gold, test) = (&mut self.gold, &mut self.test);
        let unlabeled = num_same_spans(&mut gold.spans, &mut test.spans);
        let mut matched = 0;
        self.right.clear();
        self.right.resize(test.brackets.len(), false);
        self.matcher.pair(&gold.brackets, &test.brackets, &self.labels, |i, j| {
            matched += 1;
            self.right[j] = true;
            self.by_label.counts(gold.brackets[i].label).matched += 1;
        });
        gold.brackets.iter().for_each(|bracket| self.by_label.counts(bracket.label).gold += 1);
        test.brackets.iter().for_each(|bracket| self.by_label.counts(bracket.label).test += 1);
        let tags = gold.tags.iter().zip(&test.tags);
        SentenceScore {
            verdict: if gold.tags.is_empty() { Verdict::NoWords } else { Verdict::Scored },
            mistagged: false,
            length: gold.length(&self.labels),
            words: gold.tags.len() as u64,
            tags: tags.filter(|&(&one, &other)| self.labels.same(one, other)).count() as u64,
            counts: Brackets {
                matched: if self.labels.parameters.labeled { matched } else { unlabeled },
                gold: gold.brackets.len() as u64,
                test: test.brackets.len() as u64,
            },
            unlabeled,
            crossing: self.crossing.count(&gold.brackets, &test.brackets),
            labels: self.by_label.take(),
        }
    }

    /// The gold tree's part of a score; its tokens have been read.
    fn lost(&mut self, gold: &Tree, why: Mismatch) -> SentenceScore {
        self.test.tokens.clear();
        SentenceScore { verdict: Verdict::Error(why), ..self.compare(gold, &Tree::empty()) }
    }
}

impl ScoredSide {
    fn read_tokens(&mut self, tree: &Tree, labels: &mut LabelTable) {
        self.tokens.clear();
        for (index, token) in tree.tokens().enumerate() {
            if token.tag != TRACE_TAG {
                let id = labels.id(token.tag.as_bytes());
                let facts = labels.facts(id);
                self.tokens.push(SideToken { index, tag: facts.bare, counts: !facts.deletes_word });
            }
        }
    }

    /// Reads the brackets over the tokens that count.
    fn read_brackets(&mut self, tree: &Tree, labels: &mut LabelTable) {
        self.place_tokens(tree.num_tokens());
        self.brackets.clear();
        self.nodes.clear();
        self.spans.clear();
        for (place, node) in tree.nodes().enumerate() {
            let start = self.positions[node.span.start as usize];
            let end = self.positions[node.span.end as usize];
            let id = labels.id(node.label.as_bytes());
            let facts = labels.facts(id);
            if start < end && !facts.deletes_bracket {
                self.brackets.push(Bracket { start, end, label: facts.bare });
                self.nodes.push(place);
                self.spans.push((start, end));
            }
        }
    }

    fn place_tokens(&mut self, num_tokens: usize) {
        self.tags.clear();
        self.positions.clear();
        for token in self.tokens.iter().filter(|token| token.counts) {
            self.positions.resize(token.index + 1, self.tags.len() as i32);
            self.tags.push(token.tag);
        }
        self.positions.resize(num_tokens + 1, self.tags.len() as i32);
    }

    fn length(&self, labels: &LabelTable) -> u32 {
        self.tokens.iter().filter(|token| labels.facts(token.tag).counts_in_length).count() as u32
    }
}

/// Counts by label. Labels that count as equal are one class, since a match has one of each; of a chain of
/// pairs all are.
struct ByLabel {
    /// The smallest id of the class, for the labels of `EQ_LABEL`, which have the first ids.
    classes: Vec<LabelId>,
    counts: Vec<Brackets>,
    touched: Vec<LabelId>,
}

impl ByLabel {
    fn new(labels: &LabelTable) -> Self {
        let mut classes: Vec<LabelId> = labels.ids().collect();
        for id in labels.ids() {
            for &equal in labels.equals(id) {
                let (one, other) = (classes[id.index()], classes[equal.index()]);
                let (low, high) = (one.min(other), one.max(other));
                classes.iter_mut().filter(|class| **class == high).for_each(|class| *class = low);
            }
        }
        Self { classes, counts: Vec::new(), touched: Vec::new() }
    }

    fn class(&self, label: LabelId) -> LabelId {
        self.classes.get(label.index()).copied().unwrap_or(label)
    }

    fn members(&self, class: LabelId, labels: &LabelTable) -> impl Iterator<Item = LabelId> {
        labels.ids().filter(move |&id| self.class(id) == class)
    }

    fn counts(&mut self, label: LabelId) -> &mut Brackets {
        let class = self.class(label);
        if class.index() >= self.counts.len() {
            self.counts.resize(class.index() + 1, Brackets::default());
        }
        let counts = &mut self.counts[class.index()];
        if *counts == Brackets::default() {
            self.touched.push(class);
        }
        counts
    }

    /// The counts of the sentence, by id, leaving none.
    fn take(&mut self) -> Vec<(LabelId, Brackets)> {
        self.touched.sort_unstable();
        let take = |label: LabelId| (label, std::mem::take(&mut self.counts[label.index()]));
        self.touched.drain(..).map(take).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score_by(settings: &str, gold: &str, test: &str) -> SentenceScore {
        let mut scorer = Scorer::new(Parameters::named(settings).expect("built in"));
        scorer.score(&gold.parse().expect("a tree"), &test.parse().expect("a tree"))
    }

    fn score(gold: &str, test: &str) -> SentenceScore {
        score_by("COLLINS", gold, test)
    }

    fn counts(score: &SentenceScore) -> (u64, u64, u64) {
        (score.counts.matched, score.counts.gold, score.counts.test)
    }

    const GOLD: &str = "(TOP (S (NP-SBJ (DT The) (NN cat)) (VP (VBD sat) (ADVP (RB down))) (. .)))";

    #[test]
    fn any_root_and_no_function_tags() {
        for root in ["", "TOP", "ROOT", "S1", "VROOT"] {
            let test = format!("({root} (S (NP (DT The) (NN cat)) (VP=2 (VBD sat) (PRT (RB down))) (. .)))");
            let score = score(GOLD, &test);
            assert_eq!(counts(&score), (4, 4, 4));
            assert_eq!((score.length, score.words, score.tags), (5, 4, 4));
        }
    }

    #[test]
    fn mistagged_punctuation_is_a_wrong_tag_at_most() {
        let test = "(S (NP (DT The) (NN cat)) (VP (VBD sat) (ADVP (RB down)) (NP (NN .))))";
        let score = score(GOLD, test);
        assert_eq!(score.verdict, Verdict::Scored);
        assert!(score.mistagged);
        assert_eq!(counts(&score), (4, 4, 4));
    }

    #[test]
    fn a_word_mistagged_as_punctuation_still_counts() {
        let test = "(S (NP (DT The) (: cat)) (VP (VBD sat) (ADVP (RB down))) (. .))";
        let score = score(GOLD, test);
        assert_eq!(counts(&score), (4, 4, 4));
        assert_eq!((score.words, score.tags), (4, 3));
    }

    #[test]
    fn dropped_punctuation_is_forgiven() {
        let test = "(S (NP (DT The) (NN cat)) (VP (VBD sat) (ADVP (RB down))))";
        assert_eq!(counts(&score(GOLD, test)), (4, 4, 4));
    }

    #[test]
    fn other_words_lose_the_gold_brackets() {
        let test = "(S (NP (DT The) (NN dog)) (VP (VBD sat) (ADVP (RB down))) (. .))";
        let score = score(GOLD, test);
        let mismatch = Mismatch::Word { number: 2, gold: "cat".into(), test: "dog".into() };
        assert_eq!(mismatch.to_string(), "word 2: expected `cat` as in gold, found `dog`");
        assert_eq!(score.verdict, Verdict::Error(mismatch));
        assert_eq!(counts(&score), (0, 4, 0));
        assert_eq!((score.words, score.tags), (4, 0));
    }

    #[test]
    fn no_tree_and_no_words() {
        assert_eq!(score(GOLD, "()").verdict, Verdict::Error(Mismatch::NoTree));
        assert_eq!(score("(TOP (. .))", "(TOP (. .))").verdict, Verdict::NoWords);
        assert_eq!(score("(TOP (. .))", "()").verdict, Verdict::NoWords);
        assert_eq!(score("()", "()").verdict, Verdict::NoWords);
        let length = Mismatch::Length { gold: 0, test: 1 };
        assert_eq!(score("()", "(NN a)").verdict, Verdict::Error(length));
    }

    #[test]
    fn traces_go_on_both_sides() {
        let gold = "( (S (NP-SBJ (-NONE- *)) (VP (VB Go) (NP (-NONE- *T*-1)) (ADVP (RB home)))))";
        let test = "(S (VP (VB Go) (ADVP (RB home)) (NP (-NONE- x))))";
        let score = score(gold, test);
        assert_eq!(counts(&score), (3, 3, 3));
        assert_eq!(score.length, 2);
    }

    #[test]
    fn labels_of_a_pair_share_a_row() {
        let mut scorer = Scorer::new(Parameters::named("COLLINS").expect("built in"));
        let tree = |text: &str| text.parse::<Tree>().expect("a tree");
        let score = scorer.score(&tree("(S (ADVP (X a)) (NP (X b)))"), &tree("(S (PRT (X a)) (VP (X b)))"));
        let rows: Vec<_> =
            score.labels.iter().map(|&(id, c)| (scorer.label_name(id), c.matched, c.gold, c.test)).collect();
        let expected = [("ADVP/PRT", 1, 1, 1), ("S", 1, 1, 1), ("NP", 0, 1, 0), ("VP", 0, 0, 1)];
        assert_eq!(rows, expected.map(|(name, m, g, t)| (name.to_owned(), m, g, t)));
        assert_eq!(score.unlabeled, 3);
    }

    #[test]
    fn brackets_over_brackets_in_the_text() {
        let gold = "(NP (NN a) (PRN (-LRB- -LRB-) (NP (NN b)) (-RRB- -RRB-)))";
        assert_eq!(counts(&score(gold, gold)), (3, 3, 3));
    }
}
