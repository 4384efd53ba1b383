//! The kernels for x86-64.
//!
//! In plain loops over the same data the compiler does not find the instructions for bytes (it widens these to 32 bits
//! first), nor does it reliably keep the sums of f32 in registers.
#![expect(unsafe_code, reason = "vectors are loaded by pointer, and instructions are safe where they exist")]

use std::arch::x86_64::*;

use super::kernel::{Block, OUTPUTS, QUAD, ROWS, Sums};
use super::packed::{FLOAT_OUTPUTS, FLOAT_ROWS, FloatBlock, FloatSums};

/// Bytes of the weights for four inputs.
const STEP: usize = QUAD * OUTPUTS;

pub(super) fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
}

pub(super) fn has_vnni() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vnni")
}

/// The sums of a block by AVX2.
pub(super) fn sum_avx2(block: Block<'_>, sums: &mut Sums) {
    assert!(has_avx2());
    let width = QUAD * block.quads;
    for (number, rows) in block.rows.chunks(2 * width).enumerate() {
        let sums = &mut sums[2 * number..];
        for part in 0..OUTPUTS / 16 {
            // SAFETY: the machine has AVX2, as was just checked.
            unsafe {
                match rows.len() / width {
                    1 => avx2::<1>(block, rows, part, sums),
                    _ => avx2::<2>(block, rows, part, sums),
                }
            }
        }
    }
}

/// Two rows or one, and 16 outputs.
///
/// There is an instruction that multiplies bytes and adds pairs, but one side must be without sign, and sums beyond 16
/// bits are cut off. So the sign of inputs moves to the weights, and as no byte is -128, pairs are at most
/// 2 · 127 · 127 = 32,258: nothing is cut off.
#[target_feature(enable = "avx2")]
fn avx2<const R: usize>(block: Block<'_>, rows: &[u8], part: usize, sums: &mut [[i32; OUTPUTS]]) {
    let width = QUAD * block.quads;
    assert!(rows.len() == R * width && block.weights.len() == block.quads * STEP && part < OUTPUTS / 16);
    let ones = _mm256_set1_epi16(1);
    let mut totals = [[_mm256_setzero_si256(); 2]; R];
    for quad in 0..block.quads {
        // SAFETY: `quad < quads` and `part < 4`, so the 64 bytes end within the weights, of `quads` times 256 bytes.
        let weights = unsafe {
            let at = block.weights.as_ptr().add(quad * STEP + part * 64);
            [_mm256_loadu_si256(at.cast()), _mm256_loadu_si256(at.add(32).cast())]
        };
        for (row, totals) in totals.iter_mut().enumerate() {
            let inputs = _mm256_set1_epi32(four_bytes(rows, row * width + quad * QUAD));
            let magnitudes = _mm256_abs_epi8(inputs);
            for (total, weights) in totals.iter_mut().zip(weights) {
                let pairs = _mm256_maddubs_epi16(magnitudes, _mm256_sign_epi8(weights, inputs));
                *total = _mm256_add_epi32(*total, _mm256_madd_epi16(pairs, ones));
            }
        }
    }
    for (totals, sums) in totals.iter().zip(sums) {
        for (total, sums) in totals.iter().zip(sums[part * 16..][..16].as_chunks_mut::<8>().0) {
            // SAFETY: eight sums are 32 bytes.
            unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), *total) };
        }
    }
}

/// The sums of a block by AVX-512 with VNNI.
pub(super) fn sum_vnni(block: Block<'_>, sums: &mut Sums) {
    assert!(has_vnni());
    // SAFETY: the machine has AVX-512 and VNNI, as was just checked.
    unsafe {
        match block.num_rows() {
            1 => vnni::<1>(block, sums),
            2 => vnni::<2>(block, sums),
            3 => vnni::<3>(block, sums),
            4 => vnni::<4>(block, sums),
            5 => vnni::<5>(block, sums),
            ROWS => vnni::<ROWS>(block, sums),
            _ => {}
        }
    }
}

/// Some rows and all 64 outputs. One instruction multiplies four bytes (without sign) with four (with sign) and adds
/// all four products to a sum of 32 bits, for 16 outputs.
#[target_feature(enable = "avx512f,avx512vnni")]
fn vnni<const R: usize>(block: Block<'_>, sums: &mut Sums) {
    let width = QUAD * block.quads;
    assert!(R <= ROWS && block.rows.len() == R * width && block.weights.len() == block.quads * STEP);
    // SAFETY: `start` has 64 numbers of 4 bytes, four times 64 bytes.
    let start =
        [0, 1, 2, 3].map(|part| unsafe { _mm512_loadu_si512(block.start.as_ptr().add(16 * part).cast()) });
    let mut totals = [start; R];
    for quad in 0..block.quads {
        // SAFETY: `quad < quads`, so the 256 bytes end within the weights, of `quads` times as many.
        let weights = [0, 1, 2, 3].map(|part| unsafe {
            _mm512_loadu_si512(block.weights.as_ptr().add(quad * STEP + 64 * part).cast())
        });
        for (row, totals) in totals.iter_mut().enumerate() {
            let inputs = _mm512_set1_epi32(four_bytes(block.rows, row * width + quad * QUAD));
            for (total, weights) in totals.iter_mut().zip(weights) {
                *total = _mm512_dpbusd_epi32(*total, inputs, weights);
            }
        }
    }
    for (totals, sums) in totals.iter().zip(sums) {
        for (total, sums) in totals.iter().zip(sums.as_chunks_mut::<16>().0) {
            // SAFETY: sixteen sums are 64 bytes.
            unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), *total) };
        }
    }
}

/// Four bytes of rows as one number, in the order of memory.
#[inline(always)]
fn four_bytes(rows: &[u8], at: usize) -> i32 {
    debug_assert!(at + QUAD <= rows.len());
    // SAFETY: the callers checked that `rows` is made of rows of `quads` times four bytes, and `at` is the start of
    // four of these. The checked form costs a comparison for every four multiplications of vectors.
    unsafe { rows.as_ptr().add(at).cast::<i32>().read_unaligned() }
}

pub(super) fn has_fma() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
}

pub(super) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
}

/// The sums of a block of f32 by the best that the machine has; false if it has nothing.
pub(super) fn sum_floats(block: FloatBlock<'_>, sums: &mut FloatSums) -> bool {
    match (has_avx512(), has_fma()) {
        (true, _) => sum_floats_avx512(block, sums),
        (false, true) => sum_floats_avx2(block, sums),
        (false, false) => return false,
    }
    true
}

/// The sums of a block of f32 by AVX-512.
pub(super) fn sum_floats_avx512(block: FloatBlock<'_>, sums: &mut FloatSums) {
    assert!(has_avx512());
    // SAFETY: the machine has AVX-512, as was just checked.
    unsafe {
        match block.num_rows() {
            1 => floats_avx512::<1>(block, sums),
            2 => floats_avx512::<2>(block, sums),
            3 => floats_avx512::<3>(block, sums),
            4 => floats_avx512::<4>(block, sums),
            5 => floats_avx512::<5>(block, sums),
            6 => floats_avx512::<6>(block, sums),
            7 => floats_avx512::<7>(block, sums),
            _ => floats_avx512::<FLOAT_ROWS>(block, sums),
        }
    }
}

/// Some rows and all 48 outputs, three vectors.
#[target_feature(enable = "avx512f")]
fn floats_avx512<const R: usize>(block: FloatBlock<'_>, sums: &mut FloatSums) {
    let inputs = block.weights.len();
    assert!(R <= FLOAT_ROWS && block.rows.len() == R * inputs);
    let load = |values: &[f32; FLOAT_OUTPUTS]| {
        // SAFETY: 48 numbers are three vectors of 16.
        [0, 1, 2].map(|part| unsafe { _mm512_loadu_ps(values.as_ptr().add(16 * part)) })
    };
    let mut totals = [load(block.bias); R];
    for (input, weights) in block.weights.iter().enumerate() {
        let weights = load(weights);
        for (row, totals) in totals.iter_mut().enumerate() {
            // SAFETY: `row < R` and `input < inputs`, and there are `R` times `inputs` numbers. The checked form costs
            // a comparison for every three multiplications of vectors.
            let x = _mm512_set1_ps(unsafe { *block.rows.get_unchecked(row * inputs + input) });
            for (total, weights) in totals.iter_mut().zip(weights) {
                *total = _mm512_fmadd_ps(x, weights, *total);
            }
        }
    }
    for (totals, sums) in totals.iter().zip(sums) {
        for (total, sums) in totals.iter().zip(sums.as_chunks_mut::<16>().0) {
            // SAFETY: sixteen sums are a vector.
            unsafe { _mm512_storeu_ps(sums.as_mut_ptr(), *total) };
        }
    }
}

/// The sums of a block of f32 by AVX2.
pub(super) fn sum_floats_avx2(block: FloatBlock<'_>, sums: &mut FloatSums) {
    assert!(has_fma());
    let width = block.weights.len();
    for (number, rows) in block.rows.chunks(4 * width).enumerate() {
        let sums = &mut sums[4 * number..];
        for part in 0..FLOAT_OUTPUTS / 16 {
            // SAFETY: the machine has AVX2 and FMA, as was just checked.
            unsafe {
                match rows.len() / width {
                    1 => floats_avx2::<1>(block, rows, part, sums),
                    2 => floats_avx2::<2>(block, rows, part, sums),
                    3 => floats_avx2::<3>(block, rows, part, sums),
                    _ => floats_avx2::<4>(block, rows, part, sums),
                }
            }
        }
    }
}

/// Some rows and 16 outputs, two vectors.
#[target_feature(enable = "avx2,fma")]
fn floats_avx2<const R: usize>(
    block: FloatBlock<'_>,
    rows: &[f32],
    part: usize,
    sums: &mut [[f32; FLOAT_OUTPUTS]],
) {
    let inputs = block.weights.len();
    assert!(rows.len() == R * inputs && part < FLOAT_OUTPUTS / 16);
    let load = |values: &[f32; FLOAT_OUTPUTS]| {
        // SAFETY: `part < 3`, so 16 numbers from there on end within the 48; they are two vectors.
        [0, 1].map(|half| unsafe { _mm256_loadu_ps(values.as_ptr().add(16 * part + 8 * half)) })
    };
    let mut totals = [load(block.bias); R];
    for (input, weights) in block.weights.iter().enumerate() {
        let weights = load(weights);
        for (row, totals) in totals.iter_mut().enumerate() {
            // SAFETY: `row < R` and `input < inputs`, and there are `R` times `inputs` numbers.
            let x = _mm256_set1_ps(unsafe { *rows.get_unchecked(row * inputs + input) });
            for (total, weights) in totals.iter_mut().zip(weights) {
                *total = _mm256_fmadd_ps(x, weights, *total);
            }
        }
    }
    for (totals, sums) in totals.iter().zip(sums) {
        for (total, sums) in totals.iter().zip(sums[16 * part..][..16].as_chunks_mut::<8>().0) {
            // SAFETY: eight sums are a vector.
            unsafe { _mm256_storeu_ps(sums.as_mut_ptr(), *total) };
        }
    }
}
