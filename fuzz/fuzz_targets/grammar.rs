//! Any bytes are refused as a grammar, or make one that parses and comes back.
#![no_main]

use std::time::Duration;

use boughs::chart::{ChartConfig, ChartParser, Request};
use boughs::model::{About, GrammarModel, ModelFile};
use boughs::tree::{Demands, TreeBuilder};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(file) = ModelFile::from_bytes(data) else { return };
    let Ok(model) = GrammarModel::from_file(&file) else { return };
    let again = model.to_file(About::new("")).expect("no larger than before");
    assert!(GrammarModel::from_file(&again).is_ok_and(|again| again == model));
    let mut builder = TreeBuilder::new();
    ["The", "boughs", "bend", "."].into_iter().for_each(|word| builder.token(word, ""));
    let tokens = builder.finish().expect("small");
    let config = ChartConfig { timeout: Some(Duration::from_secs(1)), ..ChartConfig::default() };
    let parses = ChartParser::new(&model, config).parse(Request { tokens: &tokens, demands: &Demands::default() });
    for parse in parses.expect("no demands").0 {
        assert!(parse.tree.words().eq(tokens.words()));
    }
});
