// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * One move of Nerts: one movement of the hand. Text: {@code wait}, {@code flip}, {@code recycle},
 * {@code found nerts 0}, {@code found work2 5}, {@code build waste 2}, {@code shift 0 3 1} (from, cards, to),
 * {@code tuck 1}, {@code nerts}.
 *
 * @param kind Exactly one kind must be set.
 */
public record NertsMove(Kind kind) implements Move.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits NertsWait, NertsFlip, NertsRecycle, NertsFound, NertsBuild, NertsShift,
            NertsTuck, NertsCall {}

    /** Reads one, to its end. */
    public static NertsMove read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = NertsWait.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = NertsFlip.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = NertsRecycle.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = NertsFound.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); kind = NertsBuild.read(input); input.leave(end); }
                case 6 -> { int end = input.enter(); kind = NertsShift.read(input); input.leave(end); }
                case 7 -> { int end = input.enter(); kind = NertsTuck.read(input); input.leave(end); }
                case 8 -> { int end = input.enter(); kind = NertsCall.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new NertsMove(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof NertsWait one) {
            output.message(1, one);
        } else if (kind instanceof NertsFlip one) {
            output.message(2, one);
        } else if (kind instanceof NertsRecycle one) {
            output.message(3, one);
        } else if (kind instanceof NertsFound one) {
            output.message(4, one);
        } else if (kind instanceof NertsBuild one) {
            output.message(5, one);
        } else if (kind instanceof NertsShift one) {
            output.message(6, one);
        } else if (kind instanceof NertsTuck one) {
            output.message(7, one);
        } else if (kind instanceof NertsCall one) {
            output.message(8, one);
        }
    }
}
