//! Scores as JSON, for programs.

use serde_json::{Value, json};

use super::{Brackets, Figures, SentenceScore, Tally, Verdict};

/// The sums over some sentences.
pub fn tally(tally: &Tally) -> Value {
    json!({
        "sentences": tally.num_sentences(),
        "errors": tally.lost.sentences,
        "no_words": tally.no_words,
        "mistagged": tally.mistagged,
        "strict": figures(&tally.strict()),
        "without_errors": figures(&tally.scored),
        "crossing": tally.scored.mean_crossing(),
        "no_crossing": tally.scored.without_crossing(),
        "few_crossing": tally.scored.with_few_crossing(),
    })
}

fn figures(figures: &Figures) -> Value {
    json!({
        "labeled": brackets(&figures.labeled),
        "unlabeled": brackets(&figures.unlabeled),
        "sentence_f1": figures.mean_f1(),
        "exact": figures.exact_match(),
        "tagging": figures.tag_accuracy(),
        "words": figures.words,
    })
}

/// Labelled brackets, and what they amount to in percent.
pub fn brackets(brackets: &Brackets) -> Value {
    json!({
        "precision": brackets.precision(),
        "recall": brackets.recall(),
        "f1": brackets.f1(),
        "matched": brackets.matched,
        "gold": brackets.gold,
        "test": brackets.test,
    })
}

/// The score of a sentence, whose number counts from 1.
pub fn sentence(number: u64, score: &SentenceScore) -> Value {
    let mut object = json!({
        "sentence": number,
        "length": score.length,
        "status": score.verdict.name(),
        "mistagged": score.mistagged,
        "matched": score.counts.matched,
        "gold": score.counts.gold,
        "test": score.counts.test,
        "unlabeled": score.unlabeled,
        "crossing": score.crossing,
        "words": score.words,
        "tags": score.tags,
        "f1": score.f1(),
    });
    if let Verdict::Error(why) = &score.verdict {
        object["error"] = json!(why.to_string());
    }
    object
}
