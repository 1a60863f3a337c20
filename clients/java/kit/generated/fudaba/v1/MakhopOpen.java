// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Lays no card. The top of the stock starts a new road, unless there are as many roads as the option {@code max_roads}
 * allows, or no cards.
 */
public record MakhopOpen() implements MakhopMove.Kind, Writable {
    /** Reads one, to its end. */
    public static MakhopOpen read(Input input) throws IOException {
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                default -> input.skip();
            }
        }
        return new MakhopOpen();
    }

    @Override
    public void write(Output output) throws IOException {
    }
}
