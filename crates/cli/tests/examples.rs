//! The examples in the documentation, run: each `$ command` in a console block must print what stands below it.
//!
//! A line `? N` after the command is the exit code, if it is not 0. Standard output and standard error are shown
//! together, as in a terminal. After a change of output: `OVERWRITE=1 cargo test -p boughs-cli --test examples`, then
//! read the diff.
#![cfg(unix)]

mod common;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use common::workspace;

const START: &str = "```console\n";
const END: &str = "```\n";

/// Runs a command line in a shell, in the root of the workspace, with the program in the path.
fn run(command: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_boughs"));
    let directory = program.parent().expect("a directory").display();
    let path = format!("{directory}:{}", env::var("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(workspace(""))
        .env("PATH", path)
        .output()
        .expect("a shell");
    let mut shown = String::new();
    if !output.status.success() {
        writeln!(shown, "? {}", output.status.code().unwrap_or(-1)).expect("strings do not fail");
    }
    shown + &String::from_utf8_lossy(&output.stdout)
}

/// The block with what its commands print now.
fn rerun(block: &str) -> String {
    let mut shown = String::new();
    for command in block.lines().filter_map(|line| line.strip_prefix("$ ")) {
        if !shown.is_empty() {
            shown.push('\n');
        }
        write!(shown, "$ {command}\n{}", run(command)).expect("strings do not fail");
    }
    shown
}

/// Removes what an earlier run of a page wrote: nothing is overwritten without `--force`.
fn remove_outputs(page: &str) {
    let options = page.split_whitespace().zip(page.split_whitespace().skip(1));
    for (_, path) in options.filter(|(flag, path)| *flag == "-o" && path.starts_with("target/")) {
        let _ = fs::remove_file(workspace(path));
    }
}

/// The page with all its blocks run.
fn rerun_page(page: &str) -> String {
    remove_outputs(page);
    let mut rest = page;
    let mut shown = String::new();
    while let Some(start) = rest.find(START) {
        let (before, block) = rest.split_at(start + START.len());
        let end = block.find(END).expect("a block ends");
        shown.push_str(before);
        shown.push_str(&rerun(&block[..end]));
        rest = &block[end..];
    }
    shown + rest
}

fn pages() -> Vec<PathBuf> {
    let docs = fs::read_dir(workspace("docs")).expect("the documentation");
    let mut pages: Vec<PathBuf> = docs.map(|entry| entry.expect("a page").path()).collect();
    pages.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    pages.push(workspace("README.md"));
    pages.sort();
    pages
}

#[test]
fn examples_print_what_the_documentation_shows() {
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page");
        let shown = rerun_page(&page);
        if env::var_os("OVERWRITE").is_some() {
            fs::write(&path, shown).expect("the page can be written");
            continue;
        }
        for (number, (written, printed)) in page.lines().zip(shown.lines()).enumerate() {
            assert_eq!(written, printed, "{}:{}", path.display(), number + 1);
        }
        assert_eq!(page, shown, "{}", path.display());
    }
}
