// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Stays in.
 *
 * @param base For the dealer: the base, 1 to 5, which it pays. For the others, who pay the base: absent or 0.
 */
public record MakkaikStay(int base) implements MakkaikMove.Kind, Writable {
    /** Reads one, to its end. */
    public static MakkaikStay read(Input input) throws IOException {
        int base = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> base = input.uint32();
                default -> input.skip();
            }
        }
        return new MakkaikStay(base);
    }

    @Override
    public void write(Output output) throws IOException {
        if (base != 0) output.uint32(1, base);
    }
}
