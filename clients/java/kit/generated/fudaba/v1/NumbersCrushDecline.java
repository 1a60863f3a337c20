// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/** Does not do what may be done now. */
public record NumbersCrushDecline() implements NumbersCrushMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NumbersCrushDecline read(Input input) throws IOException {
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                default -> input.skip();
            }
        }
        return new NumbersCrushDecline();
    }

    @Override
    public void write(Output output) throws IOException {
    }
}
