// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Says that something was refused, and what to do. The refused message has changed nothing.
 *
 * @param matchId The match, if the refusal was about a match.
 * @param decisionId The decision, if the refusal was about an answer; empty if it was about a resignation.
 * @param reason A stable reason; see Reason.
 * @param code The status code that a unary call would have returned; see google.rpc.Code.
 * @param message What was wrong and what to do, for people.
 * @param rule For ILLEGAL_MOVE and STALE: the name of the refusal in the rules, for example {@code CARD_NOT_IN_HAND}.
 *     Rule pages list the names.
 * @param stillOpen Whether the decision is still open. If so, answer again: with another move if the reason is about
 *     the move ({@code MALFORMED_MOVE}, {@code ILLEGAL_MOVE}), otherwise with the same move a little later. The
 *     decision's time goes on.
 */
public record Refusal(String matchId, String decisionId, String reason, int code, String message, String rule,
        boolean stillOpen) implements PlayResponse.Message, Writable {
    /** Reads one, to its end. */
    public static Refusal read(Input input) throws IOException {
        String matchId = "";
        String decisionId = "";
        String reason = "";
        int code = 0;
        String message = "";
        String rule = "";
        boolean stillOpen = false;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> matchId = input.string();
                case 2 -> decisionId = input.string();
                case 3 -> reason = input.string();
                case 4 -> code = input.uint32();
                case 5 -> message = input.string();
                case 6 -> rule = input.string();
                case 7 -> stillOpen = input.bool();
                default -> input.skip();
            }
        }
        return new Refusal(matchId, decisionId, reason, code, message, rule, stillOpen);
    }

    @Override
    public void write(Output output) throws IOException {
        if (!matchId.isEmpty()) output.string(1, matchId);
        if (!decisionId.isEmpty()) output.string(2, decisionId);
        if (!reason.isEmpty()) output.string(3, reason);
        if (code != 0) output.uint32(4, code);
        if (!message.isEmpty()) output.string(5, message);
        if (!rule.isEmpty()) output.string(6, rule);
        if (stillOpen) output.bool(7, stillOpen);
    }
}
