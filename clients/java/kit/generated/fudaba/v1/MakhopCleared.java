// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat cleared the roads.
 *
 * @param seat The seat.
 * @param card The ship, king or emperor that it laid, which has vanished too.
 */
public record MakhopCleared(int seat, KamikisenCard card) implements MakhopEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static MakhopCleared read(Input input) throws IOException {
        int seat = 0;
        KamikisenCard card = KamikisenCard.UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> card = KamikisenCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new MakhopCleared(seat, card);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (card.number() != 0) output.int32(2, card.number());
    }
}
