// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Asks for a pong.
 *
 * @param id Comes back in the pong.
 */
public record Ping(long id) implements PlayResponse.Message, Writable {
    /** Reads one, to its end. */
    public static Ping read(Input input) throws IOException {
        long id = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> id = input.uint64();
                default -> input.skip();
            }
        }
        return new Ping(id);
    }

    @Override
    public void write(Output output) throws IOException {
        if (id != 0) output.uint64(1, id);
    }
}
