//! Grammars in model files (kind `grammar`):
//!
//! | array | type | content |
//! |---|---|---|
//! | `tags`, `phrases`, `words`, `classes` | u8 | names, each behind its length; the first phrase is the root |
//! | `sizes` | u16 | for each symbol how many sub-symbols it has |
//! | `rules` | u16 | for each rule parent, left and right child; 65535 for no right child |
//! | `codes` | u8 | for each rule, pair of sub-symbols of the children, and sub-symbol of the parent, the code of its number; deflated |
//! | `word_tags`, `class_tags` | u16 | for each word or class how many tags it has, and the tags |
//! | `word_codes`, `class_codes` | u8 | for each of them the codes of the scores of the tag's sub-symbols; deflated |
//! | `class_share` | f32 | for each word the share of its class |
//! | `weights` | f32 | how often each sub-symbol occurs |
//! | `splits` | u16 | for each split and sub-symbol what it was split from |
//!
//! Codes are those of `quantize.rs`. If finer grammars have numbers of their own, each has its own `sizes`, `rules`, `codes`, `word_tags`, and so on,
//! behind `finer1_`, `finer2_`, and so on; `splits` are those that lead to the finest. In place of `codes` they have `changes`: how much is to be added to
//! the codes that the numbers of the grammar before would have, modulo 256; what a penalty left as it was is zero, and next to nothing when deflated.

use std::io::{Read, Write};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use super::levels::coarse_sizes;
use super::quantize::Grid;
use super::{Grammar, GrammarModel, Level, Lexicon, ScoreTable, Splits, Symbol, Symbols, WordClasses};
use crate::error::{Error, Result};
use crate::model::{About, Array, ModelFile, damaged};
use crate::model::{read_names, write_names};
use crate::vocab::Vocab;

/// The kind of these files.
pub const KIND: &str = "grammar";

const MAX_CHAIN: &str = "max-chain";
const WORD_CLASSES: &str = "word-classes";
const NUM_FINER: &str = "finer-grammars";
const GRIDS: [&str; 3] = ["grid-rules", "grid-words", "grid-classes"];
const CODES: &str = "codes";
const CHANGES: &str = "changes";
const NO_CHILD: u16 = u16::MAX;

/// More sub-symbols of one symbol than any training makes; a bound for what a damaged file can ask for.
const MOST_SUBSTATES: u16 = 1024;

/// More numbers than any grammar has.
const MOST_NUMBERS: usize = 1 << 28;

impl GrammarModel {
    /// The grammar as a model file; kind, labels and what the parser needs are filled in.
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn to_file(&self, about: About) -> Result<ModelFile> {
        let (symbols, levels) = (self.symbols(), self.own_levels());
        let lexicon = &levels[0].lexicon;
        let mut labels = Vocab::new();
        symbols
            .iter()
            .filter(|it| !symbols.is_tag(*it))
            .flat_map(|it| symbols.labels(it))
            .for_each(|label| _ = labels.intern(&label));
        let labels = labels.iter().map(str::to_owned).collect();
        let mut about = About { kind: KIND.to_owned(), labels, ..about };
        about.settings.insert(MAX_CHAIN.to_owned(), levels[0].grammar.max_chain().to_string());
        about.settings.insert(WORD_CLASSES.to_owned(), lexicon.classifier.text().to_owned());
        if levels.len() > 1 {
            about.settings.insert(NUM_FINER.to_owned(), (levels.len() - 1).to_string());
        }
        for (number, level) in levels.iter().enumerate() {
            for (name, grid) in GRIDS.iter().zip(grids(level)) {
                about.settings.insert(format!("{}{name}", prefix(number)), grid.top.to_string());
            }
        }
        let mut file = ModelFile::new(about);
        let names = [
            ("tags", symbols.tags()),
            ("phrases", symbols.phrases()),
            ("words", &lexicon.words),
            ("classes", &lexicon.classes),
        ];
        for (name, names) in names {
            file.insert(name, Array::U8(write_names(names)?));
        }
        let first_finer = self.splits().len() + 1 - levels.len();
        for (number, level) in levels.iter().enumerate() {
            let splits = number.checked_sub(1).map(|before| &self.splits()[first_finer + before]);
            let before = splits.map(|splits| Before { grammar: &levels[number - 1].grammar, splits });
            write_level(&mut file, &prefix(number), level, before)?;
        }
        file.insert("splits", Array::U16(self.splits().iter().flatten().flatten().copied().collect()));
        Ok(file)
    }

    /// The grammar of a model file.
    ///
    /// # Errors
    /// If it is of another kind, or its parts do not fit together.
    pub fn from_file(file: &ModelFile) -> Result<Self> {
        file.expect_kind(KIND, "train a grammar with `boughs train --method latent`")?;
        let symbols = Symbols::new(read_names(file.u8s("tags")?)?, read_names(file.u8s("phrases")?)?)?;
        let num_finer = match file.about().settings.get(NUM_FINER) {
            Some(_) => usize::from(setting::<u8>(file, NUM_FINER)?),
            None => 0,
        };
        let finest = file.u16s(&format!("{}sizes", prefix(num_finer)))?;
        let mut splits = read_splits(file.u16s("splits")?, finest)?;
        let first_finer = splits.len().checked_sub(num_finer);
        let first_finer = first_finer.ok_or_else(|| damaged("it has more grammars than splits"))?;
        let finer_splits = splits.split_off(first_finer);
        let base = read_level(file, "", &symbols, None)?;
        let mut model = Self::of_rounded(symbols, base, splits);
        for (number, splits) in (1..).zip(finer_splits) {
            if coarse_sizes(&splits) != model.finest().grammar.sizes() {
                return Err(damaged("its grammars are not split from each other"));
            }
            let before = Before { grammar: &model.finest().grammar, splits: &splits };
            let level = read_level(file, &prefix(number), model.symbols(), Some(before))?;
            model = model.with_rounded(level, splits);
        }
        Ok(model)
    }
}

/// The grammar that another was split from.
#[derive(Clone, Copy)]
struct Before<'b> {
    grammar: &'b Grammar,
    splits: &'b Splits,
}

impl Before<'_> {
    /// The codes that the numbers of a rule had before, for each choice of sub-symbols.
    fn codes(self, parent: Symbol, left: Symbol, right: Option<Symbol>, grid: Grid) -> Vec<u8> {
        let origins = |symbol: Symbol| &self.splits[symbol.index()][..];
        let (a, b, c) = (origins(parent), origins(left), right.map_or(&[0][..], origins));
        let (size, right_size) = (self.grammar.size(parent), right.map_or(1, |it| self.grammar.size(it)));
        let mut dense = vec![0.0; self.grammar.size(left) * right_size * size];
        if let Some(rule) = self.grammar.find(parent, left, right) {
            for ([b, c], values) in self.grammar.rows(rule) {
                let place = (usize::from(b) * right_size + usize::from(c)) * size;
                dense[place..place + size].copy_from_slice(values);
            }
        }
        let place =
            |b: u16, c: u16, a: u16| (usize::from(b) * right_size + usize::from(c)) * size + usize::from(a);
        let mut codes = Vec::with_capacity(a.len() * b.len() * c.len());
        for &b in b {
            for &c in c {
                codes.extend(a.iter().map(|&a| grid.code(dense[place(b, c, a)])));
            }
        }
        codes
    }
}

/// What the names of the arrays of a grammar begin with.
fn prefix(number: usize) -> String {
    if number == 0 { String::new() } else { format!("finer{number}_") }
}

fn grids(level: &Level) -> [Grid; 3] {
    let Lexicon { of_words, of_classes, .. } = &level.lexicon;
    [level.grammar.values(), of_words.values(), of_classes.values()].map(Grid::of)
}

fn write_level(file: &mut ModelFile, prefix: &str, level: &Level, before: Option<Before<'_>>) -> Result<()> {
    let (grammar, lexicon) = (&level.grammar, &level.lexicon);
    let [rules, words, classes] = grids(level);
    let mut put = |name: &str, array: Array| file.insert(&format!("{prefix}{name}"), array);
    put("sizes", Array::U16(grammar.sizes().to_vec()));
    let rule = |rule: &super::Rule| [rule.parent.0, rule.left.0, rule.right.map_or(NO_CHILD, |it| it.0)];
    put("rules", Array::U16(grammar.rules().iter().flat_map(rule).collect()));
    let mut codes = dense_codes(grammar, rules);
    if let Some(before) = before {
        let old = grammar.rules().iter().flat_map(|it| before.codes(it.parent, it.left, it.right, rules));
        codes.iter_mut().zip(old).for_each(|(code, old)| *code = code.wrapping_sub(old));
    }
    put(if before.is_some() { CHANGES } else { CODES }, Array::U8(deflate(&codes)?));
    let tables = [("word", &lexicon.of_words, words), ("class", &lexicon.of_classes, classes)];
    for (name, table, grid) in tables {
        put(&format!("{name}_tags"), Array::U16(table_tags(table)));
        let codes: Vec<u8> = table.values().iter().map(|&value| grid.code(value)).collect();
        put(&format!("{name}_codes"), Array::U8(deflate(&codes)?));
    }
    put("class_share", Array::F32(lexicon.class_share.clone()));
    put("weights", Array::F32(level.weights.clone()));
    Ok(())
}

fn read_level(
    file: &ModelFile,
    prefix: &str,
    symbols: &Symbols,
    before: Option<Before<'_>>,
) -> Result<Level> {
    let grammar = read_grammar(file, prefix, symbols, before)?;
    let lexicon = read_lexicon(file, prefix, symbols, &grammar)?;
    let weights = file.f32s(&format!("{prefix}weights"))?.to_vec();
    let is_sound = weights.iter().all(|weight| *weight >= 0.0 && weight.is_finite());
    if weights.len() != grammar.num_substates() || !is_sound {
        return Err(damaged("its weights are not those of its sub-symbols"));
    }
    Ok(Level { grammar, lexicon, weights })
}

/// A code for each choice of sub-symbols, whether there is a row for it or not.
fn dense_codes(grammar: &Grammar, grid: Grid) -> Vec<u8> {
    let mut codes = Vec::new();
    for (index, rule) in grammar.rules().iter().enumerate() {
        let (size, right) = (grammar.size(rule.parent), rule.right.map_or(1, |right| grammar.size(right)));
        let start = codes.len();
        codes.resize(start + grammar.size(rule.left) * right * size, 0);
        for ([b, c], values) in grammar.rows(index) {
            let place = start + (usize::from(b) * right + usize::from(c)) * size;
            codes[place..place + size]
                .iter_mut()
                .zip(values)
                .for_each(|(code, &value)| *code = grid.code(value));
        }
    }
    codes
}

fn table_tags(table: &ScoreTable) -> Vec<u16> {
    let of_word = |word: usize| {
        let tags = table.get(word).map(|(tag, _)| tag.0);
        std::iter::once(tags.len() as u16).chain(tags)
    };
    (0..table.len()).flat_map(of_word).collect()
}

/// The bytes, compressed.
pub(crate) fn deflate(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.map_err(|error| Error::io("compress the model", error))
}

/// The bytes, which must be as many.
pub(crate) fn inflate(bytes: &[u8], length: usize) -> Result<Vec<u8>> {
    let mut inflated = Vec::with_capacity(length);
    let read = DeflateDecoder::new(bytes).take(length as u64 + 1).read_to_end(&mut inflated);
    match read {
        Ok(read) if read == length => Ok(inflated),
        Ok(read) => Err(damaged(format_args!("at least {read} numbers where {length} belong"))),
        Err(error) => Err(damaged(error)),
    }
}

fn setting<T: std::str::FromStr>(file: &ModelFile, name: &str) -> Result<T> {
    let found = file.about().settings.get(name).and_then(|text| text.parse().ok());
    found.ok_or_else(|| damaged(format_args!("there is no sound setting `{name}`")))
}

fn grid(file: &ModelFile, prefix: &str, index: usize) -> Result<Grid> {
    let top: i16 = setting(file, &format!("{prefix}{}", GRIDS[index]))?;
    Ok(Grid { top: top.into() })
}

fn read_grammar(
    file: &ModelFile,
    prefix: &str,
    symbols: &Symbols,
    before: Option<Before<'_>>,
) -> Result<Grammar> {
    let sizes = file.u16s(&format!("{prefix}sizes"))?.to_vec();
    let is_sound =
        sizes.len() == symbols.len() && sizes.iter().all(|size| (1..=MOST_SUBSTATES).contains(size));
    if !is_sound || sizes[symbols.root().index()] != 1 {
        return Err(damaged("its symbols have no sound numbers of sub-symbols"));
    }
    let (rules, rest) = file.u16s(&format!("{prefix}rules"))?.as_chunks::<3>();
    let is_symbol = |symbol: u16| usize::from(symbol) < sizes.len();
    let is_rule = |&[parent, left, right]: &[u16; 3]| {
        is_symbol(parent)
            && is_symbol(left)
            && (is_symbol(right) || right == NO_CHILD)
            && !symbols.is_tag(Symbol(parent))
    };
    if !rest.is_empty() || !rules.iter().all(is_rule) {
        return Err(damaged("its rules have symbols that it does not have"));
    }
    let size = |symbol: u16| if symbol == NO_CHILD { 1 } else { usize::from(sizes[usize::from(symbol)]) };
    let length = |&[parent, left, right]: &[u16; 3]| size(left) * size(right) * size(parent);
    let total = rules.iter().map(length).try_fold(0usize, usize::checked_add);
    let total = total.filter(|total| *total <= MOST_NUMBERS);
    let total = total.ok_or_else(|| damaged("its rules have too many numbers"))?;
    let changes = format!("{prefix}{CHANGES}");
    // Files of earlier versions have the codes of all grammars.
    let before = before.filter(|_| file.names().any(|name| name == changes));
    let name = if before.is_some() { changes } else { format!("{prefix}{CODES}") };
    let codes = inflate(file.u8s(&name)?, total)?;
    let is_split = |before: &Before<'_>| {
        sizes.iter().zip(before.splits).all(|(&size, it)| it.len() == usize::from(size))
    };
    if before.is_some_and(|before| !is_split(&before)) {
        return Err(damaged("its grammars are not split from each other"));
    }
    let key = |&[parent, left, right]: &[u16; 3]| (right == NO_CHILD, left, right, parent);
    if !rules.is_sorted_by(|a, b| key(a) < key(b)) {
        return Err(damaged("its rules are not in order"));
    }
    let max_chain: u8 = setting(file, MAX_CHAIN)?;
    let mut grammar = Grammar::without_rules(sizes.clone(), usize::from(max_chain.min(16)));
    let grid = grid(file, prefix, 0)?;
    let table = grid.table();
    let mut rest = codes;
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    for rule @ &[parent, left, right] in rules {
        let others = rest.split_off(length(rule));
        let mut codes = std::mem::replace(&mut rest, others);
        if let Some(before) = before {
            let right = (right != NO_CHILD).then_some(Symbol(right));
            let old = before.codes(Symbol(parent), Symbol(left), right, grid);
            codes.iter_mut().zip(old).for_each(|(code, old)| *code = code.wrapping_add(old));
        }
        rows.clear();
        values.clear();
        for (place, codes) in codes.chunks_exact(size(parent)).enumerate() {
            if codes.iter().any(|&code| code != 0) {
                rows.push([(place / size(right)) as u16, (place % size(right)) as u16]);
                values.extend(codes.iter().map(|&code| table[usize::from(code)]));
            }
        }
        let right = (right != NO_CHILD).then_some(Symbol(right));
        grammar.push(Symbol(parent), Symbol(left), right, &rows, &values);
    }
    Ok(grammar)
}

fn read_lexicon(file: &ModelFile, prefix: &str, symbols: &Symbols, grammar: &Grammar) -> Result<Lexicon> {
    let (words, classes) = (read_names(file.u8s("words")?)?, read_names(file.u8s("classes")?)?);
    let read = |name: &str, length: usize, index: usize| {
        read_table(file, &format!("{prefix}{name}"), length, grid(file, prefix, index)?, symbols, grammar)
    };
    let (of_words, of_classes) = (read("word", words.len(), 1)?, read("class", classes.len(), 2)?);
    let class_share = file.f32s(&format!("{prefix}class_share"))?.to_vec();
    let is_sound = class_share.iter().all(|share| (0.0..=1.0).contains(share));
    if class_share.len() != words.len() || !is_sound {
        return Err(damaged("its words have no sound shares of their classes"));
    }
    let classifier = WordClasses::parse(&setting::<String>(file, WORD_CLASSES)?)?;
    Ok(Lexicon { words: Arc::new(words), classes, classifier, class_share, of_words, of_classes })
}

fn read_table(
    file: &ModelFile,
    name: &str,
    num_words: usize,
    grid: Grid,
    symbols: &Symbols,
    grammar: &Grammar,
) -> Result<ScoreTable> {
    let wrong = || damaged(format_args!("its tags of each {name} are none"));
    let mut rest = file.u16s(&format!("{name}_tags"))?;
    let mut tags: Vec<&[u16]> = Vec::with_capacity(num_words);
    while let Some((&length, others)) = rest.split_first() {
        let (own, others) = others.split_at_checked(usize::from(length)).ok_or_else(wrong)?;
        tags.push(own);
        rest = others;
    }
    let is_tag = |&tag: &u16| symbols.is_tag(Symbol(tag));
    if tags.len() != num_words || !tags.iter().copied().flatten().all(is_tag) {
        return Err(wrong());
    }
    let size = |tag: u16| grammar.size(Symbol(tag));
    let length = tags.iter().copied().flatten().map(|&tag| size(tag)).sum();
    let codes = inflate(file.u8s(&format!("{name}_codes"))?, length)?;
    let numbers = grid.table();
    let values: Vec<f32> = codes.iter().map(|&code| numbers[usize::from(code)]).collect();
    let mut table = ScoreTable::new();
    let mut start = 0;
    for tags in tags {
        for &tag in tags {
            table.push_tag(Symbol(tag), &values[start..start + size(tag)]);
            start += size(tag);
        }
        table.end_word();
    }
    Ok(table)
}

/// The splits, found from the last to the first: how many sub-symbols there were before a split, the split tells.
///
/// # Errors
/// If they do not lead to so many sub-symbols of each symbol.
pub(crate) fn read_splits(mut rest: &[u16], sizes: &[u16]) -> Result<Vec<Splits>> {
    let mut sizes = sizes.to_vec();
    let mut splits = Vec::new();
    while !rest.is_empty() {
        let total = sizes.iter().map(|&size| usize::from(size)).sum::<usize>();
        let start = rest.len().checked_sub(total).ok_or_else(|| damaged("its splits are cut off"))?;
        let (others, last) = rest.split_at(start);
        let mut last = last;
        let split: Splits = sizes
            .iter()
            .map(|&size| {
                let (own, others) = last.split_at(usize::from(size));
                last = others;
                own.to_vec()
            })
            .collect();
        if !split.iter().all(|origins| is_onto(origins)) {
            return Err(damaged("its splits skip sub-symbols"));
        }
        sizes = split.iter().map(|origins| origins.iter().max().map_or(0, |&last| last + 1)).collect();
        splits.push(split);
        rest = others;
    }
    splits.reverse();
    Ok(splits)
}

/// Whether numbers begin at 0 and go up by at most one.
fn is_onto(origins: &[u16]) -> bool {
    let steps = origins.windows(2).all(|pair| pair[1].checked_sub(pair[0]).is_some_and(|step| step <= 1));
    origins.first() == Some(&0) && steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::grammar::Block;

    fn example() -> GrammarModel {
        let symbols =
            Symbols::new(["x"].into_iter().collect(), ["TOP", "A", "@A"].into_iter().collect()).unwrap();
        let block = |parent, left, right: Option<u16>, rows: Vec<[u16; 2]>, values| Block {
            parent: Symbol(parent),
            left: Symbol(left),
            right: right.map(Symbol),
            rows,
            values,
        };
        let blocks = vec![
            block(2, 0, Some(3), vec![[0, 0], [1, 0]], vec![0.5, 0.2, 0.0, 0.1]),
            block(1, 2, None, vec![[0, 0], [1, 0]], vec![0.9, 0.1]),
        ];
        let grammar = Grammar::new(vec![2, 1, 2, 1], blocks, 2);
        let mut of_words = ScoreTable::new();
        of_words.push([(Symbol(0), &[3.0, 0.0][..])]);
        of_words.push([]);
        let mut of_classes = ScoreTable::new();
        of_classes.push([(Symbol(0), &[1.0, 2.0][..])]);
        let lexicon = Lexicon {
            words: Arc::new(["go", "on"].into_iter().collect()),
            classes: ["UNK-"].into_iter().collect(),
            classifier: WordClasses::english(),
            class_share: vec![0.5, 0.25],
            of_words,
            of_classes,
        };
        let splits = vec![vec![vec![0, 0], vec![0], vec![0, 0], vec![0]]];
        GrammarModel::new(symbols, Level { grammar, lexicon, weights: vec![1.0; 6] }, splits)
    }

    #[test]
    fn grammars_come_back() {
        let bytes = example().to_file(About::new("")).unwrap().to_bytes().unwrap();
        let read = GrammarModel::from_file(&ModelFile::from_bytes(&bytes).unwrap()).unwrap();
        assert_eq!(read, example());
        assert_eq!(read.to_file(About::new("")).unwrap().to_bytes().unwrap(), bytes);
        assert_eq!(read.levels().len(), 2);
    }

    #[test]
    fn finer_grammars_come_back() {
        let base = example();
        let mut level = base.finest().clone();
        level.grammar.change_values(|values| values[0] = 7.0);
        let same: Splits = level.grammar.sizes().iter().map(|&size| (0..size).collect()).collect();
        let model = base.with_finer(level, same);
        let file = model.to_file(About::new("")).unwrap();
        let read = GrammarModel::from_file(&ModelFile::from_bytes(&file.to_bytes().unwrap()).unwrap());
        assert_eq!(read.unwrap(), model);
        assert_eq!((model.levels().len(), model.own_levels().len()), (3, 2));
        let changes = inflate(file.u8s("finer1_changes").unwrap(), 6).unwrap();
        assert_eq!(changes.iter().filter(|change| **change == 0).count(), 5, "{changes:?}");
        for (name, array) in [
            ("finer1_sizes", Array::U16(vec![2, 1, 1, 1])),
            ("finer1_weights", Array::F32(vec![1.0; 5])),
            ("finer1_changes", Array::U8(vec![1, 2, 3])),
            ("splits", Array::U16(Vec::new())),
        ] {
            let mut file = file.clone();
            file.insert(name, array);
            assert!(GrammarModel::from_file(&file).is_err(), "{name}");
        }
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let arrays = [
            ("sizes", Array::U16(vec![2, 2, 2, 1])),
            ("sizes", Array::U16(vec![2, 1, 0, 1])),
            ("rules", Array::U16(vec![2, 0, 9])),
            ("rules", Array::U16(vec![2, 0])),
            ("rules", Array::U16(vec![0, 0, 0])),
            ("codes", Array::U8(vec![1, 2, 3])),
            ("codes", Array::U8(deflate(&[1; 100]).unwrap())),
            ("word_tags", Array::U16(vec![5, 0])),
            ("word_tags", Array::U16(vec![1, 3, 0])),
            ("word_codes", Array::U8(deflate(&[]).unwrap())),
            ("class_share", Array::F32(vec![0.5, 2.0])),
            ("weights", Array::F32(vec![1.0; 5])),
            ("weights", Array::F32(vec![f32::NAN; 6])),
            ("splits", Array::U16(vec![0; 5])),
            ("splits", Array::U16(vec![1, 0, 0, 0, 0, 0])),
        ];
        for (name, array) in arrays {
            let mut file = example().to_file(About::new("")).unwrap();
            let text = format!("{name} {array:?}");
            file.insert(name, array);
            assert!(GrammarModel::from_file(&file).is_err(), "{text}");
        }
        let other = ModelFile::new(About::new("history"));
        assert!(
            GrammarModel::from_file(&other)
                .unwrap_err()
                .to_string()
                .contains("expected a model of kind `grammar`")
        );
    }
}
