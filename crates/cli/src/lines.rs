//! Text, line by line.

use std::io::{BufRead, BufReader, Read};

use boughs::tree::read::{Encoding, Input};
use boughs::{Error, ErrorKind, Result};

use crate::output::{counted, report};

/// The lines of a file. Errors name it.
pub(crate) struct Lines {
    input: BufReader<Box<dyn Read + Send>>,
    name: String,
    is_lossy: bool,
    bytes: Vec<u8>,
    text: String,
    /// The number of the last line, from 1.
    pub(crate) number: u64,
    num_replaced: u64,
}

impl Lines {
    /// Opens a file. If reading is lossy, bytes that are not UTF-8 become U+FFFD; otherwise they are an error.
    pub(crate) fn open(input: &Input, encoding: Encoding, is_lossy: bool) -> Result<Self> {
        let name = input.name();
        let opened = input.open(encoding).map_err(|error| error.in_file(&name))?;
        let input = BufReader::with_capacity(1 << 16, opened);
        let (bytes, text) = (Vec::new(), String::new());
        Ok(Self { input, name, is_lossy, bytes, text, number: 0, num_replaced: 0 })
    }

    /// The next line, without its end.
    pub(crate) fn next(&mut self) -> Result<Option<&str>> {
        self.bytes.clear();
        let read = self.input.read_until(b'\n', &mut self.bytes);
        if read.map_err(|error| Error::io("read", error).in_file(&self.name))? == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.text = match (str::from_utf8(&self.bytes), self.is_lossy) {
            (Ok(text), _) => text.to_owned(),
            (Err(_), true) => {
                self.num_replaced += 1;
                String::from_utf8_lossy(&self.bytes).into_owned()
            }
            (Err(error), false) => return Err(self.not_utf8(error.valid_up_to())),
        };
        Ok(Some(self.text.trim_end_matches(['\n', '\r'])))
    }

    /// Tells how many lines of the file were not UTF-8, if any.
    pub(crate) fn report_replaced(&self) {
        if self.num_replaced > 0 {
            let (name, number) = (&self.name, counted(self.num_replaced, "line"));
            report(format_args!("{name}: not UTF-8 in {number}, replaced by U+FFFD"));
        }
    }

    fn not_utf8(&self, place: usize) -> Error {
        let byte = self.bytes.get(place).copied().unwrap_or_default();
        let message = format!("expected UTF-8, found byte 0x{byte:02X} at byte {} of the line", place + 1);
        Error::new(ErrorKind::Encoding, message)
            .hint("convert the text to UTF-8, name its --encoding, or have such bytes replaced by --lossy")
            .at_line(self.number)
            .in_file(&self.name)
    }
}
