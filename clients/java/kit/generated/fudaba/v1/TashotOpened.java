// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat laid a meld open.
 *
 * @param seat The seat.
 * @param source The seat whose discard was called; absent for a set of four from the hand.
 * @param meld The meld, form and strength always set.
 */
public record TashotOpened(int seat, Integer source, KamikisenMeld meld) implements TashotEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static TashotOpened read(Input input) throws IOException {
        int seat = 0;
        Integer source = null;
        KamikisenMeld meld = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> source = input.uint32();
                case 3 -> { int end = input.enter(); meld = KamikisenMeld.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new TashotOpened(seat, source, meld);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (source != null) output.uint32(2, source);
        output.message(3, meld);
    }
}
