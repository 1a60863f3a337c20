// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A turn begins.
 *
 * @param seat The seat.
 * @param number The number of the turn in its deal, from 1.
 */
public record NumbersCrushTurnBegan(int seat, int number) implements NumbersCrushEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NumbersCrushTurnBegan read(Input input) throws IOException {
        int seat = 0;
        int number = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> number = input.uint32();
                default -> input.skip();
            }
        }
        return new NumbersCrushTurnBegan(seat, number);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (number != 0) output.uint32(2, number);
    }
}
