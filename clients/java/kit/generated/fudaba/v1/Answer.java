// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Answers a decision. The first answer that is stored stands. A further answer is harmless, and is not compared with
 * it.
 *
 * @param matchId The match.
 * @param decisionId The decision. Where a decision is sent again under other ids, this id says which list {@code index}
 *     refers to.
 * @param note The bot's note about this decision, at most 1024 bytes in UTF-8; an answer with a longer note is refused
 *     with NOTE_TOO_LONG. The service keeps the note with the answer that stands, and shows it to the seat's author
 *     alone: MatchService.GetNotes.
 * @param choice Exactly one must be set.
 */
public record Answer(String matchId, String decisionId, String note, Choice choice) implements PlayRequest.Message,
        Writable {
    /** What may stand in {@code choice}. */
    public sealed interface Choice permits Move, Answer.Text, Answer.Index {}

    /** The move as text. */
    public record Text(String value) implements Choice {}

    /**
     * The index of the move, from 0, in the list of legal moves that came with the decision of this
     * {@code decision_id}, even if the decision was sent again since, with another list.
     */
    public record Index(int value) implements Choice {}

    /** Reads one, to its end. */
    public static Answer read(Input input) throws IOException {
        String matchId = "";
        String decisionId = "";
        String note = "";
        Choice choice = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> matchId = input.string();
                case 2 -> decisionId = input.string();
                case 3 -> { int end = input.enter(); choice = Move.read(input); input.leave(end); }
                case 4 -> choice = new Text(input.string());
                case 5 -> choice = new Index(input.uint32());
                case 6 -> note = input.string();
                default -> input.skip();
            }
        }
        return new Answer(matchId, decisionId, note, choice);
    }

    @Override
    public void write(Output output) throws IOException {
        if (!matchId.isEmpty()) output.string(1, matchId);
        if (!decisionId.isEmpty()) output.string(2, decisionId);
        if (!note.isEmpty()) output.string(6, note);
        if (choice instanceof Move one) {
            output.message(3, one);
        } else if (choice instanceof Text one) {
            output.string(4, one.value());
        } else if (choice instanceof Index one) {
            output.uint32(5, one.value());
        }
    }
}
