//! Training between two stages, in a file (kind `transition-checkpoint`): the arrays of the boosted classifiers
//! (`model/file/boosted.rs`) as they stand, and
//!
//! | array | type | an entry for each | content |
//! |---|---|---|---|
//! | `in_force` | f64 | classifier | the penalty in force |
//! | `attempts` | u64 | classifier | the trees tried |
//! | `point_penalties` | f64 | point | the penalty reached |
//! | `point_sizes` | u64 | point, two | trees, active features |
//! | `point_scores` | f64 | point, four; or none | precision, recall, F1, exact matches |
//!
//! A checkpoint is of use only to the run that it was made by, so it holds the [`fingerprint`] of that run.

use xxhash_rust::xxh3::Xxh3;

use super::transition::{DevScores, Learner, Point, TransitionCheckpoint, TransitionConfig};
use crate::error::{Error, ErrorKind, Result};
use crate::learn::{BoosterState, L1Config, ZConfig};
use crate::model::{About, Array, Classifier, ModelFile, damaged};
use crate::tree::Tree;

const KIND: &str = "transition-checkpoint";
pub(super) const RUN: &str = "run";

/// What a run of training depends on, as a short name: trees and settings, but not patience and memory, nor the end of the
/// path, so that a run that takes too long can be resumed with an end that is nearer.
pub fn fingerprint(trees: &[Tree], dev: &[Tree], config: &TransitionConfig) -> String {
    let TransitionConfig { scheme, templates, pipeline, language, search, .. } = config;
    let learner = match config.learner {
        Learner::L1(learner) => Learner::L1(L1Config { final_penalty: 0.0, ..learner }),
        Learner::Z(learner) => Learner::Z(ZConfig { final_threshold: 0.0, ..learner }),
    };
    let settings = format!(
        "{scheme:?} {} {pipeline} {} {} {} {learner:?} {} {} {} {search:?}",
        templates.text(),
        pipeline.settings.punctuation,
        language.head_text(),
        language.class_text(),
        config.first_penalty,
        config.stage_factor,
        config.seed
    );
    fingerprint_of(&settings, trees, dev)
}

/// The short name of a run with these settings on these trees.
pub(super) fn fingerprint_of(settings: &str, trees: &[Tree], dev: &[Tree]) -> String {
    let mut hash = Xxh3::new();
    hash.update(settings.as_bytes());
    for list in [trees, dev] {
        hash.update(&(list.len() as u64).to_le_bytes());
        list.iter().for_each(|tree| hash.update(format!("{tree}\n").as_bytes()));
    }
    format!("{:032x}", hash.digest128())
}

impl TransitionCheckpoint {
    /// The checkpoint as a file, marked with the [`fingerprint`] of its run.
    ///
    /// # Errors
    /// If it is too large for one.
    pub fn to_file(&self, run: &str) -> Result<ModelFile> {
        let mut about = About::new(KIND);
        about.labels = (0..self.classifiers.len()).map(|index| index.to_string()).collect();
        about.settings.insert(RUN.to_owned(), run.to_owned());
        let classifier = |(label, checkpoint): (&String, &BoosterState)| Classifier {
            label: label.clone(),
            ensemble: checkpoint.ensemble.clone(),
        };
        let classifiers: Vec<_> = about.labels.iter().zip(&self.classifiers).map(classifier).collect();
        let mut file = ModelFile::new(about);
        file.insert_classifiers(&classifiers)?;
        let in_force = self.classifiers.iter().map(|checkpoint| checkpoint.penalty);
        file.insert("in_force", Array::F64(in_force.collect()));
        let attempts = self.classifiers.iter().map(|checkpoint| checkpoint.num_attempts);
        file.insert("attempts", Array::U64(attempts.collect()));
        self.put_points(&mut file);
        Ok(file)
    }

    fn put_points(&self, file: &mut ModelFile) {
        let points = &self.points;
        let sizes = points.iter().flat_map(|point| [point.num_trees as u64, point.num_active as u64]);
        let scores = points.iter().filter_map(|point| point.scores);
        let scores = scores.flat_map(|scores| [scores.precision, scores.recall, scores.f1, scores.exact]);
        file.insert("point_penalties", Array::F64(points.iter().map(|point| point.penalty).collect()));
        file.insert("point_sizes", Array::U64(sizes.collect()));
        file.insert("point_scores", Array::F64(scores.collect()));
    }

    /// The checkpoint of a file, which must be that of the run with this [`fingerprint`].
    ///
    /// # Errors
    /// If it is that of another run, or no checkpoint.
    pub fn from_file(file: &ModelFile, run: &str) -> Result<Self> {
        check_run(file, KIND, run)?;
        let about = file.about();
        let (in_force, attempts) = (file.f64s("in_force")?, file.u64s("attempts")?);
        let ensembles = file.classifiers_of(&about.labels)?;
        if in_force.len() != ensembles.len() || attempts.len() != ensembles.len() {
            return Err(damaged("its arrays differ in their number of classifiers"));
        }
        let rest = in_force.iter().zip(attempts);
        let classifiers = ensembles.into_iter().zip(rest).map(|(classifier, (&penalty, &num_attempts))| {
            BoosterState { ensemble: classifier.ensemble, penalty, num_attempts }
        });
        Ok(Self { points: points(file)?, classifiers: classifiers.collect() })
    }
}

fn points(file: &ModelFile) -> Result<Vec<Point>> {
    let penalties = file.f64s("point_penalties")?;
    let (sizes, rest) = file.u64s("point_sizes")?.as_chunks::<2>();
    let (scores, rest_of_scores) = file.f64s("point_scores")?.as_chunks::<4>();
    let is_sound = rest.is_empty()
        && rest_of_scores.is_empty()
        && sizes.len() == penalties.len()
        && (scores.is_empty() || scores.len() == penalties.len());
    if !is_sound {
        return Err(damaged("its arrays differ in their number of points"));
    }
    let point = |index: usize| Point {
        penalty: penalties[index],
        num_trees: sizes[index][0] as usize,
        num_active: sizes[index][1] as usize,
        scores: scores.get(index).map(|&[precision, recall, f1, exact]| DevScores {
            precision,
            recall,
            f1,
            exact,
        }),
    };
    Ok((0..penalties.len()).map(point).collect())
}

/// Whether a file is a checkpoint of some kind, made by the run with this fingerprint.
pub(super) fn check_run(file: &ModelFile, kind: &str, run: &str) -> Result<()> {
    file.expect_kind(kind, "name the checkpoint of a training run")?;
    match file.about().settings.get(RUN).is_some_and(|found| found == run) {
        true => Ok(()),
        false => Err(Error::new(
            ErrorKind::Mismatch,
            "expected a checkpoint of this run, found one of a run with other trees or settings",
        )
        .hint("go on with the files and options of that run, or remove the checkpoint to start anew")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{DecisionTree, Ensemble, TreeNode};

    fn example(has_scores: bool) -> TransitionCheckpoint {
        let mut ensemble = Ensemble::new();
        ensemble.push(DecisionTree::new(vec![TreeNode::Leaf { confidence: 0.1 }]), 3.0);
        let scores = has_scores.then_some(DevScores { precision: 1.0, recall: 2.0, f1: 3.0, exact: 4.0 });
        TransitionCheckpoint {
            points: vec![Point { penalty: 2.0, num_trees: 1, num_active: 1, scores }],
            classifiers: vec![
                BoosterState { ensemble, penalty: 2.5, num_attempts: 7 },
                BoosterState { ensemble: Ensemble::new(), penalty: f64::INFINITY, num_attempts: 0 },
            ],
        }
    }

    #[test]
    fn checkpoints_come_back() {
        for checkpoint in [example(true), example(false), TransitionCheckpoint::default()] {
            let bytes = checkpoint.to_file("run").unwrap().to_bytes().unwrap();
            let file = ModelFile::from_bytes(&bytes).unwrap();
            assert_eq!(TransitionCheckpoint::from_file(&file, "run").unwrap(), checkpoint);
        }
    }

    #[test]
    fn checkpoints_of_other_runs_are_refused() {
        let file = example(true).to_file("run").unwrap();
        let message = TransitionCheckpoint::from_file(&file, "other").unwrap_err().to_string();
        assert!(message.contains("found one of a run with other trees or settings"), "{message}");
        let model = ModelFile::new(About::new("history"));
        assert!(TransitionCheckpoint::from_file(&model, "run").is_err());
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        for name in ["in_force", "point_penalties"] {
            let mut file = example(true).to_file("run").unwrap();
            file.insert(name, Array::F64(vec![1.0; 5]));
            assert!(TransitionCheckpoint::from_file(&file, "run").is_err(), "{name}");
        }
    }

    fn l1(config: &TransitionConfig) -> L1Config {
        match config.learner {
            Learner::L1(learner) => learner,
            Learner::Z(_) => unreachable!("the parser of TM06 learns with l1"),
        }
    }

    #[test]
    fn trees_and_settings_make_a_run() {
        let trees: Vec<Tree> = vec!["(S (NN a))".parse().unwrap(), "(S (NN b))".parse().unwrap()];
        let config = TransitionConfig::tm06();
        let run = fingerprint(&trees, &[], &config);
        assert_eq!(
            run,
            fingerprint(&trees, &[], &TransitionConfig { memory: 1, patience: 1, ..config.clone() })
        );
        let nearer_end = Learner::L1(L1Config { final_penalty: 0.8, ..l1(&config) });
        assert_eq!(
            run,
            fingerprint(&trees, &[], &TransitionConfig { learner: nearer_end, ..config.clone() })
        );
        let other_decay = Learner::L1(L1Config { decay: 0.6, ..l1(&config) });
        assert_ne!(
            run,
            fingerprint(&trees, &[], &TransitionConfig { learner: other_decay, ..config.clone() })
        );
        assert_ne!(run, fingerprint(&trees, &[], &TransitionConfig { seed: 1, ..config.clone() }));
        assert_ne!(run, fingerprint(&trees[..1], &trees[1..], &config));
    }
}
