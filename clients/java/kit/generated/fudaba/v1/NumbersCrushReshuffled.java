// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * The cards under the base were shuffled into a new stock.
 *
 * @param count How many cards the new stock has.
 */
public record NumbersCrushReshuffled(int count) implements NumbersCrushEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NumbersCrushReshuffled read(Input input) throws IOException {
        int count = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> count = input.uint32();
                default -> input.skip();
            }
        }
        return new NumbersCrushReshuffled(count);
    }

    @Override
    public void write(Output output) throws IOException {
        if (count != 0) output.uint32(1, count);
    }
}
