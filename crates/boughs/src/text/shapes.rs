//! Tokens that are made of signs and letters alike: addresses and faces.

use super::chars::is_word_char;

/// Whether a text may hold an address at all: nearly no chunk does, and this is the quick way to know.
pub(super) fn may_hold_address(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'.' | b'@' | b':'))
}

/// The length of the address (of a page, a mailbox, a document) at the beginning of `text`.
pub(super) fn address(text: &str) -> Option<usize> {
    url(text).or_else(|| mailbox(text)).or_else(|| host(text))
}

fn url(text: &str) -> Option<usize> {
    let scheme = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let is_url =
        text[scheme..].starts_with("://") || starts_with(text, "www.") || starts_with(text, "doi:10.");
    let len = is_url.then(|| trimmed(text, end_of_address(text)))?;
    (len > scheme + 3).then_some(len)
}

fn end_of_address(text: &str) -> usize {
    text.find(['<', '>', '"', '“', '”']).unwrap_or(text.len())
}

fn starts_with(text: &str, start: &str) -> bool {
    text.as_bytes().get(..start.len()).is_some_and(|bytes| bytes.eq_ignore_ascii_case(start.as_bytes()))
}

/// Takes off the end what more likely belongs to the sentence than to the address: punctuation, and brackets that
/// the address did not open.
fn trimmed(text: &str, end: usize) -> usize {
    let count = |bracket: char| text[..end].matches(bracket).count();
    let mut surplus = count(')').saturating_sub(count('('));
    let mut address = &text[..end];
    loop {
        address = address.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '’', ']', '}', '*']);
        match address.strip_suffix(')') {
            Some(shorter) if surplus > 0 => address = shorter,
            _ => return address.len(),
        }
        surplus -= 1;
    }
}

fn mailbox(text: &str) -> Option<usize> {
    let at = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '%')))?;
    let domain = text[at..].strip_prefix('@')?;
    let len = host_len(domain);
    domain[..len].contains('.').then_some(at + 1 + len)
}

/// A host under a well-known domain, with what follows it after a slash.
fn host(text: &str) -> Option<usize> {
    const DOMAINS: [&str; 9] = ["com", "org", "net", "edu", "gov", "io", "info", "co.uk", "ac.uk"];
    let len = host_len(text);
    let host = &text[..len];
    let is_under =
        |domain: &&str| host.strip_suffix(*domain).is_some_and(|name| name.len() > 1 && name.ends_with('.'));
    if !host.contains('.') || !DOMAINS.iter().any(is_under) {
        return None;
    }
    let has_path = text[len..].starts_with('/');
    Some(if has_path { trimmed(text, end_of_address(text)) } else { len })
}

/// The length of letters, digits, hyphens and inner periods.
fn host_len(text: &str) -> usize {
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-'))).unwrap_or(text.len());
    text[..end].trim_end_matches(['.', '-']).len()
}

/// The length of the face at the beginning of `text`, if no letter or digit follows it.
pub(super) fn emoticon(text: &str) -> Option<usize> {
    if !text.starts_with([':', ';', '=', '<', '>', '^', '-']) {
        return None;
    }
    let len = FACES.iter().find(|face| text.starts_with(**face)).map(|face| face.len());
    let len = len.or_else(|| built_face(text))?;
    (!text[len..].starts_with(is_word_char)).then_some(len)
}

const FACES: [&str; 8] = ["<3", "</3", "^_^", "^^", "-_-", ":'(", ":')", ">_<"];

/// Eyes, perhaps a nose, and a mouth.
fn built_face(text: &str) -> Option<usize> {
    let brows = usize::from(text.starts_with('>'));
    let rest = text[brows..].strip_prefix([':', ';', '='])?;
    let nose = usize::from(rest.starts_with(['-', '^']));
    let mouth = rest[nose..].chars().next()?;
    let is_mouth =
        matches!(mouth, ')' | '(' | ']' | '[' | 'D' | 'P' | 'p' | '|' | '/' | '\\' | 'O' | 'o' | '*' | '3');
    let len = brows + 1 + nose + mouth.len_utf8();
    let again = text.get(len..)?.chars().take_while(|&c| c == mouth).count();
    (is_mouth && !(mouth == '/' && again > 0)).then_some(len + again)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        for (text, expected) in [
            ("http://example.org/a-b?c=d,e.", "http://example.org/a-b?c=d,e"),
            ("https://example.org/wiki/Bough_(tree)),", "https://example.org/wiki/Bough_(tree)"),
            ("www.example.org!", "www.example.org"),
            ("a.b-c@example.org,", "a.b-c@example.org"),
            ("my-site.com's", "my-site.com"),
            ("example.org/a/b-c).", "example.org/a/b-c"),
            ("doi:10.1000/182.", "doi:10.1000/182"),
        ] {
            assert_eq!(address(text).map(|len| &text[..len]), Some(expected));
        }
    }

    #[test]
    fn what_is_no_address() {
        for text in ["end.", "U.S.", "a@b", "x:y", "http://", "node.js", "either/or.", "com", ".com", "the.e"]
        {
            assert_eq!(address(text), None, "{text}");
        }
    }

    #[test]
    fn faces() {
        for text in [":)", ":-)", ";)", ":D", ":-P", ":(", ":((", "=)", "<3", ":'(", ">:(", "^_^", ":/"] {
            assert_eq!(emoticon(text), Some(text.len()), "{text}");
        }
        for text in [":", ":a", "://x", ":)x", "(:", "--", ":Dx", "=="] {
            assert_eq!(emoticon(text), None, "{text}");
        }
    }
}
