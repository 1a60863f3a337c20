// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/** The bot begins matches again. */
public record Resume() implements PlayRequest.Message, Writable {
    /** Reads one, to its end. */
    public static Resume read(Input input) throws IOException {
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                default -> input.skip();
            }
        }
        return new Resume();
    }

    @Override
    public void write(Output output) throws IOException {
    }
}
