//! Where everything stands: horizontal places and levels, in whatever unit the texts are measured.
//!
//! Every phrase and token is a box with an anchor, the point that lines lead to. A box reaches as far to
//! the left and right of its anchor as its text and the boxes below it do; the boxes of siblings stand
//! side by side. So no two texts overlap, whatever their sizes, and one pass up and one pass down are
//! enough. The tidy trees of Reingold and Tilford (1981) are narrower where a shallow phrase stands beside
//! a deep one; but there words at the bottom, which all must have a place of their own, fill that room.

use crate::tree::{Child, Node, NodeId, Token, Tree};

/// How a picture measures.
pub(super) trait Measure {
    /// The least room between two boxes.
    const GAP: i64;
    /// A parent stands exactly over an inner child that is this near to the middle.
    const SNAP: i64;

    /// The width of a phrase's label.
    fn node(&self, node: Node<'_>) -> i64;

    /// The width of a tag with its word below.
    fn token(&self, token: Token<'_>) -> i64;
}

/// Where a text stands: its middle and its level, 0 at the top.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DrawPlace {
    pub(super) x: i64,
    pub(super) level: u32,
}

/// A picture's plan.
pub(super) struct DrawLayout {
    /// By node.
    pub(super) nodes: Vec<DrawPlace>,
    /// By token: the place of the tag. The word is below it, at the bottom of the picture.
    pub(super) tokens: Vec<DrawPlace>,
    pub(super) width: i64,
    /// The number of levels, that of the words not counted.
    pub(super) num_levels: u32,
}

/// How far something reaches from its anchor, and where the anchor stands as seen from the parent's.
#[derive(Debug, Clone, Copy)]
struct Extent {
    left: i64,
    right: i64,
    offset: i64,
}

impl Extent {
    /// Of a text; there is an anchor even if the text is empty.
    fn of_width(width: i64) -> Self {
        let width = width.max(1);
        let left = (width - 1) / 2;
        Self { left, right: width - left, offset: 0 }
    }
}

/// The first column of a text of some width whose anchor is at `x`.
pub(super) fn start_of(x: i64, width: i64) -> i64 {
    x - Extent::of_width(width).left
}

struct Planner<'a> {
    tree: &'a Tree,
    /// Of the nodes, then of the tokens.
    extents: Vec<Extent>,
}

impl DrawLayout {
    /// Plans a picture of the whole tree.
    pub(super) fn new<M: Measure>(tree: &Tree, measure: &M) -> Self {
        let nodes = tree.nodes().map(|node| measure.node(node));
        let tokens = tree.tokens().map(|token| measure.token(token));
        let mut planner = Planner { tree, extents: nodes.chain(tokens).map(Extent::of_width).collect() };
        for id in tree.ids().rev() {
            planner.enclose_children::<M>(id);
        }
        planner.place()
    }

    pub(super) fn place(&self, child: Child) -> DrawPlace {
        match child {
            Child::Node(id) => self.nodes[id.index()],
            Child::Token(index) => self.tokens[index],
        }
    }
}

impl Planner<'_> {
    fn slot(&self, child: Child) -> usize {
        match child {
            Child::Node(id) => id.index(),
            Child::Token(index) => self.tree.num_nodes() + index,
        }
    }

    fn extent(&mut self, child: Child) -> &mut Extent {
        let slot = self.slot(child);
        &mut self.extents[slot]
    }

    /// Puts the children side by side and the parent over their middle.
    fn enclose_children<M: Measure>(&mut self, id: NodeId) {
        let width = self.line_up::<M>(id);
        let middle = self.middle::<M>(id);
        for child in self.tree.children(id) {
            self.extent(child).offset -= middle;
        }
        let own = &mut self.extents[id.index()];
        own.left = own.left.max(middle);
        own.right = own.right.max(width - middle);
    }

    /// Sets the children's offsets as seen from the left edge of the first, and returns their width.
    fn line_up<M: Measure>(&mut self, id: NodeId) -> i64 {
        let mut end = -M::GAP;
        for child in self.tree.children(id) {
            let extent = self.extent(child);
            extent.offset = end + M::GAP + extent.left;
            end = extent.offset + extent.right;
        }
        end
    }

    fn middle<M: Measure>(&mut self, id: NodeId) -> i64 {
        let offsets: Vec<i64> = self.tree.children(id).map(|child| self.extent(child).offset).collect();
        match offsets[..] {
            [first, ref inner @ .., last] => {
                let middle = (first + last) / 2;
                let nearest = inner.iter().copied().min_by_key(|x| (x - middle).abs());
                nearest.filter(|x| (x - middle).abs() <= M::SNAP).unwrap_or(middle)
            }
            [only] => only,
            [] => 0,
        }
    }

    fn place(self) -> DrawLayout {
        let root = self.extents.first().copied().unwrap_or(Extent { left: 0, right: 0, offset: 0 });
        let mut places = vec![DrawPlace { x: root.left, level: 0 }; self.extents.len()];
        for id in self.tree.ids() {
            let parent = places[id.index()];
            for slot in self.tree.children(id).map(|child| self.slot(child)) {
                places[slot] = DrawPlace { x: parent.x + self.extents[slot].offset, level: parent.level + 1 };
            }
        }
        let tokens = places.split_off(self.tree.num_nodes());
        let num_levels = tokens.iter().map(|place| place.level + 1).max().unwrap_or(0);
        DrawLayout { nodes: places, tokens, width: root.left + root.right, num_levels }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tree::TreeBuilder;

    struct Letters;

    impl Measure for Letters {
        const GAP: i64 = 1;
        const SNAP: i64 = 0;

        fn node(&self, node: Node<'_>) -> i64 {
            node.label.len() as i64
        }

        fn token(&self, token: Token<'_>) -> i64 {
            token.word.len().max(token.tag.len()) as i64
        }
    }

    fn layout(text: &str) -> DrawLayout {
        DrawLayout::new(&text.parse().expect("a tree"), &Letters)
    }

    #[test]
    fn parents_stand_over_the_middle() {
        let layout = layout("(S (A aaa) (B b) (C ccc))");
        let place = |x, level| DrawPlace { x, level };
        assert_eq!(layout.tokens, [place(1, 1), place(4, 1), place(7, 1)]);
        assert_eq!(layout.nodes, [place(4, 0)]);
        assert_eq!((layout.width, layout.num_levels), (9, 2));
    }

    #[test]
    fn long_labels_push_neighbours_away() {
        let layout = layout("(S (LONGLABEL (A a)) (B b))");
        assert_eq!(layout.nodes[1].x, 4);
        assert_eq!(layout.tokens[0].x, 4);
        assert_eq!(layout.tokens[1].x, 10);
    }

    #[test]
    fn words_without_phrases() {
        assert_eq!(layout("(A abc)").width, 3);
        assert_eq!((layout("()").width, layout("()").num_levels), (0, 0));
    }

    /// A tree whose labels and words are as long as the numbers say; 0 closes a phrase.
    fn tree_of(steps: &[(bool, usize)]) -> Tree {
        let mut builder = TreeBuilder::new();
        for &(is_phrase, length) in steps {
            match (is_phrase, "x".repeat(length)) {
                (_, name) if name.is_empty() && builder.depth() > 0 => {
                    builder.close();
                }
                (true, name) => builder.open(&name),
                (false, name) => builder.token(&name, "T"),
            }
        }
        builder.finish().expect("small")
    }

    /// All texts with the rows they stand in; words are below everything.
    fn texts(tree: &Tree, layout: &DrawLayout) -> Vec<(u32, i64, i64)> {
        let text = |place: DrawPlace, level, width: i64| {
            let start = start_of(place.x, width);
            (level, start, start + width)
        };
        let nodes = tree.nodes().zip(&layout.nodes);
        let mut texts: Vec<_> =
            nodes.map(|(node, &place)| text(place, place.level, Letters.node(node))).collect();
        for (token, &place) in tree.tokens().zip(&layout.tokens) {
            texts.push(text(place, place.level, token.tag.len() as i64));
            texts.push(text(place, layout.num_levels, token.word.len() as i64));
        }
        texts
    }

    proptest! {
        #[test]
        fn no_text_overlaps_another(steps in prop::collection::vec((any::<bool>(), 0..12usize), 0..60)) {
            let tree = tree_of(&steps);
            let layout = DrawLayout::new(&tree, &Letters);
            let mut texts = texts(&tree, &layout);
            texts.sort_unstable();
            for pair in texts.windows(2) {
                prop_assert!(pair[0].0 < pair[1].0 || pair[0].2 <= pair[1].1, "{:?}", pair);
            }
            prop_assert!(texts.iter().all(|&(_, start, end)| 0 <= start && end <= layout.width));
        }
    }
}
