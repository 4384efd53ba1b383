//! What characters are to the tokeniser.

/// Whether a character is never part of a token: white space, control characters, and the spaces without width.
pub fn is_blank(c: char) -> bool {
    match c {
        '\0'..=' ' | '\u{7F}' => true,
        '\u{21}'..='\u{7E}' => false,
        '\u{200B}' | '\u{FEFF}' => true,
        _ => c.is_whitespace() || c.is_control(),
    }
}

/// Whether a character makes up words: letters, digits, the underscore, marks upon letters, and of other
/// scripts everything that is not known to be punctuation or a symbol.
pub(super) fn is_word_char(c: char) -> bool {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => true,
        '\0'..='\u{7F}' => false,
        _ => c.is_alphanumeric() || !(is_symbol(c) || is_blank(c)),
    }
}

/// Punctuation and symbols outside ASCII, by block; letters and digits among them are told apart before.
fn is_symbol(c: char) -> bool {
    matches!(c,
        '\u{A1}'..='\u{AC}' | '\u{AE}'..='\u{BF}' | '\u{D7}' | '\u{F7}' // Latin-1, but for the soft hyphen
        | '\u{5BE}' | '\u{5C0}' | '\u{5C3}' | '\u{5F3}' | '\u{5F4}' // Hebrew
        | '\u{60C}' | '\u{61B}' | '\u{61F}' | '\u{66A}'..='\u{66D}' | '\u{6D4}' // Arabic
        | '\u{964}' | '\u{965}' // Devanagari
        | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205E}' // general punctuation
        | '\u{207A}'..='\u{207E}' | '\u{208A}'..='\u{208E}' // raised and lowered signs
        | '\u{20A0}'..='\u{20CF}' // currencies
        | '\u{2100}'..='\u{2BFF}' // letter-like, arrows, mathematics, drawing
        | '\u{2E00}'..='\u{2E7F}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3020}' | '\u{30FB}'
        | '\u{FE10}'..='\u{FE1F}' | '\u{FE30}'..='\u{FE6F}' // vertical and small forms
        | '\u{FF01}'..='\u{FF0F}' | '\u{FF1A}'..='\u{FF20}' | '\u{FF3B}'..='\u{FF40}' | '\u{FF5B}'..='\u{FF65}'
        | '\u{FFE0}'..='\u{FFFD}'
        | '\u{1F000}'..='\u{1FAFF}' // pictures
    )
}

/// The apostrophe, typewritten or typeset.
pub(super) fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// The hyphen, as it is typed, and as Unicode would like it.
pub(super) fn is_hyphen(c: char) -> bool {
    matches!(c, '-' | '\u{2010}' | '\u{2011}')
}

/// What may stand between a sentence's beginning and its first word.
pub(super) fn is_opener(c: char) -> bool {
    matches!(c, '(' | '[' | '{' | '"' | '\'' | '`' | '¿' | '¡' | '（' | '【')
        || matches!(c, '“' | '‘' | '„' | '‚' | '«' | '‹' | '「' | '『')
}

/// What may stand between a sentence's full stop and its end.
pub(super) fn is_closer(c: char) -> bool {
    matches!(c, ')' | ']' | '}' | '"' | '\'' | '”' | '’' | '»' | '›' | '“' | '」' | '』' | '）' | '】')
}

/// What ends a sentence also without a blank behind it, in scripts that do not write blanks.
pub(super) fn is_ideographic_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？')
}

/// What goes on with the picture or sign before it: variation selectors, joiners, skin tones, keycaps, tags.
pub(super) fn is_extender(c: char) -> bool {
    matches!(c,
        '\u{FE00}'..='\u{FE0F}' | '\u{200D}' | '\u{20E3}' | '\u{1F3FB}'..='\u{1F3FF}' | '\u{E0020}'..='\u{E007F}'
        | '\u{300}'..='\u{36F}')
}

/// The flags' letters, of which two make a flag.
pub(super) fn is_regional_indicator(c: char) -> bool {
    matches!(c, '\u{1F1E6}'..='\u{1F1FF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_is_of_one_kind() {
        for c in '\0'..=char::MAX {
            assert!(!(is_blank(c) && is_word_char(c)), "{c:?}");
            assert!(
                !(is_opener(c) || is_closer(c) || is_apostrophe(c) || is_hyphen(c)) || !is_word_char(c),
                "{c:?}"
            );
        }
    }

    #[test]
    fn marks_and_other_scripts_are_parts_of_words() {
        assert!("é ñ ß 漢 字 हि न् דָ ي ² ½ ǆ".chars().all(|c| c == ' ' || is_word_char(c)));
        assert!("e\u{301}co\u{AD}op".chars().all(is_word_char));
        assert!(!"™°×÷€…—–•→≥😀。".chars().any(is_word_char));
    }

    #[test]
    fn blanks_are_more_than_white_space() {
        assert!(" \t\r\n\0\u{A0}\u{2003}\u{3000}\u{200B}\u{FEFF}\u{85}\u{2028}".chars().all(is_blank));
    }
}
