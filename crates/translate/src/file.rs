//! Transducers in model files. All have the words of both languages (`source`, `target`), the candidates of each
//! source word (`candidates`: JSON lists of their numbers, 2³² − 1 for being left out), and how they are searched
//! (`search`: the largest ratio of costs, and the most items of a cell).
//!
//! Kind `transducer` also has the names of features and the arrays of boosted classifiers (`model/file/boosted.rs`):
//! two of orders, then one of each candidate. Kind `generative-transducer` has the names of labels, the backoff, and as
//! JSON the counts of words (three numbers and a count each) and of orders (five numbers, of which the third is 0, and
//! two counts each), sorted.

use rustc_hash::FxHashMap;

use super::generative::{DerivationCounts, Generative, OrderKey};
use super::lexicon::{BilingualLexicon, ERASED};
use super::search::SearchLimits;
use super::transducer::{Costs, NUM_ORDERS, Transducer};
use boughs::error::Result;
use boughs_learn::model::{
    About, Array, Classifier, DecisionTree, ModelFile, TreeNode, damaged, read_names, write_names,
};
use boughs_learn::run::Model;

/// The kinds of these files.
const DISCRIMINATIVE: &str = "transducer";
const GENERATIVE: &str = "generative-transducer";

/// What to do about a file that is of another kind, or too old.
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
        let words = 0..self.lexicon.num_words() as u32;
        file.insert_json("candidates", &words.map(|source| self.lexicon.of(source)).collect::<Vec<_>>())?;
        let SearchLimits { max_cost_ratio, max_items } = self.search;
        file.insert("search", Array::F64(vec![max_cost_ratio, max_items as f64]));
        match &self.costs {
            Costs::Classifiers(classifiers) => {
                file.insert("features", Array::U8(write_names(&classifiers.features)?));
                file.insert_classifiers(classifiers.forest.classifiers())?;
            }
            Costs::Generative(model) => {
                file.insert("labels", Array::U8(write_names(&model.labels)?));
                file.insert("backoff", Array::F64(vec![model.backoff]));
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
        let search = read_search(file)?;
        let lexicon = read_lexicon(file)?;
        let transducer = match is_generative {
            true => Self::new(file.about().clone(), lexicon, Costs::Generative(read_generative(file)?)),
            false => {
                let features = read_names(file.u8s("features")?)?;
                let classifiers =
                    file.classifiers_of(&vec![String::new(); lexicon.num_pairs() + NUM_ORDERS])?;
                check_features(&classifiers, features.len())?;
                Self::discriminative(file.about().clone(), lexicon, features, classifiers)?
            }
        };
        Ok(transducer.with_search(search))
    }

    fn about_mut(&mut self) -> &mut About {
        &mut self.about
    }
}

fn read_search(file: &ModelFile) -> Result<SearchLimits> {
    match *file.f64s("search").map_err(|error| error.hint(ANEW))? {
        [max_cost_ratio, max_items] if max_cost_ratio >= 1.0 && max_items >= 1.0 => {
            Ok(SearchLimits { max_cost_ratio, max_items: max_items as usize })
        }
        _ => Err(damaged("a search without sound limits")),
    }
}

fn read_lexicon(file: &ModelFile) -> Result<BilingualLexicon> {
    let candidates: Vec<Vec<u32>> = file.json("candidates")?;
    let mut lexicon = BilingualLexicon {
        source: read_names(file.u8s("source")?)?,
        target: read_names(file.u8s("target")?)?,
        starts: vec![0],
        candidates: candidates.concat(),
    };
    let is_known = |&target: &u32| target == ERASED || (target as usize) < lexicon.target.len();
    if !lexicon.candidates.iter().all(is_known) || candidates.iter().any(Vec::is_empty) {
        return Err(damaged("a word without candidates, or a candidate that is no word"));
    }
    if candidates.len() != lexicon.source.len() {
        return Err(damaged("as many lists of candidates as words expected, found others"));
    }
    let mut end = 0;
    lexicon.starts.extend(candidates.iter().map(|list| {
        end += list.len() as u32;
        end
    }));
    Ok(lexicon)
}

fn check_features(classifiers: &[Classifier], num_features: usize) -> Result<()> {
    let nodes = classifiers.iter().flat_map(|one| one.ensemble.trees()).flat_map(DecisionTree::nodes);
    for node in nodes {
        if let TreeNode::Split { feature, .. } = node
            && *feature as usize >= num_features
        {
            return Err(damaged("a feature without a name"));
        }
    }
    Ok(())
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
    let labels = read_names(file.u8s("labels")?)?;
    let backoff = file.f64s("backoff")?.first().copied().filter(|value| *value > 0.0 && value.is_finite());
    let backoff = backoff.ok_or_else(|| damaged("a backoff that is none"))?;
    Ok(Generative::new(labels, backoff, read_counts(file)?))
}

/// A phrase, and how often its parts had either order.
type OrderCount = (OrderKey, [f64; 2]);

pub(super) fn read_counts(file: &ModelFile) -> Result<DerivationCounts> {
    let (words, orders): (Vec<([u32; 3], f64)>, Vec<OrderCount>) = file.json("counts")?;
    let mut counts = words.iter().map(|&(_, count)| count).chain(orders.iter().flat_map(|&(_, both)| both));
    match counts.all(|count| count >= 0.0 && count.is_finite()) {
        true => {
            Ok(DerivationCounts { words: words.into_iter().collect(), orders: orders.into_iter().collect() })
        }
        false => Err(damaged("counts that are none")),
    }
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
        for transducer in [discriminative, generative, Transducer::most_frequent(&pairs).unwrap()] {
            let search = SearchLimits { max_cost_ratio: f64::INFINITY, max_items: 7 };
            let transducer = transducer.with_search(search);
            let bytes = transducer.to_file().unwrap().to_bytes().unwrap();
            let read = Transducer::from_file(&ModelFile::from_bytes(&bytes).unwrap()).unwrap();
            assert_eq!(read.search(), search);
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
        for search in [vec![], vec![1e3], vec![1e3, 0.0], vec![f64::NAN, 40.0], vec![1e3, f64::NAN]] {
            let mut file = transducer.to_file().unwrap();
            file.insert("search", Array::F64(search));
            assert!(Transducer::from_file(&file).is_err());
        }
    }
}
