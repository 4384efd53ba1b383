//! Parsing by classification (Turian & Melamed 2005, 2006): a tree is built bottom-up, one inference at a time, and one
//! classifier per label says how good each candidate inference is.
//!
//! A [`ParserState`] is a row of [items](ParseItem) without parents, the frontier. An [`Inference`] puts a label over consecutive
//! items of it. The [`Scheme`] says which inferences are candidates, a [`Strategy`] in which order a tree is built.

mod bundle_cache;
mod cascade;
pub mod examples;
pub mod explain;
pub mod features;
mod file;
mod gold;
mod guide;
mod heads;
mod item;
mod model;
mod model_guide;
mod oracle;
mod output;
mod parser;
pub mod search;
mod state;
mod strategy;
mod symbols;

pub use cascade::{Cascade, GATE_NAME, Gate, HOPELESS, Scoring, Stage};
pub use file::MAX_CHILDREN;
pub use gold::{GoldPath, GoldTree};
pub use guide::{Guide, Scored, Workspace, cost};
pub use heads::{HeadTable, Heads};
pub use item::{ItemId, Items, ParseItem};
pub use model::{SHIFT_NAME, TransitionModel, action_name, actions};
pub use model_guide::ModelGuide;
pub use oracle::{Oracle, OracleGuide};
pub use output::to_tree;
pub use parser::{Bounds, Limits, Parsed, Parser, Unmet};
pub use state::{Action, Inference, InferencePlace, LegalLabels, ParserState, Scheme};
pub use strategy::{Order, Strategy};
pub use symbols::{FrontierSymbol, InputTerminal, Label, TOP, TOP_NAME, TransitionSymbols};
