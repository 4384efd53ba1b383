//! Numbers as bytes: a row is its largest magnitude over 127, and whole numbers from -127 to 127 to multiply that with.

use crate::math::{magnitude, nearest};

/// Turns a row into bytes, and returns what they are to be multiplied by. It is no more than half of that, for each.
/// Each byte is exclusive-ored with `flip`. (-128 is not used: the kernels rely on that.)
#[inline(always)]
pub(super) fn to_bytes(row: &[f32], flip: u8, bytes: &mut [u8]) -> f32 {
    let largest = magnitude(row);
    let inverse = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    for (byte, &value) in bytes.iter_mut().zip(row) {
        *byte = nearest(value * inverse) as u8 ^ flip;
    }
    largest / 127.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_values;

    #[test]
    fn no_number_is_off_by_more_than_half_a_step() {
        for len in [1, 7, 64, 385] {
            let row: Vec<f32> = random_values(len as u64, len).iter().map(|x| 30.0 * x).collect();
            let mut bytes = vec![0; len];
            let scale = to_bytes(&row, 0, &mut bytes);
            for (&byte, value) in bytes.iter().zip(&row) {
                assert!(byte != 128);
                assert!((f32::from(byte as i8) * scale - value).abs() <= scale * 0.50001);
            }
            let mut flipped = vec![0; len];
            assert_eq!(to_bytes(&row, 128, &mut flipped), scale);
            assert!(bytes.iter().zip(&flipped).all(|(byte, flipped)| byte ^ 128 == *flipped));
        }
    }

    #[test]
    fn rows_of_zeros() {
        let mut bytes = [9; 3];
        assert_eq!(to_bytes(&[0.0; 3], 0, &mut bytes), 0.0);
        assert_eq!(bytes, [0; 3]);
    }
}
