// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A shared card was opened. The next round begins, if anybody can still bet.
 *
 * @param card The card.
 */
public record NamtoOpened(KamikisenCard card) implements NamtoEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NamtoOpened read(Input input) throws IOException {
        KamikisenCard card = KamikisenCard.UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> card = KamikisenCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new NamtoOpened(card);
    }

    @Override
    public void write(Output output) throws IOException {
        if (card.number() != 0) output.int32(1, card.number());
    }
}
