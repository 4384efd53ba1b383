//! From a tagged sentence to trees over all of its tokens.

use rustc_hash::FxHashMap;

use super::guide::Workspace;
use super::item::ItemId;
use super::model::TransitionModel;
use super::model_guide::ModelGuide;
use super::options::TransitionOptions;
use super::search::{LabelConstraints, ParsePath, Searched, Searcher, Task};
use crate::error::{Error, ErrorKind, Result};
use crate::parse::{Limit, Parse, Parsed, Request, Status};
use crate::tree::transform::Record;
use crate::tree::{Prepared, Tokens, Tree};

/// Parses with a model, in memory of its own: one for each thread.
#[derive(Debug)]
pub struct TransitionParser<'m> {
    model: &'m TransitionModel,
    guide: ModelGuide<'m>,
    workspace: Workspace,
    searcher: Searcher,
    num_inferences: u64,
}

impl<'m> TransitionParser<'m> {
    /// A parser with these options. How many taggings there are is for its caller to know.
    pub fn new(model: &'m TransitionModel, options: &TransitionOptions) -> Self {
        Self {
            model,
            guide: ModelGuide::new(model),
            workspace: Workspace::default(),
            searcher: Searcher::new(*options),
            num_inferences: 0,
        }
    }

    /// Parses tokens by their tags. There is always a tree over all of them. If the constraints cannot be met, or no
    /// such tree is found, the sentence is parsed without them. If no parse costs less than the bound, the tree is a
    /// fallback; the bound is of use only if costs are added.
    pub fn parse(&mut self, request: Request<'_>) -> Parsed {
        if request.constraints.is_empty() || request.tokens.is_empty() {
            return self.parse_freely(request);
        }
        let (error, limit) = match self.parse_constrained(request) {
            Err(error) => (error, None),
            Ok(parsed) => match parsed.status {
                Status::Fallback(limit) if limit != Some(Limit::Time) && request.bound.is_none() => {
                    (not_found(), limit)
                }
                _ => return parsed,
            },
        };
        Parsed { limit, ..self.parse_freely(request.unconstrained()).against(error) }
    }

    /// The tree of a sentence that is not parsed: no phrases.
    pub fn fallback(&self, tokens: &Tokens) -> Tree {
        Tree::flat(tokens.clone())
    }

    /// How many inferences were scored so far, in all sentences.
    pub fn num_inferences(&self) -> u64 {
        self.num_inferences
    }

    fn parse_freely(&mut self, request: Request<'_>) -> Parsed {
        let mut tokens = Tree::flat(request.tokens.clone());
        let record = self.model.pipeline.prepare(&mut tokens);
        self.parse_prepared(&tokens, &record, &LabelConstraints::none(), request)
    }

    fn parse_constrained(&mut self, request: Request<'_>) -> Result<Parsed> {
        let sentence = Tree::flat(request.tokens.clone());
        let Prepared { tokens, record, constraints } =
            request.constraints.prepare(&sentence, &self.model.pipeline)?;
        let constraints = LabelConstraints::of(&constraints, &self.model.symbols)?;
        constraints.check(&self.model.symbols.terminals(&tokens))?;
        Ok(self.parse_prepared(&tokens, &record, &constraints, request))
    }

    fn parse_prepared(
        &mut self,
        tokens: &Tree,
        record: &Record,
        constraints: &LabelConstraints,
        request: Request<'_>,
    ) -> Parsed {
        let TransitionModel { symbols, scheme, .. } = self.model;
        let Request { num_best, deadline, bound, .. } = request;
        let terminals = symbols.terminals(tokens);
        let task = Task { constraints, num_best, deadline, bound, ..Task::new(*scheme, symbols, &terminals) };
        let searched = self.searcher.parse(&mut self.guide, &mut self.workspace, &task);
        self.num_inferences += searched.num_inferences;
        let restored = |path| self.restored(path, &searched, record, tokens);
        or_flat(searched.parses.iter().filter_map(restored).collect(), searched.status, record)
    }

    /// A parse as a tree over the tokens of the input; none if it does not fit them, which is never so for a path
    /// over the tokens that preprocessing left.
    fn restored(
        &self,
        path: &ParsePath,
        searched: &Searched,
        record: &Record,
        tokens: &Tree,
    ) -> Option<Parse> {
        let tree = self.workspace.items.to_tree(path.root, &self.model.symbols, tokens);
        Some(Parse {
            // Full stops belong to the clause, as in the Penn Treebank.
            tree: record.restore_with(&tree, true).ok()?,
            cost: (!searched.status.is_fallback()).then_some(path.cost),
            confidences: self.confidences(path),
        })
    }

    /// The confidence in each phrase, in pre-order. There is none in the root of a fallback.
    fn confidences(&self, path: &ParsePath) -> Vec<Option<f64>> {
        let by_item: FxHashMap<ItemId, f64> =
            path.steps.iter().filter_map(|step| Some((step.item?, step.confidence()))).collect();
        let phrases = self.workspace.items.phrases_below(path.root);
        phrases.into_iter().map(|id| by_item.get(&id).copied()).collect()
    }
}

/// These parses. If there are none, the tree is flat, and its status tells that it is not a parse.
fn or_flat(parses: Vec<Parse>, status: Status, record: &Record) -> Parsed {
    match (parses.is_empty(), status) {
        (false, _) => Parsed::new(parses, status),
        (true, Status::Trivial) => Parsed::fallback(record.flat(), status),
        (true, _) => Parsed::fallback(record.flat(), Status::Fallback(status.limit())),
    }
}

fn not_found() -> Error {
    Error::new(ErrorKind::Argument, "no tree was found that meets the constraints")
        .hint("ask for fewer phrases, or search further than greedy search does")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::transform::Pipeline;

    #[test]
    fn a_flat_tree_is_never_taken_for_a_parse() {
        let mut tokens: Tree = "( (DT an) (NN oak) (. .))".parse().expect("a tree");
        let record = "tm06".parse::<Pipeline>().expect("a pipeline").prepare(&mut tokens);
        for (status, flagged) in [
            (Status::Trivial, Status::Trivial),
            (Status::Optimal, Status::Fallback(None)),
            (Status::Greedy, Status::Fallback(None)),
            (Status::CutShort(Limit::Time), Status::Fallback(Some(Limit::Time))),
            (Status::Fallback(Some(Limit::Bound)), Status::Fallback(Some(Limit::Bound))),
        ] {
            let parsed = or_flat(Vec::new(), status, &record);
            assert_eq!((parsed.status, parsed.parses[0].cost), (flagged, None));
            assert_eq!(parsed.tree().to_string(), "(TOP (DT an) (NN oak) (. .))");
        }
    }
}
