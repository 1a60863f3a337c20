// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Names the place that the next battle is for.
 *
 * @param place A place other than Eltam whose card is still on the table.
 */
public record NagaDesignate(NagaPlace place) implements NagaMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NagaDesignate read(Input input) throws IOException {
        NagaPlace place = NagaPlace.UNSPECIFIED;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> place = NagaPlace.of(input.int32());
                default -> input.skip();
            }
        }
        return new NagaDesignate(place);
    }

    @Override
    public void write(Output output) throws IOException {
        if (place.number() != 0) output.int32(1, place.number());
    }
}
