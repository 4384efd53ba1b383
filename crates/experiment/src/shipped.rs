//! The experiments that ship.

macro_rules! file {
    ($name:literal) => {
        ($name, include_str!(concat!("../data/", $name, ".toml")))
    };
}

/// Their names and texts.
pub const SHIPPED: [(&str, &str); 7] = [
    file!("tm05"),
    file!("tm06"),
    file!("twm06"),
    file!("mmp04"),
    file!("dlvg07"),
    file!("learner"),
    file!("english"),
];

/// The text of an experiment that ships.
pub fn shipped(name: &str) -> Option<&'static str> {
    SHIPPED.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Experiment;

    #[test]
    fn all_are_sound() {
        for (name, text) in SHIPPED {
            Experiment::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}
