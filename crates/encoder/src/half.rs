//! Numbers of 16 bits, as IEEE 754 has them: 1 bit of sign, 5 of exponent, 10 of fraction.

/// The largest number.
const LARGEST: f32 = 65_504.0;

/// The number of these bits.
pub(crate) fn from_f16(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 0x1F);
    let fraction = f32::from(bits & 0x3FF);
    sign * match exponent {
        0 => fraction * 2f32.powi(-24),
        0x1F if fraction == 0.0 => f32::INFINITY,
        0x1F => f32::NAN,
        _ => (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}

/// The bits of the nearest number, the even one of two; what is too large becomes the largest.
pub(crate) fn to_f16(value: f32) -> u16 {
    let sign = ((value.to_bits() >> 16) & 0x8000) as u16;
    let magnitude = value.abs().min(LARGEST);
    // The distance between neighbours at this magnitude, as a power of two; from 2^-14 down it stays the
    // same.
    let exponent = ((magnitude.to_bits() >> 23) as i32 - 127).max(-14);
    let steps = (magnitude * 2f32.powi(10 - exponent)).round_ties_even() as u16;
    // Rounding up to the next power of two carries into the exponent, as it should.
    sign | (((exponent + 14) as u16) << 10).wrapping_add(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_come_back() {
        for bits in (0..=u16::MAX).filter(|bits| bits >> 10 & 0x1F != 0x1F) {
            assert_eq!(to_f16(from_f16(bits)), bits, "{bits:04x}");
        }
    }

    #[test]
    fn nearest_numbers() {
        for (value, nearest) in [
            (1.0 + 2f32.powi(-11), 1.0),
            (1.0 + 3.0 * 2f32.powi(-11), 1.0 + 2f32.powi(-9)),
            (1.9999, 2.0),
            (1e6, LARGEST),
            (-1e6, -LARGEST),
            (2f32.powi(-25), 0.0),
            (1.5 * 2f32.powi(-25), 2f32.powi(-24)),
            (6.1e-5, 6.1e-5),
        ] {
            let found = from_f16(to_f16(value));
            assert!((found - nearest).abs() <= value.abs() * 5e-4, "{value} {found}");
        }
        assert_eq!(from_f16(to_f16(1.0 + 2f32.powi(-11))), 1.0);
        assert_eq!(from_f16(to_f16(2f32.powi(-25))), 0.0);
    }
}
