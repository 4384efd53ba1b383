//! `boughs align`.

mod common;

use common::{Dir, workspace};

const SOURCE: &str = "the house\nthe flower\na house\n";
const TARGET: &str = "la maison\nla fleur\nune maison\n";

fn directory() -> Dir {
    Dir::with(&[("s", SOURCE), ("t", TARGET)])
}

#[test]
fn a_line_of_links_for_each_pair() {
    let run = directory().run(&["align", "s", "t"]);
    assert_eq!(run.stdout, "0-0 1-1\n0-0 1-1\n0-0 1-1\n");
    for part in ["source to target, HMM\n", "iteration log-likelihood perplexity    CPU s\n        1 "] {
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
}

#[test]
fn pairs_may_stand_on_one_line() {
    let tabbed: String =
        SOURCE.lines().zip(TARGET.lines()).map(|(one, other)| format!("{one}\t{other}\n")).collect();
    let directory = directory();
    assert_eq!(directory.run_with(&["align", "-q", "-"], &tabbed).ok(), "0-0 1-1\n0-0 1-1\n0-0 1-1\n");
    let run = directory.run_with(&["align", "-q", "-"], "a\tb\nc\n");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("-:2: expected two sentences with a tab between"), "{}", run.stderr);
}

#[test]
fn links_of_others_are_compared_with_gold_links() {
    let directory = directory();
    directory.write("links", "0-0 1-1\n0-0\n0-0 0-1\n");
    directory.write("gold", "0-0 1-1\n0-0 1-1\n0-0 0?1\n");
    let run = directory.run(&["align", "s", "t", "--links", "links", "--gold", "gold"]);
    assert_eq!(run.stdout, "0-0 1-1\n0-0\n0-0 0-1\n");
    assert!(
        run.stderr.contains("alignment error rate 10.00% (precision 100.00%, recall 80.00%)"),
        "{}",
        run.stderr
    );
}

#[test]
fn files_that_do_not_fit_are_refused() {
    let directory = directory();
    directory.write("short", "la maison\n");
    let run = directory.run(&["align", "-q", "s", "short"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("found 1 in short and more in s"), "{}", run.stderr);
    directory.write("links", "0-0\n0-5\n0-0\n");
    let run = directory.run(&["align", "s", "t", "--links", "links"]);
    assert!(run.stderr.contains("links:2"), "{}", run.stderr);
}

#[test]
fn a_pair_is_drawn_below_its_tree() {
    let directory = Dir::with(&[
        ("s", "(NP (JJ white) (NN dog))\n(NP (JJ black) (NN dog))\n"),
        ("t", "chien blanc\nchien noir\n"),
    ]);
    let run = directory.run(&["align", "-q", "--trees", "s", "t", "--to", "svg"]);
    assert!(run.stdout.starts_with("<svg ") && run.stdout.contains(">blanc</text>"), "{}", run.stdout);
    assert!(run.stderr.contains("0 straight, 2 inverted"), "{}", run.stderr);
    let run = directory.run(&["align", "-q", "--trees", "s", "t", "--to", "svg", "-n", "3"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("there is no pair 3: there are 2"), "{}", run.stderr);
    assert!(directory.run(&["align", "-q", "s", "t", "--to", "svg"]).stderr.contains("--trees"));
}

#[test]
fn threads_do_not_matter() {
    let [source, target] =
        ["sample.en", "sample.fr"].map(|name| workspace("testdata/bitext").join(name).display().to_string());
    let align = |threads| Dir::new().run(&["align", "-q", &source, &target, "-j", threads]).ok();
    assert_eq!(align("1"), align("3"));
}

#[test]
fn other_columns_do_not_become_words() {
    let run = Dir::new().run_with(&["align", "-q", "-"], "a\tb\nc\td\tCC-BY\n");
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("-:2: expected two sentences with a tab between, found 2 tabs"),
        "{}",
        run.stderr
    );
}

#[test]
fn any_bytes_are_links_or_an_error_that_names_the_line() {
    let directory = directory();
    for (bytes, message) in [
        (&b"0-0\n\xff\n\n"[..], "links:2: expected UTF-8"),
        (b"0-0\n\x00-1\n\n", "links:2: expected a link"),
        (b"0-0\n0-0\n1\xe2\x88\x920\n", "links:3: expected a link"),
        (b"0-0\n99999999999999999999-0\n\n", "links:2: expected a link"),
        (b"0-0\n0-0", "expected a line for each of 3 sentences, found 2"),
        (b"", "expected a line for each of 3 sentences, found 0"),
    ] {
        directory.write("links", bytes);
        for option in ["--links", "--gold"] {
            let run = directory.run(&["align", "-q", "s", "t", option, "links"]);
            assert_eq!(run.code, Some(2), "{bytes:?}");
            assert!(run.stderr.contains(message), "{bytes:?}: {}", run.stderr);
        }
    }
    directory.write("links", "\t0-0 \r\n\n 1-0 0-0");
    let read = directory.run(&["align", "-q", "s", "t", "--links", "links"]).ok();
    assert_eq!(read, "0-0\n\n0-0 1-0\n");
    directory.write("links", &read);
    assert_eq!(directory.run(&["align", "-q", "s", "t", "--links", "links"]).ok(), read);
}

#[test]
fn gold_links_stay_within_the_sentences() {
    let directory = directory();
    directory.write("gold", "0-0\n0-2\n0-0\n");
    let run = directory.run(&["align", "-q", "s", "t", "--gold", "gold"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("gold:2: expected links within 2 source and 2 target words"),
        "{}",
        run.stderr
    );
}

#[test]
fn flags_of_before_name_their_new_place() {
    for (arguments, new) in [
        (&["align", "s", "t", "--draw", "1"][..], "tip: `--draw` is now `--to svg --number N`"),
        (&["align", "s", "t", "--hmm-passes=3"], "tip: `--hmm-passes` is now `--hmm-iterations`"),
        (&["translate", "train", "s", "t", "--tune", "3"], "tip: `--tune` is now `--dev-pairs`"),
        (
            &["translate", "train", "s", "t", "--backoff", "3"],
            "tip: `--backoff` is now `backoff` in the file of `--config`",
        ),
        (&["translate", "explain", "--rivals", "3"], "tip: `--rivals` is now `--alternatives`"),
        (
            &["translate", "run", "-m", "x", "--max-ratio", "9"],
            "tip: `--max-ratio` is now `--max-cost-ratio`",
        ),
    ] {
        let run = directory().run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.stderr.contains(new), "{}", run.stderr);
    }
    assert!(!directory().run(&["align", "s", "t", "--tune", "1"]).stderr.contains("is now"));
}
