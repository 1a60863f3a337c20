// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * The named card was played, so that everyone knows the adjutant.
 *
 * @param adjutant The adjutant; Napoleon's own seat if Napoleon plays alone.
 */
public record NapoleonRevealed(int adjutant) implements NapoleonEvent.Kind, Writable {
    /** Reads one, to its end. */
    public static NapoleonRevealed read(Input input) throws IOException {
        int adjutant = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> adjutant = input.uint32();
                default -> input.skip();
            }
        }
        return new NapoleonRevealed(adjutant);
    }

    @Override
    public void write(Output output) throws IOException {
        if (adjutant != 0) output.uint32(1, adjutant);
    }
}
