// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Bids to take this number of honours with the adjutant: a higher number than the last bid, or the same and a higher
 * suit.
 *
 * @param number 13 to 20.
 * @param suit The trump, or no-trump.
 */
public record NapoleonBid(int number, NapoleonSuit suit) implements NapoleonMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NapoleonBid read(Input input) throws IOException {
        int number = 0;
        NapoleonSuit suit = NapoleonSuit.UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> number = input.uint32();
                case 2 -> suit = NapoleonSuit.of(input.int32());
                default -> input.skip();
            }
        }
        return new NapoleonBid(number, suit);
    }

    @Override
    public void write(Output output) throws IOException {
        if (number != 0) output.uint32(1, number);
        if (suit.number() != 0) output.int32(2, suit.number());
    }
}
