//! Parsing: every way in, every way out, and odd input.

use std::io::Write;
use std::process::{Command, Stdio};

use super::common::{Dir, Run, boughs};
use super::{DEV, model};

/// Runs `boughs parse` quietly.
fn parse(more: &[&str], input: &str) -> Run {
    boughs(&[&["parse", "-q", "-m", &model()], more].concat(), input)
}

/// The words of a bracketed tree.
fn words(tree: &str) -> Vec<&str> {
    tree.split(' ').filter(|part| part.ends_with(')')).map(|part| part.trim_end_matches(')')).collect()
}

#[test]
fn held_out_trees_are_parsed_as_well_as_ever() {
    let directory = Dir::new();
    let parsed = parse(&["--trees", "--retag", DEV], "").ok();
    directory.write("parsed.mrg", &parsed);
    directory.write("gold.mrg", boughs(&["treebank", "convert", DEV], "").ok());
    let scores = directory.run(&["eval", "--json", "gold.mrg", "parsed.mrg"]).json();
    assert!(scores["f1"].as_f64().unwrap() > 50.0, "{scores}");
    assert_eq!(parsed.lines().count(), 55);
}

#[test]
fn threads_and_batches_do_not_change_a_byte() {
    let text = boughs(&["treebank", "convert", "--to", "table", "@sample"], "").ok();
    let one = parse(&["--table", "--search", "greedy", "-j", "1"], &text).ok();
    let two = parse(&["--table", "--search", "greedy", "-j", "2"], &text).ok();
    assert!(one == two);
    assert_eq!(one.lines().count(), 440);
}

#[test]
fn running_text_keeps_its_tokens_and_bytes() {
    let text = "“The dog can’t sleep,” she said. He sleeps.";
    let trees = parse(&[], text).ok();
    let lines: Vec<&str> = trees.lines().collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(words(lines[0]), ["“", "The", "dog", "ca", "n’t", "sleep", ",", "”", "she", "said", "."]);
    assert!(lines.iter().all(|line| line.starts_with("(TOP ")), "{trees}");
    for line in parse(&["--to", "json"], text).ok().lines() {
        let tree: serde_json::Value = serde_json::from_str(line).unwrap();
        for token in tree["tokens"].as_array().unwrap() {
            let place = |name: &str| token[name].as_u64().unwrap() as usize;
            assert_eq!(&text[place("byte_start")..place("byte_end")], token["word"].as_str().unwrap());
            assert_ne!(token["tag"].as_str(), Some(""));
        }
        let pieces = tree["nodes"].as_array().unwrap().iter().chain(tree["tokens"].as_array().unwrap());
        for piece in pieces.chain([&tree]) {
            let place = |name: &str| piece[name].as_u64().unwrap() as usize;
            let (start, end) = (place("char_start"), place("char_end"));
            let cut: String = text.chars().skip(start).take(end - start).collect();
            assert_eq!(Some(cut.as_str()), piece["text"].as_str().or(piece["word"].as_str()));
        }
        for node in tree["nodes"].as_array().unwrap() {
            let place = |name: &str| node[name].as_u64().unwrap();
            assert!((place("start")..place("end")).contains(&place("head")), "{line}");
        }
        assert_eq!((tree["status"].as_str(), tree["rank"].as_u64()), (Some("optimal"), Some(1)));
        assert!(tree["cost"].as_f64().unwrap() > 0.0);
        assert!(
            tree["nodes"].as_array().unwrap().iter().all(|node| node["confidence"].as_f64().unwrap() > 0.0)
        );
    }
}

#[test]
fn lines_of_every_kind() {
    let trees = parse(&["--lines"], "He sleeps. She sings.\n\nGo!\n").ok();
    assert_eq!(trees.lines().count(), 3);
    assert_eq!(trees.lines().nth(1), Some("()"));
    let trees = parse(&["--tokenized"], "He sleeps . She 's well-known\n\n\nGo !").ok();
    let lines: Vec<&str> = trees.lines().collect();
    assert_eq!((lines.len(), lines[1], lines[2]), (4, "()", "()"));
    assert_eq!(words(lines[0]), ["He", "sleeps", ".", "She", "'s", "well-known"]);
    let trees = parse(&["--tagged"], "He_PRP sleeps_NNS ./.\nand/or_CC -LRB-_-LRB- go").ok();
    let lines: Vec<&str> = trees.lines().collect();
    assert!(lines[0].contains("(PRP He)") && lines[0].contains("(NNS sleeps)") && lines[0].contains("(. .)"));
    assert!(lines[1].contains("(CC and/or)") && lines[1].contains("(-LRB- -LRB-)"), "{}", lines[1]);
    assert!(!parse(&["--tagged", "--retag"], "sleeps_NONE\n").ok().contains("NONE"));
    let trees = parse(&["--table"], "He\tPRP\nsleeps\tVBZ\n\nGo\tVB\n").ok();
    assert_eq!(trees.lines().count(), 2);
    assert_eq!(words(trees.lines().next().unwrap()), ["He", "sleeps"]);
}

#[test]
fn treebanks_are_parsed_anew() {
    let gold =
        "( (S (NP-SBJ (PRP He)) (VP (VBZ sleeps) (NP (-NONE- *))) (. .)))\n()\n(X (-LRB- -LRB-) (NN dog))\n";
    let trees = parse(&["--trees"], gold).ok();
    let lines: Vec<&str> = trees.lines().collect();
    assert!(lines[0].contains("(PRP He)") && lines[0].contains("(VBZ sleeps)") && !lines[0].contains("NONE"));
    assert_eq!(lines.len(), 3, "{trees}");
    assert_eq!(lines[1], "()");
    let broken = parse(&["--trees", "--keep-going"], "(S (NN a)\n(S (NN b))\n");
    assert_eq!((broken.code, broken.stdout.lines().count()), (Some(1), 2), "one line for each tree");
}

#[test]
fn the_best_parses_in_order() {
    let trees = parse(&["--n-best", "3"], "He saw the dog in the park. Go.").ok();
    let groups: Vec<&str> = trees.split_terminator("\n\n").collect();
    assert_eq!(groups.len(), 2, "{trees}");
    assert_eq!(groups[0].lines().count(), 3);
    let json = parse(&["--n-best", "3", "--to", "json"], "He saw the dog in the park.").ok();
    let costs: Vec<f64> = json
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["cost"].as_f64().unwrap())
        .collect();
    assert!(costs.len() == 3 && costs.is_sorted(), "{costs:?}");
}

#[test]
fn the_parse_decides_between_tags() {
    let text = boughs(&["treebank", "convert", "--to", "table", DEV], "").ok();
    let cost = |taggings: &str| -> Vec<f64> {
        let json = parse(&["--table", "--retag", "--to", "json", "--taggings", taggings], &text).ok();
        let parses = json.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        parses.map(|parse| parse["cost"].as_f64().unwrap_or(0.0)).collect()
    };
    let (two, eight) = (cost("2"), cost("8"));
    assert!(two.iter().zip(&eight).all(|(two, eight)| eight <= two), "a larger choice has no worse best");
    assert!(two.iter().zip(&eight).any(|(two, eight)| eight < two), "{two:?}");
    let run = boughs(&["parse", "--taggings", "2"], "Go.");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("leave out --taggings"), "{}", run.stderr);
}

/// A tagging that the limit has kept from winning counts as well.
#[test]
fn what_is_optimal_stays_the_best_without_a_limit() {
    let parsed = |limit: &str| -> Vec<(bool, f64)> {
        let json = parse(&["--trees", "--retag", "--to", "json", "--max-inferences", limit, DEV], "").ok();
        let parses = json.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        parses.map(|parse| (parse["status"] == "optimal", parse["cost"].as_f64().unwrap())).collect()
    };
    let (limited, further) = (parsed("3000"), parsed("100000"));
    let costs = limited.iter().zip(&further).filter(|((is_optimal, _), _)| *is_optimal);
    let costs: Vec<(f64, f64)> = costs.map(|((_, cost), (_, further))| (*cost, *further)).collect();
    assert!(costs.iter().all(|(cost, further)| cost == further), "{costs:?}");
    assert!(!costs.is_empty() && costs.len() < limited.len(), "{costs:?}");
}

#[test]
fn there_is_no_cascade_any_more() {
    let fault = parse(&["--scoring", "full"], "Go.").fault();
    assert!(fault.contains("`--scoring` is now gone: all trees score, always"), "{fault}");
    let fault = boughs(&["parse", "--search", "greedy"], "Go.").fault();
    assert!(fault.contains("leave out --search"), "{fault}");
}

#[test]
fn every_format() {
    for (format, part) in [
        ("pretty", "(TOP"),
        ("export", "#FORMAT 4"),
        ("table", "1\tHe"),
        ("latex", "\\begin{forest}"),
        ("svg", "<svg"),
        ("html", "<figcaption><a href=\"#s1\">1</a> He sleeps.</figcaption>"),
        ("conllu", "1\tHe\t_\t_\tPRP\t_\t2\tdep\t_\tTokenRange=0:2"),
        ("phrases", "1\tNP\tHe\t0\t2\tHe\t"),
        ("text", "TOP"),
    ] {
        let text = parse(&["--to", format], "He sleeps.").ok();
        assert!(text.contains(part), "{format}: {text}");
    }
}

#[test]
fn phrases_are_rows_of_a_table() {
    let text = "Éric sees the\ndog. He sees the dog.";
    let table = boughs(&["parse", "-q", "--to", "phrases", "--label", "NP,VP"], text).ok();
    let mut rows = table.lines();
    assert_eq!(rows.next(), Some("sentence\tlabel\ttext\tstart\tend\thead\tconfidence\tdocument"));
    let rows: Vec<Vec<&str>> = rows.map(|row| row.split('\t').collect()).collect();
    assert!(rows.iter().any(|row| row[..6] == ["1", "NP", "the dog", "10", "17", "dog"]), "{table}");
    assert!(rows.iter().any(|row| row[0] == "2" && row[1] == "VP" && row[2] == "sees the dog"), "{table}");
    assert!(rows.iter().all(|row| ["NP", "VP"].contains(&row[1]) && row[7] == "<stdin>"), "{table}");
    let fault = boughs(&["parse", "--label", "NP"], text).fault();
    assert!(fault.contains("add --to phrases"), "{fault}");
    let pictures = boughs(&["parse", "-q", "--to", "svg"], text).ok();
    assert_eq!((pictures.matches("<style>").count(), pictures.matches("<title>").count()), (1, 2));
    let long = format!("He sees {}the dog.", "the dog and ".repeat(40));
    assert!(boughs(&["parse", "-q", "--to", "svg"], &long).ok().contains("text-anchor=\"start\""));
}

#[test]
fn limits_give_marked_trees() {
    let run = boughs(&["parse", "-m", &model(), "--max-length", "3"], "He saw the dog in the park. Go on.");
    assert_eq!((run.code, run.stdout.lines().count()), (Some(1), 2));
    assert!(
        run.stderr.contains("sentence 1 (8 words): longer than --max-length; it was parsed in parts"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("2 sentences, 11 words: "), "{}", run.stderr);
    assert!(run.stderr.contains("0 without a complete parse, 1 in parts"), "{}", run.stderr);
    let run = boughs(&["parse", "-m", &model(), "--timeout", "0"], "He saw the dog in the park.");
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("no complete parse in time"), "{}", run.stderr);
    let run = boughs(&["parse", "-m", &model(), "--max-inferences", "1"], "He saw the dog in the park.");
    assert!(run.stderr.contains("cut short by --max-inferences"), "{}", run.stderr);
    assert_eq!(run.code, Some(0));
    assert_eq!(run.stdout, parse(&["--search", "greedy"], "He saw the dog in the park.").ok());
}

#[test]
fn odd_input_is_parsed_too() {
    for text in ["", "\n\n", "\0", "...", "?!?!", "👍🏽", "שלום עולם.", "\u{FEFF}", "(", ") (", "_", "a\u{A0}b"]
    {
        let run = parse(&[], text);
        assert_eq!(run.code, Some(0), "{text:?}: {}", run.stderr);
        assert!(run.stdout.lines().count() <= 1, "{text:?}: {}", run.stdout);
        let run = parse(&["--tokenized"], &format!("{text}\n"));
        assert_eq!(run.code, Some(0), "{text:?}: {}", run.stderr);
    }
    let long = "word ".repeat(300);
    let run = parse(&["--tokenized", "--search", "greedy"], &long);
    assert_eq!(words(run.stdout.trim()).len(), 300, "{}", run.stderr);
}

#[test]
fn bytes_that_are_not_utf8() {
    let directory = Dir::new();
    directory.write("bad.txt", b"He sleeps .\nMy caf\xE9 .\n");
    for (mode, place) in [("--lines", "at byte 18"), ("--tokenized", "at byte 7 of the line")] {
        let run = directory.run(&["parse", "-q", "-m", &model(), mode, "bad.txt"]);
        assert_eq!((run.code, run.stdout.lines().count()), (Some(2), 1), "{}", run.stderr);
        assert!(run.stderr.contains("found byte 0xE9") && run.stderr.contains(place), "{}", run.stderr);
        let run = directory.run(&["parse", "-q", "-m", &model(), mode, "--lossy", "bad.txt"]);
        assert_eq!((run.code, run.stdout.contains("caf\u{FFFD}")), (Some(0), mode == "--tokenized"));
        let run = directory.run(&["parse", "-q", "-m", &model(), mode, "--encoding", "latin1", "bad.txt"]);
        assert!(run.ok().contains("café"));
    }
}

#[test]
fn models_that_are_none() {
    let directory = Dir::with(&[("text", "no model")]);
    assert!(directory.run(&["parse", "-m", "text"]).fault().contains("text: expected a boughs model"));
    assert!(directory.run(&["parse", "-m", "none"]).fault().contains("none: cannot read the model"));
    assert!(directory.run(&["model", "info", "text"]).fault().contains("expected a boughs model"));
    let line = "train boosted --tags gold --features baseline --train @sample/howto --max-words 12 \
                --final-penalty 3 --out gold.model";
    let run = directory.run(&line.split_whitespace().collect::<Vec<_>>());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let fault = directory.run_with(&["parse", "-m", "gold.model"], "Go on.").fault();
    assert!(fault.contains("found none for `Go`, and the model has no tagger (give tagged input"), "{fault}");
    let tagged = directory.run_with(&["parse", "-q", "-m", "gold.model", "--tagged"], "Go_VB on_RB\n");
    assert_eq!(tagged.code, Some(0), "{}", tagged.stderr);
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_boughs"))
        .args(["parse", "-m", &model(), "--tokenized", "--search", "greedy"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("boughs starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || {
        (0..20_000).all(|_| input.write_all(b"Go\n").is_ok());
    });
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("written");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
