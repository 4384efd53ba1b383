//! Requests as clients of CoreNLP's server send them.

mod common;

use common::{Running, settings, start};
use serde_json::{Value, json};

const PARSE: &str = r#"{"annotators":"tokenize,ssplit,pos,lemma,parse","outputFormat":"json"}"#;

fn annotate(service: &Running, properties: &str, text: &str) -> common::Reply {
    let escaped: String = properties.bytes().map(|byte| format!("%{byte:02X}")).collect();
    service.request(
        "POST",
        &format!("/?properties={escaped}"),
        "Content-Type: text/plain; charset=utf8\r\n",
        text,
    )
}

fn words(answer: &Value) -> Vec<Vec<String>> {
    let sentences = answer["sentences"].as_array().expect("sentences");
    let word = |token: &Value| token["word"].as_str().expect("a word").to_owned();
    sentences.iter().map(|it| it["tokens"].as_array().expect("tokens").iter().map(word).collect()).collect()
}

#[test]
fn trees_and_tokens_as_corenlp_has_them() {
    let service = start(&settings());
    let answer = annotate(&service, PARSE, "The 𝄞 dog (old) sleeps.  It barks.").json();
    let first = &answer["sentences"][0];
    assert_eq!(first["index"], 0);
    let parse = first["parse"].as_str().expect("a tree");
    assert!(parse.starts_with("(ROOT") && parse.contains("(-LRB- -LRB-)"), "{parse}");
    assert_eq!(
        first["tokens"][2],
        json!({ "index": 3, "word": "dog", "originalText": "dog", "characterOffsetBegin": 7,
        "characterOffsetEnd": 10, "pos": first["tokens"][2]["pos"], "before": " ", "after": " " })
    );
    assert_eq!(
        (&first["tokens"][3]["word"], &first["tokens"][3]["originalText"]),
        (&json!("-LRB-"), &json!("("))
    );
    assert_eq!(answer["sentences"][1]["tokens"][0]["before"], "  ");
    assert!(first["tokens"][0].get("lemma").is_none());
    service.stop();
}

#[test]
fn only_what_was_asked_for() {
    let service = start(&settings());
    let tokens = annotate(&service, "{'annotators': 'tokenize,ssplit'}", "Go on.").json();
    assert!(
        tokens["sentences"][0].get("parse").is_none()
            && tokens["sentences"][0]["tokens"][0].get("pos").is_none()
    );
    let tagged =
        annotate(&service, r#"{"annotators":"tokenize,ssplit,pos","tokenize.codepoint":"true"}"#, "𝄞 dogs")
            .json();
    let token = &tagged["sentences"][0]["tokens"][1];
    assert_eq!((&token["characterOffsetBegin"], &token["codepointOffsetBegin"]), (&json!(3), &json!(2)));
    assert_eq!(token["pos"], "NNS");
    service.stop();
}

#[test]
fn sentences_and_tokens_as_the_client_says() {
    let service = start(&settings());
    let ask = |more: &str| {
        annotate(&service, &format!(r#"{{"annotators":"tokenize,ssplit"{more}}}"#), "I can't. You?\nNo")
            .json()
    };
    assert_eq!(words(&ask("")).len(), 3);
    assert_eq!(words(&ask(r#","ssplit.eolonly":"true""#)).len(), 2);
    assert_eq!(words(&ask(r#","ssplit.isOneSentence":"true""#)).len(), 1);
    let blanks = words(&ask(r#","tokenize.whitespace":"true","ssplit.eolonly":"true""#));
    assert_eq!(blanks, [vec!["I", "can't.", "You?"], vec!["No"]]);
    service.stop();
}

#[test]
fn what_there_is_not_is_an_error_in_words() {
    let service = start(&settings());
    let reply = annotate(&service, r#"{"annotators":"tokenize,ssplit,ner"}"#, "a");
    assert_eq!((reply.status, reply.header("content-type")), (400, Some("text/plain; charset=utf-8")));
    assert!(reply.body.contains("`ner`"), "{reply:?}");
    assert_eq!(annotate(&service, r#"{"outputFormat":"xml"}"#, "a").status, 400);
    service.stop();
}

#[test]
fn forms_are_unescaped() {
    let service = start(&settings());
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let answer = service.request("POST", "/?annotators=tokenize,ssplit", form, "Caf%C3%A9s+close.").json();
    assert_eq!(words(&answer), [["Cafés", "close", "."]]);
    service.stop();
}
