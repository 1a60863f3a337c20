// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat put cards aside, face down.
 *
 * @param seat The seat.
 * @param count How many.
 */
public record MokkaikDiscarded(int seat, int count) implements MokkaikEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static MokkaikDiscarded read(Input input) throws IOException {
        int seat = 0;
        int count = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> count = input.uint32();
                default -> input.skip();
            }
        }
        return new MokkaikDiscarded(seat, count);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (count != 0) output.uint32(2, count);
    }
}
