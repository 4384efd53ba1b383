//! AdamW (Kingma and Ba 2015, Loshchilov and Hutter 2019), its schedule, and clipping.
//!
//! Gradient descent with one learning rate stalls where gradients are small and jumps where they are large.
//! Adam divides the running mean of each derivative by the root of the running mean of its square, so every
//! parameter moves about a learning rate per step. AdamW shrinks weights beside that rather than through the
//! gradient. As an encoder is trained already, the first steps are small ([`Schedule`]); they would break
//! more than they mend while the means are those of few batches.
//!
//! All is loops over arrays: [`Moments`] are two of them, which may be saved and restored to the last bit.

use crate::encoder::Encoder;
use crate::gradient::Gradient;
use crate::layout::EncoderPart;
use crate::simd::vectorised;

/// The settings of AdamW; the defaults are PyTorch's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamW {
    /// How much of the mean of derivatives is kept at each step.
    pub beta1: f32,
    /// How much of the mean of squared derivatives is kept at each step.
    pub beta2: f32,
    /// Added to the divisor.
    pub epsilon: f32,
    /// How much of the learning rate weights shrink by, at each step.
    pub weight_decay: f32,
}

impl Default for AdamW {
    fn default() -> Self {
        Self { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: 0.01 }
    }
}

/// The running means of derivatives and of their squares, for an array of parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Moments {
    /// The means of derivatives.
    pub first: Vec<f32>,
    /// The means of squared derivatives.
    pub second: Vec<f32>,
}

impl Moments {
    /// Those before the first step.
    pub fn new(len: usize) -> Self {
        Self { first: vec![0.0; len], second: vec![0.0; len] }
    }
}

/// A step, as far as it is the same for parameters of one kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Steps made with this one: 1 for the first.
    pub number: u64,
    /// The learning rate.
    pub learning_rate: f32,
    /// Whether weight decay applies.
    pub decays: bool,
    /// What gradients are multiplied by, to clip them or to make means of sums.
    pub scale: f32,
}

impl AdamW {
    /// Moves `values`. Arrays must be of one length; what is beyond the shortest stays as it was.
    pub fn update(
        &self,
        step: Step,
        values: &mut [f32],
        gradient: &[f32],
        first: &mut [f32],
        second: &mut [f32],
    ) {
        let Self { beta1, beta2, epsilon, weight_decay } = *self;
        // Means that start at zero are too small at first, by known factors.
        let correction = |beta: f32| 1.0 - f64::from(beta).powf(step.number as f64);
        let rate = (f64::from(step.learning_rate) / correction(beta1)) as f32;
        let inverse = (1.0 / correction(beta2)) as f32;
        let keep = 1.0 - if step.decays { step.learning_rate * weight_decay } else { 0.0 };
        vectorised!({
            let moments = first.iter_mut().zip(second);
            for ((value, &d), (first, second)) in values.iter_mut().zip(gradient).zip(moments) {
                let d = d * step.scale;
                *first = beta1 * *first + (1.0 - beta1) * d;
                *second = beta2 * *second + (1.0 - beta2) * d * d;
                *value = keep * *value - rate * *first / ((*second * inverse).sqrt() + epsilon);
            }
        });
    }
}

/// The learning rate over time: up in a line during the warm-up, then down in a line to zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schedule {
    /// Steps of the warm-up.
    pub warm_up: u64,
    /// All steps.
    pub total: u64,
}

impl Schedule {
    /// What the learning rate is multiplied by at a step, counted from 1; zero behind the last one.
    pub fn factor(&self, step: u64) -> f32 {
        if step <= self.warm_up {
            return step as f32 / self.warm_up as f32;
        }
        // The step behind the last would have the rate zero; the last still learns.
        let left = (self.total + 1).saturating_sub(step);
        left as f32 / (self.total + 1).saturating_sub(self.warm_up).max(1) as f32
    }
}

/// What gradients of a norm are multiplied by, so that it is at most `limit`.
pub fn clip(norm: f64, limit: f32) -> f32 {
    if norm > f64::from(limit) { (f64::from(limit) / norm) as f32 } else { 1.0 }
}

/// The moments of an encoder's parameters.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EncoderMoments {
    /// Those of word vectors.
    pub words: Moments,
    /// Those of all other parameters.
    pub body: Moments,
}

impl EncoderMoments {
    /// Those before the first step.
    pub fn new(encoder: &Encoder) -> Self {
        Self { words: Moments::new(encoder.words().len()), body: Moments::new(encoder.body().len()) }
    }
}

impl Encoder {
    /// Makes a step. `learning_rate` is asked for each part; what has the rate 0 is frozen: neither moved nor
    /// shrunk, nor are its moments. Nor are word vectors of which there is no gradient.
    pub fn update(
        &mut self,
        optimizer: &AdamW,
        number: u64,
        scale: f32,
        learning_rate: impl Fn(EncoderPart) -> f32,
        gradient: &Gradient,
        moments: &mut EncoderMoments,
    ) {
        let step_of = |part: EncoderPart, decays: bool| {
            let step = Step { number, learning_rate: learning_rate(part), decays, scale };
            (step.learning_rate != 0.0).then_some(step)
        };
        let tensors: Vec<_> = self
            .tensors()
            .iter()
            .map(|tensor| (tensor.range.clone(), tensor.part, tensor.decays()))
            .collect();
        let hidden = self.config().hidden;
        let (words, body) = self.parameters_mut();
        for (range, part, decays) in tensors {
            let Some(step) = step_of(part, decays) else { continue };
            let (first, second) =
                (&mut moments.body.first[range.clone()], &mut moments.body.second[range.clone()]);
            optimizer.update(step, &mut body[range.clone()], &gradient.body()[range], first, second);
        }
        if let Some(step) = step_of(EncoderPart::Words, true).filter(|_| gradient.has_words()) {
            update_words(optimizer, step, hidden, words, gradient, &mut moments.words);
        }
    }
}

/// Word vectors that a batch has not seen have a gradient of zero, but moments that go on.
fn update_words(
    optimizer: &AdamW,
    step: Step,
    hidden: usize,
    words: &mut [f32],
    gradient: &Gradient,
    moments: &mut Moments,
) {
    let zero = vec![0.0; hidden];
    let mut seen = gradient.words().peekable();
    let moments = moments.first.chunks_exact_mut(hidden).zip(moments.second.chunks_exact_mut(hidden));
    for ((id, word), (first, second)) in (0..).zip(words.chunks_exact_mut(hidden)).zip(moments) {
        let row = seen.next_if(|&(seen, _)| seen == id).map_or(zero.as_slice(), |(_, row)| row);
        optimizer.update(step, word, row, first, second);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Batch;
    use crate::encoder::Trace;
    use crate::testing::{random_encoder, random_values, tiny_config};

    const STEP: Step = Step { number: 1, learning_rate: 0.1, decays: true, scale: 1.0 };

    /// `torch.optim.AdamW([1.0, -2.0], lr=0.1)`, gradients (0.5, -1.0), (0.25, 3.0) and (-1.0, 0.0).
    #[test]
    fn as_pytorch() {
        let (mut values, mut moments) = ([1.0, -2.0], Moments::new(2));
        for (number, gradient) in (1..).zip([[0.5, -1.0], [0.25, 3.0], [-1.0, 0.0]]) {
            let step = Step { number, ..STEP };
            AdamW::default().update(step, &mut values, &gradient, &mut moments.first, &mut moments.second);
        }
        let expected = [0.824714, -1.981776];
        assert!(
            values.iter().zip(expected).all(|(value, expected)| (value - expected).abs() < 1e-6),
            "{values:?}"
        );
    }

    #[test]
    fn schedule_goes_up_and_down() {
        let schedule = Schedule { warm_up: 2, total: 5 };
        let factors: Vec<f32> = (1..=6).map(|step| schedule.factor(step)).collect();
        assert_eq!(factors, [0.5, 1.0, 0.75, 0.5, 0.25, 0.0]);
        assert_eq!(Schedule { warm_up: 0, total: 2 }.factor(1), 2.0 / 3.0);
        assert_eq!(Schedule { warm_up: 3, total: 3 }.factor(4), 0.0);
    }

    #[test]
    fn clipping_limits_the_norm() {
        assert_eq!(clip(0.5, 1.0), 1.0);
        assert_eq!(clip(4.0, 1.0), 0.25);
    }

    /// A few steps toward fixed rows; returns the last loss and all that changes.
    fn train(
        encoder: &mut Encoder,
        moments: &mut EncoderMoments,
        steps: std::ops::RangeInclusive<u64>,
    ) -> f64 {
        let batch = Batch::new([&[1u32, 2, 3][..], &[3, 4]], encoder.config()).unwrap();
        let target = random_values(9, batch.num_rows() * encoder.config().hidden);
        let mut trace = Trace::default();
        let mut loss = 0.0;
        for number in steps {
            let mut gradient = Gradient::new(encoder);
            let mut d = encoder.forward(&batch, None, &mut trace).to_vec();
            d.iter_mut().zip(&target).for_each(|(d, target)| *d -= target);
            loss = d.iter().map(|d| f64::from(d * d)).sum();
            encoder.backward(&batch, &mut trace, &mut d, &mut gradient);
            let scale = clip(gradient.norm(), 5.0);
            let rate = |part: EncoderPart| if part == EncoderPart::Words { 0.01 } else { 0.02 };
            encoder.update(&AdamW::default(), number, scale, rate, &gradient, moments);
        }
        loss
    }

    #[test]
    fn a_small_network_learns() {
        let mut encoder = random_encoder(&tiny_config(), 1);
        let mut moments = EncoderMoments::new(&encoder);
        let before = train(&mut encoder, &mut moments, 1..=1);
        let after = train(&mut encoder, &mut moments, 2..=150);
        assert!(after < before / 10.0, "{before} {after}");
    }

    #[test]
    fn interrupted_is_uninterrupted() {
        let (mut whole, mut parts) = (random_encoder(&tiny_config(), 1), random_encoder(&tiny_config(), 1));
        let mut moments = EncoderMoments::new(&whole);
        train(&mut whole, &mut moments, 1..=6);
        let mut first = EncoderMoments::new(&parts);
        train(&mut parts, &mut first, 1..=3);
        // Saved and restored as plain arrays.
        let mut restored = random_encoder(&tiny_config(), 2);
        let (words, body) = restored.parameters_mut();
        words.copy_from_slice(parts.words());
        body.copy_from_slice(parts.body());
        let mut second = first.clone();
        train(&mut restored, &mut second, 4..=6);
        assert_eq!((restored.words(), restored.body()), (whole.words(), whole.body()));
        assert_eq!(second, moments);
    }

    #[test]
    fn frozen_layers_stay_and_biases_do_not_decay() {
        let mut encoder = random_encoder(&tiny_config(), 1);
        let before = encoder.clone();
        let (gradient, mut moments) = (Gradient::new(&encoder), EncoderMoments::new(&encoder));
        let rate = |part: EncoderPart| if part == EncoderPart::Layer(2) { 0.5 } else { 0.0 };
        encoder.update(&AdamW::default(), 1, 1.0, rate, &gradient, &mut moments);
        assert_eq!(encoder.words(), before.words());
        for tensor in before.tensors() {
            let [after, before] = [&encoder, &before].map(|encoder| &encoder.body()[tensor.range.clone()]);
            // The gradient is zero, so that only decay moves anything.
            assert_eq!(
                after != before,
                tensor.part == EncoderPart::Layer(2) && tensor.shape.len() == 2,
                "{}",
                tensor.name
            );
        }
    }
}
