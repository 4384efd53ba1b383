//! Trains a tagger and measures it: accuracy, speed on one thread, size of the model.
//!
//! `cargo run --release -p boughs-bench --example tagger -- TRAIN DEV [NAME=VALUE...]`
//!
//! Names: `set` (`extended` or `ratnaparkhi`: where to start from), `templates`, `learner` (`online` or `batch`),
//! `passes`, `rate`, `l1`, `l2`, `dropout`, `rare`, `dictionary`, `class`, `min_count`, `beam`, `smallest`, `seed`,
//! `model` (where to save it), `folds` (jack-knife the training data instead).

#![expect(clippy::print_stdout, reason = "a benchmark reports what it measured")]

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::str::FromStr;
use std::time::Instant;

use boughs::model::{About, ModelFile};
use boughs::tagger::{
    Accuracy, OnlineConfig, TaggedSentence, Tagger, TaggerConfig, TaggerLearner, jackknife, train,
};
use boughs::tree::read::{Input, ReadOptions, TreebankReader};
use boughs_learn::logistic::{LogisticConfig, WeightPairs};

struct OptimizerConfig(BTreeMap<String, String>);

impl OptimizerConfig {
    fn set<T: FromStr>(&self, name: &str, target: &mut T) {
        if let Some(text) = self.0.get(name) {
            *target = text.parse().ok().unwrap_or_else(|| panic!("a value for {name}"));
        }
    }

    fn config(&self) -> TaggerConfig {
        let mut config = match self.0.get("set").map(String::as_str) {
            Some("ratnaparkhi") => TaggerConfig::ratnaparkhi(),
            _ => TaggerConfig::default(),
        };
        self.set("templates", &mut config.templates);
        self.set("rare", &mut config.thresholds.rare);
        self.set("dictionary", &mut config.thresholds.dictionary);
        self.set("class", &mut config.thresholds.class);
        self.set("min_count", &mut config.min_feature_count);
        self.set("beam", &mut config.beam);
        self.set("smallest", &mut config.smallest_weight);
        self.set("seed", &mut config.seed);
        match self.0.get("learner").map(String::as_str) {
            Some("online") => config.learner = TaggerLearner::Online(OnlineConfig::default()),
            Some("batch") => config.learner = TaggerConfig::ratnaparkhi().learner,
            _ => {}
        }
        match &mut config.learner {
            TaggerLearner::Online(online) => self.set_online(online),
            TaggerLearner::Batch(batch) => self.set_batch(batch),
        }
        config
    }

    fn set_online(&self, online: &mut OnlineConfig) {
        self.set("passes", &mut online.passes);
        self.set("rate", &mut online.rate);
        self.set("l1", &mut online.l1);
        self.set("dropout", &mut online.dropout);
    }

    fn set_batch(&self, batch: &mut LogisticConfig) {
        batch.pairs = WeightPairs::Observed;
        self.set("passes", &mut batch.optimizer.max_iterations);
        self.set("l1", &mut batch.l1);
        self.set("l2", &mut batch.l2);
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut sentences = || read(Path::new(&arguments.next().expect("TRAIN DEV [NAME=VALUE...]")));
    let (data, dev) = (sentences(), sentences());
    let split = |text: String| text.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned()));
    let settings = OptimizerConfig(arguments.map(|text| split(text).expect("NAME=VALUE")).collect());
    let config = settings.config();
    let mut folds = 0;
    settings.set("folds", &mut folds);
    if folds > 0 {
        return measure_jackknife(&data, folds, &config);
    }
    let start = Instant::now();
    let tagger = train(&data, &config, |progress| {
        println!("pass {} of {}: loss {:.5}", progress.pass, progress.max_passes, progress.loss);
        ControlFlow::Continue(())
    })
    .expect("data to learn from");
    println!("trained in {:.1} s by the clock", start.elapsed().as_secs_f64());
    let file = tagger.to_file(About::new("tagger")).expect("a model");
    if let Some(path) = settings.0.get("model") {
        file.save(Path::new(path)).expect("a place to write");
    }
    measure(&file, &dev);
}

fn read(path: &Path) -> Vec<TaggedSentence> {
    let input = vec![Input::Path(path.to_owned())];
    let trees = TreebankReader::open(input, ReadOptions::default()).expect("a treebank");
    trees.map(|tree| TaggedSentence::from_tree(&tree.expect("a tree"))).collect()
}

fn measure(file: &ModelFile, dev: &[TaggedSentence]) {
    let bytes = file.to_bytes().expect("a model");
    let start = Instant::now();
    let tagger = Tagger::from_file(&ModelFile::from_bytes(&bytes).expect("a file")).expect("a tagger");
    println!(
        "{} features, {} weights, {} bytes, loaded in {:.1} ms",
        tagger.num_features(),
        tagger.num_weights(),
        bytes.len(),
        1000.0 * start.elapsed().as_secs_f64()
    );
    println!("{}", accuracy(&tagger, dev));
    println!("{:.0} tokens per CPU-second", speed(&tagger, dev));
}

fn accuracy(tagger: &Tagger, dev: &[TaggedSentence]) -> Accuracy {
    let mut worker = tagger.worker();
    let mut accuracy = Accuracy::default();
    for sentence in dev {
        for (&tag, (word, gold)) in worker.tag(&sentence.words()).iter().zip(sentence.tokens()) {
            accuracy.add(tagger.name(tag) == gold, tagger.knows(word));
        }
    }
    accuracy
}

/// The seconds that this thread has had of a processor, where the system tells it; else those of the clock.
fn seconds(start: Instant) -> f64 {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = statistics.split(' ').next().and_then(|number| number.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |number| number / 1e9)
}

/// The fastest of five rounds: others use the machine too.
fn speed(tagger: &Tagger, dev: &[TaggedSentence]) -> f64 {
    let words: Vec<Vec<&str>> = dev.iter().map(TaggedSentence::words).collect();
    let num_tokens: usize = words.iter().map(Vec::len).sum();
    let mut worker = tagger.worker();
    let start = Instant::now();
    let mut round = || {
        let before = seconds(start);
        let tagged: usize = words.iter().map(|sentence| worker.tag(sentence).len()).sum();
        assert_eq!(tagged, num_tokens);
        num_tokens as f64 / (seconds(start) - before)
    };
    (0..5).map(|_| round()).fold(0.0, f64::max)
}

fn measure_jackknife(data: &[TaggedSentence], folds: usize, config: &TaggerConfig) {
    let start = Instant::now();
    let tags = jackknife(data, folds, config).expect("enough sentences");
    let mut accuracy = Accuracy::default();
    for (sentence, tags) in data.iter().zip(&tags) {
        sentence.tags().iter().zip(tags).for_each(|(gold, tag)| accuracy.add(gold == tag, true));
    }
    println!("{folds} folds: {accuracy}, {:.1} s by the clock", start.elapsed().as_secs_f64());
}
