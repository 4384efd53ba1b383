//! Training on the project's own treebank, and what comes of it.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use boughs::model::{About, ModelFile};
use boughs::train::transition::{
    Event, Learner, Trained, TransitionCheckpoint, TransitionConfig, evaluate, train,
};
use boughs::transition::search::{End, SearchConfig};
use boughs::transition::{
    Bounds, Cascade, GoldTree, Guide, HOPELESS, Limits, ModelGuide, Parser, Scored, Scoring, Strategy,
    TOP_NAME, TransitionModel, Workspace,
};
use boughs::tree::heads::Language;
use boughs::tree::read::{Input, ReadOptions, TreebankReader};
use boughs::tree::transform::sentence_length;
use boughs::tree::{Constraints, Tree};
use boughs_learn::L1Config;
use boughs_learn::rng::Rng;

pub(super) fn sample() -> (Vec<Tree>, Vec<Tree>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sample");
    let trees = TreebankReader::open(vec![Input::Path(path)], ReadOptions::default()).expect("the sample");
    let trees: Vec<Tree> =
        trees.map(|tree| tree.expect("a tree")).filter(|tree| sentence_length(tree) <= 12).collect();
    let is_held_out = |index: usize| index % 5 == 4;
    let part = |held_out: bool| {
        let of_part = trees.iter().enumerate().filter(|(index, _)| is_held_out(*index) == held_out);
        of_part.map(|(_, tree)| tree.clone()).collect()
    };
    (part(false), part(true))
}

fn config(strategy: Strategy) -> TransitionConfig {
    let mut config = TransitionConfig::tm06();
    config.scheme.strategy = strategy;
    config.learner = learner(0.5);
    config.first_penalty = 2.0;
    config
}

fn learner(final_penalty: f64) -> Learner {
    let Learner::L1(config) = TransitionConfig::tm06().learner else { unreachable!("the paper is about l1") };
    Learner::L1(L1Config { final_penalty, sample_size: 2_000, ..config })
}

pub(super) fn trained() -> &'static Trained {
    static TRAINED: OnceLock<Trained> = OnceLock::new();
    TRAINED.get_or_init(|| {
        let (trees, dev) = sample();
        let go_on = |_: Event<'_>| ControlFlow::Continue(());
        train(&trees, &dev, &config(Strategy::RightToLeft), None, go_on).expect("a parser")
    })
}

#[test]
fn the_sample_is_learned() {
    let (_, dev) = sample();
    let scores = evaluate(&trained().model, &dev, &SearchConfig::default());
    assert!(scores.f1 > 68.0, "{scores:?}");
}

#[test]
fn one_sentence_in_one_tree_out() {
    let mut parser = Parser::new(&trained().model, SearchConfig::default(), Limits::default());
    for text in ["(X (NN x))", "(X (. .) (. !))", "(X (QQ ?) (ZZ \u{200d}) (NN oak))", ""] {
        let sentence: Tree = if text.is_empty() { Tree::empty() } else { text.parse().expect("a tree") };
        let parsed = parser.parse(&sentence);
        assert!(parsed.tree.words().eq(sentence.words()), "{text}: {}", parsed.tree);
    }
}

#[test]
fn too_long_is_said() {
    let limits = Limits { max_length: Some(2), ..Limits::default() };
    let mut parser = Parser::new(&trained().model, SearchConfig::default(), limits);
    let parsed = parser.parse(&"(S (DT an) (NN oak) (VBZ bends))".parse().expect("a tree"));
    assert!(parsed.is_too_long && parsed.is_fallback());
    assert_eq!(parsed.tree.num_tokens(), 3);
}

#[test]
fn a_deadline_may_come_before_the_timeout() {
    let limits = Limits { timeout: Some(Duration::from_secs(3600)), ..Limits::default() };
    let mut parser = Parser::new(&trained().model, SearchConfig::default(), limits);
    let sentence: Tree = "(S (DT an) (NN oak) (VBZ bends))".parse().expect("a tree");
    let mut end = |bounds| {
        let parsed = parser.parse_with(&sentence, &Constraints::default(), bounds);
        parsed.outcome.map(|outcome| outcome.end)
    };
    assert_eq!(end(Bounds::default()), Some(End::Optimal));
    let bounds = Bounds { deadline: Some(Instant::now()), ..Bounds::default() };
    assert_eq!(end(bounds), Some(End::Deadline), "other taggings have used up the time");
}

/// Calls `check` with the scores of every state on the way to some gold trees.
fn at_gold_states(
    model: &TransitionModel,
    scoring: Scoring,
    mut check: impl FnMut(&ModelGuide<'_>, &Scored, &mut Workspace, Vec<u32>),
) {
    let (_, dev) = sample();
    let (mut workspace, mut guide) = (Workspace::default(), ModelGuide::new(model, scoring));
    for tree in dev.iter().take(12) {
        let mut tree = tree.clone();
        let _ = model.pipeline.apply(&mut tree);
        tree.set_root(TOP_NAME);
        let Some(gold) = GoldTree::new(&tree, &model.symbols) else { continue };
        workspace.items.start(&model.symbols, &model.symbols.terminals(&tree));
        guide.start(&workspace);
        let (mut path, mut rng) = (gold.walk(model.scheme), Rng::new(1));
        while path.correct().len() > 0 {
            let mut scored = Vec::new();
            guide.score(path.state(), &mut workspace, &mut scored);
            for scored in &scored {
                let features = model.features(path.state(), scored.inference, &mut workspace);
                check(&guide, scored, &mut workspace, features);
            }
            let Workspace { items, heads } = &mut workspace;
            path.step(items, &model.symbols, heads, &mut rng);
        }
    }
}

#[test]
fn scores_are_those_of_the_trees_one_by_one() {
    let gated = &trained().model;
    let whole =
        TransitionModel { cascade: Cascade::whole(&gated.forest).expect("a cascade"), ..gated.clone() };
    for (model, scoring) in [(&whole, Scoring::Cascade), (&whole, Scoring::Full), (gated, Scoring::Full)] {
        at_gold_states(model, scoring, |_, scored, _, features| {
            let ensemble = &model.forest.classifiers()[model.classifier(scored.inference.action)].ensemble;
            let naive = ensemble.score(|feature| features.binary_search(&feature).is_ok());
            assert_eq!(scored.score, naive);
        });
    }
}

#[test]
fn a_cascade_changes_only_what_is_hopeless() {
    let model = &trained().model;
    let (gate, stages) = (model.cascade.gate(), model.cascade.stages());
    let (mut num_shut, mut num_hopeless) = (0, 0);
    at_gold_states(model, Scoring::Cascade, |_, scored, _, features| {
        let classifier = model.classifier(scored.inference.action);
        let ensemble = &model.forest.classifiers()[classifier].ensemble;
        let is_active = |feature| features.binary_search(&feature).is_ok();
        let at_gate = gate.ensemble.score(is_active);
        if at_gate < gate.threshold {
            num_shut += 1;
            assert_eq!(scored.score, at_gate - HOPELESS);
            return;
        }
        let score_at = |penalty| ensemble.prefix(ensemble.num_trees_at(penalty)).score(is_active);
        let mut scores = stages.iter().map(|stage| (score_at(stage.penalty), stage.thresholds[classifier]));
        let hopeless = scores.find(|(score, threshold)| score < threshold);
        num_hopeless += usize::from(hopeless.is_some());
        let expected = hopeless.map_or_else(|| ensemble.score(is_active), |(score, _)| score - HOPELESS);
        assert_eq!(scored.score, expected);
    });
    assert!(num_shut > 0 && num_hopeless > 0, "the cascade does nothing");
}

#[test]
fn model_files_parse_alike() {
    let (model, (_, dev)) = (&trained().model, sample());
    let file = model.to_file(About::new("parser")).expect("a file");
    let bytes = file.to_bytes().expect("bytes");
    let read = TransitionModel::from_file(&ModelFile::from_bytes(&bytes).expect("a file")).expect("a parser");
    assert_eq!(read.to_file(About::new("parser")).expect("a file").to_bytes().expect("bytes"), bytes);
    let mut parsers =
        [model, &read].map(|model| Parser::new(model, SearchConfig::default(), Limits::default()));
    for tree in &dev {
        let [one, other] = parsers.each_mut().map(|parser| parser.parse(tree).tree.to_string());
        assert_eq!(one, other);
    }
}

#[test]
fn parsers_of_other_languages_bring_their_rules() {
    let (trees, dev) = sample();
    let mut config = config(Strategy::RightToLeft);
    config.learner = learner(4.0);
    config.language =
        Language::new("default leftmost =\n  leftmost *", "noun NN NNS\nverb VB VBD").expect("rules");
    config.first_penalty = 4.0;
    let model = train(&trees, &[], &config, None, |_| ControlFlow::Continue(())).expect("a parser").model;
    let file = model.to_file(About::new("parser")).expect("a file");
    let read = TransitionModel::from_file(&file).expect("a parser");
    assert_eq!(read.symbols.language().head_text(), config.language.head_text());
    assert_eq!(read.symbols.classes().names().len(), 3);
    let parse = |model: &TransitionModel, tree| {
        Parser::new(model, SearchConfig::default(), Limits::default()).parse(tree).tree.to_string()
    };
    dev.iter().for_each(|tree| assert_eq!(parse(&model, tree), parse(&read, tree)));
}

#[test]
fn every_strategy_learns() {
    let (trees, dev) = sample();
    for strategy in [Strategy::LeftToRight, Strategy::BottomUp, Strategy::ShiftReduce] {
        let mut config = config(strategy);
        config.learner = learner(2.0);
        let trained = train(&trees, &dev, &config, None, |_| ControlFlow::Continue(())).expect("a parser");
        let scores = trained.points[trained.best].scores.expect("scores");
        assert!(scores.f1 > 45.0, "{strategy}: {scores:?}");
    }
}

#[test]
fn broken_off_and_taken_up_is_uninterrupted() {
    let (trees, dev) = sample();
    let config = config(Strategy::RightToLeft);
    let kept: Mutex<Option<TransitionCheckpoint>> = Mutex::new(None);
    let break_off = |event: Event<'_>| match event {
        Event::Point { checkpoint, .. } => {
            *kept.lock().expect("no panic") = Some(checkpoint.clone());
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    };
    let first = train(&trees, &dev, &config, None, break_off).expect("a parser");
    assert_eq!(first.points.len(), 1);
    let checkpoint = kept.into_inner().expect("no panic");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let resumed = pool
        .install(|| train(&trees, &dev, &config, checkpoint, |_| ControlFlow::Continue(())))
        .expect("a parser");
    let bytes = |trained: &Trained| {
        trained.model.to_file(About::new("parser")).and_then(|file| file.to_bytes()).expect("bytes")
    };
    assert_eq!(resumed.points, trained().points);
    assert_eq!(bytes(&resumed), bytes(trained()));
}
