//! What it means to add: the total of all parses, or the best of them.

/// Addition that multiplication with positive numbers distributes over; zero is the neutral element.
pub(crate) trait Semiring: Copy {
    /// Two numbers together.
    fn add(a: f32, b: f32) -> f32;

    /// `sums[i] += factor * values[i]`.
    #[inline]
    fn add_scaled(sums: &mut [f32], factor: f32, values: &[f32]) {
        for (sum, &value) in sums.iter_mut().zip(values) {
            *sum = Self::add(*sum, factor * value);
        }
    }

    /// All numbers together.
    #[inline]
    fn total(values: &[f32]) -> f32 {
        values.iter().fold(0.0, |sum, &value| Self::add(sum, value))
    }

    /// The sum of the products. Four sums at a time: the compiler may not change the order by itself.
    #[inline]
    fn dot(a: &[f32], b: &[f32]) -> f32 {
        let (a4, a_rest) = a.as_chunks::<4>();
        let (b4, b_rest) = b.as_chunks::<4>();
        let mut sums = [0.0; 4];
        for (a, b) in a4.iter().zip(b4) {
            for lane in 0..4 {
                sums[lane] = Self::add(sums[lane], a[lane] * b[lane]);
            }
        }
        let sum = Self::add(Self::add(sums[0], sums[1]), Self::add(sums[2], sums[3]));
        a_rest.iter().zip(b_rest).fold(sum, |sum, (a, b)| Self::add(sum, a * b))
    }
}

/// The total of all parses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SumSemiring;

/// The best parse. The most likely derivation comes from a forest (`forest`), so only tests ask the kernels for it:
/// that they agree with a second semiring shows that nothing but [`add`](Semiring::add) adds.
#[cfg(test)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct MaxSemiring;

impl Semiring for SumSemiring {
    #[inline]
    fn add(a: f32, b: f32) -> f32 {
        a + b
    }
}

#[cfg(test)]
impl Semiring for MaxSemiring {
    #[inline]
    fn add(a: f32, b: f32) -> f32 {
        if b > a { b } else { a }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_of_every_length() {
        for length in 0..10u8 {
            let numbers: Vec<f32> = (1..=length).map(f32::from).collect();
            let squares = numbers.iter().map(|x| x * x);
            assert_eq!(SumSemiring::dot(&numbers, &numbers), squares.clone().sum::<f32>());
            assert_eq!(MaxSemiring::dot(&numbers, &numbers), squares.fold(0.0, f32::max));
        }
    }
}
