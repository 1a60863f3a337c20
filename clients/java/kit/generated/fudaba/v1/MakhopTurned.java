// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A card of the stock was turned up. It starts a road, the last one.
 *
 * @param card The card.
 */
public record MakhopTurned(KamikisenCard card) implements MakhopEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static MakhopTurned read(Input input) throws IOException {
        KamikisenCard card = KamikisenCard.UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> card = KamikisenCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new MakhopTurned(card);
    }

    @Override
    public void write(Output output) throws IOException {
        if (card.number() != 0) output.int32(1, card.number());
    }
}
