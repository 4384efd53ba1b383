//! Why a parser decided as it did, and where it goes wrong.
//!
//! A parse is a list of inferences, each of which had rivals. Followed again step by step, it shows what each rival's classifier
//! said, and which conjunctions of features made the difference: the sum of these is the difference between the scores. What the
//! [cascade](super::Cascade) has set aside has a score that not all trees have made, so that is a reason of its own. With a gold
//! tree it can also be said whether the search or the model is at fault; and how often the best inference is right where all
//! inferences before were, which is what the classifiers can do without compounded errors.

mod decision;
mod tally;
mod words;

pub use decision::{Candidate, Decision, Difference, Ground};
pub use tally::{GoldTally, Share};

use super::cascade::Scoring;
use super::gold::GoldTree;
use super::guide::{Guide, Scored, Workspace};
use super::model::Model;
use super::model_guide::ModelGuide;
use super::oracle::Oracle;
use super::output::to_tree;
use super::search::{
    Diagnosis, Fault, LabelConstraints, Outcome, Parse, SearchConfig, Searcher, Task, diagnose, prefers,
};
use super::state::State;
use super::symbols::{TOP_NAME, Terminal};
use crate::tree::Tree;
use crate::tree::transform::{KeepOrDrop, remove_traces};

/// Parses sentences and explains what it does.
#[derive(Debug)]
pub struct Explainer<'m> {
    model: &'m Model,
    guide: ModelGuide<'m>,
    /// The model without its cascade, once it is asked for.
    full: Option<ModelGuide<'m>>,
    workspace: Workspace,
    search: SearchConfig,
    searcher: Searcher,
    /// The most rivals of a decision to tell of.
    max_rivals: usize,
}

/// A parse, explained.
#[derive(Debug, Clone)]
pub struct Explained {
    /// The sentence as the parser saw it, in a tree without phrases.
    pub sentence: Tree,
    /// How the search went; nothing if there was nothing to search for.
    pub outcome: Option<Outcome>,
    /// The decisions on the way to the best parse.
    pub decisions: Vec<Decision>,
    /// Whose fault the errors are, if there is a gold tree all of whose labels the model knows.
    pub diagnosis: Option<Diagnosis>,
}

impl<'m> Explainer<'m> {
    /// An explainer that searches in this way and tells of so many rivals.
    pub fn new(model: &'m Model, search: SearchConfig, max_rivals: usize) -> Self {
        Self {
            model,
            guide: ModelGuide::new(model, search.scoring),
            full: None,
            workspace: Workspace::default(),
            search,
            searcher: Searcher::new(search),
            max_rivals,
        }
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.model
    }

    /// Parses the tokens of a tree by their tags. The gold tree, if there is one, must be of the same tokens; its tags are not used.
    pub fn explain(&mut self, tokens: &Tree, gold: Option<&Tree>) -> Explained {
        let sentence = self.prepare(tokens);
        let gold = gold.and_then(|gold| self.gold(tokens, gold, &sentence));
        let terminals = self.model.symbols.terminals(&sentence);
        let outcome =
            self.searcher.parse(&mut self.guide, &mut self.workspace, &task(self.model, &terminals));
        let found = outcome.as_ref().map(Outcome::best);
        let diagnosis = found.zip(gold.as_ref()).map(|(found, gold)| self.diagnose(&sentence, found, gold));
        let decisions = found.map(|parse| self.follow(&terminals, parse, gold.as_ref())).unwrap_or_default();
        Explained { sentence, outcome, decisions, diagnosis }
    }

    /// The tokens as the parser sees them.
    fn prepare(&self, tokens: &Tree) -> Tree {
        let mut sentence = tokens.clone();
        sentence.retain_nodes(|_| false);
        self.model.pipeline.prepare(&mut sentence);
        sentence
    }

    /// The phrases of a gold tree over these tokens, which the parser sees as `sentence`; nothing if it has other tokens or unknown
    /// labels.
    fn gold(&self, tokens: &Tree, gold: &Tree, sentence: &Tree) -> Option<GoldTree> {
        let mut gold = gold.clone();
        remove_traces(&mut gold);
        if gold.num_tokens() != tokens.num_tokens() {
            return None;
        }
        for (index, token) in tokens.tokens().enumerate() {
            gold.set_word(index, token.word);
            gold.set_tag(index, token.tag);
        }
        let is_kept = self.model.pipeline.apply(&mut gold) == KeepOrDrop::Keep;
        if !is_kept || gold.is_empty() || gold.num_tokens() != sentence.num_tokens() {
            return None;
        }
        gold.set_root(TOP_NAME);
        GoldTree::new(&gold, &self.model.symbols)
    }

    fn diagnose(&mut self, sentence: &Tree, found: &Parse, gold: &GoldTree) -> Diagnosis {
        let terminals = self.model.symbols.terminals(sentence);
        let task = task(self.model, &terminals);
        let (guide, workspace) = (&mut self.guide, &mut self.workspace);
        let diagnosis = diagnose(guide, workspace, &task, self.search.aggregator, gold, found);
        match diagnosis.fault {
            Fault::Model
                if self.search.scoring == Scoring::Cascade
                    && self.is_better_in_full(sentence, &task, found, gold) =>
            {
                Diagnosis { fault: Fault::Cascade, ..diagnosis }
            }
            _ => diagnosis,
        }
    }

    /// Whether the gold tree would be better than the one found if all trees were asked about all inferences.
    fn is_better_in_full(
        &mut self,
        sentence: &Tree,
        task: &Task<'_>,
        found: &Parse,
        gold: &GoldTree,
    ) -> bool {
        let Self { model, search, full, workspace, .. } = self;
        let found = to_tree(&workspace.items, found.root, &model.symbols, sentence);
        let Some(found) = GoldTree::new(&found, &model.symbols) else { return false };
        let guide = full.get_or_insert_with(|| ModelGuide::new(model, Scoring::Full));
        prefers(guide, workspace, task, search.aggregator, [gold, &found])
    }

    /// Takes the steps of a parse again.
    fn follow(&mut self, terminals: &[Terminal], parse: &Parse, gold: Option<&GoldTree>) -> Vec<Decision> {
        let Model { symbols, scheme, .. } = self.model;
        self.workspace.items.start(symbols, terminals);
        self.guide.start(&self.workspace);
        let mut oracle = gold.map(|gold| Oracle::new(gold, *scheme));
        let mut state = State::initial(terminals.len(), scheme.strategy);
        let mut scored: Vec<Scored> = Vec::new();
        let mut decisions = Vec::with_capacity(parse.steps.len());
        for step in &parse.steps {
            self.guide.score(&state, &mut self.workspace, &mut scored);
            let correct = oracle.as_mut().map(|oracle| oracle.correct(&state, &self.workspace.items));
            decisions.push(self.decision(&state, step.scored, &scored, correct));
            let Workspace { items, heads } = &mut self.workspace;
            scheme.advance(&mut state, step.scored.inference, items, symbols, heads);
        }
        decisions
    }
}

static NO_CONSTRAINTS: LabelConstraints = LabelConstraints::none();

fn task<'a>(model: &'a Model, terminals: &'a [Terminal]) -> Task<'a> {
    Task {
        scheme: model.scheme,
        symbols: &model.symbols,
        terminals,
        constraints: &NO_CONSTRAINTS,
        deadline: None,
        rival: None,
    }
}
