// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A seat turned cards of its stock onto its waste.
 *
 * @param seat The seat.
 * @param count How many cards.
 * @param top The card that lies on top now.
 */
public record NertsFlipped(int seat, int count, NertsCard top) implements NertsEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NertsFlipped read(Input input) throws IOException {
        int seat = 0;
        int count = 0;
        NertsCard top = NertsCard.NERTS_CARD_UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> count = input.uint32();
                case 3 -> top = NertsCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new NertsFlipped(seat, count, top);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (count != 0) output.uint32(2, count);
        if (top.number() != 0) output.int32(3, top.number());
    }
}
