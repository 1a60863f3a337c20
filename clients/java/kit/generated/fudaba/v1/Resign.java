// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Resigns a match: a forfeit.
 *
 * @param matchId The match.
 */
public record Resign(String matchId) implements PlayRequest.Message, Writable {
    /** Reads one, to its end. */
    public static Resign read(Input input) throws IOException {
        String matchId = "";
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> matchId = input.string();
                default -> input.skip();
            }
        }
        return new Resign(matchId);
    }

    @Override
    public void write(Output output) throws IOException {
        if (!matchId.isEmpty()) output.string(1, matchId);
    }
}
