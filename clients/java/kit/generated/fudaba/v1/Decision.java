// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A decision that a seat has to make, or may make.
 *
 * @param decisionId The decision's id, unique in the match. An answer names it.
 * @param required Whether the seat must make it. A decision that is not required is withdrawn without penalty when its
 *     time is over. In a match of {@code nerts} in real time it is sent again, under another id, whenever something
 *     happens; an answer that names an earlier id counts too, unless the seat has moved since. The answer is judged
 *     against the table as it is when the answer arrives.
 * @param view What the seat knows.
 * @param legalCount The number of legal moves. The first one is the default move.
 * @param legalMoves The legal moves, typed, in the rulebook's order. Empty unless the bot asked for them. If there are
 *     more than 2000, only the first 2000 are listed. The others are legal answers too, as a move, a text, or an index
 *     below {@code legal_count}.
 * @param legalTexts The legal moves as text, in the same order and number. Empty unless the bot asked for them.
 * @param timeMs How long the seat may take from the receipt of this message, in milliseconds, including its bank. The
 *     time began when the decision was first sent. When the decision is sent again, this is the time that is left.
 * @param bankMs How much of {@code time_ms} is bank, in milliseconds.
 */
public record Decision(String decisionId, boolean required, View view, int legalCount, List<Move> legalMoves,
        List<String> legalTexts, int timeMs, int bankMs) implements Writable {
    /** Reads one, to its end. */
    public static Decision read(Input input) throws IOException {
        String decisionId = "";
        boolean required = false;
        View view = null;
        int legalCount = 0;
        List<Move> legalMoves = new ArrayList<>();
        List<String> legalTexts = new ArrayList<>();
        int timeMs = 0;
        int bankMs = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> decisionId = input.string();
                case 2 -> required = input.bool();
                case 3 -> { int end = input.enter(); view = View.read(input); input.leave(end); }
                case 4 -> legalCount = input.uint32();
                case 5 -> { int end = input.enter(); legalMoves.add(Move.read(input)); input.leave(end); }
                case 6 -> legalTexts.add(input.string());
                case 7 -> timeMs = input.uint32();
                case 8 -> bankMs = input.uint32();
                default -> input.skip();
            }
        }
        return new Decision(decisionId, required, view, legalCount, List.copyOf(legalMoves), List.copyOf(legalTexts),
                timeMs, bankMs);
    }

    @Override
    public void write(Output output) throws IOException {
        if (!decisionId.isEmpty()) output.string(1, decisionId);
        if (required) output.bool(2, required);
        output.message(3, view);
        if (legalCount != 0) output.uint32(4, legalCount);
        output.messages(5, legalMoves);
        output.strings(6, legalTexts);
        if (timeMs != 0) output.uint32(7, timeMs);
        if (bankMs != 0) output.uint32(8, bankMs);
    }
}
