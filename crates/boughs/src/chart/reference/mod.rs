//! All trees of a short sentence, one by one: slow, and plainly right.

mod constraints;
mod decoders;
mod products;
mod sums;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use super::forest::SMALLEST_POSTERIOR;
use super::grammar_parser::stages;
use super::options::{ChartOptions, Decoder};
use super::parser::ChartParser;
use super::query::TagPosteriors;
use super::semiring::MaxSemiring;
use super::{Chart, Scratch, Semiring, SumSemiring, add_expected_counts, inside, outside};
use crate::model::{
    ChartModel, Grammar, GrammarLexicon, GrammarModel, GrammarRule, Level, RuleBlock, ScoreTable, Splits,
    Symbol, Symbols, WordClasses,
};
use crate::parse::{Limit, Parse, Request, Status};
use crate::rng::Rng;
use crate::span::Span;
use crate::tree::{Constraints, Tokens, Tree, debinarize};

/// A rule at a place: parent, children, span and where it is divided.
type Anchored = (Symbol, Symbol, Option<Symbol>, Span, u32);

/// A tree with all of its derivations.
#[derive(Clone)]
struct Listed {
    text: String,
    rules: Vec<Anchored>,
    /// Phrases and tags, by span.
    nodes: Vec<(Symbol, Span)>,
    /// The sum, and the best, of the derivations from each substate of the symbol on top.
    sums: Vec<f64>,
    bests: Vec<f64>,
    chain: usize,
}

/// Tags 0 and 1; phrases TOP, A, B and @A.
fn symbols() -> Symbols {
    Symbols::new(["x", "y"].into_iter().collect(), ["TOP", "A", "B", "@A"].into_iter().collect()).unwrap()
}

fn random_block(parent: u16, left: u16, right: Option<u16>, sizes: &[u16], rng: &mut Rng) -> RuleBlock {
    let size = |symbol: u16| sizes[usize::from(symbol)];
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    // Rules that do not tell substates apart have kernels of their own.
    let even = (rng.below(8) == 0).then(|| 0.1 + rng.unit() as f32 * 0.3);
    if let Some(even) = even {
        rows = (0..size(left)).flat_map(|b| (0..right.map_or(1, size)).map(move |c| [b, c])).collect();
        values = vec![even; rows.len() * usize::from(size(parent))];
        return RuleBlock {
            parent: Symbol(parent),
            left: Symbol(left),
            right: right.map(Symbol),
            rows,
            values,
        };
    }
    for b in 0..size(left) {
        for c in 0..right.map_or(1, size) {
            if rng.below(5) > 0 {
                rows.push([b, c]);
                values.extend(
                    (0..size(parent)).map(|_| if rng.below(6) == 0 { 0.0 } else { rng.unit() as f32 * 0.4 }),
                );
            }
        }
    }
    RuleBlock { parent: Symbol(parent), left: Symbol(left), right: right.map(Symbol), rows, values }
}

/// A grammar over four words, with one in so many of the possible rules.
fn random_model(seed: u64, sizes: &[u16], splits: Vec<Splits>, one_in: u64) -> GrammarModel {
    let mut rng = Rng::new(seed);
    let mut blocks = Vec::new();
    for parent in 2..6 {
        for left in [0, 1, 3, 4] {
            for right in [0, 1, 3, 4, 5] {
                if rng.below(one_in) == 0 {
                    blocks.push(random_block(parent, left, Some(right), sizes, &mut rng));
                }
            }
        }
    }
    for (parent, child) in [(2, 3), (2, 4), (3, 4), (4, 3), (3, 0), (4, 1)] {
        blocks.push(random_block(parent, child, None, sizes, &mut rng));
    }
    let grammar = Grammar::new(sizes.to_vec(), blocks, 2);
    let mut of_words = ScoreTable::new();
    for _ in 0..4 {
        let scores = [0, 1].map(|tag: usize| (0..sizes[tag]).map(|_| rng.unit() as f32).collect::<Vec<_>>());
        of_words.push((0..).map(Symbol).zip(scores.iter().map(Vec::as_slice)));
    }
    let lexicon = GrammarLexicon {
        words: Arc::new(["a", "b", "c", "d"].into_iter().collect()),
        classes: ["UNK-"].into_iter().collect(),
        classifier: WordClasses::plain(),
        class_share: vec![0.0; 4],
        of_words,
        of_classes: ScoreTable::new(),
    };
    let weights = (0..grammar.num_substates()).map(|_| rng.unit() as f32 + 0.1).collect();
    GrammarModel::new(symbols(), Level { grammar, lexicon, weights }, splits)
}

fn model(seed: u64) -> GrammarModel {
    random_model(seed, &[2, 3, 1, 3, 2, 2], Vec::new(), 4)
}

fn sentence(num_words: usize, seed: u64) -> Tokens {
    let mut rng = Rng::new(seed);
    (0..num_words).map(|_| (["a", "b", "c", "d"][rng.below(4) as usize], "")).collect()
}

/// All trees over a span with any symbol on top.
fn list(level: &Level, tokens: &Tokens, span: Span, names: &Symbols) -> Vec<Listed> {
    let grammar = &level.grammar;
    let mut found = Vec::new();
    if span.len() == 1 {
        let word = tokens.word(span.start as usize);
        let word_number = level.lexicon.words.get(word).unwrap() as usize;
        for (tag, scores) in level.lexicon.of_words.get(word_number) {
            let scores: Vec<f64> = scores.iter().map(|&score| f64::from(score)).collect();
            found.push(Listed {
                text: format!("({} {word})", names.name(tag)),
                rules: Vec::new(),
                nodes: vec![(tag, span)],
                sums: scores.clone(),
                bests: scores,
                chain: 0,
            });
        }
    }
    for k in span.start + 1..span.end {
        let [lefts, rights] = [Span::new(span.start, k), Span::new(k, span.end)].map(|span| {
            let mut inner = list(level, tokens, span, names);
            inner.retain(|listed| top(listed) != names.root());
            inner
        });
        for left in &lefts {
            for right in &rights {
                found.extend(combine(grammar, names, left, Some(right), span, k));
            }
        }
    }
    let mut first = 0;
    while first < found.len() {
        let below = found[first].clone();
        first += 1;
        if below.chain < grammar.max_chain() {
            let above = combine(grammar, names, &below, None, span, 0);
            found.extend(above);
        }
    }
    found
}

fn top(listed: &Listed) -> Symbol {
    listed.nodes[0].0
}

fn combine(
    grammar: &Grammar,
    names: &Symbols,
    left: &Listed,
    right: Option<&Listed>,
    span: Span,
    k: u32,
) -> Vec<Listed> {
    let mut found = Vec::new();
    for (index, rule) in grammar.rules().iter().enumerate() {
        if rule.left != top(left) || rule.right != right.map(top) {
            continue;
        }
        let mut sums = vec![0.0; grammar.size(rule.parent)];
        let mut bests = sums.clone();
        for ([b, c], values) in grammar.rows(index) {
            let [b, c] = [b, c].map(usize::from);
            let (sum, best) = right.map_or((1.0, 1.0), |right| (right.sums[c], right.bests[c]));
            for (a, &value) in values.iter().enumerate() {
                sums[a] += f64::from(value) * left.sums[b] * sum;
                bests[a] = bests[a].max(f64::from(value) * left.bests[b] * best);
            }
        }
        let rest = right.map_or("", |right| &right.text);
        let own = (rule.parent, rule.left, rule.right, span, k);
        let all = |of: fn(&Listed) -> &Vec<(Symbol, Span)>| {
            std::iter::once((rule.parent, span))
                .chain(of(left).iter().copied())
                .chain(right.into_iter().flat_map(of).copied())
                .collect()
        };
        found.push(Listed {
            text: format!("({} {} {rest})", names.name(rule.parent), left.text),
            rules: std::iter::once(own)
                .chain(left.rules.iter().copied())
                .chain(right.into_iter().flat_map(|right| right.rules.iter().copied()))
                .collect(),
            nodes: all(|listed| &listed.nodes),
            sums,
            bests,
            chain: if right.is_none() { left.chain + 1 } else { 0 },
        });
    }
    found
}

/// All trees whose rules the grammar has, also those without a derivation because no substates fit together.
fn all_combinations(model: &GrammarModel, tokens: &Tokens) -> Vec<Listed> {
    let whole = Span::new(0, tokens.len() as u32);
    let mut all = list(model.finest(), tokens, whole, model.symbols());
    all.retain(|listed| top(listed) == model.symbols().root());
    all
}

fn all_trees(model: &GrammarModel, tokens: &Tokens) -> Vec<Listed> {
    let mut trees = all_combinations(model, tokens);
    trees.retain(|tree| tree.sums[0] > 0.0);
    trees
}

fn total(trees: &[Listed]) -> f64 {
    trees.iter().map(|tree| tree.sums[0]).sum()
}

/// A chart with all symbols in all cells, as the root is never below another.
fn full_chart(model: &GrammarModel, num_words: usize) -> Chart {
    let mut chart = Chart::default();
    chart.clear(num_words);
    for span in chart.spans() {
        let may_be = |symbol: &Symbol| {
            let is_tag = model.symbols().is_tag(*symbol);
            (!is_tag || span.len() == 1) && (*symbol != model.symbols().root() || span.len() == num_words)
        };
        chart.fill(span, &model.finest().grammar, model.symbols().iter().filter(may_be));
    }
    chart
}

fn fill<S: Semiring>(
    model: &GrammarModel,
    tokens: &Tokens,
    chart: &mut Chart,
    scratch: &mut Scratch,
) -> bool {
    let level = model.finest();
    let score = |place: usize, sums: &mut [f32]| {
        level.lexicon.score(tokens.word(place), place == 0, |tag, values, factor| {
            let sums = &mut sums[level.grammar.substates(tag)];
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
        });
    };
    inside::<S>(&level.grammar, chart, scratch, None, score, |_, _| {})
}

/// The inside value of the root.
fn root_value(model: &GrammarModel, chart: &Chart) -> f64 {
    let cell = chart.cell(chart.whole());
    let value =
        chart.find(chart.whole(), model.symbols().root()).map_or(0.0, |it| chart.total[it.start as usize]);
    f64::from(value) * 2f64.powi(cell.exponent)
}

fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-4 * a.abs().max(b.abs()).max(1e-9)
}

/// A grammar, a sentence and all of its trees.
type Case = (GrammarModel, Tokens, Vec<Listed>);

/// Sentences with at least one parse: of up to four words with many rules, of five and six words with few.
fn cases() -> impl Iterator<Item = &'static Case> {
    static CASES: LazyLock<Vec<Case>> = LazyLock::new(list_cases);
    CASES.iter()
}

fn list_cases() -> Vec<Case> {
    let short = (0..24).map(|seed| (model(seed), sentence(1 + seed as usize % 4, seed)));
    let few_rules = |seed: u64| random_model(seed, &[2, 2, 1, 2, 2, 2], Vec::new(), 12);
    let long = (0..6).map(move |seed| (few_rules(seed), sentence(5 + seed as usize % 2, seed)));
    // Grammars without latent subcategories have kernels of their own.
    let unsplit = |seed: u64| random_model(seed, &[1; 6], Vec::new(), 6);
    let plain = (0..24).map(move |seed| (unsplit(seed), sentence(1 + seed as usize % 4, seed)));
    let with_trees = |(model, tokens): (GrammarModel, Tokens)| {
        let trees = all_trees(&model, &tokens);
        (!trees.is_empty()).then_some((model, tokens, trees))
    };
    short.chain(long).chain(plain).filter_map(with_trees).collect()
}

#[test]
fn cases_are_long_and_of_every_kind() {
    let sizes: Vec<(usize, usize)> = cases().map(|(_, tokens, trees)| (tokens.len(), trees.len())).collect();
    assert!(sizes.iter().any(|&(words, trees)| words == 6 && trees > 20), "{sizes:?}");
    let grammars = || cases().map(|(model, _, _)| &model.finest().grammar);
    let num_plain = grammars().filter(|grammar| grammar.is_plain()).count();
    assert!(num_plain > 8, "{num_plain}");
    let has_even = |grammar: &&Grammar| {
        let is_even = |rule: usize| grammar.rule(rule).right.is_some() && grammar.even_value(rule) > 0.0;
        !grammar.is_plain() && (0..grammar.rules().len()).any(is_even)
    };
    let num_even = grammars().filter(has_even).count();
    assert!(num_even > 8, "{num_even}");
}

/// The parses of a model, if there are any, in a way that prunes nothing.
fn parse_all(model: &ChartModel, tokens: &Tokens, decoder: Decoder, num_best: usize) -> Vec<Parse> {
    let options = ChartOptions { decoder, ..ChartOptions::exact() };
    let request = Request { num_best, ..Request::new(tokens) };
    let parsed = ChartParser::new(model, &options).parse(request, &[]).expect("sound");
    match parsed.status {
        Status::Pruned => parsed.parses,
        Status::Fallback(None) => Vec::new(),
        status => panic!("{status:?}"),
    }
}

fn parse(model: &GrammarModel, tokens: &Tokens, decoder: Decoder, num_best: usize) -> Vec<Parse> {
    parse_all(&model.clone().into(), tokens, decoder, num_best)
}

fn cost(parse: &Parse) -> f64 {
    parse.cost.expect("a parse")
}

/// The posterior probability of everything that some trees have.
fn posteriors<T: Ord + Copy>(trees: &[Listed], of: impl Fn(&Listed) -> Vec<T>) -> BTreeMap<T, f64> {
    let mut sums = BTreeMap::new();
    let total = total(trees);
    for tree in trees {
        of(tree).into_iter().for_each(|it| *sums.entry(it).or_insert(0.0) += tree.sums[0] / total);
    }
    sums
}

fn shape(text: &str) -> Tree {
    debinarize(&text.parse().expect("a tree")).expect("small")
}

/// The sum of the logarithms of the posteriors of the rules and tags of a tree. To a forest some are too unlikely:
/// they, and those in none of these trees, are worth `unlikely`.
fn log_products(model: &GrammarModel, trees: &[Listed], unlikely: f32) -> impl Fn(&Listed) -> f64 {
    let is_tag = |(symbol, _): &(Symbol, Span)| model.symbols().is_tag(*symbol);
    let tags = move |tree: &Listed| tree.nodes.iter().copied().filter(is_tag).collect::<Vec<_>>();
    let (of_rules, of_tags) = (posteriors(trees, |tree| tree.rules.clone()), posteriors(trees, tags));
    let logarithm = move |posterior: Option<&f64>| match posterior {
        Some(&posterior) if posterior > f64::from(SMALLEST_POSTERIOR) => posterior.ln(),
        _ => f64::from(unlikely).ln(),
    };
    move |tree| {
        let rules = tree.rules.iter().map(|rule| logarithm(of_rules.get(rule))).sum::<f64>();
        rules + tags(tree).iter().map(|node| logarithm(of_tags.get(node))).sum::<f64>()
    }
}

/// How many phrases and tags of a tree are correct, to all these trees; half of one less for each that a unary rule
/// adds.
fn expected_correct(trees: &[Listed]) -> impl Fn(&Listed) -> f64 {
    let of_nodes = posteriors(trees, |tree| tree.nodes.clone());
    // A symbol may be twice in a chain, so that its expected number is above 1; no more is counted.
    let of_node = move |node: &(Symbol, Span)| of_nodes.get(node).map_or(0.0, |it: &f64| it.min(1.0));
    move |tree| {
        let num_unary = tree.rules.iter().filter(|(_, _, right, _, _)| right.is_none()).count();
        tree.nodes.iter().map(&of_node).sum::<f64>() - 0.5 * num_unary as f64
    }
}

/// How many rules and tags of a tree are correct, to all these trees; half of one less for each unary rule.
fn expected_correct_rules(model: &GrammarModel, trees: &[Listed]) -> impl Fn(&Listed) -> f64 {
    let is_tag = |(symbol, _): &(Symbol, Span)| model.symbols().is_tag(*symbol);
    let tags = move |tree: &Listed| tree.nodes.iter().copied().filter(is_tag).collect::<Vec<_>>();
    let (of_rules, of_tags) = (posteriors(trees, |tree| tree.rules.clone()), posteriors(trees, tags));
    move |tree| {
        let num_unary = tree.rules.iter().filter(|(_, _, right, _, _)| right.is_none()).count();
        let rules: f64 = tree.rules.iter().filter_map(|rule| of_rules.get(rule)).sum();
        let tags: f64 = tags(tree).iter().filter_map(|node| of_tags.get(node)).sum();
        rules + tags - 0.5 * num_unary as f64
    }
}

/// Trees all of whose rules are in some of these, but for very unlikely ones.
fn possible_combinations(model: &GrammarModel, tokens: &Tokens, trees: &[Listed]) -> Vec<Listed> {
    let logarithm = log_products(model, trees, 0.0);
    let mut all = all_combinations(model, tokens);
    all.retain(|tree| logarithm(tree) > f64::NEG_INFINITY);
    all
}

/// Every symbol but the root split in two, twice.
fn split_model(seed: u64) -> GrammarModel {
    let split = |sizes: [u16; 6]| {
        sizes.map(|size| (0..size).map(|sub| if size > 1 { sub / 2 } else { 0 }).collect()).to_vec()
    };
    random_model(seed, &[4, 4, 1, 4, 4, 4], vec![split([2, 2, 1, 2, 2, 2]), split([4, 4, 1, 4, 4, 4])], 4)
}

/// The same rules with other numbers.
fn with_squares(model: &GrammarModel) -> GrammarModel {
    let mut level = model.finest().clone();
    level.grammar.change_values(|values| values.iter_mut().for_each(|value| *value *= *value));
    GrammarModel::new(symbols(), level, model.splits().to_vec())
}
