//! Files, directories, compression and encodings.

use std::fs;
use std::io::Write;
use std::path::Path;

use boughs::tree::read::{Encoding, Input, ReadOptions, TreebankReader};
use boughs::{Error, ErrorKind};
use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;

fn write(directory: &Path, name: &str, bytes: &[u8]) {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    fs::write(path, bytes).expect("a file");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn read(path: &Path, options: ReadOptions) -> Vec<Result<String, Error>> {
    match TreebankReader::open(vec![Input::Path(path.to_owned())], options) {
        Ok(trees) => trees.map(|tree| tree.map(|tree| tree.to_string())).collect(),
        Err(error) => vec![Err(error)],
    }
}

fn trees(path: &Path, options: ReadOptions) -> Vec<String> {
    read(path, options).into_iter().map(|tree| tree.expect("a tree")).collect()
}

#[test]
fn directories_in_order_with_any_case_of_ending() {
    let directory = TempDir::new().expect("a directory");
    let root = directory.path();
    write(root, "01/b.MRG", b"(B b)");
    write(root, "01/a.mrg.GZ", &gzip(b"(A a)"));
    write(root, "02/c.Tree", b"(C c)");
    write(root, "readme.txt", b"not a treebank");
    write(root, ".hidden.mrg", b"(H h)");
    assert_eq!(trees(root, ReadOptions::default()), ["(A a)", "(B b)", "(C c)"]);
}

#[test]
fn a_directory_without_treebanks_says_what_was_looked_for() {
    let directory = TempDir::new().expect("a directory");
    write(directory.path(), "readme.txt", b"x");
    let errors = read(directory.path(), ReadOptions::default());
    let message = errors[0].as_ref().expect_err("nothing to read").to_string();
    assert!(message.contains("no treebank files") && message.contains("*.mrg"), "{message}");
}

#[test]
fn missing_files_are_named() {
    let errors = read(Path::new("no/such/file.mrg"), ReadOptions::default());
    let error = errors[0].as_ref().expect_err("missing");
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(error.to_string().starts_with("no/such/file.mrg: cannot open: "), "{error}");
}

#[test]
fn compressed_members_follow_each_other() {
    let directory = TempDir::new().expect("a directory");
    let mut bytes = gzip(b"(A a)\n");
    bytes.extend(gzip(b"(B b)\n"));
    // Known by its first bytes, not by its name.
    write(directory.path(), "x.mrg", &bytes);
    assert_eq!(trees(&directory.path().join("x.mrg"), ReadOptions::default()), ["(A a)", "(B b)"]);
}

#[test]
fn a_truncated_archive_is_an_error_after_its_trees() {
    let directory = TempDir::new().expect("a directory");
    let bytes = gzip(b"(A a)\n(B b)\n");
    write(directory.path(), "x.gz", &bytes[..bytes.len() - 6]);
    let found = read(&directory.path().join("x.gz"), ReadOptions::default());
    let error = found.last().expect("something").as_ref().expect_err("truncated");
    assert_eq!(error.kind(), ErrorKind::Io);
}

#[test]
fn byte_order_marks_and_encodings() {
    let directory = TempDir::new().expect("a directory");
    let path = directory.path().join("x.mrg");
    let utf16: Vec<u8> = "\u{FEFF}(A größe)".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, encoding) in [
        ("\u{FEFF}(A größe)".as_bytes(), Encoding::Utf8),
        (&utf16, Encoding::Utf8),
        (b"(A gr\xF6\xDFe)", Encoding::Latin1),
    ] {
        fs::write(&path, bytes).expect("a file");
        let options = ReadOptions { encoding, ..ReadOptions::default() };
        assert_eq!(trees(&path, options), ["(A größe)"]);
    }
}

#[test]
fn an_error_in_one_file_does_not_end_the_next() {
    let directory = TempDir::new().expect("a directory");
    write(directory.path(), "a.mrg", b"(S (A a)");
    write(directory.path(), "b.mrg", b"(B b)");
    let found = read(directory.path(), ReadOptions::default());
    assert!(found[0].as_ref().expect_err("unclosed").to_string().contains("a.mrg:1:1: tree 1: "));
    assert_eq!(found[1].as_ref().expect("a tree"), "(B b)");
}

#[test]
fn empty_files_have_no_trees() {
    let directory = TempDir::new().expect("a directory");
    write(directory.path(), "a.mrg", b"");
    write(directory.path(), "b.mrg", &gzip(b""));
    assert!(read(directory.path(), ReadOptions::default()).is_empty());
}
