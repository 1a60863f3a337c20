// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat declined to give or discard more cards, to make an extra set, or to set penalty cards.
 *
 * @param seat The seat.
 */
public record NumbersCrushDeclined(int seat) implements NumbersCrushEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NumbersCrushDeclined read(Input input) throws IOException {
        int seat = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                default -> input.skip();
            }
        }
        return new NumbersCrushDeclined(seat);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
    }
}
