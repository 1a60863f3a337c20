// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Something that happened in a Houniek match.
 *
 * @param kind Exactly one is set.
 */
public record HouniekEvent(Kind kind) implements Event.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits HouniekDealt, HouniekReceived, HouniekRoundBegan, HouniekLaid, HouniekPassed,
            HouniekDealEnded {}

    /** Reads one, to its end. */
    public static HouniekEvent read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = HouniekDealt.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = HouniekReceived.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = HouniekRoundBegan.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = HouniekLaid.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); kind = HouniekPassed.read(input); input.leave(end); }
                case 6 -> { int end = input.enter(); kind = HouniekDealEnded.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new HouniekEvent(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof HouniekDealt one) {
            output.message(1, one);
        } else if (kind instanceof HouniekReceived one) {
            output.message(2, one);
        } else if (kind instanceof HouniekRoundBegan one) {
            output.message(3, one);
        } else if (kind instanceof HouniekLaid one) {
            output.message(4, one);
        } else if (kind instanceof HouniekPassed one) {
            output.message(5, one);
        } else if (kind instanceof HouniekDealEnded one) {
            output.message(6, one);
        }
    }
}
