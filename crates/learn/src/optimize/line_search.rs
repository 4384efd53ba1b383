//! How far to go along a direction.
//!
//! The naive form halves the step until the value falls. That is enough for OWL-QN, but a step may
//! then be much too short and teach L-BFGS nothing about the curvature. The strong Wolfe conditions ask for two
//! things: the value falls by a fair share of what the slope promised, and the slope at the end is flatter than at
//! the start. [`strong_wolfe`] finds such a step by bracketing and interpolation (Nocedal and Wright 2006, algorithms
//! 3.5 and 3.6, in one loop).

/// The value and slope of the objective along the direction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LineSample {
    pub(super) step: f64,
    pub(super) value: f64,
    pub(super) slope: f64,
}

/// What a search found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum LineSearchResult {
    /// A step to take.
    Step(f64),
    /// No step lowers the value: the numbers are not precise enough to go on.
    Nothing,
    /// Every trial gave this value, or a slope that is no number.
    NotFinite(f64),
}

/// The share of the promised fall that a step must bring.
pub(super) const SUFFICIENT: f64 = 1e-4;
/// The share of the first slope that may be left at the end.
const FLATTER: f64 = 0.9;
/// How much longer the next trial is while the value still falls steeply.
const LENGTHEN: f64 = 4.0;
/// Trials keep this share of the bracket away from its ends.
const MARGIN: f64 = 0.02;
/// Two interpolated trials must shrink the bracket to this share, or the next one halves it.
const SHRINK: f64 = 0.66;
/// Values closer than this share of them differ by rounding only; then the slopes decide.
const ROUNDING: f64 = 1e-14;

impl LineSample {
    fn is_finite(&self) -> bool {
        self.value.is_finite() && self.slope.is_finite()
    }

    fn falls_enough_from(&self, start: &Self) -> bool {
        let falls = self.value <= start.value + SUFFICIENT * self.step * start.slope;
        falls || self.is_level_with(start)
    }

    fn is_level_with(&self, start: &Self) -> bool {
        let fall = start.value - self.value;
        (0.0..=ROUNDING * start.value.abs()).contains(&fall) && self.is_flatter_than(start)
    }

    fn is_flatter_than(&self, start: &Self) -> bool {
        self.slope.abs() <= FLATTER * start.slope.abs()
    }
}

/// A step that satisfies the strong Wolfe conditions; failing that, the best one that lowers the value.
///
/// A value or slope that is not finite counts as a step too long.
pub(super) fn strong_wolfe(
    start: LineSample,
    first: f64,
    max_trials: usize,
    mut probe: impl FnMut(f64) -> LineSample,
) -> LineSearchResult {
    // The minimum lies between `low`, the best step so far, and `high`, once there is one.
    let mut low = start;
    let mut high: Option<LineSample> = None;
    let mut step = first;
    let mut bad_value = None;
    let mut widths = [f64::INFINITY; 2];
    for _ in 0..max_trials {
        let sample = probe(step);
        if !sample.is_finite() {
            bad_value = Some(sample.value);
            high = Some(LineSample { step, value: f64::INFINITY, slope: f64::INFINITY });
        } else if !sample.falls_enough_from(&start) || sample.value > low.value {
            high = Some(sample);
        } else if sample.is_flatter_than(&start) {
            return LineSearchResult::Step(step);
        } else {
            if sample.slope * (sample.step - low.step) >= 0.0 {
                high = Some(low);
            }
            low = sample;
        }
        let next = next_step(&low, high.as_ref(), widths[0]);
        widths = [widths[1], high.map_or(f64::INFINITY, |high| (high.step - low.step).abs())];
        if next == step || next == low.step {
            break;
        }
        step = next;
    }
    match bad_value {
        _ if low.step > 0.0 => LineSearchResult::Step(low.step),
        Some(value) if high.is_some_and(|high| !high.is_finite()) => LineSearchResult::NotFinite(value),
        _ => LineSearchResult::Nothing,
    }
}

/// `earlier_width` is the width of the bracket two trials ago.
fn next_step(low: &LineSample, high: Option<&LineSample>, earlier_width: f64) -> f64 {
    let Some(high) = high else { return low.step * LENGTHEN };
    let width = high.step - low.step;
    let shrinks = width.abs() <= SHRINK * earlier_width;
    let share = if shrinks && high.is_finite() { cubic_minimum(low, high) } else { 0.5 };
    low.step + width * share.clamp(MARGIN, 1.0 - MARGIN)
}

/// Where between `low` (0) and `high` (1) the cubic through both values and slopes has its minimum; 0.5 if nowhere.
fn cubic_minimum(low: &LineSample, high: &LineSample) -> f64 {
    let width = high.step - low.step;
    let (slope_low, slope_high) = (low.slope * width, high.slope * width);
    let bend = slope_low + slope_high - 3.0 * (high.value - low.value);
    let root = (bend * bend - slope_low * slope_high).sqrt();
    let share = 1.0 - (slope_high + root - bend) / (slope_high - slope_low + 2.0 * root);
    if share.is_finite() { share } else { 0.5 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(f: impl Fn(f64) -> (f64, f64), first: f64) -> (LineSearchResult, usize) {
        let sample = |step| {
            let (value, slope) = f(step);
            LineSample { step, value, slope }
        };
        let mut trials = 0;
        let found = strong_wolfe(sample(0.0), first, 40, |step| {
            trials += 1;
            sample(step)
        });
        (found, trials)
    }

    fn assert_wolfe(f: impl Fn(f64) -> (f64, f64), first: f64, most: usize) {
        let (LineSearchResult::Step(step), trials) = search(&f, first) else {
            panic!("no step from {first}")
        };
        let ((value, slope), (start, down)) = (f(step), f(0.0));
        assert!(value <= start + SUFFICIENT * step * down, "from {first}: {step} does not fall");
        assert!(slope.abs() <= FLATTER * down.abs(), "from {first}: {step} is steep");
        assert!(trials <= most, "from {first}: {trials} trials");
    }

    #[test]
    fn steps_too_short_and_too_long_are_fixed() {
        // More and Thuente (1994), functions 1 and 2.
        let first = |x: f64| (-x / (x * x + 2.0), (x * x - 2.0) / (x * x + 2.0).powi(2));
        let second = |x: f64| {
            ((x + 0.004).powi(5) - 2.0 * (x + 0.004).powi(4), (x + 0.004).powi(3) * (5.0 * x - 7.98))
        };
        for step in [1e-3, 0.1, 1.0, 10.0, 1000.0] {
            assert_wolfe(first, step, 12);
            assert_wolfe(second, step, 14);
        }
    }

    #[test]
    fn the_cubic_is_exact_for_parabolas() {
        let parabola =
            |step: f64| LineSample { step, value: (step - 3.0).powi(2), slope: 2.0 * (step - 3.0) };
        assert!((cubic_minimum(&parabola(1.0), &parabola(5.0)) - 0.5).abs() < 1e-12);
        assert!((cubic_minimum(&parabola(0.0), &parabola(4.0)) - 0.75).abs() < 1e-12);
        assert!((cubic_minimum(&parabola(4.0), &parabola(0.0)) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn a_wall_of_infinity_is_a_step_too_long() {
        let barrier =
            |x: f64| if x < 1.0 { (-x - (1.0 - x).ln(), -1.0 + 1.0 / (1.0 - x)) } else { (f64::NAN, 0.0) };
        let tilted = |x: f64| (barrier(x).0 - x, barrier(x).1 - 1.0);
        assert_wolfe(tilted, 100.0, 30);
    }

    #[test]
    fn nothing_but_infinity_is_told_apart_from_nothing() {
        let nowhere = |x: f64| if x == 0.0 { (0.0, -1.0) } else { (f64::INFINITY, 0.0) };
        assert_eq!(search(nowhere, 1.0).0, LineSearchResult::NotFinite(f64::INFINITY));
        let uphill = |x: f64| (x.abs(), if x == 0.0 { -1.0 } else { 1.0 });
        assert_eq!(search(uphill, 1.0).0, LineSearchResult::Nothing);
    }
}
