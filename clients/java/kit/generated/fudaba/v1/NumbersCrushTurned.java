// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A card was turned for the first base. A joker goes under it, and the next card is turned.
 *
 * @param card The card.
 */
public record NumbersCrushTurned(NumbersCrushCard card) implements NumbersCrushEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NumbersCrushTurned read(Input input) throws IOException {
        NumbersCrushCard card = NumbersCrushCard.NUMBERS_CRUSH_CARD_UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> card = NumbersCrushCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new NumbersCrushTurned(card);
    }

    @Override
    public void write(Output output) throws IOException {
        if (card.number() != 0) output.int32(1, card.number());
    }
}
