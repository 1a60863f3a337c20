// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Moves the last cards of a work pile together, where a single card could be laid.
 *
 * @param fromWork The work pile that they leave.
 * @param count How many cards. Not the whole pile to an empty one.
 * @param toWork The work pile that they go to.
 */
public record NertsShift(int fromWork, int count, int toWork) implements NertsMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NertsShift read(Input input) throws IOException {
        int fromWork = 0;
        int count = 0;
        int toWork = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> fromWork = input.uint32();
                case 2 -> count = input.uint32();
                case 3 -> toWork = input.uint32();
                default -> input.skip();
            }
        }
        return new NertsShift(fromWork, count, toWork);
    }

    @Override
    public void write(Output output) throws IOException {
        if (fromWork != 0) output.uint32(1, fromWork);
        if (count != 0) output.uint32(2, count);
        if (toWork != 0) output.uint32(3, toWork);
    }
}
