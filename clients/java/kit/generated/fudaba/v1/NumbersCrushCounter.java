// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Counters a zero-out with cards that make the base's number. The move does not say which: the first that do are shown.
 */
public record NumbersCrushCounter() implements NumbersCrushMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NumbersCrushCounter read(Input input) throws IOException {
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                default -> input.skip();
            }
        }
        return new NumbersCrushCounter();
    }

    @Override
    public void write(Output output) throws IOException {
    }
}
