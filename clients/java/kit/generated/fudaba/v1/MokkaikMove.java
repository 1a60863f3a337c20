// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * One move of Mokkaik. Text: {@code single r7}, {@code set r3 b3}, {@code run r3 r4 r5}, {@code discard r1 b8}, cards
 * in any order. Where a ship leaves the strength open, it follows: {@code single rS as K}, {@code run rS r3 r4 as 5}.
 *
 * @param kind Exactly one kind must be set.
 */
public record MokkaikMove(Kind kind) implements Move.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits MokkaikLay, MokkaikDiscard {}

    /** Reads one, to its end. */
    public static MokkaikMove read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = MokkaikLay.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = MokkaikDiscard.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new MokkaikMove(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof MokkaikLay one) {
            output.message(1, one);
        } else if (kind instanceof MokkaikDiscard one) {
            output.message(2, one);
        }
    }
}
