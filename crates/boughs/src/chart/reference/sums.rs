//! Inside and outside values are the sums over all trees.

use super::*;

#[test]
fn inside_is_the_sum_and_the_best_of_all_trees() {
    let mut scratch = Scratch::default();
    for (model, tokens, trees) in cases() {
        let mut chart = full_chart(model, tokens.len());
        fill::<SumSemiring>(model, tokens, &mut chart, &mut scratch);
        assert!(is_close(root_value(model, &chart), total(trees)), "{tokens:?}");
        let mut chart = full_chart(model, tokens.len());
        fill::<MaxSemiring>(model, tokens, &mut chart, &mut scratch);
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
        chart.clear(tokens.len());
        let mut allowed = BTreeSet::new();
        for span in chart.spans() {
            let is_root = |symbol: Symbol| symbol == model.symbols().root();
            let may_be = |symbol: &Symbol| match is_root(*symbol) {
                true => span.len() == tokens.len(),
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
        fill::<SumSemiring>(model, tokens, &mut chart, &mut scratch);
        let (found, wanted) = (root_value(model, &chart), total(&left));
        assert!(is_close(found, wanted), "{tokens:?} {found} {wanted}");
        num_fewer += usize::from(!left.is_empty() && left.len() < trees.len());
    }
    assert!(num_fewer > 8, "{num_fewer}");
}

#[test]
fn inside_times_outside_is_the_posterior() {
    let mut scratch = Scratch::default();
    for (model, tokens, trees) in cases() {
        let grammar = &model.finest().grammar;
        let mut chart = full_chart(model, tokens.len());
        fill::<SumSemiring>(model, tokens, &mut chart, &mut scratch);
        assert!(outside::<SumSemiring>(grammar, model.symbols().root(), &mut chart, &mut scratch, 0.0, None));
        // At the bottom of a cell are the parents of binary rules, and tags.
        let wanted = posteriors(trees, |tree| {
            let binary = tree.rules.iter().filter(|rule| rule.2.is_some()).map(|rule| (rule.0, rule.3));
            let tags = tree.nodes.iter().copied().filter(|(symbol, _)| model.symbols().is_tag(*symbol));
            binary.chain(tags).collect()
        });
        for span in chart.spans() {
            for &entry in chart.entries(chart.cell(span)) {
                let range = chart.range(grammar, entry);
                let found =
                    f64::from(SumSemiring::dot(&chart.bottom[range.clone()], &chart.outer_bottom[range]));
                let wanted = wanted.get(&(entry.symbol, span)).copied().unwrap_or(0.0);
                assert!((found - wanted).abs() < 1e-4, "{span:?} {:?} {found} {wanted}", entry.symbol);
            }
        }
    }
}

/// The logarithm of the sum of all parses, with one number of the grammar changed by a factor.
fn log_sum(model: &GrammarModel, tokens: &Tokens, place: usize, factor: f32) -> f64 {
    let mut level = model.finest().clone();
    level.grammar.change_values(|values| values[place] *= factor);
    let whole = Span::new(0, tokens.len() as u32);
    let root = model.symbols().root();
    let trees = list(&level, tokens, whole, model.symbols());
    let is_whole =
        |tree: &&Listed| top(tree) == root && tree.nodes[1..].iter().all(|(symbol, _)| *symbol != root);
    trees.iter().filter(is_whole).map(|tree| tree.sums[0]).sum::<f64>().ln()
}

#[test]
fn expected_counts_are_the_derivatives_of_the_logarithm_of_the_sum() {
    let mut scratch = Scratch::default();
    for (model, tokens, _) in cases().filter(|(_, tokens, _)| tokens.len() < 4).take(6) {
        let grammar = &model.finest().grammar;
        let mut chart = full_chart(model, tokens.len());
        fill::<SumSemiring>(model, tokens, &mut chart, &mut scratch);
        let mut counts = vec![0.0; grammar.values().len()];
        assert!(add_expected_counts(grammar, model.symbols().root(), &mut chart, &mut scratch, &mut counts));
        for (place, (&count, &value)) in counts.iter().zip(grammar.values()).enumerate() {
            let difference = log_sum(model, tokens, place, 1.01) - log_sum(model, tokens, place, 1.0 / 1.01);
            let wanted = difference / (2.0 * 1.01f64.ln());
            assert!((f64::from(count * value) - wanted).abs() < 2e-3, "{place} {} {wanted}", count * value);
        }
    }
}

#[test]
fn four_words_by_hand() {
    // TOP → A (1), A → A A (0.4), A → x (0.6), and P(a | x) = 1: the Catalan number of binary trees.
    let block = |parent: u16, left: u16, right: Option<u16>, value: f32| RuleBlock {
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
    let tokens: Tokens = [("a", ""); 4].into_iter().collect();
    let mut chart = full_chart(&model, 4);
    let mut scratch = Scratch::default();
    fill::<SumSemiring>(&model, &tokens, &mut chart, &mut scratch);
    let [four, six] = [0.4f64, 0.6].map(|value| f64::from(rounded(&model, value as f32)));
    assert!(is_close(root_value(&model, &chart), 5.0 * four.powi(3) * six.powi(4)));
    outside::<SumSemiring>(
        &model.finest().grammar,
        model.symbols().root(),
        &mut chart,
        &mut scratch,
        0.0,
        None,
    );
    let posterior = |start, end| {
        let entry = chart.find(Span::new(start, end), Symbol(3)).unwrap();
        chart.total[entry.start as usize] * chart.outer_bottom[entry.start as usize]
    };
    // Two of the five trees have a phrase over the first two words and two over the first three; one word is always
    // under a phrase.
    assert!((posterior(0, 2) - 0.4).abs() < 1e-5 && (posterior(0, 3) - 0.4).abs() < 1e-5);
    assert!((posterior(1, 3) - 0.4).abs() < 1e-5 && (posterior(2, 3) - 1.0).abs() < 1e-5);
    // Outside of a phrase over two words, in each of two trees, are two more rules for phrases and two for words;
    // outside of one over a word, in each of five, three and three. All is divided by the sum of the trees.
    let outer = |start, end| {
        let span = Span::new(start, end);
        let entry = chart.find(span, Symbol(3)).unwrap();
        f64::from(chart.outer[entry.start as usize]) / 2f64.powi(chart.cell(span).exponent)
    };
    let sum = 5.0 * four.powi(3) * six.powi(4);
    assert!(is_close(outer(0, 2), 2.0 * four.powi(2) * six.powi(2) / sum), "{}", outer(0, 2));
    assert!(is_close(outer(2, 3), 5.0 * four.powi(3) * six.powi(3) / sum), "{}", outer(2, 3));
    let grammar = &model.finest().grammar;
    let mut counts = vec![0.0; 3];
    assert!(add_expected_counts(grammar, model.symbols().root(), &mut chart, &mut scratch, &mut counts));
    // Every tree has three rules for phrases, one for the root, and four for words.
    let order: Vec<Symbol> = grammar.rules().iter().map(|rule| rule.left).collect();
    assert_eq!(order, [Symbol(3), Symbol(0), Symbol(3)]);
    for ((count, value), wanted) in counts.iter().zip(grammar.values()).zip([3.0, 4.0, 1.0]) {
        assert!((count * value - wanted).abs() < 1e-4, "{count} {value} {wanted}");
    }
}

/// The number that a model has in place of this one.
fn rounded(model: &GrammarModel, value: f32) -> f32 {
    let nearest = |a: &f32, b: &f32| (a - value).abs().total_cmp(&(b - value).abs());
    model.finest().grammar.values().iter().copied().min_by(nearest).unwrap()
}

/// The logarithm of the sum of numbers whose logarithms these are.
fn log_sum_exp(logarithms: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = logarithms.clone().fold(f64::NEG_INFINITY, f64::max);
    match largest == f64::NEG_INFINITY {
        true => largest,
        false => largest + logarithms.map(|it| (it - largest).exp()).sum::<f64>().ln(),
    }
}

/// For each span the logarithms of the inside values of all substates, without any scaling: the textbook's recursion.
fn log_inside(model: &GrammarModel, tokens: &Tokens) -> BTreeMap<Span, Vec<f64>> {
    let (level, grammar) = (model.finest(), &model.finest().grammar);
    let mut inside: BTreeMap<Span, Vec<f64>> = BTreeMap::new();
    for span in full_chart(model, tokens.len()).spans() {
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
    is_wanted: impl Fn(&GrammarRule) -> bool,
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
        assert!(fill::<SumSemiring>(&model, &tokens, &mut chart, &mut scratch));
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
