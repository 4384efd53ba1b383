//! Plain grammars: rules as likely as they are frequent in the training trees.
//!
//! The naive form reads rules off the trees as they are, and is a poor parser (Charniak 1996): it believes too much of the long rules and
//! knows too little of where a phrase stands. Binarisation that forgets (horizontal markovisation) helps against the one, names that tell the
//! parent (vertical) against the other (Johnson 1998). [`Annotations`] tell more, from what linguists know of English (Klein & Manning 2003): they are sub-symbols, and the grammar
//! without them prunes.

use super::grammar::{Annotations, GrammarScores, GrammarTrees, LexiconConfig, estimate, measure};
use crate::chart::ChartOptions;
use crate::error::Result;
use crate::model::{GrammarModel, Level};
use crate::tree::{Binarization, Tree};

/// Settings of training.
#[derive(Debug, Clone)]
pub struct PcfgConfig {
    /// How trees are binarised, and what names remember. Default: right-branching, one child and the parent.
    pub binarization: Binarization,
    /// What symbols are split by. Default: nothing.
    pub annotations: Annotations,
    /// How words are counted.
    pub lexicon: LexiconConfig,
}

impl Default for PcfgConfig {
    fn default() -> Self {
        Self {
            binarization: Binarization { horizontal: Some(1), vertical: 2, ..Binarization::default() },
            annotations: Annotations::default(),
            lexicon: LexiconConfig::default(),
        }
    }
}

/// How far the words of the sub-symbols of annotations are moved to the mean of their tag.
const WORD_SMOOTHING: f32 = 0.1;

/// Reads a grammar off trees.
///
/// # Errors
/// If there is nothing to learn from, a setting is out of its range, or the annotations are not for such trees.
pub fn train(trees: &[Tree], config: &PcfgConfig) -> Result<GrammarModel> {
    config.lexicon.check()?;
    let (how, classes) = (&config.binarization, &config.lexicon.classes);
    let trees = GrammarTrees::annotated(trees, how, classes, &config.annotations)?;
    let grammar = trees.relative_frequencies();
    let counts = trees.leaf_counts(&grammar);
    let (lexicon, _) = estimate(&trees, &grammar, &counts, &config.lexicon, WORD_SMOOTHING);
    let weights = trees.substate_counts().1.into_iter().map(|count| count as f32).collect();
    let split = trees.sizes.iter().map(|&size| vec![0; usize::from(size)]).collect();
    let splits = if config.annotations.is_empty() { Vec::new() } else { vec![split] };
    Ok(GrammarModel::new(trees.symbols, Level { grammar, lexicon, weights }, splits))
}

/// Parses the words of trees with a grammar, which tags for itself, and compares.
pub fn evaluate(model: &GrammarModel, trees: &[Tree], config: &ChartOptions) -> GrammarScores {
    measure(model, trees, config)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::ChartParser;
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
        let binarization = Binarization { unaries: Unaries::CollapseBelowRoot, ..Binarization::x_bar() };
        train(&trees, &PcfgConfig { binarization, ..PcfgConfig::default() }).unwrap()
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
    fn a_chain_that_is_demanded_is_found_in_one_symbol() {
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
}
