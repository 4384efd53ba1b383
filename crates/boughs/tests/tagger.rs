//! Taggers: what they learn, what they save, and what they do with odd input.

use std::ops::ControlFlow;
use std::path::Path;

use boughs::model::{About, Array, ModelFile};
use boughs::tagger::{
    Accuracy, OnlineConfig, Tagger, TaggerConfig, TaggerLearner, TaggerTrainer, jackknife, train,
};
use boughs::tree::Tokens;
use boughs::tree::read::{Input, ReadOptions, TreebankReader};
use proptest::prelude::*;

/// The sentences of the project's own treebank.
fn sample() -> Vec<Tokens> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/sample");
    read(&path)
}

fn read(path: &Path) -> Vec<Tokens> {
    let input = vec![Input::Path(path.to_owned())];
    let trees = TreebankReader::open(input, ReadOptions::default()).expect("a treebank");
    trees.map(|tree| tree.expect("a tree").surface()).collect()
}

fn trained(sentences: &[Tokens], config: &TaggerConfig) -> Tagger {
    train(sentences, config, |_| ControlFlow::Continue(())).expect("data to learn from")
}

/// Few passes: what is learned does not matter, and debug builds are slow.
fn quick() -> TaggerConfig {
    let online = OnlineConfig { passes: 2, ..OnlineConfig::default() };
    TaggerConfig { learner: TaggerLearner::Online(online), ..TaggerConfig::default() }
}

fn quick_ratnaparkhi() -> TaggerConfig {
    let mut config = TaggerConfig::ratnaparkhi();
    if let TaggerLearner::Batch(logistic) = &mut config.learner {
        logistic.optimizer.max_iterations = 10;
    }
    config
}

fn accuracy(tagger: &Tagger, sentences: &[Tokens]) -> Accuracy {
    let mut worker = tagger.worker();
    let mut accuracy = Accuracy::default();
    for sentence in sentences {
        let words: Vec<&str> = sentence.words().collect();
        for (&tag, gold) in worker.tag(&words).iter().zip(sentence.iter()) {
            accuracy.add(tagger.name(tag) == gold.tag, tagger.knows(gold.word));
        }
    }
    accuracy
}

#[test]
fn both_template_sets_learn_the_sample() {
    let sentences = sample();
    let (dev, data) = sentences.split_at(sentences.len() / 5);
    for config in [TaggerConfig::default(), TaggerConfig::ratnaparkhi()] {
        let tagger = trained(data, &config);
        assert!(accuracy(&tagger, data).percent() > 98.0, "{}", accuracy(&tagger, data));
        assert!(accuracy(&tagger, dev).percent() > 75.0, "{}", accuracy(&tagger, dev));
    }
}

#[test]
fn a_trainer_can_be_asked_at_every_step() {
    let sentences = sample();
    for (config, num_steps) in [(quick(), 2), (quick_ratnaparkhi(), 10)] {
        let mut trainer = TaggerTrainer::new(&sentences, &config).unwrap();
        assert!(!trainer.is_done());
        for step in 1..=num_steps {
            let progress = trainer.step().unwrap().expect("more to learn");
            assert_eq!((progress.pass, progress.max_passes), (step, num_steps));
            assert_eq!(trainer.is_done(), step == num_steps);
            if step == 1 {
                let broken_off = train(&sentences, &config, |_| ControlFlow::Break(())).unwrap();
                assert_eq!(trainer.tagger().unwrap(), broken_off);
            }
        }
        assert_eq!(trainer.step().unwrap(), None);
        assert_eq!(trainer.tagger().unwrap(), trained(&sentences, &config));
    }
}

#[test]
fn taggers_come_back_from_files_and_training_again_gives_the_same_bytes() {
    let sentences = sample();
    for config in [quick(), quick_ratnaparkhi()] {
        let tagger = trained(&sentences, &config);
        let bytes = tagger.to_file(About::new("")).unwrap().to_bytes().unwrap();
        let read = Tagger::from_file(&ModelFile::from_bytes(&bytes).unwrap()).unwrap();
        assert_eq!(read, tagger);
        let again = trained(&sentences, &config).to_file(About::new("")).unwrap();
        assert_eq!(again.to_bytes().unwrap(), bytes);
    }
}

#[test]
fn odd_words_get_tags() {
    let tagger = trained(&sample(), &quick());
    assert!(tagger.tag(&[]).is_empty());
    let long = "long".repeat(100_000);
    let words = ["", " ", "\0", "\u{10FFFF}", "שלום", "👩‍👩‍👧", "e\u{301}", "ǅ", "ẞ", &long, "\u{200B}"];
    for word in words {
        assert_eq!(tagger.tag(&[word]).len(), 1);
    }
    assert_eq!(tagger.tag(&words).len(), words.len());
    let many = vec!["the"; 20_000];
    assert_eq!(tagger.tag(&many).len(), many.len());
}

#[test]
fn a_worker_forgets_the_sentence_before() {
    let sentences = sample();
    let tagger = trained(&sentences, &quick());
    let mut worker = tagger.worker();
    for sentence in &sentences[..50] {
        let words: Vec<&str> = sentence.words().collect();
        let tags: Vec<&str> = worker.tag(&words).iter().map(|&tag| tagger.name(tag)).collect();
        assert_eq!(tags, tagger.tag(&words));
    }
}

#[test]
fn probabilities_add_up_and_fall() {
    let sentences = sample();
    let tagger = trained(&sentences, &quick());
    for sentence in &sentences[..50] {
        let words: Vec<&str> = sentence.words().collect();
        let all = tagger.tag_n_best(&words, usize::MAX);
        assert_eq!(all.len(), words.len());
        for list in &all {
            assert!((list.iter().map(|(_, p)| p).sum::<f64>() - 1.0).abs() < 1e-9);
            assert!(list.is_sorted_by(|a, b| a.1 >= b.1));
        }
        for (two, all) in tagger.tag_n_best(&words, 2).iter().zip(&all) {
            assert_eq!(two[..], all[..all.len().min(2)]);
        }
    }
}

#[test]
fn the_best_sequences_are_different_and_have_their_probabilities() {
    let sentences = sample();
    let tagger = trained(&sentences, &quick());
    let mut worker = tagger.worker();
    assert_eq!(worker.n_best_sequences(&[], 3), [(Vec::new(), 0.0)]);
    for sentence in &sentences[..50] {
        let words: Vec<&str> = sentence.words().collect();
        let best = worker.n_best_sequences(&words, 5);
        assert!((1..=5).contains(&best.len()) && best.is_sorted_by(|a, b| a.1 >= b.1));
        for (index, (tags, log)) in best.iter().enumerate() {
            assert!(best[..index].iter().all(|(other, _)| other != tags));
            let expected = worker.log_probability(&words, tags).unwrap();
            assert!((log - expected).abs() < 1e-9, "{log} {expected}");
        }
        let one = worker.tag(&words).to_vec();
        assert!(worker.log_probability(&words, &one).unwrap() <= best[0].1 + 1e-9);
    }
}

/// The most probable sequence of all, found by trying every one of them.
fn best_by_enumeration(tagger: &Tagger, words: &[&str]) -> f64 {
    let num_tags = tagger.tags().len();
    let sequences = (0..num_tags.pow(words.len() as u32)).map(|mut number| {
        let mut next = || {
            let tag = number % num_tags;
            number /= num_tags;
            tagger.tags()[tag].as_str()
        };
        words.iter().map(|_| next()).collect::<Vec<_>>()
    });
    sequences.filter_map(|tags| tagger.log_probability(words, &tags)).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn a_wide_beam_finds_the_most_probable_sequence() {
    let sentences: Vec<Tokens> = [
        [("run", "N"), ("run", "V"), ("fast", "A")],
        [("run", "V"), ("fast", "N"), ("run", "N")],
        [("fast", "A"), ("run", "N"), ("run", "V")],
    ]
    .map(Tokens::from_iter)
    .to_vec();
    let wide = trained(&sentences, &TaggerConfig { beam: 100, min_feature_count: 1, ..quick() });
    for words in [["run", "run", "run", "fast"], ["fast", "fast", "walk", "run"], ["a", "b", "c", "run"]] {
        let found = wide.log_probability(&words, &wide.tag(&words)).unwrap();
        assert!((found - best_by_enumeration(&wide, &words)).abs() < 1e-9);
    }
    let impossible = wide.log_probability(&["run"], &["X"]);
    assert_eq!(impossible, None);
}

#[test]
fn jackknifing_uses_no_sentence_for_its_own_tags() {
    let mut sentences = sample();
    sentences.truncate(60);
    let tags = jackknife(&sentences, 3, &quick()).unwrap();
    let lengths = |tags: &[Vec<String>]| tags.iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(lengths(&tags), sentences.iter().map(Tokens::len).collect::<Vec<_>>());
    let others: Vec<Tokens> =
        sentences.iter().enumerate().filter(|(index, _)| index % 3 != 1).map(|(_, s)| s.clone()).collect();
    assert_eq!(tags[4], trained(&others, &quick()).tag(&sentences[4].words().collect::<Vec<_>>()));
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(one_thread.install(|| jackknife(&sentences, 3, &quick()).unwrap()), tags);
    assert!(jackknife(&sentences, 1, &quick()).unwrap_err().to_string().contains("found 1 folds"));
    jackknife(&sentences[..2], 3, &quick()).unwrap_err();
}

#[test]
fn what_cannot_be_learned_from_is_refused() {
    let message = |sentences: &[Tokens]| {
        train(sentences, &quick(), |_| ControlFlow::Continue(())).unwrap_err().to_string()
    };
    assert!(message(&[]).starts_with("expected words with 1 to 65535 different tags, found 0"));
    let untagged = Tokens::from_iter([("a", "X"), ("b", "")]);
    assert!(message(&[untagged]).starts_with("expected a tag for every word, found none for `b`"));
    let one = trained(&[Tokens::from_iter([("a", "X")])], &quick());
    assert_eq!(one.tag(&["b", "a"]), ["X", "X"]);
    assert_eq!(one.tag_n_best(&["b"], 3), [[("X", 1.0)]]);
}

#[test]
fn training_stops_when_asked() {
    let mut passes = 0;
    let watch = |_: &boughs::tagger::TaggerProgress| {
        passes += 1;
        ControlFlow::Break(())
    };
    train(&sample()[..20], &quick(), watch).unwrap();
    assert_eq!(passes, 1);
}

fn small_file() -> ModelFile {
    trained(&sample()[..30], &quick()).to_file(About::new("")).expect("a small model")
}

#[test]
fn arrays_that_make_no_tagger_are_refused() {
    let file = small_file();
    let refused = |name: &str, array: Array, expected: &str| {
        let mut changed = file.clone();
        changed.insert(name, array);
        let message = Tagger::from_file(&changed).unwrap_err().to_string();
        assert!(message.contains(expected), "{name}: {message}");
    };
    refused("parameters", Array::U32(vec![2, 1, 1, 1, 1]), "no template set 2");
    refused("parameters", Array::U32(vec![1, 0, 1, 1, 1]), "out of range");
    refused("parameters", Array::U32(vec![1]), "five numbers");
    refused("word_text", Array::U8(vec![0xFF]), "utf-8");
    refused("word_ends", Array::U32(vec![]), "does not end with the words");
    refused("features", Array::U64(vec![2, 1]), "out of order");
    refused("features", Array::U64(vec![]), "does not fit the lists");
    refused("feature_weights", Array::U16(vec![0; 3]), "does not fit the lists");
    refused("weight_tags", Array::U16(vec![60_000]), "names tag 60000 of");
    refused("weights", Array::I16(vec![1]), "does not fit its tags");
    refused("counts", Array::U32(vec![]), "does not fit its tags");
    refused("scale", Array::F32(vec![f32::NAN]), "unit of weights");
    let other = ModelFile::new(About::new("linear"));
    let message = Tagger::from_file(&other).unwrap_err().to_string();
    assert!(
        message.starts_with("expected a model of kind `tagger`, found one of kind `linear`"),
        "{message}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn damaged_files_are_refused_or_unharmed(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        static FILE: std::sync::LazyLock<ModelFile> = std::sync::LazyLock::new(small_file);
        let mut bytes = FILE.to_bytes().unwrap();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        bytes.truncate(cut.map_or(bytes.len(), |cut| cut.index(bytes.len())));
        if let Ok(file) = ModelFile::from_bytes(&bytes) {
            prop_assert_eq!(&file, &*FILE);
        }
    }

    /// The checksum is right, the numbers are not.
    #[test]
    fn arbitrary_numbers_are_refused_or_make_a_tagger(
        name in prop::sample::select(vec!["word_ends", "word_tags", "count_tags", "counts", "feature_weights", "weight_tags"]),
        place in any::<prop::sample::Index>(),
        value in 0u16..80,
    ) {
        static FILE: std::sync::LazyLock<ModelFile> = std::sync::LazyLock::new(small_file);
        let mut file = FILE.clone();
        let array = match file.u16s(name) {
            Ok(numbers) => Array::U16(replaced(numbers, place, value)),
            Err(_) => Array::U32(replaced(file.u32s(name).unwrap(), place, value.into())),
        };
        file.insert(name, array);
        if let Ok(tagger) = Tagger::from_file(&file) {
            prop_assert_eq!(tagger.tag(&["The", "boughs", "bend", "."]).len(), 4);
        }
    }
}

fn replaced<T: Copy>(numbers: &[T], place: prop::sample::Index, value: T) -> Vec<T> {
    let mut numbers = numbers.to_vec();
    let place = place.index(numbers.len());
    numbers[place] = value;
    numbers
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that tests less than it could should say so")]
fn real_words_are_tagged_well() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/wsj");
    if !data.is_dir() {
        eprintln!("no treebank at {}: nothing is tested", data.display());
        return;
    }
    let (data, dev) = (read(&data.join("train.mrg")), read(&data.join("dev.mrg")));
    let accuracy = accuracy(&trained(&data[..1000], &quick()), &dev);
    assert!(accuracy.percent() > 93.0, "{accuracy}");
}
