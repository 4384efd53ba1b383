//! x
#![allow(clippy::print_stderr, missing_docs, clippy::unwrap_used)]
use boughs::eval::{Parameters, Scorer, Totals};
use boughs::tree::read::{Input, ReadOptions, TreebankReader};
use boughs::tree::transform::{Pipeline, sentence_length};
fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let max: usize = a[1].parse().unwrap();
    let p = Pipeline::named("tm06").unwrap();
    let mut scorer = Scorer::new(Parameters::named("COLLINS").unwrap());
    let mut totals = Totals::default();
    for t in TreebankReader::open(vec![Input::Path(a[0].clone().into())], ReadOptions::default()).unwrap() {
        let t = t.unwrap();
        if sentence_length(&t) > max {
            continue;
        }
        let mut q = t.clone();
        let r = p.prepare(&mut q);
        let back = r.restore(&q).unwrap();
        totals.add(&scorer.score(&t, &back));
    }
    let f = totals.all.strict();
    eprintln!(
        "{:?} {:?} {:?} n={} gold per sentence {:?}",
        f.precision(),
        f.recall(),
        f.f1(),
        totals.all.num_sentences(),
        f
    );
}
