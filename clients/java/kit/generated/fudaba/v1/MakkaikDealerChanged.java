// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * The dealer folded, and the deal goes on.
 *
 * @param dealer The dealer from now on: the next seat that is still in.
 */
public record MakkaikDealerChanged(int dealer) implements MakkaikEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static MakkaikDealerChanged read(Input input) throws IOException {
        int dealer = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> dealer = input.uint32();
                default -> input.skip();
            }
        }
        return new MakkaikDealerChanged(dealer);
    }

    @Override
    public void write(Output output) throws IOException {
        if (dealer != 0) output.uint32(1, dealer);
    }
}
