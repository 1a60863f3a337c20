// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat folded.
 *
 * @param seat The seat.
 */
public record NamtoFolded(int seat) implements NamtoEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NamtoFolded read(Input input) throws IOException {
        int seat = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                default -> input.skip();
            }
        }
        return new NamtoFolded(seat);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
    }
}
