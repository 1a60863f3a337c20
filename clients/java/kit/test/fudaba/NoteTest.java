package fudaba;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class NoteTest {
    @Test
    void itIsPutRightAndCutAtTheEndOfACharacter() {
        check("", "", 0);
        check("two aces\0\n\ud83d\ude00", "two aces\0\n\ud83d\ude00", 0);
        check("x".repeat(1024), "x".repeat(1024), 0);
        check("x".repeat(1025), "x".repeat(1024), 1);
        check("ab" + "札".repeat(341), "ab" + "札".repeat(340), 1);
        check("why \udce9 \ud83d", "why \ufffd \ufffd", 1);
        check("\udce9" + "札".repeat(500), "\ufffd" + "札".repeat(340), 2);
        check(null, "", 1);
    }

    private static void check(String note, String text, int faults) {
        assertEquals(text, Note.of(note).text());
        assertEquals(faults, Note.of(note).faults().size());
    }
}
