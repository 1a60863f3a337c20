// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat paid the difference to the highest bet.
 *
 * @param seat The seat.
 * @param points What it paid.
 */
public record NamtoCalled(int seat, int points) implements NamtoEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NamtoCalled read(Input input) throws IOException {
        int seat = 0;
        int points = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> points = input.uint32();
                default -> input.skip();
            }
        }
        return new NamtoCalled(seat, points);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (points != 0) output.uint32(2, points);
    }
}
