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
            return Some(if PREFIXES_WITH_PERIODS.contains(&lowercase(word).as_str()) {
                Self::Prefix
            } else {
                Self::Anywhere
            });
        }
        if word.len() > LONGEST || !word.is_ascii() {
            return None;
        }
        listed(word)
    }
}

fn single_letter(word: &str) -> Abbreviation {
    match word {
        "p" | "c" | "n" | "s" | "b" | "d" => Abbreviation::BeforeNumber,
        "v" => Abbreviation::Prefix,
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
    let lower = lowercase(word);
    let is_in = |list: &[&str]| list.binary_search(&lower.as_str()).is_ok();
    let is_capital = word.starts_with(|c: char| c.is_ascii_uppercase());
    if is_in(&PREFIXES) || (is_capital && is_in(&CAPITAL_PREFIXES)) {
        Some(Abbreviation::Prefix)
    } else if is_in(&ANYWHERE) || (is_capital && is_in(&CAPITALS_ANYWHERE)) {
        Some(Abbreviation::Anywhere)
    } else if is_in(&BEFORE_NUMBERS) {
        Some(Abbreviation::BeforeNumber)
    } else {
        None
    }
}

fn lowercase(word: &str) -> String {
    word.to_ascii_lowercase()
}

/// The longest word of the lists.
const LONGEST: usize = 7;

const PREFIXES_WITH_PERIODS: [&str; 4] = ["e.g", "i.e", "c.f", "a.k.a"];

const PREFIXES: [&str; 21] = [
    "approx", "ca", "capt", "cf", "drs", "eg", "eqs", "figs", "hon", "ie", "lt", "messrs", "mlle", "mme",
    "mr", "mrs", "ms", "prof", "sgt", "viz", "vs",
];

const CAPITAL_PREFIXES: [&str; 17] = [
    "adm", "brig", "cmdr", "col", "dr", "fig", "fr", "ft", "gen", "gov", "maj", "mt", "profs", "rep", "rev",
    "sen", "st",
];

const BEFORE_NUMBERS: [&str; 21] = [
    "abt", "app", "art", "ch", "chap", "circ", "ed", "eq", "fig", "figs", "no", "nos", "nr", "pp", "pt",
    "ref", "refs", "sec", "tel", "vol", "vols",
];

const ANYWHERE: [&str; 18] = [
    "al", "assn", "bros", "corp", "dept", "esq", "est", "etc", "govt", "inc", "intl", "jr", "ltd", "natl",
    "pty", "univ", "vs", "yr",
];

/// Months, days, states, streets and firms, which without a capital are words of other kinds.
const CAPITALS_ANYWHERE: [&str; 66] = [
    "ala", "apr", "ariz", "ark", "assoc", "aug", "ave", "bldg", "blvd", "calif", "cie", "co", "colo", "conn",
    "cos", "ct", "dec", "del", "dept", "feb", "fla", "fri", "ga", "hwy", "ill", "ind", "jan", "jul", "jun",
    "kan", "ky", "la", "llc", "mar", "mass", "md", "mfg", "mich", "minn", "miss", "mon", "mont", "neb",
    "nev", "nov", "oct", "okla", "ont", "ore", "pa", "ph", "phd", "plc", "rd", "sat", "sep", "sept", "sr",
    "sun", "tenn", "tex", "thur", "thurs", "tue", "tues", "va",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_short() {
        let lists: [&[&str]; 5] =
            [&PREFIXES, &CAPITAL_PREFIXES, &BEFORE_NUMBERS, &ANYWHERE, &CAPITALS_ANYWHERE];
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
