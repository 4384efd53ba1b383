//! Numbers rounded so that one byte holds their logarithm.
//!
//! A grammar has hundreds of thousands of probabilities, and parsing does not mind an error of 2%. A code counts steps
//! down from the largest number; 0 stands for zero.

/// How far apart the logarithms of neighbours are.
const STEP: f64 = 1.0 / 14.0;

/// The numbers that codes stand for: `exp(STEP · (top − code))`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Grid {
    /// One more step than the largest number.
    pub(crate) top: i32,
}

impl Grid {
    /// A grid up to the largest of these numbers.
    pub(crate) fn of(values: &[f32]) -> Self {
        let largest = values.iter().copied().fold(0.0, f32::max);
        Self { top: if largest > 0.0 { steps(largest) + 1 } else { 1 } }
    }

    /// The code of the nearest number; 0 if it is below the smallest.
    pub(crate) fn code(self, value: f32) -> u8 {
        match value > 0.0 {
            true => u8::try_from((self.top - steps(value)).max(1)).unwrap_or(0),
            false => 0,
        }
    }

    /// The numbers of all codes.
    pub(crate) fn table(self) -> [f32; 256] {
        std::array::from_fn(|code| match code {
            0 => 0.0,
            _ => (STEP * (f64::from(self.top) - code as f64)).exp() as f32,
        })
    }

    /// Rounds numbers to those that codes stand for.
    pub(crate) fn round(self, values: &mut [f32]) {
        let table = self.table();
        values.iter_mut().for_each(|value| *value = table[usize::from(self.code(*value))]);
    }
}

fn steps(value: f32) -> i32 {
    (f64::from(value).ln() / STEP).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_come_back() {
        for top in [-40, 0, 1, 100] {
            let grid = Grid { top };
            let table = grid.table();
            assert!((0..=255).all(|code| grid.code(table[usize::from(code)]) == code), "{top}");
        }
    }

    #[test]
    fn rounding_errs_by_little_and_only_once() {
        let mut values: Vec<f32> = (0..100).map(|power| 0.9f32.powi(power)).collect();
        let original = values.clone();
        let grid = Grid::of(&values);
        grid.round(&mut values);
        assert!(values.iter().zip(&original).all(|(a, b)| (a / b - 1.0).abs() < 0.04));
        assert_eq!(Grid::of(&values), grid);
        let once = values.clone();
        grid.round(&mut values);
        assert_eq!(values, once);
        let mut small = [1.0, 1e-30];
        Grid::of(&small).round(&mut small);
        assert_eq!(small, [1.0, 0.0]);
    }
}
