//! Decoders find what is the best of all trees, and pruning leaves it.

use super::*;

#[test]
fn viterbi_finds_the_best_derivation() {
    for (model, tokens, trees) in cases() {
        let best = trees.iter().map(|tree| tree.bests[0]).fold(0.0, f64::max);
        let found = parse(model, tokens, Decoder::Viterbi, 1).swap_remove(0);
        assert!(is_close(-cost(&found), best.ln()), "{} {}", cost(&found), best.ln());
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
            is_close(-cost(&found[0]), wanted[0].0) || wanted[0].0.abs() < 1e-3,
            "{} {}",
            cost(&found[0]),
            wanted[0].0
        );
        assert!(found.iter().map(cost).is_sorted());
        for parse in &found {
            assert_eq!(parse.confidences.len(), parse.tree.num_nodes());
            assert!(wanted.iter().any(|(_, tree)| *tree == parse.tree), "{}", parse.tree);
        }
    }
}

#[test]
fn max_rule_sum_finds_the_most_correct_rules() {
    for (model, tokens, trees) in cases() {
        let num_correct = expected_correct_rules(model, trees);
        let possible = possible_combinations(model, tokens, trees);
        let best = possible.iter().map(num_correct).fold(f64::NEG_INFINITY, f64::max);
        let found = parse(model, tokens, Decoder::MaxRuleSum, 1).swap_remove(0);
        assert!((cost(&found) + best).abs() < 1e-4, "{} {best} {}", cost(&found), found.tree);
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
        assert!((cost(&found) + best).abs() < 1e-4, "{} {best} {}", cost(&found), found.tree);
    }
}

#[test]
fn confidences_are_posteriors() {
    for (model, tokens, trees) in cases() {
        let of_nodes = posteriors(trees, |tree| tree.nodes.clone());
        let found = parse(model, tokens, Decoder::MaxRule, 1).swap_remove(0);
        for (node, confidence) in found.tree.nodes().zip(&found.confidences) {
            let symbol = model.symbols().phrase(node.label).expect("a symbol");
            let wanted = of_nodes[&(symbol, node.span)].min(1.0);
            let confidence = confidence.expect("a posterior");
            assert!((confidence - wanted).abs() < 1e-3, "{} {confidence} {wanted}", node.label);
        }
    }
}

#[test]
fn however_much_is_pruned_a_parse_is_left() {
    let of_split = (0..24).map(|seed| (split_model(seed), sentence(1 + seed as usize % 5, seed)));
    let unsplit = cases().map(|(model, tokens, _)| (model.clone(), tokens.clone()));
    let mut num_parsed = 0;
    for (model, tokens) in of_split.chain(unsplit) {
        let possible = parse(&model, &tokens, Decoder::Viterbi, 1);
        let model = model.into();
        for (beam, threshold) in [(1.0, f32::NEG_INFINITY), (0.3, -2.0), (0.0, -0.05), (1.0, 0.0)] {
            for decoder in [Decoder::MaxRule, Decoder::Viterbi, Decoder::MaxRuleSum, Decoder::MaxRecall] {
                let thresholds = vec![threshold];
                let options = ChartOptions { decoder, beam, thresholds, ..ChartOptions::default() };
                let parsed =
                    ChartParser::new(&model, &options).parse(Request::new(&tokens), &[]).expect("sound");
                let status = if possible.is_empty() { Status::Fallback(None) } else { Status::Pruned };
                assert_eq!(parsed.status, status, "{beam} {threshold} {decoder:?} {tokens:?}");
                assert_eq!(parsed.tree().sentence().words().len(), tokens.len());
                num_parsed += usize::from(!possible.is_empty());
            }
        }
    }
    assert!(num_parsed > 930, "{num_parsed}");
}

#[test]
fn long_sentences_do_not_underflow() {
    let model = (0..).map(model).find(|it| !all_trees(it, &sentence(4, 1)).is_empty()).unwrap();
    let model = model.into();
    for num_words in [50, 200] {
        let tokens = sentence(num_words, 3);
        let options = ChartOptions { beam: 0.0, ..ChartOptions::default() };
        let parsed = ChartParser::new(&model, &options).parse(Request::new(&tokens), &[]).unwrap();
        assert_eq!(parsed.status, Status::Pruned);
        assert!(parsed.tree().words().eq(tokens.words()));
        let is_probability = |it: &Option<f64>| it.is_some_and(|it| (0.0..=1.0).contains(&it));
        assert!(parsed.parses[0].confidences.iter().all(is_probability));
    }
}

#[test]
fn coarse_grammars_keep_what_the_fine_one_may_need() {
    for seed in 0..12 {
        let (model, tokens) = (split_model(seed), sentence(1 + seed as usize % 4, seed));
        let alone = GrammarModel::new(symbols(), model.finest().clone(), Vec::new());
        let parse = |model| parse(model, &tokens, Decoder::MaxRule, 1);
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
