//! Where tokens are, also in languages for which there are no rules.
//!
//! The naive form splits at blanks. [`Tokenization::Plain`] also cuts off whatever is neither letter nor digit, unless
//! it stands between letters or digits (`peut-être`, `3,5`). It ends a token behind an apostrophe inside a word, where
//! French and Italian elide (`l' homme`, `d' une`).

use serde::{Deserialize, Serialize};

use boughs::text::{Tokenizer, Unit};

/// How a line becomes tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tokenization {
    /// What lies between blanks.
    Blanks,
    /// As the Penn Treebank has them: what the parser for English expects.
    English,
    /// Words and punctuation of any language that writes blanks.
    #[default]
    Plain,
}

impl Tokenization {
    /// The tokens of a line.
    pub fn split(self, line: &str) -> Vec<String> {
        match self {
            Self::Blanks => line.split_whitespace().map(str::to_owned).collect(),
            Self::Plain => line.split_whitespace().flat_map(plain).map(str::to_owned).collect(),
            Self::English => {
                let options = Tokenizer { unit: Unit::Line, ..Tokenizer::default() };
                let sentence = options.tokenize(line);
                sentence.tokens().map(|token| token.text.to_owned()).collect()
            }
        }
    }
}

fn plain(chunk: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut start = 0;
    let characters: Vec<(usize, char)> = chunk.char_indices().collect();
    for (index, &(place, character)) in characters.iter().enumerate() {
        let next = characters.get(index + 1).map(|&(_, next)| next);
        let end = next.map_or(chunk.len(), |_| characters[index + 1].0);
        let is_inside = start < place && next.is_some_and(char::is_alphanumeric);
        match character {
            _ if is_word(character) => {}
            '\'' | '’' if is_inside => {
                tokens.push(&chunk[start..end]);
                start = end;
            }
            '-' | '.' | ',' | ':' | '/' | '‐' | '·' if is_inside => {}
            _ => {
                tokens.extend(Some(&chunk[start..place]).filter(|token| !token.is_empty()));
                tokens.push(&chunk[place..end]);
                start = end;
            }
        }
    }
    tokens.extend(Some(&chunk[start..]).filter(|token| !token.is_empty()));
    tokens
}

/// Letters, digits, and what is written over or under them.
fn is_word(character: char) -> bool {
    character.is_alphanumeric() || ('\u{300}'..='\u{36f}').contains(&character) || character == '_'
}

#[cfg(test)]
mod tests {
    use boughs_learn::names::named;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn elisions_and_punctuation_are_cut() {
        for (text, tokens) in [
            ("L'homme d'à côté n’a pas dormi.", "L' homme d' à côté n’ a pas dormi ."),
            ("«Peut-être», dit-il... 3,5 %!", "« Peut-être » , dit-il . . . 3,5 % !"),
            ("' a '", "' a '"),
            ("", ""),
        ] {
            assert_eq!(Tokenization::Plain.split(text).join(" "), tokens);
        }
        assert_eq!(
            Tokenization::English.split("It doesn't bark. It's 5.").join(" "),
            "It does n't bark . It 's 5 ."
        );
        assert_eq!(Tokenization::Blanks.split(" a,b  c ").join("|"), "a,b|c");
    }

    #[test]
    fn names_come_back() {
        let names = ["blanks", "english", "plain"].map(|name| named::<Tokenization>("tokens", name).unwrap());
        assert_eq!(names, [Tokenization::Blanks, Tokenization::English, Tokenization::Plain]);
        assert!(named::<Tokenization>("tokens", "words").is_err());
    }

    proptest! {
        #[test]
        fn nothing_but_blanks_is_lost(text in "\\PC{0,40}") {
            let without_blanks: String = text.split_whitespace().collect();
            prop_assert_eq!(Tokenization::Plain.split(&text).concat(), without_blanks);
        }
    }
}
