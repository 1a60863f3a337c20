// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat gave a card to another.
 *
 * @param seat The seat that gave it.
 * @param to The seat that has it now.
 */
public record NumbersCrushGave(int seat, int to) implements NumbersCrushEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NumbersCrushGave read(Input input) throws IOException {
        int seat = 0;
        int to = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> to = input.uint32();
                default -> input.skip();
            }
        }
        return new NumbersCrushGave(seat, to);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (to != 0) output.uint32(2, to);
    }
}
