// Made by clients/java/generate from the contract; not to be changed.
package fudaba.v1;

import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.io.IOException;

/**
 * Something that happened in a Makhop match.
 *
 * @param kind Exactly one is set.
 */
public record MakhopEvent(Kind kind) implements Event.Game, Writable {
    /** What may stand in {@code kind}. */
    public sealed interface Kind permits MakhopDealt, MakhopReceived, MakhopTurned, MakhopReshuffled, MakhopOpened,
            MakhopExtended, MakhopJoined, MakhopCleared, MakhopDealEnded {}

    /** Reads one, to its end. */
    public static MakhopEvent read(Input input) throws IOException {
        Kind kind = null;
        for (int field = input.next(); field != 0; field = input.next()) {
            switch (field) {
                case 1 -> { int end = input.enter(); kind = MakhopDealt.read(input); input.leave(end); }
                case 2 -> { int end = input.enter(); kind = MakhopReceived.read(input); input.leave(end); }
                case 3 -> { int end = input.enter(); kind = MakhopTurned.read(input); input.leave(end); }
                case 4 -> { int end = input.enter(); kind = MakhopReshuffled.read(input); input.leave(end); }
                case 5 -> { int end = input.enter(); kind = MakhopOpened.read(input); input.leave(end); }
                case 6 -> { int end = input.enter(); kind = MakhopExtended.read(input); input.leave(end); }
                case 7 -> { int end = input.enter(); kind = MakhopJoined.read(input); input.leave(end); }
                case 8 -> { int end = input.enter(); kind = MakhopCleared.read(input); input.leave(end); }
                case 9 -> { int end = input.enter(); kind = MakhopDealEnded.read(input); input.leave(end); }
                default -> input.skip();
            }
        }
        return new MakhopEvent(kind);
    }

    @Override
    public void write(Output output) throws IOException {
        if (kind instanceof MakhopDealt one) {
            output.message(1, one);
        } else if (kind instanceof MakhopReceived one) {
            output.message(2, one);
        } else if (kind instanceof MakhopTurned one) {
            output.message(3, one);
        } else if (kind instanceof MakhopReshuffled one) {
            output.message(4, one);
        } else if (kind instanceof MakhopOpened one) {
            output.message(5, one);
        } else if (kind instanceof MakhopExtended one) {
            output.message(6, one);
        } else if (kind instanceof MakhopJoined one) {
            output.message(7, one);
        } else if (kind instanceof MakhopCleared one) {
            output.message(8, one);
        } else if (kind instanceof MakhopDealEnded one) {
            output.message(9, one);
        }
    }
}
