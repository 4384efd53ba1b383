//! Constraints, given tags and the opinion of a tagger single out the trees that they should.

use super::*;

#[test]
fn demands_are_met() {
    let mut num_met = 0;
    for (model, tokens, trees) in cases().filter(|(_, tokens, _)| tokens.num_tokens() >= 3) {
        for (span, label) in
            [(Span::new(0, 2), None), (Span::new(1, 3), Some("B")), (Span::new(0, 1), Some("A"))]
        {
            let mut constraints = Constraints::default();
            constraints.require(span, label);
            if label.is_none() {
                constraints.require_root("B");
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
            let request = Request { tokens, constraints: &constraints, hints: &[] };
            for decoder in [Decoder::MaxRule, Decoder::Viterbi, Decoder::MaxRecall] {
                let config = ChartConfig { decoder, ..ChartConfig::exact() };
                let (parses, _) = ChartParser::new(model, config).parse(request).unwrap();
                let is_possible = trees.iter().any(|tree| is_met(&shape(&tree.text)));
                assert_eq!(is_possible, !parses.is_empty(), "{tokens} {constraints:?}");
                assert!(
                    parses.iter().all(|parse| is_met(&parse.tree)),
                    "{decoder:?} {constraints:?} {}",
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
    let message = |constraints: &Constraints| {
        let request = Request { tokens: &tokens, constraints, hints: &[] };
        ChartParser::new(&model, ChartConfig::default()).parse(request).unwrap_err().to_string()
    };
    let mut constraints = Constraints::default();
    constraints.forbid_crossing(Span::new(1, 3));
    assert!(message(&constraints).contains("expected a span of the 2 tokens, found 1..3"));
    let mut constraints = Constraints::default();
    constraints.require_root("C");
    assert!(message(&constraints).contains("found `C` (it knows A, B)"));
}

#[test]
fn given_tags_are_kept() {
    let (model, _, _) = cases().next().expect("a case");
    for (word, tag) in [("a", "x"), ("unknown", "x"), ("a", "NEW")] {
        let tokens: Tree = format!("(S ({tag} {word}))").parse().unwrap();
        let mut tokens = tokens;
        tokens.retain_nodes(|_| false);
        let (parses, _) = ChartParser::new(model, ChartConfig::exact())
            .parse(Request { tokens: &tokens, constraints: &Constraints::default(), hints: &[] })
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
        let config = ChartConfig { decoder: Decoder::Viterbi, tag_prior: 0.75, ..ChartConfig::exact() };
        let request = Request { tokens: &tokens, constraints: &Constraints::default(), hints: &[] };
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
        let hints: Vec<TagPosteriors> = (0..tokens.num_tokens()).map(hints_of).collect();
        let config = ChartConfig { decoder: Decoder::Viterbi, tagger_weight: 0.5, ..ChartConfig::exact() };
        let request = Request { tokens, constraints: &Constraints::default(), hints: &hints };
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
