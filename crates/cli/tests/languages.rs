//! Treebanks of other languages: their profiles are guessed, told, learned from and carried by models.

mod common;

use common::{Dir, Run, boughs};

const SPANISH: &str = include_str!("../../../testdata/languages/spanish.mrg");
const DUTCH: &str = include_str!("../../../testdata/languages/dutch.xml");

/// Names that no profile knows, in a treebank that is large enough to be called unknown.
fn unknown_treebank() -> String {
    let line = "(UTT (FRASE (ART1 la) (SUBST casa)) (FRASEV (VERB1 es) (ADJ1 blanca)) (PUNKT .))\n";
    line.repeat(20)
}

/// What a run writes, whatever it says of the profile.
fn done(run: Run) -> String {
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.stdout
}

fn spanish() -> Dir {
    Dir::with(&[("es.mrg", SPANISH)])
}

#[test]
fn the_guess_is_told_with_what_says_otherwise() {
    let run = spanish().run(&["eval", "es.mrg", "es.mrg"]);
    let line = "boughs: profile: spanish-cess, guessed from labels and tags (--profile NAME or FILE says otherwise)\n";
    assert_eq!(run.stderr, line);
    let english = boughs(&["eval", "@sample/news", "@sample/news"], "");
    assert_eq!(english.stderr, "");
    let unknown = Dir::with(&[("x.mrg", &unknown_treebank())]).run(&["eval", "x.mrg", "x.mrg"]);
    assert!(
        unknown.stderr.contains("profile: generic, since no other knows the labels"),
        "{}",
        unknown.stderr
    );
}

#[test]
fn punctuation_of_the_language_does_not_count() {
    let directory = spanish();
    // A comma that hangs elsewhere is no error.
    let moved = SPANISH.replace("(ncms000 libro))) (Fc ,)", "(ncms000 libro)) (Fc ,))");
    directory.write("moved.mrg", moved.as_bytes());
    let f1 = |profile: &str| {
        let out = directory.run(&["eval", "es.mrg", "moved.mrg", "--profile", profile]).ok();
        out.lines().find(|line| line.starts_with("Labelled F1")).expect("a line").to_owned()
    };
    assert!(f1("spanish-cess").contains("100.00"), "{}", f1("spanish-cess"));
    assert!(!f1("english-penn").contains("100.00"), "{}", f1("english-penn"));
    let compared = done(directory.run(&["compare", "es.mrg", "es.mrg", "moved.mrg", "--trials", "100"]));
    assert!(compared.contains("settings of profile spanish-cess"), "{compared}");
}

#[test]
fn the_punctuation_of_unknown_treebanks_is_learned() {
    let directory = Dir::with(&[("x.mrg", &unknown_treebank())]);
    let moved = unknown_treebank().replace("(ADJ1 blanca)) (PUNKT .)", "(ADJ1 blanca) (PUNKT .))");
    directory.write("moved.mrg", moved.as_bytes());
    let out = done(directory.run(&["eval", "x.mrg", "moved.mrg"]));
    assert!(out.lines().any(|line| line.starts_with("Labelled F1") && line.contains("100.00")), "{out}");
}

#[test]
fn cleaning_knows_traces_tags_and_labels() {
    let directory = spanish();
    let clean = |flags: &[&str]| {
        let trees = done(directory.run(&[&["treebank", "clean", "es.mrg"], flags].concat()));
        trees.lines().nth(1).expect("a tree").to_owned()
    };
    assert!(clean(&["--lowercase"]).contains("(sn.e-SUJ *0*)"));
    let all = clean(&["--strip-functions", "--remove-traces", "--map-labels"]);
    let expected = "(S (grup.verb (vmip1p0 Vemos)) (sn (espec (da0mp0 los)) (grup.nom (ncmp000 barcos) (s.a (grup.a (aq0mp0 blancos))))) (Fp .))";
    assert_eq!(all, expected);
    let own = clean(&["--map-labels", "--map-label", "espec.*=det"]);
    assert!(own.contains("(det (da0mp0 los))") && own.contains("sn-CD"), "{own}");
}

#[test]
fn ordinary_names_are_not_odd() {
    let directory = spanish();
    let checked = directory.run(&["treebank", "check", "es.mrg"]);
    assert!(!checked.stdout.contains("unusual form"), "{}", checked.stdout);
    let as_english = directory.run(&["treebank", "check", "es.mrg", "--profile", "english-penn"]);
    assert!(as_english.stdout.contains("unusual form"), "{}", as_english.stdout);
}

#[test]
fn heads_are_those_of_the_language() {
    let conllu = done(boughs(&["treebank", "convert", "--to", "conllu"], DUTCH));
    let heads: Vec<&str> = conllu.lines().filter_map(|line| line.split('\t').nth(6)).collect();
    assert_eq!(heads, ["2", "3", "0", "3", "3"], "{conllu}");
    let binarized = done(boughs(&["treebank", "convert", "--binarize", "head"], DUTCH));
    assert!(binarized.contains("(verb slaapt) (adv niet)"), "{binarized}");
}

#[test]
fn models_carry_the_profile() {
    let directory = spanish();
    for line in ["pcfg", "latent --rounds 1", "tagger", "boosted --folds 2 --max-words 20"] {
        let name = line.split(' ').next().expect("a method");
        let command = format!("train {line} --train es.mrg --dev es.mrg -o {name}.model");
        let run = directory.run(&command.split(' ').collect::<Vec<_>>());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stderr.contains("profile: spanish-cess"), "{}", run.stderr);
        let info = directory.run(&["model", "info", &format!("{name}.model")]).ok();
        assert!(
            info.lines().any(|line| line.starts_with("profile") && line.ends_with("spanish-cess")),
            "{info}"
        );
    }
    let parsed = directory.run(&["parse", "-q", "-m", "pcfg.model", "--trees", "es.mrg"]).ok();
    assert!(!parsed.contains("*0*"), "traces are no words: {parsed}");
    assert!(parsed.contains("(grup.nom (ncms000 libro))"), "labels are mapped: {parsed}");
    let scores = directory.run(&["eval", "es.mrg", "-m", "pcfg.model"]);
    assert!(scores.stdout.contains("of profile spanish-cess"), "{}", scores.stdout);
    assert_eq!(scores.stderr, "", "the model says it");
}

#[test]
fn what_is_learned_is_in_the_model() {
    let directory = Dir::with(&[("x.mrg", &unknown_treebank())]);
    done(directory.run(&["train", "pcfg", "--train", "x.mrg", "-o", "m"]));
    let json = directory.run(&["model", "info", "m", "--json"]).ok();
    assert!(json.contains("generic") && json.contains("PUNKT") && json.contains("FRASEV"), "{json}");
    let scores = directory.run(&["eval", "x.mrg", "-m", "m"]).ok();
    assert!(scores.contains("of profile generic"), "{scores}");
}

#[test]
fn profiles_of_ones_own_are_files() {
    let directory = spanish();
    directory.write("mine.toml", b"name = \"mine\"\npunctuation = [\"Fp\"]\nheads = \"S left grup.verb\"\n");
    let out = directory.run(&["eval", "es.mrg", "es.mrg", "--profile", "mine.toml"]).ok();
    assert!(out.contains("of profile mine"), "{out}");
    let missing = directory.run(&["eval", "es.mrg", "es.mrg", "--profile", "klingon"]).fault();
    assert!(missing.contains("one of english-penn, spanish-cess"), "{missing}");
    directory.write("bad.toml", b"name = \"bad\"\nhead = 1\n");
    let bad = directory.run(&["treebank", "check", "es.mrg", "--profile", "bad.toml"]).fault();
    assert!(bad.contains("bad.toml:2") && bad.contains("head"), "{bad}");
}

const ONE: &str =
    "(S (NP (PRP We)) (VP (VBP see) (NP (DT the) (NNS boughs)) (PP (IN of) (NP (NN oak)))) (. .))\n";
const OTHER: &str =
    "(S (NP (PRP We)) (VP (VBP see) (NP (NP (DT the) (NNS boughs)) (PP (IN of) (NP (NN oak))))) (. .))\n";

#[test]
fn two_parses_side_by_side() {
    let directory = Dir::with(&[("a.mrg", ONE), ("b.mrg", OTHER), ("c.mrg", "(S (NP (PRP I)))\n")]);
    let run = directory.run(&["treebank", "diff", "a.mrg", "b.mrg"]);
    assert_eq!(run.code, Some(1));
    let expected = "1: We see the boughs of oak .\n  + NP       the boughs of oak\n\n\
                    label            only in A  only in B\nNP                       0          1\n\
                    all that differ          0          1\nall phrases              6          7\n\n\
                    1 of 1 sentences differ, 0 tags\n";
    assert_eq!(run.stdout, expected);
    let same = directory.run(&["treebank", "diff", "a.mrg", "a.mrg"]);
    assert_eq!((same.code, same.stdout.as_str()), (Some(0), "0 of 1 sentences differ, 0 tags\n"));
    let other = directory.run(&["treebank", "diff", "a.mrg", "c.mrg"]).fault();
    assert!(other.contains("tree 1 is of other words") && other.contains("--stats"), "{other}");
}

#[test]
fn two_treebanks_side_by_side() {
    let directory = Dir::with(&[("a.mrg", ONE), ("b.mrg", OTHER)]);
    let run = directory.run(&["treebank", "diff", "--stats", "a.mrg", "b.mrg"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("NP  500.0  571.4  +71.4"), "{}", run.stdout);
    let same = directory.run(&["treebank", "diff", "--stats", "a.mrg", "a.mrg"]);
    assert_eq!(same.code, Some(0), "{}", same.stdout);
}
