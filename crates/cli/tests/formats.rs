//! `boughs treebank convert` between the formats.

mod common;

use common::{Dir, Run};

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

fn convert(directory: &Dir, arguments: &[&str]) -> Run {
    directory.run(&[&["treebank", "convert"], arguments].concat())
}

#[test]
fn discontinuous_trees_need_a_flag() {
    let directory = Dir::new();
    directory.write("a.export", EXPORT);
    let refused = convert(&directory, &["a.export"]);
    assert_eq!(refused.code, Some(2));
    let expected = "boughs: a.export:7: tree 1: `VP-OC` is discontinuous in sentence 1: ";
    assert!(refused.stderr.starts_with(expected), "{}", refused.stderr);
    assert!(refused.stderr.contains("attach-discontinuous"));

    let partial = convert(&directory, &["--keep-going", "a.export"]);
    assert_eq!(partial.code, Some(1));
    assert_eq!(partial.stdout, "(VROOT (NP (NN Straße)))\n");

    let whole = convert(&directory, &["--attach-discontinuous", "a.export"]);
    assert_eq!(whole.code, Some(0));
    assert_eq!(
        whole.stdout,
        "(VROOT (S (PWS Was) (VMFIN will) (PPER sie) (VP-OC (VVINF lesen))))\n(VROOT (NP (NN Straße)))\n"
    );
}

#[test]
fn latin1_export_under_any_name() {
    let directory = Dir::new();
    let latin1: Vec<u8> = EXPORT.chars().map(|c| u8::try_from(c).expect("latin1")).collect();
    directory.write("corpus.txt", latin1);
    let output = convert(&directory, &["-k", "--encoding", "latin1", "corpus.txt"]);
    assert_eq!(output.stdout, "(VROOT (NP (NN Straße)))\n");
    let undecoded = convert(&directory, &["-k", "corpus.txt"]);
    assert!(
        undecoded.stderr.contains("is not UTF-8 (is it ISO 8859-1? Then give the encoding latin1)"),
        "{}",
        undecoded.stderr
    );
}

#[test]
fn there_and_back() {
    let directory = Dir::new();
    let trees = "(TOP (S (NP-SBJ (PRP She)) (VP (VBZ reads))) (. .))\n(TOP (FRAG (UH Yes)))\n";
    directory.write("a.mrg", trees);
    for version in ["export", "export3"] {
        let export = convert(&directory, &["--to", version, "a.mrg"]);
        assert_eq!(export.stdout.matches("#BOS").count(), 2);
        directory.write("b", &export.stdout);
        let back = convert(&directory, &["b"]);
        assert_eq!(back.stdout, trees.replace("TOP", "VROOT"));
    }
}

#[test]
fn tables_of_tokens() {
    let directory = Dir::new();
    directory.write("a.mrg", "(NP (DT The) (NN bough))\n(UH Yes)\n");
    let table = convert(&directory, &["--to", "table", "a.mrg"]);
    let expected = "1\tThe\t_\t_\tDT\t_\t_\t_\t_\t_\n2\tbough\t_\t_\tNN\t_\t_\t_\t_\t_\n\n\
                    1\tYes\t_\t_\tUH\t_\t_\t_\t_\t_\n\n";
    assert_eq!(table.stdout, expected);
    directory.write("words", "The\nbough\n");
    let words = convert(&directory, &["--from", "table", "words"]);
    assert_eq!(words.stdout, "( (_ The) (_ bough))\n");
}

#[test]
fn tiger_xml() {
    let directory = Dir::new();
    let xml = b"<?xml version='1.0' encoding='ISO-8859-1'?>\n<corpus><body>\n\
        <s id='s1'><graph><terminals><t id='1' word='Stra\xDFe' pos='NN'/></terminals></graph></s>\n\
        <s id='s2'><graph><terminals><t id='1' word='Weg' pos='NN'></terminals></graph></s>\n\
        <subcorpus external='rest.xml'/></body></corpus>\n";
    directory.write("a.xml", xml);
    let output = convert(&directory, &["-k", "a.xml"]);
    assert_eq!(output.code, Some(1));
    assert_eq!(output.stdout, "(VROOT (NN Straße))\n");
    let reported = &output.stderr;
    assert!(reported.contains("a.xml:4: tree 2: malformed XML: expected `</t>`"), "{reported}");
    assert!(
        reported.contains("a.xml:5: this part of the corpus is in another file, `rest.xml`"),
        "{reported}"
    );
}
