//! The text of an HTML page.

/// Elements that stand in a line of text; all others end it.
const INLINE: [&str; 24] = [
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd",
    "mark", "q", "s", "small", "span", "strong", "sub", "sup", "u",
];

/// Elements whose content is no text.
const HIDDEN: [&str; 5] = ["head", "noscript", "script", "style", "template"];

/// The text of a page: without tags, comments, scripts and styles, with a blank line where a block begins or ends, and
/// with the common character references resolved. White space is as in the page, but a line break is a blank.
pub(crate) fn text_of(page: &str) -> String {
    let mut text = String::with_capacity(page.len() / 2);
    let mut rest = page;
    while let Some(open) = rest.find('<') {
        push_text(&rest[..open], &mut text);
        rest = &rest[open..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        if !rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
            text.push('<');
            rest = &rest[1..];
            continue;
        }
        let end = rest.find('>').map_or(rest.len(), |end| end + 1);
        let name = name(&rest[1..end]);
        if !INLINE.contains(&name.as_str()) {
            text.push_str("\n\n");
        }
        rest = &rest[end..];
        if HIDDEN.contains(&name.as_str()) {
            rest = after_element(rest, &name);
        }
    }
    push_text(rest, &mut text);
    text
}

/// The name of a tag in small letters; that of a closing tag begins with a slash, unless it is in a line.
fn name(tag: &str) -> String {
    let end = tag.find(|c: char| !c.is_ascii_alphanumeric() && c != '/').unwrap_or(tag.len());
    let name = tag[..end].to_ascii_lowercase();
    let bare = name.trim_matches('/');
    if INLINE.contains(&bare) { bare.to_owned() } else { name.trim_end_matches('/').to_owned() }
}

/// What follows the end of an element.
fn after_element<'t>(text: &'t str, name: &str) -> &'t str {
    let end = format!("</{name}");
    let found = text
        .match_indices("</")
        .find(|(at, _)| text.get(*at..at + end.len()).is_some_and(|it| it.eq_ignore_ascii_case(&end)));
    found.map_or("", |(at, _)| text[at..].find('>').map_or("", |close| &text[at + close + 1..]))
}

fn push_text(piece: &str, text: &mut String) {
    let piece = piece.replace(['\n', '\r'], " ");
    let mut rest = piece.as_str();
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(';').filter(|&end| end <= 10);
        match end.and_then(|end| Some((end, character(&rest[1..end])?))) {
            Some((end, c)) => {
                text.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                text.push('&');
                rest = &rest[1..];
            }
        }
    }
    text.push_str(rest);
}

/// The character that a reference stands for.
fn character(reference: &str) -> Option<char> {
    if let Some(number) = reference.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code);
    }
    let named = NAMED.iter().find(|(name, _)| *name == reference);
    named.map(|&(_, c)| c).or_else(|| accented(reference))
}

const NAMED: [(&str, char); 24] = [
    ("amp", '&'),
    ("lt", '<'),
    ("gt", '>'),
    ("quot", '"'),
    ("apos", '\''),
    ("nbsp", ' '),
    ("shy", '\u{AD}'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("hellip", '…'),
    ("lsquo", '‘'),
    ("rsquo", '’'),
    ("ldquo", '“'),
    ("rdquo", '”'),
    ("laquo", '«'),
    ("raquo", '»'),
    ("bdquo", '„'),
    ("euro", '€'),
    ("pound", '£'),
    ("copy", '©'),
    ("deg", '°'),
    ("szlig", 'ß'),
    ("iexcl", '¡'),
    ("iquest", '¿'),
];

/// `eacute`, `Uuml` and the like.
fn accented(reference: &str) -> Option<char> {
    const MARKED: [(&str, &str, &str); 6] = [
        ("acute", "aeiouyAEIOUY", "áéíóúýÁÉÍÓÚÝ"),
        ("grave", "aeiouAEIOU", "àèìòùÀÈÌÒÙ"),
        ("circ", "aeiouAEIOU", "âêîôûÂÊÎÔÛ"),
        ("uml", "aeiouyAEIOU", "äëïöüÿÄËÏÖÜ"),
        ("tilde", "anoANO", "ãñõÃÑÕ"),
        ("cedil", "cC", "çÇ"),
    ];
    MARKED.iter().find_map(|(mark, plain, marked)| {
        let letter = reference.strip_suffix(mark)?;
        let place = plain.chars().position(|c| letter.chars().eq([c]))?;
        marked.chars().nth(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_is_left() {
        let page = "<!DOCTYPE html><html><head><title>x</title></head><body><script>if (a < b) c();</script>\
                    <h1>A <b>bold</b> title</h1><!-- no --><p>Caf&eacute;s &amp; bars\nare 3 < 4 &#x2014; R&D.<br/>Bye";
        let text = text_of(page);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        assert_eq!(lines, ["A bold title", "Cafés & bars are 3 < 4 — R&D.", "Bye"]);
    }

    #[test]
    fn broken_pages_end() {
        for page in ["<", "<p", "<!--", "<script>", "&", "&#x110000;", "</", "<style></styl"] {
            text_of(page);
        }
    }
}
