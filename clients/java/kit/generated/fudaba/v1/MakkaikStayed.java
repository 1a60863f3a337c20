// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat stayed.
 *
 * @param seat The seat.
 * @param base What it paid: the base.
 */
public record MakkaikStayed(int seat, int base) implements MakkaikEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static MakkaikStayed read(Input input) throws IOException {
        int seat = 0;
        int base = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> base = input.uint32();
                default -> input.skip();
            }
        }
        return new MakkaikStayed(seat, base);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (base != 0) output.uint32(2, base);
    }
}
