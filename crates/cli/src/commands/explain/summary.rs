//! What can be said of all sentences together.

use std::fmt::Display;

use boughs::parse::Status;
use boughs::transition::explain::{DecisionAccuracy, Explained, Explainer, GoldTally, ParseFault};
use boughs::tree::{Tokens, Tree};
use boughs_learn::rng::Rng;

use crate::table::{Table, figure};

/// Pairs of labels to show that are mistaken for each other.
const MOST_CONFUSIONS: usize = 10;

#[derive(Default)]
pub(super) struct Summary {
    num_searched: u64,
    num_optimal: u64,
    num_cut_short: u64,
    num_fallbacks: u64,
    /// Sentences whose greedy parse was the best found; none if the search does not know.
    num_greedy: Option<u64>,
    faults: [u64; 5],
    num_gold: u64,
    /// Gold trees that the parser cannot be measured by: unknown labels.
    num_unusable: u64,
    tally: GoldTally,
}

impl Summary {
    pub(super) fn add(
        &mut self,
        explainer: &mut Explainer<'_>,
        tokens: &Tokens,
        gold: Option<&Tree>,
        explained: &Explained,
    ) {
        self.num_searched += u64::from(explained.status != Status::Trivial);
        self.num_optimal += u64::from(explained.status == Status::Optimal);
        self.num_fallbacks += u64::from(explained.status.is_fallback());
        self.num_cut_short += u64::from(explained.status.limit().is_some());
        if let Some(was_best) = explained.greedy_was_best {
            *self.num_greedy.get_or_insert(0) += u64::from(was_best);
        }
        if let Some(diagnosis) = &explained.diagnosis {
            self.faults[diagnosis.fault as usize] += 1;
        }
        if let Some(gold) = gold.filter(|gold| !gold.is_empty()) {
            self.num_gold += 1;
            let mut rng = Rng::stream(0, self.num_gold);
            self.num_unusable += u64::from(!explainer.tally(tokens, gold, &mut rng, &mut self.tally));
        }
    }

    pub(super) fn text(&self) -> String {
        match self.num_gold {
            0 => self.search().to_string(),
            _ => format!(
                "{}\n{}\nAt the states of the gold trees:\n{}",
                self.search(),
                self.faults(),
                self.decisions()
            ),
        }
    }

    fn search(&self) -> Table {
        let mut table = Table::new(&["search", "sentences", "%"]);
        let rows = [
            ("searched", self.num_searched),
            ("optimal", self.num_optimal),
            ("cut short", self.num_cut_short),
            ("no complete parse", self.num_fallbacks),
        ];
        let greedy = self.num_greedy.map(|number| ("greedy parse was the best", number));
        for (name, number) in rows.into_iter().chain(greedy) {
            table.row(&[&name, &number, &percent(number, self.num_searched)]);
        }
        table
    }

    fn faults(&self) -> Table {
        let num_diagnosed: u64 = self.faults.iter().sum();
        let mut table = Table::new(&["against the gold trees", "sentences", "%"]);
        for (name, fault) in [
            ("as in the gold tree", ParseFault::None),
            ("search error", ParseFault::Search),
            ("model error", ParseFault::Model),
            ("gold tree breaks the rules", ParseFault::Rules),
        ] {
            let number = self.faults[fault as usize];
            table.row(&[&name, &number, &percent(number, num_diagnosed)]);
        }
        table.row(&[&"labels the model does not know", &self.num_unusable, &""]);
        table
    }

    fn decisions(&self) -> String {
        let wrong = self.tally.all.num_wrong();
        let table = |name: &str, rows: &mut dyn Iterator<Item = (&dyn Display, &DecisionAccuracy)>| {
            let mut table = Table::new(&[name, "decisions", "% right", "% of errors"]);
            for (name, share) in rows {
                let of_errors = percent(share.num_wrong(), wrong);
                table.row(&[name, &share.num_all, &figure(share.percent()), &of_errors]);
            }
            table
        };
        let GoldTally { all, by_label, by_children, .. } = &self.tally;
        let all: (&dyn Display, &DecisionAccuracy) = (&"all", all);
        let of_labels = by_label.iter().map(|(label, share)| (label as &dyn Display, share));
        let mut of_children = by_children.iter().map(|(number, share)| (number as &dyn Display, share));
        let labels = table("label", &mut std::iter::once(all).chain(of_labels));
        format!("{labels}\n{}{}", table("children", &mut of_children), self.confusions())
    }

    fn confusions(&self) -> String {
        let mut confusions: Vec<_> = self.tally.confusions.iter().collect();
        // The sort is stable, so equals stay in the order of labels.
        confusions.sort_by(|a, b| b.1.cmp(a.1));
        if confusions.is_empty() {
            return String::new();
        }
        let mut table = Table::new(&["right", "taken for", "times", "% of errors"]);
        let wrong = self.tally.all.num_wrong();
        for ((right, made), number) in confusions.into_iter().take(MOST_CONFUSIONS) {
            let made = if right == made { "the same elsewhere" } else { made };
            table.row(&[right, &made, number, &percent(*number, wrong)]);
        }
        format!("\n{table}")
    }
}

fn percent(part: u64, whole: u64) -> String {
    figure((whole > 0).then(|| 100.0 * part as f64 / whole as f64))
}
