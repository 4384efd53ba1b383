//! What somebody stumbles over in the first hour: each gets a line that says what to do.

mod common;

use common::{Dir, boughs};

fn fault(args: &[&str], input: &str) -> String {
    boughs(args, input).fault()
}

#[test]
fn what_is_no_text_is_not_parsed_in_silence() {
    let directory = Dir::with(&[
        ("trees.mrg", "( (S (NP (PRP It)) (VP (VBZ rains)) (. .)))\n"),
        ("page.html", "<!DOCTYPE html><html><body><p>It rains.</p><p>We stay &amp; sleep</p></body></html>"),
        ("a.pdf", "%PDF-1.7 ..."),
        ("texts/a.txt", "It rains."),
    ]);
    directory.write("a.docx", b"PK\x03\x04\x14\0");
    for (file, part) in [
        ("trees.mrg", "add --trees"),
        ("page.html", "--html strips the tags"),
        ("a.pdf", "pdftotext"),
        ("a.docx", "plain text"),
        ("texts", "as in texts/*.txt"),
        ("The dog sleeps.", "echo \"The dog sleeps.\" | boughs parse"),
    ] {
        for verb in ["parse", "tokenize"] {
            let message = directory.run(&[verb, file]).fault();
            assert!(message.contains(part), "{verb} {file}: {message}");
        }
    }
    assert_eq!(directory.run(&["tokenize", "--html", "page.html"]).ok(), "It rains .\nWe stay & sleep\n");
    assert!(directory.run(&["tokenize", "--wrapped", "trees.mrg"]).ok().starts_with("( ( S ( NP"));
}

#[test]
fn messages_name_what_helps() {
    for (args, part) in [
        (&["parse", "-m", "english"][..], "did you mean `@english`"),
        (&["learn", "predict", "-m", "@english"], "`boughs parse -m @english` parses"),
        (&["parse", "--search", "beam", "--beam", "3"], "leave out --search, --beam"),
        (&["parse", "--format", "json"], "there is `--from`"),
        (&["parse", "--format", "json"], "`--to` (The format to write)"),
        (&["draw"], "there is `boughs treebank draw`"),
        (&["help", "prase"], "did you mean `parse`?"),
        (&["prase"], "did you mean `parse`?"),
    ] {
        let message = fault(args, "Go.");
        assert!(message.contains(part), "{args:?}: {message}");
    }
    let directory = Dir::new();
    directory.write("latin1.txt", b"The caf\xE9 is open.");
    let message = directory.run(&["parse", "latin1.txt"]).fault();
    assert!(message.contains("--encoding latin1") && message.contains("--lossy"), "{message}");
    assert_eq!(
        directory.run(&["tokenize", "--encoding", "latin1", "latin1.txt"]).ok(),
        "The café is open .\n"
    );
}

#[test]
fn lines_are_what_they_look_like_or_what_they_are_said_to_be() {
    let text = "Rain over the weekend, again\nMayor opens bridge\nIt rains. It pours\nTrains late\n";
    let count = |more: &[&str]| boughs(&[&["tokenize"], more].concat(), text).ok().lines().count();
    assert_eq!(count(&[]), 5);
    assert_eq!((count(&["--lines"]), count(&["--paragraphs"]), count(&["--wrapped"])), (4, 5, 2));
    assert!(fault(&["tokenize", "--lines", "--wrapped"], text).contains("cannot be used with"));
}

#[test]
fn output_goes_into_a_file_and_over_none() {
    let directory = Dir::with(&[("a.mrg", "(NP (NN dog))\n")]);
    let convert = ["treebank", "convert", "a.mrg", "-o", "b.mrg"];
    assert_eq!(directory.run(&convert).ok(), "");
    assert_eq!(directory.read("b.mrg"), "(NP (NN dog))\n");
    assert!(directory.run(&convert).fault().contains("b.mrg exists (--force overwrites it)"));
    directory.write("a.mrg", "(NP (NN cat))\n");
    assert_eq!(directory.run(&[&convert[..], &["--force"]].concat()).ok(), "");
    assert_eq!(directory.read("b.mrg"), "(NP (NN cat))\n");
    // What cannot be completed does not replace what was there.
    directory.write("a.mrg", "(NP (NN cow))\n(NP (NN");
    directory.run(&[&convert[..], &["--force"]].concat()).fault();
    assert_eq!(directory.read("b.mrg"), "(NP (NN cat))\n");
    assert_eq!(directory.list("."), ["a.mrg", "b.mrg"]);
    assert_eq!(directory.run_with(&["tokenize", "-o", "c.txt"], "It rains.").ok(), "");
    assert_eq!(directory.read("c.txt"), "It rains .\n");
}

#[test]
fn models_are_not_overwritten_either() {
    let directory = Dir::new();
    let train = "train pcfg --train @sample/news -o m";
    assert_eq!(directory.run_line(train).code, Some(0));
    for line in [train, "model describe m --name other -o m", "man --directory ."] {
        directory.write("boughs.1", b"");
        assert!(directory.run_line(line).fault().contains("exists (--force overwrites it)"), "{line}");
        let forced = directory.run_line(&format!("{line} --force"));
        assert_eq!(forced.code, Some(0), "{line}: {}", forced.stderr);
    }
    assert!(directory.run(&["model", "info", "m"]).ok().contains("other"));
}

/// The flags of a verb, in order, under their headings.
fn short_help(verb: &str) -> String {
    let words: Vec<&str> = verb.split(' ').chain(["-h"]).collect();
    boughs(&words, "").ok()
}

#[test]
fn input_and_output_come_first_in_the_help() {
    let help = short_help("parse");
    let headings: Vec<&str> =
        help.lines().filter(|line| line.ends_with(':') && !line.starts_with(' ')).collect();
    let expected = [
        "Arguments:",
        "Options:",
        "Input:",
        "Output:",
        "Constraints:",
        "Long sentences:",
        "Grammars:",
        "Neural parsers:",
        "Boosted parsers:",
    ];
    assert_eq!(headings, expected, "{help}");
}

#[test]
fn a_flag_has_one_name_everywhere() {
    for verb in [
        "parse",
        "tokenize",
        "eval",
        "treebank convert",
        "train latent",
        "model describe",
        "learn train boosted",
    ] {
        assert!(short_help(verb).contains("-o, --out <"), "{verb}");
    }
    for verb in ["parse", "eval", "compare", "tag", "train latent"] {
        assert!(short_help(verb).contains("-j, --threads <N>"), "{verb}");
    }
}

#[test]
fn every_parser_explains_itself() {
    let directory = Dir::new();
    for line in ["pcfg", "latent --rounds 1"] {
        let train = format!("train {line} --train @sample -o m --force");
        assert_eq!(directory.run_line(&train).code, Some(0));
        let text = directory.run_with(&["explain", "-m", "m"], "The man sleeps.").ok();
        for part in [
            "sentence 1: The man sleeps .",
            "  NP  “The man”",
            "no phrase is",
            "“man”, word 2",
            "(TOP (S (NP ",
        ] {
            assert!(text.contains(part), "{line}: {part}: {text}");
        }
    }
}

#[test]
fn texts_of_other_languages_have_their_own_tokens() {
    let tokens = |language: &str, text: &str| boughs(&["tokenize", "--language", language], text).ok();
    assert_eq!(tokens("spanish", "El Sr. Gil pagó 3,5 €. ¿Cuándo?"), "El Sr. Gil pagó 3,5 € .\n¿ Cuándo ?\n");
    assert_eq!(tokens("french", "L'eau n’est pas là."), "L' eau n’ est pas là .\n");
    assert_eq!(tokens("german", "Am 3. Oktober, z.B. Montag."), "Am 3. Oktober , z.B. Montag .\n");
    assert!(fault(&["tokenize", "--language", "klingon"], "").contains("spanish"));
    // A parser knows the language of its treebank.
    let directory = Dir::with(&[("es.mrg", include_str!("../../../testdata/languages/spanish.mrg"))]);
    assert_eq!(directory.run_line("train pcfg --train es.mrg -o m").code, Some(0));
    let parsed = directory.run_with(&["parse", "-m", "m"], "El Sr. Gil salió.").stdout;
    assert_eq!(parsed.lines().count(), 1, "{parsed}");
    assert!(parsed.contains(" Sr.)"), "{parsed}");
}

#[test]
fn a_plain_grammar_is_there_before_it_is_measured() {
    let directory = Dir::new();
    let line = "train pcfg --train @sample/news --dev @sample -o m";
    assert!(directory.kill_at("m", line), "measuring takes longer than reading rules off trees");
    let tree = directory.run_with(&["parse", "-q", "-m", "m", "--tokenized"], "The man sleeps .").ok();
    assert!(tree.starts_with("(TOP "), "{tree}");
}

#[test]
fn a_treebank_without_trees_is_told() {
    let run = boughs(&["treebank", "stats"], "# nothing but comments\n");
    assert_eq!((run.code, run.stderr.contains("no tree was found")), (Some(1), true), "{}", run.stderr);
    let sinica = "#1:1.[2] NP(quantifier:DM:兩本|Head:Nab:書)#。(PERIODCATEGORY)\n";
    let trees = boughs(&["treebank", "convert"], sinica).ok();
    assert_eq!(trees, "(TOP (NP (DM 兩本) (Nab 書)) (PERIODCATEGORY 。))\n");
}

#[test]
fn a_long_sentence_is_parsed_in_parts() {
    let text = format!("{}the dog sleeps.", "The dog sees the cat, and ".repeat(50));
    let json = boughs(&["parse", "--max-length", "100", "--to", "json"], &text);
    assert_eq!(json.code, Some(1));
    assert!(json.stderr.contains("longer than --max-length; it was parsed in parts"), "{}", json.stderr);
    assert!(json.stdout.contains(r#""status":"in-parts""#));
    assert!(json.stdout.matches(r#""text":"the cat"}"#).count() > 40, "{}", json.stdout);
}
