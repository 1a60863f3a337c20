// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Plays a card to a foundation.
 *
 * @param source Where it comes from.
 * @param foundation The foundation: one of its suit whose top card is one lower; for an ace the next free id.
 */
public record NertsFound(NertsSource source, int foundation) implements NertsMove.Kind, Writable {
    /** Reads one, to its end. */
    public static NertsFound read(Input input) throws IOException {
        NertsSource source = NertsSource.UNSPECIFIED;
        int foundation = 0;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> source = NertsSource.of(input.int32());
                case 2 -> foundation = input.uint32();
                default -> input.skip();
            }
        }
        return new NertsFound(source, foundation);
    }

    @Override
    public void write(Output output) throws IOException {
        if (source.number() != 0) output.int32(1, source.number());
        if (foundation != 0) output.uint32(2, foundation);
    }
}
