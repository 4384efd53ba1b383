//! All trees of a short sentence, one by one: slow, and plainly right.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use super::forest::SMALLEST_POSTERIOR;
use super::output::ChartParse;
use super::worker::{ChartConfig, ChartParser, Ending, Request, TagHints, stages};
use super::{Chart, Decoder, Max, ProductParser, Scratch, Semiring, Sum, add_uses, inside, outside};
use crate::model::{
    Block, Grammar, GrammarModel, GrammarProduct, Level, Lexicon, Rule, ScoreTable, Splits, Symbol, Symbols,
    WordClasses,
};
use crate::rng::Rng;
use crate::span::Span;
use crate::tree::{Demands, Tree, TreeBuilder, debinarize};

/// A rule at a place: parent, children, span and where it is divided.
type Anchored = (Symbol, Symbol, Option<Symbol>, Span, u32);

/// A tree with all of its derivations.
#[derive(Clone)]
struct Listed {
    text: String,
    rules: Vec<Anchored>,
    /// Phrases and tags, by span.
    nodes: Vec<(Symbol, Span)>,
    /// The sum, and the best, of the derivations from each sub-symbol of the symbol on top.
    sums: Vec<f64>,
    bests: Vec<f64>,
    chain: usize,
}

/// Tags 0 and 1; phrases TOP, A, B and @A.
fn symbols() -> Symbols {
    Symbols::new(["x", "y"].into_iter().collect(), ["TOP", "A", "B", "@A"].into_iter().collect()).unwrap()
}

fn random_block(parent: u16, left: u16, right: Option<u16>, sizes: &[u16], rng: &mut Rng) -> Block {
    let size = |symbol: u16| sizes[usize::from(symbol)];
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    // Rules that do not tell sub-symbols apart have kernels of their own.
    let even = (rng.below(8) == 0).then(|| 0.1 + rng.unit() as f32 * 0.3);
    if let Some(even) = even {
        rows = (0..size(left)).flat_map(|b| (0..right.map_or(1, size)).map(move |c| [b, c])).collect();
        values = vec![even; rows.len() * usize::from(size(parent))];
        return Block { parent: Symbol(parent), left: Symbol(left), right: right.map(Symbol), rows, values };
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
    Block { parent: Symbol(parent), left: Symbol(left), right: right.map(Symbol), rows, values }
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
    let lexicon = Lexicon {
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

fn sentence(num_words: usize, seed: u64) -> Tree {
    let mut rng = Rng::new(seed);
    let mut builder = TreeBuilder::new();
    (0..num_words).for_each(|_| builder.token(["a", "b", "c", "d"][rng.below(4) as usize], ""));
    builder.finish().unwrap()
}

/// All trees over a span with any symbol on top.
fn list(level: &Level, tokens: &Tree, span: Span, names: &Symbols) -> Vec<Listed> {
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

/// All trees whose rules the grammar has, also those without a derivation because no sub-symbols fit together.
fn all_combinations(model: &GrammarModel, tokens: &Tree) -> Vec<Listed> {
    let whole = Span::new(0, tokens.num_tokens() as u32);
    let mut all = list(model.finest(), tokens, whole, model.symbols());
    all.retain(|listed| top(listed) == model.symbols().root());
    all
}

fn all_trees(model: &GrammarModel, tokens: &Tree) -> Vec<Listed> {
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

fn fill<S: Semiring>(model: &GrammarModel, tokens: &Tree, chart: &mut Chart, scratch: &mut Scratch) -> bool {
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
type Case = (GrammarModel, Tree, Vec<Listed>);

/// Sentences with at least one parse: of up to four words with many rules, of five and six words with few.
fn cases() -> impl Iterator<Item = &'static Case> {
    static CASES: LazyLock<Vec<Case>> = LazyLock::new(list_cases);
    CASES.iter()
}

fn list_cases() -> Vec<Case> {
    let short = (0..24).map(|seed| (model(seed), sentence(1 + seed as usize % 4, seed)));
    let few_rules = |seed: u64| random_model(seed, &[2, 2, 1, 2, 2, 2], Vec::new(), 12);
    let long = (0..6).map(move |seed| (few_rules(seed), sentence(5 + seed as usize % 2, seed)));
    // Grammars without sub-symbols have kernels of their own.
    let unsplit = |seed: u64| random_model(seed, &[1; 6], Vec::new(), 6);
    let plain = (0..24).map(move |seed| (unsplit(seed), sentence(1 + seed as usize % 4, seed)));
    let with_trees = |(model, tokens): (GrammarModel, Tree)| {
        let trees = all_trees(&model, &tokens);
        (!trees.is_empty()).then_some((model, tokens, trees))
    };
    short.chain(long).chain(plain).filter_map(with_trees).collect()
}

#[test]
fn cases_are_long_and_of_every_kind() {
    let sizes: Vec<(usize, usize)> =
        cases().map(|(_, tokens, trees)| (tokens.num_tokens(), trees.len())).collect();
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

fn parse(model: &GrammarModel, tokens: &Tree, decoder: Decoder, num_best: usize) -> Vec<ChartParse> {
    let config = ChartConfig { decoder, num_best, ..ChartConfig::exact() };
    let (parses, ending) = ChartParser::new(model, config)
        .parse(Request { tokens, demands: &Demands::default(), hints: &[] })
        .expect("sound");
    assert_eq!(ending == Ending::NoParse, parses.is_empty());
    parses
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

#[test]
fn inside_is_the_sum_and_the_best_of_all_trees() {
    let mut scratch = Scratch::default();
    for (model, tokens, trees) in cases() {
        let mut chart = full_chart(model, tokens.num_tokens());
        fill::<Sum>(model, tokens, &mut chart, &mut scratch);
        assert!(is_close(root_value(model, &chart), total(trees)), "{}", tokens);
        let mut chart = full_chart(model, tokens.num_tokens());
        fill::<Max>(model, tokens, &mut chart, &mut scratch);
        let best = trees.iter().map(|tree| tree.bests[0]).fold(0.0, f64::max);
        assert!(is_close(root_value(model, &chart), best), "{} {best}", root_value(model, &chart));
    }
}

#[test]
fn symbols_that_are_not_in_a_cell_are_in_no_sum() {
    let mut scratch = Scratch::default();
    let mut num_fewer = 0;
    for (seed, (model, tokens, trees)) in (0..).zip(cases()) {
        let mut rng = Rng::new(seed);
        let mut chart = Chart::default();
        chart.clear(tokens.num_tokens());
        let mut allowed = BTreeSet::new();
        for span in chart.spans() {
            let is_root = |symbol: Symbol| symbol == model.symbols().root();
            let may_be = |symbol: &Symbol| match is_root(*symbol) {
                true => span.len() == tokens.num_tokens(),
                false => rng.below(3) > 0,
            };
            let symbols: Vec<Symbol> = model.symbols().iter().filter(may_be).collect();
            allowed.extend(symbols.iter().map(|&symbol| (symbol, span)));
            chart.fill(span, &model.finest().grammar, symbols);
        }
        let left: Vec<Listed> = trees
            .iter()
            .filter(|tree| tree.nodes.iter().all(|node| allowed.contains(node)))
            .cloned()
            .collect();
        fill::<Sum>(model, tokens, &mut chart, &mut scratch);
        let (found, wanted) = (root_value(model, &chart), total(&left));
        assert!(is_close(found, wanted), "{tokens} {found} {wanted}");
        num_fewer += usize::from(!left.is_empty() && left.len() < trees.len());
    }
    assert!(num_fewer > 8, "{num_fewer}");
}

#[test]
fn inside_times_outside_is_the_posterior() {
    let mut scratch = Scratch::default();
    for (model, tokens, trees) in cases() {
        let grammar = &model.finest().grammar;
        let mut chart = full_chart(model, tokens.num_tokens());
        fill::<Sum>(model, tokens, &mut chart, &mut scratch);
        assert!(outside::<Sum>(grammar, model.symbols().root(), &mut chart, &mut scratch, 0.0, None));
        // At the bottom of a cell are the parents of binary rules, and tags.
        let wanted = posteriors(trees, |tree| {
            let binary = tree.rules.iter().filter(|rule| rule.2.is_some()).map(|rule| (rule.0, rule.3));
            let tags = tree.nodes.iter().copied().filter(|(symbol, _)| model.symbols().is_tag(*symbol));
            binary.chain(tags).collect()
        });
        for span in chart.spans() {
            for &entry in chart.entries(chart.cell(span)) {
                let range = chart.range(grammar, entry);
                let found = f64::from(Sum::dot(&chart.bottom[range.clone()], &chart.outer_bottom[range]));
                let wanted = wanted.get(&(entry.symbol, span)).copied().unwrap_or(0.0);
                assert!((found - wanted).abs() < 1e-4, "{span:?} {:?} {found} {wanted}", entry.symbol);
            }
        }
    }
}

/// The logarithm of the sum of all parses, with one number of the grammar changed by a factor.
fn log_sum(model: &GrammarModel, tokens: &Tree, place: usize, factor: f32) -> f64 {
    let mut level = model.finest().clone();
    level.grammar.change_values(|values| values[place] *= factor);
    let whole = Span::new(0, tokens.num_tokens() as u32);
    let root = model.symbols().root();
    let trees = list(&level, tokens, whole, model.symbols());
    let is_whole =
        |tree: &&Listed| top(tree) == root && tree.nodes[1..].iter().all(|(symbol, _)| *symbol != root);
    trees.iter().filter(is_whole).map(|tree| tree.sums[0]).sum::<f64>().ln()
}

#[test]
fn uses_are_the_derivatives_of_the_logarithm_of_the_sum() {
    let mut scratch = Scratch::default();
    for (model, tokens, _) in cases().filter(|(_, tokens, _)| tokens.num_tokens() < 4).take(6) {
        let grammar = &model.finest().grammar;
        let mut chart = full_chart(model, tokens.num_tokens());
        fill::<Sum>(model, tokens, &mut chart, &mut scratch);
        let mut uses = vec![0.0; grammar.values().len()];
        assert!(add_uses(grammar, model.symbols().root(), &mut chart, &mut scratch, &mut uses));
        for (place, (&uses, &value)) in uses.iter().zip(grammar.values()).enumerate() {
            let difference = log_sum(model, tokens, place, 1.01) - log_sum(model, tokens, place, 1.0 / 1.01);
            let wanted = difference / (2.0 * 1.01f64.ln());
            assert!((f64::from(uses * value) - wanted).abs() < 2e-3, "{place} {} {wanted}", uses * value);
        }
    }
}

#[test]
fn viterbi_finds_the_best_derivation() {
    for (model, tokens, trees) in cases() {
        let best = trees.iter().map(|tree| tree.bests[0]).fold(0.0, f64::max);
        let found = parse(model, tokens, Decoder::Viterbi, 1).swap_remove(0);
        assert!(is_close(-found.cost, best.ln()), "{} {}", found.cost, best.ln());
    }
}

/// The sum of the logarithms of the posteriors of the rules and tags of a tree. To a forest some are too unlikely: they, and those in
/// none of these trees, are worth `unlikely`.
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

#[test]
fn max_rule_finds_the_best_product_of_posteriors() {
    for (model, tokens, trees) in cases() {
        let score = log_products(model, trees, 0.0);
        let mut wanted: Vec<(f64, Tree)> =
            all_combinations(model, tokens).iter().map(|tree| (score(tree), shape(&tree.text))).collect();
        wanted.sort_by(|a, b| b.0.total_cmp(&a.0));
        let found = parse(model, tokens, Decoder::MaxRule, 3);
        assert!(
            is_close(-found[0].cost, wanted[0].0) || wanted[0].0.abs() < 1e-3,
            "{} {}",
            found[0].cost,
            wanted[0].0
        );
        assert!(found.iter().map(|parse| parse.cost).is_sorted());
        for parse in &found {
            assert_eq!(parse.confidences.len(), parse.tree.num_nodes());
            assert!(wanted.iter().any(|(_, tree)| *tree == parse.tree), "{}", parse.tree);
        }
    }
}

#[test]
fn max_recall_finds_the_most_correct_phrases() {
    for (model, tokens, trees) in cases() {
        let num_correct = expected_correct(trees);
        let best = possible_combinations(model, tokens, trees)
            .iter()
            .map(num_correct)
            .fold(f64::NEG_INFINITY, f64::max);
        let found = parse(model, tokens, Decoder::MaxRecall, 1).swap_remove(0);
        assert!((found.cost + best).abs() < 1e-4, "{} {best} {}", found.cost, found.tree);
    }
}

/// How many phrases and tags of a tree are correct, to all these trees; half of one less for each that a unary rule adds.
fn expected_correct(trees: &[Listed]) -> impl Fn(&Listed) -> f64 {
    let of_nodes = posteriors(trees, |tree| tree.nodes.clone());
    // A symbol may be twice in a chain, so that its expected number is above 1; no more is counted.
    let of_node = move |node: &(Symbol, Span)| of_nodes.get(node).map_or(0.0, |it: &f64| it.min(1.0));
    move |tree| {
        let num_unary = tree.rules.iter().filter(|(_, _, right, _, _)| right.is_none()).count();
        tree.nodes.iter().map(&of_node).sum::<f64>() - 0.5 * num_unary as f64
    }
}

/// Trees all of whose rules are in some of these, but for very unlikely ones.
fn possible_combinations(model: &GrammarModel, tokens: &Tree, trees: &[Listed]) -> Vec<Listed> {
    let logarithm = log_products(model, trees, 0.0);
    let mut all = all_combinations(model, tokens);
    all.retain(|tree| logarithm(tree) > f64::NEG_INFINITY);
    all
}

#[test]
fn confidences_are_posteriors() {
    for (model, tokens, trees) in cases() {
        let of_nodes = posteriors(trees, |tree| tree.nodes.clone());
        let found = parse(model, tokens, Decoder::MaxRule, 1).swap_remove(0);
        for (node, confidence) in found.tree.nodes().zip(&found.confidences) {
            let symbol = model.symbols().phrase(node.label).expect("a symbol");
            let wanted = of_nodes[&(symbol, node.span)].min(1.0);
            assert!((confidence - wanted).abs() < 1e-3, "{} {confidence} {wanted}", node.label);
        }
    }
}

#[test]
fn four_words_by_hand() {
    // TOP → A (1), A → A A (0.4), A → x (0.6), and P(a | x) = 1: the Catalan number of binary trees.
    let block = |parent: u16, left: u16, right: Option<u16>, value: f32| Block {
        parent: Symbol(parent),
        left: Symbol(left),
        right: right.map(Symbol),
        rows: vec![[0, 0]],
        values: vec![value],
    };
    let blocks = vec![block(2, 3, None, 1.0), block(3, 3, Some(3), 0.4), block(3, 0, None, 0.6)];
    let mut model = model(0);
    let mut level = model.finest().clone();
    level.grammar = Grammar::new(vec![1; 6], blocks, 2);
    level.lexicon.of_words = ScoreTable::new();
    level.lexicon.of_words.push([(Symbol(0), &[1.0][..])]);
    level.lexicon.words = Arc::new(["a"].into_iter().collect());
    level.weights = vec![1.0; 6];
    model = GrammarModel::new(symbols(), level, Vec::new());
    let tokens: Tree = "(S (X a) (X a) (X a) (X a))".parse().unwrap();
    let mut chart = full_chart(&model, 4);
    let mut scratch = Scratch::default();
    fill::<Sum>(&model, &tokens, &mut chart, &mut scratch);
    let [four, six] = [0.4f64, 0.6].map(|value| f64::from(rounded(&model, value as f32)));
    assert!(is_close(root_value(&model, &chart), 5.0 * four.powi(3) * six.powi(4)));
    outside::<Sum>(&model.finest().grammar, model.symbols().root(), &mut chart, &mut scratch, 0.0, None);
    let posterior = |start, end| {
        let entry = chart.find(Span::new(start, end), Symbol(3)).unwrap();
        chart.total[entry.start as usize] * chart.outer_bottom[entry.start as usize]
    };
    // Two of the five trees have a phrase over the first two words and two over the first three; one word is always under a phrase.
    assert!((posterior(0, 2) - 0.4).abs() < 1e-5 && (posterior(0, 3) - 0.4).abs() < 1e-5);
    assert!((posterior(1, 3) - 0.4).abs() < 1e-5 && (posterior(2, 3) - 1.0).abs() < 1e-5);
}

/// The number that a model has in place of this one.
fn rounded(model: &GrammarModel, value: f32) -> f32 {
    let nearest = |a: &f32, b: &f32| (a - value).abs().total_cmp(&(b - value).abs());
    model.finest().grammar.values().iter().copied().min_by(nearest).unwrap()
}

#[test]
fn however_much_is_pruned_a_parse_is_left() {
    let of_split = (0..24).map(|seed| (split_model(seed), sentence(1 + seed as usize % 5, seed)));
    let unsplit = cases().map(|(model, tokens, _)| (model.clone(), tokens.clone()));
    let mut num_parsed = 0;
    for (model, tokens) in of_split.chain(unsplit) {
        let possible = parse(&model, &tokens, Decoder::Viterbi, 1);
        for (beam, threshold) in [(1.0, f32::NEG_INFINITY), (0.3, -2.0), (0.0, -0.05), (1.0, 0.0)] {
            for decoder in [Decoder::MaxRule, Decoder::Viterbi, Decoder::MaxRecall] {
                let thresholds = vec![threshold];
                let config = ChartConfig { decoder, beam, thresholds, ..ChartConfig::default() };
                let request = Request { tokens: &tokens, demands: &Demands::default(), hints: &[] };
                let (parses, ending) = ChartParser::new(&model, config).parse(request).expect("sound");
                assert_eq!(parses.is_empty(), possible.is_empty(), "{beam} {threshold} {decoder:?} {tokens}");
                assert_eq!(ending == Ending::NoParse, possible.is_empty());
                num_parsed += parses.len();
            }
        }
    }
    assert!(num_parsed > 700, "{num_parsed}");
}

/// The logarithm of the sum of numbers whose logarithms these are.
fn log_sum_exp(logarithms: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logarithms.clone().fold(f64::NEG_INFINITY, f64::max);
    match largest == f64::NEG_INFINITY {
        true => largest,
        false => largest + logarithms.map(|it| (it - largest).exp()).sum::<f64>().ln(),
    }
}

/// For each span the logarithms of the inside values of all sub-symbols, without any scaling: the textbook's recursion.
fn log_inside(model: &GrammarModel, tokens: &Tree) -> BTreeMap<Span, Vec<f64>> {
    let (level, grammar) = (model.finest(), &model.finest().grammar);
    let mut inside: BTreeMap<Span, Vec<f64>> = BTreeMap::new();
    for span in full_chart(model, tokens.num_tokens()).spans() {
        let mut terms = vec![Vec::new(); grammar.num_substates()];
        if span.len() == 1 {
            let word = level.lexicon.words.get(tokens.word(span.start as usize)).expect("a word") as usize;
            for (tag, scores) in level.lexicon.of_words.get(word) {
                grammar
                    .substates(tag)
                    .zip(scores)
                    .for_each(|(sub, score)| terms[sub].push(f64::from(*score).ln()));
            }
        }
        for k in span.start + 1..span.end {
            let [left, right] = [Span::new(span.start, k), Span::new(k, span.end)].map(|it| &inside[&it]);
            log_rules(grammar, |rule| rule.right.is_some(), left, Some(right), &mut terms);
        }
        let bottom: Vec<f64> = terms.iter().map(|terms| log_sum_exp(terms.iter().copied())).collect();
        let mut total = bottom.clone();
        for _ in 0..grammar.max_chain() {
            let mut terms: Vec<Vec<f64>> = bottom.iter().map(|&it| vec![it]).collect();
            log_rules(grammar, |rule| rule.right.is_none(), &total, None, &mut terms);
            total = terms.iter().map(|terms| log_sum_exp(terms.iter().copied())).collect();
        }
        inside.insert(span, total);
    }
    inside
}

/// Adds the logarithm of what each row of some rules makes of the children.
fn log_rules(
    grammar: &Grammar,
    is_wanted: impl Fn(&Rule) -> bool,
    left: &[f64],
    right: Option<&Vec<f64>>,
    terms: &mut [Vec<f64>],
) {
    for (index, rule) in grammar.rules().iter().enumerate().filter(|(_, rule)| is_wanted(rule)) {
        for ([b, c], values) in grammar.rows(index) {
            let first = left[grammar.substates(rule.left).start + usize::from(b)];
            let second = rule
                .right
                .zip(right)
                .map_or(0.0, |(symbol, values)| values[grammar.substates(symbol).start + usize::from(c)]);
            for (sub, &value) in grammar.substates(rule.parent).zip(values) {
                terms[sub].push(f64::from(value).ln() + first + second);
            }
        }
    }
}

#[test]
fn scaled_numbers_are_those_of_logarithms() {
    let mut scratch = Scratch::default();
    for (seed, num_words) in [(1, 12), (3, 30), (4, 60)] {
        let (model, tokens) = (split_model(seed), sentence(num_words, seed));
        let mut chart = full_chart(&model, num_words);
        assert!(fill::<Sum>(&model, &tokens, &mut chart, &mut scratch));
        let (grammar, wanted) = (&model.finest().grammar, log_inside(&model, &tokens));
        let mut num_compared = 0;
        for span in chart.spans() {
            let exponent = f64::from(chart.cell(span).exponent) * std::f64::consts::LN_2;
            for &entry in chart.entries(chart.cell(span)) {
                let values = &chart.total[chart.range(grammar, entry)];
                let wanted = &wanted[&span][grammar.substates(entry.symbol)];
                for (&found, wanted) in values.iter().zip(wanted).filter(|(found, _)| **found > 1e-20) {
                    let found = f64::from(found).ln() + exponent;
                    assert!((found - wanted).abs() < 1e-3, "{span:?} {found} {wanted}");
                    num_compared += 1;
                }
            }
        }
        assert!(num_compared > 5 * num_words * num_words, "{num_compared}");
        let root = chart.find(chart.whole(), model.symbols().root()).expect("a parse");
        let whole = &wanted[&chart.whole()][grammar.substates(root.symbol)];
        assert!(num_words < 60 || whole[0].abs() > 100.0, "beyond all f32: {whole:?}");
    }
}

#[test]
fn long_sentences_do_not_underflow() {
    let model = (0..).map(model).find(|it| !all_trees(it, &sentence(4, 1)).is_empty()).unwrap();
    let mut num_parsed = 0;
    for num_words in [50, 200] {
        let tokens = sentence(num_words, 3);
        let config = ChartConfig { beam: 0.0, ..ChartConfig::default() };
        let (parses, _) = ChartParser::new(&model, config)
            .parse(Request { tokens: &tokens, demands: &Demands::default(), hints: &[] })
            .unwrap();
        for parse in parses {
            num_parsed += 1;
            assert!(parse.tree.words().eq(tokens.words()));
            assert!(parse.confidences.iter().all(|it| (0.0..=1.0).contains(it)));
        }
    }
    assert_eq!(num_parsed, 2);
}

/// Every symbol but the root split in two, twice.
fn split_model(seed: u64) -> GrammarModel {
    let split = |sizes: [u16; 6]| {
        sizes.map(|size| (0..size).map(|sub| if size > 1 { sub / 2 } else { 0 }).collect()).to_vec()
    };
    random_model(seed, &[4, 4, 1, 4, 4, 4], vec![split([2, 2, 1, 2, 2, 2]), split([4, 4, 1, 4, 4, 4])], 4)
}

#[test]
fn coarse_grammars_keep_what_the_fine_one_may_need() {
    for seed in 0..12 {
        let (model, tokens) = (split_model(seed), sentence(1 + seed as usize % 4, seed));
        let alone = GrammarModel::new(symbols(), model.finest().clone(), Vec::new());
        let parse = |model: &GrammarModel| {
            let config = ChartConfig::exact();
            ChartParser::new(model, config)
                .parse(Request { tokens: &tokens, demands: &Demands::default(), hints: &[] })
                .unwrap()
                .0
        };
        assert_eq!(parse(&model), parse(&alone), "nothing is pruned at threshold zero");
    }
}

#[test]
fn a_grammar_as_fine_as_the_next_is_left_out() {
    for seed in 0..4 {
        let coarser = split_model(seed);
        let finer = with_squares(&coarser).finest().clone();
        let as_they_are = finer.grammar.sizes().iter().map(|&size| (0..size).collect()).collect();
        let both = coarser.clone().with_finer(finer.clone(), as_they_are);
        assert_eq!(stages(&coarser), [0, 1, 2]);
        assert_eq!(stages(&both), [0, 1, 3]);
        let tokens = sentence(4, seed);
        let parses = |model| parse(model, &tokens, Decoder::MaxRule, 3);
        assert_eq!(parses(&both), parses(&GrammarModel::new(symbols(), finer, Vec::new())));
    }
}

/// The same rules with other numbers.
fn with_squares(model: &GrammarModel) -> GrammarModel {
    let mut level = model.finest().clone();
    level.grammar.change_values(|values| values.iter_mut().for_each(|value| *value *= *value));
    GrammarModel::new(symbols(), level, model.splits().to_vec())
}

fn parse_together(grammars: &[&GrammarModel], tokens: &Tree, decoder: Decoder) -> Vec<ChartParse> {
    let product = GrammarProduct::new(grammars.iter().copied().cloned().collect()).expect("the same symbols");
    let config = ChartConfig { num_best: 3, decoder, ..ChartConfig::exact() };
    let request = Request { tokens, demands: &Demands::default(), hints: &[] };
    let (parses, ending) = ProductParser::new(&product, config).parse(request).expect("sound");
    assert_eq!(ending, Ending::Complete);
    parses
}

/// Grammars with splits and without, each with a sentence.
fn cases_of_products() -> impl Iterator<Item = (GrammarModel, Tree)> {
    let of_split = (0..8).map(|seed| (split_model(seed), sentence(2 + seed as usize % 3, seed)));
    of_split.chain(cases().map(|(model, tokens, _)| (model.clone(), tokens.clone())))
}

#[test]
fn several_grammars_find_the_best_product_of_all_posteriors() {
    let (mut num_changed, mut num_parsed) = (0, 0);
    for (model, tokens) in cases_of_products() {
        let other = with_squares(&model);
        let [trees, others] = [&model, &other].map(|model| all_trees(model, &tokens));
        let of_first = log_products(&model, &trees, 0.0);
        let of_other = log_products(&other, &others, SMALLEST_POSTERIOR);
        let of_both = |tree: &Listed| f64::midpoint(of_first(tree), of_other(tree));
        let all = all_combinations(&model, &tokens);
        let Some(wanted) = all.iter().map(of_both).reduce(f64::max) else { continue };
        let found = parse_together(&[&model, &other], &tokens, Decoder::MaxRule);
        assert!(is_close(-found[0].cost, wanted) || wanted.abs() < 1e-3, "{} {wanted}", found[0].cost);
        assert!(found.iter().map(|parse| parse.cost).is_sorted());
        let alone = parse(&model, &tokens, Decoder::MaxRule, 1);
        num_changed += usize::from(alone[0].tree != found[0].tree);
        num_parsed += 1;
    }
    assert!(num_changed > 5 && num_parsed > 40, "each grammar has a say: {num_changed} of {num_parsed}");
}

#[test]
fn several_grammars_find_the_most_correct_phrases_on_average() {
    for (model, tokens, trees) in cases() {
        let other = with_squares(model);
        let others = all_trees(&other, tokens);
        let (of_first, of_other) = (expected_correct(trees), expected_correct(&others));
        let of_both = |tree: &Listed| f64::midpoint(of_first(tree), of_other(tree));
        let best =
            possible_combinations(model, tokens, trees).iter().map(of_both).fold(f64::NEG_INFINITY, f64::max);
        let found = parse_together(&[model, &other], tokens, Decoder::MaxRecall).swap_remove(0);
        assert!((found.cost + best).abs() < 1e-4, "{} {best} {}", found.cost, found.tree);
    }
}

#[test]
fn a_grammar_agrees_with_itself() {
    for seed in 0..6 {
        let (model, tokens) = (split_model(seed), sentence(4, seed));
        for decoder in [Decoder::MaxRule, Decoder::MaxRecall] {
            let alone = parse(&model, &tokens, decoder, 3);
            let twice = parse_together(&[&model, &model], &tokens, decoder);
            assert_eq!(twice, alone);
        }
    }
}

#[test]
fn three_grammars_are_each_a_third() {
    let mut num_alike = 0;
    for (model, tokens, _) in cases().take(12) {
        let other = with_squares(model);
        let [one, both, most] = [&[model, model][..], &[model, &other], &[model, &other, &other]]
            .map(|grammars| parse_together(grammars, tokens, Decoder::MaxRule).swap_remove(0));
        // What all agree on costs as much as the means say.
        if one.tree == both.tree && one.tree == most.tree {
            let (half, two_thirds) = (both.cost - one.cost, most.cost - one.cost);
            assert!((half - 0.75 * two_thirds).abs() < 1e-4, "{half} {two_thirds}");
            num_alike += usize::from(half.abs() > 1e-3);
        }
    }
    assert!(num_alike > 2, "{num_alike}");
}

#[test]
fn a_grammar_without_a_parse_has_no_say() {
    let (model, tokens) = (split_model(1), sentence(4, 1));
    let mut level = model.finest().clone();
    level.grammar.change_values(|values| values.fill(0.0));
    let alone = parse(&model, &tokens, Decoder::MaxRule, 3);
    let mute = GrammarModel::new(symbols(), level.clone(), model.splits().to_vec());
    assert_eq!(parse_together(&[&model, &mute], &tokens, Decoder::MaxRule), alone);
    let unsplit = GrammarModel::new(symbols(), model.finest().clone(), Vec::new());
    let mute = GrammarModel::new(symbols(), level, Vec::new());
    for grammars in [[&unsplit, &mute], [&mute, &unsplit]] {
        assert_eq!(parse_together(&grammars, &tokens, Decoder::MaxRule), alone);
    }
}

#[test]
fn several_grammars_meet_demands_and_end_in_time() {
    let (model, tokens) = (split_model(1), sentence(4, 1));
    let product = GrammarProduct::new(vec![model.clone(), with_squares(&model)]).expect("the same symbols");
    let mut demands = Demands::default();
    demands.require(Span::new(1, 3), Some("B"));
    let request = Request { tokens: &tokens, demands: &demands, hints: &[] };
    let (parses, _) = ProductParser::new(&product, ChartConfig::exact()).parse(request).expect("sound");
    assert!(parses[0].tree.nodes().any(|node| node.span == Span::new(1, 3) && node.label == "B"));
    let unsplit = GrammarModel::new(symbols(), model.finest().clone(), Vec::new());
    let plain = GrammarProduct::new(vec![unsplit.clone(), unsplit]).expect("the same symbols");
    for product in [product, plain] {
        let config = ChartConfig { timeout: Some(Duration::ZERO), ..ChartConfig::exact() };
        let (parses, ending) = ProductParser::new(&product, config).parse(request).expect("sound");
        assert_eq!((parses.len(), ending), (0, Ending::Deadline));
        let config = ChartConfig { max_length: Some(3), ..ChartConfig::exact() };
        let (parses, ending) = ProductParser::new(&product, config).parse(request).expect("sound");
        assert_eq!((parses.len(), ending), (0, Ending::TooLong));
    }
}

#[test]
fn demands_are_met() {
    let mut num_met = 0;
    for (model, tokens, trees) in cases().filter(|(_, tokens, _)| tokens.num_tokens() >= 3) {
        for (span, label) in
            [(Span::new(0, 2), None), (Span::new(1, 3), Some("B")), (Span::new(0, 1), Some("A"))]
        {
            let mut demands = Demands::default();
            demands.require(span, label);
            if label.is_none() {
                demands.require_root("B");
            }
            let is_met = |tree: &Tree| {
                let mut over = tree.nodes().filter(|node| node.span == span);
                let whole: Vec<&str> = tree
                    .nodes()
                    .filter(|node| node.span.len() == tokens.num_tokens())
                    .map(|node| node.label)
                    .collect();
                match label {
                    Some(label) => {
                        over.next().is_some_and(|node| node.label == label) && over.next().is_none()
                    }
                    None => over.next().is_some() && whole == ["TOP", "B"],
                }
            };
            let request = Request { tokens, demands: &demands, hints: &[] };
            for decoder in [Decoder::MaxRule, Decoder::Viterbi, Decoder::MaxRecall] {
                let config = ChartConfig { decoder, ..ChartConfig::exact() };
                let (parses, _) = ChartParser::new(model, config).parse(request).unwrap();
                let is_possible = trees.iter().any(|tree| is_met(&shape(&tree.text)));
                assert_eq!(is_possible, !parses.is_empty(), "{tokens} {demands:?}");
                assert!(
                    parses.iter().all(|parse| is_met(&parse.tree)),
                    "{decoder:?} {demands:?} {}",
                    parses[0].tree
                );
                num_met += parses.len();
            }
        }
    }
    assert!(num_met > 20, "{num_met}");
}

#[test]
fn demands_that_cannot_be_met_are_told() {
    let (model, tokens) = (model(0), sentence(2, 0));
    let message = |demands: &Demands| {
        let request = Request { tokens: &tokens, demands, hints: &[] };
        ChartParser::new(&model, ChartConfig::default()).parse(request).unwrap_err().to_string()
    };
    let mut demands = Demands::default();
    demands.forbid_crossing(Span::new(1, 3));
    assert!(message(&demands).contains("expected a span of the 2 tokens, found 1..3"));
    let mut demands = Demands::default();
    demands.require_root("C");
    assert!(message(&demands).contains("found `C` (it knows A, B)"));
}

#[test]
fn given_tags_are_kept() {
    let (model, _, _) = cases().next().expect("a case");
    for (word, tag) in [("a", "x"), ("unknown", "x"), ("a", "NEW")] {
        let tokens: Tree = format!("(S ({tag} {word}))").parse().unwrap();
        let mut tokens = tokens;
        tokens.retain_nodes(|_| false);
        let (parses, _) = ChartParser::new(model, ChartConfig::exact())
            .parse(Request { tokens: &tokens, demands: &Demands::default(), hints: &[] })
            .unwrap();
        assert!(parses.iter().all(|parse| parse.tree.token(0).tag == tag));
    }
}

#[test]
fn tags_that_may_be_wrong_make_others_less_likely() {
    let mut num_overruled = 0;
    for (model, tokens, trees) in cases() {
        let mut tokens = tokens.clone();
        let given: Vec<Symbol> = (0..tokens.num_tokens()).map(|place| Symbol(place as u16 % 2)).collect();
        (0..given.len()).for_each(|place| tokens.set_tag(place, model.symbols().name(given[place])));
        let config = ChartConfig { decoder: Decoder::Viterbi, tag_trust: 0.75, ..ChartConfig::exact() };
        let request = Request { tokens: &tokens, demands: &Demands::default(), hints: &[] };
        let (parses, _) = ChartParser::new(model, config).parse(request).unwrap();
        let is_wrong = |&&(symbol, span): &&(Symbol, Span)| {
            model.symbols().is_tag(symbol) && symbol != given[span.start as usize]
        };
        let num_wrong = |tree: &Listed| tree.nodes.iter().filter(is_wrong).count();
        // One tag in four is wrong, and with two tags a wrong one is the other.
        let worth = |tree: &Listed| tree.bests[0] / 3f64.powi(num_wrong(tree) as i32);
        let best = trees.iter().map(worth).fold(0.0, f64::max);
        let is_found = |tree: &&Listed| is_close(worth(tree), best) && shape(&tree.text) == parses[0].tree;
        let found = trees.iter().find(is_found);
        num_overruled += found.map(num_wrong).expect("the best tree, or one as good");
    }
    assert!(num_overruled > 5, "{num_overruled}");
}

#[test]
fn what_a_tagger_thinks_makes_tags_likelier() {
    let mut num_changed = 0;
    for (model, tokens, trees) in cases() {
        let probability = |place: usize, tag: Symbol| if place % 2 == tag.index() { 0.9f32 } else { 0.1 };
        let hints_of =
            |place: usize| [0, 1].map(|tag| (Symbol(tag), probability(place, Symbol(tag)))).to_vec();
        let hints: Vec<TagHints> = (0..tokens.num_tokens()).map(hints_of).collect();
        let config = ChartConfig { decoder: Decoder::Viterbi, hint_weight: 0.5, ..ChartConfig::exact() };
        let request = Request { tokens, demands: &Demands::default(), hints: &hints };
        let (parses, _) = ChartParser::new(model, config).parse(request).unwrap();
        let tags = |tree: &Listed| {
            let is_tag = |it: &(Symbol, Span)| model.symbols().is_tag(it.0);
            tree.nodes.iter().copied().filter(is_tag).collect::<Vec<(Symbol, Span)>>()
        };
        let factor = |(tag, span): (Symbol, Span)| f64::from(probability(span.start as usize, tag)).sqrt();
        let worth = |tree: &Listed| tree.bests[0] * tags(tree).into_iter().map(factor).product::<f64>();
        let best = trees.iter().map(worth).fold(0.0, f64::max);
        let is_found = |tree: &&Listed| is_close(worth(tree), best) && shape(&tree.text) == parses[0].tree;
        assert!(trees.iter().any(|tree| is_found(&tree)), "the best tree, or one as good");
        num_changed += usize::from(parses[0].tree != parse(model, tokens, Decoder::Viterbi, 1)[0].tree);
    }
    assert!(num_changed > 5, "{num_changed}");
}
