//! Training on the project's own treebank, and what comes of it.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use boughs::model::{About, ModelFile};
use boughs::parse::{Limit, Request, Status};
use boughs::parser::{Model, Parser};
use boughs::tagger::TemplateSet;
use boughs::train::{
    BoostingLearner, Event, Observer, RunOptions, Silent, TagSource, Trained, TransitionConfig, margins, run,
};
use boughs::transition::{Search, Strategy, TransitionModel, TransitionOptions, TransitionParser};
use boughs::tree::heads::HeadConventions;
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
    let mut config = TransitionConfig { tags: TagSource::Gold, ..TransitionConfig::default() };
    config.scheme.strategy = strategy;
    config.learner = learner(0.5);
    config.first_penalty = 2.0;
    config
}

fn learner(final_penalty: f64) -> BoostingLearner {
    let BoostingLearner::L1(config) = TransitionConfig::default().learner else {
        unreachable!("the default is l1")
    };
    BoostingLearner::L1(L1Config { final_penalty, sample_size: 2_000, ..config })
}

fn train(config: &TransitionConfig, trees: &[Tree], dev: Option<&[Tree]>) -> Trained<Parser> {
    run(config, trees, dev, RunOptions::default()).expect("a run").expect("nobody broke it off")
}

pub(super) fn trained() -> &'static Trained<Parser> {
    static TRAINED: OnceLock<Trained<Parser>> = OnceLock::new();
    TRAINED.get_or_init(|| {
        let (trees, dev) = sample();
        train(&config(Strategy::RightToLeft), &trees, Some(&dev))
    })
}

fn model(parser: &Parser) -> &TransitionModel {
    let Model::Transition(model) = parser.model() else { panic!("a transition parser") };
    model
}

#[test]
fn the_sample_is_learned() {
    let (_, dev) = sample();
    let scores = trained().model.evaluate(&dev).expect("scores");
    assert!(scores.criterion > 68.0, "{scores:?}");
    assert_eq!(
        Some(scores),
        trained().steps[trained().best].scores,
        "measured with the parser that is written"
    );
}

#[test]
fn training_ends_at_a_number_of_active_features() {
    let active = |trained: &Trained<Parser>| -> Vec<f64> {
        trained.steps.iter().filter_map(|step| step.get("active")).collect()
    };
    let all = active(trained());
    let most = all[0] as usize + 1;
    let (trees, _) = sample();
    let cut =
        train(&TransitionConfig { max_active: Some(most), ..config(Strategy::RightToLeft) }, &trees, None);
    assert_eq!(active(&cut), all[..2], "the first step that has {most}");
}

#[test]
fn a_preset_brings_the_tagger_of_ratnaparkhi() {
    let (trees, _) = sample();
    let short: Vec<Tree> = trees.into_iter().take(40).collect();
    let mut preset = TransitionConfig::tm06();
    preset.learner = learner(5.0);
    preset.first_penalty = 5.0;
    let parser = train(&preset, &short, None).model;
    assert_eq!(parser.tagger().expect("a tagger").templates(), TemplateSet::Ratnaparkhi);
    let changed = "tm06 as printed but for first-penalty, learner.l1";
    assert!(parser.about().settings["preset"].starts_with(changed), "{:?}", parser.about().settings);
    assert!(parser.about().settings["examples-by-label"].contains("NP "), "{:?}", parser.about().settings);
}

pub(super) fn parser(search: Search) -> TransitionParser<'static> {
    TransitionParser::new(
        model(&trained().model),
        &TransitionOptions { search, ..TransitionOptions::default() },
    )
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
    let (model, (_, dev)) = (model(&trained().model), sample());
    let file = model.to_file(About::new("parser")).expect("a file");
    let bytes = file.to_bytes().expect("bytes");
    let read = TransitionModel::from_file(&ModelFile::from_bytes(&bytes).expect("a file")).expect("a parser");
    assert_eq!(read.to_file(About::new("parser")).expect("a file").to_bytes().expect("bytes"), bytes);
    dev.iter().for_each(|tree| assert_eq!(parse(model, tree), parse(&read, tree)));
}

/// Turian & Melamed (2005), figure 5: margins of correct and of incorrect inferences apart, of each label.
#[test]
fn margins_of_correct_and_incorrect_inferences_are_apart() {
    let (trees, _) = sample();
    let (parser, config) = (&trained().model, config(Strategy::RightToLeft));
    let of_np = |penalty: f64| {
        let found = margins(&trees, parser, penalty, &config).expect("margins");
        found.into_iter().find(|of_label| of_label.label == "NP").expect("NP")
    };
    let trained = of_np(trained().steps[trained().best].get("penalty").expect("a penalty"));
    let told = &parser.about().settings["examples-by-label"];
    assert!(told.contains(&format!("NP {} of ", trained.num_correct)), "{told}");
    let untrained = of_np(1e9);
    assert_eq!((untrained.correct[0], untrained.incorrect[100]), (0.0, 0.0), "before the first tree");
    assert!(trained.correct[50] > 0.0 && trained.incorrect[50] > 0.0, "most are right");
    assert_ne!(trained.correct, trained.incorrect);
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
        HeadConventions::new("default leftmost =\n  leftmost *", "noun NN NNS\nverb VB VBD").expect("rules");
    config.first_penalty = 4.0;
    let parser = train(&config, &trees, None).model;
    let model = model(&parser);
    let file = model.to_file(About::new("parser")).expect("a file");
    let read = TransitionModel::from_file(&file).expect("a parser");
    let settings = &file.about().settings;
    assert_eq!(settings["head-rules"], config.language.head_text);
    assert_eq!(settings["tag-classes"], config.language.class_text);
    let again = read.to_file(About::new("parser")).expect("a file");
    assert_eq!(&again.about().settings, settings);
    dev.iter().for_each(|tree| assert_eq!(parse(model, tree), parse(&read, tree)));
}

#[test]
fn every_strategy_learns() {
    let (trees, dev) = sample();
    for strategy in [Strategy::LeftToRight, Strategy::BottomUp, Strategy::ShiftReduce] {
        let mut config = config(strategy);
        config.learner = learner(2.0);
        let trained = train(&config, &trees, Some(&dev));
        let scores = trained.steps[trained.best].scores.as_ref().expect("scores");
        assert!(scores.criterion > 45.0, "{strategy:?}: {scores:?}");
    }
}

/// Breaks off after the first step.
struct AfterOne(AtomicBool);

impl Observer for AfterOne {
    fn see(&self, event: &Event<'_>) {
        self.0.fetch_or(matches!(event, Event::Step { .. }), Ordering::Relaxed);
    }

    fn is_interrupted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[test]
fn broken_off_and_taken_up_is_uninterrupted() {
    let ((trees, dev), config) = (sample(), config(Strategy::RightToLeft));
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("checkpoint");
    let observer = AfterOne(AtomicBool::new(false));
    let options = RunOptions { checkpoint: Some(&path), resume: true, observer: &observer };
    assert!(run(&config, &trees, Some(&dev), options).expect("a run").is_none());
    let options = RunOptions { observer: &Silent, ..options };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let resumed =
        pool.install(|| run(&config, &trees, Some(&dev), options)).expect("a run").expect("a parser");
    let bytes = |parser: &Parser| parser.to_file().and_then(|file| file.to_bytes()).expect("bytes");
    assert_eq!(resumed.steps, trained().steps);
    assert_eq!(bytes(&resumed.model), bytes(&trained().model));
}
