//! Minimising a smooth function of many parameters, with an L1 penalty on some of them if wished.
//!
//! The naive form is gradient descent:
//!
//! ```text
//! repeat: point ← point − step · gradient(point)
//! ```
//!
//! It crawls along valleys. *L-BFGS* (Nocedal 1980) multiplies the gradient by an estimate of the inverse Hessian,
//! made from the last few changes of point and gradient, and needs only dot products for it
//! ([`OptimizerConfig::history`] says how many changes). *OWL-QN* (Andrew and Gao 2007) adds λ·|x|, which has no
//! derivative at 0: it takes the steepest one-sided derivative there, and never lets a parameter change its sign
//! within one step. So parameters stop at exactly 0, and models become sparse.
//!
//! [`minimize`] does both, OWL-QN if any parameter bears an [`L1`] weight. The objective is a closure that gives
//! value and gradient in one call; add an L2 penalty there. Everything that decides the next step is in the
//! [`OptimizerState`], which can be saved at any iteration; a run that goes on from it gives the same bits as one
//! that was never interrupted. Sums are taken over fixed blocks in a fixed order, so the number of threads (those of
//! the current rayon pool) does not matter either.
//!
//! ```
//! use boughs_learn::optimize::{L1, OptimizerConfig, OptimizerState, minimize};
//! use std::ops::ControlFlow;
//!
//! // (x − 3)² + (y + 0.2)², and |x| + |y|: the second parameter is not worth its penalty.
//! let objective = |point: &[f64], gradient: &mut [f64]| {
//!     let (x, y) = (point[0] - 3.0, point[1] + 0.2);
//!     gradient.copy_from_slice(&[2.0 * x, 2.0 * y]);
//!     x * x + y * y
//! };
//! let mut state = OptimizerState::new(vec![0.0; 2]);
//! minimize(objective, &mut state, &L1::uniform(1.0)?, &OptimizerConfig::default(), |_| ControlFlow::Continue(()))?;
//! assert!((state.point[0] - 2.5).abs() < 1e-6);
//! assert_eq!(state.point[1], 0.0);
//! # Ok::<(), boughs_learn::Error>(())
//! ```

mod history;
mod l1;
mod line_search;
mod minimize;
mod settings;
mod state;
mod vector;

pub use l1::L1;
pub use minimize::{OptimizerProgress, OptimizerStop, minimize};
pub use settings::OptimizerConfig;
pub use state::OptimizerState;

pub(super) use settings::not_negative;
pub(super) use vector::{add_scaled, dot};
