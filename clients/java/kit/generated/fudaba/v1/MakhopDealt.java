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
 * @param dealer The seat that deals, and moves first.
 */
public record MakhopDealt(int deal, int dealer) implements MakhopEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static MakhopDealt read(Input input) throws IOException {
        int deal = 0;
        int dealer = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> deal = input.uint32();
                case 2 -> dealer = input.uint32();
                default -> input.skip();
            }
        }
        return new MakhopDealt(deal, dealer);
    }

    @Override
    public void write(Output output) throws IOException {
        if (deal != 0) output.uint32(1, deal);
        if (dealer != 0) output.uint32(2, dealer);
    }
}
