//! The map of CONTRIBUTING.md, enforced: a module of the library uses lower layers only.

use std::fs;
use std::path::{Path, PathBuf};

/// Every top-level module and its layer. A module may use itself and the modules of lower layers.
const LAYERS: [(&str, u32); 8] = [
    ("error", 0),
    ("span", 0),
    ("rng", 0),
    ("tree", 1),
    ("eval", 2),
    ("treebank", 2),
    ("model", 2),
    ("learn", 3),
];

fn layer(module: &str) -> u32 {
    let found = LAYERS.iter().find(|(name, _)| *name == module);
    found.unwrap_or_else(|| panic!("give module `{module}` a layer, here and in CONTRIBUTING.md")).1
}

fn source_files(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the sources can be listed") {
        let path = entry.expect("the sources can be listed").path();
        if path.is_dir() {
            source_files(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

/// The modules named after `crate::` in code; `crate::{a, b}` names several, `crate::Error` none.
fn modules_used(line: &str) -> Vec<String> {
    let code = line.split("//").next().unwrap_or("");
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut modules = Vec::new();
    for (start, marker) in code.match_indices("crate::") {
        let rest = &code[start + marker.len()..];
        let list = match rest.strip_prefix('{') {
            Some(inside) => inside.split('}').next().unwrap_or("").split(',').collect(),
            None => vec![rest],
        };
        for item in list {
            let name: String = item.trim().chars().take_while(|&c| is_word(c)).collect();
            if name.starts_with(|c: char| c.is_ascii_lowercase()) {
                modules.push(name);
            }
        }
    }
    modules
}

fn upward_use(module: &str, line: &str) -> Option<String> {
    modules_used(line).into_iter().find(|used| used != module && layer(used) >= layer(module))
}

#[test]
fn modules_use_lower_layers_only() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    source_files(&source, &mut files);
    assert!(files.len() > 10, "the sources are not where this test looks");
    let mut upward = Vec::new();
    for file in files {
        let inside = file.strip_prefix(&source).expect("below the sources");
        let first = inside.components().next().expect("a name").as_os_str().to_string_lossy().into_owned();
        let module = first.trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let text = fs::read_to_string(&file).expect("sources are text");
        for (index, line) in text.lines().enumerate() {
            if let Some(used) = upward_use(module, line) {
                upward.push(format!("{}:{}: {module} uses {used}", inside.display(), index + 1));
            }
        }
    }
    assert!(upward.is_empty(), "not a lower layer:\n{}", upward.join("\n"));
}

#[test]
fn upward_uses_are_seen() {
    assert_eq!(upward_use("tree", "use crate::eval::Scorer;").as_deref(), Some("eval"));
    assert_eq!(upward_use("tree", "    crate::treebank::assign(1)").as_deref(), Some("treebank"));
    assert_eq!(
        upward_use("eval", "use crate::{error::Result, treebank::Stats};").as_deref(),
        Some("treebank")
    );
    assert_eq!(upward_use("eval", "use crate::tree::Tree;"), None);
    assert_eq!(upward_use("tree", "use crate::tree::read::Input;"), None);
    assert_eq!(upward_use("tree", "use crate::{Error, Result};"), None);
    assert_eq!(upward_use("tree", "/// see [`x`](crate::eval::x)"), None);
}
