//! Reading rule files; the format is in the [module documentation](super).

use std::collections::hash_map::Entry;
use std::str::FromStr;

use rustc_hash::FxHashMap;

use super::{Coordination, HeadRules, HeadSearch, HeadSide, HeadStep, Rule, Wanted};
use crate::error::{Error, Result, syntax};
use crate::tree::rule_text::for_each_line;

const STEPS: [(&str, HeadSearch, HeadSide); 6] = [
    ("left", HeadSearch::Priority, HeadSide::Left),
    ("right", HeadSearch::Priority, HeadSide::Right),
    ("leftmost", HeadSearch::Nearest, HeadSide::Left),
    ("rightmost", HeadSearch::Nearest, HeadSide::Right),
    ("first", HeadSearch::Edge, HeadSide::Left),
    ("last", HeadSearch::Edge, HeadSide::Right),
];
const STEP_NAMES: &str =
    "a step is `left`, `right`, `leftmost`, `rightmost`, `first` or `last` and a list of labels";

impl FromStr for HeadRules {
    type Err = Error;

    /// Reads rules in the [text format](super).
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`](crate::ErrorKind::Syntax) with the line, what was expected there and what was found.
    fn from_str(text: &str) -> Result<Self> {
        let mut parser = HeadRuleParser::default();
        for_each_line(text, |number, line| parser.line(number, line))?;
        parser.finish()
    }
}

#[derive(Default)]
struct HeadRuleParser {
    /// By label, and the default; each with its line.
    rules: FxHashMap<Option<Box<str>>, (u64, Rule)>,
    skip: Option<Vec<Box<str>>>,
    coordination: Option<Coordination>,
    /// The rule that indented lines continue.
    open: Option<HeadRuleBlock>,
}

struct HeadRuleBlock {
    line: u64,
    /// Labels, or none for the default.
    parents: Vec<Option<Box<str>>>,
    rule: Rule,
}

impl HeadRuleParser {
    fn line(&mut self, number: u64, line: &str) -> Result<()> {
        let words: Vec<&str> = line.split_whitespace().collect();
        if line.starts_with(char::is_whitespace) {
            return self.next_step(&words);
        }
        self.close_block()?;
        match words[0] {
            "skip" => {
                self.skip.get_or_insert_default().extend(labels(&words[1..]));
                Ok(())
            }
            "coordination" => self.coordination(&words[1..]),
            _ => self.open_block(number, &words),
        }
    }

    fn next_step(&mut self, words: &[&str]) -> Result<()> {
        let Some(block) = &mut self.open else {
            return Err(syntax("a step without parents")
                .hint("indented lines continue a rule; start the rule with its parents, not indented"));
        };
        block.rule.push(step(words)?);
        Ok(())
    }

    fn open_block(&mut self, line: u64, words: &[&str]) -> Result<()> {
        let num_parents = words.iter().position(|word| is_step(word)).unwrap_or(words.len());
        let (parents, first_step) = words.split_at(num_parents);
        if parents.is_empty() {
            return Err(syntax(format!("expected the label of a parent, found the step `{}`", words[0]))
                .hint("indent it if it continues a rule; a label is written after a backslash, `\\left`"));
        }
        let parents = parents.iter().map(|word| (*word != "default").then(|| label(word))).collect();
        let rule = if first_step.is_empty() { Rule::new() } else { vec![step(first_step)?] };
        self.open = Some(HeadRuleBlock { line, parents, rule });
        Ok(())
    }

    fn close_block(&mut self) -> Result<()> {
        let Some(HeadRuleBlock { line, parents, rule }) = self.open.take() else { return Ok(()) };
        if rule.is_empty() {
            let parents: Vec<&str> = parents.iter().map(name_of).collect();
            return Err(syntax(format!("expected a step for `{}`, found none", parents.join(" ")))
                .hint(STEP_NAMES)
                .at_line(line));
        }
        for parent in parents {
            match self.rules.entry(parent) {
                Entry::Occupied(first) => {
                    return Err(second_rule(name_of(first.key()), first.get().0).at_line(line));
                }
                Entry::Vacant(place) => _ = place.insert((line, rule.clone())),
            }
        }
        Ok(())
    }

    fn coordination(&mut self, words: &[&str]) -> Result<()> {
        let mut parts = words.splitn(2, |word| *word == "except");
        let conjunctions = labels(parts.next().unwrap_or_default());
        if conjunctions.is_empty() {
            return Err(syntax("expected the labels of conjunctions after `coordination`, found none")
                .hint("as in `coordination CC except NX`"));
        }
        if self.coordination.is_some() {
            return Err(syntax("a second line `coordination`").hint("put all conjunctions into one line"));
        }
        let except = labels(parts.next().unwrap_or_default());
        self.coordination = Some(Coordination { conjunctions, except });
        Ok(())
    }

    fn finish(mut self) -> Result<HeadRules> {
        self.close_block()?;
        let default = self.rules.remove(&None).map(|(_, rule)| rule);
        let default = default.unwrap_or_else(|| HeadRules::default_for_any_language().default);
        let rules = self.rules.into_iter().filter_map(|(label, (_, rule))| Some((label?, rule))).collect();
        Ok(HeadRules { rules, default, coordination: self.coordination, skip: self.skip })
    }
}

fn name_of(parent: &Option<Box<str>>) -> &str {
    parent.as_deref().unwrap_or("default")
}

fn is_step(word: &str) -> bool {
    STEPS.iter().any(|(name, ..)| *name == word)
}

fn step(words: &[&str]) -> Result<HeadStep> {
    let (word, list) = words.split_first().map_or(("", words), |(word, list)| (*word, list));
    let Some(&(_, search, from)) = STEPS.iter().find(|(name, ..)| *name == word) else {
        return Err(syntax(format!("expected a step, found `{word}`")).hint(STEP_NAMES));
    };
    if search == HeadSearch::Nearest && list.is_empty() {
        return Err(syntax(format!("expected labels after `{word}`, found none"))
            .hint("`*` stands for any child but punctuation; `first` and `last` need no labels"));
    }
    if let Some(other) = list.iter().find(|word| is_step(word)) {
        return Err(syntax(format!("expected a label, found the step `{other}`"))
            .hint("every step needs a line of its own, indented; a label is written after a backslash"));
    }
    Ok(HeadStep { search, from, list: list.iter().map(|word| wanted(word)).collect() })
}

fn wanted(word: &str) -> Wanted {
    match word {
        "*" => Wanted::NotSkipped,
        "=" => Wanted::LabelOfParent,
        _ if word.ends_with('*') && !word.starts_with('\\') => {
            Wanted::Beginning(word[..word.len() - 1].into())
        }
        _ => Wanted::Label(label(word)),
    }
}

fn label(word: &str) -> Box<str> {
    word.strip_prefix('\\').unwrap_or(word).into()
}

fn labels(words: &[&str]) -> Vec<Box<str>> {
    words.iter().map(|word| label(word)).collect()
}

fn second_rule(label: &str, first: u64) -> Error {
    syntax(format!("a second rule for `{label}`; the first is at line {first}"))
        .hint("a rule may have several steps: put them below its parents, indented")
}

#[cfg(test)]
mod tests {
    use super::super::HeadCandidate;
    use super::*;

    fn error(text: &str) -> String {
        text.parse::<HeadRules>().expect_err("a fault").to_string()
    }

    fn head(rules: &str, parent: &str, children: &[&str]) -> usize {
        let rules: HeadRules = rules.parse().expect("rules");
        let children: Vec<_> = children.iter().map(|label| HeadCandidate::token("w", label)).collect();
        rules.head_index(parent, &children)
    }

    #[test]
    fn faults_name_line_and_remedy() {
        for (text, start, hint) in [
            ("NP left A\nVP lft A\n", "line 2: expected a step for `VP lft A`, found none", "`leftmost`"),
            ("NP\n  lft A\n", "line 2: expected a step, found `lft`", "`leftmost`"),
            ("# c\n\n  left A\n", "line 3: a step without parents", "not indented"),
            ("NP left A\nNP right B", "line 2: a second rule for `NP`; the first is at line 1", "indented"),
            ("default left\ndefault left", "line 2: a second rule for `default`", "indented"),
            ("left A B", "line 1: expected the label of a parent, found the step `left`", "`\\left`"),
            ("NP left A right B", "line 1: expected a label, found the step `right`", "line of its own"),
            ("NP leftmost", "line 1: expected labels after `leftmost`, found none", "`*`"),
            ("coordination", "line 1: expected the labels of conjunctions", "except"),
            ("coordination except NX", "line 1: expected the labels of conjunctions", "except"),
            ("coordination A\ncoordination B", "line 2: a second line `coordination`", "one line"),
        ] {
            let error = error(text);
            assert!(error.starts_with(start) && error.contains(hint), "{text:?}: {error}");
        }
    }

    #[test]
    fn every_kind_of_step() {
        let children = ["C", "B", "A", "B", "A", "C"];
        for (rule, expected) in [
            ("left A B", 2),
            ("right A B", 4),
            ("leftmost A B", 1),
            ("rightmost A B", 4),
            ("first A", 0),
            ("last A", 5),
            ("last", 5),
            ("left Z", 0),
            ("right", 5),
        ] {
            assert_eq!(head(&format!("X {rule}"), "X", &children), expected, "{rule}");
        }
        assert_eq!(head("X first A\n  last B\n  leftmost B", "X", &children), 1);
    }

    #[test]
    fn backslash_and_wildcards() {
        assert_eq!(head("X leftmost \\*", "X", &["a", "*"]), 1);
        assert_eq!(head("X leftmost *", "X", &["a", "*"]), 0);
        assert_eq!(head("\\left \\default right", "left", &["a", "b"]), 1);
        assert_eq!(head("skip a\nX left b", "X", &["a", "c"]), 1);
        assert_eq!(head("skip a c\nX left b", "X", &["a", "c"]), 0);
    }

    #[test]
    fn windows_text_is_read() {
        assert_eq!(head("\u{FEFF}# c\r\nX\r\n\tlast\r\n", "X", &["a", "b"]), 1);
    }
}
