//! Patterns from text.

use std::str::FromStr;

use regex::RegexBuilder;

use super::{Condition, Mode, NodePattern, NodeTest, Relation, TreePattern};
use crate::error::{Error, ErrorKind, Result};

/// Brackets in a pattern nest no deeper than this.
const MAX_DEPTH: usize = 200;

/// Relations by their signs, longer ones before those they begin with.
const RELATIONS: [(&str, Relation); 29] = [
    ("<<,", Relation::BeginsWith),
    ("<<`", Relation::EndsWith),
    ("<<:", Relation::ChainTo),
    ("<<", Relation::Dominates),
    ("<,", Relation::HasNthChild(1)),
    ("<`", Relation::HasNthChild(-1)),
    ("<:", Relation::HasOnlyChild),
    (">>,", Relation::Begins),
    (">>`", Relation::Ends),
    (">>:", Relation::ChainFrom),
    (">>", Relation::DominatedBy),
    (">,", Relation::IsNthChild(1)),
    (">`", Relation::IsNthChild(-1)),
    (">:", Relation::IsOnlyChild),
    ("$..", Relation::SisterBefore),
    ("$++", Relation::SisterBefore),
    ("$,,", Relation::SisterBehind),
    ("$--", Relation::SisterBehind),
    ("$.", Relation::SisterRightBefore),
    ("$+", Relation::SisterRightBefore),
    ("$,", Relation::SisterRightBehind),
    ("$-", Relation::SisterRightBehind),
    ("$", Relation::Sister),
    ("..", Relation::Before),
    (".", Relation::RightBefore),
    (",,", Relation::Behind),
    (",", Relation::RightBehind),
    ("<", Relation::ParentOf),
    (">", Relation::ChildOf),
];

impl FromStr for TreePattern {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut parser = PatternParser { text, at: 0, depth: 0, names: Vec::new() };
        let root = parser.node_with_relations()?;
        parser.skip_blanks();
        match parser.rest().is_empty() {
            true => Ok(Self { root, names: parser.names }),
            false => Err(parser.expected("a relation or the end")),
        }
    }
}

struct PatternParser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    names: Vec<String>,
}

impl<'t> PatternParser<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Passes over a sign, if it comes next.
    fn take(&mut self, sign: &str) -> bool {
        self.skip_blanks();
        let is_next = self.rest().starts_with(sign);
        self.at += if is_next { sign.len() } else { 0 };
        is_next
    }

    fn expected(&self, what: &str) -> Error {
        let found = match self.rest().trim() {
            "" => "the end".to_owned(),
            rest => format!("`{}`", rest.chars().take(20).collect::<String>()),
        };
        let column = self.text[..self.at].chars().count() + 1;
        Error::new(ErrorKind::Syntax, format!("pattern, column {column}: expected {what}, found {found}"))
            .hint("as in `NP < (NN=n $ DT) !<< /^VB/`; names with signs in them go in quotation marks")
    }

    fn node_with_relations(&mut self) -> Result<NodePattern> {
        let mut node = self.node()?;
        let more = self.conditions()?;
        node.condition = match node.condition {
            Condition::All(none) if none.is_empty() => more,
            own => Condition::All(vec![own, more]),
        };
        Ok(node)
    }

    /// A node by itself: a description, or a pattern in brackets.
    fn node(&mut self) -> Result<NodePattern> {
        self.skip_blanks();
        if self.take("(") {
            let inner = self.nested(Self::node_with_relations)?;
            return if self.take(")") { Ok(inner) } else { Err(self.expected("`)`")) };
        }
        let test = match self.rest().chars().next() {
            Some('=') => NodeTest::Any,
            Some('/') => self.regex()?,
            Some('*') => {
                self.at += 1;
                NodeTest::Any
            }
            _ => self.labels()?,
        };
        let name = if self.rest().starts_with('=') { Some(self.name()?) } else { None };
        Ok(NodePattern { test, name, condition: Condition::All(Vec::new()) })
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.expected("fewer brackets in each other"));
        }
        let found = inner(self);
        self.depth -= 1;
        found
    }

    fn name(&mut self) -> Result<usize> {
        self.at += 1;
        let end = self.rest().find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest().len());
        let name = &self.rest()[..end];
        if name.is_empty() {
            return Err(self.expected("a name of letters and digits"));
        }
        self.at += end;
        let known = self.names.iter().position(|known| known == name);
        Ok(known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        }))
    }

    fn regex(&mut self) -> Result<NodeTest> {
        let inner = &self.rest()[1..];
        let mut is_escaped = false;
        let end = inner.find(|c| {
            let ends = c == '/' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        });
        let Some(end) = end else { return Err(self.expected("a `/` at the end of the regular expression")) };
        let source = inner[..end].replace("\\/", "/");
        self.at += end + 2;
        let ignores_case = self.rest().starts_with('i');
        self.at += usize::from(ignores_case);
        let regex = RegexBuilder::new(&source).case_insensitive(ignores_case).build();
        regex.map(NodeTest::Regex).map_err(|error| {
            Error::new(ErrorKind::Syntax, format!("pattern: `/{source}/`: {error}"))
                .hint("regular expressions are those of the crate regex: no back-references")
        })
    }

    /// `NP|VP`, `@NP`, `"of"`.
    fn labels(&mut self) -> Result<NodeTest> {
        let mut labels = Vec::new();
        loop {
            let is_base = self.rest().starts_with('@');
            self.at += usize::from(is_base);
            let label = self.label()?;
            if label == "__" && !is_base {
                return Ok(NodeTest::Any);
            }
            labels.push((label, is_base));
            // With blanks around it a bar stands between relations.
            let goes_on =
                self.rest().strip_prefix('|').is_some_and(|next| !next.starts_with(char::is_whitespace));
            if !goes_on {
                return Ok(NodeTest::Labels(labels));
            }
            self.at += 1;
        }
    }

    fn label(&mut self) -> Result<String> {
        let rest = self.rest();
        if let Some(inner) = rest.strip_prefix('"') {
            let Some(end) = inner.find('"') else { return Err(self.expected("a quotation mark at the end")) };
            self.at += end + 2;
            return Ok(inner[..end].to_owned());
        }
        let ends = |c: char| c.is_whitespace() || "()[]<>$!?&|=,\"/@".contains(c);
        let mut end = rest.find(ends).unwrap_or(rest.len());
        // A period or comma is a relation, but between letters it is part of a name.
        let mut from = 0;
        while let Some(period) = rest[from..end].find('.') {
            let place = from + period;
            let is_inner = place > 0 && rest[place + 1..].starts_with(char::is_alphanumeric);
            if !is_inner {
                end = place;
                break;
            }
            from = place + 1;
        }
        if end == 0 {
            return Err(self.expected("a node (a label, /regular expression/, \"word\", * or brackets)"));
        }
        self.at += end;
        Ok(rest[..end].to_owned())
    }

    /// Relations, joined by `|` and, more closely, by `&` or nothing.
    fn conditions(&mut self) -> Result<Condition> {
        let mut any = vec![self.conjunction()?];
        while self.take("|") {
            any.push(self.conjunction()?);
        }
        Ok(if any.len() == 1 { any.swap_remove(0) } else { Condition::Any(any) })
    }

    fn conjunction(&mut self) -> Result<Condition> {
        let mut all = Vec::new();
        loop {
            let is_joined = self.take("&");
            match self.condition()? {
                Some(condition) => all.push(condition),
                None if is_joined => return Err(self.expected("a relation")),
                None => return Ok(Condition::All(all)),
            }
        }
    }

    fn condition(&mut self) -> Result<Option<Condition>> {
        if self.take("[") {
            let inner = self.nested(Self::conditions)?;
            return if self.take("]") { Ok(Some(inner)) } else { Err(self.expected("`]`")) };
        }
        let mode = match () {
            () if self.take("!") => Mode::HoldsNot,
            () if self.take("?") => Mode::Optional,
            () => Mode::Holds,
        };
        self.skip_blanks();
        let Some(relation) = self.relation()? else {
            return if mode == Mode::Holds { Ok(None) } else { Err(self.expected("a relation")) };
        };
        let target = Box::new(self.node()?);
        Ok(Some(Condition::Relation { relation, mode, target }))
    }

    fn relation(&mut self) -> Result<Option<Relation>> {
        let rest = self.rest();
        if let Some((number, len)) = child_number(rest) {
            if number == 0 {
                return Err(self.expected("the number of a child, from 1"));
            }
            self.at += len;
            return Ok(Some(match rest.starts_with('<') {
                true => Relation::HasNthChild(number),
                false => Relation::IsNthChild(number),
            }));
        }
        let found = RELATIONS.iter().find(|(sign, _)| begins_with_sign(rest, sign));
        self.at += found.map_or(0, |(sign, _)| sign.len());
        Ok(found.map(|&(_, relation)| relation))
    }
}

/// Whether a text begins with a sign; for `$` it may have `%`, and for `` ` `` an apostrophe, which shells and other
/// programs want.
fn begins_with_sign(text: &str, sign: &str) -> bool {
    let is_same = |(found, wanted): (char, char)| {
        found == wanted || matches!((found, wanted), ('%', '$') | ('\'', '`'))
    };
    text.len() >= sign.len() && text.chars().zip(sign.chars()).all(is_same)
}

/// The number in `<3` or `>-1`, and the length of all that; `<-` alone is the last child.
fn child_number(text: &str) -> Option<(i32, usize)> {
    let inner = text.strip_prefix(['<', '>'])?;
    let (sign, digits) = inner.strip_prefix('-').map_or((1, inner), |digits| (-1, digits));
    let len = digits.bytes().take_while(u8::is_ascii_digit).count();
    let before = text.len() - digits.len();
    match len {
        0 if sign < 0 => Some((-1, before)),
        0 => None,
        _ => Some((sign * digits[..len].parse::<i32>().ok()?, before + len)),
    }
}
