// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * The dealer stayed.
 *
 * @param seat The dealer.
 * @param round The round, from 0.
 * @param base The base.
 */
public record MakkaikBaseNamed(int seat, int round, int base) implements MakkaikEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static MakkaikBaseNamed read(Input input) throws IOException {
        int seat = 0;
        int round = 0;
        int base = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> round = input.uint32();
                case 3 -> base = input.uint32();
                default -> input.skip();
            }
        }
        return new MakkaikBaseNamed(seat, round, base);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (round != 0) output.uint32(2, round);
        if (base != 0) output.uint32(3, base);
    }
}
