//! The parsers for English that ship with boughs, as data: model files, for `boughs::parser::built_in`.
//!
//! What they learned from, how well they parse, their licence and the commands that trained them are in README.md.

/// The model file of the large parser, `@english`; nothing if it is not in this build. A package registry takes no file
/// of its size, so it comes with a clone of the repository.
pub static LARGE: Option<&[u8]> = {
    #[cfg(large)]
    let file: Option<&[u8]> = Some(include_bytes!("../english.model"));
    #[cfg(not(large))]
    let file = None;
    file
};

/// The model file of the small parser, `@english-small`; nothing if it is not in this build.
pub static SMALL: Option<&[u8]> = {
    #[cfg(feature = "small")]
    let file: Option<&[u8]> = Some(include_bytes!("../english-small.model"));
    #[cfg(not(feature = "small"))]
    let file = None;
    file
};
