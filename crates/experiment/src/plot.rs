//! Curves as SVG: axes with round numbers, lines, and their names.

use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 440.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 60.0;

/// The ticks of an axis, about.
const NUM_TICKS: f64 = 6.0;

/// Colours that people who see colours differently can tell apart (Okabe & Ito); dashes once they are used
/// up.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
const DASHES: [&str; 3] = ["none", "6 3", "2 2"];

/// Points in order, with the name of the line through them.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// The name.
    pub name: String,
    /// The points.
    pub points: Vec<(f64, f64)>,
}

/// A picture of lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot<'a> {
    /// What it shows.
    pub title: &'a str,
    /// What goes from left to right.
    pub x_label: &'a str,
    /// What goes up.
    pub y_label: &'a str,
    /// Whether equal ratios, not equal differences, are equally far apart from left to right.
    pub is_x_log: bool,
    /// The same upwards.
    pub is_y_log: bool,
    /// Where the names of the lines stand.
    pub names_at: Corner,
    /// The lines.
    pub lines: Vec<Line>,
}

/// Where curves leave room for their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Corner {
    /// Where falling curves have room, or steep ones.
    UpperLeft,
    /// Where falling curves have room.
    UpperRight,
    /// Where rising curves have room.
    LowerRight,
}

/// Where numbers stand between the ends of an axis.
struct Scale {
    low: f64,
    high: f64,
    is_log: bool,
    start: f64,
    end: f64,
}

impl Scale {
    fn new(values: impl Iterator<Item = f64>, is_log: bool, start: f64, end: f64) -> Self {
        let values = values.filter(|value| value.is_finite() && (!is_log || *value > 0.0));
        let (low, high) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = match (low <= high, is_log) {
            (false, _) => (1.0, 2.0),
            (true, true) => (low / 1.1, high * 1.1),
            // A single value stands in the middle of an axis whose ticks differ.
            (true, false) if high - low <= 1e-6 * low.abs() => {
                let margin = if low == 0.0 { 1.0 } else { 0.1 * low.abs() };
                (low - margin, high + margin)
            }
            (true, false) => (low - 0.05 * (high - low), high + 0.05 * (high - low)),
        };
        Self { low, high, is_log, start, end }
    }

    fn place(&self, value: f64) -> f64 {
        let share = match self.is_log {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        self.start + share * (self.end - self.start)
    }

    fn ticks(&self) -> Vec<f64> {
        if !self.is_log {
            let step = round_step((self.high - self.low) / NUM_TICKS);
            let first = (self.low / step).ceil() as i64;
            return self.within((0..2 * NUM_TICKS as i64).map(|index| (first + index) as f64 * step));
        }
        let powers = |digits: &'static [f64]| {
            (-9..15).flat_map(move |power| digits.iter().map(move |digit| digit * 10f64.powi(power)))
        };
        match self.within(powers(&[1.0, 2.0, 5.0])) {
            few if few.len() < 4 => self.within(powers(&[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0])),
            enough => enough,
        }
    }

    fn within(&self, ticks: impl Iterator<Item = f64>) -> Vec<f64> {
        ticks.filter(|tick| (self.low..=self.high).contains(tick)).collect()
    }
}

/// The next of 1, 2, 5, 10, 20, …
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let digit = [1.0, 2.0, 5.0].into_iter().find(|digit| digit * power >= step).unwrap_or(10.0);
    digit * power
}

/// A number with no more digits than it needs, and thousands set apart.
fn show(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut shown = String::new();
    for (index, character) in whole.chars().enumerate() {
        let num_left = whole.len() - index;
        if index > 0 && num_left % 3 == 0 && character.is_ascii_digit() && !shown.ends_with('-') {
            shown.push(',');
        }
        shown.push(character);
    }
    shown + rest
}

impl Plot<'_> {
    /// The picture as SVG.
    pub fn svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let x = Scale::new(points().map(|point| point.0), self.is_x_log, LEFT, WIDTH - RIGHT);
        let y = Scale::new(points().map(|point| point.1), self.is_y_log, HEIGHT - BOTTOM, TOP);
        let mut svg = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut svg, &x, &y);
        svg
    }

    fn write(&self, svg: &mut String, x: &Scale, y: &Scale) -> std::fmt::Result {
        writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
        )?;
        let middle = f64::midpoint(LEFT, WIDTH - RIGHT);
        writeln!(
            svg,
            "<text x=\"{middle}\" y=\"24\" text-anchor=\"middle\" font-size=\"15\">{}</text>",
            escape(self.title)
        )?;
        self.write_axes(svg, x, y)?;
        for (index, line) in self.lines.iter().enumerate() {
            write_line(svg, line, index, x, y)?;
        }
        self.write_names(svg)?;
        writeln!(svg, "</svg>")
    }

    fn write_axes(&self, svg: &mut String, x: &Scale, y: &Scale) -> std::fmt::Result {
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        for tick in x.ticks() {
            let (at, label) = (x.place(tick), bottom + 18.0);
            writeln!(svg, "<path d=\"M{at:.1} {TOP}V{bottom}\" stroke=\"#ddd\"/>")?;
            writeln!(svg, "<text x=\"{at:.1}\" y=\"{label}\" text-anchor=\"middle\">{}</text>", show(tick))?;
        }
        for tick in y.ticks() {
            let (at, label) = (y.place(tick), LEFT - 6.0);
            writeln!(svg, "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"#ddd\"/>")?;
            writeln!(
                svg,
                "<text x=\"{label}\" y=\"{at:.1}\" dy=\"4\" text-anchor=\"end\">{}</text>",
                show(tick)
            )?;
        }
        writeln!(svg, "<path d=\"M{LEFT} {TOP}V{bottom}H{right}\" fill=\"none\" stroke=\"black\"/>")?;
        let (middle, below) = (f64::midpoint(LEFT, right), HEIGHT - 18.0);
        let x_label = escape(self.x_label);
        writeln!(svg, "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">{x_label}</text>")?;
        let (beside, height) = (20.0, f64::midpoint(TOP, bottom));
        let y_label = escape(self.y_label);
        writeln!(
            svg,
            "<text transform=\"translate({beside} {height}) rotate(-90)\" text-anchor=\"middle\">{y_label}</text>"
        )
    }

    fn write_names(&self, svg: &mut String) -> std::fmt::Result {
        let height = 16.0 * self.lines.len() as f64;
        let (first, x, anchor, text) = match self.names_at {
            Corner::UpperLeft => (TOP + 18.0, LEFT + 12.0, "start", LEFT + 40.0),
            Corner::UpperRight => (TOP + 18.0, WIDTH - RIGHT - 30.0, "end", WIDTH - RIGHT - 36.0),
            Corner::LowerRight => {
                (HEIGHT - BOTTOM + 4.0 - height, WIDTH - RIGHT - 30.0, "end", WIDTH - RIGHT - 36.0)
            }
        };
        for (index, line) in self.lines.iter().enumerate() {
            let at = first + 16.0 * index as f64;
            let (stroke, dash) = pen(index);
            writeln!(
                svg,
                "<path d=\"M{x} {}h22\" stroke=\"{stroke}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>\
                 <text x=\"{text}\" y=\"{at}\" text-anchor=\"{anchor}\">{}</text>",
                at - 4.0,
                escape(&line.name)
            )?;
        }
        Ok(())
    }
}

fn pen(index: usize) -> (&'static str, &'static str) {
    (COLOURS[index % COLOURS.len()], DASHES[index / COLOURS.len() % DASHES.len()])
}

fn write_line(svg: &mut String, line: &Line, index: usize, x: &Scale, y: &Scale) -> std::fmt::Result {
    let (stroke, dash) = pen(index);
    let placed = line.points.iter().map(|&(at, value)| (x.place(at), y.place(value)));
    let finite: Vec<(f64, f64)> = placed.filter(|(at, value)| (at + value).is_finite()).collect();
    // There is no line through one point.
    if let [(at, value)] = finite[..] {
        return writeln!(svg, "<circle cx=\"{at:.1}\" cy=\"{value:.1}\" r=\"4\" fill=\"{stroke}\"/>");
    }
    write!(
        svg,
        "<polyline fill=\"none\" stroke=\"{stroke}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\" points=\""
    )?;
    for (place, (at, value)) in finite.into_iter().enumerate() {
        let blank = if place == 0 { "" } else { " " };
        write!(svg, "{blank}{at:.1},{value:.1}")?;
    }
    writeln!(svg, "\"/>")
}

/// Text for SVG and HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let linear = Scale::new([0.0, 97.0].into_iter(), false, 0.0, 1.0);
        assert_eq!(linear.ticks(), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        let log = |low, high| Scale::new([low, high].into_iter(), true, 0.0, 1.0).ticks();
        assert_eq!(log(150.0, 9000.0), [200.0, 500.0, 1000.0, 2000.0, 5000.0]);
        assert_eq!(log(70.0, 240.0), [80.0, 100.0, 150.0, 200.0]);
    }

    #[test]
    fn one_point_can_be_seen() {
        let scale = Scale::new([51.2257].into_iter(), false, 0.0, 1.0);
        let ticks: Vec<String> = scale.ticks().into_iter().map(show).collect();
        assert_eq!(ticks, ["48", "50", "52", "54", "56"]);
        assert!((scale.place(51.2257) - 0.5).abs() < 1e-9);
        let line = Line { name: "one".to_owned(), points: vec![(0.01, 51.2257)] };
        let plot = Plot {
            title: "",
            x_label: "",
            y_label: "",
            is_x_log: false,
            is_y_log: false,
            names_at: Corner::LowerRight,
            lines: vec![line],
        };
        assert!(plot.svg().contains("<circle cx="), "{}", plot.svg());
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.5, 12.0, 1000.0, -1234567.0].map(show), ["0.5", "12", "1,000", "-1,234,567"]);
    }

    #[test]
    fn nothing_to_draw_is_drawn_all_the_same() {
        for points in [vec![], vec![(3.0, 3.0)], vec![(0.0, f64::NAN)]] {
            let line = Line { name: "a<b".to_owned(), points };
            let (names_at, lines) = (Corner::UpperLeft, vec![line]);
            let plot = Plot {
                title: "",
                x_label: "",
                y_label: "",
                is_x_log: true,
                is_y_log: false,
                names_at,
                lines,
            };
            let svg = plot.svg();
            assert!(svg.contains("a&lt;b") && svg.ends_with("</svg>\n"), "{svg}");
        }
    }
}
