//! Trains a parser and says what it cost: `train_history TRAIN DEV [KEY=VALUE…]`.
#![allow(clippy::print_stderr, missing_docs, clippy::unwrap_used)]
use boughs::history::features::Templates;
use boughs::history::search::{Search, SearchConfig};
use boughs::history::{Scheme, Strategy};
use boughs::learn::L1Config;
use boughs::train::history::{Event, HistoryConfig, Learner, train};
use boughs::tree::Tree;
use boughs::tree::read::{Input, ReadOptions, TreebankReader};
use boughs::tree::transform::{Pipeline, Step, sentence_length};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

fn read(path: &str, max: usize) -> Vec<Tree> {
    let input = vec![Input::Path(PathBuf::from(path))];
    TreebankReader::open(input, ReadOptions::default())
        .unwrap()
        .map(|t| t.unwrap())
        .filter(|t| sentence_length(t) <= max)
        .collect()
}
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = s.rsplit(')').next().unwrap().split_whitespace().collect();
    (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
}
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let get =
        |k: &str, d: &str| args.iter().find_map(|a| a.strip_prefix(&format!("{k}="))).unwrap_or(d).to_owned();
    let max: usize = get("max", "15").parse().unwrap();
    let (train_trees, dev) = (read(&args[0], max), read(&args[1], max));
    let mut pipeline = Pipeline::named("tm06").unwrap();
    if let Ok(n) = get("rare", "").parse() {
        pipeline.insert(Step::ReplaceRare(n));
    }
    let l1 = L1Config {
        decay: get("decay", "0.5").parse().unwrap(),
        min_gain_factor: get("gain", "1.1").parse().unwrap(),
        sample_size: get("sample", "20000").parse().unwrap(),
        final_penalty: get("final", "0.05").parse().unwrap(),
        ..L1Config::default()
    };
    let config = HistoryConfig {
        scheme: Scheme { strategy: get("strategy", "r2l").parse::<Strategy>().unwrap(), max_children: 5 },
        templates: Templates::named(&get("features", "kitchen-sink")).unwrap(),
        pipeline,
        learner: Learner::L1(l1),
        first_penalty: get("first", "6.4").parse().unwrap(),
        stage_factor: get("factor", "0.5").parse().unwrap(),
        patience: get("patience", "3").parse().unwrap(),
        memory: 2 << 30,
        seed: 0,
        search: SearchConfig {
            search: if get("search", "agenda") == "greedy" { Search::Greedy } else { Search::AGENDA },
            ..SearchConfig::default()
        },
    };
    if !get("model", "").is_empty() {
        let file = boughs::model::ModelFile::load(&PathBuf::from(get("model", ""))).unwrap();
        let model = boughs::history::Model::from_file(&file).unwrap();
        for pen in get("at", "0").split(',') {
            let model = boughs::history::Model {
                forest: model.forest.at(pen.parse().unwrap()).unwrap(),
                ..model.clone()
            };
            for search in [Search::Greedy, Search::AGENDA] {
                let t0 = cpu();
                let s =
                    boughs::train::history::evaluate(&model, &dev, &SearchConfig { search, ..config.search });
                eprintln!(
                    "at {pen} active {} {search:?} {s:?} {:.1}/s",
                    model.forest.num_active(),
                    dev.len() as f64 / (cpu() - t0)
                );
            }
        }
        return;
    }
    let start = Instant::now();
    let result = train(&train_trees, &dev, &config, None, |event| {
        match event {
            Event::Examples { summary, num_rows, num_features, num_bytes } => eprintln!(
                "{:.1}s cpu {:.1} {summary:?} rows {num_rows} features {num_features} bytes {num_bytes}",
                start.elapsed().as_secs_f64(),
                cpu()
            ),
            Event::Point { point, .. } => {
                eprintln!("{:.1}s cpu {:.1} {point:?}", start.elapsed().as_secs_f64(), cpu())
            }
            _ => {}
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    if !get("out", "").is_empty() {
        result
            .model
            .to_file(boughs::model::About::new("x"))
            .unwrap()
            .save(&PathBuf::from(get("out", "")))
            .unwrap();
    }
    eprintln!("best {:?}", result.points[result.best]);
    let t0 = cpu();
    let n = Instant::now();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let s = pool.install(|| boughs::train::history::evaluate(&result.model, &dev, &config.search));
    eprintln!(
        "{s:?} parse {:.1} sentences per cpu second {:?}",
        dev.len() as f64 / (cpu() - t0),
        n.elapsed()
    );
    let mem = std::fs::read_to_string("/proc/self/status").unwrap();
    eprintln!("{}", mem.lines().find(|l| l.starts_with("VmHWM")).unwrap());
}
