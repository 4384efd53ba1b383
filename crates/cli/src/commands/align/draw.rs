//! A pair as a picture.

use std::io::Write;

use anyhow::{Result, bail};
use boughs::tree::draw::write_pair_svg;

use super::WordLinks;
use crate::bitext::Pairs;
use crate::output::stdout;

/// Draws the pair of a number, counted from 1.
pub(super) fn draw(pairs: &Pairs, links: &WordLinks, number: usize) -> Result<()> {
    let (Some(tree), target) = (pairs.trees.get(number - 1), pairs.bitext.target()) else {
        bail!("there is no pair {number}: there are {}", pairs.trees.len());
    };
    let words: Vec<&str> =
        target.sentences().get(number - 1).iter().map(|&word| target.vocab().name(word)).collect();
    let links: Vec<(u32, u32)> =
        links.links[number - 1].iter().map(|link| (link.source, link.target)).collect();
    let mut picture = String::new();
    write_pair_svg(tree, &words, &links, &mut picture)?;
    let mut out = stdout();
    out.write_all(picture.as_bytes())?;
    Ok(out.flush()?)
}
