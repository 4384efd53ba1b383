//! The kernels for x86-64.
//!
//! In plain loops over the same data the compiler does not find these instructions: it widens bytes to 32 bits first,
//! and reaches a fifth of the speed.
#![expect(unsafe_code, reason = "vectors are loaded by pointer, and instructions are safe where they exist")]

use std::arch::x86_64::*;

use super::kernel::{Block, OUTPUTS, QUAD, ROWS, Sums};

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
