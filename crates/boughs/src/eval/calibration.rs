//! Whether confidences mean something: of all phrases with a confidence of 0.8, four in five should be right.
//!
//! Phrases are put into ten bins of equal width by their confidence. In each, the mean confidence is held against the
//! share of phrases that are right; the mean of the differences, weighted by phrases, is the expected calibration error
//! (Naeini et al. 2015, Guo et al. 2017).

/// The bins.
pub const NUM_BINS: usize = 10;

/// How often phrases are right, by their confidence.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Calibration {
    bins: [CalibrationBin; NUM_BINS],
}

/// Phrases of similar confidence.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CalibrationBin {
    /// How many there are.
    pub phrases: u64,
    /// How many of them the gold trees have.
    pub right: u64,
    confidence: f64,
}

impl CalibrationBin {
    /// The mean confidence; nothing if there are no phrases.
    pub fn confidence(&self) -> Option<f64> {
        (self.phrases > 0).then(|| self.confidence / self.phrases as f64)
    }

    /// The share of phrases that are right; nothing if there are none.
    pub fn accuracy(&self) -> Option<f64> {
        (self.phrases > 0).then(|| self.right as f64 / self.phrases as f64)
    }
}

impl Calibration {
    /// Counts a phrase.
    pub fn add(&mut self, confidence: f64, is_right: bool) {
        let bin = &mut self.bins[((confidence * NUM_BINS as f64) as usize).min(NUM_BINS - 1)];
        bin.phrases += 1;
        bin.right += u64::from(is_right);
        bin.confidence += confidence;
    }

    /// From the least confidence to the greatest, in steps of a tenth.
    pub fn bins(&self) -> &[CalibrationBin; NUM_BINS] {
        &self.bins
    }

    /// The expected calibration error, from 0 to 1; nothing without phrases.
    pub fn expected_error(&self) -> Option<f64> {
        let phrases: u64 = self.bins.iter().map(|bin| bin.phrases).sum();
        let error: f64 = self.bins.iter().map(|bin| (bin.confidence - bin.right as f64).abs()).sum();
        (phrases > 0).then(|| error / phrases as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let mut calibration = Calibration::default();
        assert_eq!(calibration.expected_error(), None);
        // Ten of 0.9, eight of them right: off by 0.1. Two of 0.25, one right: off by 0.25. One of 1, right.
        (0..10).for_each(|number| calibration.add(0.9, number < 8));
        calibration.add(0.25, true);
        calibration.add(0.25, false);
        calibration.add(1.0, true);
        let [.., last] = calibration.bins();
        assert_eq!((last.phrases, last.right), (11, 9));
        assert_eq!(calibration.bins()[2].accuracy(), Some(0.5));
        assert_eq!(calibration.bins()[2].confidence(), Some(0.25));
        // The upper bin has 10 in all and 9 right.
        let expected = (1.0 + 0.5) / 13.0;
        assert!((calibration.expected_error().unwrap() - expected).abs() < 1e-12);
    }
}
