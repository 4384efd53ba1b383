//! `boughs treebank`: everything done with treebanks before and after parsing.

mod binarize;
mod check;
mod clean;
mod convert;
mod diff;
mod draw;
mod highlight;
mod numbers;
mod search;
mod split;
mod stats;

verbs! {
    /// Check, count, compare, search, clean, convert, split and draw treebanks
    TreebankCommand {
        Check(check::CheckArgs) => check::run,
        Stats(stats::StatsArgs) => stats::run,
        Search(Box<search::SearchTreesArgs>) => search::run,
        Clean(Box<clean::CleanArgs>) => clean::run,
        Diff(diff::DiffArgs) => diff::run,
        Convert(convert::ConvertArgs) => convert::run,
        Split(split::SplitArgs) => split::run,
        Draw(draw::DrawArgs) => draw::run,
    }
}
