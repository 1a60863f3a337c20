//! What is sent of the note that a bot gives with its choice. Nothing that is wrong with a note costs the move.

/// How long a note may be, in UTF-8.
const MAX_NOTE_BYTES: usize = 1024;

/// The text that is sent of a note, and what is wrong with the note: the same words for each note with that fault.
pub fn sendable(mut note: String) -> (String, Option<String>) {
    if note.len() <= MAX_NOTE_BYTES {
        return (note, None);
    }
    let mut end = MAX_NOTE_BYTES;
    while !note.is_char_boundary(end) {
        end -= 1;
    }
    note.truncate(end);
    let fault =
        format!("the note is longer than {MAX_NOTE_BYTES} bytes in UTF-8; the rest is cut off");
    (note, Some(fault))
}

#[cfg(test)]
mod tests {
    use super::sendable;

    #[test]
    fn a_note_is_cut_at_the_end_of_a_character() {
        for (note, sent) in [
            (String::new(), String::new()),
            ("two aces\0\n".into(), "two aces\0\n".into()),
            ("x".repeat(1024), "x".repeat(1024)),
            ("x".repeat(1025), "x".repeat(1024)),
            ("札".repeat(342), "札".repeat(341)),
            ("ab".to_string() + &"札".repeat(341), "ab".to_string() + &"札".repeat(340)),
        ] {
            let whole = note == sent;
            let (text, fault) = sendable(note);
            assert_eq!(text, sent);
            assert_eq!(fault.is_none(), whole);
        }
    }
}
