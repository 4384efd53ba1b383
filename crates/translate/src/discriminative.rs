//! Boosted classifiers: one for every word and translation, and one for each order.
//!
//! The naive form trains one after the other, each with a penalty of its own. There are tens of thousands of small
//! problems ([`problem`](super::problem)), learned side by side. Penalties are comparable between them, since examples
//! weigh the same everywhere. So both orders are cut at one penalty, and all words at another, where the loss on
//! held-out pairs is least: first all is learned, then penalties are tried for the orders, and then for words.

use serde::{Deserialize, Serialize};

use super::examples::{AlignedPair, ChoiceExamples, identity};
use super::lexicon::{BilingualLexicon, CandidateFilter};
use super::problem::{ChoiceProblem, HIGHEST_PENALTY, HeldOutChoices, map_features, penalties, problems};
use super::search::SearchLimits;
use super::transducer::{Costs, Transducer, TranslationPreset, about};
use boughs::error::{Error, ErrorKind, Result};
use boughs_learn::model::{Classifier, DecisionTree, Ensemble, ModelFile, damaged, damaged_if};
use boughs_learn::run::{Figure, Recipe, Role, Scores, Step, Watch};
use boughs_learn::shards::{Chunks, reduce};
use boughs_learn::vocab::Vocab;
use boughs_learn::{GainForm, L1Config, Lowering};

/// How boosted classifiers learn to translate: a recipe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct DiscriminativeConfig {
    /// The paper whose settings these are, but for what was changed. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<TranslationPreset>,
    /// A feature must be in so many examples of a classifier. Default: 2.
    pub min_feature_count: u32,
    /// Which translations a word may have.
    pub candidates: CandidateFilter,
    /// How classifiers of words are boosted. Default: down to a penalty of 4, a little below what was best for 10,000
    /// pairs, by steps of 0.8, and with gains that need to grow by 1% only. Features of a sentence say much the same in
    /// many ways, and fewer of them then predicted more (`record/2026-11-16-translate.md`).
    pub words: L1Config,
    /// How the classifiers of the two orders are boosted. Default: the same, down to a penalty of 8.
    pub orders: L1Config,
    /// What the penalties are chosen by, on held-out pairs. Default: the log-loss.
    pub criterion: PenaltyCriterion,
    /// How the transducer searches.
    pub search: SearchLimits,
}

/// What is best on held-out pairs. The loss adds up over all candidates of a word, so a few that are surely wrong weigh
/// more than many that are nearly right: where few translations are left to choose from it asks for too heavy a penalty
/// (`record/2026-11-18-twm06.md`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PenaltyCriterion {
    /// The least log-loss of the classifiers.
    #[default]
    LogLoss,
    /// The most choices that are right; of equals the heaviest penalty.
    Accuracy,
}

impl Default for DiscriminativeConfig {
    fn default() -> Self {
        let config =
            L1Config { final_penalty: 4.0, decay: 0.8, min_gain_factor: 1.01, ..L1Config::default() };
        Self {
            preset: None,
            min_feature_count: 2,
            candidates: CandidateFilter::default(),
            words: config,
            orders: L1Config { final_penalty: 8.0, ..config },
            criterion: PenaltyCriterion::LogLoss,
            search: SearchLimits::default(),
        }
    }
}

impl DiscriminativeConfig {
    /// The paper, as printed: its filter of translations, every feature, the gain of its equation 4, splits that need
    /// only raise it (equation 8), and a λ that falls where the root cannot be split (listing 1). What it does
    /// not print is ours: λ falls by a tenth, and ends at 1 for words and at 8 for orders.
    pub fn twm06() -> Self {
        let config = L1Config {
            gain: GainForm::Subtract,
            min_gain_factor: 1.0,
            lowering: Lowering::StuckRoot,
            decay: 0.9,
            final_penalty: 1.0,
            sample_size: 0,
            ..L1Config::default()
        };
        Self {
            preset: Some(TranslationPreset::Twm06),
            min_feature_count: 1,
            candidates: CandidateFilter::twm06(),
            words: config,
            orders: L1Config { final_penalty: 8.0, ..config },
            criterion: PenaltyCriterion::Accuracy,
            search: SearchLimits::default(),
        }
    }
}

/// About so many steps are made to learn all classifiers.
const LEARNING_STEPS: usize = 8;

/// The phases: learning, then what penalty is best.
const LEARNING: usize = 0;
const ORDERS: usize = 1;
const WORDS: usize = 2;

/// Where a model keeps its penalties.
const PENALTIES: [&str; 2] = ["order-penalty", "word-penalty"];

/// Classifiers being learned, or cut.
#[derive(Debug)]
pub struct DiscriminativeState {
    lexicon: BilingualLexicon,
    features: Vocab,
    examples: ChoiceExamples,
    problems: Vec<ChoiceProblem>,
    /// By problem, and then by candidate; those of the orders first.
    learned: Vec<Ensemble>,
    phase: usize,
    /// How many penalties of the phase were tried.
    num_tried: usize,
    /// Of the orders and of words.
    penalties: [f64; 2],
    /// Of the orders and of words, once something was measured.
    held_out: Option<[HeldOutChoices; 2]>,
}

impl Recipe for DiscriminativeConfig {
    type Data = [AlignedPair];
    type State = DiscriminativeState;
    type Model = Transducer;

    fn name(&self) -> &'static str {
        "discriminative"
    }

    fn identity(&self, train: &[AlignedPair], dev: Option<&[AlignedPair]>) -> String {
        identity(self, train, dev)
    }

    fn start(&self, pairs: &[AlignedPair], watch: &Watch<'_>) -> Result<DiscriminativeState> {
        self.words.check()?;
        self.orders.check()?;
        let lexicon = BilingualLexicon::new(pairs, &self.candidates);
        if lexicon.num_words() == 0 {
            return Err(Error::new(ErrorKind::Argument, "expected pairs to learn from, found none")
                .hint("are all of them too short, too long, or too uneven?"));
        }
        let mut features = Vocab::new();
        let examples = ChoiceExamples::new(pairs, &lexicon, |name| Some(features.intern(name)));
        let problems = problems(&lexicon, &examples);
        watch.note(format_args!(
            "{} examples of words, {} of phrases, {} features; {} words with a choice",
            examples.words.len(),
            examples.orders.len(),
            features.len(),
            problems.len() - 1
        ));
        Ok(DiscriminativeState {
            lexicon,
            features,
            examples,
            problems,
            learned: Vec::new(),
            phase: LEARNING,
            num_tried: 0,
            penalties: [HIGHEST_PENALTY; 2],
            held_out: None,
        })
    }

    fn step(
        &self,
        _: &[AlignedPair],
        state: &mut DiscriminativeState,
        watch: &Watch<'_>,
    ) -> Result<Option<Step>> {
        match state.phase {
            LEARNING => self.learn(state, watch),
            _ => Ok(Some(self.try_penalty(state, watch))),
        }
    }

    fn model(&self, state: &DiscriminativeState) -> Result<Transducer> {
        let mut frozen = Frozen { used: Vocab::new(), classifiers: Vec::new(), features: &state.features };
        let none = Ensemble::new();
        let mut ensembles = vec![&none; state.lexicon.num_pairs()];
        for problem in &state.problems {
            let learned = &state.learned[problem.classifiers.clone()];
            match problem.source {
                None => learned.iter().for_each(|one| frozen.push(one, state.penalties[0])),
                Some(source) => {
                    let places = state.lexicon.places(source).zip(learned);
                    places.for_each(|(place, one)| ensembles[place] = one);
                }
            }
        }
        ensembles.into_iter().for_each(|ensemble| frozen.push(ensemble, state.penalties[1]));
        let mut about = about(self, self.preset, &Self::twm06())?;
        let penalties = PENALTIES.iter().zip(state.penalties);
        about.settings.extend(penalties.map(|(name, penalty)| ((*name).to_owned(), penalty.to_string())));
        let costs = Costs::classifiers(frozen.used, frozen.classifiers)?;
        Ok(Transducer { about, lexicon: state.lexicon.clone(), costs, search: self.search })
    }

    /// Only the choices of the phase are measured: those of orders, or those of words.
    fn evaluate(
        &self,
        state: &mut DiscriminativeState,
        _: &Transducer,
        dev: &[AlignedPair],
    ) -> Result<Scores> {
        let held_out = match state.held_out.take() {
            Some(held_out) => held_out,
            None => self.hold_out(state, dev),
        };
        let HeldOutChoices { num_rows, losses, num_right } =
            &state.held_out.insert(held_out)[state.phase - ORDERS];
        let last = state.num_tried - 1;
        // Where there is nothing to measure, the last penalty is the best.
        let criterion = match self.criterion {
            _ if *num_rows == 0 => last as f64,
            PenaltyCriterion::LogLoss => -losses[last],
            PenaltyCriterion::Accuracy => num_right[last] as f64,
        };
        let mean = |sum: f64| sum / (*num_rows).max(1) as f64;
        let figures = vec![
            Figure::new("log-loss", mean(losses[last]), 4),
            Figure::new("accuracy", mean(100.0 * num_right[last] as f64), 2),
        ];
        Ok(Scores { criterion, figures })
    }

    /// All penalties are tried.
    fn patience(&self) -> usize {
        usize::MAX
    }

    fn next_phase(&self, state: &mut DiscriminativeState, best: Option<Transducer>) -> Result<bool> {
        if state.phase == WORDS {
            return Ok(false);
        }
        if let Some(best) = best {
            let penalty = best.about.settings.get(PENALTIES[0]).and_then(|penalty| penalty.parse().ok());
            state.penalties[0] = penalty.ok_or_else(|| damaged("a transducer without its penalty"))?;
        }
        (state.phase, state.num_tried) = (state.phase + 1, 0);
        Ok(true)
    }

    fn save(&self, state: &DiscriminativeState, file: &mut ModelFile) -> Result<()> {
        let DiscriminativeState { phase, num_tried, penalties, learned, .. } = state;
        file.insert_state("done", &(phase, num_tried, penalties, learned))
    }

    fn restore(&self, state: &mut DiscriminativeState, file: &ModelFile) -> Result<()> {
        (state.phase, state.num_tried, state.penalties, state.learned) = file.state("done")?;
        let is_end = |problem: &ChoiceProblem| problem.classifiers.end == state.learned.len();
        damaged_if(!state.problems.iter().any(is_end), "classifiers of other pairs")
    }
}

impl DiscriminativeConfig {
    fn boosting(&self, problem: &ChoiceProblem) -> &L1Config {
        if problem.source.is_some() { &self.words } else { &self.orders }
    }

    /// Learns the next problems to their end.
    fn learn(&self, state: &mut DiscriminativeState, watch: &Watch<'_>) -> Result<Option<Step>> {
        let DiscriminativeState { lexicon, examples, problems, learned, .. } = state;
        let num_rows: usize = problems.iter().map(|problem| problem.rows.len()).sum();
        let mut num_left = num_rows.div_ceil(LEARNING_STEPS);
        let done = problems.partition_point(|problem| problem.classifiers.start < learned.len());
        let is_next = |problem: &&ChoiceProblem| {
            let is_next = num_left > 0 || problem.rows.is_empty();
            num_left = num_left.saturating_sub(problem.rows.len());
            is_next
        };
        let next = &problems[done..][..problems[done..].iter().take_while(is_next).count().max(1)];
        let compute = |problem: &[ChoiceProblem]| {
            let config = *self.boosting(&problem[0]);
            let learn = || problem[0].learn(lexicon, examples, config, self.min_feature_count);
            (!watch.is_interrupted()).then(learn)
        };
        let mut found = Vec::new();
        reduce(&Chunks { items: next, size: 1, compute }, &(), |classifiers| {
            found.push(classifiers);
            let (done, all) = (done + found.len(), problems.len());
            let share = found.len() as f64 / next.len() as f64;
            // Whoever is asked to break off is asked before each problem.
            _ = watch.progress(Some(share), format_args!("{done} of {all} datasets learned"));
        });
        let Some(found) = found.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
        for classifiers in found {
            learned.extend(classifiers?);
        }
        let done = done + next.len();
        let num_examples = problems[..done].iter().map(|problem| problem.rows.len()).sum();
        let figures =
            vec![Figure::count("classifiers", learned.len()), Figure::count("examples", num_examples)];
        Ok(Some(Step { is_last: done == problems.len(), ..Step::preparation(LEARNING, figures) }))
    }

    /// The penalties that are tried for orders and for words.
    fn paths(&self, state: &DiscriminativeState) -> [Vec<f64>; 2] {
        let [orders, words] = state.classifiers();
        [penalties(&self.orders, orders), penalties(&self.words, words)]
    }

    /// Cuts the classifiers of the phase at its next penalty.
    fn try_penalty(&self, state: &mut DiscriminativeState, watch: &Watch<'_>) -> Step {
        let place = state.phase - ORDERS;
        let (what, role) =
            [("the order of phrases", Role::Part), ("words with a choice", Role::Candidate)][place];
        if state.num_tried == 0 {
            watch.note(format_args!("penalties for {what}"));
        }
        let paths = self.paths(state);
        let penalty = paths[place][state.num_tried];
        let num_active = state.classifiers()[place].iter().map(|one| num_active(one, penalty)).sum();
        let figures = vec![Figure::new("penalty", penalty, 2), Figure::count("active", num_active)];
        state.penalties[place] = penalty;
        state.num_tried += 1;
        let num_left = paths[place..].iter().map(Vec::len).sum::<usize>() - state.num_tried;
        let is_last = state.num_tried == paths[place].len();
        Step { role, is_last, num_left: Some(num_left), ..Step::candidate(state.phase, figures) }
    }

    /// How orders and words do on development pairs, at all penalties.
    fn hold_out(&self, state: &DiscriminativeState, dev: &[AlignedPair]) -> [HeldOutChoices; 2] {
        let lexicon = &state.lexicon;
        let examples = ChoiceExamples::new(dev, lexicon, |name| state.features.get(name));
        let (orders, words) = ((0..examples.orders.len() as u32).collect(), examples.by_source(lexicon));
        let paths = self.paths(state);
        let mut sums = paths.each_ref().map(|path| HeldOutChoices::new(path.len()));
        let compute = |problem: &[ChoiceProblem]| {
            let problem = &problem[0];
            let rows: &Vec<u32> = problem.source.map_or(&orders, |source| &words[source as usize]);
            let path = &paths[usize::from(problem.source.is_some())];
            let learned = &state.learned[problem.classifiers.clone()];
            let held_out = problem.hold_out(learned, path, rows, lexicon, &examples);
            (usize::from(problem.source.is_some()), held_out)
        };
        let work = Chunks { items: &state.problems, size: 1, compute };
        reduce(&work, &(), |(place, held_out)| sums[place].add(&held_out));
        sums
    }
}

impl DiscriminativeState {
    /// Those of orders and those of words.
    fn classifiers(&self) -> [&[Ensemble]; 2] {
        self.learned.split_at(self.problems[0].classifiers.end).into()
    }
}

/// Leaves that are not zero, of the trees at a penalty.
fn num_active(ensemble: &Ensemble, penalty: f64) -> usize {
    let trees = &ensemble.trees()[..ensemble.num_trees_at(penalty)];
    trees.iter().map(DecisionTree::num_active).sum()
}

/// Classifiers cut at their penalties, with numbers for the features in use only.
struct Frozen<'a> {
    used: Vocab,
    classifiers: Vec<Classifier>,
    features: &'a Vocab,
}

impl Frozen<'_> {
    fn push(&mut self, ensemble: &Ensemble, penalty: f64) {
        let cut = ensemble.prefix(ensemble.num_trees_at(penalty));
        let ensemble = map_features(&cut, |feature| self.used.intern(self.features.name(feature)));
        self.classifiers.push(Classifier { label: String::new(), ensemble });
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::tests::pair;
    use super::*;
    use crate::testing::{self, train};
    use boughs_learn::run::Silent;

    /// Adjectives follow their nouns, and `bank` depends on the word before it.
    fn pairs() -> Vec<AlignedPair> {
        let mut pairs = Vec::new();
        for (noun, translation) in [("dog", "chien"), ("cat", "chat"), ("house", "toit"), ("tree", "arbre")] {
            for (adjective, its) in [("white", "blanc"), ("green", "vert"), ("small", "petit")] {
                pairs.push(pair(
                    &format!("(NP (DT a) (JJ {adjective}) (NN {noun}))"),
                    &format!("un {translation} {its}"),
                    "0-0 1-2 2-1",
                ));
            }
        }
        for _ in 0..8 {
            pairs.push(pair("(NP (DT the) (NN money) (NN bank))", "la monnaie banque", "0-0 1-1 2-2"));
            pairs.push(pair("(NP (DT the) (NN river) (NN bank))", "la fleuve rive", "0-0 1-1 2-2"));
        }
        pairs
    }

    #[test]
    fn what_was_learned_from_is_translated_exactly() {
        let path = L1Config { final_penalty: 0.5, ..L1Config::default() };
        let config = DiscriminativeConfig { words: path, orders: path, ..DiscriminativeConfig::default() };
        let state = config.start(&pairs(), &Watch::new(&Silent)).unwrap();
        assert_eq!((state.examples.words.len(), state.examples.orders.len()), (84, 56));
        let trained = train(&config, &pairs(), Some(&pairs()));
        let best_order = trained.steps.iter().filter(|step| step.phase == ORDERS);
        let accuracy = |step: &Step| step.scores.as_ref().unwrap().get("accuracy").unwrap();
        assert_eq!(best_order.map(accuracy).fold(0.0, f64::max), 100.0);
        assert_eq!(accuracy(&trained.steps[trained.best]), 100.0);
        let mut worker = trained.model.worker();
        for pair in pairs() {
            assert_eq!(worker.translate(&pair.tree, 1)[0].words, pair.target);
        }
        let unseen = worker.translate(&"(NP (DT a) (JJ Xyzzy) (NN house))".parse().unwrap(), 1);
        assert_eq!(unseen[0].words.join(" "), "un toit Xyzzy");
    }

    /// Words before `bank` tell its translations apart, but none of them occurs twice.
    #[test]
    fn the_preset_is_the_paper() {
        let preset = DiscriminativeConfig::twm06();
        for config in [preset.words, preset.orders] {
            assert_eq!((config.gain, config.min_gain_factor), (GainForm::Subtract, 1.0), "section 2");
            assert_eq!((config.lowering, config.decay), (Lowering::StuckRoot, 0.9), "listing 1");
        }
        assert_eq!((preset.candidates.min_count, preset.candidates.min_share), (3, 0.2), "footnote 6");
        assert_eq!((preset.search.max_items, preset.search.max_cost_ratio), (40, 1000.0), "section 4");
    }

    #[test]
    fn the_preset_of_the_paper_has_no_cut_off_and_few_translations() {
        let pair_of = |word: &str, of_bank: &str| {
            pair(&format!("(NP (NN {word}) (NN bank))"), &format!("x {of_bank}"), "0-0 1-1")
        };
        let rives = ["river", "lake", "sea"].map(|word| pair_of(word, "rive"));
        let banques = ["money", "gold", "euro"].map(|word| pair_of(word, "banque"));
        let pairs = [&rives[..], &banques, &[pair_of("piggy", "cochon")]].concat();
        let num_right = |min_feature_count: u32| {
            let mut config = DiscriminativeConfig { min_feature_count, ..DiscriminativeConfig::twm06() };
            config.words.final_penalty = 0.05;
            let transducer = train(&config, &pairs[..], Some(&pairs)).model;
            assert_eq!(transducer.lexicon.translations("bank"), [Some("rive"), Some("banque")]);
            let mut worker = transducer.worker();
            let is_right = |pair: &&AlignedPair| worker.translate(&pair.tree, 1)[0].words == pair.target;
            pairs[..6].iter().filter(is_right).count()
        };
        assert_eq!(DiscriminativeConfig::twm06().min_feature_count, 1);
        assert_eq!((num_right(1), num_right(2)), (6, 3));
    }

    #[test]
    fn threads_and_interruptions_do_not_matter() {
        let config = DiscriminativeConfig::default();
        testing::is_the_same_on_threads(&config, &pairs()[..], Some(&pairs()));
        for dev in [Some(&pairs()[..]), None] {
            testing::is_resumed_to_the_same_bytes(&config, &pairs()[..], dev);
        }
    }

    #[test]
    fn without_development_pairs_no_tree_is_cut() {
        let config = DiscriminativeConfig::default();
        let trained = train(&config, &pairs()[..], None);
        let penalties = ["order-penalty", "word-penalty"].map(|name| &trained.model.about.settings[name]);
        assert_eq!(penalties, ["8", "4"]);
        let single = pair("(X (A a))", "x", "0-0");
        let unmeasured = train(&config, &pairs()[..], Some(std::slice::from_ref(&single)));
        assert_eq!(unmeasured.model.about.settings["word-penalty"], "4");
    }

    #[test]
    fn nothing_cannot_be_learned_from() {
        let error = DiscriminativeConfig::default().start(&[], &Watch::new(&Silent)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
    }
}
