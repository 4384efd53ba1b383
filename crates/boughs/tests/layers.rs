//! The map of CONTRIBUTING.md, enforced: a module of the library uses lower layers only.

use std::fs;
use std::path::{Path, PathBuf};

/// Every top-level module and its layer. A module may use itself and the modules of lower layers.
const LAYERS: &[(&str, u32)] = &[
    ("error", 0),
    ("learn", 0),
    ("span", 0),
    ("rng", 0),
    ("vocab", 0),
    ("tree", 1),
    ("text", 1),
    ("eval", 2),
    ("treebank", 2),
    ("parse", 2),
    ("model", 2),
    ("chart", 3),
    ("transition", 3),
    ("neural", 3),
    ("tagger", 3),
    ("parser", 4),
    ("train", 5),
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

/// The code of a file without comments, each statement that names the crate on one line of the result.
fn statements(text: &str) -> Vec<(usize, String)> {
    let mut statements: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for (index, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("").trim();
        match statements.last_mut().filter(|_| open) {
            Some((_, statement)) => statement.push_str(code),
            None => statements.push((index + 1, code.to_owned())),
        }
        // Only a list of uses goes over several lines.
        let statement = statements.last().map_or("", |(_, statement)| statement);
        let is_use =
            statement.trim_start_matches("pub ").trim_start_matches("pub(crate) ").starts_with("use ");
        open = is_use && !statement.contains(';');
    }
    statements
}

/// The top-level modules named in a path from the crate's root: `a` in `a::b`, `a` and `b` in `{a::{x, y}, b}`.
fn first_names(path: &str) -> Vec<String> {
    let Some(list) = path.strip_prefix('{') else {
        return vec![path.chars().take_while(|&c| c.is_ascii_alphanumeric() || c == '_').collect()];
    };
    let mut names = vec![String::new()];
    let mut depth = 1;
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => names.push(String::new()),
            _ if depth == 1 => names.last_mut().expect("never empty").push(c),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    names.iter().map(|name| name.trim().split("::").next().unwrap_or("").to_owned()).collect()
}

/// The top-level modules that a statement in a file `depth` modules deep names, by `crate::` or by enough `super::`.
fn modules_used(statement: &str, depth: usize) -> Vec<String> {
    let supers = "super::".repeat(depth);
    let mut modules = Vec::new();
    for root in ["crate::", supers.as_str()] {
        for (start, marker) in statement.match_indices(root) {
            modules.extend(first_names(&statement[start + marker.len()..]));
        }
    }
    modules.retain(|name| {
        name.starts_with(|c: char| c.is_ascii_lowercase()) && name != "super" && name != "self"
    });
    modules
}

fn upward_use(module: &str, depth: usize, statement: &str) -> Option<String> {
    let by_super = |used: &String| LAYERS.iter().any(|(name, _)| name == used);
    let used = modules_used(statement, depth).into_iter();
    used.filter(|used| statement.contains("crate::") || by_super(used))
        .find(|used| used != module && layer(used) >= layer(module))
}

/// The top-level module of a file below the sources, and how many modules deep its code is.
fn module_of(file: &Path) -> (String, usize) {
    let parts: Vec<String> =
        file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let is_mod = parts.last().is_some_and(|last| last == "mod");
    (parts[0].clone(), parts.len() - usize::from(is_mod))
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
        let (module, depth) = module_of(inside);
        if module == "lib" {
            continue;
        }
        layer(&module);
        let text = fs::read_to_string(&file).expect("sources are text");
        for (line, statement) in statements(&text) {
            if let Some(used) = upward_use(&module, depth, &statement) {
                upward.push(format!("{}:{line}: {module} uses {used}", inside.display()));
            }
        }
    }
    assert!(upward.is_empty(), "not a lower layer:\n{}", upward.join("\n"));
}

#[test]
fn upward_uses_are_seen() {
    let found = |module: &str, depth: usize, text: &str| {
        statements(text).iter().find_map(|(_, statement)| upward_use(module, depth, statement))
    };
    for (text, used) in [
        ("use crate::eval::Scorer;", Some("eval")),
        ("    crate::treebank::assign(1)", Some("treebank")),
        ("use crate::{error::Result, treebank::Stats};", Some("treebank")),
        (
            "use crate::{\n    error::{Error, Result},\n    tree::{read::Input, Tree},\n    eval,\n};",
            Some("eval"),
        ),
        ("pub use crate::{\n    eval::Scorer,\n};", Some("eval")),
        ("use super::super::eval::Scorer;", Some("eval")),
        ("use super::read::Input;", None),
        ("use crate::tree::read::Input;", None),
        ("use crate::{Error, Result};", None),
        ("/// see [`x`](crate::eval::x)", None),
    ] {
        assert_eq!(found("tree", 2, text).as_deref(), used, "{text}");
    }
    assert_eq!(found("eval", 1, "use crate::tree::Tree;"), None);
    assert_eq!(found("rng", 1, "    use super::*;"), None);
}
