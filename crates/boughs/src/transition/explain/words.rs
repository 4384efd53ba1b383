//! Reasons in words.

use super::Explainer;
use crate::model::Condition;

impl Explainer<'_> {
    /// What a part of a score is due to, for people: what holds, and at most so many of the things that do not. Where
    /// nothing holds, it is `by default`.
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
    if present.is_empty() {
        return "by default".to_owned();
    }
    let mut text = present.join(", and ");
    if !absent.is_empty() {
        text += ", but not: ";
        text += &absent.join(", or ");
    }
    match num_more {
        0 => text,
        more => format!("{text} (nor {more} more)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_comes_first() {
        let [a, b, c] = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(sentence(&[], &[], 0), "by default");
        assert_eq!(sentence(&[a.clone(), b.clone()], &[], 0), "a, and b");
        assert_eq!(sentence(std::slice::from_ref(&a), &[b, c], 3), "a, but not: b, or c (nor 3 more)");
        assert_eq!(sentence(&[a], &[], 1), "a (nor 1 more)");
    }
}
