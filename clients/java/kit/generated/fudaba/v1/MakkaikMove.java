// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * One move of Makkaik. Text: {@code swap r7 b3}, {@code draw}, {@code keep r3 b7}, {@code fold}, {@code stay},
 * {@code stay 3}.
 *
 * @param kind Exactly one kind must be set.
 */
public record MakkaikMove(Kind kind) implements Move.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits MakkaikSwap, MakkaikDraw, MakkaikKeep, MakkaikFold, MakkaikStay {}

    /** Reads one, to its end. */
    public static MakkaikMove read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = MakkaikSwap.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = MakkaikDraw.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = MakkaikKeep.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = MakkaikFold.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); kind = MakkaikStay.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new MakkaikMove(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof MakkaikSwap one) {
            output.message(1, one);
        } else if (kind instanceof MakkaikDraw one) {
            output.message(2, one);
        } else if (kind instanceof MakkaikKeep one) {
            output.message(3, one);
        } else if (kind instanceof MakkaikFold one) {
            output.message(4, one);
        } else if (kind instanceof MakkaikStay one) {
            output.message(5, one);
        }
    }
}
