//! Everything that a program can ask, over a real socket.

mod common;

use boughs::parser::{ParseRecord, Sentence};
use boughs::text;
use common::{offer, parser, settings, start, start_with};
use serde_json::{Value, json};

const TEXT: &str = "Éric sees the old dog in the park. It doesn't bark.";

/// What `boughs parse --to json` writes, with the name of the model.
fn expected(text: &str, model: &str) -> Vec<Value> {
    let parser = parser();
    let (mut worker, heads) = (parser.worker(), parser.heads());
    let mut records = Vec::new();
    for (number, sentence) in (1..).zip(text::sentences(text)) {
        let parsed = worker.parse(&Sentence::from_text(&sentence)).expect("it parses");
        let mut line = String::new();
        let record = ParseRecord::new("text", number, 1, parsed.status);
        let record = ParseRecord { model: Some(model), ..record };
        record.write_json(&parsed.parses[0], &heads, &mut line).expect("strings do not fail");
        records.push(serde_json::from_str(&line).expect("JSON"));
    }
    records
}

fn brackets(text: &str) -> String {
    let parser = parser();
    let mut worker = parser.worker();
    let tree =
        |sentence| worker.parse(&Sentence::from_text(&sentence)).expect("it parses").tree().to_string();
    text::sentences(text).map(tree).map(|tree| tree + "\n").collect()
}

#[test]
fn trees_are_those_of_the_library() {
    let service = start(&settings());
    let reply = service.text("/parse", TEXT);
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    assert_eq!(reply.json()["parses"], json!(expected(TEXT, "one")));
    let token = &reply.json()["parses"][0]["tokens"][1];
    assert_eq!((&token["byte_start"], &token["char_start"]), (&json!(6), &json!(5)));

    let same = service.json("/parse", &json!({ "text": TEXT, "model": "two" }));
    assert_eq!(same.json()["parses"], json!(expected(TEXT, "two")));

    let reply = service.text("/parse?format=brackets", TEXT);
    assert_eq!(reply.body, brackets(TEXT));
    service.stop();
}

#[test]
fn forms_of_trees() {
    let service = start(&settings());
    let of = |format: &str| service.json("/parse", &json!({ "text": TEXT, "format": format }));
    assert!(of("conllu").body.starts_with("# sent_id = text-1\n"));
    let svg = of("svg");
    assert_eq!(svg.header("content-type"), Some("image/svg+xml"));
    assert!(
        svg.body.starts_with("<svg xmlns=") && svg.body.contains("<title>It does n&#39;t bark .</title>")
            || svg.body.contains("bark .")
    );
    assert!(of("latex").body.contains("forest"));
    let lines = of("ndjson");
    assert_eq!(lines.header("transfer-encoding"), Some("chunked"));
    let lines: Vec<Value> =
        lines.body.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines, expected(TEXT, "one"));
    service.stop();
}

#[test]
fn long_texts_come_back_in_order() {
    let service = start(&settings());
    let lines: Vec<String> = (0..200)
        .map(|number| match number % 3 {
            0 => format!("Tree {number} bends."),
            1 => format!("The old oak {number} in the park behind the house grows slowly, and we like it."),
            _ => format!("{number}"),
        })
        .collect();
    let reply = service.json("/parse", &json!({ "lines": lines, "format": "ndjson" }));
    let records = reply.body.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let texts: Vec<(u64, String)> = records
        .map(|record| {
            (
                record["sentence"].as_u64().expect("a number"),
                record["text"].as_str().expect("text").to_owned(),
            )
        })
        .collect();
    assert_eq!(texts, (1..).zip(lines).collect::<Vec<_>>());
    service.stop();
}

#[test]
fn several_trees_and_several_models() {
    let service = start(&settings());
    let reply = service.json(
        "/parse",
        &json!({ "tokens": [["She", "saw", "the", "man", "with", "the", "telescope", "."]],
        "n_best": 3, "models": ["two", "one"] }),
    );
    let parses = reply.json()["parses"].as_array().expect("parses").clone();
    let order: Vec<_> = parses.iter().map(|it| (it["model"].clone(), it["rank"].clone())).collect();
    let expected = ["two", "one"].map(|model| [1, 2, 3].map(|rank| (json!(model), json!(rank))));
    assert_eq!(order, expected.concat());
    assert_ne!(parses[0]["nodes"], parses[1]["nodes"]);
    assert_eq!(parses[0]["nodes"], parses[3]["nodes"]);
    let body = json!({ "text": "It rains.", "n_best": 2, "format": "brackets" });
    assert_eq!(
        service
            .json("/parse", &body)
            .body
            .lines()
            .collect::<Vec<_>>()
            .iter()
            .filter(|line| line.is_empty())
            .count(),
        1
    );
    service.stop();
}

#[test]
fn constraints_are_kept_or_told() {
    let service = start(&settings());
    let tokens = ["She", "saw", "the", "man", "with", "the", "telescope", "."];
    let ask = |phrases: Value| service.json("/parse", &json!({ "tokens": [tokens], "phrases": phrases }));
    for (start, end, label) in [(2, 7, "NP"), (1, 4, "VP")] {
        let reply = ask(json!([{ "start": start, "end": end, "label": label }])).json();
        let nodes = reply["parses"][0]["nodes"].as_array().expect("nodes").clone();
        let is_it = |node: &Value| node["start"] == start && node["end"] == end && node["label"] == label;
        assert!(nodes.iter().any(is_it), "{start} {end} {label}: {nodes:?}");
    }
    let crossing = ask(json!([{ "start": 0, "end": 3 }, { "start": 2, "end": 5 }])).json();
    assert_eq!(crossing["parses"][0]["status"], "constraints-unmet");
    assert!(crossing["parses"][0]["unmet"].is_string());
    let unknown = ask(json!([{ "start": 0, "end": 3, "label": "KLINGON" }]));
    assert_eq!(unknown.status, 422);
    assert!(unknown.json()["error"].as_str().is_some_and(|error| error.contains("KLINGON")), "{unknown:?}");
    service.stop();
}

#[test]
fn tags_tokens_and_reasons() {
    let service = start(&settings());
    let tagged = service.text("/tag", TEXT).json();
    let tags = |sentence: &Value| -> Vec<Value> {
        sentence["tokens"].as_array().expect("tokens").iter().map(|it| it["tag"].clone()).collect()
    };
    let tags: Vec<Vec<Value>> = tagged["sentences"].as_array().expect("sentences").iter().map(tags).collect();
    let parser = parser();
    let mut tagger = parser.tag_worker().expect("a tagger");
    let expected = text::sentences(TEXT).map(|sentence| {
        let words = tagger.tag(&Sentence::from_text(&sentence), None).expect("tags");
        words.into_iter().map(|word| json!(word.tags[0].0)).collect()
    });
    assert_eq!(tags, expected.collect::<Vec<Vec<Value>>>());
    let split = service.text("/tokenize?unit=lines", "Éric can't.\nGo").json();
    let words: Vec<Vec<_>> = split["sentences"]
        .as_array()
        .expect("sentences")
        .iter()
        .map(|it| it["tokens"].as_array().expect("tokens").iter().map(|it| it["word"].clone()).collect())
        .collect();
    assert_eq!(json!(words), json!([["Éric", "ca", "n't", "."], ["Go"]]));
    assert_eq!(split["sentences"][1]["tokens"][0]["byte_start"], 13);
    assert_eq!(service.text("/tag?n_best=2", "a").status, 422);

    let explained = service.text("/explain", "The dog sleeps.").json();
    let steps = explained["sentences"][0]["steps"].as_array().expect("steps").clone();
    let phrase = steps.iter().find(|it| it["start"] == 0 && it["end"] == 2).expect("a step over `The dog`");
    assert!(!phrase["reasons"].as_array().expect("reasons").is_empty());
    service.stop();
}

#[test]
fn trees_are_scored() {
    let service = start(&settings());
    let gold = "(TOP (S (NP (DT The) (NN dog)) (VP (VBZ sleeps)) (. .)))\n(TOP (S (NP (PRP It)) (VP (VBZ naps)) (. .)))";
    let test = "(S (NP (DT The)) (VP (NN dog) (VBZ sleeps)) (. .))\n(S (NP (PRP It)) (VP (VBZ naps)) (. .))";
    let scored = service.json("/eval", &json!({ "gold": gold, "test": test })).json();
    let f1: Vec<_> =
        (0..2).map(|index| scored["sentences"][index]["f1"].as_f64().expect("a number")).collect();
    assert!((f1[0] - 100.0 / 3.0).abs() < 0.01 && (f1[1] - 100.0).abs() < 0.01, "{scored}");
    let parsed = service.json("/eval", &json!({ "gold": gold })).json();
    assert_eq!(parsed["f1"], 100.0, "{parsed}");
    assert!(parsed["sentences"][0]["tree"].as_str().is_some_and(|tree| tree.contains("(NN dog)")));
    let missing = service.json("/eval", &json!({ "gold": gold, "test": "(X (Y z))" })).json();
    assert_eq!(missing["sentences"][0]["status"], "error");
    assert_eq!(service.json("/eval", &json!({ "gold": "(A (B" })).status, 422);
    service.stop();
}

#[test]
fn treebanks_and_patterns() {
    let service = start(&settings());
    assert_eq!(service.get("/treebanks").json(), json!({ "treebanks": [{ "name": "trees", "trees": 2 }] }));
    let some = service.get("/treebank?name=trees&start=1").json();
    assert_eq!(some, json!({ "total": 2, "start": 1, "trees": ["(TOP (NP (DT The) (NN elm)))"] }));
    assert_eq!(service.get("/treebank?name=..%2Fsecret").status, 404);
    let body = json!({ "pattern": "NP < NN", "trees": ["(NP (DT The) (NN elm))", "(VP (VB go))"] });
    let found = service.json("/search", &body).json();
    assert_eq!(found, json!({ "hits": [[{ "start": 0, "end": 2, "node": 0 }], []] }));
    assert_eq!(service.json("/search", &json!({ "pattern": "NP <", "trees": [] })).status, 422);
    service.stop();
}

#[test]
fn a_service_tells_about_itself() {
    let service = start(&settings());
    assert_eq!((service.get("/live").status, service.get("/ready").status), (200, 200));
    let models = service.get("/models").json();
    let names: Vec<_> =
        models["models"].as_array().expect("models").iter().map(|it| it["name"].clone()).collect();
    assert_eq!(names, ["one", "two"]);
    assert_eq!(models["models"][0]["can_explain"], true);
    service.text("/parse", TEXT);
    service.get("/no-such-place");
    let metrics = service.get("/metrics").body;
    for line in [
        "boughs_requests_total{route=\"/parse\",status=\"200\"} 1",
        "boughs_requests_total{route=\"other\",status=\"404\"} 1",
        "boughs_sentences_total 2",
        "boughs_words_total 14",
        "boughs_requests_in_flight 0",
    ] {
        assert!(metrics.lines().any(|other| other == line), "{line}\n{metrics}");
    }
    let page = service.get("/");
    assert!(page.body.contains("<title>boughs"), "{page:?}");
    assert!(page.header("content-security-policy").is_some());
    assert_eq!(page.header("access-control-allow-origin"), None);
    let described = service.get("/openapi.json").json();
    assert!(described["paths"]["/parse"]["post"].is_object());
    service.stop();
}

#[test]
fn a_service_without_models_says_so() {
    let service = start_with(&settings(), boughs_serve::Offer { parsers: Vec::new(), ..offer() });
    let reply = service.text("/parse", "a");
    assert_eq!(reply.status, 422);
    assert!(reply.json()["hint"].as_str().is_some_and(|hint| hint.contains("-m")));
    assert_eq!(service.text("/tokenize", "It rains.").status, 200);
    service.stop();
}

#[test]
fn mistakes_are_told() {
    let service = start(&settings());
    for (method, path, body, status) in [
        ("POST", "/parse?colour=red", "a", 400),
        ("POST", "/parse?model=three", "a", 422),
        ("POST", "/parse?n_best=99", "a", 422),
        ("GET", "/parse", "", 405),
        ("DELETE", "/models", "", 405),
        ("GET", "/etc/passwd", "", 404),
        ("GET", "/..%2f..%2fetc/passwd", "", 404),
        ("OPTIONS", "/parse", "", 405),
    ] {
        let reply = service.request(method, path, "", body);
        assert_eq!(reply.status, status, "{method} {path}: {reply:?}");
        assert!(reply.json()["error"].is_string(), "{method} {path}: {reply:?}");
    }
    service.stop();
}
