//! The tags of one sentence of an XML file, with their lines and attributes.

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

use super::message::{not_utf8, shorten, syntax};
use super::xml::{RawSentence, XmlNames};
use crate::error::{Error, Result};

/// Who is told of each tag, in the order of the file.
pub(super) trait TagVisitor {
    /// A tag that opens, on a line of the file; errors get the line.
    fn open_tag(&mut self, tag: &BytesStart<'_>, line: u64) -> Result<()>;

    /// A tag that closes; one without content does so at once.
    fn close_tag(&mut self, name: &str);
}

/// Goes through the tags of a sentence.
pub(super) fn read_tags(raw: &RawSentence, visitor: &mut impl TagVisitor) -> Result<()> {
    let xml = text_of(raw)?;
    let mut place = LineCursor { xml, position: 0, line: raw.line };
    let mut reader = quick_xml::Reader::from_str(xml);
    loop {
        // A tag starts where the event before it ended.
        let line = place.line_at(reader.buffer_position());
        match reader.read_event() {
            Ok(Event::Start(tag)) => visitor.open_tag(&tag, line).map_err(|error| error.at_line(line))?,
            Ok(Event::Empty(tag)) => {
                visitor.open_tag(&tag, line).map_err(|error| error.at_line(line))?;
                visitor.close_tag(tag.name().as_ref());
            }
            Ok(Event::End(tag)) => visitor.close_tag(tag.name().as_ref()),
            Ok(Event::Eof) => return Ok(()),
            Ok(_) => {}
            Err(error) => {
                let line = place.line_at(reader.error_position());
                return Err(malformed(&error).at_line(line));
            }
        }
    }
}

/// Refuses a sentence that is not closed; `id` names it.
pub(super) fn check_closed(raw: &RawSentence, names: &XmlNames, id: &str) -> Result<()> {
    match &raw.found_instead {
        None => Ok(()),
        Some(found) => Err(syntax(format!("sentence {} is still open where {found}", shorten(id)))
            .hint(format!("this is where it starts; close it with `{}>`", names.sentence_end))
            .at_line(raw.line)),
    }
}

/// The value of an attribute, if the tag has it.
pub(super) fn attribute(tag: &BytesStart<'_>, name: &str) -> Result<Option<String>> {
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| malformed_value(&error.into()))?;
        if attribute.key.as_ref() == name {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|error| malformed_value(&error))?;
            return Ok(Some(value.into_owned()));
        }
    }
    Ok(None)
}

/// The value of an attribute that the tag must have.
pub(super) fn required(tag: &BytesStart<'_>, name: &str) -> Result<String> {
    attribute(tag, name)?.ok_or_else(|| syntax(format!("`<{}>` without `{name}=`", tag.name().as_ref())))
}

fn text_of(raw: &RawSentence) -> Result<&str> {
    str::from_utf8(&raw.xml).map_err(|error| {
        let line_start = memchr::memrchr(b'\n', &raw.xml[..error.valid_up_to()]).map_or(0, |end| end + 1);
        let line = raw.line + count_lines(&raw.xml[..line_start]);
        not_utf8(&raw.xml[line_start..]).at_line(line)
    })
}

/// What is wrong with the XML; the kinds of errors that quick-xml puts first say little.
fn malformed(error: &quick_xml::Error) -> Error {
    let message = match error {
        quick_xml::Error::Syntax(error) => error.to_string(),
        quick_xml::Error::IllFormed(error) => error.to_string(),
        other => other.to_string(),
    };
    syntax(format!("malformed XML: {message}"))
}

fn malformed_value(error: &quick_xml::Error) -> Error {
    malformed(error).hint("in values `&`, `<` and `\"` are written `&amp;`, `&lt;` and `&quot;`")
}

fn count_lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// Lines of positions that only grow.
struct LineCursor<'a> {
    xml: &'a str,
    position: usize,
    line: u64,
}

impl LineCursor<'_> {
    fn line_at(&mut self, position: u64) -> u64 {
        let position = usize::try_from(position).unwrap_or(usize::MAX).clamp(self.position, self.xml.len());
        self.line += count_lines(&self.xml.as_bytes()[self.position..position]);
        self.position = position;
        self.line
    }
}
