//! Any bytes are refused as a model of grammars, or make one that parses and comes back.
#![no_main]

use std::time::{Duration, Instant};

use boughs::chart::{ChartOptions, ChartParser};
use boughs::model::{About, ChartModel, ModelFile};
use boughs::parse::Request;
use boughs::tree::Tokens;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(file) = ModelFile::from_bytes(data) else { return };
    let Ok(model) = ChartModel::from_file(&file) else { return };
    let again = model.to_file(About::new("")).expect("no larger than before");
    assert!(ChartModel::from_file(&again).is_ok_and(|again| again == model));
    let tokens: Tokens = ["The", "boughs", "bend", "."].map(|word| (word, "")).into_iter().collect();
    let request = Request { deadline: Some(Instant::now() + Duration::from_secs(1)), ..Request::new(&tokens) };
    let parsed = ChartParser::new(&model, &ChartOptions::default()).parse(request, &[]).expect("no constraints");
    assert!(parsed.parses.iter().all(|parse| parse.tree.words().eq(tokens.words())));
});
