// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Discards a card.
 *
 * @param card A card of the hand.
 */
public record TashotDiscard(KamikisenCard card) implements TashotMove.Kind, Writable {
    /** Reads one, to its end. */
    public static TashotDiscard read(Input input) throws IOException {
        KamikisenCard card = KamikisenCard.UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> card = KamikisenCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new TashotDiscard(card);
    }

    @Override
    public void write(Output output) throws IOException {
        if (card.number() != 0) output.int32(1, card.number());
    }
}
