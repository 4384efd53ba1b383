//! What can be said of all sentences together.

use std::io::{self, Write};

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

    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.write_search(out)?;
        if self.num_gold > 0 {
            self.write_faults(out)?;
            self.write_tally(out)?;
        }
        Ok(())
    }

    fn write_search(&self, out: &mut impl Write) -> io::Result<()> {
        let mut table = Table::new(&["search", "sentences", "%"]);
        let rows = [
            ("searched", self.num_searched),
            ("optimal", self.num_optimal),
            ("cut short", self.num_cut_short),
            ("no complete parse", self.num_fallbacks),
        ];
        let greedy = self.num_greedy.map(|number| ("greedy parse was the best", number));
        for (name, number) in rows.into_iter().chain(greedy) {
            table.row(vec![name.to_owned(), number.to_string(), percent(number, self.num_searched)]);
        }
        table.write(out)
    }

    fn write_faults(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out)?;
        let num_diagnosed: u64 = self.faults.iter().sum();
        let mut table = Table::new(&["against the gold trees", "sentences", "%"]);
        for (name, fault) in [
            ("as in the gold tree", ParseFault::None),
            ("search error", ParseFault::Search),
            ("model error", ParseFault::Model),
            ("gold tree breaks the rules", ParseFault::Rules),
        ] {
            let number = self.faults[fault as usize];
            table.row(vec![name.to_owned(), number.to_string(), percent(number, num_diagnosed)]);
        }
        table.row(vec![
            "labels the model does not know".to_owned(),
            self.num_unusable.to_string(),
            String::new(),
        ]);
        table.write(out)
    }

    fn write_tally(&self, out: &mut impl Write) -> io::Result<()> {
        let wrong = self.tally.all.num_wrong();
        let row = |name: String, share: DecisionAccuracy| {
            let of_errors = percent(share.num_wrong(), wrong);
            vec![name, share.num_all.to_string(), figure(share.percent()), of_errors]
        };
        let head = |name| [name, "decisions", "% right", "% of errors"];
        writeln!(out, "\nAt the states of the gold trees:")?;
        let mut table = Table::new(&head("label"));
        table.row(row("all".to_owned(), self.tally.all));
        for (label, share) in &self.tally.by_label {
            table.row(row(label.clone(), *share));
        }
        table.write(out)?;
        writeln!(out)?;
        let mut table = Table::new(&head("children"));
        for (number, share) in &self.tally.by_children {
            table.row(row(number.to_string(), *share));
        }
        table.write(out)?;
        self.write_confusions(out)
    }

    fn write_confusions(&self, out: &mut impl Write) -> io::Result<()> {
        let mut confusions: Vec<_> = self.tally.confusions.iter().collect();
        // The sort is stable, so equals stay in the order of labels.
        confusions.sort_by(|a, b| b.1.cmp(a.1));
        if confusions.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        let mut table = Table::new(&["right", "taken for", "times", "% of errors"]);
        let wrong = self.tally.all.num_wrong();
        for ((right, made), number) in confusions.into_iter().take(MOST_CONFUSIONS) {
            let made = if right == made { "the same elsewhere" } else { made };
            table.row(vec![right.clone(), made.to_owned(), number.to_string(), percent(*number, wrong)]);
        }
        table.write(out)
    }
}

fn percent(part: u64, whole: u64) -> String {
    figure((whole > 0).then(|| 100.0 * part as f64 / whole as f64))
}
