//! Reasons in words.

use super::Explainer;
use crate::model::Condition;

impl Explainer<'_> {
    /// What conditions say, for people: what holds, and at most so many of the things that do not.
    pub fn in_words(&self, conditions: &[Condition], max_absent: usize) -> String {
        let name = |condition: &Condition| self.model.layout.name(condition.feature, &self.model.symbols);
        let (present, absent): (Vec<&Condition>, Vec<&Condition>) =
            conditions.iter().partition(|condition| condition.is_active);
        let present: Vec<String> = present.into_iter().map(name).collect();
        let shown: Vec<String> = absent.iter().take(max_absent).map(|condition| name(condition)).collect();
        sentence(&present, &shown, absent.len() - shown.len())
    }
}

fn sentence(present: &[String], absent: &[String], num_more: usize) -> String {
    let mut text = present.join(", and ");
    if !absent.is_empty() {
        text += if text.is_empty() { "it is not so that " } else { ", but not: " };
        text += &absent.join(", or ");
    }
    match (num_more, text.is_empty()) {
        (0, true) => "always".to_owned(),
        (0, false) => text,
        (1, true) => "one thing does not hold".to_owned(),
        (more, true) => format!("none of {more} things holds"),
        (more, false) => format!("{text} (nor {more} more)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_comes_first() {
        let [a, b, c] = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(sentence(&[], &[], 0), "always");
        assert_eq!(sentence(&[a.clone(), b.clone()], &[], 0), "a, and b");
        assert_eq!(sentence(&[a], &[b.clone(), c.clone()], 3), "a, but not: b, or c (nor 3 more)");
        assert_eq!(sentence(&[], &[b], 0), "it is not so that b");
        assert_eq!(sentence(&[], &[], 4), "none of 4 things holds");
    }
}
