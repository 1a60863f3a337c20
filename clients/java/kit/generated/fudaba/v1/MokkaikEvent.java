// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Something that happened in a Mokkaik match.
 *
 * @param kind Exactly one is set.
 */
public record MokkaikEvent(Kind kind) implements Event.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits MokkaikDealt, MokkaikReceived, MokkaikLaid, MokkaikDiscarded, MokkaikRoundWon,
            MokkaikDealEnded {}

    /** Reads one, to its end. */
    public static MokkaikEvent read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = MokkaikDealt.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = MokkaikReceived.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = MokkaikLaid.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = MokkaikDiscarded.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); kind = MokkaikRoundWon.read(input); input.leave(end); }
                case 6 -> { int end = input.enter(); kind = MokkaikDealEnded.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new MokkaikEvent(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof MokkaikDealt one) {
            output.message(1, one);
        } else if (kind instanceof MokkaikReceived one) {
            output.message(2, one);
        } else if (kind instanceof MokkaikLaid one) {
            output.message(3, one);
        } else if (kind instanceof MokkaikDiscarded one) {
            output.message(4, one);
        } else if (kind instanceof MokkaikRoundWon one) {
            output.message(5, one);
        } else if (kind instanceof MokkaikDealEnded one) {
            output.message(6, one);
        }
    }
}
