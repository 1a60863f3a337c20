// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * How much of a match a seat has seen.
 *
 * @param matchId The match.
 * @param seen The {@code seen} of the last update.
 * @param history The {@code history} of the last update. Without it, the service may not notice that the match was put
 *     back meanwhile and has gone on since.
 */
public record Seen(String matchId, int seen, int history) implements Writable {
    /** Reads one, to its end. */
    public static Seen read(Input input) throws IOException {
        String matchId = "";
        int seen = 0;
        int history = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> matchId = input.string();
                case 2 -> seen = input.uint32();
                case 3 -> history = input.uint32();
                default -> input.skip();
            }
        }
        return new Seen(matchId, seen, history);
    }

    @Override
    public void write(Output output) throws IOException {
        if (!matchId.isEmpty()) output.string(1, matchId);
        if (seen != 0) output.uint32(2, seen);
        if (history != 0) output.uint32(3, history);
    }
}
