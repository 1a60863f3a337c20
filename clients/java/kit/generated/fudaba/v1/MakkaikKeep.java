// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Keeps a drawn card. The other drawn card, and the card given for it, become public.
 *
 * @param kept One of the two drawn cards.
 * @param given A card of the hand.
 */
public record MakkaikKeep(KamikisenCard kept, KamikisenCard given) implements MakkaikMove.Kind, Writable {
    /** Reads one, to its end. */
    public static MakkaikKeep read(Input input) throws IOException {
        KamikisenCard kept = KamikisenCard.UNSPECIFIED;
        KamikisenCard given = KamikisenCard.UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> kept = KamikisenCard.of(input.int32());
                case 2 -> given = KamikisenCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new MakkaikKeep(kept, given);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kept.number() != 0) output.int32(1, kept.number());
        if (given.number() != 0) output.int32(2, given.number());
    }
}
