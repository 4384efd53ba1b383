//! Classes of part-of-speech tags: a coarse view of a tag, for features that should not tell `NN` from `NNS`.

use std::str::FromStr;

use rustc_hash::FxHashMap;

use crate::error::{Error, ErrorKind, Result, syntax};
use crate::tree::rule_text::for_each_line;
use crate::vocab::Vocab;

/// Which class every tag belongs to.
///
/// ```
/// use boughs::tree::heads::TagClasses;
///
/// let classes = TagClasses::english();
/// assert_eq!(classes.class("NN"), classes.class("NNS"));
/// assert_eq!(classes.name(classes.class("NN")), "::N");
/// assert_eq!(classes.name(classes.class("never seen")), "::UK");
/// ```
///
/// The text format: a class and its tags on a line, `nc*` for all that begin with `nc` and are not named or in a class
/// with a longer beginning; `unknown CLASS` for tags that no class has and `untagged CLASS`
/// for tokens without a tag; lines that start with `#` are comments. Without these two lines the class is `unknown`
/// in the first case, and that of unknown tags in the second.
#[derive(Debug, Clone)]
pub struct TagClasses {
    names: Vocab,
    by_tag: FxHashMap<Box<str>, u16>,
    /// Beginnings of tags, the longest first.
    by_beginning: Vec<(Box<str>, u16)>,
    unknown: u16,
    untagged: u16,
}

impl TagClasses {
    /// The classes for the tags of the Penn Treebank and its successors.
    ///
    /// # Panics
    /// Never: the classes are part of the program, and tested.
    pub fn english() -> Self {
        include_str!("../../../data/heads/english.classes").parse().expect("the classes are tested")
    }

    /// The class of a tag; classes are numbered from 0.
    pub fn class(&self, tag: &str) -> u16 {
        match self.by_tag.get(tag) {
            Some(&class) => class,
            None if tag.is_empty() => self.untagged,
            None => {
                let found = self.by_beginning.iter().find(|(beginning, _)| tag.starts_with(&**beginning));
                found.map_or(self.unknown, |(_, class)| *class)
            }
        }
    }

    /// The name of a class.
    ///
    /// # Panics
    /// If the class is of another `TagClasses` with more classes.
    pub fn name(&self, class: u16) -> &str {
        self.names.name(class.into())
    }

    /// The names of all classes, by number.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter()
    }
}

impl FromStr for TagClasses {
    type Err = Error;

    /// Reads classes in the [text format](TagClasses).
    ///
    /// # Errors
    /// [`ErrorKind::Syntax`] with the line: a class twice, a tag in two classes, or an `unknown` or `untagged`
    /// without the name of a class.
    fn from_str(text: &str) -> Result<Self> {
        let mut classes = Self {
            names: Vocab::new(),
            by_tag: FxHashMap::default(),
            by_beginning: Vec::new(),
            unknown: 0,
            untagged: 0,
        };
        let (mut unknown, mut untagged) = ("unknown", None);
        for_each_line(text, |_, line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[0] {
                "unknown" => unknown = only_class(&words)?,
                "untagged" => untagged = Some(only_class(&words)?),
                name => classes.add(name, &words[1..])?,
            }
            Ok(())
        })?;
        classes.by_beginning.sort_by_key(|(beginning, _)| std::cmp::Reverse(beginning.len()));
        classes.unknown = classes.intern(unknown)?;
        classes.untagged = untagged.map_or(Ok(classes.unknown), |name| classes.intern(name))?;
        Ok(classes)
    }
}

impl TagClasses {
    fn add(&mut self, name: &str, tags: &[&str]) -> Result<()> {
        if self.names.get(name).is_some() {
            return Err(
                syntax(format!("class `{name}` for the second time")).hint("put all its tags into one line")
            );
        }
        let class = self.intern(name)?;
        for &tag in tags {
            if let Some(beginning) = tag.strip_suffix('*').filter(|beginning| !beginning.is_empty()) {
                self.by_beginning.push((beginning.into(), class));
                continue;
            }
            if let Some(other) = self.by_tag.insert(tag.into(), class) {
                let other = self.name(other);
                return Err(syntax(format!("tag `{tag}` is in class `{other}` and in class `{name}`"))
                    .hint("a tag has one class"));
            }
        }
        Ok(())
    }

    fn intern(&mut self, name: &str) -> Result<u16> {
        u16::try_from(self.names.intern(name))
            .map_err(|_| Error::new(ErrorKind::TooLarge, "over 65,536 classes of tags"))
    }
}

/// The class after the first word of a line.
fn only_class<'w>(words: &[&'w str]) -> Result<&'w str> {
    match words {
        [_, name] => Ok(name),
        _ => Err(syntax(format!("expected one class after `{}`, found {}", words[0], words.len() - 1))
            .hint("as in `unknown ::UK`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_has_the_table_of_the_paper() {
        let classes = TagClasses::english();
        assert_eq!(classes.names().len(), 19);
        for line in [
            "::CD CD LS",
            "::CJ CC , :",
            "::D DT PDT PRP$ WDT",
            "::EOS .",
            "::IN IN RP TO",
            "::J JJ JJR JJS",
            "::N $ NN NNS",
            "::NP NNP NNPS",
            "::P EX POS PRP WP WP$",
            "::R RB RBR RBS WRB",
            "::SCM `` '' -LRB- -RRB-",
            "::SYM # SYM",
            "::UH UH",
            "::UK FW",
            "::VBG VBG",
            "::VBN VBN",
            "::V MD VB VBD VBP VBZ",
            "::AUX AUX AUXG",
        ] {
            let mut words = line.split(' ');
            let name = words.next();
            for tag in words {
                assert_eq!(Some(classes.name(classes.class(tag))), name, "{tag}");
            }
        }
    }

    #[test]
    fn every_tag_has_a_class() {
        let classes = TagClasses::english();
        for (tag, name) in [("", "::NONE"), ("-NONE-", "::NONE"), ("ZZ", "::UK"), ("HYPH", "::SYM")] {
            assert_eq!(classes.name(classes.class(tag)), name);
        }
        let bare: TagClasses = "A x y".parse().expect("classes");
        assert_eq!(bare.name(bare.class("z")), "unknown");
        assert_eq!(bare.class(""), bare.class("z"));
    }

    #[test]
    fn the_longest_beginning_decides() {
        let classes: TagClasses = "V v*\nINF vmn*\nX vmnx *".parse().expect("classes");
        for (tag, name) in [("vmis", "V"), ("vmn0", "INF"), ("vmnx", "X"), ("*", "X"), ("w", "unknown")] {
            assert_eq!(classes.name(classes.class(tag)), name, "{tag}");
        }
    }

    #[test]
    fn faults_name_the_line() {
        for (text, start) in [
            ("A x\nA y", "line 2: class `A` for the second time"),
            ("A x\n\nB x", "line 3: tag `x` is in class `A` and in class `B`"),
            ("unknown", "line 1: expected one class after `unknown`, found 0"),
        ] {
            let error = text.parse::<TagClasses>().expect_err("a fault").to_string();
            assert!(error.starts_with(start), "{error}");
        }
    }
}
