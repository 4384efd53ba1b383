//! Any bytes are refused as a model, or make one that can be used and saved again.
#![no_main]

use boughs::model::{ModelFile, Predictor, PredictorScratch};
use boughs::tagger::Tagger;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(file) = ModelFile::from_bytes(data) else { return };
    assert!(file.to_bytes().is_ok());
    if let Ok(predictor) = Predictor::from_file(&file) {
        predictor.scores(&[0, 1, 2], &mut PredictorScratch::default());
    }
    if let Ok(tagger) = Tagger::from_file(&file) {
        assert_eq!(tagger.tag(&["The", "boughs", "bend", "."]).len(), 4);
    }
});
