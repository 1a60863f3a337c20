// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat discarded.
 *
 * @param seat The seat.
 * @param card The card.
 */
public record TashotDiscarded(int seat, KamikisenCard card) implements TashotEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static TashotDiscarded read(Input input) throws IOException {
        int seat = 0;
        KamikisenCard card = KamikisenCard.UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> card = KamikisenCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new TashotDiscarded(seat, card);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (card.number() != 0) output.int32(2, card.number());
    }
}
