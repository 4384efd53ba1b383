//! Everything by enumeration of all parses: what the fast code must agree with.

use super::examples::{Example, PartFeatures, losses};
use super::forests::{FoldGrammars, SentenceForest, TrainingForests};
use super::gold::{Gold, gold_parts};
use super::index::FeatureIndex;
use super::oracle::{base_factor, primal, sum};
use super::settings::{BaseGrammar, CrfConfig, Loss, Optimizer};
use super::state::WeightState;
use super::{dual, online};
use crate::chart::{CrfGraph, CrfPart, Extractor, PartSymbols, best_derivation, edge_posteriors};
use crate::learn::run::{Silent, Watch};
use crate::model::{CrfObjective, ForestThresholds, Symbol, Symbols, WordForms};
use crate::rng::Rng;
use crate::span::Span;
use crate::train::grammar::BinaryTrees;
use crate::train::pcfg::{PcfgConfig, read_off};
use crate::tree::Tree;
use crate::vocab::Vocab;

/// Sentences with several parses each.
const TREES: [&str; 5] = [
    "( (S (NP (PRP I)) (VP (VBD saw) (NP (NN men)) (PP (IN with) (NP (NN dogs))))))",
    "( (S (NP (PRP I)) (VP (VBD saw) (NP (NP (NN men)) (PP (IN with) (NP (NN hats)))))))",
    "( (S (NP (NN dogs)) (VP (VBD saw) (NP (NN men)))))",
    "( (S (NP (NN men)) (VP (VBD saw) (NP (NP (NN dogs)) (PP (IN with) (NP (NN men)))) (PP (IN with) (NP (NN hats))))))",
    "( (S (VP (VB saw) (NP (DT the) (NN men)))))",
];

/// There are no other processes.
fn alone() -> Watch<'static> {
    Watch::new(&Silent)
}

fn config() -> CrfConfig {
    CrfConfig {
        features: "base-score grammar\nrule\nrule split-right.word\nlabel first.word\nlabel length\nany last.word\ntag first.word".parse().unwrap(),
        base: BaseGrammar::Pcfg(PcfgConfig::x_bar()),
        thresholds: ForestThresholds { phrases: -20.0, rules: -20.0 },
        folds: 1,
        min_word_count: 1,
        min_feature_count: 1,
        ..CrfConfig::default()
    }
}

fn examples(config: &CrfConfig) -> (Vec<Example>, FeatureIndex) {
    let trees: Vec<Tree> = TREES.iter().map(|text| text.parse().unwrap()).collect();
    let BaseGrammar::Pcfg(base) = &config.base else { panic!("a plain grammar") };
    let grammar = read_off(&trees, base).unwrap();
    let binary = BinaryTrees::new(&trees, &base.binarization(), &base.annotations).unwrap();
    let numbered = binary.number(&base.lexicon.classes, |_| true);
    let forms = WordForms::new(numbered.words.iter().map(|word| (word, 1)), 1);
    let parts = PartSymbols::of_grammar(&grammar, config.is_annotated());
    let extractor = Extractor::new(&config.features, &parts);
    let symbols = grammar.symbols();
    let builder = TrainingForests { config, forms: &forms, extractor: &extractor, symbols, parts: &parts };
    let forests = builder.build(&trees, FoldGrammars { forests: &grammar, posteriors: None });
    let index = builder.index(&forests);
    let example = |(tree, forest): (usize, SentenceForest)| {
        let (graph, surface) = forest.forest.unwrap();
        let features = PartFeatures::new(&extractor, &index, &graph, &surface);
        Example::new(graph, features, &gold_parts(&numbered, tree, &parts), &parts, config)
    };
    (forests.into_iter().enumerate().map(example).collect(), index)
}

/// The edges of all derivations of an item.
fn derivations(example: &Example, item: usize) -> Vec<Vec<u32>> {
    let forest = &example.graph.forest;
    let first = forest.items[item].first_edge;
    let mut all = Vec::new();
    for (edge, it) in (first..).zip(forest.edges(item)) {
        let mut partial = vec![vec![edge]];
        for child in it.kind.children() {
            let below = derivations(example, child);
            let join =
                |top: &Vec<u32>| below.iter().map(|it| [&top[..], &it[..]].concat()).collect::<Vec<_>>();
            partial = partial.iter().flat_map(join).collect();
        }
        all.extend(partial);
    }
    all
}

fn all_parses(example: &Example) -> Vec<Vec<u32>> {
    derivations(example, example.graph.root())
}

fn random_weights(length: usize, seed: u64) -> Vec<f32> {
    let mut rng = Rng::new(seed);
    (0..length).map(|_| (2.0 * rng.unit() - 1.0) as f32).collect()
}

/// A vector of all features of a parse.
fn vector(example: &Example, edges: &[u32], length: usize) -> Vec<f64> {
    let mut vector = vec![0.0; length];
    let gradient = example.gradient_of(&example.difference(edges, &[]), 0.0);
    example.each_feature(&gradient, |place, strength| vector[place as usize] += f64::from(strength));
    vector
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn sentences_have_several_parses_and_the_right_one_is_the_target() {
    let (examples, _) = examples(&config());
    let numbers: Vec<usize> = examples.iter().map(|example| all_parses(example).len()).collect();
    assert!(numbers.iter().any(|&number| number > 5), "{numbers:?}");
    assert!(examples.iter().all(|example| sum(&example.losses, &example.target) == 0.0));
}

/// The same with a base grammar that tells phrases of words alone from others.
fn annotated() -> CrfConfig {
    let annotations = "base-np".parse().unwrap();
    CrfConfig { base: BaseGrammar::Pcfg(PcfgConfig { annotations, ..PcfgConfig::x_bar() }), ..config() }
}

#[test]
fn annotated_symbols_have_weights_of_their_own() {
    let parents = |config: &CrfConfig| {
        // I saw men with hats: the object is over an NP of words alone.
        let example = examples(config).0.remove(1);
        let of_gold = example.target.iter().map(|&edge| example.graph.of_edges[edge as usize][1]);
        let parent = |part: u32| match example.graph.parts.get(part as usize) {
            Some(CrfPart::Rule { parent, span, .. }) => Some((span.start, span.end, parent.0)),
            _ => None,
        };
        let of = |start, end| move |it: &(u32, u32, u16)| (it.0, it.1) == (start, end);
        let parents: Vec<_> = of_gold.filter_map(parent).collect();
        let first = |start, end| parents.iter().find(|it| of(start, end)(it)).unwrap().2;
        (first(2, 5), first(2, 3))
    };
    let (whole, base) = parents(&config());
    assert_eq!(whole, base, "both are NP");
    let (whole, base) = parents(&annotated());
    assert_ne!(whole, base, "one is an NP of words alone");
    let num_rules = |config: &CrfConfig| {
        let features = "base-score words\nrule".parse().unwrap();
        examples(&CrfConfig { features, ..config.clone() }).1.features.len()
    };
    assert!(num_rules(&annotated()) > num_rules(&config()));
}

#[test]
fn phrases_are_right_whatever_their_annotations() {
    let names = |names: &[&'static str]| names.iter().copied().collect::<Vocab>();
    let symbols = Symbols::new(names(&["NN"]), names(&["TOP", "NP"])).unwrap();
    let (span, parts) = (Span::new(0, 1), PartSymbols::new(&symbols, [1, 1, 2]));
    let [one, other] = [0, 1].map(|substate| parts.of(Symbol(2), substate));
    let rule = |parent| CrfPart::Rule { parent, left: Symbol(0), right: None, span, split: 0 };
    let graph = CrfGraph {
        parts: vec![CrfPart::Phrase { symbol: other, span }, rule(other)],
        of_edges: vec![[0, 1]],
        ..CrfGraph::default()
    };
    let gold = Gold::from_iter([CrfPart::Phrase { symbol: one, span }, rule(one)]);
    assert_eq!(losses(&graph, &gold, &parts, Loss::Phrases), [0.0]);
    assert_eq!(losses(&graph, &gold, &parts, Loss::Rules), [1.0], "the rule is another");
    assert_eq!(losses(&graph, &Gold::default(), &parts, Loss::Phrases), [1.0]);
}

#[test]
fn the_scores_of_words_are_not_learned() {
    for (features, is_learned) in [("base-score words\nrule", false), ("base-score grammar\nrule", true)] {
        let (examples, index) = examples(&CrfConfig { features: features.parse().unwrap(), ..config() });
        let weights = random_weights(index.num_weights(), 1);
        let moves =
            |example: &Example| example.gradient(&weights, CrfObjective::Likelihood, 0.0).base_score != 0.0;
        assert_eq!(examples.iter().any(moves), is_learned, "{features}");
    }
}

#[test]
fn the_best_parse_with_its_errors_is_the_best_of_all() {
    for config in [Loss::Phrases, Loss::Rules]
        .map(|loss| CrfConfig { loss, ..config() })
        .into_iter()
        .chain([annotated()])
    {
        let (examples, index) = examples(&config);
        for (seed, example) in (0..).zip(&examples) {
            let scores = example.edge_scores(&random_weights(index.num_weights(), seed), 1.5);
            let (best, edges) = best_derivation(&example.graph, &scores);
            let of_all = all_parses(example).iter().map(|parse| sum(&scores, parse)).fold(f64::MIN, f64::max);
            assert!((best - of_all).abs() < 1e-4, "{best} {of_all}");
            assert!((sum(&scores, &edges) - best).abs() < 1e-4);
        }
    }
}

#[test]
fn posteriors_are_those_of_all_parses() {
    let [plain, annotated] = [config(), annotated()].map(|config| examples(&config));
    for (seed, (example, index)) in (0..)
        .zip([&plain, &annotated].into_iter().flat_map(|(all, index)| all.iter().map(move |it| (it, index))))
    {
        let scores = example.edge_scores(&random_weights(index.num_weights(), seed), 0.0);
        let parses = all_parses(example);
        let weights: Vec<f64> = parses.iter().map(|parse| sum(&scores, parse).exp()).collect();
        let total: f64 = weights.iter().sum();
        let mut posteriors = Vec::new();
        let log_total = edge_posteriors(&example.graph, &scores, &mut posteriors);
        assert!((log_total - total.ln()).abs() < 1e-4);
        for (edge, posterior) in (0u32..).zip(posteriors) {
            let with_edge = parses.iter().zip(&weights).filter(|(parse, _)| parse.contains(&edge));
            let wanted = with_edge.map(|(_, weight)| weight).sum::<f64>() / total;
            assert!((f64::from(posterior) - wanted).abs() < 1e-4, "{posterior} {wanted}");
        }
    }
}

#[test]
fn the_gradient_of_the_likelihood_is_its_slope() {
    let (examples, index) = examples(&config());
    let mut weights = random_weights(index.num_weights(), 1);
    let value = |weights: &[f32]| -> f64 {
        examples.iter().map(|example| example.gradient(weights, CrfObjective::Likelihood, 0.0).value).sum()
    };
    let mut gradient = vec![0.0f32; weights.len()];
    for example in &examples {
        let of_example = example.gradient(&weights, CrfObjective::Likelihood, 0.0);
        example.each_feature(&of_example, |place, strength| gradient[place as usize] += strength);
    }
    for place in 0..weights.len() {
        let (middle, step) = (weights[place], 0.05);
        weights[place] = middle + step;
        let above = value(&weights);
        weights[place] = middle - step;
        let below = value(&weights);
        weights[place] = middle;
        let slope = (above - below) / f64::from(2.0 * step);
        assert!((slope - f64::from(gradient[place])).abs() < 5e-3, "{place}: {slope} {}", gradient[place]);
    }
}

/// The dual solved with a number for each parse: the pair of parses that gains most, again and again.
fn solve_by_enumeration(examples: &[Example], length: usize, c: f64, loss_weight: f32) -> (Vec<f64>, f64) {
    struct Parse {
        difference: Vec<f64>,
        base_score: f64,
        mass: f64,
    }
    let plain = vec![0.0f32; length];
    let mut sentences: Vec<Vec<Parse>> = Vec::new();
    for example in examples {
        let worth = example.edge_scores(&plain, loss_weight);
        let target = vector(example, &example.target, length);
        let parse = |edges: &Vec<u32>| {
            let features = vector(example, edges, length);
            let mut sorted = [edges.clone(), example.target.clone()];
            sorted.iter_mut().for_each(|edges| edges.sort_unstable());
            Parse {
                difference: features.iter().zip(&target).map(|(a, b)| a - b).collect(),
                base_score: sum(&worth, edges) - sum(&worth, &example.target),
                mass: if sorted[0] == sorted[1] { 1.0 } else { 0.0 },
            }
        };
        sentences.push(all_parses(example).iter().map(parse).collect());
    }
    let mut weights = vec![0.0; length];
    for _ in 0..3000 {
        for parses in &mut sentences {
            let values: Vec<f64> =
                parses.iter().map(|parse| parse.base_score + dot(&weights, &parse.difference)).collect();
            let best = (0..parses.len()).max_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap();
            let worst = (0..parses.len())
                .filter(|&it| parses[it].mass > 0.0)
                .min_by(|&a, &b| values[a].total_cmp(&values[b]))
                .unwrap();
            let direction: Vec<f64> =
                parses[best].difference.iter().zip(&parses[worst].difference).map(|(a, b)| a - b).collect();
            let norm = dot(&direction, &direction);
            if best == worst || norm == 0.0 {
                continue;
            }
            let moved = ((values[best] - values[worst]) / (c * norm)).min(parses[worst].mass);
            parses[best].mass += moved;
            parses[worst].mass -= moved;
            weights.iter_mut().zip(&direction).for_each(|(weight, d)| *weight -= c * moved * d);
        }
    }
    let hinge = |parses: &Vec<Parse>| {
        parses
            .iter()
            .map(|parse| parse.base_score + dot(&weights, &parse.difference))
            .fold(f64::MIN, f64::max)
    };
    let primal = 0.5 * dot(&weights, &weights) + c * sentences.iter().map(hinge).sum::<f64>();
    (weights, primal)
}

#[test]
fn smo_finds_the_solution_of_the_whole_dual() {
    let (examples, index) = examples(&config());
    let order: Vec<usize> = (0..examples.len()).collect();
    for c in [0.05, 1.0] {
        let mut state = WeightState::new(index.num_weights());
        let mut gap = f64::INFINITY;
        for _ in 0..400 {
            dual::epoch(&mut state, &examples, &order, c, 1.0);
            let now = dual::measure(&state, &examples, c, 1.0, &alone());
            assert!(now.gap > -1e-5, "a gap is never negative: {now:?}");
            gap = now.gap / now.primal;
        }
        assert!(gap < 1e-3, "{gap}");
        let (weights, primal) = solve_by_enumeration(&examples, index.num_weights(), c, 1.0);
        let found = dual::measure(&state, &examples, c, 1.0, &alone()).primal;
        assert!((found - primal).abs() < 2e-3 * primal, "{found} {primal}");
        let distance: f64 =
            weights.iter().zip(&state.weights).map(|(a, b)| (a - f64::from(*b)).powi(2)).sum();
        assert!(distance < 1e-3 * (1.0 + dot(&weights, &weights)), "{distance}");
    }
}

#[test]
fn subgradients_lead_to_the_solution_of_the_whole_dual() {
    let (examples, index) = examples(&config());
    let order: Vec<usize> = (0..examples.len()).collect();
    for c in [0.05, 1.0] {
        let (optimizer, objective) = (Optimizer::Subgradient, CrfObjective::Margin);
        let config = CrfConfig { optimizer, objective, batch: 1, ..config() };
        let mut state = WeightState::new(index.num_weights());
        for number in 1..=400 {
            online::epoch(&mut state, &examples, &order, &config, c, number, &alone());
        }
        let (_, wanted) = solve_by_enumeration(&examples, index.num_weights(), c, 1.0);
        let found = primal(&state.average(), &examples, c, 1.0, &alone());
        assert!(found > wanted - 1e-3 * wanted && found < 1.01 * wanted, "{found} {wanted}");
    }
}

#[test]
fn margins_hold_up_to_the_slack() {
    let (examples, index) = examples(&config());
    let order: Vec<usize> = (0..examples.len()).collect();
    let (mut state, c) = (WeightState::new(index.num_weights()), 100.0);
    for _ in 0..400 {
        dual::epoch(&mut state, &examples, &order, c, 1.0);
    }
    for example in &examples {
        let scores = example.edge_scores(&state.weights, 0.0);
        for parse in all_parses(example) {
            let margin = sum(&scores, &example.target) - sum(&scores, &parse);
            // With so large a C the sentences, which can be told apart, have no slack.
            assert!(margin > sum(&example.losses, &parse) - 0.05, "{margin}");
        }
    }
}

#[test]
fn optimizers_that_care_little_for_small_weights_learn_the_sentences() {
    let settings = [
        (Optimizer::AdaGrad, CrfObjective::Margin),
        (Optimizer::AdaGrad, CrfObjective::Likelihood),
        (Optimizer::Perceptron, CrfObjective::Margin),
        (Optimizer::PassiveAggressive, CrfObjective::Margin),
    ];
    let (examples, index) = examples(&config());
    let order: Vec<usize> = (0..examples.len()).collect();
    for (optimizer, objective) in settings {
        let config = CrfConfig { optimizer, objective, batch: 1, ..config() };
        let mut state = WeightState::new(index.num_weights());
        for number in 1..=100 {
            online::epoch(&mut state, &examples, &order, &config, 1.0, number, &alone());
        }
        let weights = state.average();
        assert!(base_factor(&weights) > 0.0);
        for example in &examples {
            let scores = example.edge_scores(&weights, 0.0);
            let best = best_derivation(&example.graph, &scores).1;
            assert_eq!(sum(&example.losses, &best), 0.0, "{optimizer:?} {objective:?}");
        }
    }
}
