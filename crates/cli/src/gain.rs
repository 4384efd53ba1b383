//! The forms of the gain, as options name them.

use boughs_learn::GainForm;
use clap::ValueEnum;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GainName {
    /// max(0, |g| - λ), as in the paper
    Subtract,
    /// |g| if it exceeds λ, as in the authors' program
    Clip,
}

impl GainName {
    pub(crate) fn form(self) -> GainForm {
        match self {
            Self::Subtract => GainForm::Subtract,
            Self::Clip => GainForm::Clip,
        }
    }
}
