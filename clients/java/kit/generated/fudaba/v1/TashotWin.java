// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/** Wins the deal. */
public record TashotWin() implements TashotMove.Kind, Writable {
    /** Reads one, to its end. */
    public static TashotWin read(Input input) throws IOException {
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                default -> input.skip();
            }
        }
        return new TashotWin();
    }

    @Override
    public void write(Output output) throws IOException {
    }
}
