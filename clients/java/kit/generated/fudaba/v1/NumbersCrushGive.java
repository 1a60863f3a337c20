// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Gives a card of the hand to another seat, face down.
 *
 * @param card A card of the hand.
 * @param to The other seat.
 */
public record NumbersCrushGive(NumbersCrushCard card, int to) implements NumbersCrushMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NumbersCrushGive read(Input input) throws IOException {
        NumbersCrushCard card = NumbersCrushCard.NUMBERS_CRUSH_CARD_UNSPECIFIED;
        int to = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> card = NumbersCrushCard.of(input.int32());
                case 2 -> to = input.uint32();
                default -> input.skip();
            }
        }
        return new NumbersCrushGive(card, to);
    }

    @Override
    public void write(Output output) throws IOException {
        if (card.number() != 0) output.int32(1, card.number());
        if (to != 0) output.uint32(2, to);
    }
}
