//! Model files: what is saved comes back, and no bytes whatever make the reader fail in a worse way than an error.

use boughs_learn::model::{About, Array, Classifier, DecisionTree, Ensemble, Forest, ModelFile, TreeNode};
use boughs_learn::rng::Rng;
use proptest::prelude::*;

fn chain(rng: &mut Rng, num_splits: u32) -> DecisionTree {
    let mut nodes = Vec::new();
    for _ in 0..num_splits {
        let present = nodes.len() as u32 + 1;
        nodes.push(TreeNode::Split { feature: rng.below(1000) as u32, present, absent: present + 1 });
        nodes.push(TreeNode::Leaf { confidence: rng.unit() });
    }
    nodes.push(TreeNode::Leaf { confidence: -rng.unit() });
    DecisionTree::new(nodes)
}

fn classifiers(seed: u64) -> Vec<Classifier> {
    let mut rng = Rng::new(seed);
    let mut classifier = |number: u64| {
        let mut ensemble = Ensemble::new();
        for tree in 0..rng.below(6) {
            let num_splits = rng.below(8) as u32;
            ensemble.push(chain(&mut rng, num_splits), 9.0 - tree as f64);
        }
        Classifier { label: format!("label {number}"), ensemble }
    };
    (0..seed % 4).map(&mut classifier).collect()
}

fn model(seed: u64) -> ModelFile {
    let mut about = About::new("");
    about.name = "étude".to_owned();
    about.seed = u64::MAX - seed;
    about.settings.insert("lambda".to_owned(), "0.25".to_owned());
    ModelFile::from_classifiers(about, &classifiers(seed)).expect("classifiers of one kind")
}

/// Reads as a program would; what matters is that this returns.
fn read_all(bytes: &[u8]) -> Option<Forest> {
    Forest::new(ModelFile::from_bytes(bytes).ok()?.classifiers().ok()?).ok()
}

#[test]
fn classifiers_come_back_and_give_the_same_bytes() {
    for seed in 0..40 {
        let bytes = model(seed).to_bytes().unwrap();
        let read = ModelFile::from_bytes(&bytes).unwrap();
        assert_eq!(read.about(), model(seed).about());
        let again = read.classifiers().unwrap();
        assert_eq!(again, classifiers(seed));
        let resaved = ModelFile::from_classifiers(read.about().clone(), &again).unwrap();
        assert_eq!(resaved.to_bytes().unwrap(), bytes);
    }
}

#[test]
fn arrays_that_make_no_trees_are_refused() {
    let replace = |name: &str, array: Array| {
        let mut file = model(7);
        file.insert(name, array);
        file.classifiers().unwrap_err().to_string()
    };
    assert!(replace("trees", Array::U32(vec![u32::MAX; 3])).contains("too short"));
    assert!(replace("trees", Array::U32(vec![0; 3])).contains("more than its trees need"));
    assert!(replace("trees", Array::U32(vec![1])).contains("3 labels, 1 classifiers"));
    assert!(replace("splits", Array::U32(vec![0; 4])).contains("triples"));
    assert!(replace("leaves", Array::F32(vec![])).contains("should be of type F64 and is of F32"));
    assert!(replace("is_split", Array::U8(vec![2; 1000])).contains("holds 0 and 1"));
    let num_trees = model(7).f64s("penalties").unwrap().len();
    assert!(num_trees > 1, "the example has trees");
    assert!(replace("penalties", Array::F64(vec![f64::NAN; num_trees])).contains("rise"));
    assert!(ModelFile::new(About::new("linear")).classifiers().unwrap_err().to_string().contains("`linear`"));
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(read_all(&bytes).is_none());
    }

    #[test]
    fn arbitrary_headers_are_refused(header in r#"\{("[a-z_]{1,3}":(\{"(dtype|shape)":[0-9]{1,3}\}|[0-9]|"x"),?){0,4}\}"#) {
        let bytes = [&(header.len() as u64).to_le_bytes(), header.as_bytes()].concat();
        prop_assert!(read_all(&bytes).is_none());
    }

    #[test]
    fn damaged_files_are_refused_or_unharmed(
        seed in 0u64..8,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = model(seed).to_bytes().unwrap();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        bytes.truncate(cut.map_or(bytes.len(), |cut| cut.index(bytes.len())));
        if let Some(forest) = read_all(&bytes) {
            prop_assert_eq!(forest.classifiers().len(), classifiers(seed).len());
        }
    }

    /// The checksum is right, the indices are not.
    #[test]
    fn arbitrary_indices_are_refused_or_make_trees(
        splits in proptest::collection::vec(0u32..6, 0..12),
        is_split in proptest::collection::vec(0u8..2, 0..9),
        nodes in proptest::collection::vec(0u32..6, 0..4),
    ) {
        let mut file = model(1);
        file.insert("trees", Array::U32(vec![nodes.len() as u32]));
        file.insert("penalties", Array::F64(vec![1.0; nodes.len()]));
        file.insert("leaves", Array::F64(vec![0.5; is_split.iter().filter(|&&kind| kind == 0).count()]));
        file.insert("splits", Array::U32(splits));
        file.insert("is_split", Array::U8(is_split));
        file.insert("nodes", Array::U32(nodes));
        if let Some(forest) = read_all(&file.to_bytes().unwrap()) {
            let scores = forest.score(&[0, 2, 4], &mut forest.scratch()).to_vec();
            let expected = forest.classifiers()[0].ensemble.score(|feature| feature % 2 == 0);
            prop_assert_eq!(scores, [expected]);
        }
    }
}
