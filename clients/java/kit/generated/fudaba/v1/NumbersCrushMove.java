// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * One move of Numbers Crush. Text: {@code skip}, {@code draw}, {@code pass}, {@code set 3C 5D}, {@code set 8H X1=8},
 * {@code set X1=joker}, {@code set TH=A}, {@code set 9C to H}, {@code decline}, {@code discard 2C}, {@code give 2C 3},
 * {@code zero_out}, {@code counter}.
 *
 * @param kind Exactly one kind must be set.
 */
public record NumbersCrushMove(Kind kind) implements Move.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits NumbersCrushSkip, NumbersCrushDraw, NumbersCrushPass, NumbersCrushSet,
            NumbersCrushDecline, NumbersCrushDiscard, NumbersCrushGive, NumbersCrushZeroOut, NumbersCrushCounter {}

    /** Reads one, to its end. */
    public static NumbersCrushMove read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = NumbersCrushSkip.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = NumbersCrushDraw.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = NumbersCrushPass.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = NumbersCrushSet.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); kind = NumbersCrushDecline.read(input); input.leave(end); }
                case 6 -> { int end = input.enter(); kind = NumbersCrushDiscard.read(input); input.leave(end); }
                case 7 -> { int end = input.enter(); kind = NumbersCrushGive.read(input); input.leave(end); }
                case 8 -> { int end = input.enter(); kind = NumbersCrushZeroOut.read(input); input.leave(end); }
                case 9 -> { int end = input.enter(); kind = NumbersCrushCounter.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new NumbersCrushMove(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof NumbersCrushSkip one) {
            output.message(1, one);
        } else if (kind instanceof NumbersCrushDraw one) {
            output.message(2, one);
        } else if (kind instanceof NumbersCrushPass one) {
            output.message(3, one);
        } else if (kind instanceof NumbersCrushSet one) {
            output.message(4, one);
        } else if (kind instanceof NumbersCrushDecline one) {
            output.message(5, one);
        } else if (kind instanceof NumbersCrushDiscard one) {
            output.message(6, one);
        } else if (kind instanceof NumbersCrushGive one) {
            output.message(7, one);
        } else if (kind instanceof NumbersCrushZeroOut one) {
            output.message(8, one);
        } else if (kind instanceof NumbersCrushCounter one) {
            output.message(9, one);
        }
    }
}
