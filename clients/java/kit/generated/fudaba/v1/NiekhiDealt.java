// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A deal began.
 *
 * @param deal The number of the deal, from 0.
 * @param dealer The seat that deals, and leads.
 * @param handSize How many cards every seat has.
 */
public record NiekhiDealt(int deal, int dealer, int handSize) implements NiekhiEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NiekhiDealt read(Input input) throws IOException {
        int deal = 0;
        int dealer = 0;
        int handSize = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> dealer = input.uint32();
                case 3 -> handSize = input.uint32();
                default -> input.skip();
            }
        }
        return new NiekhiDealt(deal, dealer, handSize);
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        if (dealer != 0) output.uint32(2, dealer);
        if (handSize != 0) output.uint32(3, handSize);
    }
}
