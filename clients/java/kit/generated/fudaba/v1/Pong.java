// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Answers a ping, without delay.
 *
 * @param id The ping's id.
 */
public record Pong(long id) implements PlayRequest.Message, Writable {
    /** Reads one, to its end. */
    public static Pong read(Input input) throws IOException {
        long id = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> id = input.uint64();
                default -> input.skip();
            }
        }
        return new Pong(id);
    }

    @Override
    public void write(Output output) throws IOException {
        if (id != 0) output.uint64(1, id);
    }
}
