//! Constraints on parses: phrases to keep, the label of the whole.

use boughs::tree::Tree;

use super::common::{Dir, Run, boughs};
use super::{DEV, model, shift_reduce_model, train};

fn parse(more: &[&str], input: &str) -> Run {
    boughs(&[&["parse", "-m", &model()], more].concat(), input)
}

const FREE: &str = "( (PRP He) (VBD saw) (DT the) (NN dog) (IN in) (DT the) (NN park) (. .))";

#[test]
fn phrases_are_kept() {
    let partial = [
        ("(VBD saw) (NP (DT the) (NN dog) (IN in) (DT the) (NN park))", "(NP (NP (DT the) (NN dog)) (PP "),
        ("(FRAG (VBD saw) (DT the) (NN dog)) (IN in) (DT the) (NN park)", "(FRAG "),
        ("(VBD saw) (DT the) ( (NN dog) (IN in)) (DT the) (NN park)", "(NN dog) (IN in))"),
    ];
    for (phrases, part) in partial {
        let tree = parse(&["-q", "--trees", "--keep-phrases"], &format!("( (PRP He) {phrases} (. .))")).ok();
        assert!(tree.contains(part), "{tree}");
        assert_ne!(tree, parse(&["-q", "--trees"], FREE).ok());
    }
}

#[test]
fn a_root_constrains_nothing() {
    let free = parse(&["-q", "--trees"], FREE).ok();
    for root in ["", "TOP", "S1", "ROOT"] {
        let tree = FREE.replacen("( ", &format!("({root} "), 1);
        assert_eq!(parse(&["-q", "--trees", "--keep-phrases"], &tree).ok(), free);
    }
}

#[test]
fn whole_gold_trees_come_back() {
    let directory = Dir::new();
    let run = parse(&["--trees", "--keep-phrases", DEV], "");
    assert_eq!(run.stdout.lines().count(), 55, "{}", run.stderr);
    directory.write("parsed.mrg", &run.stdout);
    directory.write("gold.mrg", boughs(&["treebank", "convert", DEV], "").ok());
    let scores = directory.run(&["eval", "--json", "gold.mrg", "parsed.mrg"]).json();
    assert!(scores["recall"].as_f64().unwrap() > 97.0, "{scores} {}", run.stderr);
}

#[test]
fn partial_trees_in_json() {
    let input = r#"{"tokens":[{"word":"the","tag":"DT"},{"word":"dog","tag":"NN"},{"word":"barks","tag":"VBZ"}],
        "nodes":[{"label":"","start":0,"end":3,"parent":null},{"label":"ADJP","start":0,"end":2,"parent":0}]}"#;
    let input = input.replace("\n        ", "");
    let tree = parse(&["-q", "--trees", "--from", "json", "--keep-phrases"], &input).ok();
    assert!(tree.contains("(ADJP "), "{tree}");
}

#[test]
fn tags_may_be_predicted() {
    let partial = "( (PRP He) (FRAG (VBD saw) (DT the) (XX dog)))";
    let tree = parse(&["-q", "--trees", "--keep-phrases", "--retag"], partial).ok();
    assert!(tree.contains("(FRAG ") && !tree.contains("XX"), "{tree}");
}

#[test]
fn the_label_of_the_whole() {
    let trees = parse(&["-q", "--root", "FRAG"], "He saw the dog. Go!").ok();
    assert_eq!(trees.lines().filter(|tree| tree.starts_with("(TOP (FRAG ")).count(), 2, "{trees}");
    assert_eq!(parse(&["-q", "--root", "FRAG", "--lines"], "\n").ok(), "()\n");
    let run = parse(&["--root", "FRAG", "--tokenized"], "* . !\n");
    assert!(run.stdout.lines().count() == 1, "{}{}", run.stdout, run.stderr);
}

/// The most phrases, the root not counted, each of which is the only child of the one before.
fn longest_chain(tree: &Tree) -> usize {
    let spans: Vec<_> = tree.nodes().skip(1).map(|node| node.span).collect();
    let chains = spans.chunk_by(|one, other| one == other);
    chains.map(<[_]>::len).max().unwrap_or(0)
}

#[test]
fn a_label_of_the_whole_comes_without_a_chain_of_others() {
    let others = ["l2r", "bottom-up"].map(|strategy| train(strategy).0);
    let others = others.each_ref().map(|directory| directory.path().join("parser.model"));
    let others = others.map(|path| path.to_str().expect("UTF-8").to_owned());
    for model in [model(), shift_reduce_model()].iter().chain(&others) {
        for search in ["greedy", "agenda"] {
            let free = boughs(&["parse", "-q", "-m", model, "--search", search, "--trees", DEV], "").ok();
            // Far below the root a small model makes some chains of its own accord.
            let most = |line: &str| longest_chain(&line.parse().expect("a tree")).max(3);
            for root in ["FRAG", "NP", "SBARQ", "WHNP", "PRN"] {
                let args = ["parse", "-q", "-m", model, "--search", search, "--root", root, "--trees", DEV];
                let trees = boughs(&args, "").ok();
                assert_eq!(trees.lines().count(), 55);
                for (line, free) in trees.lines().zip(free.lines()) {
                    let tree: Tree = line.parse().expect("a tree");
                    assert!(line.starts_with(&format!("(TOP ({root} ")), "{search} {line}");
                    assert!(longest_chain(&tree) <= most(free), "{model} {search} {root} {line}");
                }
            }
        }
    }
}

#[test]
fn every_search_keeps_to_constraints() {
    let partial = "( (PRP He) (VBD saw) (NP (DT the) (NN dog) (IN in) (DT the) (NN park)) (. .))";
    for search in ["greedy", "agenda", "beam"] {
        let more = ["-q", "--trees", "--keep-phrases", "--root", "FRAG", "--search", search];
        let tree = parse(&more, partial).ok();
        assert!(tree.starts_with("(TOP (FRAG ") && tree.contains("(NP (NP (DT the) (NN dog))"), "{tree}");
    }
}

#[test]
fn what_cannot_be_met_is_told_and_parsed_all_the_same() {
    let directory = Dir::with(&[(
        "part.mrg",
        &format!("{FREE}\n{}\n", FREE.replace("(DT the) (NN dog)", "(ZZ (DT the) (NN dog))")),
    )]);
    let free = parse(&["-q", "--trees"], FREE).ok();
    let model = model();
    let args = ["parse", "-m", &model, "--trees", "--keep-phrases", "part.mrg"];
    let run = directory.run(&args);
    assert_eq!((run.code, run.stdout), (Some(1), free.repeat(2)));
    for part in [
        "part.mrg: sentence 2 (8 words): its tree does not meet the constraints: \
         expected a label of phrases that the model knows, found `ZZ` (it knows ADJP, ADVP, ",
        "2 sentences, 16 words: 1 optimal, 0 cut short, 0 without a complete parse, 1 against the constraints",
    ] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    let run = directory.run(&[&args[..], &["-q", "--to", "json"]].concat());
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    assert!(run.stdout.lines().nth(1).unwrap().contains(r#""status":"constraints-unmet""#), "{}", run.stdout);
    let run = parse(&["--trees", "--keep-phrases"], "( (NN dog) (X (, ,) ('' '')) (NN park))");
    assert_eq!((run.code, run.stdout.lines().count()), (Some(1), 1));
    assert!(run.stderr.contains("no phrase can be over `, ''`: there is no word in it"), "{}", run.stderr);
}

#[test]
fn constraints_that_no_sentence_can_meet_are_refused_at_once() {
    let fault = parse(&["--root", "ZZ"], "Go.").fault();
    assert!(
        fault.contains("--root: expected a label of phrases that the model knows, found `ZZ`"),
        "{fault}"
    );
    assert!(parse(&["--root", "TOP"], "Go.").fault().contains("found `TOP`"));
    let fault = parse(&["--keep-phrases"], "Go.").fault();
    assert!(fault.contains("--trees"), "{fault}");
    for form in ["--lines", "--tokenized", "--tagged", "--table"] {
        let fault = parse(&["--keep-phrases", form], "Go\n").fault();
        assert!(fault.contains("--keep-phrases") && fault.contains(form), "{fault}");
    }
}
