//! Looking for what is wrong, or odd, in a treebank, before a parser is trained on it.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::tree::profile::Profile;
use crate::tree::transform::repeats_in_chain;
use crate::tree::{Node, TRACE_TAG, Token, Tree, base_label};

/// What kind of thing was found. The order is that of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FindingKind {
    /// A tree without tokens.
    EmptyTree,
    /// A phrase other than the root without a label.
    EmptyLabel,
    /// A token without a part of speech.
    MissingTag,
    /// A phrase above a phrase with the same label and span.
    UnaryCycle,
    /// A trace whose index no phrase of its tree carries.
    DanglingTrace,
    /// A sentence that the other treebank has too.
    Overlap,
    /// A sentence that occurred before.
    Duplicate,
    /// A word with a control character, such as a line end or NUL.
    ControlCharacter,
    /// A token of several words, as in `(NN New York)`.
    BlankInWord,
    /// A name that stands for phrases and for parts of speech.
    LabelIsTag,
    /// A label or tag of unusual form, such as one in lower case.
    OddLabel,
    /// A label that occurs once in a large treebank.
    RareLabel,
    /// Another root convention than most trees have.
    OtherRoot,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// To be fixed, or to be known about, before training or testing.
    Problem,
    /// Worth a look.
    Note,
}

impl FindingKind {
    /// How bad it is.
    pub fn severity(self) -> Severity {
        use FindingKind::{DanglingTrace, EmptyLabel, EmptyTree, MissingTag, Overlap, UnaryCycle};
        match self {
            EmptyTree | EmptyLabel | MissingTag | UnaryCycle | DanglingTrace | Overlap => Severity::Problem,
            _ => Severity::Note,
        }
    }

    /// What it is called in a report, in the plural.
    pub fn title(self) -> &'static str {
        match self {
            Self::EmptyTree => "trees without tokens",
            Self::EmptyLabel => "phrases without a label",
            Self::MissingTag => "tokens without a part of speech",
            Self::UnaryCycle => "phrases above themselves",
            Self::DanglingTrace => "traces without an antecedent",
            Self::Overlap => "sentences that the other treebank has too",
            Self::Duplicate => "sentences that occurred before",
            Self::ControlCharacter => "words with control characters",
            Self::BlankInWord => "tokens with a blank",
            Self::LabelIsTag => "names of both phrases and parts of speech",
            Self::OddLabel => "labels and tags of unusual form",
            Self::RareLabel => "labels that occur once",
            Self::OtherRoot => "trees with another root than most",
        }
    }
}

/// One thing found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What kind it is.
    pub kind: FindingKind,
    /// The file.
    pub file: String,
    /// The number of the tree within the file, from 1.
    pub tree: u64,
    /// What was found there.
    pub detail: String,
}

/// All that was found.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    kept: BTreeMap<FindingKind, Vec<Finding>>,
    counts: BTreeMap<FindingKind, u64>,
}

impl Findings {
    /// The kinds found, with how often and the first findings of each.
    pub fn by_kind(&self) -> impl Iterator<Item = (FindingKind, u64, &[Finding])> {
        self.counts.iter().map(|(&kind, &count)| (kind, count, self.kept[&kind].as_slice()))
    }

    /// How often a kind was found.
    pub fn count(&self, kind: FindingKind) -> u64 {
        self.counts.get(&kind).copied().unwrap_or(0)
    }

    /// Whether anything found is a problem.
    pub fn has_problems(&self) -> bool {
        self.counts.keys().any(|kind| kind.severity() == Severity::Problem)
    }
}

/// In a treebank of at least this many phrases a label that occurs once is worth a look.
const LARGE: u64 = 1000;

/// Checks a treebank tree by tree. Memory: some bytes a sentence (to know duplicates by their hash), the labels, and
/// the findings kept.
#[derive(Debug, Default)]
pub struct Checker {
    most: usize,
    profile: Profile,
    findings: Findings,
    other: FxHashMap<u64, FirstSeen>,
    seen: FxHashMap<u64, FirstSeen>,
    files: Vec<String>,
    labels: BTreeMap<String, Usage>,
    /// By the root's label; none for a tree without a root.
    roots: BTreeMap<Option<String>, Uses>,
    num_phrases: u64,
}

/// Where a sentence was first seen.
#[derive(Debug, Clone, Copy)]
struct FirstSeen {
    file: u32,
    tree: u64,
}

/// How a name was used.
#[derive(Debug, Default)]
struct Usage {
    phrases: Uses,
    tokens: Uses,
}

/// How often, and where first.
#[derive(Debug, Clone, Copy, Default)]
struct Uses {
    count: u64,
    first: Option<FirstSeen>,
}

impl Uses {
    fn add(&mut self, place: FirstSeen) {
        self.count += 1;
        self.first.get_or_insert(place);
    }
}

impl Checker {
    /// A checker that keeps at most `most` findings of a kind; all are counted.
    pub fn new(most: usize) -> Self {
        Self { most, ..Self::default() }
    }

    /// The same for a treebank of a profile, whose names are not odd.
    #[must_use]
    pub fn with_profile(self, profile: Profile) -> Self {
        Self { profile, ..self }
    }

    /// Adds a tree of the other treebank, whose sentences must not occur in this one.
    pub fn add_other(&mut self, tree: &Tree, file: &str, number: u64) {
        let place = self.place(file, number);
        if let Some(hash) = sentence_hash(tree) {
            self.other.entry(hash).or_insert(place);
        }
    }

    /// Checks a tree.
    pub fn add(&mut self, tree: &Tree, file: &str, number: u64) {
        let place = self.place(file, number);
        if tree.is_empty() {
            self.found(FindingKind::EmptyTree, place, String::new());
            return;
        }
        self.check_sentence(tree, place);
        self.check_tokens(tree, place);
        self.check_phrases(tree, place);
        self.check_traces(tree, place);
    }

    /// Adds what only the whole treebank shows, and returns everything found.
    pub fn finish(mut self) -> Findings {
        for (label, usage) in std::mem::take(&mut self.labels) {
            self.check_label(&label, &usage);
        }
        self.check_roots();
        self.findings
    }

    fn place(&mut self, file: &str, tree: u64) -> FirstSeen {
        if self.files.last().is_none_or(|last| last != file) {
            self.files.push(file.to_owned());
        }
        FirstSeen { file: self.files.len() as u32 - 1, tree }
    }

    fn found(&mut self, kind: FindingKind, place: FirstSeen, detail: String) {
        *self.findings.counts.entry(kind).or_default() += 1;
        let kept = self.findings.kept.entry(kind).or_default();
        if kept.len() < self.most {
            let file = self.files[place.file as usize].clone();
            kept.push(Finding { kind, file, tree: place.tree, detail });
        }
    }

    fn check_sentence(&mut self, tree: &Tree, place: FirstSeen) {
        let Some(hash) = sentence_hash(tree) else { return };
        if let Some(&other) = self.other.get(&hash) {
            self.found(FindingKind::Overlap, place, self.same_as(other));
        }
        match self.seen.get(&hash) {
            Some(&first) => self.found(FindingKind::Duplicate, place, self.same_as(first)),
            None => {
                self.seen.insert(hash, place);
            }
        }
    }

    fn same_as(&self, other: FirstSeen) -> String {
        format!("as {} tree {}", self.files[other.file as usize], other.tree)
    }

    fn check_tokens(&mut self, tree: &Tree, place: FirstSeen) {
        for token in tree.tokens() {
            if token.tag.is_empty() {
                self.found(FindingKind::MissingTag, place, quoted(token.word));
            } else {
                self.labels.entry(token.tag.to_owned()).or_default().tokens.add(place);
            }
            if token.word.contains(char::is_control) {
                self.found(FindingKind::ControlCharacter, place, quoted(token.word));
            } else if token.word.contains(char::is_whitespace) {
                self.found(FindingKind::BlankInWord, place, quoted(token.word));
            }
        }
    }

    fn check_phrases(&mut self, tree: &Tree, place: FirstSeen) {
        let root = tree.root().filter(|_| tree.has_root());
        self.roots.entry(root.map(|root| root.label.to_owned())).or_default().add(place);
        for node in tree.nodes().skip(root.iter().len()) {
            self.num_phrases += 1;
            match node.label {
                "" => self.found(FindingKind::EmptyLabel, place, quote(tree, node)),
                label => self.labels.entry(base_label(label).to_owned()).or_default().phrases.add(place),
            }
        }
        let repeats = repeats_in_chain(tree, base_label);
        for node in tree.nodes().filter(|node| repeats[node.id.index()]) {
            let detail = format!("{} in {}", visible(node.label), quote(tree, node));
            self.found(FindingKind::UnaryCycle, place, detail);
        }
    }

    fn check_traces(&mut self, tree: &Tree, place: FirstSeen) {
        let is_indexed = |token: &Token<'_>| token.tag == TRACE_TAG && trace_index(token.word).is_some();
        if !tree.tokens().any(|token| is_indexed(&token)) {
            return;
        }
        let carried: FxHashSet<&str> =
            tree.nodes().flat_map(|node| node.label.split(['-', '=']).skip(1)).collect();
        for token in tree.tokens().filter(is_indexed) {
            if trace_index(token.word).is_some_and(|index| !carried.contains(index)) {
                self.found(FindingKind::DanglingTrace, place, quoted(token.word));
            }
        }
    }

    /// Whether treebanks of the profile have names of this form. Only those of the Penn Treebank are all in capitals.
    fn is_usual(&self, name: &str) -> bool {
        let is_ordinary = |c: char| c.is_alphanumeric() || "._-*‧".contains(c);
        let is_word = name.starts_with(char::is_alphabetic) && name.chars().all(is_ordinary);
        !self.profile.is_default() && (is_word || self.profile.knows(name))
    }

    fn check_label(&mut self, label: &str, usage: &Usage) {
        self.check_both_uses(label, usage);
        if let (count, Some(place)) = (usage.tokens.count, usage.tokens.first)
            && is_odd_tag(label)
            && !self.is_usual(label)
        {
            self.found(FindingKind::OddLabel, place, format!("tag {}, {}", quoted(label), times(count)));
        }
        let Uses { count, first: Some(place) } = usage.phrases else { return };
        if is_odd_label(label) && !self.is_usual(label) {
            self.found(FindingKind::OddLabel, place, format!("{}, {}", quoted(label), times(count)));
        } else if count == 1 && self.num_phrases >= LARGE {
            self.found(FindingKind::RareLabel, place, quoted(label));
        }
    }

    /// The place is that of the rarer use, which more likely is the wrong one.
    fn check_both_uses(&mut self, label: &str, usage: &Usage) {
        let Usage { phrases, tokens } = usage;
        let rarer = if phrases.count < tokens.count { phrases } else { tokens };
        if let (Some(_), Some(_), Some(place)) = (phrases.first, tokens.first, rarer.first) {
            let (phrases, tokens) = (counted(phrases.count, "phrase"), counted(tokens.count, "token"));
            self.found(FindingKind::LabelIsTag, place, format!("{}: {phrases}, {tokens}", quoted(label)));
        }
    }

    fn check_roots(&mut self) {
        let roots = std::mem::take(&mut self.roots);
        // Among equally frequent conventions the first in order of label is taken for the usual one.
        let most = roots.values().map(|uses| uses.count).max();
        let Some((usual, _)) = roots.iter().find(|(_, uses)| Some(uses.count) == most) else { return };
        for (root, uses) in roots.iter().filter(|(root, _)| *root != usual) {
            if let Some(place) = uses.first {
                let (other, usual) = (root_name(root.as_deref()), root_name(usual.as_deref()));
                let detail = format!("{other}, {}; most have {usual}", times(uses.count));
                self.found(FindingKind::OtherRoot, place, detail);
            }
        }
    }
}

fn root_name(label: Option<&str>) -> String {
    match label {
        None => "no root".to_owned(),
        Some("") => "an empty root".to_owned(),
        Some(label) => format!("root {}", visible(label)),
    }
}

/// A 64-bit hash of the words; none for a sentence without any. Two sentences of a million collide with probability
/// 1e-8.
fn sentence_hash(tree: &Tree) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    let mut is_empty = true;
    for token in tree.tokens().filter(|token| token.tag != TRACE_TAG) {
        token.word.hash(&mut hasher);
        is_empty = false;
    }
    (!is_empty).then(|| hasher.finish())
}

/// The `2` of the trace `*T*-2`.
fn trace_index(word: &str) -> Option<&str> {
    let (star, index) = word.rsplit_once('-')?;
    let is_index = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    (is_index && star.starts_with('*')).then_some(index)
}

fn is_odd_label(label: &str) -> bool {
    let first = label.chars().next();
    !first.is_some_and(char::is_alphabetic) || has_odd_character(label)
}

/// Tags of punctuation may begin with anything but a digit: `.`, `-LRB-`, `$,`.
fn is_odd_tag(tag: &str) -> bool {
    tag.starts_with(|c: char| c.is_ascii_digit()) || has_odd_character(tag)
}

fn has_odd_character(name: &str) -> bool {
    name.contains(|c: char| c.is_lowercase() || c.is_whitespace() || c.is_control())
}

/// The first words of a phrase.
fn quote(tree: &Tree, node: Node<'_>) -> String {
    const MOST: usize = 6;
    let words: Vec<&str> =
        tree.words().skip(node.span.start as usize).take(node.span.len().min(MOST)).collect();
    let more = if node.span.len() > MOST { " …" } else { "" };
    quoted(&format!("{}{more}", words.join(" ")))
}

fn quoted(text: &str) -> String {
    format!("`{}`", visible(text))
}

/// The text with control characters escaped, so that a terminal shows and does not obey them.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_control() {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
    }
    shown
}

fn times(count: u64) -> String {
    counted(count, "time")
}

fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(trees: &[&str]) -> Findings {
        let mut checker = Checker::new(10);
        for (index, text) in trees.iter().enumerate() {
            checker.add(&text.parse().expect("a tree"), "f", index as u64 + 1);
        }
        checker.finish()
    }

    fn kinds(trees: &[&str]) -> Vec<FindingKind> {
        check(trees).by_kind().map(|(kind, ..)| kind).collect()
    }

    #[test]
    fn a_sound_treebank() {
        let trees = ["( (S (NP-SBJ-1 (NN a)) (VP (VB b) (NP (-NONE- *-1)))))", "( (S (VP (VB go))))"];
        assert_eq!(kinds(&trees), []);
    }

    #[test]
    fn each_kind_by_itself() {
        use FindingKind::{
            BlankInWord, ControlCharacter, DanglingTrace, Duplicate, EmptyLabel, EmptyTree, LabelIsTag,
            MissingTag, OddLabel, OtherRoot, UnaryCycle,
        };
        assert_eq!(kinds(&["()"]), [EmptyTree]);
        assert_eq!(kinds(&["(TOP (S ( (A a)) (A b)))"]), [EmptyLabel]);
        assert_eq!(kinds(&["(TOP (S (_ a)))"]), [MissingTag]);
        assert_eq!(kinds(&["(TOP (NP (S (NP-X (A a)))))"]), [UnaryCycle]);
        assert_eq!(kinds(&["(TOP (S-1 (A a) (-NONE- *T*-2)))"]), [DanglingTrace]);
        assert_eq!(kinds(&["(TOP (S (A a)))", "(TOP (NP (A a)))"]), [Duplicate]);
        assert_eq!(kinds(&["(TOP (S (A New York)))"]), [BlankInWord]);
        assert_eq!(kinds(&["(TOP (S (A a\u{1b}[1m)))"]), [ControlCharacter]);
        assert_eq!(kinds(&["(TOP (S (S a) (B b)))"]), [LabelIsTag]);
        assert_eq!(kinds(&["(TOP (np (A a) (B b)))"]), [OddLabel]);
        assert_eq!(kinds(&["(TOP (S (A a)))", "(TOP (S (A b)))", "(S (A c))"]), [OtherRoot]);
    }

    #[test]
    fn control_characters_are_escaped() {
        let findings = check(&["(TOP (S (A \u{1b}[1mé\u{0})))"]);
        let (_, _, kept) = findings.by_kind().next().expect("a finding");
        assert_eq!(kept[0].detail, r"`\u{1b}[1mé\u{0}`");
    }

    #[test]
    fn names_with_dots_and_small_letters_are_ordinary_in_spanish() {
        let tree: Tree = "(S (sn-SUJ (espec.ms (da0ms0 El)) (grup.nom.ms (ncms000 tren))) (grup.verb (vmis3s0 salió)) (Fp .))"
            .parse()
            .expect("a tree");
        let num_odd = |profile: Profile| {
            let mut checker = Checker::new(9).with_profile(profile);
            checker.add(&tree, "a", 1);
            let findings = checker.finish();
            findings
                .by_kind()
                .filter(|(kind, ..)| *kind == FindingKind::OddLabel)
                .map(|(_, count, _)| count)
                .sum::<u64>()
        };
        assert_eq!(num_odd(Profile::named("spanish-cess").expect("it ships")), 0);
        assert!(num_odd(Profile::default()) > 5);
    }

    #[test]
    fn a_name_of_both_kinds_is_shown_in_its_rarer_use() {
        let findings = check(&["(TOP (S (A a)))", "(TOP (S (A b)))", "(TOP (X (S c) (A d)))"]);
        let (kind, _, kept) = findings.by_kind().next().expect("a finding");
        assert_eq!((kind, kept[0].tree), (FindingKind::LabelIsTag, 3));
        assert_eq!(kept[0].detail, "`S`: 2 phrases, 1 token");
    }

    #[test]
    fn tags_of_unusual_form() {
        let odd = |tag: &str| is_odd_tag(tag);
        assert!(["nn", "Nn", "1", "N\u{a0}N", "a"].into_iter().all(odd));
        let usual =
            [".", ",", ":", "``", "''", "-LRB-", "PRP$", "WP$", "#", "$", "$,", "$(", "$*LRB*", "PROPN"];
        assert!(!usual.into_iter().any(odd));
        assert_eq!(kinds(&["(TOP (S (nn a) (B b)))"]), [FindingKind::OddLabel]);
    }

    #[test]
    fn overlap_names_the_other_place() {
        let mut checker = Checker::new(10);
        let tree: Tree = "(TOP (S (A a)))".parse().expect("a tree");
        checker.add_other(&tree, "train", 7);
        checker.add(&tree, "test", 1);
        let findings = checker.finish();
        let (kind, count, kept) = findings.by_kind().next().expect("a finding");
        assert_eq!((kind, count), (FindingKind::Overlap, 1));
        assert_eq!(kept[0].detail, "as train tree 7");
        assert!(findings.has_problems());
    }

    #[test]
    fn all_are_counted_but_few_kept() {
        let mut checker = Checker::new(2);
        for number in 1..=5 {
            checker.add(&Tree::empty(), "f", number);
        }
        let findings = checker.finish();
        let (_, count, kept) = findings.by_kind().next().expect("a finding");
        assert_eq!((count, kept.len()), (5, 2));
    }
}
