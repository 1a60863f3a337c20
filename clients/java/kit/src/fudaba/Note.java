package fudaba;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What is sent of the note that a bot gives with its choice. Nothing that is wrong with a note costs the move.
 *
 * @param text what is sent
 * @param faults what is wrong with the note: the same words for each note that has that fault
 */
record Note(String text, List<String> faults) {
    /** How long a note may be, in UTF-8. */
    static final int MAX_BYTES = 1024;

    /** As much of a note as can be sent; of null, nothing. */
    static Note of(String note) {
        if (note == null) {
            return new Note("", List.of("the note is null, not text; none is sent"));
        }
        List<String> faults = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        int bytes = 0;
        for (int character : (Iterable<Integer>) note.codePoints()::iterator) {
            boolean half = character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE;
            String one = half ? "\ufffd" : Character.toString(character);
            if (half) {
                add(faults, "the note has halves of surrogate pairs, which are no characters; "
                        + "U+FFFD is sent in their place");
            }
            bytes += one.getBytes(StandardCharsets.UTF_8).length;
            if (bytes > MAX_BYTES) {
                add(faults, "the note is longer than " + MAX_BYTES + " bytes in UTF-8; the rest is cut off");
                break;
            }
            text.append(one);
        }
        return new Note(text.toString(), faults);
    }

    private static void add(List<String> faults, String fault) {
        if (!faults.contains(fault)) {
            faults.add(fault);
        }
    }
}
