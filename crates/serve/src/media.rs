//! Kinds of content.

pub(crate) const JSON: &str = "application/json";
pub(crate) const NDJSON: &str = "application/x-ndjson";
pub(crate) const TEXT: &str = "text/plain; charset=utf-8";
pub(crate) const SVG: &str = "image/svg+xml";
pub(crate) const HTML: &str = "text/html; charset=utf-8";
pub(crate) const CSS: &str = "text/css; charset=utf-8";
pub(crate) const SCRIPT: &str = "text/javascript; charset=utf-8";
pub(crate) const EVENTS: &str = "text/event-stream";
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";

/// What the body of a request is, by its head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Text, or nothing said.
    Text,
    /// JSON.
    Json,
    /// A form of HTML.
    Form,
    /// Anything else, or an encoding of characters other than UTF-8.
    Other,
}

impl Content {
    /// The kind of a `Content-Type`.
    pub fn of(header: Option<&str>) -> Self {
        let Some(header) = header else { return Self::Text };
        let mut parts = header.split(';').map(str::trim);
        let kind = parts.next().unwrap_or_default().to_ascii_lowercase();
        let is_utf8 = parts.filter_map(|part| part.split_once('=')).all(|(name, value)| {
            let value = value.trim_matches('"').to_ascii_lowercase();
            !name.eq_ignore_ascii_case("charset") || ["utf-8", "utf8", "us-ascii"].contains(&value.as_str())
        });
        match kind.as_str() {
            _ if !is_utf8 => Self::Other,
            "" | "text/plain" => Self::Text,
            JSON => Self::Json,
            FORM => Self::Form,
            _ => Self::Other,
        }
    }
}

/// The pairs of a query, or of a form, with their escapes undone; nothing if they are not UTF-8.
pub(crate) fn pairs(query: &str) -> Option<Vec<(String, String)>> {
    let pair = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        Some((unescaped(name)?, unescaped(value)?))
    };
    query.split('&').filter(|part| !part.is_empty()).map(pair).collect()
}

/// `%20` and `+` are blanks.
pub(crate) fn unescaped(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        rest = others;
        match (first, others) {
            (b'%', [high, low, after @ ..]) => match (digit(*high), digit(*low)) {
                (Some(high), Some(low)) => {
                    bytes.push(high << 4 | low);
                    rest = after;
                }
                _ => bytes.push(b'%'),
            },
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(*first),
        }
    }
    String::from_utf8(bytes).ok()
}

fn digit(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_undone() {
        assert_eq!(unescaped("a+b%20c%C3%A9%zz%4"), Some("a b cé%zz%4".to_owned()));
        assert_eq!(unescaped("%FF"), None);
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(pairs("a=1&&b&c=x%3Dy"), Some(vec![pair("a", "1"), pair("b", ""), pair("c", "x=y")]));
    }

    #[test]
    fn content_is_told_by_its_type() {
        for (header, content) in [
            (None, Content::Text),
            (Some("text/plain; charset=utf8"), Content::Text),
            (Some("text/plain; charset=\"UTF-8\""), Content::Text),
            (Some("text/plain; charset=latin1"), Content::Other),
            (Some("Application/JSON"), Content::Json),
            (Some("application/x-www-form-urlencoded"), Content::Form),
            (Some("image/png"), Content::Other),
        ] {
            assert_eq!(Content::of(header), content, "{header:?}");
        }
    }
}
