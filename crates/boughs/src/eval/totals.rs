//! Adding scores up: [`Totals`] over a treebank, [`Figures`] as percentages.

use std::ops::{Add, AddAssign};

use super::labels::LabelId;
use super::score::{SentenceScore, Verdict};

/// The longest sentence of each row of [`Totals::by_length`]; the last row has no end.
pub const LENGTHS: [u32; 5] = [10, 20, 30, 40, u32::MAX];

/// The sums over a treebank.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// All sentences.
    pub all: Tally,
    /// The sentences up to each of some lengths.
    pub up_to: Vec<(u32, Tally)>,
    /// The sentences by length, each in one row of [`LENGTHS`].
    pub by_length: [Tally; 5],
    /// The brackets of each label by its id, the gold brackets of sentences that err included.
    by_label: Vec<Brackets>,
}

/// The sums over some sentences, those that err apart.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// The sentences that were compared.
    pub scored: Figures,
    /// The sentences that err: gold brackets and words, nothing right.
    pub lost: Figures,
    /// The number of sentences without words that count, which are in neither.
    pub no_words: u64,
    /// The number of sentences among `scored` with [`mistagged`](SentenceScore::mistagged) punctuation.
    pub mistagged: u64,
}

/// Labelled brackets of a sentence, or of any number of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Brackets<N = u64> {
    /// Test brackets that are in the gold trees.
    pub matched: N,
    /// Gold brackets.
    pub gold: N,
    /// Test brackets.
    pub test: N,
}

/// What is counted in some sentences. Percentages of nothing are `None`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Figures {
    /// Sentences.
    pub sentences: u64,
    /// Labelled brackets.
    pub labeled: Brackets,
    /// Brackets whatever their labels.
    pub unlabeled: Brackets,
    /// Sentences with all brackets right and none too many.
    pub exact: u64,
    /// Test brackets that cross a gold bracket.
    pub crossing: u64,
    /// Sentences without such brackets.
    pub no_crossing: u64,
    /// Sentences with at most two such brackets.
    pub few_crossing: u64,
    /// Words that count.
    pub words: u64,
    /// Words with the right tag.
    pub tags: u64,
    /// The sum over the sentences of their own F1, in percent.
    pub f1_sum: f64,
}

impl Totals {
    /// Nothing yet, with a separate tally of the sentences up to each of these lengths.
    pub fn new(lengths: &[u32]) -> Self {
        let up_to = lengths.iter().map(|&length| (length, Tally::default())).collect();
        Self { up_to, ..Self::default() }
    }

    /// Adds a sentence.
    pub fn add(&mut self, score: &SentenceScore) {
        self.all.add(score);
        for (length, tally) in &mut self.up_to {
            if score.length <= *length {
                tally.add(score);
            }
        }
        let row = LENGTHS.partition_point(|&longest| longest < score.length);
        self.by_length[row].add(score);
        for &(label, counts) in &score.labels {
            if label.index() >= self.by_label.len() {
                self.by_label.resize(label.index() + 1, Brackets::default());
            }
            self.by_label[label.index()] += counts;
        }
    }

    /// The labels that occurred, in the order of their ids.
    pub fn by_label(&self) -> impl Iterator<Item = (LabelId, Brackets)> {
        let rows = LabelId::all().zip(self.by_label.iter().copied());
        rows.filter(|(_, brackets)| *brackets != Brackets::default())
    }
}

impl Tally {
    fn add(&mut self, score: &SentenceScore) {
        match score.verdict {
            Verdict::Scored => {
                self.scored.add_scored(score);
                self.mistagged += u64::from(score.mistagged);
            }
            Verdict::Error(_) => self.lost.add_lost(score),
            Verdict::NoWords => self.no_words += 1,
        }
    }

    /// All sentences: those that err have their gold brackets and words in the denominators, and nothing
    /// right. They have no test brackets, so recall falls and precision does not, and nothing can cross:
    /// take crossing from `scored`.
    pub fn strict(&self) -> Figures {
        Figures {
            sentences: self.scored.sentences + self.lost.sentences,
            labeled: self.scored.labeled + self.lost.labeled,
            unlabeled: self.scored.unlabeled + self.lost.unlabeled,
            words: self.scored.words + self.lost.words,
            ..self.scored
        }
    }

    /// The number of all sentences.
    pub fn num_sentences(&self) -> u64 {
        self.scored.sentences + self.lost.sentences + self.no_words
    }
}

impl<N> Brackets<N> {
    /// Applies a function to each count of two sets.
    pub(super) fn zip<M, O>(self, other: Brackets<M>, f: impl Fn(N, M) -> O) -> Brackets<O> {
        Brackets {
            matched: f(self.matched, other.matched),
            gold: f(self.gold, other.gold),
            test: f(self.test, other.test),
        }
    }
}

impl<N: Add<Output = N>> Add for Brackets<N> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.zip(other, N::add)
    }
}

impl AddAssign for Brackets {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Brackets {
    /// The share of test brackets that are in the gold trees, in percent.
    pub fn precision(&self) -> Option<f64> {
        percent(self.matched, self.test)
    }

    /// The share of gold brackets that were found, in percent.
    pub fn recall(&self) -> Option<f64> {
        percent(self.matched, self.gold)
    }

    /// The harmonic mean of precision and recall, in percent: `2 matched / (gold + test)`.
    pub fn f1(&self) -> Option<f64> {
        percent(2 * self.matched, self.gold + self.test)
    }
}

impl Figures {
    fn add_scored(&mut self, score: &SentenceScore) {
        self.add(score.counts, score.crossing, [score.words, score.tags]);
        self.unlabeled += Brackets { matched: score.unlabeled, ..score.counts };
        self.f1_sum += score.f1().unwrap_or_default();
    }

    /// Adds a sentence: its brackets, how many cross, its words and how many have the right tag.
    pub(super) fn add(&mut self, brackets: Brackets, crossing: u64, [words, tags]: [u64; 2]) {
        self.sentences += 1;
        self.labeled += brackets;
        self.exact += u64::from(brackets.matched == brackets.gold && brackets.matched == brackets.test);
        self.crossing += crossing;
        self.no_crossing += u64::from(crossing == 0);
        self.few_crossing += u64::from(crossing <= 2);
        self.words += words;
        self.tags += tags;
    }

    fn add_lost(&mut self, score: &SentenceScore) {
        self.sentences += 1;
        self.labeled += score.counts;
        self.unlabeled += score.counts;
        self.words += score.words;
    }

    /// Labelled precision in percent.
    pub fn precision(&self) -> Option<f64> {
        self.labeled.precision()
    }

    /// Labelled recall in percent.
    pub fn recall(&self) -> Option<f64> {
        self.labeled.recall()
    }

    /// Labelled F1 in percent.
    pub fn f1(&self) -> Option<f64> {
        self.labeled.f1()
    }

    /// The mean over the sentences of their own labelled F1, in percent.
    pub fn mean_f1(&self) -> Option<f64> {
        (self.sentences > 0).then(|| self.f1_sum / self.sentences as f64)
    }

    /// Sentences with all brackets right and none too many, in percent.
    pub fn exact_match(&self) -> Option<f64> {
        percent(self.exact, self.sentences)
    }

    /// Crossing brackets per sentence.
    pub fn mean_crossing(&self) -> Option<f64> {
        (self.sentences > 0).then(|| self.crossing as f64 / self.sentences as f64)
    }

    /// Sentences without crossing brackets, in percent.
    pub fn without_crossing(&self) -> Option<f64> {
        percent(self.no_crossing, self.sentences)
    }

    /// Sentences with at most two crossing brackets, in percent.
    pub fn with_few_crossing(&self) -> Option<f64> {
        percent(self.few_crossing, self.sentences)
    }

    /// Words with the right tag, in percent.
    pub fn tag_accuracy(&self) -> Option<f64> {
        percent(self.tags, self.words)
    }
}

impl SentenceScore {
    /// The labelled F1 of this sentence in percent. A sentence that errs has 0; two trees without brackets,
    /// as of a single word, agree and have 100; without words that count there is none.
    pub fn f1(&self) -> Option<f64> {
        match self.verdict {
            Verdict::NoWords => None,
            Verdict::Error(_) => Some(0.0),
            Verdict::Scored => self.counts.f1().or(Some(100.0)),
        }
    }
}

/// `part` of `whole` in percent.
fn percent(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| 100.0 * part as f64 / whole as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{Parameters, Scorer};

    fn totals(pairs: &[(&str, &str)]) -> Totals {
        let mut scorer = Scorer::new(Parameters::named("COLLINS").expect("built in"));
        let mut totals = Totals::new(&[1]);
        for (gold, test) in pairs {
            let (gold, test) = (gold.parse().expect("a tree"), test.parse().expect("a tree"));
            totals.add(&scorer.score(&gold, &test));
        }
        totals
    }

    #[test]
    fn errors_lower_recall_only_in_the_strict_figures() {
        let totals = totals(&[("(S (VP (VB go)))", "(S (VP (VB go)))"), ("(S (VP (VB go)))", "()")]);
        let (strict, scored) = (totals.all.strict(), totals.all.scored);
        assert_eq!((strict.precision(), strict.recall()), (Some(100.0), Some(50.0)));
        assert_eq!((scored.precision(), scored.recall()), (Some(100.0), Some(100.0)));
        assert_eq!((strict.exact_match(), scored.exact_match()), (Some(50.0), Some(100.0)));
        assert_eq!((strict.tag_accuracy(), scored.tag_accuracy()), (Some(50.0), Some(100.0)));
        assert_eq!(strict.mean_f1(), Some(50.0));
    }

    #[test]
    fn nothing_is_not_a_percentage() {
        let figures = Totals::default().all.strict();
        for figure in [figures.precision(), figures.f1(), figures.mean_f1(), figures.exact_match()] {
            assert_eq!(figure, None);
        }
        let one_word = totals(&[("(TOP (UH Yes))", "(UH Yes)")]).all.strict();
        assert_eq!(
            (one_word.f1(), one_word.exact_match(), one_word.mean_f1()),
            (None, Some(100.0), Some(100.0))
        );
    }

    #[test]
    fn by_length() {
        let ten = format!("(S{})", " (NN a)".repeat(10));
        let eleven = format!("(S{})", " (NN a)".repeat(11));
        let totals = totals(&[(&ten, &ten), (&eleven, &eleven), ("(S (VP (VB go)))", "(S (VB go))")]);
        let rows: Vec<u64> = totals.by_length.iter().map(|row| row.scored.sentences).collect();
        assert_eq!(rows, [2, 1, 0, 0, 0]);
        assert_eq!(totals.up_to[0].1.scored.labeled, Brackets { matched: 1, gold: 2, test: 1 });
    }
}
