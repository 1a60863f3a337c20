// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Something that happened in a Tashot match. No event says what a seat declines, or which seats were asked.
 *
 * @param kind Exactly one is set.
 */
public record TashotEvent(Kind kind) implements Event.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits TashotDealt, TashotReceived, TashotTurnBegan, TashotDiscarded, TashotOpened,
            TashotWon, TashotDealEnded {}

    /** Reads one, to its end. */
    public static TashotEvent read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = TashotDealt.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = TashotReceived.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = TashotTurnBegan.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = TashotDiscarded.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); kind = TashotOpened.read(input); input.leave(end); }
                case 6 -> { int end = input.enter(); kind = TashotWon.read(input); input.leave(end); }
                case 7 -> { int end = input.enter(); kind = TashotDealEnded.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new TashotEvent(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof TashotDealt one) {
            output.message(1, one);
        } else if (kind instanceof TashotReceived one) {
            output.message(2, one);
        } else if (kind instanceof TashotTurnBegan one) {
            output.message(3, one);
        } else if (kind instanceof TashotDiscarded one) {
            output.message(4, one);
        } else if (kind instanceof TashotOpened one) {
            output.message(5, one);
        } else if (kind instanceof TashotWon one) {
            output.message(6, one);
        } else if (kind instanceof TashotDealEnded one) {
            output.message(7, one);
        }
    }
}
