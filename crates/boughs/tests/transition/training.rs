//! Training on the project's own treebank, and what comes of it.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

use boughs::model::{About, ModelFile};
use boughs::parse::{Limit, Request, Status};
use boughs::train::transition::{
    Event, Learner, Trained, TransitionCheckpoint, TransitionConfig, evaluate, train,
};
use boughs::transition::{Search, Strategy, TransitionModel, TransitionOptions, TransitionParser};
use boughs::tree::heads::Language;
use boughs::tree::read::{Input, ReadOptions, TreebankReader};
use boughs::tree::transform::sentence_length;
use boughs::tree::{Tokens, Tree};
use boughs_learn::L1Config;

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
    let scores = evaluate(&trained().model, &dev, &TransitionOptions::default());
    assert!(scores.f1 > 68.0, "{scores:?}");
}

pub(super) fn parser(search: Search) -> TransitionParser<'static> {
    TransitionParser::new(&trained().model, &TransitionOptions { search, ..TransitionOptions::default() })
}

pub(super) fn tokens(text: &str) -> Tokens {
    text.parse::<Tree>().expect("a tree").into_sentence()
}

#[test]
fn one_sentence_in_one_tree_out() {
    for search in [Search::Greedy, Search::AGENDA, Search::BEAM] {
        let mut parser = parser(search);
        let mut check = |text: &str, is_expected: fn(Status) -> bool| {
            let tokens = if text.is_empty() { Tokens::new() } else { tokens(text) };
            let parsed = parser.parse(Request::new(&tokens));
            assert!(parsed.tree().words().eq(tokens.words()), "{text}: {}", parsed.tree());
            assert!(is_expected(parsed.status), "{text}: {:?}", parsed.status);
            assert_eq!(parsed.parses[0].cost.is_some(), !is_flat(parsed.status), "{text}");
        };
        check("", |status| status == Status::Trivial);
        check("(X (`` ``) ('' ''))", |status| status == Status::Trivial);
        check("(X (. .) (. !))", is_flat);
        check("(X (NN x))", |status| !is_flat(status));
        check("(X (QQ ?) (ZZ \u{200d}) (NN oak))", |status| !is_flat(status));
    }
}

/// Whether a tree with this status is not a parse by the model.
fn is_flat(status: Status) -> bool {
    status.is_fallback() || status == Status::Trivial
}

#[test]
fn a_sentence_that_is_not_parsed_is_flat() {
    let tokens = tokens("(S (DT an) (NN oak) (VBZ bends))");
    assert_eq!(parser(Search::Greedy).fallback(&tokens).to_string(), "( (DT an) (NN oak) (VBZ bends))");
}

#[test]
fn a_flat_tree_has_a_status_that_says_so() {
    let (deadline, tokens) = (Some(Instant::now()), tokens("(S (DT an) (NN oak) (VBZ bends))"));
    for search in [Search::Greedy, Search::AGENDA, Search::BEAM] {
        let status = |request: Request<'_>| {
            let parsed = parser(search).parse(request);
            assert_eq!(parsed.tree().num_nodes() == 1, parsed.status.is_fallback(), "{}", parsed.tree());
            parsed.status
        };
        let free = Request::new(&tokens);
        let expected = if search == Search::Greedy { Status::Greedy } else { Status::Optimal };
        assert_eq!(status(free), expected);
        assert_eq!(status(Request { deadline, ..free }), Status::Fallback(Some(Limit::Time)));
        let bounded = Request { bound: Some(0.0), ..free };
        assert_eq!(status(bounded), Status::Fallback(Some(Limit::Bound)));
    }
}

#[test]
fn as_many_different_trees_as_wanted() {
    let tokens = tokens("(S (DT an) (NN oak) (VBZ bends))");
    let parses = parser(Search::AGENDA).parse(Request { num_best: 3, ..Request::new(&tokens) }).parses;
    assert_eq!(parses.len(), 3);
    assert!(parses.is_sorted_by(|one, other| one.cost <= other.cost && one.tree != other.tree));
}

#[test]
fn model_files_parse_alike() {
    let (model, (_, dev)) = (&trained().model, sample());
    let file = model.to_file(About::new("parser")).expect("a file");
    let bytes = file.to_bytes().expect("bytes");
    let read = TransitionModel::from_file(&ModelFile::from_bytes(&bytes).expect("a file")).expect("a parser");
    assert_eq!(read.to_file(About::new("parser")).expect("a file").to_bytes().expect("bytes"), bytes);
    dev.iter().for_each(|tree| assert_eq!(parse(model, tree), parse(&read, tree)));
}

fn parse(model: &TransitionModel, tree: &Tree) -> String {
    let mut parser = TransitionParser::new(model, &TransitionOptions::default());
    parser.parse(Request::new(tree.sentence())).tree().to_string()
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
    let settings = &file.about().settings;
    assert_eq!(settings["head-rules"], config.language.head_text());
    assert_eq!(settings["tag-classes"], config.language.class_text());
    let again = read.to_file(About::new("parser")).expect("a file");
    assert_eq!(&again.about().settings, settings);
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
