//! A web page of trees: each sentence, its picture below it.

use std::fmt::{self, Write};

use super::svg::{Drawing, Escaped, style};
use crate::tree::Tree;

/// What ends the page.
pub const HTML_END: &str = "</body>\n</html>\n";

const PAGE_STYLE: &str = include_str!("../../../data/draw/page.css");

/// What comes before the first sentence of a page with this title.
pub fn html_start(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"und\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>{}{}</style>\n</head>\n<body>\n",
        Escaped(title),
        PAGE_STYLE.replace('\n', ""),
        style()
    )
}

/// Writes a sentence with its picture, below the number that it is known by.
///
/// # Errors
/// Never: strings take all that is written.
pub fn write_html(tree: &Tree, number: u64, out: &mut String) -> fmt::Result {
    let text = tree.text(tree.whole());
    writeln!(out, "<figure id=\"s{number}\">")?;
    writeln!(out, "<figcaption><a href=\"#s{number}\">{number}</a> {}</figcaption>", Escaped(&text))?;
    Drawing::of(tree).write_element(out)?;
    out.write_str("</figure>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page() {
        let mut page = html_start("a <b>");
        write_html(&"(S (VP (VB Go) (_ &)))".parse().expect("a tree"), 3, &mut page)
            .expect("strings do not fail");
        page.push_str(HTML_END);
        assert!(page.contains("<title>a &lt;b&gt;</title>"));
        assert!(page.contains("<figcaption><a href=\"#s3\">3</a> Go &amp;</figcaption>\n<svg "));
        assert_eq!((page.matches("<style>").count(), page.matches("</figure>").count()), (1, 1));
    }
}
