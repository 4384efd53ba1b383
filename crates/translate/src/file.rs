//! Transducers in model files. All have the words of both languages (`source`, `target`), the candidates of each
//! source word (`candidates`: JSON lists of their numbers, 2³² − 1 for being left out), and how they are searched
//! (`search`).
//!
//! Kind `transducer` also has the names of features and boosted classifiers (`model/file/boosted.rs`):
//! two of orders, then one of each candidate. Kind `generative-transducer` has the names of labels, the backoff, and as
//! JSON the counts of words (three numbers and a count each) and of orders (five numbers, of which the third is 0, and
//! two counts each), sorted.

use rustc_hash::FxHashMap;

use super::generative::{DerivationCounts, Generative, OrderKey};
use super::lexicon::{BilingualLexicon, ERASED};
use super::search::SearchLimits;
use super::transducer::{Costs, NUM_ORDERS, Transducer};
use crate::align::IdRows;
use boughs::error::Result;
use boughs_learn::model::{About, Array, ModelFile, damaged_if, read_names, write_names};
use boughs_learn::run::Model;

/// The kinds of these files.
const DISCRIMINATIVE: &str = "transducer";
const GENERATIVE: &str = "generative-transducer";

/// What to do about a file that is of another kind.
const ANEW: &str = "train one with `boughs translate train`";

impl Model for Transducer {
    fn to_file(&self) -> Result<ModelFile> {
        let kind = match self.costs {
            Costs::Classifiers(_) => DISCRIMINATIVE,
            Costs::Generative(_) => GENERATIVE,
        };
        let mut file = ModelFile::new(About { kind: kind.to_owned(), ..self.about.clone() });
        file.insert("source", Array::U8(write_names(&self.lexicon.source)?));
        file.insert("target", Array::U8(write_names(&self.lexicon.target)?));
        file.insert_json("candidates", &self.lexicon.candidates.iter().collect::<Vec<_>>())?;
        file.insert_state("search", &self.search)?;
        match &self.costs {
            Costs::Classifiers(classifiers) => {
                file.insert("features", Array::U8(write_names(&classifiers.features)?));
                file.insert_classifiers(classifiers.forest.classifiers())?;
            }
            Costs::Generative(model) => {
                file.insert("labels", Array::U8(write_names(&model.labels)?));
                file.insert_state("backoff", &model.backoff)?;
                insert_counts(&mut file, &model.counts)?;
            }
        }
        Ok(file)
    }

    fn from_file(file: &ModelFile) -> Result<Self> {
        let is_generative = file.about().kind == GENERATIVE;
        if !is_generative {
            file.expect_kind(DISCRIMINATIVE, ANEW)?;
        }
        let search: SearchLimits = file.state("search")?;
        let has_limits = search.max_cost_ratio >= 1.0 && search.max_items >= 1;
        damaged_if(!has_limits, "a search without sound limits")?;
        let lexicon = read_lexicon(file)?;
        let costs = match is_generative {
            true => Costs::Generative(read_generative(file)?),
            false => {
                let features = read_names(file.u8s("features")?)?;
                let labels = vec![String::new(); lexicon.num_pairs() + NUM_ORDERS];
                let classifiers = file.classifiers_of(&labels, features.len())?;
                Costs::classifiers(features, classifiers)?
            }
        };
        Ok(Self { about: file.about().clone(), lexicon, costs, search })
    }

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }
}

fn read_lexicon(file: &ModelFile) -> Result<BilingualLexicon> {
    let (source, target) = (read_names(file.u8s("source")?)?, read_names(file.u8s("target")?)?);
    let lists: Vec<Vec<u32>> = file.json("candidates")?;
    let is_known = |&word: &u32| word == ERASED || (word as usize) < target.len();
    let is_sound = |list: &Vec<u32>| !list.is_empty() && list.iter().all(is_known);
    let is_damaged = lists.len() != source.len() || !lists.iter().all(is_sound);
    damaged_if(is_damaged, "a word without candidates, or a candidate that is no word")?;
    let mut candidates = IdRows::default();
    lists.into_iter().for_each(|list| candidates.push(list));
    Ok(BilingualLexicon { source, target, candidates })
}

pub(super) fn insert_counts(file: &mut ModelFile, counts: &DerivationCounts) -> Result<()> {
    file.insert_json("counts", &(sorted(&counts.words), sorted(&counts.orders)))
}

fn sorted<K: Copy + Ord, V: Copy>(counts: &FxHashMap<K, V>) -> Vec<(K, V)> {
    let mut sorted: Vec<(K, V)> = counts.iter().map(|(&key, &count)| (key, count)).collect();
    sorted.sort_unstable_by_key(|&(key, _)| key);
    sorted
}

fn read_generative(file: &ModelFile) -> Result<Generative> {
    let (labels, backoff): (_, f64) = (read_names(file.u8s("labels")?)?, file.state("backoff")?);
    let is_sound = backoff > 0.0 && backoff.is_finite();
    damaged_if(!is_sound, "a backoff that is none")?;
    Ok(Generative::new(labels, backoff, read_counts(file)?))
}

/// A phrase, and how often its parts had either order.
type OrderCount = (OrderKey, [f64; 2]);

pub(super) fn read_counts(file: &ModelFile) -> Result<DerivationCounts> {
    let (words, orders): (Vec<([u32; 3], f64)>, Vec<OrderCount>) = file.json("counts")?;
    let mut counts = words.iter().map(|&(_, count)| count).chain(orders.iter().flat_map(|&(_, both)| both));
    damaged_if(!counts.all(|count| count >= 0.0 && count.is_finite()), "counts that are none")?;
    Ok(DerivationCounts { words: words.into_iter().collect(), orders: orders.into_iter().collect() })
}

#[cfg(test)]
mod tests {
    use super::super::examples::tests::pair;
    use super::super::generative::GenerativeConfig;
    use super::*;
    use crate::discriminative::DiscriminativeConfig;
    use crate::testing::train;

    #[test]
    fn transducers_come_back_byte_for_byte() {
        let mut pairs = vec![pair("(NP (JJ b) (NN a))", "x y", "0-1 1-0"); 5];
        pairs.extend(vec![pair("(NP (NN b) (NN a))", "z x", "0-0 1-1"); 5]);
        let discriminative = train(&DiscriminativeConfig::default(), &pairs[..], Some(&pairs)).model;
        let generative = train(&GenerativeConfig::default(), &pairs[..], None).model;
        for mut transducer in [discriminative, generative, Transducer::most_frequent(&pairs).unwrap()] {
            let search = SearchLimits { max_cost_ratio: f64::INFINITY, max_items: 7 };
            transducer.search = search;
            let bytes = transducer.to_file().unwrap().to_bytes().unwrap();
            let read = Transducer::from_file(&ModelFile::from_bytes(&bytes).unwrap()).unwrap();
            assert_eq!(read.search, search);
            assert_eq!(read.to_file().unwrap().to_bytes().unwrap(), bytes);
        }
    }

    #[test]
    fn other_kinds_and_bad_numbers_are_refused() {
        let error = Transducer::from_file(&ModelFile::new(About::new("tagger"))).unwrap_err();
        assert!(error.to_string().contains("boughs translate train"), "{error}");
        let transducer = Transducer::most_frequent(&[pair("(X (A a))", "x", "0-0")]).unwrap();
        for candidates in [vec![Vec::<u32>::new()], vec![vec![5]], vec![], vec![vec![0], vec![0]]] {
            let mut file = transducer.to_file().unwrap();
            file.insert_json("candidates", &candidates).unwrap();
            assert!(Transducer::from_file(&file).is_err());
        }
        for (max_cost_ratio, max_items) in [(1e3, 0), (f64::NAN, 40), (0.5, 40), (f64::NEG_INFINITY, 40)] {
            let mut file = transducer.to_file().unwrap();
            file.insert_state("search", &SearchLimits { max_cost_ratio, max_items }).unwrap();
            assert!(Transducer::from_file(&file).is_err());
        }
        for search in [vec![], vec![0; 8], vec![0; 10]] {
            let mut file = transducer.to_file().unwrap();
            file.insert("search", Array::U8(search));
            assert!(Transducer::from_file(&file).is_err());
        }
    }
}
