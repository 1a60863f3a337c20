// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * The cards were thrown in; the same dealer deals again.
 *
 * @param deal The number of the deal, from 0.
 */
public record NapoleonThrownIn(int deal) implements NapoleonEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NapoleonThrownIn read(Input input) throws IOException {
        int deal = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                default -> input.skip();
            }
        }
        return new NapoleonThrownIn(deal);
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
    }
}
