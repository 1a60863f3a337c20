// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Names the card whose holder is adjutant.
 *
 * @param card Any of the 52 cards. With a card of its own hand, or a buried one, Napoleon plays alone against four.
 */
public record NapoleonName(NapoleonCard card) implements NapoleonMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NapoleonName read(Input input) throws IOException {
        NapoleonCard card = NapoleonCard.NAPOLEON_CARD_UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> card = NapoleonCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new NapoleonName(card);
    }

    @Override
    public void write(Output output) throws IOException {
        if (card.number() != 0) output.int32(1, card.number());
    }
}
