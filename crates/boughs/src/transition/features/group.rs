//! What a feature can look at, and what it can ask.

/// An item, by where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ItemPlace {
    /// The nth item to the left of the children, 0 being the nearest.
    Left(u8),
    /// The nth item to the right of the children, 0 being the nearest.
    Right(u8),
    /// The nth child from the left.
    First(u8),
    /// The nth child from the right.
    Last(u8),
    /// The head child, or a child so many places to its right.
    Head(i8),
    /// The item so many places to the right of a child, be it a child or beyond the children.
    Around(ChildPlace, i8),
}

/// Several items, by where they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Set {
    /// All items.
    Frontier,
    /// The nearest so many items to the left of the children; all of them without a number.
    Left(Option<u8>),
    /// The same to the right.
    Right(Option<u8>),
    /// All children.
    Children,
    /// The first so many children.
    First(u8),
    /// The last so many children.
    Last(u8),
    /// The nearest so many children to the left of the head child.
    BeforeHead(Option<u8>),
    /// The nearest so many children to the right of the head child.
    AfterHead(Option<u8>),
    /// All children but the first.
    NotFirst,
    /// All children but the last.
    NotLast,
    /// All children but the head.
    NotHead,
    /// The head child and all to its left.
    UpToHead,
    /// The head child and all to its right.
    FromHead,
}

/// A child of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ChildPlace {
    /// The leftmost.
    First,
    /// The head.
    Head,
    /// The rightmost.
    Last,
}

/// What a feature looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Group {
    /// One item.
    Item(ItemPlace),
    /// One terminal: beside the children, or below them counted from their first, last or head terminal.
    Terminal(ItemPlace),
    /// Whether some item in a set has a property.
    Some(Set),
    /// Whether some terminal below a set of items has a property.
    SomeTerminal(Set),
    /// A child of a child.
    Child(ChildPlace, ChildPlace),
    /// How many items a set has.
    NumItems(Set),
    /// How many terminals are below a set of items.
    NumTerminals(Set),
}

/// What a feature asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Predicate {
    /// Which label, or tag of a terminal.
    Label,
    /// Which tag the head has.
    Tag,
    /// Which class the tag of the head has.
    Class,
    /// Which word is the head.
    Word,
    /// Whether there are more than so many.
    MoreThan(u8),
    /// Whether there are exactly so many.
    Exactly(u8),
}

impl Set {
    /// Whether the set depends on the head.
    pub(crate) fn needs_head(self) -> bool {
        matches!(
            self,
            Self::BeforeHead(_) | Self::AfterHead(_) | Self::NotHead | Self::UpToHead | Self::FromHead
        )
    }
}

impl Group {
    /// Whether the group depends on the head.
    pub(crate) fn needs_head(self) -> bool {
        match self {
            Self::Item(place) | Self::Terminal(place) => {
                matches!(place, ItemPlace::Head(_) | ItemPlace::Around(ChildPlace::Head, _))
            }
            Self::Some(set) | Self::SomeTerminal(set) | Self::NumItems(set) | Self::NumTerminals(set) => {
                set.needs_head()
            }
            Self::Child(of, _) => of == ChildPlace::Head,
        }
    }

    /// Whether the group is a number.
    pub(crate) fn is_count(self) -> bool {
        matches!(self, Self::NumItems(_) | Self::NumTerminals(_))
    }
}
