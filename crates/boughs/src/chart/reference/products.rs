//! Several grammars find what is the best to all of them.

use super::*;

fn parse_together(grammars: &[&GrammarModel], tokens: &Tokens, decoder: Decoder) -> Vec<Parse> {
    let model = ChartModel::new(grammars.iter().copied().cloned().collect(), None).expect("the same symbols");
    parse_all(&model, tokens, decoder, 3)
}

/// Grammars with splits and without, each with a sentence.
fn cases_of_products() -> impl Iterator<Item = (GrammarModel, Tokens)> {
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
        assert!(is_close(-cost(&found[0]), wanted) || wanted.abs() < 1e-3, "{} {wanted}", cost(&found[0]));
        assert!(found.iter().map(cost).is_sorted());
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
        assert!((cost(&found) + best).abs() < 1e-4, "{} {best} {}", cost(&found), found.tree);
    }
}

#[test]
fn a_grammar_agrees_with_itself() {
    for seed in 0..6 {
        let (model, tokens) = (split_model(seed), sentence(4, seed));
        for decoder in [Decoder::MaxRule, Decoder::MaxRuleSum, Decoder::MaxRecall] {
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
            let (half, two_thirds) = (cost(&both) - cost(&one), cost(&most) - cost(&one));
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
fn several_grammars_meet_constraints_and_end_in_time() {
    let (model, tokens) = (split_model(1), sentence(4, 1));
    let product = ChartModel::new(vec![model.clone(), with_squares(&model)], None).expect("the same symbols");
    let mut constraints = Constraints::default();
    constraints.require(Span::new(1, 3), Some("B"));
    let request = Request { constraints: &constraints, ..Request::new(&tokens) };
    let parsed = ChartParser::new(&product, &ChartOptions::exact()).parse(request, &[]).expect("sound");
    assert!(parsed.tree().nodes().any(|node| node.span == Span::new(1, 3) && node.label == "B"));
    assert_eq!(parsed.status, Status::Pruned);
    let unsplit = GrammarModel::new(symbols(), model.finest().clone(), Vec::new());
    let plain = ChartModel::new(vec![unsplit.clone(), unsplit], None).expect("the same symbols");
    for product in [product, plain, model.into()] {
        let late = Request { deadline: Some(Instant::now()), ..request };
        let parsed = ChartParser::new(&product, &ChartOptions::exact()).parse(late, &[]).expect("sound");
        assert_eq!(parsed.status, Status::Fallback(Some(Limit::Time)));
        assert!(parsed.tree().num_nodes() == 1 && parsed.tree().tokens().all(|token| !token.tag.is_empty()));
    }
}
