//! `boughs treebank clean` as a user runs it.

mod common;

use common::{Dir, Run, boughs};

const TREES: &str = "\
( (S (`` ``) (NP-SBJ-1 (NP (NNP Kim)) (, ,)) (VP (VBD ran) (ADVP|PRT (RP off)) (NP (-NONE- *T*-1))) \
(. .) ('' '')))
(ROOT (NP (. .)))
(S (NP (PRP I)) (VP (VBP run) (PRT (RP off)) (NP=2 (CD 1\\/2) (NN mile))) (. .))
";

fn clean(args: &[&str], input: &str) -> Run {
    boughs(&[&["treebank", "clean"], args].concat(), input)
}

/// The output of a run that succeeds and says nothing on standard error.
fn cleaned(args: &[&str]) -> String {
    clean(args, TREES).ok()
}

/// The message of a run that fails.
fn refused(args: &[&str], input: &str) -> String {
    clean(args, input).fault()
}

#[test]
fn without_steps_trees_are_only_put_on_lines() {
    assert_eq!(cleaned(&[]), TREES);
}

#[test]
fn each_flag_is_a_step() {
    let first = |args: &[&str]| cleaned(args).lines().next().map(str::to_owned).expect("a line");
    let original = TREES.lines().next().expect("a line");
    for (flag, from, to) in [
        ("--strip-functions", "NP-SBJ-1", "NP"),
        ("--strip-alternatives", "ADVP|PRT", "ADVP"),
        ("--remove-traces", " (NP (-NONE- *T*-1))", ""),
        ("--lowercase", "Kim", "kim"),
        ("--raise-punctuation", ") (, ,))", ")) (, ,)"),
        ("--root=TOP", "( (S", "(TOP (S"),
    ] {
        let mut expected = original.replace(from, to);
        if flag == "--raise-punctuation" {
            expected = expected
                .replace("( (S (`` ``)", "( (`` ``) (S")
                .replace(" (. .) ('' '')))", ") (. .) ('' ''))");
        }
        assert_eq!(first(&[flag]), expected, "{flag}");
    }
    assert!(!first(&["--remove-quotes"]).contains("``"));
    assert!(!first(&["--remove-outer-punctuation"]).contains("(. .)"));
    assert!(cleaned(&["--prt-to-advp"]).contains("(ADVP (RP off))"));
    assert!(cleaned(&["--unescape-slashes"]).contains("1/2"));
    assert!(cleaned(&["--root", "none"]).starts_with("(S (`` ``)"));
}

#[test]
fn the_pipeline_of_2006() {
    assert_eq!(
        cleaned(&["--pipeline", "tm06", "--root", "TOP"]),
        "(TOP (S (NP (NNP kim)) (, ,) (VP (VBD ran) (ADVP (RP off)))))\n\
         ()\n\
         (TOP (S (NP (PRP i)) (VP (VBP run) (ADVP (RP off)) (NP (CD 1\\/2) (NN mile)))))\n"
    );
}

#[test]
fn a_list_of_steps_in_any_order() {
    let steps = "root=TOP,remove-traces,strip-functions,max-length=2";
    assert_eq!(cleaned(&["--steps", steps]), "(TOP (NP (. .)))\n");
    assert!(refused(&["--steps", "remove-trace"], "").contains("there is no step `remove-trace`"));
    assert!(refused(&["--steps", steps, "--lowercase"], "").contains("cannot be used with"));
    assert!(refused(&["--steps", steps, "--root", "X"], "").contains("cannot be used with"));
}

#[test]
fn long_sentences_are_dropped_and_counted() {
    let output = clean(&["--max-length", "6", "--lowercase", "--verbose"], TREES);
    assert_eq!(output.stdout.lines().count(), 2);
    assert_eq!(
        output.stderr,
        "boughs: 3 trees read, 1 changed (0 left without tokens), 1 dropped for their length\n"
    );
}

#[test]
fn tags_of_other_treebanks() {
    let tree = "(S (NE Kim) (VVFIN geht) ($. .))";
    let args = ["--remove-outer-punctuation", "--punctuation-tags", "$. $, $("];
    assert_eq!(clean(&args, tree).stdout, "(S (NE Kim) (VVFIN geht))\n");
}

#[test]
fn rare_words_are_counted_in_the_input_or_elsewhere() {
    let directory = Dir::new();
    let train = directory.write("train.mrg", "(X (A a) (A b) (A A))\n(X (A a) (A c))\n");
    let dev = directory.write("dev.mrg", "(X (A A) (A b))\n");
    let words = directory.write("words.txt", "b\n");
    assert_eq!(
        cleaned(&["--replace-rare", "3", "--lowercase", &train]),
        "(X (A a) (A UNK) (A a))\n(X (A a) (A UNK))\n"
    );
    let by_sentence = ["--replace-rare", "3", "--lowercase", "--count", "sentences", "--training", &train];
    assert_eq!(cleaned(&[&by_sentence[..], &[&dev]].concat()), "(X (A UNK) (A UNK))\n");
    let listed = ["--vocabulary", &words, "--unknown-word", "?", &dev];
    assert_eq!(cleaned(&listed), "(X (A ?) (A b))\n");
    let steps = ["--steps", "replace-rare=5,lowercase", "--vocabulary", &words, &dev];
    assert_eq!(cleaned(&steps), "(X (A unk) (A b))\n");
    assert_eq!(cleaned(&["--pipeline", "tm05", "--training", &train, &dev]), "(X (A UNK) (A UNK))\n");
}

#[test]
fn what_cannot_be_counted_is_explained() {
    assert!(refused(&["--replace-rare", "2"], TREES).contains("--training or --vocabulary"));
    assert!(refused(&["--training", "x"], TREES).contains("--replace-rare N"));
    assert!(refused(&["--vocabulary", "no/such/file"], TREES).contains("no/such/file"));
}

#[test]
fn bad_trees_are_reported_once() {
    let directory = Dir::new();
    let bad = directory.write("bad.mrg", "(X (A a))\n(X b)\n(X (A ))\n(X (A a))\n");
    let output = clean(&["--keep-going", "--replace-rare", "2", &bad], "");
    assert_eq!(output.code, Some(1));
    assert_eq!(output.stdout, "(X (A a))\n(X UNK)\n(X (A a))\n");
    assert_eq!(output.stderr.lines().count(), 2);
}

#[test]
fn bad_trees_of_the_training_data_are_told_in_the_exit_code() {
    let directory = Dir::new();
    let train = directory.write("train.mrg", "(X (A a))\n(X (A ))\n");
    let output = clean(&["-k", "--replace-rare", "1", "--training", &train], "(X (A a) (A b))");
    assert_eq!((output.code, output.stdout.as_str()), (Some(1), "(X (A a) (A UNK))\n"));
    assert!(output.stderr.contains("train.mrg:2:"), "{}", output.stderr);
}

#[test]
fn pretty_trees() {
    let pretty = clean(&["--pretty"], "(S (NP (PRP I)) (VP (VBP run)))");
    assert_eq!(pretty.stdout, "(S\n  (NP (PRP I))\n  (VP (VBP run)))\n\n");
}

#[test]
fn the_list_names_every_step() {
    let list = cleaned(&["--list"]);
    for word in ["tm06", "tm05", "replace-rare=5", "raise-punctuation", "max-length=N"] {
        assert!(list.contains(word), "{word}");
    }
}
