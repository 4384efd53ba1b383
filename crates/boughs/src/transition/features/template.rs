//! Templates: the text form of feature sets.
//!
//! A line is a kind of feature, the groups it looks at, separated by commas, and after a colon what it asks of each:
//!
//! ```text
//! item   left 0..2, first 0, head -1..1 : label word
//! some   children, not-head             : tag
//! num-terminals children                : >0..15 =0..15
//! ```
//!
//! `0..2` stands for 0, 1 and 2. Lines that start with `#` are comments.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use super::group::{ChildPlace, Group, ItemPlace, Predicate, Set};
use crate::error::{Error, Result, syntax};
use crate::tree::rule_text::{for_each_line, name_or_text, named_text};

/// The named sets: name, text.
pub const TEMPLATE_SETS: [(&str, &str); 6] = [
    ("kitchen-sink", include_str!("../../../data/features/kitchen-sink.features")),
    ("release-2006", include_str!("../../../data/features/release-2006.features")),
    ("baseline", include_str!("../../../data/features/baseline.features")),
    ("tm05", include_str!("../../../data/features/tm05.features")),
    ("tm05-context-1", include_str!("../../../data/features/tm05-context-1.features")),
    ("tm05-context-0", include_str!("../../../data/features/tm05-context-0.features")),
];

/// The largest number of items or terminals to compare with.
const MAX_COUNT: i32 = 100;

/// The largest distance of an item; farther ones would take much memory for little.
const MAX_DISTANCE: i32 = 10;

/// Groups, and what is asked of each, in the order of the text and without repetitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Templates {
    /// The groups, and what is asked of each.
    pub(super) groups: Vec<(Group, Vec<Predicate>)>,
    text: String,
}

impl Templates {
    /// The text that these templates were read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn add(&mut self, group: Group, predicates: &[Predicate]) -> Result<()> {
        for &predicate in predicates {
            check_fit(group, predicate)?;
        }
        let place = match self.groups.iter().position(|(known, _)| *known == group) {
            Some(place) => place,
            None => {
                self.groups.push((group, Vec::new()));
                self.groups.len() - 1
            }
        };
        let known = &mut self.groups[place].1;
        known.extend(predicates);
        known.sort_unstable();
        known.dedup();
        Ok(())
    }

    fn add_line(&mut self, line: &str) -> Result<()> {
        let (groups, predicates) = line.split_once(':').ok_or_else(|| {
            syntax(format!("expected `KIND GROUP, … : PREDICATE …`, found `{line}`"))
                .hint("put a colon between the groups and what is asked of them")
        })?;
        let (kind, groups) = groups
            .trim()
            .split_once(char::is_whitespace)
            .ok_or_else(|| syntax(format!("expected groups after `{}`, found none", groups.trim())))?;
        let mut asked = Vec::new();
        for word in predicates.split_whitespace() {
            asked.extend(parse_predicates(word)?);
        }
        if asked.is_empty() {
            return Err(syntax("expected predicates after the colon, found none"));
        }
        for group in groups.split(',') {
            for group in parse_groups(kind, group.trim())? {
                self.add(group, &asked)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Templates {
    /// Writes the name of the set, or the text of one that has none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_or_text(&TEMPLATE_SETS, &self.text))
    }
}

impl FromStr for Templates {
    type Err = Error;

    /// Reads templates in the text form, or takes the set of that name among [`TEMPLATE_SETS`].
    ///
    /// # Errors
    /// [`Syntax`](crate::ErrorKind::Syntax) with the line that is not understood, or if there is none.
    fn from_str(text: &str) -> Result<Self> {
        let text = named_text(&TEMPLATE_SETS, text);
        let mut templates = Self { groups: Vec::new(), text: text.to_owned() };
        for_each_line(text, |_, line| templates.add_line(line.trim()))?;
        match templates.groups.is_empty() {
            false => Ok(templates),
            true => Err(syntax("expected at least one template, found none")),
        }
    }
}

fn check_fit(group: Group, predicate: Predicate) -> Result<()> {
    let is_count = matches!(predicate, Predicate::MoreThan(_) | Predicate::Exactly(_));
    match (group.is_count(), is_count) {
        (true, false) => Err(syntax("expected `>N` or `=N` of a number of items or terminals")
            .hint("label, tag, class and word are asked of items")),
        (false, true) => Err(syntax("expected label, tag, class or word of an item")
            .hint("`>N` and `=N` are asked of num-items and num-terminals")),
        _ => Ok(()),
    }
}

fn parse_predicates(word: &str) -> Result<Vec<Predicate>> {
    let counts = |range: &str, make: fn(u8) -> Predicate| {
        Ok(parse_range(range, 0..=MAX_COUNT)?.map(|number| make(number as u8)).collect())
    };
    match word {
        "label" => Ok(vec![Predicate::Label]),
        "tag" => Ok(vec![Predicate::Tag]),
        "class" => Ok(vec![Predicate::Class]),
        "word" => Ok(vec![Predicate::Word]),
        _ => match (word.strip_prefix('>'), word.strip_prefix('=')) {
            (Some(range), _) => counts(range, Predicate::MoreThan),
            (_, Some(range)) => counts(range, Predicate::Exactly),
            _ => Err(syntax(format!("expected a predicate, found `{word}`"))
                .hint("known are label, tag, class, word, >N and =N")),
        },
    }
}

fn parse_groups(kind: &str, group: &str) -> Result<Vec<Group>> {
    let sets = |make: fn(Set) -> Group| Ok(parse_sets(group)?.into_iter().map(make).collect());
    let places = |make: fn(ItemPlace) -> Group| Ok(parse_places(group)?.into_iter().map(make).collect());
    match kind {
        "item" => places(Group::Item),
        "terminal" => places(Group::Terminal),
        "some" => sets(Group::Some),
        "some-terminal" if group.contains(char::is_whitespace) => {
            Err(syntax(format!("expected a set of items without a number, found `{group}`"))
                .hint("terminals are asked for below all items of a kind: left, right, children, not-head …"))
        }
        "some-terminal" => sets(Group::SomeTerminal),
        "num-items" => sets(Group::NumItems),
        "num-terminals" => sets(Group::NumTerminals),
        "child" => parse_child(group).map(|group| vec![group]),
        _ => Err(syntax(format!("expected a kind of feature, found `{kind}`"))
            .hint("known are item, terminal, some, some-terminal, child, num-items and num-terminals")),
    }
}

fn parse_places(group: &str) -> Result<Vec<ItemPlace>> {
    let (name, range) = group.split_once(char::is_whitespace).unwrap_or((group, "0"));
    let make: fn(i32) -> ItemPlace = match name {
        "left" => |number| ItemPlace::Left(number as u8),
        "right" => |number| ItemPlace::Right(number as u8),
        "first" => |number| ItemPlace::First(number as u8),
        "last" => |number| ItemPlace::Last(number as u8),
        "head" => |number| ItemPlace::Head(number as i8),
        "around-first" => |number| ItemPlace::Around(ChildPlace::First, number as i8),
        "around-head" => |number| ItemPlace::Around(ChildPlace::Head, number as i8),
        "around-last" => |number| ItemPlace::Around(ChildPlace::Last, number as i8),
        _ => {
            return Err(syntax(format!("expected an item, found `{group}`"))
                .hint("known are left N, right N, first N, last N, head N, around-first N, around-head N and around-last N"));
        }
    };
    let lowest = if name == "head" || name.starts_with("around") { -MAX_DISTANCE } else { 0 };
    Ok(parse_range(range, lowest..=MAX_DISTANCE)?.map(make).collect())
}

fn parse_sets(group: &str) -> Result<Vec<Set>> {
    let (name, range) = match group.split_once(char::is_whitespace) {
        Some((name, range)) => (name, Some(range)),
        None => (group, None),
    };
    let make: fn(Option<u8>) -> Set = match (name, range) {
        ("left", _) => Set::Left,
        ("right", _) => Set::Right,
        ("before-head", _) => Set::BeforeHead,
        ("after-head", _) => Set::AfterHead,
        ("first", Some(_)) => |number| Set::First(number.unwrap_or(1)),
        ("last", Some(_)) => |number| Set::Last(number.unwrap_or(1)),
        ("frontier", None) => |_| Set::Frontier,
        ("children", None) => |_| Set::Children,
        ("not-first", None) => |_| Set::NotFirst,
        ("not-last", None) => |_| Set::NotLast,
        ("not-head", None) => |_| Set::NotHead,
        ("up-to-head", None) => |_| Set::UpToHead,
        ("from-head", None) => |_| Set::FromHead,
        _ => {
            return Err(syntax(format!("expected a set of items, found `{group}`")).hint(
                "known are frontier, children, not-first, not-last, not-head, up-to-head and from-head; first N and \
                 last N; left, right, before-head and after-head, with N or without",
            ));
        }
    };
    match range {
        None => Ok(vec![make(None)]),
        Some(range) => {
            Ok(parse_range(range, 1..=MAX_DISTANCE)?.map(|number| make(Some(number as u8))).collect())
        }
    }
}

fn parse_child(group: &str) -> Result<Group> {
    let place = |name: &str| match name.trim() {
        "first" => Ok(ChildPlace::First),
        "head" => Ok(ChildPlace::Head),
        "last" => Ok(ChildPlace::Last),
        other => Err(syntax(format!("expected first, head or last, found `{other}`"))),
    };
    let (of, child) = group.split_once('/').ok_or_else(|| {
        syntax(format!("expected a child of a child, found `{group}`")).hint("write it as `first/head`")
    })?;
    Ok(Group::Child(place(of)?, place(child)?))
}

/// `3` or `0..3`, both ends included.
fn parse_range(text: &str, allowed: RangeInclusive<i32>) -> Result<RangeInclusive<i32>> {
    let number = |text: &str| text.trim().parse::<i32>().ok().filter(|number| allowed.contains(number));
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok(first..=last),
        _ => Err(syntax(format!(
            "expected a number or a range such as 0..3 within {}..{}, found `{}`",
            allowed.start(),
            allowed.end(),
            text.trim()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_named_set_is_sound() {
        let num_groups = |name: &str| name.parse::<Templates>().expect(name).groups.len();
        // TM06-FACTS: 21 single items, 24 ranges, 10 sets, 10 sets of terminals, 21 terminals, 9 grandchildren, 17
        // lengths.
        assert_eq!(num_groups("release-2006"), 21 + 24 + 10 + 10 + 21 + 9 + 17);
        // Table 3: 24 ranges, three items on either side of three and the head, as many terminals but the
        // head's own, nine grandchildren, and eleven sets, asked for an item, for a terminal, and twice for
        // their size.
        assert_eq!(num_groups("kitchen-sink"), 24 + 19 + 18 + 9 + 4 * 11);
        assert_eq!(num_groups("baseline"), 23);
        assert_eq!(num_groups("tm05-context-0"), num_groups("tm05") - 4);
        assert_eq!(num_groups("tm05-context-1"), num_groups("tm05") - 2);
    }

    #[test]
    fn faults_name_the_line_and_the_remedy() {
        for (text, start) in [
            ("", "expected at least one template"),
            ("item left 0 label", "line 1: expected `KIND GROUP, … : PREDICATE …`"),
            ("\nitem : label", "line 2: expected groups after `item`"),
            ("items left : label", "line 1: expected a kind of feature, found `items`"),
            ("item lefty : label", "line 1: expected an item, found `lefty`"),
            ("item left -1 : label", "line 1: expected a number or a range"),
            ("item left 3..1 : label", "line 1: expected a number or a range"),
            ("some first : label", "line 1: expected a set of items"),
            ("some left 0 : label", "line 1: expected a number or a range"),
            ("item left : >3", "line 1: expected label, tag, class or word"),
            ("num-items left : word", "line 1: expected `>N` or `=N`"),
            ("item left : lemma", "line 1: expected a predicate, found `lemma`"),
            ("item left :", "line 1: expected predicates"),
            ("some-terminal left 2 : word", "line 1: expected a set of items without a number"),
            ("child first : label", "line 1: expected a child of a child"),
        ] {
            let error = text.parse::<Templates>().expect_err(text).to_string();
            assert!(error.starts_with(start), "{text}: {error}");
        }
    }

    #[test]
    fn the_same_group_twice_is_one() {
        let templates: Templates =
            "item left : label\nitem left 0..1 : word label".parse().expect("templates");
        assert_eq!(templates.groups.len(), 2);
        assert_eq!(templates.groups[0].1, [Predicate::Label, Predicate::Word]);
    }
}
