//! `boughs treebank convert` between the formats.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const EXPORT: &str = "\
#FORMAT 3
#BOS 1
Was\tPWS\t--\tOA\t501
will\tVMFIN\t--\tHD\t500
sie\tPPER\t--\tSB\t500
lesen\tVVINF\t--\tHD\t501
#501\tVP\t--\tOC\t500
#500\tS\t--\t--\t0
#EOS 1
#BOS 2
Straße\tNN\t--\t--\t500
#500\tNP\t--\t--\t0
#EOS 2
";

fn convert(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_boughs"))
        .current_dir(directory)
        .args(["treebank", "convert"])
        .args(arguments)
        .output()
        .expect("it runs")
}

fn written(output: &Output) -> &str {
    str::from_utf8(&output.stdout).expect("UTF-8")
}

fn reported(output: &Output) -> &str {
    str::from_utf8(&output.stderr).expect("UTF-8")
}

#[test]
fn discontinuous_trees_need_a_flag() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("a.export"), EXPORT).expect("written");
    let refused = convert(directory.path(), &["a.export"]);
    assert_eq!(refused.status.code(), Some(2));
    let expected = "boughs: a.export:7: tree 1: `VP-OC` is discontinuous in sentence 1: ";
    assert!(reported(&refused).starts_with(expected), "{}", reported(&refused));
    assert!(reported(&refused).contains("attach-discontinuous"));

    let partial = convert(directory.path(), &["--keep-going", "a.export"]);
    assert_eq!(partial.status.code(), Some(1));
    assert_eq!(written(&partial), "(VROOT (NP (NN Straße)))\n");

    let whole = convert(directory.path(), &["--attach-discontinuous", "a.export"]);
    assert_eq!(whole.status.code(), Some(0));
    assert_eq!(
        written(&whole),
        "(VROOT (S (PWS Was) (VMFIN will) (PPER sie) (VP-OC (VVINF lesen))))\n(VROOT (NP (NN Straße)))\n"
    );
}

#[test]
fn latin1_export_under_any_name() {
    let directory = tempfile::tempdir().expect("a directory");
    let latin1: Vec<u8> = EXPORT.chars().map(|c| u8::try_from(c).expect("latin1")).collect();
    fs::write(directory.path().join("corpus.txt"), latin1).expect("written");
    let output = convert(directory.path(), &["-k", "--encoding", "latin1", "corpus.txt"]);
    assert_eq!(written(&output), "(VROOT (NP (NN Straße)))\n");
    let undecoded = convert(directory.path(), &["-k", "corpus.txt"]);
    assert!(
        reported(&undecoded).contains("is not UTF-8 (is it ISO 8859-1? Then give the encoding latin1)"),
        "{}",
        reported(&undecoded)
    );
}

#[test]
fn there_and_back() {
    let directory = tempfile::tempdir().expect("a directory");
    let trees = "(TOP (S (NP-SBJ (PRP She)) (VP (VBZ reads))) (. .))\n(TOP (FRAG (UH Yes)))\n";
    fs::write(directory.path().join("a.mrg"), trees).expect("written");
    for version in ["export", "export3"] {
        let export = convert(directory.path(), &["--to", version, "a.mrg"]);
        assert_eq!(written(&export).matches("#BOS").count(), 2);
        fs::write(directory.path().join("b"), written(&export)).expect("written");
        let back = convert(directory.path(), &["b"]);
        assert_eq!(written(&back), trees.replace("TOP", "VROOT"));
    }
}

#[test]
fn tables_of_tokens() {
    let directory = tempfile::tempdir().expect("a directory");
    fs::write(directory.path().join("a.mrg"), "(NP (DT The) (NN bough))\n(UH Yes)\n").expect("written");
    let table = convert(directory.path(), &["--to", "table", "a.mrg"]);
    let expected = "1\tThe\t_\t_\tDT\t_\t_\t_\t_\t_\n2\tbough\t_\t_\tNN\t_\t_\t_\t_\t_\n\n\
                    1\tYes\t_\t_\tUH\t_\t_\t_\t_\t_\n\n";
    assert_eq!(written(&table), expected);
    fs::write(directory.path().join("words"), "The\nbough\n").expect("written");
    let words = convert(directory.path(), &["--from", "table", "words"]);
    assert_eq!(written(&words), "( (_ The) (_ bough))\n");
}

#[test]
fn tiger_xml() {
    let directory = tempfile::tempdir().expect("a directory");
    let xml = b"<?xml version='1.0' encoding='ISO-8859-1'?>\n<corpus><body>\n\
        <s id='s1'><graph><terminals><t id='1' word='Stra\xDFe' pos='NN'/></terminals></graph></s>\n\
        <s id='s2'><graph><terminals><t id='1' word='Weg' pos='NN'></terminals></graph></s>\n\
        <subcorpus external='rest.xml'/></body></corpus>\n";
    fs::write(directory.path().join("a.xml"), xml).expect("written");
    let output = convert(directory.path(), &["-k", "a.xml"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(written(&output), "(VROOT (NN Straße))\n");
    let reported = reported(&output);
    assert!(reported.contains("a.xml:4: tree 2: malformed XML: expected `</t>`"), "{reported}");
    assert!(
        reported.contains("a.xml:5: this part of the corpus is in another file, `rest.xml`"),
        "{reported}"
    );
}
