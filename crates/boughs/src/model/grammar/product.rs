//! Several grammars that parse together.
//!
//! Grammars that differ in nothing but the noise of their splits err differently: the product of their opinions is better than each of them
//! (Petrov 2010, "Products of Random Latent Variable Grammars").
//!
//! In a file (kind `grammars`) each is a model file of its own, in the arrays `grammar1`, `grammar2`, and so on (type u8).

use super::GrammarModel;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{About, Array, ModelFile, damaged};

/// The kind of these files.
pub const KIND: &str = "grammars";

/// Two or more grammars with the same symbols, and the same sub-symbols of these in the coarsest grammar.
#[derive(Debug, Clone, PartialEq)]
pub struct GrammarProduct {
    grammars: Vec<GrammarModel>,
}

impl GrammarProduct {
    /// More grammars than anyone has the time for; a bound for what a damaged file can ask for.
    pub const MOST: usize = 16;

    /// The product of these grammars.
    ///
    /// # Errors
    /// [`ErrorKind::Mismatch`] if there are fewer than two or more than [`MOST`](Self::MOST), or one does not go with the first.
    pub fn new(grammars: Vec<GrammarModel>) -> Result<Self> {
        if !(2..=Self::MOST).contains(&grammars.len()) {
            let message = format!("expected 2 to {} grammars, found {}", Self::MOST, grammars.len());
            return Err(Error::new(ErrorKind::Mismatch, message));
        }
        let differing = (2..).zip(&grammars[1..]).find_map(|(number, other)| {
            difference(&grammars[0], other).map(|difference| (number, difference))
        });
        match differing {
            Some((number, difference)) => Err(Error::new(
                ErrorKind::Mismatch,
                format!("expected grammars of the same trees, but grammar {number} has {difference} than the first"),
            )
            .hint("train them on the same trees with the same options, with another --seed each")),
            None => Ok(Self { grammars }),
        }
    }

    /// The grammars; there are at least two.
    pub fn grammars(&self) -> &[GrammarModel] {
        &self.grammars
    }

    /// The grammars as a model file; kind and labels are filled in.
    ///
    /// # Errors
    /// If they are too large for one.
    pub fn to_file(&self, about: About) -> Result<ModelFile> {
        let members = self.grammars.iter().map(|grammar| grammar.to_file(About::new("")));
        let members = members.collect::<Result<Vec<_>>>()?;
        let labels = members[0].about().labels.clone();
        let mut file = ModelFile::new(About { kind: KIND.to_owned(), labels, ..about });
        for (number, member) in (1..).zip(&members) {
            file.insert(&name(number), Array::U8(member.to_bytes()?));
        }
        Ok(file)
    }

    /// The grammars of a model file.
    ///
    /// # Errors
    /// If it is of another kind, or its parts do not fit together.
    pub fn from_file(file: &ModelFile) -> Result<Self> {
        file.expect_kind(KIND, "put grammars together with `boughs model combine`")?;
        let has = |number: &usize| file.names().any(|it| it == name(*number));
        let numbers = (1..=Self::MOST).take_while(has);
        let read = |number| GrammarModel::from_file(&ModelFile::from_bytes(file.u8s(&name(number))?)?);
        let grammars = numbers.map(read).collect::<Result<Vec<_>>>()?;
        Self::new(grammars).map_err(damaged)
    }
}

/// What keeps two grammars from parsing together.
fn difference(first: &GrammarModel, other: &GrammarModel) -> Option<&'static str> {
    let [(names, sizes, max_chain), others] = [first, other].map(|model| {
        let grammar = &model.levels()[0].grammar;
        (model.symbols(), grammar.sizes(), grammar.max_chain())
    });
    match others {
        (its_names, _, _) if its_names != names => Some("other symbols"),
        (_, its_sizes, _) if its_sizes != sizes => Some("other sub-symbols before any splits"),
        (_, _, its_max_chain) if its_max_chain != max_chain => {
            Some("longer or shorter chains of unary rules")
        }
        _ => None,
    }
}

fn name(number: usize) -> String {
    format!("grammar{number}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Block, Grammar, Level, Lexicon, ScoreTable, Symbol, Symbols, WordClasses};

    fn grammar(phrase: &str, value: f32) -> GrammarModel {
        grammar_with(phrase, value, [1, 1, 1], 2)
    }

    fn grammar_with(phrase: &str, value: f32, sizes: [u16; 3], max_chain: usize) -> GrammarModel {
        let names = |names: &[&str]| names.iter().copied().collect();
        let symbols = Symbols::new(names(&["x"]), names(&["TOP", phrase])).unwrap();
        let block = |parent, left| Block {
            parent: Symbol(parent),
            left: Symbol(left),
            right: None,
            rows: vec![[0, 0]],
            values: vec![value; usize::from(sizes[usize::from(parent)])],
        };
        let mut of_words = ScoreTable::new();
        of_words.push([(Symbol(0), &[1.0][..])]);
        let of_classes = of_words.clone();
        let lexicon = Lexicon {
            words: std::sync::Arc::new(names(&["a"])),
            classes: names(&["UNK-"]),
            classifier: WordClasses::plain(),
            class_share: vec![0.0],
            of_words,
            of_classes,
        };
        let grammar = Grammar::new(sizes.to_vec(), vec![block(1, 2), block(2, 0)], max_chain);
        let weights = vec![1.0; grammar.num_substates()];
        GrammarModel::new(symbols, Level { grammar, lexicon, weights }, Vec::new())
    }

    #[test]
    fn products_come_back() {
        let product = GrammarProduct::new(vec![grammar("NP", 0.5), grammar("NP", 0.25)]).unwrap();
        let bytes = product.to_file(About::new("")).unwrap().to_bytes().unwrap();
        assert_eq!(GrammarProduct::from_file(&ModelFile::from_bytes(&bytes).unwrap()).unwrap(), product);
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        for (other, difference) in [
            (grammar("VP", 0.5), "grammar 2 has other symbols than the first"),
            (grammar_with("NP", 0.5, [1, 1, 2], 2), "other sub-symbols before any splits"),
            (grammar_with("NP", 0.5, [1, 1, 1], 3), "longer or shorter chains"),
        ] {
            let message = GrammarProduct::new(vec![grammar("NP", 0.5), other]).unwrap_err().to_string();
            assert!(message.contains(difference), "{message}");
        }
        for number in [1, GrammarProduct::MOST + 1] {
            assert!(GrammarProduct::new(vec![grammar("NP", 0.5); number]).is_err());
        }
        let product = GrammarProduct::new(vec![grammar("NP", 0.5), grammar("NP", 0.25)]).unwrap();
        let mut file = product.to_file(About::new("")).unwrap();
        file.insert("grammar2", Array::U8(vec![1, 2, 3]));
        assert!(GrammarProduct::from_file(&file).is_err());
        let mut file = ModelFile::new(About::new(KIND));
        file.insert(
            "grammar2",
            Array::U8(grammar("NP", 0.5).to_file(About::new("")).unwrap().to_bytes().unwrap()),
        );
        assert!(GrammarProduct::from_file(&file).is_err());
    }
}
