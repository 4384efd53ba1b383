//! A tree above the translation of its sentence, with lines between words that translate each other.

use std::fmt::{self, Write};

use super::layout::DrawLayout;
use super::svg::{BELOW, Escaped, MARGIN, Picture, Pixels, WORD_SIZE, estimate};
use super::without_empty_root;
use crate::tree::Tree;

/// From the words of the tree to those of the translation.
const DROP: i64 = 90;
/// Between two words of the translation.
const GAP: i64 = 16;

/// Draws a tree, the words of its translation below, and a line for each link (source and target word, counted from
/// 0), as a complete SVG document. Links beyond either sentence are left out.
///
/// ```
/// let tree: boughs::tree::Tree = "(NP (JJ white) (NN house))".parse()?;
/// let mut picture = String::new();
/// boughs::tree::draw::write_pair_svg(&tree, &["maison", "blanche"], &[(0, 1), (1, 0)], &mut picture).unwrap();
/// assert!(picture.contains(">blanche</text>"));
/// # Ok::<(), boughs::Error>(())
/// ```
///
/// # Errors
/// Never: strings take all that is written.
pub fn write_pair_svg(tree: &Tree, words: &[&str], links: &[(u32, u32)], out: &mut String) -> fmt::Result {
    let tree = without_empty_root(tree);
    let layout = DrawLayout::new(&tree, &Pixels);
    let widths: Vec<i64> = words.iter().map(|word| estimate(word, WORD_SIZE)).collect();
    let mut body = String::new();
    let mut picture = Picture::new(&tree, &layout, &mut body);
    picture.width = picture.width.max(widths.iter().map(|width| width + GAP).sum::<i64>() + 2 * MARGIN);
    picture.lower_height = DROP;
    picture.draw()?;
    let middles = middles(&widths, picture.width);
    draw_links(&mut picture, &middles, links)?;
    draw_words(&mut picture, &middles, words)?;
    picture.finish().write_document(out)
}

/// The middles of words that share the width evenly.
fn middles(widths: &[i64], picture_width: i64) -> Vec<i64> {
    let free = picture_width - 2 * MARGIN - widths.iter().sum::<i64>();
    let gap = free / widths.len().max(1) as i64;
    let mut start = MARGIN + gap / 2;
    let mut middles = Vec::new();
    for width in widths {
        middles.push(start + width / 2);
        start += width + gap;
    }
    middles
}

fn draw_links(picture: &mut Picture<'_>, middles: &[i64], links: &[(u32, u32)]) -> fmt::Result {
    let top = picture.word_baseline() + BELOW;
    let bottom = picture.word_baseline() + DROP - WORD_SIZE - 2;
    picture.out.write_str("<path class=\"edge\" style=\"stroke:#bf8700\" d=\"")?;
    for &(source, target) in links {
        let places = (picture.layout.tokens.get(source as usize), middles.get(target as usize));
        if let (Some(&place), Some(x)) = places {
            let start = picture.x(place);
            write!(picture.out, "M{start} {top}L{x} {bottom}")?;
        }
    }
    picture.out.write_str("\"/>\n")
}

fn draw_words(picture: &mut Picture<'_>, middles: &[i64], words: &[&str]) -> fmt::Result {
    let y = picture.word_baseline() + DROP;
    picture.out.write_str("<g class=\"word\">\n")?;
    for (word, x) in words.iter().zip(middles) {
        writeln!(picture.out, "<text x=\"{x}\" y=\"{y}\">{}</text>", Escaped(word))?;
    }
    picture.out.write_str("</g>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(tree: &str, words: &[&str], links: &[(u32, u32)]) -> String {
        let mut picture = String::new();
        write_pair_svg(&tree.parse().expect("a tree"), words, links, &mut picture)
            .expect("strings do not fail");
        picture
    }

    #[test]
    fn there_is_a_line_for_each_link_inside() {
        let picture =
            draw("(NP (JJ white) (NN house))", &["maison", "blanche"], &[(0, 1), (1, 0), (2, 0), (0, 2)]);
        let lines = picture.split("#bf8700\" d=\"").nth(1).expect("links").split('"').next().expect("a path");
        assert_eq!(lines.matches('M').count(), 2);
        assert!(picture.contains(">maison</text>") && picture.ends_with("</svg>\n"));
    }

    #[test]
    fn nothing_can_be_drawn() {
        assert!(draw("()", &[], &[]).contains("()"));
        assert!(draw("()", &["<a>"], &[]).contains("&lt;a&gt;"));
    }
}
