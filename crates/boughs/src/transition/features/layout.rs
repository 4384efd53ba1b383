//! Numbers for features: every value that a predicate can have, for every group.

use super::group::{Group, Predicate, Set};
use super::roles::Roles;
use super::template::Templates;
use crate::error::{Error, ErrorKind, Result};
use crate::transition::symbols::TransitionSymbols;

/// Stands for a predicate that is not asked.
pub(super) const NOT_ASKED: u32 = u32::MAX;

/// The most features that a learner takes.
const MAX_FEATURES: u64 = 1 << 28;

/// Templates with the numbers of their features. Features of one group and predicate are numbered one after the
/// other, by value.
#[derive(Debug, Clone)]
pub(crate) struct FeatureLayout {
    pub(crate) templates: Templates,
    /// The other groups that do not depend on the head.
    pub(super) common: Vec<Slots>,
    /// Numbers of what is to the left of the children, and to the right.
    pub(super) of_left: Vec<Slots>,
    pub(super) of_right: Vec<Slots>,
    /// Those that do.
    pub(super) of_head: Vec<Slots>,
    /// The first feature of each group and predicate, in increasing order.
    pub(super) starts: Vec<(u32, Group, Predicate)>,
    pub(crate) num_features: u32,
    /// What is asked of an item in each role.
    pub(crate) roles: Roles,
    /// Lists of features that hold because of a number, one for each number of each group that is one.
    pub(crate) counts: Vec<Vec<u32>>,
}

/// The first feature of each predicate, or [`NOT_ASKED`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) label: u32,
    pub(super) tag: u32,
    pub(super) class: u32,
    pub(super) word: u32,
}

/// A group, and what is asked of it.
#[derive(Debug, Clone)]
pub(super) struct Slots {
    pub(super) group: Group,
    pub(super) asked: Asked,
    /// For groups that are numbers, the list of features that hold for 0 among [`Layout::counts`].
    pub(super) first_count: usize,
    /// The number from which on the same features hold.
    pub(super) largest_count: usize,
}

impl FeatureLayout {
    /// Numbers the features of templates for these symbols.
    ///
    /// # Errors
    /// If there are too many of them.
    pub(crate) fn new(templates: Templates, symbols: &TransitionSymbols) -> Result<Self> {
        let mut layout = Self {
            common: Vec::new(),
            of_left: Vec::new(),
            of_right: Vec::new(),
            of_head: Vec::new(),
            starts: Vec::new(),
            num_features: 0,
            templates,
            roles: Roles::default(),
            counts: Vec::new(),
        };
        for (group, predicates) in layout.templates.groups.clone() {
            layout.add(group, &predicates, symbols)?;
        }
        layout.roles = Roles::new(&layout);
        Ok(layout)
    }

    fn add(&mut self, group: Group, predicates: &[Predicate], symbols: &TransitionSymbols) -> Result<()> {
        let first_count = self.counts.len();
        let mut asked = Asked { label: NOT_ASKED, tag: NOT_ASKED, class: NOT_ASKED, word: NOT_ASKED };
        let mut counts = Vec::new();
        for &predicate in predicates {
            let start = self.reserve(num_values(predicate, symbols))?;
            self.starts.push((start, group, predicate));
            match predicate {
                Predicate::Label => asked.label = start,
                Predicate::Tag => asked.tag = start,
                Predicate::Class => asked.class = start,
                Predicate::Word => asked.word = start,
                Predicate::MoreThan(_) | Predicate::Exactly(_) => counts.push((predicate, start)),
            }
        }
        self.counts.extend(by_count(&counts));
        let largest_count = (self.counts.len() - first_count).saturating_sub(1);
        let list = match group {
            _ if group.needs_head() => &mut self.of_head,
            Group::NumItems(Set::Left(_)) | Group::NumTerminals(Set::Left(_)) => &mut self.of_left,
            Group::NumItems(Set::Right(_)) | Group::NumTerminals(Set::Right(_)) => &mut self.of_right,
            _ => &mut self.common,
        };
        list.push(Slots { group, asked, first_count, largest_count });
        Ok(())
    }

    fn reserve(&mut self, num_values: usize) -> Result<u32> {
        let start = self.num_features;
        let end = u64::from(start) + num_values as u64;
        if end > MAX_FEATURES {
            let message = format!("expected at most {MAX_FEATURES} features, found more");
            return Err(Error::new(ErrorKind::TooLarge, message)
                .hint("use fewer templates, or replace rare words (--min-word-count)"));
        }
        self.num_features = end as u32;
        Ok(start)
    }

    /// The group, predicate and value of a feature.
    ///
    /// # Panics
    /// If there is no such feature.
    pub(crate) fn feature(&self, feature: u32) -> (Group, Predicate, u32) {
        assert!(feature < self.num_features, "there is no feature {feature}");
        let place = self.starts.partition_point(|&(start, _, _)| start <= feature) - 1;
        let (start, group, predicate) = self.starts[place];
        (group, predicate, feature - start)
    }
}

fn num_values(predicate: Predicate, symbols: &TransitionSymbols) -> usize {
    match predicate {
        Predicate::Label => symbols.num_symbols(),
        Predicate::Tag => symbols.tags.len(),
        Predicate::Class => symbols.language.classes.names().len(),
        Predicate::Word => symbols.words.len(),
        Predicate::MoreThan(_) | Predicate::Exactly(_) => 1,
    }
}

fn by_count(counts: &[(Predicate, u32)]) -> Vec<Vec<u32>> {
    let largest = counts.iter().map(|&(predicate, _)| match predicate {
        Predicate::MoreThan(number) | Predicate::Exactly(number) => usize::from(number),
        _ => 0,
    });
    let Some(largest) = largest.max() else { return Vec::new() };
    let holds = |predicate, count: usize| match predicate {
        Predicate::MoreThan(number) => count > usize::from(number),
        Predicate::Exactly(number) => count == usize::from(number),
        _ => false,
    };
    let features = |count| counts.iter().filter(move |(asked, _)| holds(*asked, count)).map(|&(_, f)| f);
    (0..=largest + 1).map(|count| features(count).collect()).collect()
}
