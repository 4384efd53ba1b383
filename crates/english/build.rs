//! Whether the large model is to be had: it is too large for a package, and comes with a clone.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(large)");
    println!("cargo::rerun-if-changed=english.model");
    if env::var_os("CARGO_FEATURE_LARGE").is_some() && Path::new("english.model").is_file() {
        println!("cargo::rustc-cfg=large");
    }
}
