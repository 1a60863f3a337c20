// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Something that happened in a Numbers Crush match.
 *
 * @param kind Exactly one is set.
 */
public record NumbersCrushEvent(Kind kind) implements Event.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits NumbersCrushDealt, NumbersCrushReceived, NumbersCrushTurned,
            NumbersCrushTurnBegan, NumbersCrushDrew, NumbersCrushSkipped, NumbersCrushPassed, NumbersCrushWereSet,
            NumbersCrushDeclined, NumbersCrushDiscarded, NumbersCrushGave, NumbersCrushHanded, NumbersCrushPenalised,
            NumbersCrushReshuffled, NumbersCrushZeroedOut, NumbersCrushCountered, NumbersCrushDealEnded {}

    /** Reads one, to its end. */
    public static NumbersCrushEvent read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = NumbersCrushDealt.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = NumbersCrushReceived.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = NumbersCrushTurned.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = NumbersCrushTurnBegan.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); kind = NumbersCrushDrew.read(input); input.leave(end); }
                case 6 -> { int end = input.enter(); kind = NumbersCrushSkipped.read(input); input.leave(end); }
                case 7 -> { int end = input.enter(); kind = NumbersCrushPassed.read(input); input.leave(end); }
                case 8 -> { int end = input.enter(); kind = NumbersCrushWereSet.read(input); input.leave(end); }
                case 9 -> { int end = input.enter(); kind = NumbersCrushDeclined.read(input); input.leave(end); }
                case 10 -> { int end = input.enter(); kind = NumbersCrushDiscarded.read(input); input.leave(end); }
                case 11 -> { int end = input.enter(); kind = NumbersCrushGave.read(input); input.leave(end); }
                case 12 -> { int end = input.enter(); kind = NumbersCrushHanded.read(input); input.leave(end); }
                case 13 -> { int end = input.enter(); kind = NumbersCrushPenalised.read(input); input.leave(end); }
                case 14 -> { int end = input.enter(); kind = NumbersCrushReshuffled.read(input); input.leave(end); }
                case 15 -> { int end = input.enter(); kind = NumbersCrushZeroedOut.read(input); input.leave(end); }
                case 16 -> { int end = input.enter(); kind = NumbersCrushCountered.read(input); input.leave(end); }
                case 17 -> { int end = input.enter(); kind = NumbersCrushDealEnded.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new NumbersCrushEvent(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof NumbersCrushDealt one) {
            output.message(1, one);
        } else if (kind instanceof NumbersCrushReceived one) {
            output.message(2, one);
        } else if (kind instanceof NumbersCrushTurned one) {
            output.message(3, one);
        } else if (kind instanceof NumbersCrushTurnBegan one) {
            output.message(4, one);
        } else if (kind instanceof NumbersCrushDrew one) {
            output.message(5, one);
        } else if (kind instanceof NumbersCrushSkipped one) {
            output.message(6, one);
        } else if (kind instanceof NumbersCrushPassed one) {
            output.message(7, one);
        } else if (kind instanceof NumbersCrushWereSet one) {
            output.message(8, one);
        } else if (kind instanceof NumbersCrushDeclined one) {
            output.message(9, one);
        } else if (kind instanceof NumbersCrushDiscarded one) {
            output.message(10, one);
        } else if (kind instanceof NumbersCrushGave one) {
            output.message(11, one);
        } else if (kind instanceof NumbersCrushHanded one) {
            output.message(12, one);
        } else if (kind instanceof NumbersCrushPenalised one) {
            output.message(13, one);
        } else if (kind instanceof NumbersCrushReshuffled one) {
            output.message(14, one);
        } else if (kind instanceof NumbersCrushZeroedOut one) {
            output.message(15, one);
        } else if (kind instanceof NumbersCrushCountered one) {
            output.message(16, one);
        } else if (kind instanceof NumbersCrushDealEnded one) {
            output.message(17, one);
        }
    }
}
