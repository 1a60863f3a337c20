// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Something that happened in a Nerts match.
 *
 * @param kind Exactly one is set.
 */
public record NertsEvent(Kind kind) implements Event.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits NertsDealt, NertsFlipped, NertsSaw, NertsRecycled, NertsFounded, NertsBuilt,
            NertsShifted, NertsTucked, NertsCalled, NertsStocksTurned, NertsDealEnded {}

    /** Reads one, to its end. */
    public static NertsEvent read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = NertsDealt.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = NertsFlipped.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = NertsSaw.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = NertsRecycled.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); kind = NertsFounded.read(input); input.leave(end); }
                case 6 -> { int end = input.enter(); kind = NertsBuilt.read(input); input.leave(end); }
                case 7 -> { int end = input.enter(); kind = NertsShifted.read(input); input.leave(end); }
                case 8 -> { int end = input.enter(); kind = NertsTucked.read(input); input.leave(end); }
                case 9 -> { int end = input.enter(); kind = NertsCalled.read(input); input.leave(end); }
                case 10 -> { int end = input.enter(); kind = NertsStocksTurned.read(input); input.leave(end); }
                case 11 -> { int end = input.enter(); kind = NertsDealEnded.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new NertsEvent(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof NertsDealt one) {
            output.message(1, one);
        } else if (kind instanceof NertsFlipped one) {
            output.message(2, one);
        } else if (kind instanceof NertsSaw one) {
            output.message(3, one);
        } else if (kind instanceof NertsRecycled one) {
            output.message(4, one);
        } else if (kind instanceof NertsFounded one) {
            output.message(5, one);
        } else if (kind instanceof NertsBuilt one) {
            output.message(6, one);
        } else if (kind instanceof NertsShifted one) {
            output.message(7, one);
        } else if (kind instanceof NertsTucked one) {
            output.message(8, one);
        } else if (kind instanceof NertsCalled one) {
            output.message(9, one);
        } else if (kind instanceof NertsStocksTurned one) {
            output.message(10, one);
        } else if (kind instanceof NertsDealEnded one) {
            output.message(11, one);
        }
    }
}
