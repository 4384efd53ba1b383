//! The HMM model (Vogel, Ney and Tillmann 1996), with an empty word that remembers the place (Och and Ney 2003).
//!
//! A target word j is linked to a source word i, or to none. Where it goes depends on the *place*: 0 before any link,
//! otherwise one behind the word linked last. A word without a link leaves the place where it was. So the state behind
//! a target word is the place alone:
//!
//! > A_j(i + 1) += t(f_j|e_i) · (1 − n) · Σ_p A_{j−1}(p) · p(i|p, I)
//! > A_j(p)     += t(f_j|empty) · n · A_{j−1}(p)
//!
//! with n the fixed probability of having no link. The naive form sums over all (I + 1)^J alignments; the reference in
//! the tests does. Every A_j is scaled to sum to 1; the logarithms of the scales add up to that of the probability.

use super::first_best;
use super::jumps::{JumpCounts, Transitions};
use super::table::TranslationTable;

/// Stands for the place before a word without a link.
const UNLINKED: u32 = u32::MAX;

/// The tables of one sentence pair at a time.
#[derive(Debug, Default)]
pub(super) struct Hmm {
    num_places: usize,
    /// By target word, then source word, then that of the empty word.
    cells: Vec<usize>,
    /// A: by target word from 0 (before the first), then place.
    forward: Vec<f64>,
    scales: Vec<f64>,
    backward: Vec<f64>,
    next_backward: Vec<f64>,
    /// By target word, then place: the place before, or that the word has no link.
    best_places: Vec<u32>,
}

/// What the model knows.
#[derive(Debug, Clone, Copy)]
pub(super) struct HmmParameters<'a> {
    pub(super) table: &'a TranslationTable,
    pub(super) transitions: &'a [Transitions],
    /// The probability of having no link.
    pub(super) unlinked: f64,
}

impl Hmm {
    /// Adds the expected counts of a sentence pair, and returns the logarithm of its probability.
    pub(super) fn expect(
        &mut self,
        model: HmmParameters<'_>,
        source: &[u32],
        target: &[u32],
        jumps: &mut JumpCounts,
    ) -> f64 {
        self.look_up(model.table, source, target);
        self.fill_forward(model, source.len(), target.len());
        self.backward.clear();
        self.backward.resize(self.num_places, 1.0);
        for index in (0..target.len()).rev() {
            self.step_back(model, source.len(), index, jumps);
        }
        self.scales.iter().map(|scale| scale.ln()).sum()
    }

    fn look_up(&mut self, table: &TranslationTable, source: &[u32], target: &[u32]) {
        self.num_places = source.len() + 1;
        self.cells.clear();
        for &word in target {
            self.cells.extend(source.iter().map(|&other| table.cell(other, word)));
            self.cells.push(table.cell(table.empty_word(), word));
        }
    }

    fn fill_forward(&mut self, model: HmmParameters<'_>, num_source: usize, num_target: usize) {
        let num_places = self.num_places;
        let transitions = &model.transitions[num_source];
        self.forward.clear();
        self.forward.resize((num_target + 1) * num_places, 0.0);
        self.forward[0] = 1.0;
        self.scales.clear();
        for index in 0..num_target {
            let (before, after) = self.forward.split_at_mut((index + 1) * num_places);
            let (before, after) = (&before[index * num_places..], &mut after[..num_places]);
            for (place, &mass) in before.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
                let words = after[1..].iter_mut().zip(transitions.from(place));
                words.for_each(|(sum, probability)| *sum += mass * probability);
            }
            let cells = &self.cells[index * num_places..][..num_places];
            for (word, sum) in after[1..].iter_mut().enumerate() {
                *sum *= (1.0 - model.unlinked) * model.table.probability(cells[word]);
            }
            let empty = model.unlinked * model.table.probability(cells[num_source]);
            after.iter_mut().zip(before).for_each(|(sum, mass)| *sum += empty * mass);
            let scale: f64 = after.iter().sum();
            after.iter_mut().for_each(|mass| *mass /= scale);
            self.scales.push(scale);
        }
    }

    /// Counts how a target word came about, and carries the backward probabilities over it.
    fn step_back(
        &mut self,
        model: HmmParameters<'_>,
        num_source: usize,
        index: usize,
        jumps: &mut JumpCounts,
    ) {
        let transitions = &model.transitions[num_source];
        let before = &self.forward[index * self.num_places..][..self.num_places];
        let cells = &self.cells[index * self.num_places..][..self.num_places];
        let scale = self.scales[index];
        let empty = model.unlinked * model.table.probability(cells[num_source]) / scale;
        self.next_backward.clear();
        self.next_backward.extend(self.backward.iter().map(|after| empty * after));
        let unlinked: f64 = before.iter().zip(&self.next_backward).map(|(mass, after)| mass * after).sum();
        model.table.add(cells[num_source], unlinked);
        for (word, &cell) in cells[..num_source].iter().enumerate() {
            let emission = (1.0 - model.unlinked) * model.table.probability(cell) / scale;
            let after = emission * self.backward[word + 1];
            let mut linked = 0.0;
            for (place, &mass) in before.iter().enumerate() {
                let probability = transitions.from(place)[word] * after;
                self.next_backward[place] += probability;
                if mass > 0.0 {
                    jumps.add(transitions, place, word, mass * probability);
                    linked += mass * probability;
                }
            }
            model.table.add(cell, linked);
        }
        std::mem::swap(&mut self.backward, &mut self.next_backward);
    }

    /// The most probable links: for each target word its source word, or none. Of equals, a link is better than
    /// none, and an earlier place than a later one.
    pub(super) fn best(
        &mut self,
        model: HmmParameters<'_>,
        source: &[u32],
        target: &[u32],
    ) -> Vec<Option<u32>> {
        self.look_up(model.table, source, target);
        self.best_places.clear();
        let mut before = vec![0.0; self.num_places];
        before[0] = 1.0;
        for index in 0..target.len() {
            before = self.best_step(model, source.len(), index, &before);
        }
        self.trace(target.len(), &before)
    }

    fn best_step(
        &mut self,
        model: HmmParameters<'_>,
        num_source: usize,
        index: usize,
        before: &[f64],
    ) -> Vec<f64> {
        let transitions = &model.transitions[num_source];
        let cells = &self.cells[index * self.num_places..][..self.num_places];
        let empty = model.unlinked * model.table.probability(cells[num_source]);
        let mut after: Vec<f64> = before.iter().map(|mass| empty * mass).collect();
        let mut places = vec![UNLINKED; self.num_places];
        for word in 0..num_source {
            let scores = before.iter().enumerate().map(|(place, &mass)| mass * transitions.from(place)[word]);
            let (place, best) = first_best(scores);
            let score = best * (1.0 - model.unlinked) * model.table.probability(cells[word]);
            if score >= after[word + 1] {
                (after[word + 1], places[word + 1]) = (score, place as u32);
            }
        }
        self.best_places.extend(places);
        let most = after.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        after.iter_mut().for_each(|mass| *mass /= most);
        after
    }

    fn trace(&self, num_target: usize, last: &[f64]) -> Vec<Option<u32>> {
        let mut place = first_best(last.iter().copied()).0 as u32;
        let mut links = vec![None; num_target];
        for index in (0..num_target).rev() {
            let before = self.best_places[index * self.num_places + place as usize];
            if before != UNLINKED {
                links[index] = Some(place - 1);
                place = before;
            }
        }
        links
    }
}

#[cfg(test)]
mod tests {
    use super::super::bitext::IdRows;
    use super::super::dirichlet::Prior;
    use super::super::jumps::Jumps;
    use super::*;

    const UNLINKED_SHARE: f64 = 0.25;

    /// A table with uneven probabilities over two source words and three target words.
    fn table() -> TranslationTable {
        let mut sentences = [IdRows::default(), IdRows::default()];
        sentences[0].push([0, 1]);
        sentences[1].push([0, 1, 2]);
        let mut table = TranslationTable::uniform(&sentences[0], &sentences[1]);
        for (cell, count) in [0.5, 0.2, 0.3, 0.1, 0.8, 0.1, 0.3, 0.3, 0.4].into_iter().enumerate() {
            table.add(cell, count);
        }
        table.normalize(Prior::new(0.0));
        table
    }

    /// Every alignment of the target, 0 for no link, with its probability.
    fn alignments(
        table: &TranslationTable,
        transitions: &Transitions,
        source: &[u32],
        target: &[u32],
    ) -> Vec<(Vec<usize>, f64)> {
        let mut all = vec![(Vec::new(), 0, 1.0)];
        for &word in target {
            let mut longer = Vec::new();
            for (links, place, probability) in &all {
                let extend = |link: usize| [&links[..], &[link]].concat();
                let empty = table.probability(table.cell(table.empty_word(), word));
                longer.push((extend(0), *place, probability * UNLINKED_SHARE * empty));
                for (index, &other) in source.iter().enumerate() {
                    let step = transitions.from(*place)[index] * table.probability(table.cell(other, word));
                    longer.push((extend(index + 1), index + 1, probability * (1.0 - UNLINKED_SHARE) * step));
                }
            }
            all = longer;
        }
        all.into_iter().map(|(links, _, probability)| (links, probability)).collect()
    }

    #[test]
    fn sums_and_maxima_are_those_of_all_alignments() {
        let mut table = table();
        let jumps = Jumps::new(4, 0.3);
        let all_transitions = jumps.all_transitions();
        let (source, target) = ([1, 0, 1, 1], [2, 0, 1, 1]);
        let transitions = &all_transitions[4];
        let all = alignments(&table, transitions, &source, &target);
        let total: f64 = all.iter().map(|(_, probability)| probability).sum();
        let model = HmmParameters { table: &table, transitions: &all_transitions, unlinked: UNLINKED_SHARE };
        let mut hmm = Hmm::default();
        let log_likelihood = hmm.expect(model, &source, &target, &mut JumpCounts::new(4));
        assert!((log_likelihood - total.ln()).abs() < 1e-12);
        let best = all.iter().max_by(|one, other| one.1.total_cmp(&other.1)).unwrap();
        let found: Vec<usize> = hmm
            .best(model, &source, &target)
            .iter()
            .map(|link| link.map_or(0, |word| word as usize + 1))
            .collect();
        assert_eq!(found, best.0);

        let mut expected = [0.0; 9];
        for (links, probability) in &all {
            for (&link, &word) in links.iter().zip(&target) {
                let row = link.checked_sub(1).map_or(2, |index| source[index]);
                expected[table.cell(row, word)] += probability / total;
            }
        }
        for row in 0..3 {
            let sum: f64 = expected[3 * row..][..3].iter().sum();
            expected[3 * row..][..3].iter_mut().for_each(|count| *count /= sum);
        }
        table.normalize(Prior::new(0.0));
        for (cell, expected) in expected.into_iter().enumerate() {
            assert!((table.probability(cell) - expected).abs() < 1e-6, "{cell}");
        }
    }
}
