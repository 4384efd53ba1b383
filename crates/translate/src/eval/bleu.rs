//! BLEU (Papineni et al. 2002) as sacreBLEU (Post 2018) counts it: over the corpus, up to four words, one reference,
//! tokenised by `mteval-v13a`, n-grams without a match smoothed exponentially. `scripts/compare_bleu.py` compares.

use rustc_hash::FxHashMap;

/// The longest n-grams.
const MAX_ORDER: usize = 4;

/// The n-grams of a corpus and how many of them are in the references.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bleu {
    matched: [u64; MAX_ORDER],
    total: [u64; MAX_ORDER],
    candidate: u64,
    reference: u64,
}

impl Bleu {
    /// Adds a sentence, tokenised.
    pub fn add<W: AsRef<str>>(&mut self, candidate: &[W], reference: &[W]) {
        let words = |sentence: &[W]| -> Vec<String> {
            sentence.iter().map(|word| word.as_ref().to_owned()).collect()
        };
        let (candidate, reference) = (words(candidate), words(reference));
        self.candidate += candidate.len() as u64;
        self.reference += reference.len() as u64;
        for order in 1..=MAX_ORDER {
            let mut counts: FxHashMap<&[String], u64> = FxHashMap::default();
            reference.windows(order).for_each(|gram| *counts.entry(gram).or_default() += 1);
            for gram in candidate.windows(order) {
                self.total[order - 1] += 1;
                if let Some(count) = counts.get_mut(gram).filter(|count| **count > 0) {
                    *count -= 1;
                    self.matched[order - 1] += 1;
                }
            }
        }
    }

    /// Adds a sentence of running text.
    pub fn add_text(&mut self, candidate: &str, reference: &str) {
        self.add(&tokenize_13a(candidate), &tokenize_13a(reference));
    }

    /// The score, from 0 to 100.
    pub fn score(&self) -> f64 {
        if self.total.contains(&0) || self.matched[0] == 0 {
            return 0.0;
        }
        let mut smoothing = 1.0;
        let mut log_precision = 0.0;
        for (&matched, &total) in self.matched.iter().zip(&self.total) {
            let precision = if matched > 0 {
                matched as f64 / total as f64
            } else {
                smoothing *= 2.0;
                1.0 / (smoothing * total as f64)
            };
            log_precision += precision.ln() / MAX_ORDER as f64;
        }
        100.0 * self.brevity() * log_precision.exp()
    }

    /// What the score is multiplied by because the translation is shorter than the reference.
    pub fn brevity(&self) -> f64 {
        if self.candidate >= self.reference || self.candidate == 0 {
            return 1.0;
        }
        (1.0 - self.reference as f64 / self.candidate as f64).exp()
    }
}

/// The tokens of `mteval-v13a`.
pub fn tokenize_13a(text: &str) -> Vec<String> {
    let mut text = text.trim_end().replace("<skipped>", "").replace("-\n", "").replace('\n', " ");
    for (entity, character) in [("&quot;", "\""), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")] {
        text = text.replace(entity, character);
    }
    let text = separate_symbols(&format!(" {text} "));
    let is_stop = |c: char| c == '.' || c == ',';
    let is_digit = |c: char| c.is_ascii_digit();
    let text =
        replace_pairs(&text, |one, two| !is_digit(one) && is_stop(two), |one, two| [one, ' ', two, ' ']);
    let text =
        replace_pairs(&text, |one, two| is_stop(one) && !is_digit(two), |one, two| [' ', one, ' ', two]);
    let text = replace_pairs(&text, |one, two| is_digit(one) && two == '-', |one, two| [one, ' ', two, ' ']);
    text.split_whitespace().map(str::to_owned).collect()
}

fn separate_symbols(text: &str) -> String {
    let mut separated = String::new();
    for c in text.chars() {
        match c {
            '{'..='~' | '['..='`' | ' '..='&' | '('..='+' | ':'..='@' | '/' => {
                separated.extend([' ', c, ' ']);
            }
            _ => separated.push(c),
        }
    }
    separated
}

/// Replaces pairs of characters from left to right, none overlapping another.
fn replace_pairs(
    text: &str,
    is_pair: impl Fn(char, char) -> bool,
    replace: impl Fn(char, char) -> [char; 4],
) -> String {
    let mut replaced = String::new();
    let mut characters = text.chars().peekable();
    while let Some(one) = characters.next() {
        match characters.next_if(|&two| is_pair(one, two)) {
            Some(two) => replaced.extend(replace(one, two)),
            None => replaced.push(one),
        }
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_those_of_mteval() {
        for (text, tokens) in [
            ("Hello, world! 3.5-inch, 1,000. \"U.S.\"", "Hello , world ! 3.5 - inch , 1,000 . \" U . S . \""),
            ("L'homme (seul) &amp; 5%/an", "L'homme ( seul ) & 5 % / an"),
            ("", ""),
        ] {
            assert_eq!(tokenize_13a(text).join(" "), tokens);
        }
    }

    #[test]
    fn a_translation_that_is_the_reference_scores_100() {
        let mut bleu = Bleu::default();
        bleu.add_text("un chien blanc court .", "un chien blanc court .");
        assert!((bleu.score() - 100.0).abs() < 1e-9);
        assert_eq!(Bleu::default().score(), 0.0);
    }

    /// By hand: 5 of 6 words, 3 of 5 pairs, 1 of 4 triples, none of 3 quadruples (half of one for smoothing), and as
    /// long.
    #[test]
    fn missing_orders_are_smoothed() {
        let mut bleu = Bleu::default();
        bleu.add_text("the cat sat on a mat", "the cat is on a mat");
        assert_eq!((bleu.matched, bleu.total), ([5, 3, 1, 0], [6, 5, 4, 3]));
        let expected = 100.0 * (5.0 / 6.0 * 3.0 / 5.0 * 1.0 / 4.0 * 0.5 / 3.0_f64).powf(0.25);
        assert!((bleu.score() - expected).abs() < 1e-9);
    }

    #[test]
    fn short_translations_are_penalised() {
        let mut bleu = Bleu::default();
        bleu.add_text("a b c d", "a b c d e");
        assert!((bleu.score() - 100.0 * (-0.25f64).exp()).abs() < 1e-9);
    }
}
