// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Plays a card to the trick.
 *
 * @param card A card of the hand; of the suit that was led, as printed on the card, if the hand has one.
 */
public record NapoleonPlay(NapoleonCard card) implements NapoleonMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NapoleonPlay read(Input input) throws IOException {
        NapoleonCard card = NapoleonCard.NAPOLEON_CARD_UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> card = NapoleonCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new NapoleonPlay(card);
    }

    @Override
    public void write(Output output) throws IOException {
        if (card.number() != 0) output.int32(1, card.number());
    }
}
