// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/** Turns three cards of the stock, or the one or two that are left, onto the waste. Not for an empty stock. */
public record NertsFlip() implements NertsMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NertsFlip read(Input input) throws IOException {
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                default -> input.skip();
            }
        }
        return new NertsFlip();
    }

    @Override
    public void write(Output output) throws IOException {
    }
}
