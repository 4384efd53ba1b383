//! Powers of two as factors: multiplying with them rounds nothing.

/// 2 to the power of an exponent; 0 below the smallest normal number, the largest power above the largest.
#[inline]
pub(crate) fn power_of_two(exponent: i32) -> f32 {
    match exponent {
        ..-126 => 0.0,
        _ => f32::from_bits(((exponent.min(127) + 127) as u32) << 23),
    }
}

/// The exponent of the largest power of two that is not above a positive normal number.
#[inline]
pub(crate) fn exponent(number: f32) -> i32 {
    (number.to_bits() >> 23) as i32 - 127
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers() {
        assert_eq!([-1, 0, 3].map(power_of_two), [0.5, 1.0, 8.0]);
        assert_eq!((power_of_two(-127), power_of_two(500)), (0.0, 2f32.powi(127)));
        assert_eq!([0.3, 1.0, 9.0].map(exponent), [-2, 0, 3]);
    }
}
