// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * A place was designated.
 *
 * @param seat The seat that designated.
 * @param place The place.
 */
public record NagaDesignated(int seat, NagaPlace place) implements NagaEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NagaDesignated read(Input input) throws IOException {
        int seat = 0;
        NagaPlace place = NagaPlace.UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> seat = input.uint32();
                case 2 -> place = NagaPlace.of(input.int32());
                default -> input.skip();
            }
        }
        return new NagaDesignated(seat, place);
    }

    @Override
    public void write(Output output) throws IOException {
        if (seat != 0) output.uint32(1, seat);
        if (place.number() != 0) output.int32(2, place.number());
    }
}
