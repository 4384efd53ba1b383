//! Features in words.

use super::group::{ChildPlace, Group, ItemPlace, Predicate, Set};
use super::layout::FeatureLayout;
use crate::transition::symbols::{FrontierSymbol, TransitionSymbols};

impl FeatureLayout {
    /// What a feature asks, for people: `the head has the label VP`, `more than 3 words below the children`.
    ///
    /// # Panics
    /// If there is no such feature.
    pub(crate) fn name(&self, feature: u32, symbols: &TransitionSymbols) -> String {
        let (group, predicate, value) = self.feature(feature);
        match predicate {
            Predicate::MoreThan(number) => format!("more than {number} {}", counted(group)),
            Predicate::Exactly(number) => format!("exactly {number} {}", counted(group)),
            Predicate::Label => {
                let symbol = FrontierSymbol(value as u16);
                let article = if symbols.as_label(symbol).is_some() { "" } else { "a token tagged " };
                format!("{} is {article}{}", subject(group), symbols.name(symbol))
            }
            Predicate::Tag => format!("{} has the head tag {}", subject(group), symbols.tags.name(value)),
            Predicate::Class => {
                let class = symbols.language.classes.names().nth(value as usize).unwrap_or_default();
                format!("{} has a head tag of class {}", subject(group), class.trim_start_matches(':'))
            }
            Predicate::Word => {
                format!("{} has the head word “{}”", subject(group), symbols.words.name(value))
            }
        }
    }
}

fn subject(group: Group) -> String {
    match group {
        Group::Item(place) => item(place, "child", "item"),
        Group::Terminal(place) => item(place, "word", "word"),
        Group::Some(set) => format!("some item among {}", members(set)),
        Group::SomeTerminal(set) => format!("some word below {}", members(set)),
        Group::Child(of, child) => format!("the {} child of the {} child", end(child), end(of)),
        Group::NumItems(_) | Group::NumTerminals(_) => counted(group),
    }
}

fn counted(group: Group) -> String {
    match group {
        Group::NumItems(set) => format!("items among {}", members(set)),
        Group::NumTerminals(set) => format!("words below {}", members(set)),
        _ => String::new(),
    }
}

fn item(place: ItemPlace, inside: &str, outside: &str) -> String {
    match place {
        ItemPlace::Left(0) => format!("the {outside} to the left"),
        ItemPlace::Right(0) => format!("the {outside} to the right"),
        ItemPlace::Left(n) => format!("the {outside} {} to the left", u32::from(n) + 1),
        ItemPlace::Right(n) => format!("the {outside} {} to the right", u32::from(n) + 1),
        ItemPlace::First(0) => format!("the first {inside}"),
        ItemPlace::Last(0) => format!("the last {inside}"),
        ItemPlace::First(n) => format!("{inside} {} from the left", u32::from(n) + 1),
        ItemPlace::Last(n) => format!("{inside} {} from the right", u32::from(n) + 1),
        ItemPlace::Head(0) => format!("the head {inside}"),
        ItemPlace::Head(n) if n < 0 => format!("the {inside} {} before the head", n.unsigned_abs()),
        ItemPlace::Head(n) => format!("the {inside} {n} after the head"),
        ItemPlace::Around(of, 0) => format!("the {} {inside}", end(of)),
        ItemPlace::Around(of, n) => {
            let side = if n < 0 { "left" } else { "right" };
            format!("the {outside} {} to the {side} of the {} {inside}", n.unsigned_abs(), end(of))
        }
    }
}

fn members(set: Set) -> String {
    let all_or = |n: Option<u8>, where_: &str| match n {
        None => format!("all {where_}"),
        Some(1) => format!("the one {where_}"),
        Some(n) => format!("the nearest {n} {where_}"),
    };
    match set {
        Set::Frontier => "the whole state".to_owned(),
        Set::Left(n) => all_or(n, "to the left"),
        Set::Right(n) => all_or(n, "to the right"),
        Set::BeforeHead(n) => all_or(n, "children before the head"),
        Set::AfterHead(n) => all_or(n, "children after the head"),
        Set::Children => "the children".to_owned(),
        Set::First(n) => format!("the first {n} children"),
        Set::Last(n) => format!("the last {n} children"),
        Set::NotFirst => "the children but the first".to_owned(),
        Set::NotLast => "the children but the last".to_owned(),
        Set::NotHead => "the children but the head".to_owned(),
        Set::UpToHead => "the children up to the head".to_owned(),
        Set::FromHead => "the children from the head on".to_owned(),
    }
}

fn end(place: ChildPlace) -> &'static str {
    match place {
        ChildPlace::First => "first",
        ChildPlace::Head => "head",
        ChildPlace::Last => "last",
    }
}
