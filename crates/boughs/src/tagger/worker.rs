//! Tagging one sentence: beam search from left to right.
//!
//! The naive form tries every sequence of tags and takes the most probable one. The probability of a tag depends on
//! the words and on the two tags before, so the best sequences up to a place can be found from those up to the place
//! before; the search keeps a few of them, the beam, and of those with the same last two tags only the best, because
//! they have the same future. Hypotheses far behind the best are dropped, and a word that can have one tag only needs
//! no scores.
//!
//! Ties go to the better history, then to the tag with the smaller number.

use super::templates::{PADDING, TagHistory, Window};
use super::word::SeenWord;
use super::{TagId, Tagger};

/// A hypothesis a thousand times less probable than the best one is not kept: most words leave no doubt.
const MAX_GAP: f64 = 6.9;

/// Tags sentences with one [`Tagger`]; holds the scratch, so make one for each thread and use it for many sentences.
#[derive(Debug, Clone)]
pub struct TaggerWorker<'t> {
    tagger: &'t Tagger,
    forms: Vec<SeenWord>,
    lower: String,
    scorer: TagScorer,
    /// The hypotheses kept, place by place; `starts` says where those of each place begin.
    kept: Vec<Hypothesis>,
    starts: Vec<usize>,
    next: Vec<Hypothesis>,
    tags: Vec<TagId>,
}

/// A sequence of tags up to a place, by its last two and where it comes from.
#[derive(Debug, Clone, Copy)]
struct Hypothesis {
    log_probability: f64,
    history: TagHistory,
    parent: usize,
}

/// Which hypotheses to keep.
#[derive(Debug, Clone, Copy)]
struct Beam {
    width: usize,
    /// Whether of those with the same last two tags only the best is kept.
    merges: bool,
}

/// The scratch for scores.
#[derive(Debug, Clone, Default)]
struct TagScorer {
    keys: Vec<u64>,
    by_words: Vec<i32>,
    scores: Vec<i32>,
    log_probabilities: Vec<f64>,
}

impl TagScorer {
    /// Prepares for the histories of one word.
    fn see_words(&mut self, tagger: &Tagger, window: &Window<'_>) {
        self.by_words.clear();
        self.by_words.resize(tagger.tags.len(), 0);
        self.keys.clear();
        tagger.templates.add_word_keys(window, &mut self.keys);
        tagger.weights.add_to(&self.keys, &mut self.by_words);
    }

    /// The logarithm of the probability of each candidate after a history.
    fn after(
        &mut self,
        tagger: &Tagger,
        window: &Window<'_>,
        history: TagHistory,
        candidates: &[TagId],
    ) -> &[f64] {
        self.scores.clone_from(&self.by_words);
        self.keys.clear();
        tagger.templates.add_history_keys(window, history, &mut self.keys);
        tagger.weights.add_to(&self.keys, &mut self.scores);
        let scale = f64::from(tagger.weights.scale);
        let logs = &mut self.log_probabilities;
        logs.clear();
        logs.extend(candidates.iter().map(|tag| scale * f64::from(self.scores[tag.index()])));
        let sum = log_sum(logs);
        logs.iter_mut().for_each(|log| *log -= sum);
        logs
    }
}

/// `ln Σ exp(log)`, without overflow whatever the numbers. What is too small to change the sum costs nothing.
fn log_sum(logs: &[f64]) -> f64 {
    const TOO_SMALL: f64 = -40.0;
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let differences = logs.iter().map(|log| log - largest).filter(|&difference| difference > TOO_SMALL);
    largest + differences.map(f64::exp).sum::<f64>().ln()
}

impl<'t> TaggerWorker<'t> {
    pub(super) fn new(tagger: &'t Tagger) -> Self {
        Self {
            tagger,
            forms: Vec::new(),
            lower: String::new(),
            scorer: TagScorer::default(),
            kept: Vec::new(),
            starts: Vec::new(),
            next: Vec::new(),
            tags: Vec::new(),
        }
    }

    /// The most probable tag sequence found, a tag for each word.
    pub fn tag(&mut self, words: &[&str]) -> &[TagId] {
        self.read(words);
        self.search(words.len(), Beam { width: self.tagger.beam, merges: true });
        self.trace_back(self.starts[words.len()]);
        &self.tags
    }

    /// At most `n` sequences of tags with the logarithms of their probabilities, the most probable first. Sequences a
    /// thousand times less probable than the best are not among them.
    pub fn n_best_sequences(&mut self, words: &[&str], n: usize) -> Vec<(Vec<TagId>, f64)> {
        self.read(words);
        self.search(words.len(), Beam { width: self.tagger.beam.max(n), merges: false });
        let first = self.starts[words.len()];
        let last = self.kept.len().min(first + n);
        let sequence = |index: usize| {
            self.trace_back(index);
            (self.tags.clone(), self.kept[index].log_probability)
        };
        (first..last).map(sequence).collect()
    }

    /// The tags of the sentence that was tagged last.
    pub fn last_tags(&self) -> &[TagId] {
        &self.tags
    }

    /// For each word at most `n` tags with their probabilities given all words and the tags that [`tag`](Self::tag)
    /// gives to the words before, the most probable first. If a word has fewer possible tags, there are fewer.
    pub fn n_best(&mut self, words: &[&str], n: usize) -> Vec<Vec<(TagId, f64)>> {
        self.tag(words);
        let mut history = TagHistory::START;
        let mut lists = Vec::with_capacity(words.len());
        for place in 0..words.len() {
            let mut list = self.distribution(place, history);
            list.iter_mut().for_each(|(_, log)| *log = log.exp());
            list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            list.truncate(n);
            lists.push(list);
            history = history.then(self.tags[place]);
        }
        lists
    }

    /// The probability of a sequence of tags given the words, as a logarithm; none if there are not as many tags as
    /// words, or a word cannot have its tag.
    pub fn log_probability(&mut self, words: &[&str], tags: &[TagId]) -> Option<f64> {
        self.read(words);
        let mut history = TagHistory::START;
        let mut sum = 0.0;
        for (place, &tag) in tags.iter().enumerate() {
            let distribution = (place < words.len()).then(|| self.distribution(place, history))?;
            sum += distribution.iter().find(|(known, _)| *known == tag)?.1;
            history = history.then(tag);
        }
        (words.len() == tags.len()).then_some(sum)
    }

    /// The candidates of a place with the logarithms of their probabilities.
    fn distribution(&mut self, place: usize, history: TagHistory) -> Vec<(TagId, f64)> {
        let tagger = self.tagger;
        let window = Window::new(&self.forms, place);
        let candidates = tagger.candidates(&self.forms[place + PADDING]);
        self.scorer.see_words(tagger, &window);
        let logs = self.scorer.after(tagger, &window, history, candidates);
        candidates.iter().copied().zip(logs.iter().copied()).collect()
    }

    fn read(&mut self, words: &[&str]) {
        let Tagger { templates, lexicon, .. } = self.tagger;
        templates.read_words(words, lexicon, &mut self.forms, &mut self.lower);
    }

    fn search(&mut self, num_words: usize, beam: Beam) {
        self.kept.clear();
        self.starts.clear();
        self.kept.push(Hypothesis { log_probability: 0.0, history: TagHistory::START, parent: 0 });
        self.starts.push(0);
        for place in 0..num_words {
            self.extend(place);
            self.starts.push(self.kept.len());
            self.select(beam);
        }
    }

    /// Fills in the hypotheses of the next place that follow from those of this one.
    fn extend(&mut self, place: usize) {
        let tagger = self.tagger;
        let first = self.starts[place];
        self.next.clear();
        let candidates = tagger.candidates(&self.forms[place + PADDING]);
        if let &[only] = candidates {
            self.next.extend(self.kept[first..].iter().enumerate().map(|(index, parent)| Hypothesis {
                history: parent.history.then(only),
                parent: first + index,
                ..*parent
            }));
            return;
        }
        let window = Window::new(&self.forms, place);
        self.scorer.see_words(tagger, &window);
        for (index, parent) in self.kept[first..].iter().enumerate() {
            let logs = self.scorer.after(tagger, &window, parent.history, candidates);
            self.next.extend(candidates.iter().zip(logs).map(|(&tag, log)| Hypothesis {
                log_probability: parent.log_probability + log,
                history: parent.history.then(tag),
                parent: first + index,
            }));
        }
    }

    /// Keeps the best of the next hypotheses; one for each history, if they are to be merged.
    fn select(&mut self, beam: Beam) {
        if !beam.merges {
            self.select_all(beam.width);
            return;
        }
        let start = self.kept.len();
        while self.kept.len() - start < beam.width {
            let histories = &self.kept[start..];
            let is_new =
                |hypothesis: &&Hypothesis| histories.iter().all(|kept| kept.history != hypothesis.history);
            let best = self.next.iter().filter(is_new).reduce(|best, other| {
                if other.log_probability > best.log_probability { other } else { best }
            });
            let least = histories.first().map_or(f64::NEG_INFINITY, |best| best.log_probability - MAX_GAP);
            match best {
                Some(&best) if best.log_probability >= least => self.kept.push(best),
                _ => return,
            }
        }
    }

    fn select_all(&mut self, width: usize) {
        self.next.sort_by(|a, b| b.log_probability.total_cmp(&a.log_probability));
        let least = self.next.first().map_or(0.0, |best| best.log_probability - MAX_GAP);
        let is_near = |hypothesis: &&Hypothesis| hypothesis.log_probability >= least;
        self.kept.extend(self.next.iter().take(width).take_while(is_near));
    }

    /// The tags of a hypothesis. The best one stands first among those of the last place.
    fn trace_back(&mut self, mut index: usize) {
        self.tags.clear();
        while index > 0 {
            let hypothesis = self.kept[index];
            self.tags.push(hypothesis.history.0);
            index = hypothesis.parent;
        }
        self.tags.reverse();
    }
}
