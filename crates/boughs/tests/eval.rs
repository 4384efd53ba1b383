//! The scorer against EVALB, and EVALB against its algorithm written down plainly, on random trees.

mod evalb_reference;

use boughs::eval::{Brackets, Parameters, Scorer, Totals, Verdict, evalb};
use boughs::tree::Tree;
use proptest::prelude::*;

const TAGS: [&str; 12] = ["NN", "DT", "VBZ", ",", ".", "``", "''", "POS", ":", "CD", "-NONE-", "NN-X"];
const WORDS: [&str; 6] = ["'", "\"", "/", "a", "b", "c"];
const LABELS: [&str; 10] = ["S", "NP", "VP", "ADVP", "PRT", "TOP", "X-1", "NP=2", "S1", ""];

type Tokens = Vec<(&'static str, &'static str)>;

fn named(name: &str) -> Parameters {
    Parameters::named(name).expect("built in")
}

fn tokens(tags: &'static [&'static str]) -> impl Strategy<Value = Tokens> {
    let token = (prop::sample::select(tags), prop::sample::select(&WORDS[..]));
    prop::collection::vec(token, 1..10)
}

fn choices() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(0..1000usize, 0..60)
}

/// Writes a tree over tokens; `choices` says, one number a step, where to open and close brackets.
fn bracketed(tokens: &Tokens, labels: &[&str], choices: &[usize]) -> String {
    let mut choices = choices.iter().copied().chain(std::iter::repeat(0));
    let mut next = || choices.next().unwrap_or(0);
    let mut text = "(TOP".to_owned();
    let mut depth = 0;
    for (tag, word) in tokens {
        for _ in 0..next() % 4 {
            text.push_str(&format!(" ({}", labels[next() % labels.len()]));
            depth += 1;
        }
        text.push_str(&format!(" ({tag} {word})"));
        for _ in 0..(next() % 3).min(depth) {
            text.push(')');
            depth -= 1;
        }
    }
    text + &")".repeat(depth + 1)
}

fn trees(tokens: &Tokens, labels: &[&str], choices: [Vec<usize>; 2]) -> [Tree; 2] {
    choices.map(|choices| bracketed(tokens, labels, &choices).parse().expect("a tree"))
}

/// A line as it may come: whole, or with a character lost, a bracket added, or empty.
fn damaged(line: &str, damage: &[(usize, usize)]) -> String {
    damage.iter().fold(line.to_owned(), |line, &(kind, place)| damaged_once(&line, kind, place))
}

fn damaged_once(line: &str, kind: usize, place: usize) -> String {
    if line.is_empty() {
        return String::new();
    }
    let (before, after) = line.split_at(place % line.len());
    match kind {
        0 => before.to_owned() + &after[1..],
        1 => format!("{before}({after}"),
        2 => format!("{before}){after}"),
        3 => format!("{before}\t{after}"),
        _ => String::new(),
    }
}

/// Mostly none, sometimes several; brackets are lost and added more often than lines.
fn damage() -> impl Strategy<Value = Vec<(usize, usize)>> {
    let kind = prop_oneof![8 => 0..4usize, 1 => Just(4usize)];
    prop_oneof![2 => Just(Vec::new()), 1 => prop::collection::vec((kind, 0..500usize), 1..5)]
}

prop_compose! {
    /// A gold line and a test line over the same words, with some tags changed, perhaps damaged.
    fn line_pair()(
        tokens in tokens(&TAGS),
        other_tags in prop::collection::vec(prop::option::weighted(0.3, prop::sample::select(&TAGS[..])), 10),
        gold_choices in choices(),
        test_choices in choices(),
        gold_damage in damage(),
        test_damage in damage(),
    ) -> (String, String) {
        let retag = |(&(tag, word), other): (&(_, _), Option<_>)| (other.unwrap_or(tag), word);
        let retagged: Tokens = tokens.iter().zip(other_tags).map(retag).collect();
        let gold = bracketed(&tokens, &LABELS, &gold_choices);
        let test = bracketed(&retagged, &LABELS, &test_choices);
        (damaged(&gold, &gold_damage), damaged(&test, &test_damage))
    }
}

fn run_evalb(gold: &str, test: &str, parameters: &Parameters) -> (String, String, evalb::EvalbEnd) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let ending =
        evalb::run(gold.as_bytes(), test.as_bytes(), parameters, &mut out, &mut err).expect("memory");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(out), text(err), ending)
}

#[test]
fn an_unclosed_bracket_behind_a_rescued_quotation_mark() {
    let gold = "(S (NN a) (NN b) (X ('' ') (NN c)\n";
    let test = "(S (NN a) (NN b) (X (POS ') (NN c)))\n";
    let (out, _, _) = run_evalb(gold, test, &named("new"));
    let (rows, _, _) = evalb_reference::run(gold, test, &named("new"));
    assert_eq!(out.lines().nth(3), rows.first().map(String::as_str));
}

proptest! {
    #[test]
    fn evalb_as_written_down(pairs in prop::collection::vec(line_pair(), 1..6), settings in 0..3usize) {
        let parameters = match settings {
            0 => named("COLLINS"),
            1 => named("new"),
            _ => Parameters { labeled: false, ..Parameters::default() },
        };
        let gold: String = pairs.iter().map(|(gold, _)| format!("{gold}\n")).collect();
        let test: String = pairs.iter().map(|(_, test)| format!("{test}\n")).collect();
        let (out, err, ending) = run_evalb(&gold, &test, &parameters);
        let (rows, complaints, finished) = evalb_reference::run(&gold, &test, &parameters);
        let table: Vec<&str> = out.lines().skip(3).take_while(|line| !line.starts_with('=')).collect();
        prop_assert_eq!(table, rows);
        prop_assert_eq!(err, complaints);
        prop_assert_eq!(ending == evalb::EvalbEnd::Finished, finished);
    }

    #[test]
    fn scorer_counts_as_evalb(
        tokens in tokens(&["NN", "DT", ",", ".", "``"]),
        gold in choices(),
        test in choices(),
    ) {
        let labels = ["S", "NP-SBJ", "VP", "ADVP", "PRT", "NP=2"];
        let [gold, test] = trees(&tokens, &labels, [gold, test]);
        let score = Scorer::new(named("COLLINS")).score(&gold, &test);
        let (out, ..) = run_evalb(&gold.to_string(), &test.to_string(), &named("COLLINS"));
        let row: Vec<&str> = out.lines().nth(3).expect("a row").split_whitespace().collect();
        let Brackets { matched, gold, test } = score.counts;
        let counts = [matched, gold, test, score.crossing, score.words, score.tags];
        prop_assert_eq!(&row[5..11], &counts.map(|count| count.to_string())[..]);
        prop_assert_eq!(row[1], score.length.to_string());
        prop_assert_eq!(row[2] == "2", score.verdict == Verdict::NoWords);
    }

    #[test]
    fn a_tree_is_like_itself(tokens in tokens(&TAGS), choices in choices()) {
        let [tree, _] = trees(&tokens, &LABELS, [choices, Vec::new()]);
        let mut totals = Totals::default();
        totals.add(&Scorer::new(named("COLLINS")).score(&tree, &tree));
        let figures = totals.all.strict();
        prop_assert_eq!(totals.all.lost.sentences, 0);
        for figure in [figures.precision(), figures.recall(), figures.f1(), figures.exact_match()] {
            prop_assert!(figure.is_none_or(|figure| figure == 100.0));
        }
    }

    #[test]
    fn labels_add_up(tokens in tokens(&["NN", ","]), gold in choices(), test in choices()) {
        let [gold, test] = trees(&tokens, &LABELS, [gold, test]);
        let score = Scorer::new(named("COLLINS")).score(&gold, &test);
        let sum = |count: fn(&Brackets) -> u64| -> u64 {
            score.labels.iter().map(|(_, counts)| count(counts)).sum()
        };
        prop_assert_eq!(sum(|counts| counts.matched), score.counts.matched);
        prop_assert_eq!(sum(|counts| counts.gold), score.counts.gold);
        prop_assert_eq!(sum(|counts| counts.test), score.counts.test);
        prop_assert!(score.unlabeled >= score.counts.matched);
    }

    #[test]
    fn arbitrary_bytes_do_no_harm(
        gold in prop::collection::vec(any::<u8>(), 0..200),
        test in "[( )a\\n'A-]{0,80}",
    ) {
        let parameters = Parameters { debug: 2, ..named("new") };
        for (one, other) in [(&gold[..], test.as_bytes()), (test.as_bytes(), test.as_bytes())] {
            let ending = evalb::run(one, other, &parameters, std::io::sink(), std::io::sink());
            prop_assert!(ending.is_ok());
        }
        let _ = Parameters::parse(&gold);
    }
}
