// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat moved cards from one of its work piles to another.
 *
 * @param seat The seat.
 * @param fromWork The work pile that the cards left.
 * @param count How many cards.
 * @param toWork The work pile that they went to.
 */
public record NertsShifted(int seat, int fromWork, int count, int toWork) implements NertsEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NertsShifted read(Input input) throws IOException {
        int seat = 0;
        int fromWork = 0;
        int count = 0;
        int toWork = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> fromWork = input.uint32();
                case 3 -> count = input.uint32();
                case 4 -> toWork = input.uint32();
                default -> input.skip();
            }
        }
        return new NertsShifted(seat, fromWork, count, toWork);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (fromWork != 0) output.uint32(2, fromWork);
        if (count != 0) output.uint32(3, count);
        if (toWork != 0) output.uint32(4, toWork);
    }
}
