//! Any bytes are refused as a grammar, or as several, or make one that parses and comes back.
#![no_main]

use std::time::Duration;

use boughs::chart::{ChartConfig, ChartParse, ChartParser, ProductParser, Request};
use boughs::model::{About, GrammarModel, GrammarProduct, ModelFile};
use boughs::tree::{Constraints, Tree, TreeBuilder};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(file) = ModelFile::from_bytes(data) else { return };
    let (tokens, constraints) = (sentence(), Constraints::default());
    let request = Request { tokens: &tokens, constraints: &constraints, hints: &[] };
    let config = ChartConfig { timeout: Some(Duration::from_secs(1)), ..ChartConfig::default() };
    if let Ok(model) = GrammarModel::from_file(&file) {
        let again = model.to_file(About::new("")).expect("no larger than before");
        assert!(GrammarModel::from_file(&again).is_ok_and(|again| again == model));
        check(ChartParser::new(&model, config.clone()).parse(request).expect("no constraints").0, &tokens);
    }
    if let Ok(product) = GrammarProduct::from_file(&file) {
        check(ProductParser::new(&product, config).parse(request).expect("no constraints").0, &tokens);
    }
});

fn sentence() -> Tree {
    let mut builder = TreeBuilder::new();
    ["The", "boughs", "bend", "."].into_iter().for_each(|word| builder.token(word, ""));
    builder.finish().expect("small")
}

fn check(parses: Vec<ChartParse>, tokens: &Tree) {
    assert!(parses.iter().all(|parse| parse.tree.words().eq(tokens.words())));
}
