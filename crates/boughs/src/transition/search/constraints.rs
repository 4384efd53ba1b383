//! What every parse must agree with: spans that must be phrases, spans that no phrase may cross, the label of the
//! whole.
//!
//! The naive form parses freely and throws away what does not agree. Here an inference is not even made if it would
//! break a constraint, or leave one behind that its strategy never comes back to. So a constraint leads to a dead end
//! only if it cannot be met.
//!
//! A required label with a low score would come last of all: a greedy search would first put every other label over
//! the same phrase. So a required inference comes before unary inferences with negative scores.

use super::Task;
use super::problem::best;
use crate::error::{Error, ErrorKind, Result};
use crate::span::Span;
use crate::transition::guide::{Guide, Scored, Workspace};
use crate::transition::item::{ItemId, Items};
use crate::transition::state::{Action, Inference, ParserState};
use crate::transition::symbols::{InputTerminal, Label, TOP, TransitionSymbols};
use crate::tree::Constraints;

/// Constraints on a parse, with labels as numbers.
pub(crate) type LabelConstraints = Constraints<Label>;

/// A phrase that must be there.
type Required = (Span, Option<Label>);

impl LabelConstraints {
    /// Constraints on the tree of a prepared sentence.
    ///
    /// # Errors
    /// [`ErrorKind::Argument`] if a label is not known.
    pub(crate) fn of(wanted: &Constraints, symbols: &TransitionSymbols) -> Result<Self> {
        let number = |name: Option<&str>| name.map(|name| symbols.phrase_label(name)).transpose();
        let phrases = wanted.phrases().map(|(span, label)| Ok((span, number(label)?)));
        Ok(Self {
            phrases: phrases.collect::<Result<_>>()?,
            uncrossed: wanted.uncrossed.clone(),
            root: number(wanted.root.as_deref())?,
        })
    }

    /// Refuses phrases that begin or end with punctuation, which no parse has. Other constraints that cannot be met are
    /// refused before: see [`Constraints::prepare`] and [`TransitionSymbols::phrase_label`].
    pub(crate) fn check(&self, terminals: &[InputTerminal]) -> Result<()> {
        self.phrases.iter().try_for_each(|&phrase| check_edges(phrase, terminals))
    }

    /// Puts the constraints for phrases into `missing` that a state does not meet yet.
    fn find_missing(&self, state: &ParserState, items: &Items, missing: &mut Vec<Required>) {
        missing.clear();
        missing.extend(self.phrases.iter().filter(|&&phrase| !is_there(phrase, state, items)));
    }
}

/// Whether a phrase is there. What is within an item was met when the item was built, or it would not have been.
fn is_there((span, label): Required, state: &ParserState, items: &Items) -> bool {
    let at = state.frontier.partition_point(|&id| items.get(id).end <= span.start);
    let Some(&id) = state.frontier.get(at) else { return false };
    let found = items.get(id).span();
    match label {
        _ if found != span => found.contains(span),
        Some(label) => items.has_in_chain(id, label),
        None => !items.get(id).is_terminal(),
    }
}

fn check_edges((span, label): Required, terminals: &[InputTerminal]) -> Result<()> {
    let tokens = &terminals[span.range()];
    let is_root = tokens.len() == terminals.len() && label.is_none();
    let mut edges = [tokens.first(), tokens.last()].into_iter().flatten();
    if is_root || !edges.any(|token| token.is_punctuation) {
        return Ok(());
    }
    let Span { start, end } = span;
    let message = format!("no phrase can be {start}..{end}: it begins or ends with punctuation");
    Err(Error::new(ErrorKind::Argument, message).hint("leave out the punctuation at its edges"))
}

fn is_met((wanted, required): Required, span: Span, label: Label) -> bool {
    wanted == span && required.is_none_or(|required| required == label)
}

/// The sentence without the punctuation at its edges, which stands beside the phrase of the whole.
fn core(terminals: &[InputTerminal]) -> Span {
    let is_word = |terminal: &InputTerminal| !terminal.is_punctuation;
    let start = terminals.iter().position(is_word).unwrap_or(0);
    let end = terminals.iter().rposition(is_word).map_or(terminals.len(), |last| last + 1);
    Span::new(start as u32, end as u32)
}

/// A guide that keeps to constraints.
pub(super) struct Constrained<'a> {
    guide: &'a mut dyn Guide,
    task: &'a Task<'a>,
    core: Span,
    missing: Vec<Required>,
    /// The inferences scored last that meet a constraint.
    required: Vec<Inference>,
}

impl<'a> Constrained<'a> {
    pub(super) fn new(guide: &'a mut dyn Guide, task: &'a Task<'a>) -> Self {
        Self { guide, task, core: core(task.terminals), missing: Vec::new(), required: Vec::new() }
    }

    fn allows(&self, state: &ParserState, items: &Items, scored: &Scored) -> bool {
        let place = scored.inference.place;
        let span = state.span_at(place, items);
        match scored.inference.action {
            Action::Shift => self.missing.iter().all(|&(later, _)| self.can_follow(span, later)),
            Action::Build(label) => {
                let children = state.items_at(place);
                self.allows_root(items, span, children, label)
                    && !self.task.constraints.uncrossed.iter().any(|&other| span.crosses(other))
                    && self.missing.iter().all(|&phrase| self.allows_later(phrase, span, label))
            }
        }
    }

    /// Whether an inference that is allowed meets a constraint that was not met so far.
    fn is_required(&self, state: &ParserState, items: &Items, inference: Inference) -> bool {
        let Action::Build(label) = inference.action else { return false };
        let span = state.span_at(inference.place, items);
        let is_root = self.is_whole(span) && Some(label) == self.task.constraints.root;
        is_root || self.missing.iter().any(|&phrase| is_met(phrase, span, label))
    }

    /// Whether a constraint that was not met so far is met by a new phrase or can be met after it.
    fn allows_later(&self, phrase: Required, span: Span, label: Label) -> bool {
        let (wanted, _) = phrase;
        if is_met(phrase, span, label) {
            return true;
        }
        match wanted == span {
            true => !self.is_last_over(span, label),
            false => !wanted.crosses(span) && !span.contains(wanted) && self.can_follow(span, wanted),
        }
    }

    fn can_follow(&self, made: Span, later: Span) -> bool {
        self.task.scheme.strategy.can_follow(made, later)
    }

    /// Whether only [`TOP`] can be built over a new phrase.
    fn is_last_over(&self, span: Span, label: Label) -> bool {
        label == TOP || (self.is_whole(span) && Some(label) == self.task.constraints.root)
    }

    fn is_whole(&self, span: Span) -> bool {
        span.contains(self.core)
    }

    /// Whether a new phrase leaves the way open for the label of the whole, if one is given: it comes once, just below
    /// [`TOP`].
    fn allows_root(&self, items: &Items, span: Span, children: &[ItemId], label: Label) -> bool {
        let Some(root) = self.task.constraints.root else { return true };
        if label == TOP {
            let mut words =
                children.iter().map(|&child| items.get(child)).filter(|item| !item.is_punctuation);
            return words.next().is_some_and(|item| item.is_phrase(root)) && words.next().is_none();
        }
        match children {
            [only] => !(self.is_whole(span) && items.has_in_chain(*only, root)),
            _ => true,
        }
    }
}

impl Guide for Constrained<'_> {
    fn score(&mut self, state: &ParserState, workspace: &mut Workspace, scored: &mut Vec<Scored>) {
        self.guide.score(state, workspace, scored);
        self.task.constraints.find_missing(state, &workspace.items, &mut self.missing);
        scored.retain(|scored| self.allows(state, &workspace.items, scored));
        let mut required = std::mem::take(&mut self.required);
        required.clear();
        let inferences = scored.iter().map(|scored| scored.inference);
        required.extend(inferences.filter(|&inference| self.is_required(state, &workspace.items, inference)));
        self.required = required;
    }

    fn first(&self, scored: &[Scored]) -> Option<(usize, Scored)> {
        let first = best(scored)?;
        if !is_doubtful_unary(first.1) {
            return Some(first);
        }
        let is_required = |scored: &Scored| self.required.contains(&scored.inference);
        let required: Vec<Scored> = scored.iter().copied().filter(is_required).collect();
        let Some((_, required)) = best(&required) else { return Some(first) };
        scored.iter().position(|scored| scored.inference == required.inference).map(|index| (index, required))
    }
}

/// Whether it puts a label over a single item, with a score that is not positive.
fn is_doubtful_unary(Scored { inference, score }: Scored) -> bool {
    score <= 0.0 && inference.place.len == 1 && inference.action != Action::Shift
}

#[cfg(test)]
mod tests {
    use super::super::reference::{ENDLESS_AGENDA, Game, SEARCHES, assert_best, config, games};
    use super::super::{Aggregator, Search};
    use super::*;
    use crate::parse::Status;
    use crate::rng::Rng;
    use crate::transition::item::ParseItem;
    use crate::transition::strategy::Strategy;

    /// The phrases of a tree.
    fn phrases(items: &Items, root: ItemId) -> Vec<(Span, Label)> {
        let phrases = items.phrases_below(root).into_iter().map(|id| items.get(id));
        phrases.map(|item| (item.span(), Label(item.symbol.0))).collect()
    }

    fn is_met(constraints: &LabelConstraints, items: &Items, root: ItemId) -> bool {
        let phrases = phrases(items, root);
        let is_there =
            |&required: &Required| phrases.iter().any(|&(span, label)| super::is_met(required, span, label));
        let children = items.children(root).iter().map(|&child| items.get(child));
        let words: Vec<&ParseItem> = children.filter(|item| !item.is_punctuation).collect();
        constraints.phrases.iter().all(is_there)
            && !constraints.uncrossed.iter().any(|&other| phrases.iter().any(|(span, _)| span.crosses(other)))
            && constraints.root.is_none_or(|root| matches!(words[..], [only] if only.is_phrase(root)))
    }

    /// Some of what is true of a tree.
    fn draw(items: &Items, root: ItemId, rng: &mut Rng) -> LabelConstraints {
        let mut constraints = LabelConstraints::none();
        for (span, label) in phrases(items, root).into_iter().skip(1) {
            match rng.below(6) {
                0 => constraints.phrases.push((span, Some(label))),
                1 => constraints.phrases.push((span, None)),
                2 => constraints.uncrossed.push(span),
                _ => {}
            }
        }
        if let ([only], true) = (items.children(root), rng.below(2) == 0) {
            let item = items.get(*only);
            if !item.is_terminal() {
                constraints.root = Some(Label(item.symbol.0));
            }
        }
        constraints
    }

    #[test]
    fn the_best_parse_that_meets_the_constraints_is_found() {
        let mut rng = Rng::new(1);
        let mut num_changed = 0;
        for mut game in games() {
            let (other, workspace) = game.parse(config(Search::Greedy, Aggregator::Additive));
            if other.status.is_fallback() {
                continue;
            }
            game.constraints = draw(&workspace.items, other.parses[0].root, &mut rng);
            let all = game.all_parses(Aggregator::Additive);
            let wanted =
                game.parses_that(Aggregator::Additive, |items, root| is_met(&game.constraints, items, root));
            num_changed += usize::from(all[0] != wanted[0]);
            let (searched, workspace) = game.parse(config(ENDLESS_AGENDA, Aggregator::Additive));
            assert_best(&wanted, &searched, &workspace, 1, Aggregator::Additive);
        }
        assert!(num_changed > 50, "{num_changed}");
    }

    #[test]
    fn constraints_that_can_be_met_never_lead_into_a_dead_end() {
        let mut rng = Rng::new(1);
        for (seed, strategy) in (0..40).flat_map(|seed| Strategy::ALL.map(|strategy| (seed, strategy))) {
            let tags = ["N N N N N N N", "N N , N N", ", N N N .", "N"][seed as usize % 4];
            let mut game = Game::new(seed, strategy, tags, 4, usize::MAX);
            let (other, workspace) = game.parse(config(Search::Greedy, Aggregator::Additive));
            game.constraints = draw(&workspace.items, other.parses[0].root, &mut rng);
            assert!(game.constraints.check(&game.terminals).is_ok());
            game.guide.seed += 1000;
            for search in SEARCHES {
                let (searched, workspace) = game.parse(config(search, Aggregator::Additive));
                assert!(!searched.status.is_fallback(), "{strategy:?} {search:?} {:?}", game.constraints);
                assert!(is_met(&game.constraints, &workspace.items, searched.parses[0].root));
            }
        }
    }

    #[test]
    fn no_doubtful_label_comes_between_the_whole_and_the_required_one() {
        let root = Label(1);
        for (seed, strategy) in (0..40).flat_map(|seed| Strategy::ALL.map(|strategy| (seed, strategy))) {
            let mut game = Game::new(seed, strategy, "N N , N N", 5, usize::MAX);
            game.constraints.root = Some(root);
            let (searched, workspace) = game.parse(config(Search::Greedy, Aggregator::Additive));
            let items = &workspace.items;
            assert!(is_met(&game.constraints, items, searched.parses[0].root));
            for step in searched.parses[0].steps.iter().filter(|step| is_doubtful_unary(step.scored)) {
                let item = items.get(step.item.expect("not a shift"));
                let is_on_the_way = item.is_phrase(root) || item.is_phrase(TOP);
                assert!(item.span().len() < 5 || is_on_the_way, "{strategy:?} {seed}");
            }
        }
    }

    #[test]
    fn constraints_that_cannot_be_met_lead_to_a_fallback() {
        let mut game = Game::new(0, Strategy::RightToLeft, "N , N", 3, usize::MAX);
        game.constraints.phrases.push((Span::new(0, 2), None));
        assert!(game.constraints.check(&game.terminals).is_err());
        for search in SEARCHES {
            let (searched, _) = game.parse(config(search, Aggregator::Additive));
            assert_eq!(searched.status, Status::Fallback(None));
        }
    }

    #[test]
    fn punctuation_at_the_edge_of_a_phrase_is_refused() {
        let game = Game::new(0, Strategy::RightToLeft, "N , N N", 3, usize::MAX);
        let check = |start, end, label| {
            let phrases = vec![(Span::new(start, end), label)];
            LabelConstraints { phrases, ..LabelConstraints::none() }.check(&game.terminals)
        };
        let message = check(1, 3, None).expect_err("an error").to_string();
        assert!(message.contains("no phrase can be 1..3: it begins or ends with punctuation"), "{message}");
        assert!(check(0, 2, None).is_err());
        assert!(check(0, 4, Some(Label(1))).is_ok());
    }
}
