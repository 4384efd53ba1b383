//! Grammars from end to end, on the built-in treebank: `boughs train latent` and `pcfg`, `parse`, `model info`.

mod common;

use std::fs;
use std::sync::LazyLock;

use common::{Dir, Run, boughs, check_dev_f1};

const DATA: &str = "--train @sample/business @sample/dialogue @sample/fiction @sample/howto @sample/letters --dev @sample/news";

/// A directory with `latent.model` and `pcfg.model`, and what training said.
static TRAINED: LazyLock<(Dir, String)> = LazyLock::new(|| {
    let directory = Dir::new();
    let told =
        directory.told_by(&format!("train latent {DATA} --rounds 2 --iterations 8 4 4 -o latent.model"));
    directory.told_by(&format!("train pcfg {DATA} -o pcfg.model"));
    (directory, told)
});

fn model(name: &str) -> String {
    TRAINED.0.path().join(name).to_str().expect("UTF-8").to_owned()
}

fn parse(name: &str, more: &[&str], input: &str) -> Run {
    boughs(&[&["parse", "-q", "-m", &model(name)], more].concat(), input)
}

/// The words of a bracketed tree.
fn words(tree: &str) -> Vec<&str> {
    tree.split(' ').filter(|part| part.ends_with(')')).map(|part| part.trim_end_matches(')')).collect()
}

#[test]
fn a_round_a_line() {
    let (directory, told) = &*TRAINED;
    for part in ["   round substates ", "best: round ", "latent.model: written"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(directory.list("."), ["latent.model", "pcfg.model"], "the checkpoint is gone");
    let info = boughs(&["model", "info", "--json", &model("latent.model")], "").json();
    assert_eq!((info["kind"].as_str(), info["settings"]["method"].as_str()), (Some("chart"), Some("latent")));
    assert!(info["settings"]["dev-f1"].as_str().unwrap().parse::<f64>().unwrap() > 50.0, "{info}");
    assert!(info["labels"].as_array().unwrap().contains(&"NP".into()));
    let splits = boughs(&["model", "splits", &model("latent.model")], "").ok();
    let most: Vec<&str> = splits.lines().nth(1).unwrap().split_whitespace().collect();
    assert!(most[2].parse::<usize>().unwrap() > 1 && most[3].parse::<f64>().unwrap() > 0.0, "{splits}");
    assert!(boughs(&["model", "splits", &model("pcfg.model")], "").fault().contains("symbols are not split"));
}

#[test]
fn held_out_trees_are_parsed_as_the_model_says() {
    for name in ["latent.model", "pcfg.model"] {
        check_dev_f1(&model(name));
    }
}

#[test]
fn every_way_in_and_out() {
    let text = "“The dog can’t sleep,” she said. He sleeps.";
    let trees = parse("latent.model", &[], text).ok();
    let lines: Vec<&str> = trees.lines().collect();
    assert_eq!(words(lines[0]), ["“", "The", "dog", "ca", "n’t", "sleep", ",", "”", "she", "said", "."]);
    assert!(lines.iter().all(|line| line.starts_with("(TOP ")), "{trees}");
    for line in parse("latent.model", &["--to", "json"], text).ok().lines() {
        let tree: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!((tree["status"].as_str(), tree["rank"].as_u64()), (Some("pruned"), Some(1)));
        assert!(tree["cost"].as_f64().unwrap() >= 0.0);
        let is_sure = |node: &serde_json::Value| (0.0..=1.0).contains(&node["confidence"].as_f64().unwrap());
        assert!(tree["nodes"].as_array().unwrap().iter().all(is_sure), "{line}");
    }
    let trees = parse("latent.model", &["--tagged"], "He_PRP sleeps_NNS ./.\nGo").ok();
    assert!(trees.contains("(NNS sleeps)") && trees.lines().count() == 2, "{trees}");
    assert_eq!(parse("pcfg.model", &["--lines"], "Go!\n\nStop.\n").ok().lines().nth(1), Some("()"));
    for decoder in ["max-rule", "viterbi", "max-recall"] {
        for pruning in ["fast", "accurate", "none"] {
            let more = ["--decoder", decoder, "--pruning", pruning, "--n-best", "3"];
            let trees = parse("latent.model", &more, "He saw the dog in the park.").ok();
            let parses: Vec<&str> = trees.trim_end().lines().collect();
            assert!(parses.len() == 3 && parses[0] != parses[1], "{decoder} {pruning} {trees}");
        }
    }
}

#[test]
fn search_errors_are_counted() {
    let text = "He saw the dog in the park. Go on.";
    let run = parse("latent.model", &["--search-errors", "--pruning", "none"], text);
    assert!(run.stderr.contains("search errors: 0 of 2 sentences have another tree"), "{}", run.stderr);
    assert_eq!(run.stdout, parse("latent.model", &["--pruning", "none"], text).stdout);
    let run = parse("latent.model", &["--search-errors", "--thresholds", "-inf"], text);
    assert!(run.stderr.contains("search errors: 0 of 2 sentences have another tree"), "{}", run.stderr);
    let text = "The old man who sells flowers at the station told us that the last train had already left.";
    let run = parse("latent.model", &["--search-errors", "--thresholds", "0"], text);
    assert!(run.stderr.contains("search errors: 1 of 1 sentence"), "{}", run.stderr);
    let fault = parse("latent.model", &["--thresholds", "-8,1"], text).fault();
    assert!(fault.contains("the logarithm of a probability, 0 or less"), "{fault}");
}

#[test]
fn tags_of_the_input_are_kept_or_weighed() {
    let tag = |more: &[&str]| {
        let trees =
            parse("latent.model", &[&["--tagged"], more].concat(), "the_VB dog_NN barks_VBZ ._.").ok();
        trees.split('(').find_map(|part| part.trim_end().strip_suffix(" the)").map(str::to_owned)).unwrap()
    };
    assert_eq!(tag(&[]), "VB");
    assert_eq!(tag(&["--tag-prior", "0.5"]), "DT");
    assert_eq!(tag(&["--tag-prior", "0.9999999"]), "VB");
    assert!(
        parse("latent.model", &["--tag-prior", "0"], "").fault().contains("a number above 0 and up to 1")
    );
}

#[test]
fn the_posteriors_of_a_tagger_in_the_model_count() {
    let directory = Dir::new();
    let train = format!("train pcfg {DATA} --with-tagger -o with.model");
    let told = directory.told_by(&train);
    assert!(told.contains("tagger: pass") || told.contains("with.model: written"), "{told}");
    let model = directory.path().join("with.model");
    let model = model.to_str().expect("UTF-8");
    let settings = &boughs(&["model", "info", "--json", model], "").json()["settings"];
    let f1 = |settings: &serde_json::Value| settings["dev-f1"].as_str().unwrap().parse::<f64>().unwrap();
    let without = &boughs(&["model", "info", "--json", &self::model("pcfg.model")], "").json()["settings"];
    assert!(f1(settings) > f1(without), "{settings}");
    let parse = |more: &[&str]| {
        let words = ["parse", "-q", "-m", model, "--trees", "--retag", "@sample/news"];
        // A plain grammar of so few trees does not have a parse for every sentence.
        boughs(&[&words, more].concat(), "").stdout
    };
    let alone = parse(&["--tagger-weight", "0"]);
    assert_ne!(parse(&[]), alone);
    assert_eq!(alone, self::parse("pcfg.model", &["--trees", "--retag", "@sample/news"], "").stdout);
    let fault = boughs(&["parse", "-m", model, "--tagger-weight", "-1"], "").fault();
    assert!(fault.contains("a number of at least 0"), "{fault}");
}

#[test]
fn limits_give_marked_trees() {
    let line = |more: &[&str]| {
        boughs(
            &[&["parse", "-m", &model("latent.model")], more].concat(),
            "He saw the dog in the park. Go on.",
        )
    };
    let run = line(&["--max-length", "3"]);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(1), 2));
    assert!(
        run.stderr.contains("sentence 1 (8 words): longer than --max-length; it was parsed in parts"),
        "{}",
        run.stderr
    );
    assert!(!run.stdout.contains("( "), "all words have tags: {}", run.stdout);
    let run = line(&["--timeout", "0"]);
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    assert!(run.stderr.contains("no complete parse in time"), "{}", run.stderr);
}

#[test]
fn odd_input_is_parsed_too() {
    for text in ["", "\n\n", "\0", "...", "?!?!", "👍🏽", "שלום עולם.", "(", ") (", "_", "a\u{A0}b"]
    {
        let run = parse("latent.model", &[], text);
        assert_ne!(run.code, Some(2), "{text:?}: {}", run.stderr);
        let run = parse("latent.model", &["--tokenized"], &format!("{text}\n"));
        assert_ne!(run.code, Some(2), "{text:?}: {}", run.stderr);
    }
}

#[test]
fn threads_do_not_change_a_byte() {
    let directory = Dir::new();
    let line = "train latent --train @sample/howto --dev @sample/dialogue --rounds 1 --iterations 4 2 2";
    directory.told_by(&format!("{line} -o one -j 1"));
    directory.told_by(&format!("{line} -o two -j 2"));
    let read = |name: &str| fs::read(directory.path().join(name)).unwrap();
    assert!(read("one") == read("two"));
    let text = boughs(&["treebank", "convert", "--to", "table", "@sample/travel"], "").ok();
    let parse = |threads: &str| parse("latent.model", &["--table", "--retag", "-j", threads], &text).ok();
    assert!(parse("1") == parse("2"));
}

#[test]
fn conditional_grammars_start_from_any_other() {
    let directory = Dir::new();
    let line = |start: &str, more: &str| {
        format!("train conditional {DATA} --start {start} --max-iterations 3 {more} -o m --force")
    };
    for (start, more) in [
        ("treebank", "--splits 1 --l1 0.5"),
        ("scratch", "--splits 0 --l2 0.1"),
        (&model("latent.model"), ""),
    ] {
        let told = directory.told_by(&line(start, more));
        assert!(told.contains("    step substates parameters") && told.contains("best: step "), "{told}");
        let info = directory.run(&["model", "info", "--json", "m"]).json();
        assert_eq!(info["settings"]["method"].as_str(), Some("conditional"));
        check_dev_f1(directory.path().join("m").to_str().unwrap());
    }
    let fault = directory.run_line(&line("absent.model", "")).fault();
    assert!(fault.contains("absent.model"), "{fault}");
    let other = "train conditional --train @sample/news --start";
    let fault = directory.run_line(&format!("{other} {} -o other", model("latent.model"))).fault();
    assert!(fault.contains("learned from the same trees"), "{fault}");
    let fault = directory.run_line("train latent --l1 2 --train @sample -o m").fault();
    assert!(fault.contains("`--l1` is a flag of `train conditional`"), "{fault}");
}

#[test]
fn annotations_never_show() {
    let directory = Dir::new();
    let told = directory.told_by(&format!("train pcfg --annotations klein-manning {DATA} -o m"));
    let row = told.lines().find(|line| line.starts_with("     ") && !line.contains("rules")).unwrap();
    assert_eq!(row.split_whitespace().nth(7), Some("0"), "no sentence without a parse: {told}");
    let info = directory.run(&["model", "info", "--json", "m"]).json();
    assert!(info["config"].as_str().unwrap().contains("split-in,split-aux"), "{info}");
    let parse = |more: &[&str], text: &str| {
        directory.write("in", text);
        directory.run(&[&["parse", "-q", "-m", "m"], more, &["in"]].concat()).ok()
    };
    let tree = parse(&[], "He saw the dog.");
    assert_eq!(words(tree.trim_end()), ["He", "saw", "the", "dog", "."]);
    assert!(!tree.contains(['-', '^', '@']), "{tree}");
    let tree = parse(&["--tagged"], "He_PRP saw_VBD that_DT ._.");
    assert!(tree.contains("(DT that)"), "a given tag stands for all of its substates: {tree}");
    let fault = directory.run_line("train pcfg --annotations split-on --train @sample -o n").fault();
    assert!(fault.contains("found `split-on`") && fault.contains("right-rec-np"), "{fault}");
    directory.write("french.mrg", "(ROOT (SENT (NP (DET le) (NC chat)) (VN (V dort))))");
    let line = "train pcfg --annotations klein-manning --train french.mrg -o n";
    let fault = directory.run_line(line).fault();
    assert!(fault.contains("found none with `VP`") && fault.contains("they are for English"), "{fault}");
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that tests less than it could should say so")]
fn several_grammars_parse_together() {
    let (whole, parts) = (Dir::new(), Dir::new());
    let line = format!("train latent {DATA} --rounds 2 --iterations 8 4 4");
    let told = whole.told_by(&format!("{line} --grammars 2 -o m"));
    for part in ["   round substates ", "grammars substates ", "best: grammars 2, F1 ", "m: written"] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(whole.list("."), ["m"], "the checkpoint is gone");
    let path = whole.path().join("m");
    check_dev_f1(path.to_str().expect("UTF-8"));

    whole.told_by(&format!("{line} --seed 1 -o second"));
    let combine = format!("model combine {} second -o both", model("latent.model"));
    assert!(whole.told_by(&combine).contains("grammar 1"), "which is which");
    let info = whole.run(&["model", "info", "both"]).ok();
    assert!(info.contains("0; 1") && !info.contains("splits-by-round"), "{info}");
    assert!(
        whole.run(&["model", "splits", "m"]).ok().starts_with(" grammar ")
            || whole.run(&["model", "splits", "m"]).ok().starts_with("grammar ")
    );
    let parse = |model: &str, more: &[&str]| {
        whole.run(&[&["parse", "-q", "-m", model, "--trees", "--retag"], more, &["@sample/news"]].concat())
    };
    assert!(parse("m", &[]).ok() == parse("both", &[]).ok(), "trained at once or one by one");
    assert!(parse("m", &["-j", "1"]).stdout == parse("m", &["-j", "2"]).stdout);
    assert!(parse("m", &["--decoder", "viterbi"]).fault().contains("leave out --decoder viterbi"));
    let several = parse("m", &["--decoder", "max-recall", "--n-best", "3"]).ok();
    assert!(several.lines().count() > 55, "{several}");

    let line = format!("{line} --grammars 2 -o m");
    if !parts.kill_at("m.checkpoint", &line) {
        eprintln!("the run was over before it could be killed");
        return;
    }
    assert!(parts.run_line(&line).fault().contains("go on with --resume, or remove it to start anew"));
    let fewer = line.replace("--grammars 2", "--resume");
    assert!(parts.run_line(&fewer).fault().contains("other data or settings"));
    parts.told_by(&format!("{line} --resume"));
    let read = |directory: &Dir| fs::read(directory.path().join("m")).unwrap();
    assert!(read(&whole) == read(&parts));
    assert_eq!(parts.list("."), ["m"]);
}

#[test]
fn what_cannot_parse_together_is_refused() {
    let directory = Dir::new();
    let combine =
        |first: &str, second: &str| directory.run(&["model", "combine", first, second, "-o", "both"]).fault();
    let (latent, pcfg) = (model("latent.model"), model("pcfg.model"));
    assert!(combine(&latent, "@english").contains("@english: expected a grammar without features"));
    assert!(combine(&latent, &pcfg).contains("grammar 2 has other symbols than the first"));
    assert!(combine("both", &pcfg).contains("both: would be written over one of the models"));
    assert!(directory.run(&["model", "combine", &latent, "-o", "both"]).code == Some(2));
    let fault = directory.run_line("train pcfg --grammars 2 --train @sample -o m").fault();
    assert!(fault.contains("`--grammars` is a flag of `train latent`"), "{fault}");
}

#[test]
fn a_sentence_without_a_parse_gets_a_marked_tree() {
    let directory = Dir::new();
    directory.write("trees", "(TOP (S (NP (DT the) (NN dog)) (VP (VBZ barks))))");
    directory.told_by("train pcfg --train trees -o m");
    directory.write("in", "the_DT dog_NN barks_VBZ\nbarks_VBZ barks_VBZ the_DT\n");
    let outcome = directory.run(&["parse", "-m", "m", "--tagged", "--to", "json", "in"]);
    assert_eq!(outcome.code, Some(1), "partial");
    let lines: Vec<&str> = outcome.stdout.lines().collect();
    assert!(lines[0].contains("pruned") && lines[1].contains("fallback"), "{}", outcome.stdout);
    assert!(outcome.stderr.contains("1 "), "{}", outcome.stderr);
}

#[test]
fn as_many_trees_as_asked_for_whatever_is_the_best() {
    let directory = Dir::new();
    directory.write("in", "He saw the dog in the park .\n");
    for decoder in ["viterbi", "max-rule", "max-recall"] {
        let latent = model("latent.model");
        let line =
            ["parse", "-q", "-m", &latent, "--tokenized", "--n-best", "10", "--decoder", decoder, "in"];
        let trees = directory.run(&line).ok();
        let different: std::collections::BTreeSet<&str> =
            trees.lines().filter(|it| it.starts_with('(')).collect();
        assert_eq!(different.len(), 10, "{decoder}: {trees}");
    }
}

#[test]
fn options_of_other_methods_are_refused() {
    let directory = Dir::new();
    for (line, part) in [
        ("train --method latent --train @sample -o m", "a subcommand: `boughs train boosted`, latent, "),
        ("train --rounds 2 --train @sample -o m", "`--rounds` is a flag of `train latent`, `train crf`"),
        ("train latent --strategy r2l --train @sample -o m", "`--strategy` is a flag of `train boosted`"),
        ("train boosted --rounds 2 --train @sample -o m", "`--rounds` is a flag of `train latent`"),
        ("train pcfg --resume --train @sample -o m", "there is no checkpoint to resume from"),
        (
            "train pcfg --merge 0.2 --train @sample -o m",
            "`--merge` is a flag of `train latent`, `train conditional`",
        ),
        ("train latent --vertical 3 --train @sample -o m", "`--vertical` is a flag of `train pcfg`"),
        (
            "train conditional --smoothing 0.1 --train @sample -o m",
            "`--smoothing` is a flag of `train latent`",
        ),
        ("train crf --base pcfg --rounds 1 --train @sample -o m", "--rounds is for a latent base grammar"),
        ("train latent --form-weight 1 --train @sample -o m", "`--form-weight` is now `--class-count`"),
        ("train latent --merge 2 --train @sample -o m", "expected a share of splits from 0 to 1, found 2"),
        ("train latent --resume --train @sample -o m", "there is no checkpoint to resume from"),
    ] {
        let fault = directory.run_line(line).fault();
        assert!(fault.contains(part), "{part}: {fault}");
    }
    let fault = parse("latent.model", &["--search", "greedy"], "Go.").fault();
    assert!(fault.contains("options of a search are for boosted parsers: leave out --search"), "{fault}");
}

#[test]
fn words_decide_about_phrases() {
    let text =
        boughs(&["explain", "-m", &model("latent.model"), "--alternatives", "1"], "The dog sleeps.").ok();
    for part in ["  NP  “The dog”\n    ", " behind\n        ", ", word 3\n", "  (TOP (S "] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn constraints_are_kept() {
    let partial = "( (PRP He) (VBD saw) (NP (DT the) (NN dog) (IN in) (DT the) (NN park)) (. .))\n";
    let tree = parse("latent.model", &["--trees", "--keep-phrases", "--root", "S"], partial).ok();
    assert!(tree.starts_with("(TOP (S ") && tree.contains("(NP (NP (DT the) (NN dog)) (PP "), "{tree}");
    let directory = Dir::new();
    let run = parse("pcfg.model", &["--trees", "--keep-phrases", "@sample/howto"], "");
    directory.write("parsed.mrg", &run.stdout);
    directory.write("gold.mrg", boughs(&["treebank", "convert", "@sample/howto"], "").ok());
    let scores = directory.run(&["eval", "--json", "gold.mrg", "parsed.mrg"]).json();
    assert!(scores["recall"].as_f64().unwrap() > 99.0, "gold trees come back: {scores} {}", run.stderr);
    let unmet =
        parse("latent.model", &["--trees", "--keep-phrases", "--to", "json"], "( (ZZ (NN dog)) (NN park))\n");
    assert_eq!(unmet.code, Some(1));
    assert!(unmet.stdout.contains(r#""status":"constraints-unmet""#), "{}", unmet.stdout);
    assert!(parse("latent.model", &["--root", "ZZ"], "Go.").fault().contains("it knows ADJP"));
}
