//! Why a parser decided as it did, and where it goes wrong.
//!
//! A parse is a list of inferences, and at each step there were alternatives. Followed again step by step,
//! the parse shows the score of each alternative, and which conjunctions of features made the difference:
//! their sum is the difference between the scores. A gold tree tells whether the search or the model is at
//! fault; and how often the best inference is right where all inferences before were, which is what the
//! classifiers can do without compounded errors.

mod decision;
mod tally;
mod words;

pub use super::search::ParseFault;
pub use decision::{CandidateInference, Decision, Difference};
pub use tally::{DecisionAccuracy, GoldTally};

use super::gold::GoldTree;
use super::guide::{Guide, Scored, Workspace};
use super::model::{TransitionModel, prepare_one};
use super::model_guide::ModelGuide;
use super::options::TransitionOptions;
use super::oracle::Oracle;
use super::search::{Judge, ParsePath, Searched, Searcher, Task};
use super::state::ParserState;
use crate::parse::Status;
use crate::tree::transform::remove_traces;
use crate::tree::{Tokens, Tree};

/// Parses sentences and explains what it does.
#[derive(Debug)]
pub struct Explainer<'m> {
    model: &'m TransitionModel,
    guide: ModelGuide<'m>,
    workspace: Workspace,
    options: TransitionOptions,
    searcher: Searcher,
    /// The most alternatives of a decision to tell of.
    max_alternatives: usize,
}

/// A parse, explained.
#[derive(Debug, Clone)]
pub struct Explained {
    /// The sentence as the parser saw it.
    pub sentence: Tokens,
    /// How the best parse was found.
    pub status: Status,
    /// The sum of the costs of its decisions.
    pub cost: f64,
    /// How many inferences were scored to find it.
    pub num_inferences: u64,
    /// Whether it is the greedy parse, if the search knows.
    pub greedy_was_best: Option<bool>,
    /// The decisions on the way to it.
    pub decisions: Vec<Decision>,
    /// Whose fault its errors are, if there is a gold tree all of whose labels the model knows.
    pub diagnosis: Option<Diagnosis>,
}

/// A parse compared with the gold tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Diagnosis {
    /// Whose fault it is.
    pub fault: ParseFault,
    /// What the gold tree costs by its best path, if there is one.
    pub gold_cost: Option<f64>,
}

impl<'m> Explainer<'m> {
    /// An explainer that searches in this way and tells of so many alternatives.
    pub fn new(model: &'m TransitionModel, options: TransitionOptions, max_alternatives: usize) -> Self {
        Self {
            model,
            guide: ModelGuide::new(model),
            workspace: Workspace::default(),
            options,
            searcher: Searcher::new(options),
            max_alternatives,
        }
    }

    /// Parses tokens by their tags. The gold tree, if there is one, must be of the same tokens; its tags are not used.
    pub fn explain(&mut self, tokens: &Tokens, gold: Option<&Tree>) -> Explained {
        let sentence = self.prepare(tokens);
        let gold = gold.and_then(|gold| self.gold(tokens, gold, &sentence));
        let TransitionModel { symbols, scheme, .. } = self.model;
        let terminals = symbols.terminals(&sentence);
        let task = Task::new(*scheme, symbols, &terminals);
        let searched = self.searcher.parse(&mut self.guide, &mut self.workspace, &task);
        let found = searched.parses.first();
        let diagnosis = gold.as_ref().zip(found).map(|(gold, _)| self.diagnose(&task, &searched, gold));
        let decisions = found.map(|path| self.follow(&task, path, gold.as_ref())).unwrap_or_default();
        Explained {
            sentence: sentence.into_sentence(),
            status: searched.status,
            cost: found.map_or(0.0, |path| path.cost),
            num_inferences: searched.num_inferences,
            greedy_was_best: searched.greedy_was_best,
            decisions,
            diagnosis,
        }
    }

    /// The tokens as the parser sees them, in a tree without phrases.
    fn prepare(&self, tokens: &Tokens) -> Tree {
        let mut sentence = Tree::flat(tokens.clone());
        self.model.pipeline.prepare(&mut sentence);
        sentence
    }

    /// The phrases of a gold tree over these tokens, which the parser sees as `sentence`; none if it has other tokens
    /// or unknown labels.
    fn gold(&self, tokens: &Tokens, gold: &Tree, sentence: &Tree) -> Option<GoldTree> {
        let mut gold = gold.clone();
        remove_traces(&mut gold);
        if gold.num_tokens() != tokens.len() {
            return None;
        }
        for (index, token) in tokens.iter().enumerate() {
            gold.set_word(index, token.word);
            gold.set_tag(index, token.tag);
        }
        let gold = prepare_one(&self.model.pipeline, gold)?;
        let is_whole = gold.num_tokens() == sentence.num_tokens();
        is_whole.then(|| GoldTree::new(&gold, &self.model.symbols))?
    }

    fn diagnose(&mut self, task: &Task<'_>, searched: &Searched, gold: &GoldTree) -> Diagnosis {
        let Self { guide, workspace, options, .. } = self;
        let mut judge = Judge { guide, workspace, task, aggregator: options.aggregator };
        let (fault, path) = judge.diagnose(gold, searched);
        Diagnosis { fault, gold_cost: path.map(|path| path.cost) }
    }

    /// Takes the steps of a parse again.
    fn follow(&mut self, task: &Task<'_>, path: &ParsePath, gold: Option<&GoldTree>) -> Vec<Decision> {
        self.workspace.items.start(task.symbols, task.terminals);
        self.guide.start();
        let mut oracle = gold.map(|gold| Oracle::new(gold, task.scheme));
        let mut state = ParserState::initial(task.terminals.len(), task.scheme.strategy);
        let mut scored: Vec<Scored> = Vec::new();
        let mut decisions = Vec::with_capacity(path.steps.len());
        for step in &path.steps {
            self.guide.score(&state, &mut self.workspace, &mut scored);
            let correct = oracle.as_mut().map(|oracle| oracle.correct(&state, &self.workspace.items));
            decisions.push(self.decision(&state, step.scored, &scored, correct));
            task.scheme.advance(&mut state, step.scored.inference, &mut self.workspace, task.symbols);
        }
        decisions
    }
}
