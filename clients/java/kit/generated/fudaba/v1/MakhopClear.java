// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Lays a ship, king or emperor. All roads and this card vanish, then two new roads start.
 *
 * @param card The card.
 */
public record MakhopClear(KamikisenCard card) implements MakhopMove.Kind, Writable {
    /** Reads one, to its end. */
    public static MakhopClear read(Input input) throws IOException {
        KamikisenCard card = KamikisenCard.UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> card = KamikisenCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new MakhopClear(card);
    }

    @Override
    public void write(Output output) throws IOException {
        if (card.number() != 0) output.int32(1, card.number());
    }
}
