// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * One move of Houniek. Text: {@code pass}, {@code single r7}, {@code run r8 bK rT}, {@code set r3 b3}, cards in any
 * order. Where a none leaves the foot open, or all eleven kinds are in a run, it follows: {@code single r0 foot K},
 * {@code run r0 r3 foot 2}.
 *
 * @param kind Exactly one kind must be set.
 */
public record HouniekMove(Kind kind) implements Move.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits HouniekPass, HouniekLay {}

    /** Reads one, to its end. */
    public static HouniekMove read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = HouniekPass.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = HouniekLay.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new HouniekMove(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof HouniekPass one) {
            output.message(1, one);
        } else if (kind instanceof HouniekLay one) {
            output.message(2, one);
        }
    }
}
