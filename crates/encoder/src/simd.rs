//! Plain loops, compiled for the instruction set of the machine that they run on.
//!
//! An ordinary build may use nothing that a machine of 2003 lacked: vectors of four numbers. [`vectorised!`]
//! has the compiler make three versions of an expression and everything that is inlined into it, and computes
//! the best; loops over slices then become vectors of 4, 8 or 16 numbers. Nothing is written twice, and since
//! Rust neither fuses multiplications with additions nor reorders sums by itself, all three give the same
//! bits.
#![expect(unsafe_code, reason = "calling code for an instruction set is safe only on a machine that has it")]

use std::sync::LazyLock;

/// An instruction set that this machine has; there is no way to name another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Level(Set);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    /// What the build assumes.
    Baseline,
    /// Eight numbers at a time.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Sixteen numbers at a time.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

static BEST: LazyLock<Level> =
    LazyLock::new(|| Level::available().next_back().unwrap_or(Level(Set::Baseline)));

impl Level {
    /// The levels that this machine has, the best last.
    pub fn available() -> impl DoubleEndedIterator<Item = Self> {
        let sets = [
            (Set::Baseline, true),
            #[cfg(target_arch = "x86_64")]
            (Set::Avx2, is_x86_feature_detected!("avx2")),
            #[cfg(target_arch = "x86_64")]
            (Set::Avx512, has_avx512()),
        ];
        sets.into_iter().filter(|(_, is_there)| *is_there).map(|(set, _)| Self(set))
    }

    /// Runs a closure as compiled for this level.
    pub fn run<R>(self, body: impl FnOnce() -> R) -> R {
        match self.0 {
            Set::Baseline => body(),
            // SAFETY: `available` makes a level only if the machine has it.
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => unsafe { with_avx2(body) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => unsafe { with_avx512(body) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<R>(body: impl FnOnce() -> R) -> R {
    body()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512dq,avx512vl")]
fn with_avx512<R>(body: impl FnOnce() -> R) -> R {
    body()
}

/// The name of the best instruction set that this machine has, as far as it decides about the last bits of
/// training.
pub fn instruction_set() -> &'static str {
    match BEST.0 {
        Set::Baseline => "baseline",
        #[cfg(target_arch = "x86_64")]
        Set::Avx2 => "avx2",
        #[cfg(target_arch = "x86_64")]
        Set::Avx512 => "avx512",
    }
}

/// Runs a closure as compiled for the best level of this machine; see [`vectorised!`].
pub(crate) fn run<R>(body: impl FnOnce() -> R) -> R {
    BEST.run(body)
}

/// Computes an expression as compiled for the best level of this machine. Functions that it calls are
/// `#[inline(always)]`: what is not inlined stays as an ordinary build has it. So is the closure around it,
/// which the compiler would not inline into three places by itself.
macro_rules! vectorised {
    ($body:expr) => {
        $crate::simd::run(
            #[inline(always)]
            || $body,
        )
    };
}

pub(crate) use vectorised;
