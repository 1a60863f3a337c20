// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/** Turns the waste over to be the stock. Only for an empty stock. */
public record NertsRecycle() implements NertsMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NertsRecycle read(Input input) throws IOException {
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                default -> input.skip();
            }
        }
        return new NertsRecycle();
    }

    @Override
    public void write(Output output) throws IOException {
    }
}
