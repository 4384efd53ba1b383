//! Sums of products of bytes, for a few rows and 64 outputs at a time, by the instructions that the machine has.
//!
//! Weights lie as the kernels read them: for every four inputs, the four weights of each of 64 outputs. A kernel reads
//! four bytes of a row once and multiplies them with all 64 outputs; it reads weights once and multiplies them with all
//! of its rows. Sums stay in registers from the first input to the last.

/// Rows that a kernel takes at a time: with 64 outputs, as many sums as AVX-512 has registers for.
pub(super) const ROWS: usize = 6;
/// Outputs that a kernel gives at a time.
pub(super) const OUTPUTS: usize = 64;
/// Inputs that lie side by side.
pub(super) const QUAD: usize = 4;

/// What sums are made with. All give the same whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// Plain loops, on any machine.
    Portable,
    /// AVX2, on x86-64 since 2013: products of bytes in pairs.
    Avx2,
    /// AVX-512 with VNNI, on x86-64 since 2019: one instruction multiplies 64 pairs of bytes and adds them up.
    Vnni,
}

/// Sums of some rows.
pub(super) type Sums = [[i32; OUTPUTS]; ROWS];

/// Rows as bytes, and the weights of 64 outputs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block<'a> {
    /// One row after the other, each of `quads` times four bytes, as [`Kernel::flip`] wants them; at most [`ROWS`].
    pub rows: &'a [u8],
    pub weights: &'a [i8],
    /// What sums start from: what the flip of rows adds to them, with the opposite sign.
    pub start: &'a [i32; OUTPUTS],
    pub quads: usize,
}

impl Block<'_> {
    pub fn num_rows(&self) -> usize {
        self.rows.len() / (QUAD * self.quads)
    }

    /// Everything that kernels rely on.
    fn check(&self) {
        assert_eq!(self.weights.len(), self.quads * QUAD * OUTPUTS, "weights of a block");
        assert_eq!(self.rows.len(), self.num_rows() * QUAD * self.quads, "whole rows");
        assert!(self.num_rows() <= ROWS, "{} rows", self.num_rows());
    }
}

impl Kernel {
    /// The best that this machine has.
    pub fn best() -> Self {
        Self::available().next_back().unwrap_or(Self::Portable)
    }

    /// All that this machine has, the best last.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        [Self::Portable, Self::Avx2, Self::Vnni].into_iter().filter(|kernel| kernel.is_available())
    }

    #[cfg(target_arch = "x86_64")]
    fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            Self::Avx2 => super::x86::has_avx2(),
            Self::Vnni => super::x86::has_vnni(),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_available(self) -> bool {
        self == Self::Portable
    }

    /// What bytes of rows are exclusive-ored with: VNNI takes them without sign, so 128 is added to each.
    pub(super) fn flip(self) -> u8 {
        if self == Self::Vnni { 128 } else { 0 }
    }

    /// Makes the sums of a block. A kernel that the machine lacks is replaced by the portable one.
    pub(super) fn sum(self, block: Block<'_>, sums: &mut Sums) {
        block.check();
        #[cfg(target_arch = "x86_64")]
        match self {
            Self::Avx2 if self.is_available() => return super::x86::sum_avx2(block, sums),
            Self::Vnni if self.is_available() => return super::x86::sum_vnni(block, sums),
            _ => {}
        }
        sum_portable(block, self.flip(), sums);
    }
}

/// Plain loops. Weights are put into four rows first, or the compiler would find no vectors to make.
fn sum_portable(block: Block<'_>, flip: u8, sums: &mut Sums) {
    // Not from `start`: bytes are flipped back.
    *sums = [[0; OUTPUTS]; ROWS];
    for (quad, weights) in block.weights.as_chunks::<{ QUAD * OUTPUTS }>().0.iter().enumerate() {
        let columns = four_rows(weights);
        for (row, sums) in block.rows.chunks_exact(QUAD * block.quads).zip(&mut *sums) {
            let [a, b, c, d] =
                std::array::from_fn(|index| i16::from((row[QUAD * quad + index] ^ flip) as i8));
            for (output, sum) in sums.iter_mut().enumerate() {
                // Two products are at most 2 · 127 · 127 = 32,258, which fits into 16 bits.
                *sum += i32::from(a * columns[0][output] + b * columns[1][output])
                    + i32::from(c * columns[2][output] + d * columns[3][output]);
            }
        }
    }
}

/// The weights of the first, second, third and fourth of four inputs. By shifts, as bytes one by one are slow.
fn four_rows(weights: &[i8; QUAD * OUTPUTS]) -> [[i16; OUTPUTS]; QUAD] {
    let mut rows = [[0; OUTPUTS]; QUAD];
    for (output, &weights) in weights.as_chunks::<QUAD>().0.iter().enumerate() {
        let word = i32::from_le_bytes(weights.map(|weight| weight as u8));
        for (index, row) in rows.iter_mut().enumerate() {
            row[output] = (word << (24 - 8 * index) >> 24) as i16;
        }
    }
    rows
}
