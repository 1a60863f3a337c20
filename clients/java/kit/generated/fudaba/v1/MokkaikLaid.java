// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat laid a meld.
 *
 * @param seat The seat.
 * @param meld The meld, form and strength always set.
 */
public record MokkaikLaid(int seat, KamikisenMeld meld) implements MokkaikEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static MokkaikLaid read(Input input) throws IOException {
        int seat = 0;
        KamikisenMeld meld = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> { int end = input.enter(); meld = KamikisenMeld.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new MokkaikLaid(seat, meld);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        output.message(2, meld);
    }
}
