//! Grammars in model files. Their arrays stand behind the prefix of the grammar:
//!
//! | array | type | content |
//! |---|---|---|
//! | `tags`, `phrases`, `words`, `classes` | u8 | names, each behind its length; the first phrase is the root |
//! | `sizes` | u16 | for each symbol how many substates it has |
//! | `rules` | u16 | for each rule parent, left and right child; 65535 for no right child |
//! | `codes` | u8 | for each rule, pair of substates of the children, and substate of the parent, the code of its number; deflated |
//! | `word_tags`, `class_tags` | u16 | for each word or class how many tags it has, and the tags |
//! | `word_codes`, `class_codes` | u8 | for each of them the codes of the scores of the tag's substates; deflated |
//! | `class_share` | f32 | for each word the share of its class |
//! | `weights` | f32 | how often each substate occurs |
//! | `splits` | u16 | for each split and substate what it was split from |
//!
//! Codes are those of `quantize.rs`. If finer grammars have numbers of their own, each has its own `sizes`, `rules`,
//! `codes`, `word_tags`, and so on, behind `finer1_`, `finer2_`, and so on; `splits` are those that lead to the
//! finest. Their `codes` are how much is to be added to the codes that the numbers of the grammar before would have,
//! modulo 256: what a penalty left as it was is zero, and next to nothing when deflated.

use std::io::{Read, Write};
use std::sync::Arc;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::{Deserialize, Serialize};

use super::levels::coarse_sizes;
use super::quantize::Grid;
use super::{Grammar, GrammarLexicon, GrammarModel, GrammarRule, Level, ScoreTable, Splits, Symbol, Symbols};
use crate::error::{Error, Result};
use crate::model::{Array, ModelFile, damaged, damaged_if, read_names, write_names};

const NO_CHILD: u16 = u16::MAX;

/// More substates of one symbol than any training makes; a bound for what a damaged file can ask for.
const MOST_SUBSTATES: u16 = 1024;

/// More numbers than any grammar has.
const MOST_NUMBERS: usize = 1 << 28;

/// What is to be known of a grammar beside its arrays.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct GrammarSettings {
    max_chain: u8,
    word_classes: String,
    /// For each grammar with numbers of its own, the coarsest first, the tops of the grids of rules, words and classes.
    grids: Vec<[i16; 3]>,
}

impl GrammarModel {
    /// Puts the arrays of the grammar into a file, behind a prefix.
    pub(crate) fn write(&self, file: &mut ModelFile, prefix: &str) -> Result<GrammarSettings> {
        let (symbols, levels) = (self.symbols(), self.own_levels());
        let lexicon = &levels[0].lexicon;
        let names = [
            ("tags", symbols.tags()),
            ("phrases", symbols.phrases()),
            ("words", &lexicon.words),
            ("classes", &lexicon.classes),
        ];
        for (name, names) in names {
            file.insert(&format!("{prefix}{name}"), Array::U8(write_names(names)?));
        }
        let first_finer = self.splits().len() + 1 - levels.len();
        for (number, level) in levels.iter().enumerate() {
            let splits = number.checked_sub(1).map(|before| &self.splits()[first_finer + before]);
            let before = splits.map(|splits| CoarserGrammar { grammar: &levels[number - 1].grammar, splits });
            write_level(file, &level_prefix(prefix, number), level, before)?;
        }
        let splits = self.splits().iter().flatten().flatten().copied().collect();
        file.insert(&format!("{prefix}splits"), Array::U16(splits));
        Ok(GrammarSettings {
            max_chain: levels[0].grammar.max_chain() as u8,
            word_classes: lexicon.classifier.text().to_owned(),
            grids: levels.iter().map(|level| grids(level).map(|grid| grid.top as i16)).collect(),
        })
    }

    /// The grammar whose arrays stand behind a prefix.
    ///
    /// # Errors
    /// If its parts do not fit together.
    pub(crate) fn read(file: &ModelFile, prefix: &str, settings: &GrammarSettings) -> Result<Self> {
        let names = |name: &str| read_names(file.u8s(&format!("{prefix}{name}"))?);
        let (symbols, words) = (Symbols::new(names("tags")?, names("phrases")?)?, Arc::new(names("words")?));
        let classifier = settings.word_classes.parse()?;
        let [coarsest, finer @ ..] = &settings.grids[..] else { return Err(damaged("it has no grammar")) };
        let reader = |number: usize, tops: &[i16; 3]| LevelReader {
            file,
            prefix: level_prefix(prefix, number),
            max_chain: settings.max_chain,
            grids: tops.map(|top| Grid { top: top.into() }),
        };
        let sizes = reader(finer.len(), coarsest).u16s("sizes")?;
        let mut splits = read_splits(file.u16s(&format!("{prefix}splits"))?, sizes)?;
        let first_finer = splits.len().checked_sub(finer.len());
        let first_finer = first_finer.ok_or_else(|| damaged("it has more grammars than splits"))?;
        let finer_splits = splits.split_off(first_finer);
        let lexicon = GrammarLexicon {
            words,
            classes: names("classes")?,
            classifier,
            class_share: Vec::new(),
            of_words: ScoreTable::new(),
            of_classes: ScoreTable::new(),
        };
        let base = reader(0, coarsest).level(&symbols, &lexicon, None)?;
        let mut model = Self::of_rounded(symbols, base, splits);
        for ((number, tops), splits) in (1..).zip(finer).zip(finer_splits) {
            if coarse_sizes(&splits) != model.finest().grammar.sizes() {
                return Err(damaged("its grammars are not split from each other"));
            }
            let before = CoarserGrammar { grammar: &model.finest().grammar, splits: &splits };
            let level = reader(number, tops).level(model.symbols(), &lexicon, Some(before))?;
            model = model.with_rounded(level, splits);
        }
        Ok(model)
    }
}

/// The grammar that another was split from.
#[derive(Clone, Copy)]
struct CoarserGrammar<'b> {
    grammar: &'b Grammar,
    splits: &'b Splits,
}

impl CoarserGrammar<'_> {
    /// The codes that the numbers of a rule had before, for each choice of substates.
    fn codes(self, parent: Symbol, left: Symbol, right: Option<Symbol>, grid: Grid) -> Vec<u8> {
        let origins = |symbol: Symbol| &self.splits[symbol.index()][..];
        let (a, b, c) = (origins(parent), origins(left), right.map_or(&[0][..], origins));
        let (size, right_size) = (self.grammar.size(parent), right.map_or(1, |it| self.grammar.size(it)));
        let dense = match self.grammar.find(parent, left, right) {
            Some(rule) => dense_codes(self.grammar, rule, grid),
            None => vec![0; self.grammar.size(left) * right_size * size],
        };
        let mut codes = Vec::with_capacity(a.len() * b.len() * c.len());
        for &b in b {
            for &c in c {
                let row = &dense[(usize::from(b) * right_size + usize::from(c)) * size..];
                codes.extend(a.iter().map(|&a| row[usize::from(a)]));
            }
        }
        codes
    }
}

/// What the names of the arrays of one of a grammar's levels begin with.
fn level_prefix(prefix: &str, number: usize) -> String {
    if number == 0 { prefix.to_owned() } else { format!("{prefix}finer{number}_") }
}

fn grids(level: &Level) -> [Grid; 3] {
    let GrammarLexicon { of_words, of_classes, .. } = &level.lexicon;
    [level.grammar.values(), of_words.values(), of_classes.values()].map(Grid::of)
}

fn write_level(
    file: &mut ModelFile,
    prefix: &str,
    level: &Level,
    before: Option<CoarserGrammar<'_>>,
) -> Result<()> {
    let (grammar, lexicon) = (&level.grammar, &level.lexicon);
    let [grid, words, classes] = grids(level);
    let mut put = |name: &str, array: Array| file.insert(&format!("{prefix}{name}"), array);
    put("sizes", Array::U16(grammar.sizes().to_vec()));
    let rule = |it: &GrammarRule| [it.parent.0, it.left.0, it.right.map_or(NO_CHILD, |right| right.0)];
    put("rules", Array::U16(grammar.rules().iter().flat_map(rule).collect()));
    let mut codes = Vec::new();
    for (index, rule) in grammar.rules().iter().enumerate() {
        let mut own = dense_codes(grammar, index, grid);
        if let Some(before) = before {
            let old = before.codes(rule.parent, rule.left, rule.right, grid);
            own.iter_mut().zip(old).for_each(|(code, old)| *code = code.wrapping_sub(old));
        }
        codes.append(&mut own);
    }
    put("codes", Array::U8(deflate(&codes)?));
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

/// The code of a rule's number for each choice of substates, whether there is a row for it or not.
fn dense_codes(grammar: &Grammar, rule: usize, grid: Grid) -> Vec<u8> {
    let GrammarRule { parent, left, right, .. } = *grammar.rule(rule);
    let (size, right_size) = (grammar.size(parent), right.map_or(1, |right| grammar.size(right)));
    let mut codes = vec![0; grammar.size(left) * right_size * size];
    for ([b, c], values) in grammar.rows(rule) {
        let place = (usize::from(b) * right_size + usize::from(c)) * size;
        codes[place..place + size].iter_mut().zip(values).for_each(|(code, &value)| *code = grid.code(value));
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

/// The arrays of one level.
struct LevelReader<'f> {
    file: &'f ModelFile,
    prefix: String,
    max_chain: u8,
    grids: [Grid; 3],
}

impl<'f> LevelReader<'f> {
    fn u8s(&self, name: &str) -> Result<&'f [u8]> {
        self.file.u8s(&format!("{}{name}", self.prefix))
    }

    fn u16s(&self, name: &str) -> Result<&'f [u16]> {
        self.file.u16s(&format!("{}{name}", self.prefix))
    }

    fn f32s(&self, name: &str) -> Result<Vec<f32>> {
        Ok(self.file.f32s(&format!("{}{name}", self.prefix))?.to_vec())
    }

    /// The level; `lexicon` has the words that all levels have in common.
    fn level(
        &self,
        symbols: &Symbols,
        lexicon: &GrammarLexicon,
        before: Option<CoarserGrammar<'_>>,
    ) -> Result<Level> {
        let grammar = self.grammar(symbols, before)?;
        let (num_words, num_classes) = (lexicon.words.len(), lexicon.classes.len());
        let lexicon = GrammarLexicon {
            class_share: self.f32s("class_share")?,
            of_words: self.table("word", num_words, self.grids[1], symbols, &grammar)?,
            of_classes: self.table("class", num_classes, self.grids[2], symbols, &grammar)?,
            ..lexicon.clone()
        };
        let are_shares = lexicon.class_share.iter().all(|share| (0.0..=1.0).contains(share));
        if lexicon.class_share.len() != num_words || !are_shares {
            return Err(damaged("its words have no sound shares of their classes"));
        }
        let weights = self.f32s("weights")?;
        let is_sound = weights.iter().all(|weight| *weight >= 0.0 && weight.is_finite());
        if weights.len() != grammar.num_substates() || !is_sound {
            return Err(damaged("its weights are not those of its substates"));
        }
        Ok(Level { grammar, lexicon, weights })
    }

    fn grammar(&self, symbols: &Symbols, before: Option<CoarserGrammar<'_>>) -> Result<Grammar> {
        let sizes = self.u16s("sizes")?.to_vec();
        let is_sound =
            sizes.len() == symbols.len() && sizes.iter().all(|size| (1..=MOST_SUBSTATES).contains(size));
        if !is_sound || sizes[symbols.root().index()] != 1 {
            return Err(damaged("its symbols have no sound numbers of substates"));
        }
        let rules = self.rules(symbols)?;
        let size = |symbol: u16| if symbol == NO_CHILD { 1 } else { usize::from(sizes[usize::from(symbol)]) };
        let length = |&[parent, left, right]: &[u16; 3]| size(left) * size(right) * size(parent);
        let total = rules.iter().map(length).try_fold(0usize, usize::checked_add);
        let total = total.filter(|total| *total <= MOST_NUMBERS);
        let total = total.ok_or_else(|| damaged("its rules have too many numbers"))?;
        let mut rest = inflate(self.u8s("codes")?, total)?;
        let is_split = |before: &CoarserGrammar<'_>| {
            sizes.iter().zip(before.splits).all(|(&size, it)| it.len() == usize::from(size))
        };
        if before.is_some_and(|before| !is_split(&before)) {
            return Err(damaged("its grammars are not split from each other"));
        }
        let mut grammar = Grammar::without_rules(sizes.clone(), usize::from(self.max_chain.min(16)));
        let table = self.grids[0].table();
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        for rule @ &[parent, left, right] in rules {
            let others = rest.split_off(length(rule));
            let mut codes = std::mem::replace(&mut rest, others);
            let (width, right) = (size(right), (right != NO_CHILD).then_some(Symbol(right)));
            if let Some(before) = before {
                let old = before.codes(Symbol(parent), Symbol(left), right, self.grids[0]);
                codes.iter_mut().zip(old).for_each(|(code, old)| *code = code.wrapping_add(old));
            }
            rows.clear();
            values.clear();
            for (place, codes) in codes.chunks_exact(size(parent)).enumerate() {
                if codes.iter().any(|&code| code != 0) {
                    rows.push([(place / width) as u16, (place % width) as u16]);
                    values.extend(codes.iter().map(|&code| table[usize::from(code)]));
                }
            }
            grammar.push(Symbol(parent), Symbol(left), right, &rows, &values);
        }
        Ok(grammar)
    }

    /// Parent, left and right child of each rule.
    fn rules(&self, symbols: &Symbols) -> Result<&'f [[u16; 3]]> {
        let (rules, rest) = self.u16s("rules")?.as_chunks::<3>();
        let is_symbol = |symbol: u16| usize::from(symbol) < symbols.len();
        let is_rule = |&[parent, left, right]: &[u16; 3]| {
            is_symbol(parent)
                && is_symbol(left)
                && (is_symbol(right) || right == NO_CHILD)
                && !symbols.is_tag(Symbol(parent))
        };
        if !rest.is_empty() || !rules.iter().all(is_rule) {
            return Err(damaged("its rules have symbols that it does not have"));
        }
        let key = |&[parent, left, right]: &[u16; 3]| (right == NO_CHILD, left, right, parent);
        damaged_if(!rules.is_sorted_by(|a, b| key(a) < key(b)), "its rules are not in order")?;
        Ok(rules)
    }

    fn table(
        &self,
        name: &str,
        num_words: usize,
        grid: Grid,
        symbols: &Symbols,
        grammar: &Grammar,
    ) -> Result<ScoreTable> {
        let wrong = || damaged(format_args!("its tags of each {name} are none"));
        let mut rest = self.u16s(&format!("{name}_tags"))?;
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
        let codes = inflate(self.u8s(&format!("{name}_codes"))?, length)?;
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
}

/// The splits, found from the last to the first: how many substates there were before a split, the split tells.
///
/// # Errors
/// If they do not lead to so many substates of each symbol.
pub(crate) fn read_splits(mut rest: &[u16], sizes: &[u16]) -> Result<Vec<Splits>> {
    let mut sizes = sizes.to_vec();
    let mut splits = Vec::new();
    while !rest.is_empty() {
        let total = sizes.iter().map(|&size| usize::from(size)).sum::<usize>();
        let start = rest.len().checked_sub(total).ok_or_else(|| damaged("its splits are cut off"))?;
        let (others, mut last) = rest.split_at(start);
        let mut next = |&size: &u16| {
            let (own, others) = last.split_at(usize::from(size));
            last = others;
            own.to_vec()
        };
        let split: Splits = sizes.iter().map(&mut next).collect();
        damaged_if(!split.iter().all(|origins| is_onto(origins)), "its splits skip substates")?;
        sizes = coarse_sizes(&split);
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
    use crate::model::About;
    use crate::model::WordClasses;
    use crate::model::grammar::RuleBlock;

    fn example() -> GrammarModel {
        let symbols =
            Symbols::new(["x"].into_iter().collect(), ["TOP", "A", "@A"].into_iter().collect()).unwrap();
        let block = |parent, left, right: Option<u16>, rows: Vec<[u16; 2]>, values| RuleBlock {
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
        let lexicon = GrammarLexicon {
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
        let changes = inflate(file.u8s("grammar1_finer1_codes").unwrap(), 6).unwrap();
        assert_eq!(changes.iter().filter(|change| **change == 0).count(), 5, "{changes:?}");
        for (name, array) in [
            ("grammar1_finer1_sizes", Array::U16(vec![2, 1, 1, 1])),
            ("grammar1_finer1_weights", Array::F32(vec![1.0; 5])),
            ("grammar1_finer1_codes", Array::U8(vec![1, 2, 3])),
            ("grammar1_splits", Array::U16(Vec::new())),
        ] {
            let mut file = file.clone();
            file.insert(name, array);
            assert!(GrammarModel::from_file(&file).is_err(), "{name}");
        }
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let arrays = [
            ("grammar1_sizes", Array::U16(vec![2, 2, 2, 1])),
            ("grammar1_sizes", Array::U16(vec![2, 1, 0, 1])),
            ("grammar1_rules", Array::U16(vec![2, 0, 9])),
            ("grammar1_rules", Array::U16(vec![2, 0])),
            ("grammar1_rules", Array::U16(vec![0, 0, 0])),
            ("grammar1_codes", Array::U8(vec![1, 2, 3])),
            ("grammar1_codes", Array::U8(deflate(&[1; 100]).unwrap())),
            ("grammar1_word_tags", Array::U16(vec![5, 0])),
            ("grammar1_word_tags", Array::U16(vec![1, 3, 0])),
            ("grammar1_word_codes", Array::U8(deflate(&[]).unwrap())),
            ("grammar1_class_share", Array::F32(vec![0.5, 2.0])),
            ("grammar1_weights", Array::F32(vec![1.0; 5])),
            ("grammar1_weights", Array::F32(vec![f32::NAN; 6])),
            ("grammar1_splits", Array::U16(vec![0; 5])),
            ("grammar1_splits", Array::U16(vec![1, 0, 0, 0, 0, 0])),
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
                .contains("expected a model of kind `chart`")
        );
    }
}
