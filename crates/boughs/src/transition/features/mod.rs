//! Features of an inference: yes-or-no questions about the items around it.
//!
//! [`Templates`] say in a small language what is asked; a layout numbers the questions for given symbols and
//! finds those whose answer is yes. All depend on the place of an inference; those that speak of the head depend on
//! its label too, but only through the position of the head.

mod extract;
mod group;
mod layout;
mod name;
#[cfg(test)]
mod reference;
mod roles;
mod template;

pub(crate) use extract::{PlaceView, Visitor};
pub(crate) use layout::FeatureLayout;
pub use template::{TEMPLATE_SETS, Templates};
