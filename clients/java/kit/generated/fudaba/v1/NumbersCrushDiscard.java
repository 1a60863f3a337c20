// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Puts a card of the hand under the base, face up.
 *
 * @param card A card of the hand.
 */
public record NumbersCrushDiscard(NumbersCrushCard card) implements NumbersCrushMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NumbersCrushDiscard read(Input input) throws IOException {
        NumbersCrushCard card = NumbersCrushCard.NUMBERS_CRUSH_CARD_UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> card = NumbersCrushCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new NumbersCrushDiscard(card);
    }

    @Override
    public void write(Output output) throws IOException {
        if (card.number() != 0) output.int32(1, card.number());
    }
}
