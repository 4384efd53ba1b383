//! Any files are refused as the directory of an encoder, or make an encoder that can be used.
#![no_main]

use std::fs;

use boughs_encoder::{Batch, Precision, Worker};
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 5] =
    ["config.json", "vocab.txt", "tokenizer.json", "tokenizer_config.json", "model.safetensors"];

// What belongs to each file is between bytes 255, which are in no UTF-8; weights come last and may have any. An empty
// file is not there.
fuzz_target!(|data: &[u8]| {
    let directory = std::env::temp_dir().join(format!("boughs-fuzz-{}", std::process::id()));
    let _ = fs::remove_dir_all(&directory);
    if fs::create_dir(&directory).is_err() {
        return;
    }
    for (name, content) in NAMES.into_iter().zip(data.splitn(NAMES.len(), |&byte| byte == 255)) {
        if !content.is_empty() {
            let _ = fs::write(directory.join(name), content);
        }
    }
    let Ok((encoder, vocabulary)) = boughs_encoder::read(&directory, None) else { return };
    let windows = vocabulary.windows(&["The", "boughs", "", "\u{301}x", "木"], encoder.config().positions);
    assert_eq!(windows.words.len(), 5);
    let Ok(batch) = Batch::new(windows.ids.iter().map(Vec::as_slice), encoder.config()) else { return };
    encoder.freeze(Precision::F32).encode(&batch, &mut Worker::default());
});
