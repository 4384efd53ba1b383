//! Words that end with a period of their own, by what the period says about the end of a sentence.

/// What a period after a word means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Abbreviation {
    /// It never ends a sentence: something must follow, as a name after `Mr.`.
    Prefix,
    /// It ends no sentence if a number follows, as after `No.`; otherwise the word is no abbreviation.
    BeforeNumber,
    /// It may end a sentence, as after `Inc.` or `U.S.`; what follows must tell.
    Anywhere,
    /// An initial, as in `J. Smith`, or a letter that happens to be the last word.
    Initial,
}

impl Abbreviation {
    /// What the word, written with a period after it, is; none if it is an ordinary word.
    pub(super) fn of(word: &str) -> Option<Self> {
        let num_chars = word.chars().take(2).count();
        if num_chars == 1 && word.starts_with(char::is_alphabetic) {
            return Some(single_letter(word));
        }
        if has_inner_period(word) {
            let is_prefix = PREFIXES_WITH_PERIODS.contains(&word.to_ascii_lowercase().as_str());
            return Some(if is_prefix { Self::Prefix } else { Self::Anywhere });
        }
        if !(2..=LONGEST).contains(&word.len()) || !word.is_ascii() {
            return None;
        }
        listed(word)
    }
}

/// A small letter is a unit (`5 h.`), or short for a word before a number (`p. 5`).
fn single_letter(word: &str) -> Abbreviation {
    match word {
        "v" => Abbreviation::Prefix,
        _ if word.starts_with(char::is_lowercase) => Abbreviation::BeforeNumber,
        _ => Abbreviation::Initial,
    }
}

/// Whether the word is made of short parts with periods between them, as `U.S`, `Ph.D`, `a.m`: no number, no host.
fn has_inner_period(word: &str) -> bool {
    let is_part =
        |part: &str| (1..=3).contains(&part.chars().take(4).count()) && part.chars().all(char::is_alphabetic);
    word.contains('.')
        && word.split('.').all(is_part)
        && word.split('.').any(|part| part.chars().nth(1).is_none())
}

fn listed(word: &str) -> Option<Abbreviation> {
    let lower = word.to_ascii_lowercase();
    let is_in = |list: &[&str]| list.binary_search(&lower.as_str()).is_ok();
    // Words all in capitals are names of other things: `EST`, `OCT`, `CA`.
    let is_shouted = word.as_bytes()[1].is_ascii_uppercase();
    let is_capital = word.as_bytes()[0].is_ascii_uppercase() && !is_shouted;
    let is_prefix = (!is_shouted && is_in(&PREFIXES)) || (is_capital && is_in(&CAPITAL_PREFIXES));
    if is_prefix || is_in(&TITLES) {
        Some(Abbreviation::Prefix)
    } else if is_in(&ANYWHERE) || (is_capital && is_in(&CAPITALS_ANYWHERE)) {
        Some(Abbreviation::Anywhere)
    } else if is_in(&BEFORE_NUMBERS) {
        Some(Abbreviation::BeforeNumber)
    } else {
        None
    }
}

/// The longest word of the lists.
const LONGEST: usize = 7;

const PREFIXES_WITH_PERIODS: [&str; 4] = ["e.g", "i.e", "c.f", "a.k.a"];

/// Titles, however they are written.
const TITLES: [&str; 4] = ["dr", "mr", "mrs", "prof"];

const PREFIXES: [&str; 9] = ["approx", "ca", "cf", "eg", "eqs", "figs", "ie", "viz", "vs"];

const CAPITAL_PREFIXES: [&str; 25] = [
    "adm", "brig", "capt", "cmdr", "col", "drs", "fig", "fr", "ft", "gen", "gov", "hon", "lt", "maj",
    "messrs", "mlle", "mme", "ms", "mt", "profs", "rep", "rev", "sen", "sgt", "st",
];

const BEFORE_NUMBERS: [&str; 23] = [
    "abt", "app", "art", "cat", "ch", "chap", "chr", "circ", "ed", "eq", "fig", "figs", "no", "nos", "nr",
    "pp", "pt", "ref", "refs", "sec", "tel", "vol", "vols",
];

const ANYWHERE: [&str; 16] = [
    "al", "assn", "bros", "corp", "dept", "esq", "etc", "govt", "inc", "intl", "jr", "ltd", "natl", "pty",
    "univ", "yr",
];

/// Months, days, states, streets and firms, which without a capital are words of other kinds.
const CAPITALS_ANYWHERE: [&str; 68] = [
    "ala", "apr", "ariz", "ark", "assoc", "aug", "ave", "bldg", "blvd", "calif", "cie", "co", "colo", "conn",
    "cos", "ct", "dec", "del", "dept", "est", "feb", "fla", "fri", "ga", "hwy", "ill", "ind", "jan", "jul",
    "jun", "kan", "ky", "la", "llc", "mar", "mass", "md", "mfg", "mich", "minn", "miss", "mo", "mon", "mont",
    "neb", "nev", "nov", "oct", "okla", "ont", "ore", "pa", "ph", "phd", "plc", "rd", "sat", "sep", "sept",
    "sr", "sun", "tenn", "tex", "thur", "thurs", "tue", "tues", "va",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_short() {
        let lists: [&[&str]; 6] =
            [&TITLES, &PREFIXES, &CAPITAL_PREFIXES, &BEFORE_NUMBERS, &ANYWHERE, &CAPITALS_ANYWHERE];
        for list in lists {
            assert!(list.is_sorted(), "{list:?}");
            assert!(list.iter().all(|word| word.len() <= LONGEST), "{list:?}");
        }
    }

    #[test]
    fn words_by_what_their_period_means() {
        for (word, expected) in [
            ("Mr", Some(Abbreviation::Prefix)),
            ("e.g", Some(Abbreviation::Prefix)),
            ("Gen", Some(Abbreviation::Prefix)),
            ("gen", None),
            ("No", Some(Abbreviation::BeforeNumber)),
            ("Inc", Some(Abbreviation::Anywhere)),
            ("U.S", Some(Abbreviation::Anywhere)),
            ("Ph.D", Some(Abbreviation::Anywhere)),
            ("Sun", Some(Abbreviation::Anywhere)),
            ("sun", None),
            ("EST", None),
            ("CA", None),
            ("MR", Some(Abbreviation::Prefix)),
            ("ms", None),
            ("h", Some(Abbreviation::BeforeNumber)),
            ("J", Some(Abbreviation::Initial)),
            ("É", Some(Abbreviation::Initial)),
            ("3.5", None),
            ("node.js", None),
            ("7", None),
            ("bough", None),
            ("", None),
        ] {
            assert_eq!(Abbreviation::of(word), expected, "{word}");
        }
    }
}
