// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/** The move {@code nerts}: calls "Nerts!". Only for an empty Nerts pile. */
public record NertsCall() implements NertsMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NertsCall read(Input input) throws IOException {
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                default -> input.skip();
            }
        }
        return new NertsCall();
    }

    @Override
    public void write(Output output) throws IOException {
    }
}
