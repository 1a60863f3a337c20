// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * How a match ended.
 *
 * @param outcome The result; absent when the match was aborted.
 * @param forfeitedSeat The seat that forfeited, if one did.
 * @param forfeitCause Why it did.
 * @param abortCause Why the match was aborted, if it was.
 * @param absentSeats For ABORT_CAUSE_NO_SHOW, the seats whose bots had not connected; for ABORT_CAUSE_NOT_JOINED, the
 *     seats that nobody took.
 * @param endTime When it ended.
 */
public record MatchEnd(Outcome outcome, Integer forfeitedSeat, ForfeitCause forfeitCause, AbortCause abortCause,
        List<Integer> absentSeats, fudaba.google.Timestamp endTime) implements Writable {
    /** Reads one, to its end. */
    public static MatchEnd read(Input input) throws IOException {
        Outcome outcome = null;
        Integer forfeitedSeat = null;
        ForfeitCause forfeitCause = ForfeitCause.UNSPECIFIED;
        AbortCause abortCause = AbortCause.UNSPECIFIED;
        List<Integer> absentSeats = new ArrayList<>();
        fudaba.google.Timestamp endTime = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); outcome = Outcome.read(input); input.leave(end); }
                case 2 -> forfeitedSeat = input.uint32();
                case 3 -> forfeitCause = ForfeitCause.of(input.int32());
                case 4 -> abortCause = AbortCause.of(input.int32());
                case 5 -> { for (int end = input.pack(); input.more(end);) absentSeats.add(input.uint32()); }
                case 6 -> { int end = input.enter(); endTime = fudaba.google.Timestamp.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new MatchEnd(outcome, forfeitedSeat, forfeitCause, abortCause, List.copyOf(absentSeats), endTime);
    }

    @Override
    public void write(Output output) throws IOException {
        output.message(1, outcome);
        if (forfeitedSeat != null) output.uint32(2, forfeitedSeat);
        if (forfeitCause.number() != 0) output.int32(3, forfeitCause.number());
        if (abortCause.number() != 0) output.int32(4, abortCause.number());
        output.uint32s(5, absentSeats);
        output.message(6, endTime);
    }
}
