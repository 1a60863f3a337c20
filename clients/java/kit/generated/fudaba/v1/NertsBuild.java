// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Lays a card on a work pile whose last card is one higher and of the other colour, or on an empty one.
 *
 * @param source The Nerts pile or the waste.
 * @param work The work pile.
 */
public record NertsBuild(NertsSource source, int work) implements NertsMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NertsBuild read(Input input) throws IOException {
        NertsSource source = NertsSource.UNSPECIFIED;
        int work = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> source = NertsSource.of(input.int32());
                case 2 -> work = input.uint32();
                default -> input.skip();
            }
        }
        return new NertsBuild(source, work);
    }

    @Override
    public void write(Output output) throws IOException {
        if (source.number() != 0) output.int32(1, source.number());
        if (work != 0) output.uint32(2, work);
    }
}
