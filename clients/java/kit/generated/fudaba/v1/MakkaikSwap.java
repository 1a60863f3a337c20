// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Swaps a card of the hand with a public card.
 *
 * @param given A card of the hand. It becomes public.
 * @param taken A public card. It comes into the hand.
 */
public record MakkaikSwap(KamikisenCard given, KamikisenCard taken) implements MakkaikMove.Kind, Writable {
    /** Reads one, to its end. */
    public static MakkaikSwap read(Input input) throws IOException {
        KamikisenCard given = KamikisenCard.UNSPECIFIED;
        KamikisenCard taken = KamikisenCard.UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> given = KamikisenCard.of(input.int32());
                case 2 -> taken = KamikisenCard.of(input.int32());
                default -> input.skip();
            }
        }
        return new MakkaikSwap(given, taken);
    }

    @Override
    public void write(Output output) throws IOException {
        if (given.number() != 0) output.int32(1, given.number());
        if (taken.number() != 0) output.int32(2, taken.number());
    }
}
