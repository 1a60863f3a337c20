// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * One move of Tashot. Text: {@code decline}, {@code discard r7}, {@code four r3 r3 b3 b3}, {@code win},
 * {@code call r3 r4 r5}, cards in any order. Where a ship leaves the strength of a run open, it follows:
 * {@code call rS r3 r4 as 5}.
 *
 * @param kind Exactly one kind must be set.
 */
public record TashotMove(Kind kind) implements Move.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits TashotDecline, TashotDiscard, TashotFour, TashotWin, TashotCall {}

    /** Reads one, to its end. */
    public static TashotMove read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = TashotDecline.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = TashotDiscard.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = TashotFour.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = TashotWin.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); kind = TashotCall.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new TashotMove(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof TashotDecline one) {
            output.message(1, one);
        } else if (kind instanceof TashotDiscard one) {
            output.message(2, one);
        } else if (kind instanceof TashotFour one) {
            output.message(3, one);
        } else if (kind instanceof TashotWin one) {
            output.message(4, one);
        } else if (kind instanceof TashotCall one) {
            output.message(5, one);
        }
    }
}
