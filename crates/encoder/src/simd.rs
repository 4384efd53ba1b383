//! Plain loops, compiled for the instruction set of the machine that they run on.
//!
//! An ordinary build may use nothing that a machine of 2003 lacked: vectors of four numbers. [`run`] has the compiler
//! make three versions of a closure and everything that is inlined into it, and calls the best; loops over slices then
//! become vectors of 4, 8 or 16 numbers. Nothing is written twice, and since Rust neither fuses multiplications with
//! additions nor reorders sums by itself, all three give the same bits. Functions that such a closure calls are
//! `#[inline(always)]`, or they would stay what they are in an ordinary build.
#![expect(unsafe_code, reason = "calling code for an instruction set is safe only on a machine that has it")]

/// Instruction sets that code is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// What the build assumes.
    Baseline,
    /// AVX2: eight numbers at a time.
    Avx2,
    /// AVX-512: sixteen.
    Avx512,
}

impl Level {
    /// The levels that this machine has, the best last.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        [Self::Baseline, Self::Avx2, Self::Avx512].into_iter().filter(|level| level.is_available())
    }

    #[cfg(target_arch = "x86_64")]
    fn is_available(self) -> bool {
        match self {
            Self::Baseline => true,
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            Self::Avx512 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
            }
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn is_available(self) -> bool {
        self == Self::Baseline
    }

    /// Runs a closure as compiled for this level, or for the baseline if the machine does not have it.
    #[cfg(target_arch = "x86_64")]
    pub fn run<R>(self, body: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx2")]
        fn with_avx2<R>(body: impl FnOnce() -> R) -> R {
            body()
        }
        #[target_feature(enable = "avx2,avx512f,avx512bw,avx512dq,avx512vl")]
        fn with_avx512<R>(body: impl FnOnce() -> R) -> R {
            body()
        }
        match self {
            // SAFETY: `is_available` found these very features.
            Self::Avx2 if self.is_available() => unsafe { with_avx2(body) },
            // SAFETY: as above.
            Self::Avx512 if self.is_available() => unsafe { with_avx512(body) },
            _ => body(),
        }
    }

    /// Runs a closure; elsewhere than on x86-64 the baseline is all there is (and has vectors, on ARM).
    #[cfg(not(target_arch = "x86_64"))]
    pub fn run<R>(self, body: impl FnOnce() -> R) -> R {
        body()
    }
}

/// Runs a closure as compiled for the best level of this machine.
pub(crate) fn run<R>(body: impl FnOnce() -> R) -> R {
    Level::available().next_back().unwrap_or(Level::Baseline).run(body)
}
