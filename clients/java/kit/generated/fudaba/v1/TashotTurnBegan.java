// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat draws.
 *
 * @param seat The seat.
 * @param stock How many cards are left to draw after that.
 */
public record TashotTurnBegan(int seat, int stock) implements TashotEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static TashotTurnBegan read(Input input) throws IOException {
        int seat = 0;
        int stock = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> stock = input.uint32();
                default -> input.skip();
            }
        }
        return new TashotTurnBegan(seat, stock);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (stock != 0) output.uint32(2, stock);
    }
}
