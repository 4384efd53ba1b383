//! Taggers in model files (kind `tagger`):
//!
//! | array | type | an entry for each | content |
//! |---|---|---|---|
//! | `parameters` | u32 | five | template set (0 Ratnaparkhi, 1 extended), beam, thresholds: rare, dictionary, class |
//! | `word_text` | u8 | byte | the words, one after the other, in the order of their bytes |
//! | `word_ends` | u32 | word | where it ends in `word_text` |
//! | `word_tags` | u16 | word | how many tags it was seen with |
//! | `count_tags` | u16 | word and tag | the tag |
//! | `counts` | u32 | word and tag | how often the word had the tag, not 0 |
//! | `features` | u64 | feature | its name; they rise |
//! | `feature_weights` | u16 | feature | how many weights it has, not 0 |
//! | `weight_tags` | u16 | weight | the tag; they rise within a feature |
//! | `weights` | i16 | weight | the weight in units of `scale`, not 0 |
//! | `scale` | f32 | one | the unit of weights |
//!
//! Tags are numbers of labels.

use super::config::{MAX_BEAM, TemplateSet, Thresholds};
use super::lexicon::{TagCounts, TagLexicon};
use super::weights::TaggerWeights;
use super::{TagId, Tagger};
use crate::error::{Error, ErrorKind, Result};
use crate::learn::names::name_of;
use crate::model::{About, Array, ModelFile, damaged, damaged_if};

const KIND: &str = "tagger";

impl Tagger {
    /// The model file of this tagger; the kind of `about`, its labels and the setting `templates` are filled in.
    ///
    /// # Errors
    /// If there are 4 GiB of words or more.
    pub fn to_file(&self, about: About) -> Result<ModelFile> {
        let mut about = About { kind: KIND.to_owned(), labels: self.tags.clone(), ..about };
        about.settings.insert("templates".to_owned(), name_of(&self.templates));
        let mut file = ModelFile::new(about);
        file.insert("parameters", Array::U32(self.parameters().to_vec()));
        self.put_lexicon(&mut file)?;
        self.put_weights(&mut file);
        Ok(file)
    }

    fn parameters(&self) -> [u32; 5] {
        let templates = match self.templates {
            TemplateSet::Ratnaparkhi => 0,
            TemplateSet::Extended => 1,
        };
        let Thresholds { rare, dictionary, class } = self.lexicon.thresholds;
        [templates, self.beam as u32, rare, dictionary, class]
    }

    fn put_lexicon(&self, file: &mut ModelFile) -> Result<()> {
        let (mut text, mut ends) = (Vec::new(), Vec::new());
        let (mut lengths, mut tags, mut counts) = (Vec::new(), Vec::new(), Vec::new());
        for (word, entry) in self.lexicon.words() {
            text.extend_from_slice(word.as_bytes());
            let end = u32::try_from(text.len());
            ends.push(end.map_err(|_| Error::new(ErrorKind::TooLarge, "the lexicon exceeds 4 GiB"))?);
            lengths.push(entry.counts.len() as u16);
            tags.extend(entry.counts.iter().map(|(tag, _)| tag.0));
            counts.extend(entry.counts.iter().map(|&(_, count)| count));
        }
        file.insert("word_text", Array::U8(text));
        file.insert("word_ends", Array::U32(ends));
        file.insert("word_tags", Array::U16(lengths));
        file.insert("count_tags", Array::U16(tags));
        file.insert("counts", Array::U32(counts));
        Ok(())
    }

    fn put_weights(&self, file: &mut ModelFile) {
        let features = self.weights.sorted();
        let weights = || features.iter().flat_map(|(_, list)| *list);
        file.insert("features", Array::U64(features.iter().map(|(key, _)| *key).collect()));
        file.insert(
            "feature_weights",
            Array::U16(features.iter().map(|(_, list)| list.len() as u16).collect()),
        );
        file.insert("weight_tags", Array::U16(weights().map(|(tag, _)| tag.0).collect()));
        file.insert("weights", Array::I16(weights().map(|&(_, weight)| weight).collect()));
        file.insert("scale", Array::F32(vec![self.weights.scale]));
    }

    /// The tagger of a model file.
    ///
    /// # Errors
    /// If the file is of another kind, or its arrays make no tagger.
    pub fn from_file(file: &ModelFile) -> Result<Self> {
        let about = file.about();
        file.expect_kind(KIND, "train one with `boughs train tagger`")?;
        let num_tags = about.labels.len();
        damaged_if(num_tags == 0 || num_tags > TagId::MAX_TAGS, format_args!("it has {num_tags} tags"))?;
        let (templates, beam, thresholds) = read_parameters(file)?;
        let lexicon = read_lexicon(file, num_tags, thresholds)?;
        let weights = read_weights(file, num_tags)?;
        Ok(Self::new(about.labels.clone(), templates, beam, lexicon, weights))
    }
}

fn read_parameters(file: &ModelFile) -> Result<(TemplateSet, usize, Thresholds)> {
    let &[templates, beam, rare, dictionary, class] = file.u32s("parameters")? else {
        return Err(damaged("array `parameters` does not hold five numbers"));
    };
    let templates = match templates {
        0 => TemplateSet::Ratnaparkhi,
        1 => TemplateSet::Extended,
        other => return Err(damaged(format_args!("there is no template set {other}"))),
    };
    if !(1..=MAX_BEAM).contains(&beam) || [rare, dictionary, class].contains(&0) {
        return Err(damaged("array `parameters` is out of range"));
    }
    Ok((templates, beam as usize, Thresholds { rare, dictionary, class }))
}

fn read_lexicon(file: &ModelFile, num_tags: usize, thresholds: Thresholds) -> Result<TagLexicon> {
    let (ends, lengths) = (file.u32s("word_ends")?, file.u16s("word_tags")?);
    let (tags, counts) = (read_tags(file, "count_tags", num_tags)?, file.u32s("counts")?);
    let text = str::from_utf8(file.u8s("word_text")?).map_err(damaged)?;
    if ends.last().is_some_and(|&end| end as usize != text.len()) || (ends.is_empty() && !text.is_empty()) {
        return Err(damaged("array `word_ends` does not end with the words"));
    }
    let lists = cut(ends.len(), lengths, tags.len(), "word_tags")?;
    damaged_if(counts.len() != tags.len() || counts.contains(&0), "array `counts` does not fit its tags")?;
    let mut words: Vec<(Box<str>, TagCounts)> = Vec::with_capacity(ends.len());
    let mut start = 0;
    for (&end, range) in ends.iter().zip(lists) {
        let word = text.get(start..end as usize).ok_or_else(|| damaged("a word has no place"))?;
        damaged_if(words.last().is_some_and(|(last, _)| &**last >= word), "its words are out of order")?;
        let list: TagCounts =
            tags[range.clone()].iter().copied().zip(counts[range].iter().copied()).collect();
        if (1..list.len()).any(|i| list[..i].iter().any(|(tag, _)| *tag == list[i].0)) {
            return Err(damaged(format_args!("the word `{word}` has a tag twice")));
        }
        words.push((word.into(), list));
        start = end as usize;
    }
    Ok(TagLexicon::new(words, thresholds))
}

fn read_weights(file: &ModelFile, num_tags: usize) -> Result<TaggerWeights> {
    let (keys, lengths) = (file.u64s("features")?, file.u16s("feature_weights")?);
    let (tags, numbers) = (read_tags(file, "weight_tags", num_tags)?, file.i16s("weights")?);
    let &[scale] = file.f32s("scale")? else {
        return Err(damaged("array `scale` is not one number"));
    };
    damaged_if(!scale.is_finite() || scale <= 0.0, format_args!("the unit of weights is {scale}"))?;
    damaged_if(!keys.is_sorted_by(|a, b| a < b), "its features are out of order")?;
    damaged_if(numbers.len() != tags.len() || numbers.contains(&0), "array `weights` does not fit its tags")?;
    let lists = cut(keys.len(), lengths, tags.len(), "feature_weights")?;
    if !lists.iter().all(|range| tags[range.clone()].is_sorted_by(|a, b| a < b)) {
        return Err(damaged("array `weight_tags` is out of order"));
    }
    let weights = tags.into_iter().zip(numbers.iter().copied()).collect();
    TaggerWeights::new(keys, lists.iter().map(ExactSizeIterator::len), weights, scale)
}

fn read_tags(file: &ModelFile, name: &str, num_tags: usize) -> Result<Vec<TagId>> {
    let tags = file.u16s(name)?;
    match tags.iter().find(|&&tag| usize::from(tag) >= num_tags) {
        None => Ok(tags.iter().map(|&tag| TagId(tag)).collect()),
        Some(tag) => Err(damaged(format_args!("array `{name}` names tag {tag} of {num_tags}"))),
    }
}

/// The ranges of lists of these lengths, one after the other, which must be as many as expected, not empty, and fill
/// the whole.
fn cut(num_lists: usize, lengths: &[u16], total: usize, name: &str) -> Result<Vec<std::ops::Range<usize>>> {
    let mut ranges = Vec::with_capacity(lengths.len());
    let mut start = 0;
    for &length in lengths {
        ranges.push(start..start + usize::from(length));
        start += usize::from(length);
    }
    match lengths.len() == num_lists && start == total && !lengths.contains(&0) {
        true => Ok(ranges),
        false => Err(damaged(format_args!("array `{name}` does not fit the lists it cuts"))),
    }
}
