//! What a client of CoreNLP wants.

use std::collections::BTreeMap;

use boughs::parser::Sentence;
use boughs::span::TextSpan;
use boughs::text::{Language, Tokenizer, Unit, is_blank};
use boughs::tree::{Token, Tokens};

use crate::media::pairs;
use crate::refusal::Refusal;

/// The annotators that there are.
const ANNOTATORS: [&str; 5] = ["tokenize", "ssplit", "pos", "lemma", "parse"];

/// What a client of CoreNLP wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Properties {
    /// Whether tags are wanted (`pos`, or `parse`).
    pub wants_tags: bool,
    /// Whether trees are wanted (`parse`).
    pub wants_trees: bool,
    /// Whether tokens are what stands between blanks (`tokenize.whitespace`).
    pub is_tokenized: bool,
    /// What ends a sentence.
    pub splitting: Splitting,
    /// Whether offsets in characters are wanted beside those in UTF-16 (`tokenize.codepoint`).
    pub wants_codepoints: bool,
}

/// What ends a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Splitting {
    /// What the text shows.
    Text,
    /// A line break, and nothing else (`ssplit.eolonly`).
    Lines,
    /// Nothing (`ssplit.isOneSentence`).
    Never,
}

impl Properties {
    /// Reads the query of a request.
    ///
    /// # Errors
    /// If it asks for what there is not.
    pub fn read(query: &str) -> Result<Self, Refusal> {
        let mut given = BTreeMap::new();
        for (name, value) in pairs(query).ok_or_else(|| Refusal::malformed("the query is not UTF-8"))? {
            match name.as_str() {
                "properties" => given.extend(decode(&value)?),
                _ => drop(given.insert(name, value)),
            }
        }
        Self::of(&given)
    }

    fn of(given: &BTreeMap<String, String>) -> Result<Self, Refusal> {
        let annotators = given.get("annotators").map_or("tokenize,ssplit,pos,parse", String::as_str);
        let annotators: Vec<&str> = annotators.split([',', ' ']).filter(|name| !name.is_empty()).collect();
        if let Some(other) = annotators.iter().find(|name| !ANNOTATORS.contains(name)) {
            return Err(Refusal::malformed(format!("there is no annotator `{other}`"))
                .hint(format!("there are {}", ANNOTATORS.join(", "))));
        }
        for (name, value) in given {
            check(name, value, &annotators)?;
        }
        let is_set = |name: &str| given.get(name).is_some_and(|value| value.eq_ignore_ascii_case("true"));
        let wants_trees = annotators.contains(&"parse");
        Ok(Self {
            wants_tags: wants_trees || annotators.contains(&"pos") || annotators.contains(&"lemma"),
            wants_trees,
            is_tokenized: is_set("tokenize.whitespace"),
            splitting: match (is_set("ssplit.isOneSentence"), is_set("ssplit.eolonly")) {
                (true, _) => Splitting::Never,
                (_, true) => Splitting::Lines,
                _ => Splitting::Text,
            },
            wants_codepoints: is_set("tokenize.codepoint"),
        })
    }

    /// The sentences of a text in a language. Blank ones are none.
    pub fn sentences(&self, text: &str, language: Language) -> Vec<Sentence> {
        let tokenizer = Tokenizer { language, ..Tokenizer::default() };
        let sentences: Vec<Sentence> = match (self.splitting, self.is_tokenized) {
            (Splitting::Never, false) => vec![Sentence::from_text(&tokenizer.tokenize(text))],
            (Splitting::Never, true) => vec![between_blanks(text, 0, 0)],
            (Splitting::Lines, true) => lines_between_blanks(text),
            (splitting, false) => {
                let unit = if splitting == Splitting::Lines { Unit::Line } else { Unit::Text };
                let tokenizer = Tokenizer { unit, ..tokenizer };
                tokenizer.sentences(text).map(|sentence| Sentence::from_text(&sentence)).collect()
            }
            (Splitting::Text, true) => at_full_stops(text),
        };
        sentences.into_iter().filter(|sentence| !sentence.tokens().is_empty()).collect()
    }
}

/// Whether a property is one that we know, and its value too. Those of annotators that are not asked for mean nothing.
fn check(name: &str, value: &str, annotators: &[&str]) -> Result<(), Refusal> {
    let lower = value.to_ascii_lowercase();
    let is_good = match name {
        "annotators" => true,
        "outputFormat" => lower == "json",
        "pipelineLanguage" | "tokenize.language" => ["en", "english"].contains(&lower.as_str()),
        "inputFormat" => lower == "text",
        "tokenize.whitespace" | "tokenize.codepoint" | "ssplit.eolonly" | "ssplit.isOneSentence" => {
            ["true", "false"].contains(&lower.as_str())
        }
        _ => {
            let of_annotator = name.split_once('.').is_some_and(|(owner, _)| !annotators.contains(&owner));
            if of_annotator {
                return Ok(());
            }
            return Err(Refusal::malformed(format!("there is no property `{name}` here")).hint(
                "there are annotators, outputFormat, tokenize.whitespace, tokenize.codepoint, ssplit.eolonly and \
                 ssplit.isOneSentence",
            ));
        }
    };
    match is_good {
        true => Ok(()),
        false => Err(Refusal::malformed(format!("`{name}` cannot be `{value}` here"))),
    }
}

/// The tokens between blanks of a stretch of the text that begins at this byte and character.
fn between_blanks(text: &str, start: u64, char_start: u64) -> Sentence {
    let mut tokens = Vec::new();
    let (mut byte, mut character) = (start, char_start);
    for chunk in text.split_inclusive(is_blank) {
        let word = chunk.trim_end_matches(is_blank);
        if !word.is_empty() {
            let place = TextSpan {
                start: byte,
                char_start: character,
                len: word.len() as u32,
                char_len: word.chars().count() as u32,
            };
            tokens.push(Token { word, tag: "", place: Some(place) });
        }
        byte += chunk.len() as u64;
        character += chunk.chars().count() as u64;
    }
    tokens.into_iter().collect::<Tokens>().into()
}

fn lines_between_blanks(text: &str) -> Vec<Sentence> {
    let (mut byte, mut character) = (0, 0);
    let line = |line: &str| {
        let sentence = between_blanks(line, byte, character);
        byte += line.len() as u64;
        character += line.chars().count() as u64;
        sentence
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Sentences of known tokens end at `.`, `?` and `!`, and with the quotation marks and brackets behind them.
fn at_full_stops(text: &str) -> Vec<Sentence> {
    let all = between_blanks(text, 0, 0);
    let tokens: Vec<Token<'_>> = all.tokens().iter().collect();
    let ends = |word: &str| [".", "?", "!", "...", "?!"].contains(&word);
    let closes = |word: &str| ["\"", "''", "'", "”", "’", ")", "]", "-RRB-"].contains(&word);
    let mut sentences = Vec::new();
    let mut start = 0;
    for index in 0..tokens.len() {
        let is_behind_end = tokens[start..=index].iter().any(|token| ends(token.word));
        let is_last = tokens.get(index + 1).is_none_or(|next| !closes(next.word) && !ends(next.word));
        if (is_behind_end && is_last) || index + 1 == tokens.len() {
            sentences.push(tokens[start..=index].iter().copied().collect::<Tokens>().into());
            start = index + 1;
        }
    }
    sentences
}

/// Reads a map as CoreNLP does: in braces or not, names and values in quotation marks of either kind or none, `:` or
/// `=` between them, `,` or `;` behind.
fn decode(text: &str) -> Result<BTreeMap<String, String>, Refusal> {
    let text = text.trim();
    let text = text.strip_prefix('{').map_or(text, |inner| inner.strip_suffix('}').unwrap_or(inner));
    let mut map = BTreeMap::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (name, behind) = word(rest, &[':', '=', ',', ';'])?;
        let Some(behind) = behind.trim_start().strip_prefix([':', '=']) else {
            return Err(Refusal::malformed("the properties are not as expected: a name without a value")
                .hint(r#"as in {"annotators":"tokenize,ssplit,pos,parse","outputFormat":"json"}"#));
        };
        let (value, behind) = word(behind.trim_start(), &[',', ';'])?;
        map.insert(name, value);
        rest = behind.trim_start().trim_start_matches([',', ';']).trim_start();
    }
    Ok(map)
}

/// A name or a value, and what comes behind it.
fn word<'t>(text: &'t str, ends: &[char]) -> Result<(String, &'t str), Refusal> {
    let Some(quote) = text.chars().next().filter(|first| ['"', '\''].contains(first)) else {
        let end = text.find(ends).unwrap_or(text.len());
        return Ok((text[..end].trim().to_owned(), &text[end..]));
    };
    let mut word = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((place, found)) = chars.next() {
        match found {
            '\\' => word.extend(chars.next().map(|(_, escaped)| escaped)),
            _ if found == quote => return Ok((word, &text[place + 1..])),
            _ => word.push(found),
        }
    }
    Err(Refusal::malformed("the properties are not as expected: a quotation mark is not closed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(properties: &Properties, text: &str) -> Vec<String> {
        let join = |sentence: &Sentence| sentence.tokens().words().collect::<Vec<_>>().join(" ");
        properties.sentences(text, Language::default()).iter().map(join).collect()
    }

    #[test]
    fn maps_are_read_in_any_writing() {
        for text in [
            r#"{"annotators": "tokenize,ssplit", "outputFormat": "json"}"#,
            "{'annotators': 'tokenize,ssplit', 'outputFormat': 'json'}",
            "annotators='tokenize,ssplit';outputFormat=json",
            r#" { "annotators" = "tokenize,ssplit" , outputFormat : json } "#,
        ] {
            let map = decode(text).unwrap();
            let of = |name: &str| map.get(name).map(String::as_str);
            assert_eq!(
                (of("annotators"), of("outputFormat")),
                (Some("tokenize,ssplit"), Some("json")),
                "{text}"
            );
        }
        for text in ["{'annotators", "{annotators}", "{'a' 'b'}"] {
            assert!(decode(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_there_is_not_is_refused() {
        for (query, is_good) in [
            ("", true),
            (r#"properties={"annotators":"tokenize,ssplit,pos,lemma,parse"}"#, true),
            (r#"properties={"annotators":"tokenize,ssplit,ner"}"#, false),
            (r#"properties={"outputFormat":"xml"}"#, false),
            (r#"properties={"annotators":"tokenize","ner.useSUTime":"false"}"#, true),
            (r#"properties={"annotators":"tokenize","tokenize.options":"americanize=true"}"#, false),
            ("pipelineLanguage=en&annotators=pos", true),
            ("pipelineLanguage=de", false),
            (r#"properties={"ssplit.eolonly":"perhaps"}"#, false),
        ] {
            assert_eq!(Properties::read(query).is_ok(), is_good, "{query}");
        }
    }

    #[test]
    fn sentences_end_where_the_client_says() {
        let read = |properties: &str| Properties::read(&format!("properties={{{properties}}}")).unwrap();
        let text = "One oak. Two\n\n\"elms .";
        assert_eq!(words(&read(""), text), ["One oak .", "Two", "\" elms ."]);
        assert_eq!(words(&read("ssplit.eolonly:true"), text), ["One oak . Two", "\" elms ."]);
        assert_eq!(words(&read("ssplit.isOneSentence:true"), text), ["One oak . Two \" elms ."]);
        let text = "a.b c . d !\n) e f\n";
        assert_eq!(words(&read("tokenize.whitespace:true"), text), ["a.b c .", "d ! )", "e f"]);
        let lines = read("tokenize.whitespace:true,ssplit.eolonly:true");
        assert_eq!(words(&lines, text), ["a.b c . d !", ") e f"]);
        let places: Vec<_> = lines
            .sentences("é b\n𝄞 d", Language::default())
            .iter()
            .flat_map(|it| it.tokens().iter().map(|t| t.place).collect::<Vec<_>>())
            .collect();
        let starts: Vec<_> =
            places.into_iter().flatten().map(|place| (place.start, place.char_start)).collect();
        assert_eq!(starts, [(0, 0), (3, 2), (5, 4), (10, 6)]);
    }
}
