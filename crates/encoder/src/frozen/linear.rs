//! Linear maps of inference, of any precision.

use boughs_learn::Result;
use boughs_learn::model::{Array, ModelFile};

use super::int8::Int8Linear;
use super::packed::PackedLinear;
use super::stored::{Precision, Storage, StoredMatrix, floats};
use crate::ops::linear::Linear;

/// A linear map whose weights are laid out for inference.
#[derive(Debug, Clone)]
pub struct FrozenLinear(Layout);

#[derive(Debug, Clone)]
enum Layout {
    F32(PackedLinear),
    /// The weights are such that 16 bits hold them.
    F16(PackedLinear),
    Int8(Int8Linear),
}

impl FrozenLinear {
    /// The nearest to a map in f32: a row of weights and a bias per output.
    pub fn new(weight: &[f32], bias: &[f32], precision: Precision) -> Self {
        let width = weight.len() / bias.len();
        Self::of(&StoredMatrix::new(weight, width, precision), bias, precision)
    }

    fn of(weight: &StoredMatrix, bias: &[f32], precision: Precision) -> Self {
        Self(match (weight, precision) {
            (StoredMatrix::Int8(bytes, scales), Precision::Int8(kernel)) => {
                Layout::Int8(Int8Linear::new(kernel, bytes, scales, bias))
            }
            (StoredMatrix::F16(_), _) => Layout::F16(PackedLinear::new(&weight.to_floats(), bias)),
            _ => Layout::F32(PackedLinear::new(&weight.to_floats(), bias)),
        })
    }

    /// The nearest map of another precision.
    #[must_use]
    pub fn with_precision(&self, precision: Precision) -> Self {
        let (weight, bias) = self.stored();
        Self::new(&weight.to_floats(), &bias, precision)
    }

    /// Weight and bias.
    fn stored(&self) -> (StoredMatrix, Vec<f32>) {
        match &self.0 {
            Layout::F32(packed) => (StoredMatrix::F32(packed.weight()), packed.bias()),
            Layout::F16(packed) => (StoredMatrix::new(&packed.weight(), 1, Precision::F16), packed.bias()),
            Layout::Int8(linear) => {
                let (bytes, scales) = linear.weight();
                (StoredMatrix::Int8(bytes, scales), linear.bias())
            }
        }
    }

    /// Puts the map into a file, as `NAME.weight` and `NAME.bias`.
    pub fn write(&self, file: &mut ModelFile, name: &str) {
        let (weight, bias) = self.stored();
        weight.write(file, &format!("{name}.weight"));
        file.insert(&format!("{name}.bias"), Array::F32(bias));
    }

    /// Takes a map of so many inputs and outputs out of a file.
    ///
    /// # Errors
    /// If it is not there, or something else.
    pub fn read(
        file: &ModelFile,
        name: &str,
        inputs: usize,
        outputs: usize,
        storage: Storage,
    ) -> Result<Self> {
        let weight = StoredMatrix::read(file, &format!("{name}.weight"), outputs, inputs, storage)?;
        let bias = floats(file, &format!("{name}.bias"), outputs)?;
        Ok(Self::of(&weight, &bias, storage.precision()))
    }
}

impl Linear for &FrozenLinear {
    fn outputs(&self) -> usize {
        match &self.0 {
            Layout::F32(linear) | Layout::F16(linear) => linear.outputs(),
            Layout::Int8(linear) => linear.outputs(),
        }
    }

    fn apply(&self, x: &[f32], out: &mut [f32]) {
        match &self.0 {
            Layout::F32(linear) | Layout::F16(linear) => linear.apply(x, out),
            Layout::Int8(linear) => linear.apply(x, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use boughs_learn::model::About;

    use super::*;
    use crate::testing::random_values;

    #[test]
    fn maps_come_back_as_they_were() {
        let (inputs, outputs, rows) = (37, 65, 5);
        let [weight, bias, x] =
            [inputs * outputs, outputs, rows * inputs].map(|len| random_values(len as u64, len));
        for storage in [Storage::F32, Storage::F16, Storage::Int8] {
            let linear = FrozenLinear::new(&weight, &bias, storage.precision());
            let mut file = ModelFile::new(About::new("example"));
            linear.write(&mut file, "map");
            let read = FrozenLinear::read(&file, "map", inputs, outputs, storage).unwrap();
            let [mut before, mut after] = [vec![0.0; rows * outputs], vec![0.0; rows * outputs]];
            (&linear).apply(&x, &mut before);
            (&read).apply(&x, &mut after);
            assert_eq!(before, after);
            let mut again = ModelFile::new(About::new("example"));
            read.write(&mut again, "map");
            assert_eq!(again, file);
            let exact = FrozenLinear::new(&weight, &bias, Precision::F32).with_precision(storage.precision());
            let mut converted = ModelFile::new(About::new("example"));
            exact.write(&mut converted, "map");
            assert_eq!(converted, file);
        }
    }
}
