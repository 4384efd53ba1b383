//! Rows as text, a row a line: the format of svmlight, libsvm, xgboost and many others.
//!
//! ```text
//! +1 3:1 17:1 4021:1        # what follows a # is ignored
//! -1:0.5 qid:7 3:1 99:0
//! NP 17:1
//! ```
//!
//! - The **label** is a number or a name. `+1`, `1` and `1.0` are the same label. A weight may follow it (`-1:0.5`, as
//!   xgboost has it); without one the row weighs 1. Several labels (`1,5`) are refused.
//! - A **feature** is `index:value`. The index is the feature's number as it stands, whether the file counts from 0 or
//!   from 1. Features are binary: a value of 0 is as good as no entry, a value of 1 makes the feature active, and any
//!   other value is refused, unless [`Options::threshold`] says above which value a feature counts as active.
//! - `qid:…` is ignored. Blank lines and lines of comment are passed over.
//!
//! Files may be compressed by gzip, which their first bytes tell.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use xxhash_rust::xxh3::Xxh3;

use super::{Dataset, DatasetBuilder, Target};
use crate::error::{Error, ErrorKind, Result};
use crate::vocab::Vocab;

/// How values are read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// Features with a larger value are active. If there is none, values must be 0 or 1.
    pub threshold: Option<f64>,
}

/// A row of text; made once and read into many times.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SvmlightRow {
    /// The label, in its plain form: `1` for `+1.0`.
    pub label: String,
    /// How much the row counts.
    pub weight: f64,
    /// The active features, in the order of the file.
    pub features: Vec<u32>,
}

/// Reads rows one at a time.
pub struct SvmlightReader {
    input: Box<dyn BufRead + Send>,
    file: String,
    options: Options,
    line: Vec<u8>,
    number: u64,
}

impl SvmlightReader {
    /// Opens a file, plain or gzip; `-` is standard input.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(path: &Path, options: Options) -> Result<Self> {
        if path.as_os_str() == "-" {
            return Self::new(io::stdin(), "<stdin>", options);
        }
        let file = File::open(path).map_err(|error| Error::io("open", error).in_file(path))?;
        Self::new(file, &path.display().to_string(), options)
    }

    /// Reads from anything; `file` is its name in messages.
    ///
    /// # Errors
    /// If the first bytes cannot be read.
    pub fn new(input: impl Read + Send + 'static, file: &str, options: Options) -> Result<Self> {
        let mut buffered = BufReader::with_capacity(1 << 16, input);
        let start = buffered.fill_buf().map_err(|error| Error::io("read", error).in_file(file))?;
        let input: Box<dyn BufRead + Send> = if start.starts_with(&[0x1F, 0x8B]) {
            Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(buffered)))
        } else {
            Box::new(buffered)
        };
        Ok(Self { input, file: file.to_owned(), options, line: Vec::new(), number: 0 })
    }

    /// Reads the next row, if there is one. After an error the next call goes on with the next line.
    ///
    /// # Errors
    /// If the file cannot be read, or the line is no row.
    pub fn read(&mut self, row: &mut SvmlightRow) -> Result<bool> {
        loop {
            self.line.clear();
            let read = self.input.read_until(b'\n', &mut self.line);
            let num_bytes = read.map_err(|error| self.place(Error::io("read", error)))?;
            self.number += 1;
            if num_bytes == 0 {
                return Ok(false);
            }
            match parse_line(&self.line, &self.options, row) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) => return Err(self.place(error)),
            }
        }
    }

    fn place(&self, error: Error) -> Error {
        error.at_line(self.number).in_file(&self.file)
    }
}

/// Reads a line into a row; whether there was one in it.
fn parse_line(line: &[u8], options: &Options, row: &mut SvmlightRow) -> Result<bool> {
    let line = line.split(|&byte| byte == b'#').next().unwrap_or_default();
    let line = str::from_utf8(line).map_err(|_| {
        Error::new(ErrorKind::Encoding, "expected text in UTF-8, found other bytes")
            .hint("a row is a label and then pairs of index:value")
    })?;
    let mut words = line.split_ascii_whitespace();
    let Some(label) = words.next() else { return Ok(false) };
    parse_label(label, row)?;
    row.features.clear();
    for word in words {
        row.features.extend(parse_feature(word, options)?);
    }
    Ok(true)
}

fn syntax(expected: &str, found: &str) -> Error {
    Error::new(ErrorKind::Syntax, format!("expected {expected}, found `{found}`"))
}

fn parse_label(word: &str, row: &mut SvmlightRow) -> Result<()> {
    let (label, weight) = match word.split_once(':') {
        Some((label, weight)) => (label, parse_weight(weight, word)?),
        None => (word, 1.0),
    };
    if label.is_empty() {
        return Err(syntax("a label at the start of the line", word));
    }
    if label.contains(',') {
        return Err(syntax("one label", label).hint("write the row once for each label, or choose one"));
    }
    row.weight = weight;
    row.label.clear();
    row.label.push_str(label);
    if let Ok(number) = label.parse::<f64>()
        && number.is_finite()
    {
        // Adding 0 makes -0 plain.
        row.label = (number + 0.0).to_string();
    }
    Ok(())
}

fn parse_weight(weight: &str, word: &str) -> Result<f64> {
    match weight.parse::<f64>() {
        Ok(weight) if weight.is_finite() && weight >= 0.0 => Ok(weight),
        _ => Err(syntax("a label, perhaps with a weight of at least 0 (`label:weight`)", word)
            .hint("every line starts with a label")),
    }
}

/// The feature, if it is active.
fn parse_feature(word: &str, options: &Options) -> Result<Option<u32>> {
    let malformed = || syntax("index:value", word);
    let (index, value) = word.split_once(':').ok_or_else(malformed)?;
    if index == "qid" {
        return Ok(None);
    }
    let feature = index.parse::<u32>().map_err(|_| {
        malformed().hint("an index is a whole number below 4294967296; features have numbers here, not names")
    })?;
    Ok(is_active(value, options, word)?.then_some(feature))
}

fn is_active(value: &str, options: &Options, word: &str) -> Result<bool> {
    if let ("1", None) = (value, options.threshold) {
        return Ok(true);
    }
    let number = value.parse::<f64>().map_err(|_| syntax("index:value", word))?;
    match options.threshold {
        Some(threshold) => Ok(number > threshold),
        None if number == 0.0 || number == 1.0 => Ok(number == 1.0),
        None => Err(syntax("a binary feature, of value 0 or 1", word).hint(
            "give a threshold above which a feature is active, or make one feature of each range of values",
        )),
    }
}

/// A whole file in memory: rows, the label of each, and its weight.
#[derive(Debug, Clone)]
pub struct LabelledRows {
    /// The rows.
    pub dataset: Dataset,
    /// The labels that occur: numbers by size, then names by letter.
    pub labels: Vec<String>,
    /// The place of each row's label in `labels`.
    pub classes: Vec<u32>,
    /// The weight of each row.
    pub weights: Vec<f64>,
}

impl LabelledRows {
    /// Reads all rows and finishes the dataset in a way of one's own, such as
    /// [`finish_by_frequency`](DatasetBuilder::finish_by_frequency).
    ///
    /// # Errors
    /// As [`SvmlightReader::read`].
    pub fn read_with(
        reader: &mut SvmlightReader,
        finish: impl FnOnce(DatasetBuilder) -> Dataset,
    ) -> Result<Self> {
        let mut builder = DatasetBuilder::new();
        let mut labels = Vocab::new();
        let mut classes = Vec::new();
        let mut weights = Vec::new();
        let mut row = SvmlightRow::default();
        while reader.read(&mut row)? {
            builder.push_row(&row.features).map_err(|error| reader.place(error))?;
            classes.push(labels.intern(&row.label));
            weights.push(row.weight);
        }
        let labels = number_by_order(&labels, &mut classes);
        Ok(Self { dataset: finish(builder), labels, classes, weights })
    }

    /// A checksum over rows, labels and weights: other data, almost surely another checksum.
    pub fn checksum(&self) -> u64 {
        let mut hash = Xxh3::new();
        self.dataset.hash_rows(&mut hash);
        for label in &self.labels {
            hash.update(label.as_bytes());
            hash.update(b"\n");
        }
        for (class, weight) in self.classes.iter().zip(&self.weights) {
            hash.update(&class.to_le_bytes());
            hash.update(&weight.to_le_bytes());
        }
        hash.digest()
    }

    /// What the classifier that tells a label from all others has to learn. Rows of weight 0 are not used.
    ///
    /// # Errors
    /// If a weight is too small or too large for single precision.
    pub fn target(&self, label: &str) -> Result<Target> {
        let label = self.labels.iter().position(|known| known == label);
        let mut target = Target::unused(self.classes.len());
        for (row, (&class, &weight)) in self.classes.iter().zip(&self.weights).enumerate() {
            if weight != 0.0 {
                target.set(row, Some(class as usize) == label, weight)?;
            }
        }
        Ok(target)
    }
}

/// Numbers labels by their order instead of their first occurrence.
fn number_by_order(labels: &Vocab, classes: &mut [u32]) -> Vec<String> {
    let mut sorted: Vec<(&str, usize)> = labels.iter().zip(0..).collect();
    let value = |label: &str| label.parse::<f64>().ok().filter(|number| number.is_finite());
    sorted.sort_by(|(a, _), (b, _)| match (value(a), value(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => a.cmp(b),
    });
    let mut renumbered = vec![0; sorted.len()];
    for (place, (_, number)) in sorted.iter().enumerate() {
        renumbered[*number] = place as u32;
    }
    for class in classes {
        *class = renumbered[*class as usize];
    }
    sorted.into_iter().map(|(label, _)| label.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use proptest::prelude::*;

    use super::*;

    fn read_with(bytes: impl Into<Vec<u8>>, options: Options) -> Result<LabelledRows> {
        let mut reader = SvmlightReader::new(Cursor::new(bytes.into()), "x.svm", options)?;
        LabelledRows::read_with(&mut reader, DatasetBuilder::finish)
    }

    fn read(text: &str) -> Result<LabelledRows> {
        read_with(text, Options::default())
    }

    fn message(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    const TEXT: &str = "# two classes\n+1 3:1 17:1 2:0\t# why\n\n-1:0.5 qid:7 3:1.0\r\n1.0\n";

    #[test]
    fn rows_labels_and_weights() {
        let rows = read(TEXT).unwrap();
        assert_eq!(rows.labels, ["-1", "1"]);
        assert_eq!(rows.classes, [1, 0, 1]);
        assert_eq!(rows.weights, [1.0, 0.5, 1.0]);
        let features = |row| rows.dataset.row(row).collect::<Vec<_>>();
        assert_eq!([features(0), features(1), features(2)], [vec![3, 17], vec![3], vec![]]);
        let target = rows.target("1").unwrap();
        assert_eq!((target.signed_bias(0), target.signed_bias(1)), (1.0, -0.5));
    }

    #[test]
    fn checksums_tell_data_apart() {
        let checksum = |text: &str| read(text).unwrap().checksum();
        assert_eq!(checksum("1 3:1 4:1\n-1\n"), checksum("+1 4:1 3:1\n-1"));
        for other in ["1 3:1\n-1 4:1", "1 3:1 5:1\n-1", "1:2 3:1 4:1\n-1", "-1 3:1 4:1\n1", "1 3:1 4:1\n-2"] {
            assert_ne!(checksum("1 3:1 4:1\n-1"), checksum(other), "{other}");
        }
    }

    #[test]
    fn numbers_come_before_names() {
        assert_eq!(read("NP\n10\nADJP\n-2\n9").unwrap().labels, ["-2", "9", "10", "ADJP", "NP"]);
    }

    #[test]
    fn gzip_is_known_by_its_first_bytes() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(TEXT.as_bytes()).unwrap();
        let rows = read_with(encoder.finish().unwrap(), Options::default()).unwrap();
        assert_eq!(rows.classes, [1, 0, 1]);
    }

    #[test]
    fn a_threshold_makes_features_binary() {
        let rows = read_with("1 1:0.2 2:0.7 3:-1 4:0.5", Options { threshold: Some(0.5) }).unwrap();
        assert_eq!(rows.dataset.row(0).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn errors_say_where_and_what() {
        assert!(
            message("1 1:1\n1 2:0.3")
                .starts_with("x.svm:2: expected a binary feature, of value 0 or 1, found `2:0.3`")
        );
        assert!(message("1 word").starts_with("x.svm:1: expected index:value, found `word`"));
        assert!(message("1 word:1").contains("features have numbers here, not names"));
        assert!(message("1 4294967296:1").contains("below 4294967296"));
        assert!(message("1 -3:1").contains("expected index:value"));
        assert!(message("1 3:x").contains("expected index:value, found `3:x`"));
        assert!(message("1:x 3:1").contains("expected a label, perhaps with a weight"));
        assert!(message("1:-1 3:1").contains("at least 0"));
        assert!(message(":1 3:1").contains("expected a label at the start"));
        assert!(message("1,2 3:1").contains("expected one label"));
        let other_bytes = read_with(vec![b'1', b' ', 0xFF], Options::default()).unwrap_err();
        assert_eq!(other_bytes.kind(), ErrorKind::Encoding);
    }

    #[test]
    fn reading_goes_on_after_an_error() {
        let mut reader = SvmlightReader::new(Cursor::new("1 x\n1 5:1"), "x.svm", Options::default()).unwrap();
        let mut row = SvmlightRow::default();
        assert!(reader.read(&mut row).is_err());
        assert!(reader.read(&mut row).unwrap());
        assert_eq!((row.features, reader.number), (vec![5], 2));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_end(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read_with(bytes, Options::default());
        }

        #[test]
        fn arbitrary_rows_come_back(rows in proptest::collection::vec(proptest::collection::btree_set(0u32..5000, 0..9), 0..9)) {
            let line = |row: &std::collections::BTreeSet<u32>| {
                row.iter().fold("1".to_owned(), |line, feature| format!("{line} {feature}:1"))
            };
            let read = read(&rows.iter().map(line).collect::<Vec<_>>().join("\n")).unwrap();
            for (number, row) in rows.iter().enumerate() {
                prop_assert!(read.dataset.row(number).eq(row.iter().copied()));
            }
        }
    }
}
