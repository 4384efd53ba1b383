//! EVALB's algorithm as plainly as it can be written: strings, lists and nested loops.
//!
//! It has no `DEBUG` and no summary: only rows, complaints and whether it came to the end.

use boughs::eval::Parameters;

#[derive(Clone)]
struct Word {
    text: String,
    tag: String,
}

struct Bracket {
    start: i64,
    end: i64,
    label: String,
    deleted: bool,
    matched: bool,
}

struct Quote {
    word: Word,
    index: usize,
    num_brackets: usize,
    around: Vec<usize>,
}

#[derive(Default)]
struct Side {
    words: Vec<Word>,
    brackets: Vec<Bracket>,
    quotes: Vec<Quote>,
    length: usize,
}

struct Reference<'p> {
    parameters: &'p Parameters,
    line: usize,
    num_errors: i64,
    status: u8,
    complaints: String,
}

/// Too many errors.
struct Stop;

/// Returns the rows, the complaints, and whether all lines were read.
pub fn run(gold: &str, test: &str, parameters: &Parameters) -> (Vec<String>, String, bool) {
    let mut evalb = Reference { parameters, line: 0, num_errors: 0, status: 0, complaints: String::new() };
    let mut rows = Vec::new();
    let finished = gold.lines().zip(test.lines()).all(|(gold, test)| {
        evalb.line += 1;
        evalb.status = 0;
        let row = evalb.row(gold, test);
        let went_on = row.is_ok();
        rows.extend(row);
        went_on
    });
    (rows, evalb.complaints, finished)
}

impl Reference<'_> {
    fn error(&mut self, message: &str) -> Result<(), Stop> {
        self.status = 1;
        self.complaints += &format!("{} : {message}\n", self.line);
        self.num_errors += 1;
        if self.num_errors > self.parameters.max_errors + 1 { Err(Stop) } else { Ok(()) }
    }

    fn row(&mut self, gold: &str, test: &str) -> Result<String, Stop> {
        let mut gold = self.read(gold)?;
        let mut test = self.read(test)?;
        let counts = self.counts(&mut gold, &mut test)?.unwrap_or_default();
        let [words, num_gold, num_test, matched, crossing, tags] = counts;
        let percent = |part: usize, all: usize| if all == 0 { 0.0 } else { 100.0 * part as f64 / all as f64 };
        Ok(format!(
            "{:4}  {:3}    {}  {:6.2} {:6.2}   {:3}    {:3}  {:3}    {:3}   {:4}  {:4}   {:6.2}",
            self.line,
            gold.length,
            self.status,
            percent(matched, num_gold),
            percent(matched, num_test),
            matched,
            num_gold,
            num_test,
            crossing,
            words,
            tags,
            percent(tags, words)
        ))
    }

    fn read(&mut self, line: &str) -> Result<Side, Stop> {
        let line: Vec<char> = line.chars().chain(['\n']).collect();
        let mut side = Side::default();
        let mut open: Vec<usize> = Vec::new();
        let mut depth = 0;
        let mut at = 0;
        while at < line.len() {
            match line[at] {
                c if c.is_ascii_whitespace() => at += 1,
                '(' => {
                    let label = until_end(&line, at + 1);
                    at += 1 + label.chars().count();
                    let blanks = line[at..].iter().take_while(|c| c.is_ascii_whitespace()).count();
                    let word = until_end(&line, at + blanks);
                    let after = at + blanks + word.chars().count();
                    if blanks > 0 && line.get(after) == Some(&')') {
                        self.token(&mut side, &open, Word { text: word, tag: label });
                        at = after + 1;
                        continue;
                    }
                    if blanks > 0 && line.get(after) != Some(&'(') {
                        self.error("More than two elements in a bracket")?;
                    }
                    depth += 1;
                    open.push(side.brackets.len());
                    let start = side.words.len() as i64;
                    side.brackets.push(Bracket { start, end: -1, label, deleted: false, matched: false });
                }
                ')' => {
                    if depth < 0 {
                        self.error("Bracketing unbalance (too many close bracket)")?;
                    }
                    depth -= 1;
                    if let Some(last) = open.pop() {
                        side.brackets[last].end = side.words.len() as i64;
                    }
                    at += 1;
                }
                _ => self.error("Reading sentence")?,
            }
        }
        if depth != 0 {
            self.error("Bracketing is unbalanced (too many open bracket)")?;
        }
        Ok(side)
    }

    fn token(&self, side: &mut Side, open: &[usize], word: Word) {
        let parameters = self.parameters;
        let is_in = |list: &[Vec<u8>]| list.iter().any(|name| name == word.tag.as_bytes());
        side.length += usize::from(!is_in(&parameters.delete_labels_for_length));
        if is_in(&parameters.quote_labels) && ["'", "\"", "/"].contains(&word.text.as_str()) {
            let (index, num_brackets) = (side.words.len(), side.brackets.len());
            side.quotes.push(Quote { word: word.clone(), index, num_brackets, around: open.to_vec() });
        }
        if !is_in(&parameters.delete_labels) {
            side.words.push(word);
        }
    }

    fn counts(&mut self, gold: &mut Side, test: &mut Side) -> Result<Option<[usize; 6]>, Stop> {
        if test.words.is_empty() {
            self.status = 2;
            return Ok(None);
        }
        if gold.words.len() != test.words.len() {
            self.put_back_quotes(gold, test);
        }
        if gold.words.len() != test.words.len() {
            self.error(&format!("Length unmatch ({}|{})", gold.words.len(), test.words.len()))?;
            return Ok(None);
        }
        for (one, other) in gold.words.iter().zip(&test.words) {
            if one.text != other.text {
                self.error(&format!("Words unmatch ({}|{})", one.text, other.text))?;
                return Ok(None);
            }
        }
        self.delete_brackets(gold);
        self.delete_brackets(test);
        let matched = self.pair(&gold.brackets, &mut test.brackets);
        let counting = |side: &Side| side.brackets.iter().filter(|bracket| !bracket.deleted).count();
        let tags = gold.words.iter().zip(&test.words).filter(|(one, other)| self.same(&one.tag, &other.tag));
        let crossing = num_crossing(&gold.brackets, &test.brackets);
        Ok(Some([gold.words.len(), counting(gold), counting(test), matched, crossing, tags.count()]))
    }

    fn put_back_quotes(&self, gold: &mut Side, test: &mut Side) {
        let deleted =
            |word: &Word| self.parameters.delete_labels.iter().any(|name| name == word.tag.as_bytes());
        for j in 0..test.quotes.len() {
            let index = test.quotes[j].index;
            for i in 0..gold.quotes.len() {
                let (one, other) = (&gold.quotes[i], &test.quotes[j]);
                if one.index != index || one.word.tag == other.word.tag {
                    continue;
                }
                if deleted(&one.word) && !deleted(&other.word) {
                    put_back(gold, i);
                } else if deleted(&other.word) && !deleted(&one.word) {
                    put_back(test, j);
                }
            }
        }
    }

    fn delete_brackets(&self, side: &mut Side) {
        for bracket in &mut side.brackets {
            if bracket.start == bracket.end {
                bracket.deleted = true;
                continue;
            }
            bracket.label = bracket.label.split(['-', '=']).next().unwrap_or_default().to_owned();
            let same = |name: &Vec<u8>| self.same(&String::from_utf8_lossy(name), &bracket.label);
            bracket.deleted = self.parameters.delete_labels.iter().any(same);
        }
    }

    fn same(&self, one: &str, other: &str) -> bool {
        let (one, other) = (one.as_bytes(), other.as_bytes());
        let mut pairs = self.parameters.equal_labels.iter();
        one == other || pairs.any(|(a, b)| (a == one && b == other) || (a == other && b == one))
    }

    fn pair(&self, gold: &[Bracket], test: &mut [Bracket]) -> usize {
        let mut matched = 0;
        for one in gold.iter().filter(|bracket| !bracket.deleted) {
            for other in test.iter_mut() {
                if !other.deleted
                    && !other.matched
                    && (one.start, one.end) == (other.start, other.end)
                    && (!self.parameters.labeled || self.same(&one.label, &other.label))
                {
                    other.matched = true;
                    matched += 1;
                    break;
                }
            }
        }
        matched
    }
}

fn until_end(line: &[char], start: usize) -> String {
    let ends = |c: &&char| !(c.is_ascii_whitespace() || **c == '(' || **c == ')');
    line.get(start..).unwrap_or_default().iter().take_while(ends).collect()
}

fn put_back(side: &mut Side, quote: usize) {
    let Quote { word, index, num_brackets, around } = &side.quotes[quote];
    side.words.insert(*index, word.clone());
    for bracket in &mut side.brackets[*num_brackets..] {
        bracket.start += 1;
        bracket.end += 1;
    }
    for &bracket in around {
        side.brackets[bracket].end += 1;
    }
    for quote in &mut side.quotes[quote..] {
        quote.index += 1;
    }
}

fn num_crossing(gold: &[Bracket], test: &[Bracket]) -> usize {
    let crosses = |one: &Bracket, other: &Bracket| {
        (one.start < other.start && one.end > other.start && one.end < other.end)
            || (one.start > other.start && one.start < other.end && one.end > other.end)
    };
    let counting =
        |other: &&Bracket| !other.deleted && gold.iter().any(|one| !one.deleted && crosses(one, other));
    test.iter().filter(counting).count()
}
