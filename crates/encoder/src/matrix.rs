//! Matrix products of f32, behind views whose bounds are checked.
//!
//! The naive form is three loops, a hundredth of the machine's speed. [`multiply`] is the product of the crate
//! `matrixmultiply`: packed panels, registers in blocks, and AVX-512, AVX2 or NEON as the machine has them. It was
//! chosen by measurement (one thread of a machine with AVX-512, rows 24 to 512, the widths of MiniLM): 70 to
//! 175 GFLOP/s, beside 50 to 97 of the crate `gemm` and 73 to 178 of `gemm` with its feature `x86-v4`, and a
//! sixth of the time that either takes to compile.
//!
//! Its sums round differently on machines with other instruction sets, and, since a row's sum runs over the columns
//! in order, alike in every batch. [`multiply_alike`] rounds alike everywhere; it serves quantised inference, whose
//! results are the same on every machine, for the small products between queries, keys and values.
#![expect(unsafe_code, reason = "the product takes pointers and strides; the views check them")]

use std::ops::Range;

use crate::simd::vectorised;

/// A matrix in a slice: element (i, j) is at `i * row_stride + j * column_stride`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    values: &'a [f32],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a> View<'a> {
    /// Rows of `stride` numbers, of which the first `columns` are looked at.
    pub fn new(values: &'a [f32], rows: usize, columns: usize, stride: usize) -> Self {
        check(values.len(), rows, columns, stride);
        Self { values, rows, columns, row_stride: stride, column_stride: 1 }
    }

    /// The matrix with rows and columns exchanged.
    pub fn transposed(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }

    #[cfg(test)]
    fn at(&self, row: usize, column: usize) -> f32 {
        self.values[row * self.row_stride + column * self.column_stride]
    }
}

/// A matrix in a slice to write to, row by row.
#[derive(Debug)]
pub(crate) struct ViewMut<'a> {
    values: &'a mut [f32],
    rows: usize,
    columns: usize,
    stride: usize,
}

impl<'a> ViewMut<'a> {
    /// Rows of `stride` numbers, of which the first `columns` are written.
    pub fn new(values: &'a mut [f32], rows: usize, columns: usize, stride: usize) -> Self {
        check(values.len(), rows, columns, stride);
        Self { values, rows, columns, stride }
    }
}

/// Rows must not overlap, and the last one must end within the slice. The sums cannot overflow for slices that exist
/// and strides that are widths of layers; if one did, the check would fail in debug builds and refuse in others.
fn check(len: usize, rows: usize, columns: usize, stride: usize) {
    assert!(columns <= stride, "rows of {columns} numbers overlap at a stride of {stride}");
    let last = rows.saturating_sub(1).checked_mul(stride).and_then(|start| start.checked_add(columns));
    assert!(
        rows == 0 || last.is_some_and(|end| end <= len),
        "{rows} rows of {columns} do not fit into {len}"
    );
}

fn check_shapes(a: &View<'_>, b: &View<'_>, c: &ViewMut<'_>) {
    let found = (a.rows, a.columns, b.columns);
    assert_eq!(found, (c.rows, b.rows, c.columns), "shapes of a product");
}

/// A product: [`multiply`] or [`multiply_alike`].
pub(crate) type Product = fn(f32, View<'_>, View<'_>, f32, ViewMut<'_>);

/// `c = alpha a b + beta c`; with a `beta` of 0, what `c` held does not matter.
pub(crate) fn multiply(alpha: f32, a: View<'_>, b: View<'_>, beta: f32, c: ViewMut<'_>) {
    check_shapes(&a, &b, &c);
    let ViewMut { values, stride, .. } = c;
    // SAFETY: the views checked that every element lies within its slice, and that no two elements of `c` are at the
    // same place; `c` is borrowed mutably, so it overlaps neither `a` nor `b`. No stride is beyond a slice's length,
    // which fits into isize.
    unsafe {
        matrixmultiply::sgemm(
            a.rows,
            a.columns,
            b.columns,
            alpha,
            a.values.as_ptr(),
            a.row_stride as isize,
            a.column_stride as isize,
            b.values.as_ptr(),
            b.row_stride as isize,
            b.column_stride as isize,
            beta,
            values.as_mut_ptr(),
            stride as isize,
            1,
        );
    }
}

/// Columns that [`multiply_alike`] works on at a time, and rows.
const BLOCK: (usize, usize) = (16, 4);

/// As [`multiply`], with the same bits on every machine: sums in order, multiplication and addition apart. The rows of
/// `a` must lie in a row.
pub(crate) fn multiply_alike(alpha: f32, a: View<'_>, b: View<'_>, beta: f32, c: ViewMut<'_>) {
    check_shapes(&a, &b, &c);
    let ViewMut { values, stride, .. } = c;
    assert_eq!(a.column_stride, 1, "rows of the left matrix lie in a row");
    let mut panel = vec![[0.0; BLOCK.0]; b.rows];
    for first in (0..b.columns).step_by(BLOCK.0) {
        let columns = first..b.columns.min(first + BLOCK.0);
        vectorised!({
            pack(b, columns.clone(), &mut panel);
            for row in (0..a.rows).step_by(BLOCK.1) {
                // The last block may be short of rows: the last row stands in, and is not written twice.
                let row_at = |row: usize| &a.values[row.min(a.rows - 1) * a.row_stride..][..a.columns];
                let sums = sum_block([0, 1, 2, 3].map(|number| row_at(row + number)), &panel);
                for (sums, row) in sums.iter().zip(row..a.rows) {
                    write(alpha, sums, beta, &mut values[row * stride..][columns.clone()]);
                }
            }
        });
    }
}

/// Copies some columns, so that those of a row lie side by side.
#[inline(always)]
fn pack(b: View<'_>, columns: Range<usize>, panel: &mut [[f32; BLOCK.0]]) {
    if b.column_stride == 1 {
        for (panel, row) in panel.iter_mut().zip(b.values.chunks(b.row_stride)) {
            panel[..columns.len()].copy_from_slice(&row[columns.clone()]);
        }
        return;
    }
    for (lane, column) in columns.enumerate() {
        let column = b.values[column * b.column_stride..].iter().step_by(b.row_stride);
        for (panel, &value) in panel.iter_mut().zip(column) {
            panel[lane] = value;
        }
    }
}

/// `c = alpha sums + beta c` for the columns of a row. A full block is an array, so that it is a vector.
#[inline(always)]
fn write(alpha: f32, sums: &[f32; BLOCK.0], beta: f32, c: &mut [f32]) {
    let mut out = sums.map(|sum| alpha * sum);
    if beta != 0.0 {
        out.iter_mut().zip(&*c).for_each(|(out, c)| *out += beta * c);
    }
    match <&mut [f32; BLOCK.0]>::try_from(&mut *c) {
        Ok(c) => *c = out,
        Err(_) => c.copy_from_slice(&out[..c.len()]),
    }
}

/// The sums of some rows and columns, which stay in registers.
#[inline(always)]
fn sum_block(rows: [&[f32]; BLOCK.1], panel: &[[f32; BLOCK.0]]) -> [[f32; BLOCK.0]; BLOCK.1] {
    let mut sums = [[0.0; BLOCK.0]; BLOCK.1];
    for (index, columns) in panel.iter().enumerate() {
        for (sums, row) in sums.iter_mut().zip(rows) {
            let factor = row[index];
            for (sum, &value) in sums.iter_mut().zip(columns) {
                *sum += factor * value;
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_values;

    /// Both products, on views with gaps between rows, transposed or not, beside three loops.
    #[test]
    fn products_are_sums_of_products() {
        for (seed, (rows, inner, columns)) in
            [(1, 1, 1), (3, 5, 7), (16, 33, 18), (0, 3, 2), (40, 70, 50)].into_iter().enumerate()
        {
            let a = random_values(seed as u64, (rows + 1) * (inner + 2));
            let b = random_values(seed as u64 + 50, (columns + 1) * (inner + 1));
            let c = random_values(seed as u64 + 99, (rows + 1) * (columns + 3));
            let view_a = View::new(&a, rows, inner, inner + 2);
            let view_b = View::new(&b, columns, inner, inner + 1).transposed();
            for product in [multiply as Product, multiply_alike as Product] {
                let mut out = c.clone();
                product(0.5, view_a, view_b, 2.0, ViewMut::new(&mut out, rows, columns, columns + 3));
                for (index, (&out, &before)) in out.iter().zip(&c).enumerate() {
                    let (row, column) = (index / (columns + 3), index % (columns + 3));
                    let expected = match row < rows && column < columns {
                        true => {
                            let sum: f32 = (0..inner).map(|k| view_a.at(row, k) * view_b.at(k, column)).sum();
                            0.5 * sum + 2.0 * before
                        }
                        false => before,
                    };
                    assert!((out - expected).abs() < 1e-4, "{row} {column}: {out} {expected}");
                }
            }
        }
    }

    #[test]
    fn nothing_of_what_was_there_is_left_without_beta() {
        for product in [multiply as Product, multiply_alike as Product] {
            let mut out = [f32::NAN; 4];
            let ones = [1.0; 4];
            let view = View::new(&ones, 2, 2, 2);
            product(1.0, view, view, 0.0, ViewMut::new(&mut out, 2, 2, 2));
            assert_eq!(out, [2.0; 4]);
        }
    }

    /// What a row becomes does not depend on the rows beside it.
    #[test]
    fn rows_do_not_depend_on_each_other() {
        let (inner, columns) = (300, 70);
        let a = random_values(1, 40 * inner);
        let b = random_values(2, inner * columns);
        let rows_of = |rows: usize| {
            let mut out = vec![0.0; rows * columns];
            let (view_a, view_b) =
                (View::new(&a, rows, inner, inner), View::new(&b, inner, columns, columns));
            multiply(1.0, view_a, view_b, 0.0, ViewMut::new(&mut out, rows, columns, columns));
            out
        };
        let all = rows_of(40);
        for rows in [1, 2, 5, 17, 39] {
            assert_eq!(rows_of(rows), all[..rows * columns]);
        }
    }

    #[test]
    #[should_panic(expected = "do not fit")]
    fn views_beyond_the_slice_are_refused() {
        View::new(&[0.0; 5], 2, 3, 3);
    }

    #[test]
    #[should_panic(expected = "overlap")]
    fn rows_that_overlap_are_refused() {
        ViewMut::new(&mut [0.0; 5], 2, 3, 2);
    }
}
