// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Every seat has exchanged, and has paid 1.
 *
 * @param pot What is in the pot.
 */
public record MakkaikBettingBegan(int pot) implements MakkaikEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static MakkaikBettingBegan read(Input input) throws IOException {
        int pot = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> pot = input.uint32();
                default -> input.skip();
            }
        }
        return new MakkaikBettingBegan(pot);
    }

    @Override
    public void write(Output output) throws IOException {
        if (pot != 0) output.uint32(1, pot);
    }
}
