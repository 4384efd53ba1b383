//! Constraints, given tags and the posteriors of a tagger single out the trees that they should.

use super::*;

#[test]
fn constraints_are_met() {
    let mut num_met = 0;
    for (model, tokens, trees) in cases().filter(|(_, tokens, _)| tokens.len() >= 3) {
        let chart_model = model.clone().into();
        for (span, label) in
            [(Span::new(0, 2), None), (Span::new(1, 3), Some("B")), (Span::new(0, 1), Some("A"))]
        {
            let mut constraints = Constraints::default();
            constraints.require(span, label);
            if label.is_none() {
                constraints.root = Some("B".into());
            }
            let is_met = |tree: &Tree| {
                let mut over = tree.nodes().filter(|node| node.span == span);
                let whole: Vec<&str> = tree
                    .nodes()
                    .filter(|node| node.span.len() == tokens.len())
                    .map(|node| node.label)
                    .collect();
                match label {
                    Some(label) => {
                        over.next().is_some_and(|node| node.label == label) && over.next().is_none()
                    }
                    None => over.next().is_some() && whole == ["TOP", "B"],
                }
            };
            let request = Request { constraints: &constraints, ..Request::new(tokens) };
            let is_possible = trees.iter().any(|tree| is_met(&shape(&tree.text)));
            for decoder in [Decoder::MaxRule, Decoder::Viterbi, Decoder::MaxRuleSum, Decoder::MaxRecall] {
                let options = ChartOptions { decoder, ..ChartOptions::exact() };
                let parsed = ChartParser::new(&chart_model, &options).parse(request, &[]).unwrap();
                let told = format!("{decoder:?} {tokens:?} {constraints:?} {}", parsed.tree());
                assert_eq!(is_possible, parsed.status == Status::Pruned, "{told}");
                match is_possible {
                    true => assert!(parsed.parses.iter().all(|parse| is_met(&parse.tree)), "{told}"),
                    false => {
                        // There is a parse, if another one than was asked for.
                        assert_eq!(parsed.status, Status::ConstraintsUnmet, "{told}");
                        assert!(parsed.parses[0].cost.is_some(), "{told}");
                        let unmet = parsed.unmet.expect("a reason").to_string();
                        assert!(unmet.contains("no parse that meets the constraints"), "{unmet}");
                    }
                }
                num_met += usize::from(is_possible);
            }
        }
    }
    assert!(num_met > 20, "{num_met}");
}

#[test]
fn constraints_that_cannot_be_met_are_told() {
    let (model, tokens) = (split_model(1).into(), sentence(2, 1));
    let message = |constraints: &Constraints| {
        let request = Request { constraints, ..Request::new(&tokens) };
        let parsed = ChartParser::new(&model, &ChartOptions::default()).parse(request, &[]).unwrap();
        assert_eq!(parsed.status, Status::ConstraintsUnmet);
        assert!(parsed.parses[0].cost.is_some(), "a parse without them");
        parsed.unmet.expect("a reason").to_string()
    };
    let mut constraints = Constraints::default();
    constraints.uncrossed.push(Span::new(1, 3));
    assert!(message(&constraints).contains("expected a span of the 2 tokens, found 1..3"));
    let constraints = Constraints { root: Some("C".into()), ..Constraints::default() };
    assert!(message(&constraints).contains("found `C` (it knows A, B)"));
}

#[test]
fn what_is_not_about_constraints_is_no_unmet_constraint() {
    let (model, tokens) = (ChartModel::from(split_model(1)), sentence(2, 1));
    let constraints = Constraints { root: Some("A".into()), ..Constraints::default() };
    let request = Request { constraints: &constraints, ..Request::new(&tokens) };
    let error = ChartParser::new(&model, &ChartOptions::default()).explain(request, &[]).unwrap_err();
    assert_eq!(error.kind(), crate::ErrorKind::Mismatch);
    let late = Request { deadline: Some(Instant::now()), ..request };
    let parsed = ChartParser::new(&model, &ChartOptions::default()).parse(late, &[]).unwrap();
    assert!(parsed.unmet.is_none() && parsed.status == Status::Fallback(Some(Limit::Time)));
    let none = Tokens::new();
    let parsed = ChartParser::new(&model, &ChartOptions::default()).parse(Request::new(&none), &[]).unwrap();
    assert_eq!((parsed.status, parsed.tree().is_empty()), (Status::Trivial, true));
}

#[test]
fn given_tags_are_kept() {
    let (model, _, _) = cases().next().expect("a case");
    let model = model.clone().into();
    for (word, tag) in [("a", "x"), ("unknown", "x"), ("a", "NEW")] {
        let tokens: Tokens = [(word, tag)].into_iter().collect();
        let parsed =
            ChartParser::new(&model, &ChartOptions::exact()).parse(Request::new(&tokens), &[]).unwrap();
        assert_eq!(parsed.tree().token(0).tag, tag);
    }
}

#[test]
fn tags_that_may_be_wrong_make_others_less_likely() {
    let mut num_overruled = 0;
    for (model, tokens, trees) in cases() {
        let mut tokens = tokens.clone();
        let given: Vec<Symbol> = (0..tokens.len()).map(|place| Symbol(place as u16 % 2)).collect();
        (0..given.len()).for_each(|place| tokens.set_tag(place, model.symbols().name(given[place])));
        let options = ChartOptions { decoder: Decoder::Viterbi, tag_prior: 0.75, ..ChartOptions::exact() };
        let chart_model = model.clone().into();
        let parses =
            ChartParser::new(&chart_model, &options).parse(Request::new(&tokens), &[]).unwrap().parses;
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
fn posteriors_of_a_tagger_make_tags_likelier() {
    let mut num_changed = 0;
    for (model, tokens, trees) in cases() {
        let probability = |place: usize, tag: Symbol| if place % 2 == tag.index() { 0.9f32 } else { 0.1 };
        let posteriors_of =
            |place: usize| [0, 1].map(|tag| (Symbol(tag), probability(place, Symbol(tag)))).to_vec();
        let posteriors: Vec<TagPosteriors> = (0..tokens.len()).map(posteriors_of).collect();
        let options = ChartOptions { decoder: Decoder::Viterbi, tagger_weight: 0.5, ..ChartOptions::exact() };
        let chart_model = model.clone().into();
        let parsed = ChartParser::new(&chart_model, &options).parse(Request::new(tokens), &posteriors);
        let parses = parsed.unwrap().parses;
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
