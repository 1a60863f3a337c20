// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Bets.
 *
 * @param points What is paid into the pot: at least as much as was bet last in the round, and at most what the view
 *     says.
 */
public record NamtoBet(int points) implements NamtoMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NamtoBet read(Input input) throws IOException {
        int points = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> points = input.uint32();
                default -> input.skip();
            }
        }
        return new NamtoBet(points);
    }

    @Override
    public void write(Output output) throws IOException {
        if (points != 0) output.uint32(1, points);
    }
}
