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

/// What the trees of a file look like to the format: nodes, and the penalty of each tree.
type Trees = Vec<(Vec<TreeNode>, f64)>;

/// A file of one classifier that consists of these.
fn file_of(trees: &Trees) -> ModelFile {
    let mut file = model(1);
    file.insert_state("ensembles", &vec![trees]).expect("a state");
    file
}

#[test]
fn nodes_that_make_no_trees_are_refused() {
    let leaf = |confidence| TreeNode::Leaf { confidence };
    let split = |present, absent| TreeNode::Split { feature: 3, present, absent };
    let good = (vec![split(1, 2), leaf(0.5), leaf(-0.5)], 2.0);
    file_of(&vec![good.clone(), good.clone()]).classifiers().unwrap();
    let bad = [
        vec![(vec![], 1.0)],
        vec![(vec![leaf(f64::NAN)], 1.0)],
        vec![(vec![leaf(f64::INFINITY)], 1.0)],
        vec![(vec![split(1, 2), leaf(0.5)], 1.0)],
        vec![(vec![split(1, 1), leaf(0.5)], 1.0)],
        vec![(vec![split(0, 1), leaf(0.5)], 1.0)],
        vec![(vec![leaf(0.5), leaf(0.5)], 1.0)],
        vec![good.clone(), (vec![leaf(0.5)], 3.0)],
        vec![good.clone(), (vec![leaf(0.5)], f64::NAN)],
    ];
    for trees in bad {
        let error = file_of(&trees).classifiers().unwrap_err().to_string();
        assert!(error.contains("damaged") && error.contains("`ensembles`"), "{trees:?}: {error}");
    }
}

#[test]
fn bytes_that_are_no_classifiers_are_refused() {
    let replace = |array: Array| {
        let mut file = model(7);
        file.insert("ensembles", array);
        file.classifiers().unwrap_err().to_string()
    };
    let bytes = model(7).u8s("ensembles").unwrap().to_vec();
    assert!(bytes.len() > 100, "the example has trees");
    for end in 0..bytes.len() {
        assert!(replace(Array::U8(bytes[..end].to_vec())).contains("damaged"));
    }
    assert!(replace(Array::U8([&bytes[..], &[0]].concat())).contains("1 bytes too many"));
    assert!(replace(Array::U8(vec![0])).contains("3 labels, 0 classifiers"));
    assert!(replace(Array::F32(vec![])).contains("should be of type U8 and is of F32"));
    assert!(ModelFile::new(About::new("linear")).classifiers().unwrap_err().to_string().contains("`linear`"));
    let labels = model(7).about().labels.clone();
    assert!(model(7).classifiers_of(&labels, 1000).is_ok());
    assert!(model(7).classifiers_of(&labels, 1).unwrap_err().to_string().contains(" of 1"));
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
        trees in proptest::collection::vec(
            proptest::collection::vec(proptest::option::of((0u32..6, 0u32..6, 0u32..6)), 0..6),
            0..4,
        ),
    ) {
        let node = |&split: &Option<(u32, u32, u32)>| match split {
            Some((feature, present, absent)) => TreeNode::Split { feature, present, absent },
            None => TreeNode::Leaf { confidence: 0.5 },
        };
        let trees = trees.iter().map(|nodes| (nodes.iter().map(node).collect(), 1.0)).collect();
        if let Some(forest) = read_all(&file_of(&trees).to_bytes().unwrap()) {
            let scores = forest.score(&[0, 2, 4], &mut forest.scratch()).to_vec();
            let expected = forest.classifiers()[0].ensemble.score(|feature| feature % 2 == 0);
            prop_assert_eq!(scores, [expected]);
        }
    }
}
