//! Plain grammars: rules as likely as they are frequent in the training trees.
//!
//! The naive form reads rules off the trees as they are, and is a poor parser (Charniak 1996): it believes too much of
//! the long rules and knows too little of where a phrase stands. Binarisation that forgets (horizontal markovisation)
//! helps against the one, names that tell the parent (vertical) against the other (Johnson 1998). [`Annotations`] tell
//! more, from what linguists know of English (Klein & Manning 2003): they make substates, and the grammar without them
//! prunes.

use serde::{Deserialize, Serialize};

use super::grammar::{Annotations, BinaryTrees, GrammarTrees, LexiconConfig, estimate};
use super::settings::{as_text, identity};
use super::tags::{at_most, tagger_for};
use super::{chart_parser, substates_of};
use crate::error::Result;
use crate::learn::run::{Figure, Recipe, Scores, Step, Watch};
use crate::model::{GrammarModel, Level, ModelFile};
use crate::parser::Parser;
use crate::tagger::{Tagger, TaggerConfig};
use crate::tree::profile::Profile;
use crate::tree::{Binarization, Tree, Unaries};

/// Settings of training a plain grammar.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct PcfgConfig {
    /// The conventions of the treebank: a name, or the text of a profile. Default: the Penn Treebank's.
    #[serde(with = "as_text", skip_serializing_if = "Profile::is_default")]
    pub profile: Profile,
    /// How many children already there a part of a phrase remembers. Default: 1.
    pub horizontal: usize,
    /// How many generations are in the name of a phrase: 1 for the phrase, 2 with its parent. Default: 2.
    pub vertical: usize,
    /// What symbols are split by. Default: nothing.
    #[serde(with = "as_text")]
    pub annotations: Annotations,
    /// What becomes of unary chains. Default: they are rules.
    pub unaries: Unaries,
    /// How words are counted.
    pub lexicon: LexiconConfig,
    /// Longer sentences are left out, but not of the tagger. Default: none.
    pub max_words: Option<usize>,
    /// Whether a tagger comes with the grammar, whose posteriors make it better. Default: no.
    pub with_tagger: bool,
    /// How that tagger is trained.
    pub tagger: TaggerConfig,
}

impl Default for PcfgConfig {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            horizontal: 1,
            vertical: 2,
            annotations: Annotations::default(),
            unaries: Unaries::default(),
            lexicon: LexiconConfig::default(),
            max_words: None,
            with_tagger: false,
            tagger: TaggerConfig::default(),
        }
    }
}

impl PcfgConfig {
    /// The X-bar grammar that splitting starts from: parts of phrases remember nothing.
    pub fn x_bar() -> Self {
        Self { horizontal: 0, vertical: 1, ..Self::default() }
    }

    /// How trees are binarised.
    pub(super) fn binarization(&self) -> Binarization {
        Binarization {
            horizontal: Some(self.horizontal),
            vertical: self.vertical,
            unaries: self.unaries,
            ..Binarization::default()
        }
    }
}

/// How far the words of the substates of annotations are moved to the mean of their tag.
const WORD_SMOOTHING: f32 = 0.1;

/// Reads a grammar off trees.
///
/// # Errors
/// If there is nothing to learn from, a setting is out of its range, or the annotations are not for such trees.
pub(super) fn read_off(trees: &[Tree], config: &PcfgConfig) -> Result<GrammarModel> {
    config.lexicon.check()?;
    let trees = BinaryTrees::new(trees, &config.binarization(), &config.annotations)?;
    Ok(read_off_numbered(trees.number(&config.lexicon.classes, |_| true), config))
}

/// The same of trees that are binarised and numbered already.
pub(super) fn read_off_numbered(trees: GrammarTrees, config: &PcfgConfig) -> GrammarModel {
    let grammar = trees.relative_frequencies();
    let counts = trees.leaf_counts(&grammar);
    let (lexicon, _) = estimate(&trees, &grammar, &counts, &config.lexicon, WORD_SMOOTHING);
    let weights = trees.substate_counts().1.into_iter().map(|count| count as f32).collect();
    let split = trees.sizes.iter().map(|&size| vec![0; usize::from(size)]).collect();
    let splits = if config.annotations.is_empty() { Vec::new() } else { vec![split] };
    GrammarModel::new(trees.symbols, Level { grammar, lexicon, weights }, splits)
}

/// A plain grammar, and its tagger.
#[derive(Debug, Default)]
pub struct PcfgState {
    grammar: Option<GrammarModel>,
    tagger: Option<Tagger>,
}

impl Recipe for PcfgConfig {
    type Data = [Tree];
    type State = PcfgState;
    type Model = Parser;

    fn name(&self) -> &'static str {
        "pcfg"
    }

    fn identity(&self, train: &[Tree], dev: Option<&[Tree]>) -> String {
        identity(self, train, dev)
    }

    fn start(&self, train: &[Tree], watch: &Watch<'_>) -> Result<PcfgState> {
        let tagger = self.with_tagger.then(|| tagger_for(train, &[], &self.tagger, watch)).transpose()?;
        Ok(PcfgState { grammar: None, tagger })
    }

    fn step(&self, train: &[Tree], state: &mut PcfgState, _: &Watch<'_>) -> Result<Option<Step>> {
        let grammar = state.grammar.insert(read_off(&at_most(train, self.max_words), self)?);
        let figures = vec![
            Figure::count("symbols", grammar.symbols().len()),
            Figure::count("rules", grammar.finest().grammar.num_nonzero()),
        ];
        Ok(Some(Step { is_last: true, ..Step::candidate(0, figures) }))
    }

    fn model(&self, state: &PcfgState) -> Result<Parser> {
        let mut parser = chart_parser(state.grammar.iter().cloned().collect(), state.tagger.clone(), self)?;
        substates_of(&mut parser);
        Ok(parser)
    }

    fn evaluate(&self, _: &mut PcfgState, parser: &Parser, dev: &[Tree]) -> Result<Scores> {
        parser.evaluate(&at_most(dev, self.max_words))
    }

    fn patience(&self) -> usize {
        1
    }

    fn save(&self, _: &PcfgState, _: &mut ModelFile) -> Result<()> {
        Ok(())
    }

    /// There is one step, and it takes no time.
    fn restore(&self, state: &mut PcfgState, _: &ModelFile) -> Result<()> {
        state.grammar = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::{ChartOptions, ChartParser};
    use crate::model::ChartModel;
    use crate::parse::{Request, Status};
    use crate::span::Span;
    use crate::tree::{Constraints, Unaries};

    fn compound() -> GrammarModel {
        let trees = [
            "( (S (VP (VB Go))))",
            "( (S (VP (VB Go) (NP (NN home)))))",
            "( (S (NP (NN home)) (VP (VB go))))",
            "( (S (NP (NN home)) (VP (VB go) (S (VP (VB go) (NP (NN home)))))))",
        ];
        let trees = trees.map(|text| text.parse::<Tree>().unwrap());
        let config = PcfgConfig { unaries: Unaries::CollapseBelowRoot, ..PcfgConfig::x_bar() };
        read_off(&trees, &config).unwrap()
    }

    /// The trees that meet the constraints.
    fn parse(model: &GrammarModel, text: &str, constraints: &Constraints) -> Vec<String> {
        let tokens = text.parse::<Tree>().unwrap().into_sentence();
        let model: ChartModel = model.clone().into();
        let request = Request { constraints, ..Request::new(&tokens) };
        let parsed = ChartParser::new(&model, &ChartOptions::exact()).parse(request, &[]).unwrap();
        let parses = if parsed.status == Status::Pruned { parsed.parses } else { Vec::new() };
        parses.iter().map(|parse| parse.tree.to_string()).collect()
    }

    #[test]
    fn chains_are_one_symbol_and_come_apart_in_trees() {
        let model = compound();
        let symbols = model.symbols();
        let chain = symbols.phrase("S+VP").unwrap();
        let is_chained = |rule: &crate::model::GrammarRule| {
            rule.right.is_none() && !symbols.is_tag(rule.left) && rule.parent != symbols.root()
        };
        assert!(!model.finest().grammar.rules().iter().any(is_chained), "no phrase alone below another");
        assert!(model.finest().grammar.find(symbols.root(), chain, None).is_some());
        let trees = parse(&model, "(X (VB Go) (NN home))", &Constraints::default());
        assert_eq!(trees, ["(TOP (S (VP (VB Go) (NP (NN home)))))"]);
    }

    #[test]
    fn a_chain_that_is_required_is_found_in_one_symbol() {
        let (model, words) = (compound(), "(X (NN home) (VB go) (VB go) (NN home))");
        let demand = |labels: &[&str]| {
            let mut constraints = Constraints::default();
            labels.iter().for_each(|label| constraints.require(Span::new(2, 4), Some(label)));
            parse(&model, words, &constraints)
        };
        let wanted = "(TOP (S (NP (NN home)) (VP (VB go) (S (VP (VB go) (NP (NN home)))))))";
        assert_eq!(demand(&["S", "VP"]), [wanted]);
        assert!(demand(&["S"]).is_empty() && demand(&["VP"]).is_empty(), "those and no others");
        assert!(model.check_label("VP").is_ok() && model.check_label("S+VP").is_err());
    }

    /// What the coarse grammar leaves out is in no tree that is taken, whether the fine one has a beam or not. It is
    /// pruning all the same: of the longer sentences of news one gets another tree.
    #[test]
    fn the_coarse_grammar_changes_no_tree_of_short_sentences() {
        let mut trees = crate::treebank::sample("news");
        trees.retain(|tree| tree.num_tokens() <= 16);
        assert!(trees.len() > 30);
        let config = PcfgConfig::default();
        let plain = read_off(&crate::treebank::sample("travel"), &config).unwrap();
        let projected = plain.clone().projected();
        assert!(projected.projection().is_some() && plain.projection().is_none());
        let parse = |grammar: &GrammarModel, options: ChartOptions| {
            let parser = chart_parser(vec![grammar.clone()], None, &config).unwrap();
            let parser = parser.with_engine(crate::parser::EngineOptions::Chart(options)).unwrap();
            let parsed = parser.parse_words_of(&trees).unwrap();
            parsed.iter().map(|parsed| parsed.tree().to_string()).collect::<Vec<_>>()
        };
        let usual = ChartOptions::default();
        assert_eq!(parse(&projected, usual.clone()), parse(&plain, usual));
        // A beam of nothing: the coarse grammar is asked, and the fine one looks at all that it leaves.
        let coarse_only = ChartOptions { beam: f32::MIN_POSITIVE, ..ChartOptions::exact() };
        assert_eq!(
            parse(&projected, coarse_only),
            parse(&plain, ChartOptions::exact()),
            "as with everything"
        );
    }
}
