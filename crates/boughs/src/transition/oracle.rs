//! The gold tree as a guide, from whatever state it is asked about.
//!
//! A search visits states in any order, so each item is looked up in the gold tree: once, as items are numbered and
//! their children come before them. A [`GoldPath`] follows the tree from the first state on.

use super::gold::{GoldNode, GoldTree};
use super::guide::Workspace;
use super::item::{ItemId, Items};
use super::state::{Action, Inference, InferencePlace, ParserState, Scheme};
use super::symbols::{Label, TransitionSymbols};
use crate::rng::Rng;

/// Knows the correct inferences of every state of one sentence.
#[derive(Debug, Clone)]
pub(crate) struct Oracle<'g> {
    gold: &'g GoldTree,
    scheme: Scheme,
    /// Per item, what it is in the gold tree; nothing if it is not there.
    nodes: Vec<Option<GoldNode>>,
    places: Vec<InferencePlace>,
    correct: Vec<Inference>,
}

impl<'g> Oracle<'g> {
    /// The oracle of a gold tree.
    pub(crate) fn new(gold: &'g GoldTree, scheme: Scheme) -> Self {
        Self { gold, scheme, nodes: Vec::new(), places: Vec::new(), correct: Vec::new() }
    }

    /// The inferences that lead on to the gold tree, from left to right; none once it is complete. Where the state has
    /// left the tree they lead to what is left of it. They may break the rules of the scheme, such as the number of
    /// children.
    pub(crate) fn correct(&mut self, state: &ParserState, items: &Items) -> &[Inference] {
        state.frontier.iter().for_each(|&id| self.look_up(id, items));
        self.correct.clear();
        if let [root] = state.frontier[..]
            && self.nodes[root.index()] == Some(GoldNode::Phrase(0))
        {
            return &self.correct;
        }
        let node_at = |at: usize| state.frontier.get(at).and_then(|id| self.nodes[id.index()]);
        let ready = (0..state.frontier.len()).filter_map(|start| self.gold.ready_at(start, node_at));
        self.places.clear();
        self.places.extend(ready);
        self.scheme.strategy.keep_correct(state.focus, &mut self.places);
        let label = |place: &InferencePlace| {
            node_at(place.start as usize).and_then(|node| self.gold.label_above(node))
        };
        self.correct.extend(self.places.iter().map(|place| Inference {
            place: *place,
            action: label(place).filter(|_| !place.is_shift).map_or(Action::Shift, Action::Build),
        }));
        &self.correct
    }

    fn look_up(&mut self, id: ItemId, items: &Items) {
        while self.nodes.len() <= id.index() {
            let next = ItemId(self.nodes.len() as u32);
            self.nodes.push(self.node(next, items));
        }
    }

    fn node(&self, id: ItemId, items: &Items) -> Option<GoldNode> {
        let item = items.get(id);
        if item.is_terminal() {
            return Some(GoldNode::Terminal(id.0));
        }
        let children = items.children(id);
        let node_at = |at: usize| children.get(at).and_then(|child| self.nodes[child.index()]);
        let place = self.gold.ready_at(0, node_at)?;
        let first = node_at(0).filter(|_| place.len as usize == children.len())?;
        self.gold
            .parent(first)
            .filter(|_| self.gold.label_above(first) == Some(Label(item.symbol.0)))
            .map(GoldNode::Phrase)
    }
}

/// A walk through the states of a gold tree.
#[derive(Debug, Clone)]
pub(crate) struct GoldPath<'g> {
    oracle: Oracle<'g>,
    /// The state reached.
    pub(crate) state: ParserState,
}

impl<'g> GoldPath<'g> {
    /// At the first state, among the items of the sentence.
    pub(crate) fn new(gold: &'g GoldTree, scheme: Scheme, items: &Items) -> Self {
        let state = ParserState::initial(gold.num_terminals, scheme.strategy);
        let mut oracle = Oracle::new(gold, scheme);
        oracle.correct(&state, items);
        Self { oracle, state }
    }

    /// The correct inferences; none once the tree is complete. See [`Oracle::correct`].
    pub(crate) fn correct(&self) -> &[Inference] {
        &self.oracle.correct
    }

    /// Makes one of the correct inferences, drawn by `rng` if there are several; none once the tree is complete.
    pub(crate) fn step(
        &mut self,
        workspace: &mut Workspace,
        symbols: &TransitionSymbols,
        rng: &mut Rng,
    ) -> Option<Inference> {
        let choice = match self.correct().len() {
            0 => return None,
            1 => 0,
            len => rng.below(len as u64) as usize,
        };
        let inference = self.correct()[choice];
        self.oracle.scheme.advance(&mut self.state, inference, workspace, symbols);
        self.oracle.correct(&self.state, &workspace.items);
        Some(inference)
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::{Search, TransitionOptions};
    use super::super::search::{ParsePath, Searcher, Task};
    use super::super::strategy::Strategy;
    use super::super::testing::OracleGuide;
    use super::*;
    use crate::tree::Tree;
    use crate::tree::transform::TagSet;

    /// Turian & Melamed (2005), figure 1.
    const FIGURE: &str = "(TOP (S (NP (DT The) (NN timing)) (VP (VBD was) (ADJP (JJ perfect)))))";

    fn follow(strategy: Strategy) -> (ParsePath, Workspace, TransitionSymbols) {
        let tree: Tree = FIGURE.parse().expect("a tree");
        let symbols = TransitionSymbols::collect([&tree], None, TagSet::punctuation());
        let scheme = Scheme { strategy, max_children: 5 };
        let gold = GoldTree::new(&tree, &symbols).expect("known labels");
        let terminals = symbols.terminals(&tree);
        let mut guide = OracleGuide::new(&gold, scheme, symbols.labels.len());
        let mut workspace = Workspace::default();
        let options = TransitionOptions { search: Search::Greedy, ..TransitionOptions::default() };
        let task = Task::new(scheme, &symbols, &terminals);
        let mut searched = Searcher::new(options).parse(&mut guide, &mut workspace, &task);
        (searched.parses.remove(0), workspace, symbols)
    }

    #[test]
    fn each_strategy_builds_the_figure_in_its_order() {
        let orders = [
            (Strategy::RightToLeft, "ADJP VP NP S TOP"),
            (Strategy::LeftToRight, "NP ADJP VP S TOP"),
            (Strategy::ShiftReduce, "shift shift NP shift shift ADJP VP S TOP"),
        ];
        for (strategy, expected) in orders {
            let (parse, _, symbols) = follow(strategy);
            let names = parse.steps.iter().map(|step| match step.scored.inference.action {
                Action::Build(label) => symbols.label_name(label),
                Action::Shift => "shift",
            });
            assert_eq!(names.collect::<Vec<_>>().join(" "), expected);
        }
    }

    #[test]
    fn the_inference_of_the_figure_joins_was_and_perfect_beside_the_timing() {
        let (parse, workspace, symbols) = follow(Strategy::LeftToRight);
        let items = &workspace.items;
        let describe = |id: ItemId| {
            let item = items.get(id);
            format!("{}({})", symbols.name(item.symbol), symbols.words.name(item.head_word))
        };
        let [np, _, vp, ..] = parse.steps[..] else { panic!("{} steps", parse.steps.len()) };
        assert_eq!(
            vp.scored.inference.place,
            InferencePlace::build(1, 2),
            "one item of left context, none of right"
        );
        let (np, vp) = (np.item.expect("a phrase"), vp.item.expect("a phrase"));
        assert_eq!(describe(np), "NP(timing)");
        assert_eq!(describe(vp), "VP(was)");
        let children: Vec<_> = items.children(vp).iter().map(|&child| describe(child)).collect();
        assert_eq!(children, ["VBD(was)", "ADJP(perfect)"]);
    }
}
