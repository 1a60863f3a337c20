// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Slides the top card of the Nerts pile under a work pile whose first card is one lower and of the other colour. Only
 * while some work pile is empty.
 *
 * @param work The work pile.
 */
public record NertsTuck(int work) implements NertsMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NertsTuck read(Input input) throws IOException {
        int work = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> work = input.uint32();
                default -> input.skip();
            }
        }
        return new NertsTuck(work);
    }

    @Override
    public void write(Output output) throws IOException {
        if (work != 0) output.uint32(1, work);
    }
}
